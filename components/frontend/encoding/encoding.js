// A positional encoding: heatmap above, the chosen dimensions as waves below, positions running to the right in both.
import { drawCrisp, matrixImage } from "../lib/cells.js";
import { blend, css, readPalette } from "../lib/colour.js";
import { clamp, column, el, sizeCanvas, watchSize } from "../lib/dom.js";
import { scaleLegend } from "../lib/legend.js";
import { num } from "../lib/numbers.js";
import { hideTip, pointIn, showTip } from "../lib/tip.js";
import { paintEncodingWaves } from "./waves.js";

const encodingViews = new WeakMap();
const ENCODING_ROOM = { left: 46, right: 10, top: 6, axis: 34 };
const ENCODING_ARROWS = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] };

export default function encodingComponent({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".am-encoding");
  const view = encodingViews.get(parentElement) ?? newEncodingView(root);
  encodingViews.set(parentElement, view);
  view.stop?.();
  Object.assign(view, encodingModel(data, root), { send: (dimension) => setTriggerValue("dimension", dimension) });
  view.canvas.setAttribute("aria-label", data.text.label);
  layEncodingOut(view);
  fillEncodingTable(view);
  view.stop = watchSize(root, () => layEncodingOut(view));
  return () => view.stop();
}

function encodingModel(data, root) {
  const [positionStep, dimensionStep] = data.steps;
  const rows = Math.ceil(data.dimensions / dimensionStep);
  const values = column(data.v);
  return {
    data,
    palette: readPalette(root),
    rows,
    cols: Math.ceil(data.length / positionStep),
    positionStep,
    dimensionStep,
    scale: { kind: "signed", max: data.limit },
    read: (row, col) => values[col * rows + row],
    waves: data.waves.map((dimension, n) => ({ dimension, values: column(data[`wave${n}`]) })),
    image: null,
  };
}

function newEncodingView(root) {
  const part = (name) => root.querySelector(name);
  const view = { root, canvas: part("canvas"), tip: part(".tip"), live: part(".live"), bar: part(".bar"), table: part("table"), at: null };
  const { canvas } = view;
  canvas.onpointermove = (event) => pointAtEncoding(view, ...pointIn(canvas, event));
  canvas.onpointerleave = () => lookAtEncoding(view, null);
  canvas.onblur = () => lookAtEncoding(view, null);
  canvas.onclick = (event) => {
    pointAtEncoding(view, ...pointIn(canvas, event));
    chooseEncodingDimension(view);
  };
  canvas.onkeydown = (event) => pressEncodingKey(view, event);
  return view;
}

function layEncodingOut(view) {
  const width = view.root.clientWidth;
  if (width < 40) return; // not laid out yet: the size observer calls again
  const { left, right, top, axis } = ENCODING_ROOM;
  const inner = view.data.height - top - axis - 14;
  const tall = Math.round(inner * 0.6);
  view.place = { left, top, width: width - left - right, tall, waves: top + tall + 14, waveTall: inner - tall };
  view.ctx = sizeCanvas(view.canvas, width, view.data.height);
  view.bar.replaceChildren(scaleLegend(view.palette, view.scale), el("span", "", view.data.text.hint));
  paintEncoding(view);
}

function paintEncoding(view) {
  const { ctx, place, palette, rows, cols } = view;
  ctx.clearRect(0, 0, view.root.clientWidth, view.data.height);
  view.image ??= matrixImage(rows, cols, view.read, () => 0, palette, view.scale);
  drawCrisp(ctx, view.image, place.left, place.top, place.width, place.tall);
  ctx.strokeStyle = css(palette.hair);
  ctx.strokeRect(place.left - 0.5, place.top - 0.5, place.width + 1, place.tall + 1);
  paintEncodingChosen(view);
  paintEncodingWaves(view);
  paintEncodingAxes(view);
  if (view.at) paintEncodingCross(view);
}

const encodingX = (view, position) => view.place.left + ((position + 0.5) / view.data.length) * view.place.width;
const encodingRowTall = (view) => (view.place.tall * view.dimensionStep) / view.data.dimensions;
const encodingY = (view, dimension) => view.place.top + (dimension / view.data.dimensions) * view.place.tall;

/** The rows whose waves are drawn have a frame, with their number on the left. */
function paintEncodingChosen(view) {
  const { ctx, place, palette } = view;
  const first = Math.min(...view.data.waves);
  ctx.strokeStyle = css(palette.ink);
  ctx.lineWidth = 1.3;
  const tall = Math.max(2, encodingRowTall(view) * view.data.waves.length);
  ctx.strokeRect(place.left - 1, encodingY(view, first) - 0.5, place.width + 2, tall + 1);
  ctx.lineWidth = 1;
}

function paintEncodingAxes(view) {
  const { ctx, place, palette, data } = view;
  ctx.font = `12px ${palette.font}`;
  ctx.fillStyle = css(palette.mute);
  ctx.textAlign = "right";
  ctx.textBaseline = "middle";
  for (const dimension of encodingTicks(data.dimensions, place.tall / 26)) {
    ctx.fillText(String(dimension), place.left - 7, encodingY(view, dimension) + encodingRowTall(view) / 2);
  }
  ctx.save();
  ctx.translate(9, place.top + place.tall / 2);
  ctx.rotate(-Math.PI / 2);
  ctx.textAlign = "center";
  ctx.fillText(data.text.dimension, 0, 0);
  ctx.restore();
  const bottom = place.waves + place.waveTall;
  ctx.textAlign = "center";
  for (const position of encodingTicks(data.length, place.width / 56)) ctx.fillText(String(position), encodingX(view, position), bottom + 10);
  ctx.fillText(data.text.position, place.left + place.width / 2, bottom + 25);
  if (data.marked > 0 && data.marked < data.length) paintEncodingMark(view, bottom);
}

/** The positions that the user's sentence takes. */
function paintEncodingMark(view, bottom) {
  const { ctx, place, palette, data } = view;
  ctx.fillStyle = css(palette.w);
  ctx.fillRect(place.left, bottom + 1, Math.max(2, (data.marked / data.length) * place.width), 2.5);
}

function encodingTicks(count, most) {
  const step = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000].find((size) => count / size <= Math.max(2, most)) ?? 2000;
  return Array.from({ length: Math.ceil(count / step) }, (_, n) => n * step);
}

function paintEncodingCross(view) {
  const { ctx, place, palette, at } = view;
  ctx.strokeStyle = css(blend(palette.paper, palette.ink, 0.75));
  ctx.setLineDash([3, 3]);
  ctx.beginPath();
  const x = encodingX(view, at.position);
  const y = encodingY(view, at.dimension) + encodingRowTall(view) / 2;
  ctx.moveTo(x, place.top);
  ctx.lineTo(x, place.waves + place.waveTall);
  ctx.moveTo(place.left, y);
  ctx.lineTo(place.left + place.width, y);
  ctx.stroke();
  ctx.setLineDash([]);
}

function pointAtEncoding(view, x, y) {
  const { place, data } = view;
  const share = (x - place.left) / place.width;
  if (share < 0 || share >= 1 || y < place.top || y > place.waves + place.waveTall) return lookAtEncoding(view, null);
  const inside = y < place.top + place.tall;
  const dimension = inside ? Math.floor(((y - place.top) / place.tall) * data.dimensions) : (view.at?.dimension ?? data.waves[0]);
  return lookAtEncoding(view, { position: Math.floor(share * data.length), dimension }, x, y);
}

function lookAtEncoding(view, at, x = undefined, y = undefined) {
  view.at = at && encodingCell(view, at);
  paintEncoding(view);
  if (!view.at) return hideTip(view.tip);
  const text = encodingSentence(view);
  view.live.textContent = text;
  return showTip(view.root, view.tip, [text], x ?? encodingX(view, view.at.position), y ?? encodingY(view, view.at.dimension));
}

/** The drawn cell at or before this one. */
const encodingCell = ({ positionStep, dimensionStep, data }, { position, dimension }) => ({
  position: Math.floor(clamp(position, 0, data.length - 1) / positionStep) * positionStep,
  dimension: Math.floor(clamp(dimension, 0, data.dimensions - 1) / dimensionStep) * dimensionStep,
});

function encodingSentence({ at, data, read, positionStep, dimensionStep }) {
  const value = num(read(at.dimension / dimensionStep, at.position / positionStep), 4);
  return data.text.tip.replace(/\{(position|dimension|value)\}/g, (_, name) => ({ ...at, value })[name]);
}

function chooseEncodingDimension(view) {
  if (view.at && !view.data.waves.includes(view.at.dimension)) view.send(view.at.dimension);
}

function pressEncodingKey(view, event) {
  const step = ENCODING_ARROWS[event.key];
  if (event.key === "Enter" || event.key === " ") chooseEncodingDimension(view);
  else if (step) {
    const from = view.at ?? { position: 0, dimension: view.data.waves[0] };
    const times = event.shiftKey ? 10 : 1;
    const move = view.at ? { position: from.position + step[0] * view.positionStep * times, dimension: from.dimension + step[1] * view.dimensionStep * times } : from;
    lookAtEncoding(view, move);
  } else return;
  event.preventDefault();
}

/** The chosen dimensions as numbers, for readers who hear the page. */
function fillEncodingTable(view) {
  const head = el("tr");
  head.append(el("th", "", view.data.text.position), ...view.data.waves.map((d) => el("th", "", `${view.data.text.dimension} ${d}`)));
  const rows = Array.from({ length: Math.min(64, view.data.length) }, (_, position) => {
    const row = el("tr");
    row.append(el("th", "", position), ...view.waves.map((wave) => el("td", "", num(wave.values[position], 3))));
    return row;
  });
  view.table.replaceChildren(head, ...rows);
}
