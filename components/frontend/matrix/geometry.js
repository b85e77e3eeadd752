// Where everything of a matrix goes: size of a cell, room for labels, and whether numbers can be printed.
import { clamp } from "../lib/dom.js";
import { labelWidth, widestLabel } from "../lib/labels.js";
import { cellNumber, shortNumber } from "../lib/numbers.js";

const MATRIX_CELL_MAX = { width: 116, height: 72 };
const MATRIX_LABEL_MAX = 118;
const MATRIX_SLANT_MAX = 84;
const MATRIX_SLANT = Math.SQRT1_2;
const MATRIX_GROUP_HEIGHT = 22;

/**
 * Styles of a printed number, best first: type size, the air left and right of it, the row height it needs.
 * Below them nothing is printed and the tip has the value.
 */
const MATRIX_NUMBER_STYLES = [
  ...[15, 13.5, 12, 11, 10].map((size) => ({ size, air: 8, row: Math.max(14, size * 1.5), write: cellNumber })),
  ...[9.5, 8.5].map((size) => ({ size, air: 4, row: 12, write: shortNumber })),
];

/** `model` has the data, `part` the rows and columns in sight {row, col, rows, cols}, `room` {width, height} in pixels. */
export function matrixGeometry(ctx, model, part, room) {
  ctx.font = `13px ${model.palette.font}`;
  const left = matrixLeft(ctx, model, room);
  const groups = model.colGroups.length ? MATRIX_GROUP_HEIGHT : 0;
  const straight = matrixCells(part, room, left, 2, groups + (model.colLabels ? 22 : 18));
  const columns = matrixColumnStyle(ctx, model, straight.cw);
  const cells = columns.kind === "slanted" ? matrixCells(part, room, left, columns.overhang, groups + columns.height) : straight;
  const top = groups + columns.height;
  return {
    ...cells,
    left,
    top,
    groups,
    columns,
    width: left + part.cols * cells.cw + (columns.overhang ?? 2),
    height: top + part.rows * cells.ch + 2,
    labelSize: clamp(cells.ch * 0.72, 11, 13),
    print: matrixNumberStyle(ctx, model, part, cells),
    crowded: cells.cw < 6 || cells.ch < 6,
  };
}

function matrixLeft(ctx, model, room) {
  const bar = model.rowGroups.length ? 8 : 0;
  const names = model.rowLabels ?? (model.rowGroups.length ? model.rowGroups.map((group) => group.label) : ["999"]);
  return Math.ceil(clamp(widestLabel(ctx, names), 12, Math.min(MATRIX_LABEL_MAX, room.width * 0.28))) + 12 + bar;
}

/** Cells are wider than high, up to 1.9 times; only where they are too narrow to print may they be higher than wide. */
function matrixCells(part, room, left, overhang, top) {
  const widest = Math.max(0.2, (room.width - left - overhang) / part.cols);
  const highest = Math.max(0.2, (room.height - top - 2) / part.rows);
  const ch = Math.min(highest, Math.max(widest, 18), MATRIX_CELL_MAX.height);
  return { ch, cw: Math.min(widest, Math.max(1.9 * ch, 24), MATRIX_CELL_MAX.width) };
}

function matrixColumnStyle(ctx, model, cw) {
  if (!model.colLabels) return { kind: "straight", height: model.colGroups.length ? 20 : 18, size: 10.5 };
  const widest = widestLabel(ctx, model.colLabels);
  if (widest <= cw - 6) return { kind: "straight", height: 22, size: 13 };
  if (cw < 17) return { kind: "sparse", height: 22, size: 12.5 };
  const shown = Math.min(widest, MATRIX_SLANT_MAX);
  const last = Math.min(labelWidth(ctx, model.colLabels.at(-1)), MATRIX_SLANT_MAX);
  return {
    kind: "slanted",
    size: 13,
    room: MATRIX_SLANT_MAX,
    height: Math.ceil(shown * MATRIX_SLANT + 16),
    overhang: Math.max(2, Math.ceil((last + 8) * MATRIX_SLANT - cw / 2 + 6)),
  };
}

/** The largest style in which every number in sight fits its cell, or null. */
function matrixNumberStyle(ctx, model, part, { cw, ch }) {
  if (cw < 17 || ch < 12 || part.rows * part.cols > 8192) return null;
  for (const style of MATRIX_NUMBER_STYLES) {
    if (ch < style.row || cw < style.size * 1.6) continue;
    ctx.font = `${style.size}px ${model.palette.font}`;
    if (matrixWidestNumber(ctx, model, part, style.write) + style.air <= cw) return style;
  }
  return null;
}

// digits are all equally wide (tabular), so one text of each length and kind has to be measured
function matrixWidestNumber(ctx, model, part, write) {
  const shapes = new Set();
  for (let r = part.row; r < part.row + part.rows; r++)
    for (let c = part.col; c < part.col + part.cols; c++) shapes.add(write(model.read(r, c)).replace(/\d/g, "0"));
  return Math.max(...[...shapes].map((text) => labelWidth(ctx, text)));
}

/** The cell under (x, y), {row, col}; in the label areas the other one is −1; null outside. */
export function matrixPick(geometry, part, x, y) {
  const { left, top, cw, ch } = geometry;
  const col = Math.floor((x - left) / cw) + part.col;
  const row = Math.floor((y - top) / ch) + part.row;
  const inX = x >= left && col < part.col + part.cols;
  const inY = y >= top && row < part.row + part.rows;
  if (inX && inY) return { row, col };
  if (inY && x >= 0 && x < left) return { row, col: -1 };
  if (inX && y >= 0 && y < top) return { row: -1, col };
  return null;
}

/** Upper left corner of a cell. */
export const matrixCorner = (geometry, part, row, col) => [
  geometry.left + (col - part.col) * geometry.cw,
  geometry.top + (row - part.row) * geometry.ch,
];
