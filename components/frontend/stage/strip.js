// Softmax in the making: the focused row's exponentials as bars, in line with the columns below.
import { blend, css } from "../lib/colour.js";
import { num } from "../lib/numbers.js";
import { columnX } from "./layout.js";
import { readItem } from "./pictures.js";
import { exponentials, sumOf } from "./terms.js";

export function paintStrip({ ctx, g, model, focus, palette, text }) {
  const { x, y, height } = g.strip;
  const terms = exponentials(model, g.picture, focus.i);
  const foot = y + height - 4;
  const tall = height - 32;
  const base = ctx.globalAlpha;
  terms.forEach(({ value }, j) => {
    const bar = Number.isFinite(value) ? Math.max(value ? 1.5 : 0, value * tall) : 0;
    ctx.globalAlpha = base * (j === focus.j ? 1 : 0.55);
    ctx.fillStyle = css(palette.w);
    ctx.fillRect(columnX(g, j) + g.cw * 0.2, foot - bar, g.cw * 0.6, bar);
    if (g.cw < 26) return;
    ctx.globalAlpha = base;
    const px = Math.min(13, g.cw * 0.32);
    ctx.fillStyle = css(palette.ink);
    ctx.textAlign = "center";
    ctx.font = `${j === focus.j ? 600 : 400} ${px}px ${palette.font}`;
    ctx.fillText(num(value), columnX(g, j) + g.cw / 2, foot - bar - px * 0.75);
  });
  ctx.globalAlpha = base;
  const muted = css(blend(palette.paper, palette.ink, 0.66));
  ctx.strokeStyle = muted;
  ctx.lineWidth = 1;
  ctx.beginPath();
  ctx.moveTo(x, foot + 0.5);
  ctx.lineTo(x + g.mc * g.cw + g.gaps, foot + 0.5);
  ctx.stroke();
  sums(ctx, g, focus, palette, muted, foot, sumOf(terms));
  if (!g.narrow) exponentName(ctx, palette, muted, x - 10, foot - tall / 2, text.exponent, model.temperature);
}

function sums(ctx, g, focus, palette, muted, foot, sum) {
  const right = g.X0 + g.mc * g.cw + g.gaps + 6;
  let whole = 0;
  for (const entry of g.picture.out) for (let j = 0; j < entry.cols; j++) whole += readItem(entry, focus.i, j);
  ctx.textAlign = "left";
  ctx.font = `12.5px ${palette.font}`;
  ctx.fillStyle = muted;
  ctx.fillText(`Σ ${num(sum)}`, right, foot - 8);
  ctx.fillStyle = css(palette.w);
  ctx.fillText(`Σ ${num(whole).replace(/\.00$/, "")}`, right, g.Y0 + (focus.i + 0.5) * g.ch);
}

/** "e" to the power of "score − max", beside the bars. */
function exponentName(ctx, palette, muted, right, y, exponent, temperature) {
  const power = temperature === 1 ? exponent : `(${exponent}) / ${temperature}`;
  ctx.fillStyle = muted;
  ctx.textAlign = "right";
  ctx.font = `11px ${palette.font}`;
  ctx.fillText(power, right, y - 6);
  const width = ctx.measureText(power).width;
  ctx.font = `italic 17px ${palette.serif}`;
  ctx.fillText("e", right - 1 - width, y);
}
