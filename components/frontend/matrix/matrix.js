// One matrix: printed cells or an image, hover, keyboard, zoom, a table and a copy button.
import { hideTip, pointIn, showTip } from "../lib/tip.js";
import { announce, listen } from "../lib/bus.js";
import { readPalette } from "../lib/colour.js";
import { clamp, sizeCanvas, watchSize } from "../lib/dom.js";
import { matrixCorner, matrixGeometry, matrixPick } from "./geometry.js";
import { matrixModel } from "./model.js";
import { paintMatrix } from "./paint.js";
import { paintMatrixBar } from "./bar.js";
import { fillMatrixTable, matrixCellText } from "./table.js";

const matrixViews = new WeakMap();
const MATRIX_ARROWS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

export default function matrixComponent({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".am-matrix");
  let view = matrixViews.get(parentElement);
  if (!view) {
    view = newMatrixView(root);
    matrixViews.set(parentElement, view);
  }
  view.stop?.();
  view.send = (cell) => setTriggerValue("cell", { row: cell.row, col: cell.col });
  updateMatrix(view, data);
  const stopSize = watchSize(root, () => layMatrixOut(view));
  const stopRow = listen(view.model.channel, "row", (detail) => followMatrixRow(view, detail));
  const stopHello = listen(view.model.channel, "hello", () => introduceMatrix(view));
  view.stop = () => [stopSize, stopRow, stopHello].forEach((stop) => stop());
  return () => view.stop();
}

function newMatrixView(root) {
  const part = (name) => root.querySelector(name);
  const view = { root, canvas: part(".picture"), tip: part(".tip"), live: part(".live"), table: part("table"), bar: part(".bar"), hover: null };
  const { canvas } = view;
  canvas.onpointermove = (event) => pointAtMatrix(view, event);
  canvas.onpointerdown = (event) => {
    const [x, y] = pointIn(canvas, event);
    view.drag = { x, y, row: view.part.row, col: view.part.col, moved: false };
  };
  canvas.onpointerup = (event) => dropOnMatrix(view, event);
  canvas.onpointerleave = () => {
    view.drag = null;
    hoverMatrix(view, null);
  };
  canvas.onblur = () => hoverMatrix(view, null);
  canvas.onkeydown = (event) => pressMatrixKey(view, event);
  canvas.ondblclick = () => zoomMatrix(view, 0);
  return view;
}

function updateMatrix(view, data) {
  view.model = matrixModel(data, readPalette(view.root));
  view.selected = data.selected ? { row: data.selected[0], col: data.selected[1] } : null;
  const { rows, cols } = view.model;
  if (!view.part || view.part.of !== `${rows}/${cols}`) view.part = { row: 0, col: 0, rows, cols, of: `${rows}/${cols}` };
  if (view.hover && (view.hover.row >= rows || view.hover.col >= cols)) view.hover = null;
  view.canvas.setAttribute("aria-label", view.model.text.label);
  view.canvas.classList.toggle("still", !view.model.clickable);
  layMatrixOut(view);
  fillMatrixTable(view.table, view.model, view.selected?.row ?? 0);
}

function layMatrixOut(view) {
  const room = { width: view.root.clientWidth, height: view.model.height };
  if (room.width < 40) return; // not laid out yet: the size observer calls again
  const ctx = view.canvas.getContext("2d");
  view.geometry = matrixGeometry(ctx, view.model, view.part, room);
  view.ctx = sizeCanvas(view.canvas, Math.min(room.width, view.geometry.width), view.geometry.height);
  paintMatrix(view);
  paintMatrixBar(view, (factor) => zoomMatrix(view, factor));
  const { left, top, cw, ch, print } = view.geometry;
  Object.assign(view.root.dataset, { left, top, cw, ch, printed: String(Boolean(print)) });
  introduceMatrix(view);
}

/** What pictures on the same channel follow: where the rows are, which head and cell are chosen. */
function introduceMatrix(view) {
  announceMatrixPitch(view);
  const { channel, head } = view.model;
  if (head >= 0) announce(channel, "chosen", { head, row: view.selected?.row ?? -1, col: view.selected?.col ?? -1 });
}

/** For pictures that stand beside this one and want to line up with its rows. */
function announceMatrixPitch(view) {
  const { model, geometry, canvas } = view;
  if (geometry && model.shares === "cells") announce(model.channel, "pitch", { node: canvas, top: geometry.top, pitch: geometry.ch, rows: model.rows, whole: !matrixZoomed(view) });
}

const matrixZoomed = (view) => view.part.rows < view.model.rows || view.part.cols < view.model.cols;

function pointAtMatrix(view, event) {
  const [x, y] = pointIn(view.canvas, event);
  if (view.drag && matrixZoomed(view) && Math.hypot(x - view.drag.x, y - view.drag.y) > 4) {
    view.drag.moved = true;
    const { cw, ch } = view.geometry;
    moveMatrixPart(view, view.drag.row - (y - view.drag.y) / ch, view.drag.col - (x - view.drag.x) / cw);
    return;
  }
  hoverMatrix(view, matrixPick(view.geometry, view.part, x, y), x, y);
}

function dropOnMatrix(view, event) {
  const moved = view.drag?.moved;
  view.drag = null;
  if (moved) return;
  const cell = matrixPick(view.geometry, view.part, ...pointIn(view.canvas, event));
  if (cell && cell.row >= 0 && cell.col >= 0) chooseMatrixCell(view, cell);
}

function chooseMatrixCell(view, cell) {
  if (!view.model.clickable) return;
  view.selected = cell;
  paintMatrix(view);
  introduceMatrix(view);
  view.send(cell);
}

function hoverMatrix(view, cell, x, y) {
  const same = cell?.row === view.hover?.row && cell?.col === view.hover?.col;
  view.hover = cell;
  if (cell && cell.row >= 0 && cell.col >= 0) showMatrixTip(view, cell, x, y);
  else hideTip(view.tip);
  if (same) return;
  paintMatrix(view);
  const col = view.model.shares === "cells" ? (cell?.col ?? -1) : -1;
  announce(view.model.channel, "row", { from: view.root, row: cell?.row ?? -1, col });
}

function showMatrixTip(view, { row, col }, x, y) {
  const { model } = view;
  const value = model.text.tip.replace(/\{(row|col|value)\}/g, (_, name) =>
    name === "row" ? model.rowTitle(row) : name === "col" ? model.colTitle(col) : matrixCellText(model, row, col),
  );
  showTip(view.root, view.tip, [value], x, y);
}

/** Another component on the same channel points at a row or a column: light it here too. */
function followMatrixRow(view, detail) {
  if (detail.from === view.root) return;
  const col = view.model.shares === "cells" ? detail.col : -1;
  view.hover = detail.row >= 0 || col >= 0 ? { row: detail.row, col } : null;
  if (view.hover && detail.row >= 0) revealMatrixCell(view, detail.row, view.part.col);
  paintMatrix(view);
}

function pressMatrixKey(view, event) {
  const { model } = view;
  const at = view.hover && view.hover.row >= 0 && view.hover.col >= 0 ? view.hover : view.selected ?? { row: 0, col: 0 };
  const step = MATRIX_ARROWS[event.key];
  if (step) {
    event.preventDefault();
    event.stopPropagation();
    const next = { row: clamp(at.row + step[0], 0, model.rows - 1), col: clamp(at.col + step[1], 0, model.cols - 1) };
    visitMatrixCell(view, view.hover ? next : at);
  } else if (event.key === "Enter" || event.key === " ") {
    event.preventDefault();
    chooseMatrixCell(view, at);
  } else if (event.key === "Escape") hoverMatrix(view, null);
  else if (event.key === "+" || event.key === "=") zoomMatrix(view, 1.6);
  else if (event.key === "-") zoomMatrix(view, 1 / 1.6);
}

function visitMatrixCell(view, cell) {
  revealMatrixCell(view, cell.row, cell.col);
  const [x, y] = matrixCorner(view.geometry, view.part, cell.row, cell.col);
  hoverMatrix(view, cell, x + view.geometry.cw / 2, y + view.geometry.ch / 2);
  view.live.textContent = view.tip.textContent;
  fillMatrixTable(view.table, view.model, cell.row);
}

/** Zoom by a factor around what is pointed at or chosen; 0 shows the whole matrix again. */
function zoomMatrix(view, factor) {
  const { model, part } = view;
  const centre = view.hover ?? view.selected ?? { row: part.row + part.rows / 2, col: part.col + part.cols / 2 };
  const size = (now, all) => (factor ? clamp(Math.round(now / factor), Math.min(8, all), all) : all);
  const [rows, cols] = [size(part.rows, model.rows), size(part.cols, model.cols)];
  view.part = { ...part, rows, cols };
  moveMatrixPart(view, centre.row - rows / 2, centre.col - cols / 2, true);
}

function moveMatrixPart(view, row, col, always = false) {
  const { model, part } = view;
  const next = { ...part, row: clamp(Math.round(row), 0, model.rows - part.rows), col: clamp(Math.round(col), 0, model.cols - part.cols) };
  if (!always && next.row === part.row && next.col === part.col) return;
  view.part = next;
  layMatrixOut(view);
}

function revealMatrixCell(view, row, col) {
  const { part } = view;
  const inside = (at, from, size) => (at < from ? at : at >= from + size ? at - size + 1 : from);
  moveMatrixPart(view, inside(row, part.row, part.rows), inside(col, part.col, part.cols));
}
