// Labels along the matrices and the captions under them.
import { axisLabel, meets } from "./pictures.js";

/** Labels: {text, x, y, align, px, rotated, muted, focusOnly, axis: "i"|"j"|"k", index}. */
export function axisLabels(g, model) {
  const labels = [];
  const put = (text, x, y, options) => labels.push({ text, x, y, align: "center", px: g.fs, ...options });
  rowLabels(g, model, put);
  if (g.kind === "product") productColumns(g, model, put);
  else plainColumns(g, model, put);
  return labels;
}

function rowLabels(g, model, put) {
  const x = (g.picture.left.length ? g.LX : g.X0) - 8;
  const axis = g.picture.out[0].rowAxis;
  for (const top of new Set([g.LY, g.Y0])) {
    for (let i = 0; i < g.rows; i++) {
      const name = axis === "position" ? `${model.tokens[i]} ${i}` : axisLabel(model, axis, i);
      put(name, x, top + (i + 0.5) * g.ch, { align: "right", axis: "i", index: i, focusOnly: g.ch < g.fs * 0.95 });
    }
  }
  if (meets(g.kind) && !g.stacked) sideLabels(g, model, put, "i");
}

/** Labels left of the right operand: tokens or dimensions of the inner axis, or the rows of what is added. */
function sideLabels(g, model, put, axis) {
  const entry = g.picture.right[0];
  const tokens = entry.rowAxis === "key" || entry.rowAxis === "token";
  const px = tokens ? Math.min(g.fs, Math.max(11, g.ih * 0.8)) : Math.min(11, g.ih * 0.75);
  if (!tokens && g.ih < 9) return;
  for (let r = 0; r < entry.rows; r++) {
    put(axisLabel(model, entry.rowAxis, r), g.X0 - 8, g.RY + (r + 0.5) * g.ih, {
      align: "right", px, axis, index: r, muted: true, focusOnly: tokens && g.ih < px * 0.95,
    });
  }
}

function productColumns(g, model, put) {
  if (g.tokenInner) tokenColumns(g, model, put, g.LX, g.iw, g.Y0, "k");
  else dimensionColumns(put, g.kc, g.LX, g.iw, g.Y0 - 9, "k");
  sideLabels(g, model, put, "k");
  for (const box of g.boxes.filter((b) => b.role === "R")) {
    if (g.tokenCols) tokenColumns(g, model, put, box.x, g.cw, g.RY, "j");
    else dimensionColumns(put, box.entry.cols, box.x, g.cw, g.RY - 9, "j", box.start);
  }
}

function plainColumns(g, model, put) {
  const offset = g.picture.offset ?? 0; // of the head's own numbers in a vector of all heads
  const tops = g.stacked ? [[g.LX, g.LY]] : [...g.boxes.filter((b) => b.role !== "R").map((b) => [b.x, g.Y0, b])];
  for (const [x, y, box] of tops) {
    const shown = box ?? g.boxes.find((b) => b.role === "O");
    if (shown.entry.colAxis === "beside") besideColumn(g, model, put, shown, y);
    else if (g.tokenCols) tokenColumns(g, model, put, x, shown.cw, y, "j");
    else dimensionColumns(put, shown.entry.cols, x, shown.cw, y - 9, "j", shown.role === "O" ? shown.start : -offset);
  }
}

/** Above what takes part in softmax beside the keys. */
function besideColumn(g, model, put, { entry, x, cw, start }, y) {
  const text = axisLabel(model, "beside", 0, entry.id);
  put(text, x + cw / 2 + (g.rotated ? -2 : 0), y - (g.rotated ? 8 : 13), { align: g.rotated ? "left" : "center", rotated: g.rotated, axis: "j", index: start });
}

function tokenColumns(g, model, put, x0, width, y, axis) {
  const focusOnly = width < g.fs * 1.05;
  const rotated = g.rotated && !focusOnly;
  model.keys.forEach((text, index) => {
    const x = x0 + (index + 0.5) * width + (rotated ? -2 : 0);
    put(text, x, y - (focusOnly ? 11 : rotated ? 8 : 13), { align: rotated ? "left" : "center", rotated, axis, index, focusOnly });
  });
}

function dimensionColumns(put, count, x0, width, y, axis, start = 0) {
  if (width < 12) return;
  for (let c = 0; c < count; c++) {
    put(String(c), x0 + (c + 0.5) * width, y, { px: Math.min(11, width * 0.6), axis, index: c + start, muted: true });
  }
}

/** Name and shape of every matrix: {entry, shape, x, y}; a concatenation on the left has one caption for the whole. */
export function captions(g, model) {
  const below = g.Y0 + g.rows * g.ch + 15;
  const found = [];
  const shape = (rows, cols) => `${rows} × ${cols}`;
  const joined = g.picture.left.length > 1 && g.kind === "product";
  for (const { entry, role, index, x, y, ch } of g.boxes) {
    if ((role === "L" && joined && index) || entry.colAxis === "beside") continue;
    const leftY = g.stacked ? g.LY + g.rows * g.ch + 14 : below;
    const rightY = g.stacked ? y + entry.rows * ch + 14 : y - (g.kind === "product" ? (g.tokenCols ? g.headLabels : 20) : 0) - (g.kind === "norm" ? 13 : 10);
    const at = role === "L" ? leftY : role === "R" ? rightY : below;
    if (role === "L" && joined) found.push({ entry: { word: "concat", hue: "v" }, shape: shape(g.rows, model.heads * model.d_v), x, y: at });
    else found.push({ entry, shape: shape(entry.rows, entry.cols), x, y: at, room: entry.cols * g.cw });
  }
  return found;
}
