// One bar per term: the factors in their matrices' hues, their product below, and the sum as it grows.
import { drawNotANumber } from "../lib/cells.js";
import { blend, css } from "../lib/colour.js";
import { sizeCanvas } from "../lib/dom.js";
import { labelStep } from "../lib/labels.js";
import { num } from "../lib/numbers.js";

const BAND = 46; // pixels for one row of bars
const NAMES_W = 92;
const SUM_W = 74;

/**
 * Draw `terms` ([{label, factors, hues, value}]) into `canvas`, `width` pixels wide. `rows` lists what is drawn:
 * [{name, hue, read(term)}]; `total` is written beside the last row (null: nothing is summed); `highlight` is the k of
 * a hovered term. Returns the x of a term's slot.
 */
export function drawBars(canvas, terms, { width, palette, rows, total, highlight = null }) {
  const height = rows.length * (BAND + 8) + 18;
  const ctx = sizeCanvas(canvas, width, height);
  const slot = (width - NAMES_W - SUM_W) / terms.length;
  const x = (at) => NAMES_W + at * slot;
  rows.forEach((row, at) => barRow(ctx, terms, row, { x, slot, top: at * (BAND + 8), palette, width, highlight }));
  ctx.fillStyle = css(blend(palette.paper, palette.ink, 0.66));
  ctx.font = `10.5px ${palette.font}`;
  ctx.textAlign = "center";
  const widest = Math.max(...terms.map((term) => ctx.measureText(term.label).width));
  const step = labelStep(slot, Math.min(widest, 60) + 6);
  terms.forEach((term, at) => {
    if (at % step === 0) ctx.fillText(term.label, x(at) + slot / 2, height - 6, Math.max(slot * step - 2, 12));
  });
  if (total === null) return { slot, x };
  ctx.textAlign = "left";
  ctx.font = `600 13px ${palette.font}`;
  ctx.fillStyle = css(palette.ink);
  ctx.fillText(`Σ ${num(total, 3)}`, width - SUM_W + 8, (rows.length - 1) * (BAND + 8) + BAND / 2);
  return { slot, x };
}

function barRow(ctx, terms, { name, hue, read }, { x, slot, top, palette, width, highlight }) {
  const values = terms.map(read);
  const high = Math.max(0, ...values.filter(Number.isFinite));
  const low = Math.min(0, ...values.filter(Number.isFinite));
  const tall = BAND / (high - low || 1);
  const zero = top + high * tall;
  const gap = slot > 6 ? Math.min(3, slot * 0.12) : slot > 2 ? 0.5 : 0;
  terms.forEach((term, at) => {
    const value = values[at];
    if (Number.isNaN(value)) return drawNotANumber(ctx, x(at) + gap / 2, zero - 6, Math.max(slot - gap, 0.6), 12);
    if (!Number.isFinite(value)) return;
    const size = Math.abs(value) * tall;
    const y = value < 0 ? zero : zero - size;
    // direction and a paler fill say "negative": no second hue, the hue names the matrix
    ctx.fillStyle = css(value < 0 ? blend(palette.paper, palette[hue], 0.38) : palette[hue]);
    if (term.k === highlight) ctx.fillStyle = css(palette.ink);
    ctx.fillRect(x(at) + gap / 2, y, Math.max(slot - gap, 0.6), Math.max(size, value ? 0.75 : 0));
  });
  ctx.fillStyle = css(blend(palette.paper, palette.ink, 0.3));
  ctx.fillRect(x(0), zero, width - NAMES_W - SUM_W, 1);
  ctx.textAlign = "left";
  ctx.textBaseline = "middle";
  ctx.fillStyle = css(palette[hue]);
  ctx.font = `600 13px ${palette.font}`;
  ctx.fillText(name, 0, top + BAND / 2 - 8, NAMES_W - 8);
  ctx.fillStyle = css(blend(palette.paper, palette.ink, 0.66));
  ctx.font = `11px ${palette.font}`;
  ctx.fillText(`${num(low, 1)} … ${num(high, 1)}`, 0, top + BAND / 2 + 8, NAMES_W - 8);
}
