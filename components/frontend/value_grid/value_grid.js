// All heads as coloured cells, one number or one group each: layers × heads, folded as in the grid of pictures.
import { css, readPalette } from "../lib/colour.js";
import { clamp, column, el, sizeCanvas, watchSize } from "../lib/dom.js";
import { sampleLegend } from "../lib/legend.js";
import { hideTip, pointIn, showTip } from "../lib/tip.js";
import { headGridGeometry, headGridPick } from "../head_grid/geometry.js";
import { groupSample, noGroupFill, paintValueCell, valueScale } from "./paint.js";

const valueGridViews = new WeakMap();

export default function valueGridComponent({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".am-value-grid");
  let view = valueGridViews.get(parentElement);
  if (!view) {
    view = newValueGrid(root);
    valueGridViews.set(parentElement, view);
  }
  view.stop?.();
  view.send = (head) => setTriggerValue("head", head);
  const held = view.data?.groups.length === data.groups.length ? view.held : -1;
  Object.assign(view, { data: { ...data, values: column(data.v) }, palette: readPalette(root), selected: data.selected, group: held, held });
  view.canvas.setAttribute("aria-label", data.text.label);
  view.legend.replaceChildren(...valueGridLegend(view));
  layValueGridOut(view);
  view.stop = watchSize(root, () => layValueGridOut(view));
  return () => view.stop();
}

function newValueGrid(root) {
  const part = (name) => root.querySelector(name);
  const view = { root, canvas: part(".picture"), tip: part(".tip"), live: part(".live"), legend: part(".bar"), hover: -1, group: -1, held: -1 };
  const { canvas } = view;
  const under = (event) => headGridPick(view.geometry, view.data.names.length, ...pointIn(canvas, event));
  canvas.onpointermove = (event) => hoverValue(view, under(event), ...pointIn(canvas, event));
  canvas.onpointerleave = () => hoverValue(view, -1);
  canvas.onblur = () => hoverValue(view, -1);
  canvas.onclick = (event) => chooseValue(view, under(event));
  canvas.onkeydown = (event) => pressValueKey(view, event);
  return view;
}

function layValueGridOut(view) {
  const { root, data, canvas } = view;
  if (root.clientWidth < 40) return; // not laid out yet: the size observer calls again
  const room = { width: root.clientWidth - 4, height: data.height };
  view.geometry = headGridGeometry({ count: data.names.length, columns: data.columns }, room);
  view.ctx = sizeCanvas(canvas, root.clientWidth, view.geometry.height + 5);
  const { size, blocks, rows, pitch } = view.geometry;
  Object.assign(root.dataset, { size, blocks, rows, pitch });
  paintValueGrid(view);
}

function paintValueGrid(view) {
  const { ctx, data, geometry, palette } = view;
  ctx.clearRect(0, 0, view.root.clientWidth, geometry.height + 5);
  ctx.save();
  ctx.translate(2, 2);
  data.names.forEach((_, at) => paintValueCell(view, at));
  paintValueGridNames(view);
  frameValueCell(view, view.selected, palette.ink, 2.5);
  if (view.hover !== view.selected) frameValueCell(view, view.hover, palette.w, 2);
  ctx.restore();
  view.root.dataset.heads = data.names.length;
}

function frameValueCell({ ctx, geometry }, at, colour, width) {
  if (at < 0) return;
  const [x, y] = geometry.corner(at);
  ctx.strokeStyle = css(colour);
  ctx.lineWidth = width;
  ctx.strokeRect(x - 1.5, y - 1.5, geometry.size + 3, geometry.size + 3);
}

function paintValueGridNames({ ctx, data, geometry, palette }) {
  ctx.fillStyle = css(palette.mute);
  ctx.font = `12px ${palette.font}`;
  ctx.textBaseline = "middle";
  ctx.textAlign = "center";
  for (let block = 0; block < geometry.blocks; block++)
    data.column_names.forEach((name, head) => {
      const at = block * geometry.rows * data.columns + head;
      if (at < data.names.length) ctx.fillText(name, geometry.corner(at)[0] + geometry.size / 2, geometry.corner(at)[1] - 9.5);
    });
  ctx.textAlign = "right";
  data.row_names.forEach((name, row) => {
    const [x, y] = geometry.corner(row * data.columns);
    ctx.fillText(name, x - 6, y + geometry.size / 2);
  });
}

function valueGridLegend(view) {
  const { data, palette } = view;
  if (data.groups.length) {
    const there = data.groups.flatMap((group, index) => (data.members.includes(index) ? [groupButton(view, group, index)] : []));
    const others = data.names.filter((name, at) => name && data.members[at] < 0).length;
    return others ? [...there, sampleLegend(palette, noGroupFill(palette), `${data.text.none} ${others}`)] : there;
  }
  const scale = el("span", "scale");
  scale.append(el("span", "", data.text.low), valueScale(palette, data.even), el("span", "", data.text.high));
  const parts = [scale];
  if (data.text.even) parts.push(el("span", "sample", `▴ ${data.text.even}`));
  if (data.values.some((value, at) => data.names[at] && !Number.isFinite(value))) parts.push(sampleLegend(palette, "masked", data.text.unmeasured));
  return parts;
}

/** Pointing at a group's name shows its heads alone; a click keeps them so. */
function groupButton(view, group, index) {
  const { data, palette } = view;
  const button = el("button");
  button.type = "button";
  button.setAttribute("aria-pressed", String(view.held === index));
  const count = data.members.filter((member) => member === index).length;
  button.append(groupSample(palette, group), el("span", "", group.name), el("span", "", count));
  const show = (found) => {
    view.group = found;
    paintValueGrid(view);
  };
  button.onpointerenter = button.onfocus = () => show(index);
  button.onpointerleave = button.onblur = () => show(view.held);
  button.onclick = () => {
    view.held = view.held === index ? -1 : index;
    for (const other of view.legend.querySelectorAll("button")) other.setAttribute("aria-pressed", String(other === button && view.held === index));
    show(view.held);
  };
  return button;
}

function hoverValue(view, found, x, y) {
  const at = view.data.names[found] ? found : -1;
  if (at < 0) hideTip(view.tip);
  else showTip(view.root, view.tip, [view.data.names[at], view.data.tips[at]], x, y);
  if (at === view.hover) return;
  view.hover = at;
  paintValueGrid(view);
}

function chooseValue(view, at) {
  if (at < 0 || at === view.selected || !view.data.names[at]) return;
  view.selected = at;
  paintValueGrid(view);
  view.send(at);
}

function pressValueKey(view, event) {
  const { columns, size, corner } = { ...view.geometry, columns: view.data.columns };
  const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns }[event.key];
  if (step) {
    event.preventDefault();
    event.stopPropagation();
    const next = clamp((view.hover >= 0 ? view.hover : view.selected) + step, 0, view.data.names.length - 1);
    const [x, y] = corner(next);
    hoverValue(view, next, x + size / 2, y + size / 2);
    view.live.textContent = view.tip.textContent;
  } else if (event.key === "Enter" || event.key === " ") {
    event.preventDefault();
    chooseValue(view, view.hover);
  } else if (event.key === "Escape") hoverValue(view, -1);
}
