// All heads at once: a small picture of each head's weights, one colour scale for all.
import { announce, listen } from "../lib/bus.js";
import { STATE, drawCrisp } from "../lib/cells.js";
import { cellFill, css, evenTint, parseColour, readPalette } from "../lib/colour.js";
import { clamp, column, el, sizeCanvas, watchSize } from "../lib/dom.js";
import { hatchHiddenRuns } from "../lib/hidden.js";
import { clipLabel, distinctLabels, labelWidth } from "../lib/labels.js";
import { sampleLegend, scaleLegend } from "../lib/legend.js";
import { num } from "../lib/numbers.js";
import { hideTip, pointIn, showTip } from "../lib/tip.js";
import { headGridGeometry, headGridPick } from "./geometry.js";

const headGridViews = new WeakMap();
// codes of a cell, as components/head_grid.py writes them; from low to high they are w^γ
const HEAD_GRID_CODE = { masked: 0, padding: 1, zero: 2, low: 3, high: 254, nan: 255 };
const HEAD_GRID_STATE = { [HEAD_GRID_CODE.masked]: STATE.masked, [HEAD_GRID_CODE.padding]: STATE.padded };

export default function headGridComponent({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".am-head-grid");
  let view = headGridViews.get(parentElement);
  if (!view) {
    view = newHeadGrid(root);
    headGridViews.set(parentElement, view);
  }
  view.stop?.();
  view.send = (head) => setTriggerValue("head", head);
  Object.assign(view, { data, palette: readPalette(root), selected: data.selected ?? view.selected });
  view.scale = { kind: "weights", gamma: evenTint(data.keys) };
  view.titles = { row: distinctLabels(data.row_tokens), col: distinctLabels(data.col_tokens) };
  view.pictures = headGridPictures(view);
  view.canvas.setAttribute("aria-label", data.text.label);
  view.legend.replaceChildren(...headGridLegend(view));
  layHeadGridOut(view);
  const stops = [
    watchSize(root, () => layHeadGridOut(view)),
    listen(data.channel, "chosen", ({ head }) => followChosenHead(view, head)),
  ];
  view.stop = () => stops.forEach((stop) => stop());
  announce(data.channel, "hello", {});
  return () => view.stop();
}

function newHeadGrid(root) {
  const part = (name) => root.querySelector(name);
  const view = { root, canvas: part(".picture"), tip: part(".tip"), live: part(".live"), legend: part(".bar"), hover: -1, selected: -1 };
  const { canvas } = view;
  const under = (event) => headGridPick(view.geometry, view.data.names.length, ...pointIn(canvas, event));
  canvas.onpointermove = (event) => hoverHead(view, under(event), ...pointIn(canvas, event));
  canvas.onpointerleave = () => hoverHead(view, -1);
  canvas.onblur = () => hoverHead(view, -1);
  canvas.onclick = (event) => chooseHead(view, under(event));
  canvas.onkeydown = (event) => pressHeadGridKey(view, event);
  return view;
}

/** One small bitmap per head, a pixel per cell (or per block of cells). */
function headGridPictures({ data, palette, scale }) {
  const codes = column(data.v);
  const size = data.rows * data.cols;
  const fills = Array.from({ length: 256 }, (_, code) => headGridFill(code, palette, scale));
  return data.names.map((_, head) => {
    const image = new ImageData(data.cols, data.rows);
    for (let at = 0; at < size; at++) image.data.set([...fills[codes[head * size + at]], 255], 4 * at);
    const bitmap = new OffscreenCanvas(data.cols, data.rows);
    bitmap.getContext("2d").putImageData(image, 0, 0);
    return bitmap;
  });
}

function headGridFill(code, palette, scale) {
  if (code === HEAD_GRID_CODE.nan) return [214, 31, 31];
  if (code <= HEAD_GRID_CODE.zero) return palette.paper;
  const share = (code - HEAD_GRID_CODE.low) / (HEAD_GRID_CODE.high - HEAD_GRID_CODE.low);
  return cellFill(palette, share ** (1 / scale.gamma), scale);
}

function layHeadGridOut(view) {
  const { root, data, canvas } = view;
  if (root.clientWidth < 40) return; // not laid out yet: the size observer calls again
  view.geometry = headGridGeometry({ count: data.names.length, columns: data.columns }, { width: root.clientWidth - 4, height: data.height });
  view.ctx = sizeCanvas(canvas, root.clientWidth, view.geometry.height + 5);
  Object.assign(root.dataset, { size: view.geometry.size, columns: view.geometry.columns });
  paintHeadGrid(view);
}

function paintHeadGrid(view) {
  const { ctx, data, geometry, palette } = view;
  ctx.setTransform(ctx.getTransform().a, 0, 0, ctx.getTransform().d, 0, 0);
  ctx.clearRect(0, 0, view.root.clientWidth, geometry.height + 5);
  ctx.save();
  ctx.translate(2, 2);
  view.pictures.forEach((bitmap, head) => paintHeadPicture(view, bitmap, head));
  paintHeadGridNames(view);
  const box = (head, colour, width) => {
    if (head < 0) return;
    const [x, y] = geometry.corner(head);
    ctx.strokeStyle = css(colour);
    ctx.lineWidth = width;
    ctx.strokeRect(x - 1.5, y - 1.5, geometry.size + 3, geometry.size + 3);
  };
  box(view.selected, palette.ink, 2.5);
  box(view.hover === view.selected ? -1 : view.hover, palette.w, 2);
  ctx.restore();
  view.root.dataset.heads = data.names.length;
}

function paintHeadPicture({ ctx, data, geometry, palette }, bitmap, head) {
  const [x, y] = geometry.corner(head);
  const { size } = geometry;
  if (!data.names[head]) return; // layers need not have equally many heads
  ctx.globalAlpha = data.shades ? 0.18 + 0.82 * data.shades[head] : 1;
  drawCrisp(ctx, bitmap, x, y, size, size);
  const codes = column(data.v);
  const area = { rows: data.rows, cols: data.cols, x, y, cw: size / data.cols, ch: size / data.rows };
  const code = (row, col) => codes[(head * data.rows + row) * data.cols + col];
  hatchHiddenRuns(ctx, palette, area, (row, col) => HEAD_GRID_STATE[code(row, col)] ?? STATE.number);
  ctx.globalAlpha = 1;
  ctx.strokeStyle = css(palette.hair);
  ctx.lineWidth = 1;
  ctx.strokeRect(x - 0.5, y - 0.5, size + 1, size + 1);
}

function paintHeadGridNames({ ctx, data, geometry, palette, selected, hover }) {
  const colours = data.head_colours[palette.dark ? "dark" : "light"];
  ctx.textBaseline = "middle";
  const dot = geometry.fixed ? 0 : 12;
  const room = geometry.size - dot;
  const labels = geometry.fixed ? data.column_names : data.names;
  ctx.font = `600 12px ${palette.font}`;
  const short = labels.some((label) => labelWidth(ctx, label) > room);
  const shown = geometry.fixed ? columnHeads(geometry, labels, data.names.length) : labels.map((label, head) => [label, head]);
  shown.forEach(([label, head]) => {
    const [x, y] = geometry.corner(head);
    const on = !geometry.fixed && (head === selected || head === hover);
    ctx.font = `${on ? 600 : 400} 12px ${palette.font}`;
    ctx.textAlign = "left";
    if (dot) {
      ctx.fillStyle = css(parseColour(colours[head % colours.length]));
      ctx.beginPath();
      ctx.arc(x + 4, y - 10, 4, 0, 2 * Math.PI);
      ctx.fill();
    }
    ctx.fillStyle = css(on ? palette.ink : palette.mute);
    ctx.fillText(clipLabel(ctx, short ? label.split(" ").at(-1) : label, room), x + dot, y - 9.5);
  });
  ctx.textAlign = "right";
  ctx.fillStyle = css(palette.mute);
  (data.row_names ?? []).forEach((name, row) => {
    const [x, y] = geometry.corner(row * data.columns);
    ctx.fillText(name, x - 6, y + geometry.size / 2);
  });
}

/** The names of the columns with the heads they stand above: again over every block that the layers fold into. */
function columnHeads(geometry, labels, count) {
  const tops = Array.from({ length: geometry.blocks }, (_, block) => block * geometry.rows * geometry.columns);
  return tops.flatMap((top) => labels.map((label, at) => [label, top + at])).filter(([, head]) => head < count);
}

function headGridLegend({ data, palette, scale }) {
  const even = cellFill(palette, 1 / data.keys, scale);
  const shared = data.names.length > 1 ? [el("span", "", data.text.one_scale)] : [];
  const parts = [scaleLegend(palette, scale), ...shared, sampleLegend(palette, even, data.text.even)];
  const codes = column(data.v);
  for (const look of ["masked", "padding", "nan"])
    if (codes.includes(HEAD_GRID_CODE[look])) parts.push(sampleLegend(palette, look, data.text[look]));
  if (data.text.pooled) parts.push(el("span", "", data.text.pooled));
  return parts;
}

const headGridLine = ({ data, titles }, head) => {
  const link = data.strongest[head];
  if (link) return `${titles.row[link[0]]} → ${titles.col[link[1]]}   ${num(link[2], 3)}`;
  const size = data.rows * data.cols;
  const broken = column(data.v).subarray(head * size, (head + 1) * size).includes(HEAD_GRID_CODE.nan);
  return broken ? data.text.nan : data.text.nothing;
};

function hoverHead(view, found, x, y) {
  const head = view.data.names[found] ? found : -1;
  if (head < 0) hideTip(view.tip);
  else showTip(view.root, view.tip, [view.data.names[head], `${view.data.text.strongest} ${headGridLine(view, head)}`], x, y);
  if (head === view.hover) return;
  view.hover = head;
  paintHeadGrid(view);
  announce(view.data.channel, "head", { head });
}

/** Without a selection of its own the grid marks the head that a matrix on the same channel shows. */
function followChosenHead(view, head) {
  if (view.data.selected !== null || head === view.selected) return;
  view.selected = head;
  if (view.geometry) paintHeadGrid(view);
}

function chooseHead(view, head) {
  if (head < 0 || head === view.selected || !view.data.names[head]) return;
  view.selected = head;
  paintHeadGrid(view);
  view.send(head);
}

function pressHeadGridKey(view, event) {
  const { columns, size, corner } = view.geometry;
  const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns }[event.key];
  if (step) {
    event.preventDefault();
    event.stopPropagation();
    const from = view.hover >= 0 ? view.hover : view.selected;
    const next = clamp(from + step, 0, view.data.names.length - 1);
    const [x, y] = corner(next);
    hoverHead(view, next, x + size / 2, y + size / 2);
    view.live.textContent = view.tip.textContent;
  } else if (event.key === "Enter" || event.key === " ") {
    event.preventDefault();
    chooseHead(view, view.hover);
  } else if (event.key === "Escape") hoverHead(view, -1);
}
