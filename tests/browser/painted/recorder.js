// Put into a page before its scripts: every canvas keeps what was painted on it since it was last cleared, in pixels of the
// canvas, in `canvas.painted`. What was painted on another canvas first is taken over with it.
(() => {
  const clips = new WeakMap(); // context → stack of rectangles that are painted in, or null

  const clipOf = (ctx) => clips.get(ctx)?.at(-1) ?? null;

  const place = (ctx, x, y) => {
    const m = ctx.getTransform();
    return [m.a * x + m.c * y + m.e, m.b * x + m.d * y + m.f];
  };

  const box = (ctx, x, y, w, h) => {
    const [left, top] = place(ctx, x, y);
    const [right, bottom] = place(ctx, x + w, y + h);
    return { x: Math.min(left, right), y: Math.min(top, bottom), w: Math.abs(right - left), h: Math.abs(bottom - top) };
  };

  const colour = (style) => (typeof style === "string" ? style : "pattern");

  function note(ctx, kind, more) {
    const painted = (ctx.canvas.painted ??= []);
    painted.push({ kind, alpha: ctx.globalAlpha, clip: clipOf(ctx), ...more });
  }

  const line = (ctx) => ({ colour: colour(ctx.strokeStyle), width: ctx.lineWidth, dashed: ctx.getLineDash().length > 0 });

  function takeOver(ctx, [source, x, y, w = source.width, h = source.height]) {
    const [sx, sy] = [w / source.width, h / source.height];
    for (const one of source.painted ?? []) {
      const at = box(ctx, x + one.x * sx, y + one.y * sy, (one.w ?? 0) * sx, (one.h ?? 0) * sy);
      const points = one.points?.map(([px, py]) => place(ctx, x + px * sx, y + py * sy));
      const inside = one.clip && box(ctx, x + one.clip.x * sx, y + one.clip.y * sy, one.clip.w * sx, one.clip.h * sy);
      note(ctx, one.kind, { ...one, ...at, points, alpha: one.alpha * ctx.globalAlpha, clip: inside ?? clipOf(ctx) });
    }
  }

  const before = {
    save: (ctx) => clips.set(ctx, [...(clips.get(ctx) ?? [null]), clipOf(ctx)]),
    restore: (ctx) => clips.get(ctx)?.length > 1 && clips.get(ctx).pop(),
    beginPath: (ctx) => (ctx.path = []),
    moveTo: (ctx, x, y) => ctx.path?.push(place(ctx, x, y)),
    lineTo: (ctx, x, y) => ctx.path?.push(place(ctx, x, y)),
    bezierCurveTo: (ctx, ...p) => ctx.path?.push(place(ctx, p[4], p[5])),
    quadraticCurveTo: (ctx, ...p) => ctx.path?.push(place(ctx, p[2], p[3])),
    arc: (ctx, x, y) => ctx.path?.push(place(ctx, x, y)),
    rect: (ctx, x, y, w, h) => ctx.path?.push(place(ctx, x, y), place(ctx, x + w, y + h)),
    clip(ctx) {
      const xs = ctx.path.map((point) => point[0]);
      const ys = ctx.path.map((point) => point[1]);
      const [x, y] = [Math.min(...xs), Math.min(...ys)];
      if (!clips.has(ctx)) clips.set(ctx, [null]);
      clips.get(ctx)[clips.get(ctx).length - 1] = { x, y, w: Math.max(...xs) - x, h: Math.max(...ys) - y };
    },
    clearRect: (ctx) => (ctx.canvas.painted = []),
    fillRect: (ctx, ...at) => note(ctx, "fill", { ...box(ctx, ...at), colour: colour(ctx.fillStyle) }),
    strokeRect: (ctx, ...at) => note(ctx, "frame", { ...box(ctx, ...at), ...line(ctx) }),
    stroke: (ctx) => note(ctx, "line", { x: 0, y: 0, points: [...(ctx.path ?? [])], ...line(ctx) }),
    fill: (ctx) => note(ctx, "area", { x: 0, y: 0, points: [...(ctx.path ?? [])], colour: colour(ctx.fillStyle) }),
    fillText(ctx, text, x, y) {
      const [left, top] = place(ctx, x, y);
      note(ctx, "text", { text, x: left, y: top, colour: colour(ctx.fillStyle), align: ctx.textAlign, font: ctx.font });
    },
    putImageData(ctx, image, x, y) {
      const { width, height } = image;
      ctx.canvas.painted = [];
      note(ctx, "pixels", { x, y, w: width, h: height, rows: height, cols: width, data: [...image.data] });
    },
    drawImage: (ctx, ...at) => takeOver(ctx, at),
  };

  for (const { prototype } of [CanvasRenderingContext2D, OffscreenCanvasRenderingContext2D]) {
    for (const [name, look] of Object.entries(before)) {
      const native = prototype[name];
      prototype[name] = function (...args) {
        look(this, ...args);
        return native.apply(this, args);
      };
    }
  }
})();
