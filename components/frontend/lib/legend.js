// The key of a picture: the colour scale, and a sample of each look that occurs in it.
import { drawNotANumber, hatch } from "./cells.js";
import { blend, cellFill, css } from "./colour.js";
import { el, sizeCanvas } from "./dom.js";
import { num } from "./numbers.js";

const LEGEND_BAR = { width: 76, height: 9 };

/** The colour scale from its lower to its upper end, with both ends written out. */
export function scaleLegend(palette, scale) {
  const signed = scale.kind === "signed";
  const box = el("span", "scale");
  const canvas = el("canvas");
  const ctx = sizeCanvas(canvas, LEGEND_BAR.width, LEGEND_BAR.height);
  for (let x = 0; x < LEGEND_BAR.width; x++) {
    const share = (x + 0.5) / LEGEND_BAR.width;
    const value = signed ? (2 * share - 1) * (scale.max || 1) : share;
    ctx.fillStyle = css(cellFill(palette, value, signed ? { ...scale, max: scale.max || 1 } : scale));
    ctx.fillRect(x, 0, 1, LEGEND_BAR.height);
  }
  box.append(el("span", "", signed ? num(-scale.max) : "0"), canvas, el("span", "", signed ? num(scale.max) : "1"));
  return box;
}

/** A small sample of a look beside its name: "masked", "padding", "nan", or an [r, g, b] fill. */
export function sampleLegend(palette, look, name) {
  const box = el("span", "sample");
  const canvas = el("canvas");
  const ctx = sizeCanvas(canvas, 16, 11);
  if (look === "nan") drawNotANumber(ctx, 0, 0, 16, 11);
  else if (look === "masked" || look === "padding") hatch(ctx, 0, 0, 16, 11, palette, look === "padding");
  else {
    ctx.fillStyle = css(look);
    ctx.fillRect(0, 0, 16, 11);
  }
  ctx.strokeStyle = css(blend(palette.paper, palette.ink, 0.3));
  ctx.strokeRect(0.5, 0.5, 15, 10);
  box.append(canvas, el("span", "", name));
  return box;
}
