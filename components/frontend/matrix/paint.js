// Painting a matrix: cells, groups, labels, and what is pointed at or chosen.
import { STATE, drawCell, drawCrisp, matrixImage } from "../lib/cells.js";
import { blend, css } from "../lib/colour.js";
import { clamp } from "../lib/dom.js";
import { hatchHiddenRuns } from "../lib/hidden.js";
import { clipLabel, labelStep, labelWidth } from "../lib/labels.js";
import { matrixCorner } from "./geometry.js";

/** `view`: {ctx, model, part, geometry, hover, selected}; the painted cells are kept in `view.layer`. */
export function paintMatrix(view) {
  const { ctx, geometry } = view;
  ctx.clearRect(0, 0, geometry.width + 40, geometry.height + 4);
  paintMatrixLayer(view);
  paintMatrixGroups(view);
  paintMatrixFrame(view);
  paintMatrixRowLabels(view);
  paintMatrixColumnLabels(view);
}

/** The cells change only with data, zoom and size: they are kept as a layer, so that hovering repaints lines alone. */
function paintMatrixLayer(view) {
  const { ctx, geometry } = view;
  if (view.layer?.geometry !== geometry) {
    const bitmap = new OffscreenCanvas(ctx.canvas.width, ctx.canvas.height);
    const inner = bitmap.getContext("2d");
    inner.setTransform(ctx.getTransform());
    view.layer = { geometry, bitmap };
    const paint = geometry.crowded ? paintMatrixImage : paintMatrixCells;
    paint({ ...view, ctx: inner });
  }
  ctx.save();
  ctx.setTransform(1, 0, 0, 1, 0, 0);
  ctx.drawImage(view.layer.bitmap, 0, 0);
  ctx.restore();
}

function paintMatrixCells({ ctx, model, part, geometry }) {
  const { cw, ch, print } = geometry;
  const gap = cw >= 9 && ch >= 9 ? 0.5 : 0;
  if (print) ctx.font = `${print.size}px ${model.palette.font}`;
  for (let row = part.row; row < part.row + part.rows; row++) {
    for (let col = part.col; col < part.col + part.cols; col++) {
      const [x, y] = matrixCorner(geometry, part, row, col);
      const value = model.read(row, col);
      const state = model.state(row, col);
      const text = print ? print.write(value) : "";
      drawCell(ctx, x + gap, y + gap, cw - 2 * gap, ch - 2 * gap, { value, state, scale: model.scale, text }, model.palette);
      if (!print && value === 0 && state === STATE.number) paintMatrixZero(ctx, x + cw / 2, y + ch / 2, model.palette);
    }
  }
}

/** An exact zero that is not printed keeps a mark of its own. */
function paintMatrixZero(ctx, x, y, palette) {
  ctx.fillStyle = css(blend(palette.paper, palette.ink, 0.4));
  ctx.fillRect(x - 0.75, y - 0.75, 1.5, 1.5);
}

function paintMatrixImage({ ctx, model, part, geometry }) {
  const read = (r, c) => model.read(r + part.row, c + part.col);
  const state = (r, c) => model.state(r + part.row, c + part.col);
  const { left, top, cw, ch } = geometry;
  const image = matrixImage(part.rows, part.cols, read, state, model.palette, model.scale);
  drawCrisp(ctx, image, left, top, cw * part.cols, ch * part.rows);
  if (model.hidden) hatchHiddenRuns(ctx, model.palette, { rows: part.rows, cols: part.cols, x: left, y: top, cw, ch }, state);
}

function paintMatrixFrame({ ctx, model, part, geometry, hover, selected }) {
  const { left, top, cw, ch } = geometry;
  const [width, height] = [part.cols * cw, part.rows * ch];
  if (!model.colGroups.length && !model.rowGroups.length) {
    ctx.lineWidth = 1.5;
    ctx.strokeStyle = css(model.palette[model.hue] ?? model.palette.ink);
    ctx.strokeRect(left - 0.75, top - 0.75, width + 1.5, height + 1.5);
  }
  ctx.save();
  ctx.beginPath();
  ctx.rect(left - 2, top - 2, width + 4, height + 4);
  ctx.clip();
  ctx.strokeStyle = css(model.palette.ink);
  const band = hover ?? (selected && { row: selected.row, col: -1 });
  ctx.lineWidth = 1;
  ctx.globalAlpha = 0.6;
  if (band?.row >= 0) ctx.strokeRect(left - 1, top + (band.row - part.row) * ch, width + 2, Math.max(2, ch));
  if (band?.col >= 0) ctx.strokeRect(left + (band.col - part.col) * cw, top - 1, Math.max(2, cw), height + 2);
  ctx.globalAlpha = 1;
  ctx.lineWidth = 2;
  for (const cell of [selected, hover]) {
    if (!cell || cell.row < 0 || cell.col < 0) continue;
    const [x, y] = matrixCorner(geometry, part, cell.row, cell.col);
    ctx.strokeRect(x, y, Math.max(3, cw), Math.max(3, ch));
  }
  ctx.restore();
}

const matrixGroupColour = (model, group) => {
  const colours = model.headColours[model.palette.dark ? "dark" : "light"];
  return group.colour < 0 ? css(model.palette.ink) : colours[group.colour % colours.length];
};

/** Groups of columns and rows: a frame in the group's colour, a bar and a name at its edge. */
function paintMatrixGroups({ ctx, model, part, geometry }) {
  const { left, top, cw, ch, groups } = geometry;
  ctx.font = `600 12px ${model.palette.font}`;
  const short = model.colGroups.some((group) => labelWidth(ctx, group.label) > group.count * cw - 6);
  for (const { group, from, to } of matrixGroupSpans(model.colGroups, part.col, part.cols)) {
    const [x0, x1] = [left + (from - part.col) * cw, left + (to - part.col) * cw];
    paintMatrixGroupFrame(ctx, x0, top, x1 - x0, part.rows * ch, matrixGroupColour(model, group));
    ctx.fillRect(x0 + 1, top - 5, Math.max(1, x1 - x0 - 2), 4);
    paintMatrixGroupLabel(ctx, group, (x0 + x1) / 2, groups - 12, x1 - x0 - 4, "center", short);
  }
  for (const { group, from, to } of matrixGroupSpans(model.rowGroups, part.row, part.rows)) {
    const [y0, y1] = [top + (from - part.row) * ch, top + (to - part.row) * ch];
    paintMatrixGroupFrame(ctx, left, y0, part.cols * cw, y1 - y0, matrixGroupColour(model, group));
    ctx.fillRect(left - 5, y0 + 1, 4, Math.max(1, y1 - y0 - 2));
    if (!model.rowLabels && y1 - y0 >= 12) paintMatrixGroupLabel(ctx, group, left - 11, (y0 + y1) / 2, left - 14, "right", false);
  }
}

/** Groups that are in sight, with their first row or column and the one after their last. */
function matrixGroupSpans(all, first, count) {
  let at = 0;
  return all
    .map((group) => {
      const [from, to] = [Math.max(at, first), Math.min(at + group.count, first + count)];
      at += group.count;
      return { group, from, to };
    })
    .filter(({ from, to }) => from < to);
}

function paintMatrixGroupFrame(ctx, x, y, width, height, colour) {
  ctx.fillStyle = ctx.strokeStyle = colour;
  ctx.lineWidth = 1.5;
  ctx.strokeRect(x + 0.5, y - 0.25, width - 1, height + 0.5);
}

/** A group's name in its colour (the one in force); its last word, which is its number, where names have no room. */
function paintMatrixGroupLabel(ctx, group, x, y, room, align, short) {
  ctx.textAlign = align;
  ctx.textBaseline = "middle";
  const number = group.label.split(" ").at(-1);
  const text = (short ? [number] : [group.label, number]).find((candidate) => labelWidth(ctx, candidate) <= room);
  if (text) ctx.fillText(text, x, y);
}

function paintMatrixRowLabels({ ctx, model, part, geometry, hover, selected }) {
  if (!model.rowLabels && model.rowGroups.length) return;
  const { left, top, ch, labelSize } = geometry;
  const lit = (hover ?? selected)?.row ?? -1;
  const step = labelStep(ch, Math.min(labelSize * 1.02, 13));
  const room = left - 10 - (model.rowGroups.length ? 8 : 0);
  for (let row = part.row; row < part.row + part.rows; row++) {
    const on = row === lit;
    if (!on && (row % step || (step > 1 && lit >= 0 && Math.abs(row - lit) * ch < 14))) continue;
    ctx.font = `${on ? 600 : 400} ${model.rowLabels ? labelSize : 10.5}px ${model.palette.font}`;
    ctx.fillStyle = css(on ? model.palette[model.rowHue] : model.rowLabels ? model.palette.ink : model.palette.mute);
    ctx.textAlign = "right";
    ctx.textBaseline = "middle";
    ctx.fillText(clipLabel(ctx, model.rowName(row), room), left - 7 - (model.rowGroups.length ? 5 : 0), top + (row - part.row + 0.5) * ch + 0.5);
  }
}

function paintMatrixColumnLabels({ ctx, model, part, geometry, hover, selected }) {
  const { left, top, cw, columns } = geometry;
  const lit = (hover ?? selected)?.col ?? -1;
  ctx.font = `${columns.size}px ${model.palette.font}`;
  const needed = columns.kind === "sparse" ? 54 : columns.kind === "slanted" ? 1 : model.colLabels ? 1 : labelWidth(ctx, String(model.cols)) + 5;
  const step = labelStep(cw, needed);
  for (let col = part.col; col < part.col + part.cols; col++) {
    const on = col === lit;
    if (!on && (col % step || (step > 1 && lit >= 0 && Math.abs(col - lit) * cw < needed))) continue;
    ctx.font = `${on ? 600 : 400} ${columns.size}px ${model.palette.font}`;
    ctx.fillStyle = css(on ? model.palette[model.colHue] : model.colLabels ? model.palette.ink : model.palette.mute);
    ctx.textBaseline = "middle";
    const x = left + (col - part.col + 0.5) * cw;
    if (columns.kind === "slanted") paintMatrixSlanted(ctx, clipLabel(ctx, model.colName(col), columns.room), x, top);
    else {
      ctx.textAlign = "center";
      const text = clipLabel(ctx, model.colName(col), Math.max(cw, 50));
      const half = labelWidth(ctx, text) / 2;
      ctx.fillText(text, clamp(x, Math.min(left + half, x + cw), Math.max(left + part.cols * cw - half, left + half)), top - (model.colGroups.length ? 13 : 11));
    }
  }
}

function paintMatrixSlanted(ctx, text, x, top) {
  ctx.save();
  ctx.translate(x + 3, top - 9);
  ctx.rotate(-Math.PI / 4);
  ctx.textAlign = "left";
  ctx.fillText(text, 0, 0);
  ctx.restore();
}
