// Painting one step: bands, matrices, labels, outlines. What is where is decided in layout.js.
import { blend, css } from "../lib/colour.js";
import { drawCell, drawCrisp, matrixImage } from "../lib/cells.js";
import { clamp } from "../lib/dom.js";
import { columnX } from "./layout.js";
import { paintCaptions, paintLabels, paintLegend } from "./paint_text.js";
import { paintStrip } from "./strip.js";
import { paintTokens } from "./paint_tokens.js";
import { cellText } from "./print.js";
import { crosses, meets, readItem, stateOf } from "./pictures.js";

const FADED = { fill: 0.45, ink: 0.72, image: 0.6, pale: 0.3 };
const mixTo = (from, to, share) => from + (to - from) * share;

/**
 * view: {ctx, W, height, palette, model, g, old, time, focus, text}. `time` runs from 0 to 1 while the picture `old`
 * becomes `g`: what leaves fades first, what stays moves, what is new arrives last.
 */
export function paintStage(view) {
  const { ctx, g, old, time } = view;
  ctx.clearRect(0, 0, view.W, view.height);
  ctx.textBaseline = "middle";
  const arrived = old ? clamp((time - 0.4) / 0.6, 0, 1) : 1;
  view.arrived = arrived;
  if (g.chips) return paintTokens(view);
  if (old) leaving(view);
  ctx.globalAlpha = arrived;
  paintBands(view);
  ctx.globalAlpha = 1;
  for (const box of g.boxes) {
    const from = old?.boxes.find((other) => other.entry.id === box.entry.id);
    paintBox(view, box, from, from ? 1 : arrived);
  }
  ctx.globalAlpha = arrived;
  if (g.strip) paintStrip(view);
  paintLabels(view);
  paintCaptions(view);
  paintLegend(view);
  paintOutlines(view);
  ctx.globalAlpha = 1;
}

function leaving(view) {
  const alpha = clamp(1 - view.time / 0.3, 0, 1);
  if (!alpha) return;
  for (const box of view.old.boxes) {
    if (!view.g.boxes.some((other) => other.entry.id === box.entry.id)) paintBox({ ...view, focus: null }, box, undefined, alpha);
  }
}

/** The row of the left and the column of the right operand, carried on to where they cross. */
function paintBands({ ctx, g, focus, palette }) {
  const band = (x, y, w, h, hue) => {
    ctx.fillStyle = css(blend(palette.paper, palette[hue], palette.dark ? 0.2 : 0.11));
    ctx.fillRect(x, y, w, h);
  };
  const { i, j } = focus;
  const x = columnX(g, j);
  const y = g.Y0 + i * g.ch;
  const leftX = g.LX + j * g.iw;
  const hue = g.kind === "softmax" ? "w" : "x";
  if (g.stacked) return band(x, g.LY + i * g.ch, g.cw, y - g.LY - i * g.ch, hue);
  if (crosses(g.kind)) {
    const right = partOfRight(g, j);
    band(g.LX, y, x + g.cw - g.LX, g.ch, g.picture.left[0].hue);
    band(x, g.RY, g.cw, y + g.ch - g.RY, right.entry.hue);
  } else if (meets(g.kind)) {
    band(leftX, y, x + g.cw - leftX, g.ch, "x");
    band(x, g.RY + i * g.ih, g.cw, y + g.ch - g.RY - i * g.ih, "x");
  } else if (g.kind === "scaling") band(leftX, y, x + g.cw - leftX, g.ch, "x");
  else if (g.kind === "softmax") {
    band(g.LX, y, g.X0 + g.mc * g.cw + g.gaps - g.LX, g.ch, "w");
    band(x, g.strip.y + 8, g.cw, y + g.ch - g.strip.y - 8, "w");
  }
}

export const partOfRight = (g, j) => {
  const rights = g.boxes.filter((box) => box.role === "R");
  return rights.find((box) => j >= box.start && j < box.start + box.entry.cols) ?? rights.at(-1);
};

/** Is this cell part of what the focused result was made from? Results are always lit. */
function isLit(g, box, r, c, focus) {
  if (!focus || box.role === "O") return true;
  if (crosses(g.kind) && box.role === "R") return box.start + c === focus.j;
  return r === focus.i;
}

function paintBox(view, box, from, alpha) {
  const { ctx, palette, time } = view;
  const moving = Boolean(from) && time < 1;
  const pale = box.entry.pale ? FADED.pale : 1;
  const at = moving ? between(from, box, time) : box;
  const asImage = box.entry.rows * box.entry.cols > 2600 || box.cw < 5 || box.ch < 5;
  ctx.globalAlpha = alpha * pale;
  if (asImage) paintImage(view, box, at);
  else paintCells(view, box, at, moving && from.entry.flipped !== box.entry.flipped ? from : null);
  paintFrame(ctx, palette, box.entry, at);
  ctx.globalAlpha = 1;
}

function between(from, box, time) {
  const share = 1 - (1 - time) ** 3;
  return Object.fromEntries(["x", "y", "cw", "ch"].map((key) => [key, mixTo(from[key], box[key], share)]));
}

function paintCells(view, box, at, turning) {
  const { ctx, g, palette, focus, time } = view;
  const { entry } = box;
  const gap = Math.min(at.cw, at.ch) > 14 ? 1 : Math.min(at.cw, at.ch) > 7 ? 0.5 : 0;
  const print = box.numbers && !(turning && time < 0.8) ? g.print : null;
  if (print) ctx.font = `${print.px}px ${palette.font}`;
  for (let r = 0; r < entry.rows; r++) {
    for (let c = 0; c < entry.cols; c++) {
      const lit = isLit(g, box, r, c, focus);
      // K becomes Kᵀ cell by cell: row and column change places on the way
      const [x, y] = turning ? turned(turning, box, r, c, time) : [at.x + c * at.cw, at.y + r * at.ch];
      drawCell(ctx, x, y, at.cw - gap, at.ch - gap, {
        value: readItem(entry, r, c), state: stateOf(entry, r, c), scale: entry.scale,
        text: print && cellText(entry, r, c, print.write),
        alpha: lit ? 1 : print ? FADED.fill : FADED.image, textAlpha: lit ? 1 : FADED.ink,
      }, palette);
    }
  }
}

function turned(from, box, r, c, time) {
  const share = 1 - (1 - time) ** 3;
  return [mixTo(from.x + r * from.cw, box.x + c * box.cw, share), mixTo(from.y + c * from.ch, box.y + r * box.ch, share)];
}

/** Many cells: an image, with the focused row or column on top in full strength. */
function paintImage({ ctx, g, palette, focus, images }, box, at) {
  const { entry } = box;
  const key = `${entry.id} ${entry.flipped ?? ""}`;
  if (!images.has(key)) {
    const read = (r, c) => readItem(entry, r, c);
    images.set(key, matrixImage(entry.rows, entry.cols, read, (r, c) => stateOf(entry, r, c), palette, entry.scale));
  }
  const width = entry.cols * at.cw;
  const height = entry.rows * at.ch;
  const base = ctx.globalAlpha;
  const faded = focus && box.role !== "O";
  ctx.globalAlpha = base * (faded ? FADED.image : 1);
  drawCrisp(ctx, images.get(key), at.x, at.y, width, height);
  ctx.globalAlpha = base;
  if (!faded) return;
  ctx.save();
  ctx.beginPath();
  if (crosses(g.kind) && box.role === "R") ctx.rect(at.x + (focus.j - box.start) * at.cw, at.y, at.cw, height);
  else ctx.rect(at.x, at.y + focus.i * at.ch, width, at.ch);
  ctx.clip();
  drawCrisp(ctx, images.get(key), at.x, at.y, width, height);
  ctx.restore();
}

function paintFrame(ctx, palette, entry, at) {
  ctx.strokeStyle = css(entry.hue === "x" ? blend(palette.paper, palette.ink, 0.45) : palette[entry.hue]);
  ctx.lineWidth = entry.hue === "x" ? 1 : 1.75;
  ctx.strokeRect(at.x - 1.5, at.y - 1.5, at.cw * entry.cols + 2, at.ch * entry.rows + 2);
}

/** The focused cell, what it was made from, and the pair of factors a hovered term names. */
function paintOutlines({ ctx, g, focus, palette, model }) {
  const outline = (x, y, w, h, hue, width = 2.25) => {
    ctx.strokeStyle = css(palette[hue]);
    ctx.lineWidth = width;
    ctx.strokeRect(x - 1.5, y - 1.5, Math.max(w, 2) + 2, Math.max(h, 2) + 2);
  };
  const { i, j, k } = focus;
  const [x, y] = [columnX(g, j), g.Y0 + i * g.ch];
  const leftY = g.LY + i * g.ch;
  if (crosses(g.kind)) {
    outline(g.LX, y, g.kc * g.iw, g.ch, g.picture.left[0].hue);
    outline(x, g.RY, g.cw, g.kr * g.ih, partOfRight(g, j).entry.hue);
    if (k !== null && k < g.kc) {
      outline(g.LX + k * g.iw, y, g.iw, g.ch, "x", 3);
      if (g.kind === "product") outline(x, g.RY + k * g.ih, g.cw, g.ih, "x", 3);
    }
    if (g.kind === "norm") outline(g.LX + (g.picture.offset + j) * g.iw, leftY, g.iw, g.ch, "x");
    if (g.kind === "product" && g.left.starts.length > 1) headDividers(ctx, g, model, palette);
  } else if (g.kind === "softmax") {
    outline(g.LX, leftY, g.kc * g.iw, g.ch, "w", 2);
    outline(g.X0, y, g.mc * g.cw + g.gaps, g.ch, "w", 2);
  } else if (meets(g.kind) || g.kind === "scaling") {
    outline(g.LX + j * g.iw, leftY, g.iw, g.ch, "x");
    for (const d of g.partners ?? []) outline(g.LX + d * g.iw, leftY, g.iw, g.ch, "x", d === k ? 3 : 1.5);
    if (meets(g.kind)) outline(x, g.RY + i * g.ih, g.cw, g.ih, "x");
  }
  outline(x, y, g.cw, g.ch, "x", 2.75);
}

/** Which rows of W_O read which head. */
function headDividers(ctx, g, model, palette) {
  ctx.fillStyle = css(palette.v);
  for (let h = 1; h < model.heads; h++) ctx.fillRect(g.X0 - 10, g.RY + h * model.d_v * g.ih - 1.5, g.mc * g.cw + 10, 1.75);
}

