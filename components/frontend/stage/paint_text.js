// Labels, captions, glyphs and the colour legend of the stage.
import { blend, cellFill, css } from "../lib/colour.js";
import { clipLabel } from "../lib/labels.js";
import { num } from "../lib/numbers.js";

const muted = (palette) => css(blend(palette.paper, palette.ink, 0.66));

export function paintLabels({ ctx, g, focus, palette }) {
  const base = ctx.globalAlpha;
  for (const label of g.labels) {
    const hot = label.index === focus[label.axis];
    if (label.focusOnly && !hot) continue;
    const room = label.rotated ? 96 : label.axis === "i" && label.align === "right" ? g.labelW - 8 : label.focusOnly ? 160 : Math.max(g.cw, g.iw) + 8;
    ctx.fillStyle = hot ? css(palette[labelHue(g, label.axis)]) : label.muted ? muted(palette) : css(palette.ink);
    ctx.globalAlpha = base * (hot ? 1 : label.muted ? 0.95 : 0.82);
    ctx.font = `${hot ? 600 : 400} ${label.px}px ${palette.font}`;
    ctx.textAlign = label.align;
    const text = clipLabel(ctx, label.text, Math.max(room, 24));
    if (label.rotated) rotatedText(ctx, text, label.x, label.y);
    else ctx.fillText(text, label.focusOnly && label.align === "center" ? keepInside(ctx, text, label.x, g.W) : label.x, label.y);
  }
  ctx.globalAlpha = base;
}

function keepInside(ctx, text, x, width) {
  const half = ctx.measureText(text).width / 2;
  return Math.max(half, Math.min(width - half, x));
}

function rotatedText(ctx, text, x, y) {
  ctx.save();
  ctx.translate(x, y);
  ctx.rotate(-Math.PI / 4);
  ctx.fillText(text, 0, 0);
  ctx.restore();
}

/** A row label takes the hue of the left operand, a column label that of the right one. */
function labelHue(g, axis) {
  if (axis === "i") return g.picture.left[0]?.hue ?? "x";
  if (axis === "j") return g.picture.right[0]?.hue ?? "x";
  return "x";
}

export function paintCaptions({ ctx, g, palette, text }) {
  for (const { entry, shape, x, y, room = Infinity } of g.captions) {
    let at = x;
    ctx.globalAlpha *= entry.pale ? 0.55 : 1;
    ctx.textAlign = "left";
    ctx.fillStyle = css(palette[entry.hue ?? "x"]);
    const name = entry.symbol ?? `${text.names[entry.word]}${entry.number === undefined ? "" : ` ${entry.number}`}`;
    ctx.font = entry.symbol ? `italic 600 18px ${palette.serif}` : `600 13.5px ${palette.font}`;
    ctx.fillText(name, at, y);
    at += ctx.measureText(name).width + 1;
    const mark = entry.sub ?? entry.sup;
    if (mark) {
      ctx.font = `italic 600 11px ${palette.serif}`;
      ctx.fillText(mark, at, y + (entry.sub ? 6 : -6));
      at += ctx.measureText(mark).width;
    }
    ctx.font = `12.5px ${palette.font}`;
    ctx.fillStyle = muted(palette);
    if (at - x + 8 + ctx.measureText(shape).width <= Math.max(room, 64) || room === Infinity) ctx.fillText(shape, at + 8, y + 1);
    if (entry.pale) ctx.globalAlpha /= 0.55;
  }
  paintGlyph(ctx, g, palette);
}

const GLYPHS = { product: "×", sum: "+", times: "⊙", norm: "→", scaling: "→", softmax: "→" };

function paintGlyph(ctx, g, palette) {
  const glyph = GLYPHS[g.kind];
  if (!glyph) return;
  ctx.fillStyle = muted(palette);
  ctx.textAlign = "center";
  ctx.font = `20px ${palette.font}`;
  const middle = g.X0 + (g.mc * g.cw) / 2;
  if (g.stacked) {
    if (g.kr) {
      ctx.fillText(glyph, middle, g.RY - 16);
      ctx.fillText("=", middle, g.Y0 - 18);
    }
  } else if (glyph === "→") ctx.fillText(glyph, g.X0 - g.gapX / 2, g.Y0 + (g.rows * g.ch) / 2);
  else ctx.fillText(glyph, g.X0 - g.gapX / 2, g.Y0 - (g.gapY > 34 ? g.gapY - 13 : g.gapY / 2));
}

/** The colour scale of the result, at the lower right. */
export function paintLegend({ ctx, g, palette }) {
  if (g.picture.out.length > 1 && g.kind !== "softmax") return;
  const [entry] = g.picture.out;
  const right = g.X0 + g.mc * g.cw;
  const y = g.Y0 + g.rows * g.ch + 16;
  const signed = entry.scale.kind === "signed";
  const high = signed ? num(entry.scale.max, 1) : "1";
  const low = signed ? num(-entry.scale.max, 1) : "0";
  ctx.font = `11.5px ${palette.font}`;
  const [highW, lowW] = [ctx.measureText(high).width, ctx.measureText(low).width];
  const width = Math.min(92, right - g.X0 - 130 - highW - lowW);
  if (width < 36) return;
  ctx.fillStyle = muted(palette);
  ctx.textAlign = "right";
  ctx.fillText(high, right, y);
  const start = right - highW - 6 - width;
  ctx.fillText(low, start - 6, y);
  for (let step = 0; step < width; step++) {
    const share = step / width;
    ctx.fillStyle = css(cellFill(palette, signed ? (2 * share - 1) * (entry.scale.max || 1) : share, entry.scale));
    ctx.fillRect(start + step, y - 4.5, 1.2, 8);
  }
}
