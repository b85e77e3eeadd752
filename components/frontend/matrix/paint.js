// Painting a matrix: cells, groups, labels, and what is pointed at or chosen.
import { STATE, drawCell, drawCrisp, hatch, matrixImage } from "../lib/cells.js";
import { blend, css } from "../lib/colour.js";
import { clamp } from "../lib/dom.js";
import { clipLabel, labelStep, labelWidth } from "../lib/labels.js";
import { matrixCorner } from "./geometry.js";

/** `view`: {ctx, model, part, geometry, hover, selected, images}. */
export function paintMatrix(view) {
  const { ctx, geometry } = view;
  ctx.clearRect(0, 0, geometry.width + 40, geometry.height + 4);
  if (geometry.crowded) paintMatrixImage(view);
  else paintMatrixCells(view);
  paintMatrixGroups(view);
  paintMatrixFrame(view);
  paintMatrixRowLabels(view);
  paintMatrixColumnLabels(view);
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

function paintMatrixImage(view) {
  const { ctx, model, part, geometry } = view;
  const key = `${part.row}/${part.col}/${part.rows}/${part.cols}/${model.palette.dark}`;
  if (view.image?.key !== key) {
    const read = (r, c) => model.read(r + part.row, c + part.col);
    const state = (r, c) => model.state(r + part.row, c + part.col);
    view.image = { key, bitmap: matrixImage(part.rows, part.cols, read, state, model.palette, model.scale) };
  }
  const { left, top, cw, ch } = geometry;
  drawCrisp(ctx, view.image.bitmap, left, top, cw * part.cols, ch * part.rows);
  paintMatrixHidden(view);
}

/** Masked and padded stretches of an image keep their hatching: one fill per run of cells. */
function paintMatrixHidden({ ctx, model, part, geometry }) {
  if (!model.hidden) return;
  const patterns = { [STATE.masked]: matrixPattern(ctx, model.palette, false), [STATE.padded]: matrixPattern(ctx, model.palette, true) };
  for (let row = part.row; row < part.row + part.rows; row++) {
    let start = part.col;
    for (let col = part.col; col <= part.col + part.cols; col++) {
      const here = col < part.col + part.cols ? model.state(row, col) : -1;
      if (col > start && here === model.state(row, start)) continue;
      if (col > start && model.state(row, start) !== STATE.number) {
        const [x, y] = matrixCorner(geometry, part, row, start);
        ctx.fillStyle = patterns[model.state(row, start)];
        ctx.fillRect(x, y, (col - start) * geometry.cw, geometry.ch + 0.3);
      }
      start = col;
    }
  }
}

function matrixPattern(ctx, palette, crossed) {
  const tile = new OffscreenCanvas(12, 12);
  hatch(tile.getContext("2d"), 0, 0, 12, 12, palette, crossed);
  return ctx.createPattern(tile, "repeat");
}

function paintMatrixFrame({ ctx, model, part, geometry, hover, selected }) {
  const { left, top, cw, ch } = geometry;
  const [width, height] = [part.cols * cw, part.rows * ch];
  ctx.lineWidth = 1.5;
  ctx.strokeStyle = css(model.palette[model.hue] ?? model.palette.ink);
  ctx.strokeRect(left - 0.75, top - 0.75, width + 1.5, height + 1.5);
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

/** Brackets over the columns and bars beside the rows, in each group's colour, with a divider between groups. */
function paintMatrixGroups({ ctx, model, part, geometry }) {
  const { left, top, cw, ch, groups } = geometry;
  let at = 0;
  for (const group of model.colGroups) {
    const [from, to] = [Math.max(at, part.col), Math.min(at + group.count, part.col + part.cols)];
    at += group.count;
    if (from >= to) continue;
    const [x0, x1] = [left + (from - part.col) * cw, left + (to - part.col) * cw];
    ctx.fillStyle = matrixGroupColour(model, group);
    ctx.fillRect(x0 + 1, groups - 5, Math.max(1, x1 - x0 - 2), 3);
    ctx.fillRect(x0 + 1, top - 3, Math.max(1, x1 - x0 - 2), 3);
    if (to < part.col + part.cols) paintMatrixDivider(ctx, x1, top, x1, top + part.rows * ch, model);
    paintMatrixGroupLabel(ctx, group, (x0 + x1) / 2, groups - 13, x1 - x0 - 4, "center", model);
  }
  at = 0;
  for (const group of model.rowGroups) {
    const [from, to] = [Math.max(at, part.row), Math.min(at + group.count, part.row + part.rows)];
    at += group.count;
    if (from >= to) continue;
    const [y0, y1] = [top + (from - part.row) * ch, top + (to - part.row) * ch];
    ctx.fillStyle = matrixGroupColour(model, group);
    ctx.fillRect(left - 8, y0 + 1, 4, Math.max(1, y1 - y0 - 2));
    if (to < part.row + part.rows) paintMatrixDivider(ctx, left, y1, left + part.cols * cw, y1, model);
    if (!model.rowLabels && y1 - y0 >= 12) paintMatrixGroupLabel(ctx, group, left - 13, (y0 + y1) / 2, left - 14, "right", model);
  }
}

function paintMatrixDivider(ctx, x0, y0, x1, y1, model) {
  ctx.strokeStyle = css(model.palette.ink);
  ctx.lineWidth = 1.25;
  ctx.globalAlpha = 0.75;
  ctx.beginPath();
  ctx.moveTo(x0, y0);
  ctx.lineTo(x1, y1);
  ctx.stroke();
  ctx.globalAlpha = 1;
}

function paintMatrixGroupLabel(ctx, group, x, y, room, align, model) {
  ctx.font = `600 12px ${model.palette.font}`;
  ctx.textAlign = align;
  ctx.textBaseline = "middle";
  const short = group.label.split(" ").at(-1);
  const text = [group.label, short].find((candidate) => labelWidth(ctx, candidate) <= room);
  if (text) ctx.fillText(text, x, y);
}

function paintMatrixRowLabels({ ctx, model, part, geometry, hover, selected }) {
  if (!model.rowLabels && model.rowGroups.length) return;
  const { left, top, ch, labelSize } = geometry;
  const lit = hover?.row ?? -1;
  const step = labelStep(ch, Math.min(labelSize * 1.02, 13));
  const room = left - 10 - (model.rowGroups.length ? 8 : 0);
  for (let row = part.row; row < part.row + part.rows; row++) {
    const on = row === lit || (lit < 0 && row === selected?.row);
    if (!on && (row % step || (step > 1 && lit >= 0 && Math.abs(row - lit) * ch < 14))) continue;
    ctx.font = `${on ? 600 : 400} ${model.rowLabels ? labelSize : 10.5}px ${model.palette.font}`;
    ctx.fillStyle = css(on ? model.palette[model.rowHue] : model.rowLabels ? model.palette.ink : model.palette.mute);
    ctx.textAlign = "right";
    ctx.textBaseline = "middle";
    ctx.fillText(clipLabel(ctx, model.rowName(row), room), left - 7 - (model.rowGroups.length ? 8 : 0), top + (row - part.row + 0.5) * ch + 0.5);
  }
}

function paintMatrixColumnLabels({ ctx, model, part, geometry, hover, selected }) {
  const { left, top, cw, columns } = geometry;
  const lit = hover?.col ?? -1;
  ctx.font = `${columns.size}px ${model.palette.font}`;
  const needed = columns.kind === "sparse" ? 54 : columns.kind === "slanted" ? 1 : model.colLabels ? 1 : labelWidth(ctx, String(model.cols)) + 5;
  const step = labelStep(cw, needed);
  for (let col = part.col; col < part.col + part.cols; col++) {
    const on = col === lit || (!hover && col === selected?.col);
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
      ctx.fillText(text, clamp(x, Math.min(x, left + half), Math.max(left + part.cols * cw - half, left + half)), top - 11);
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
