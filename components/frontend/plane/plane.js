// Arrows in one or more planes. Handles are dragged with the pointer or the arrow keys; the numbers follow at once.
import { readPalette } from "../lib/colour.js";
import { clamp, el, sizeCanvas, watchSize } from "../lib/dom.js";
import { num } from "../lib/numbers.js";
import { Rest } from "../lib/rest.js";
import { pointIn } from "../lib/tip.js";
import { paintPlanePanel, planePoint } from "./paint.js";

const planeViews = new WeakMap();
const PLANE_ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
const PLANE_REST = 350; // milliseconds after the last key until the server hears of it
const PLANE_GRIP = 26; // pixels around a handle's tip

export default function planeComponent({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".am-plane");
  const view = planeViews.get(parentElement) ?? newPlaneView(root);
  planeViews.set(parentElement, view);
  view.stop?.();
  view.send = (arrow) => setTriggerValue("drag", { name: arrow.drag, x: arrow.x, y: arrow.y });
  updatePlane(view, data);
  view.stop = watchSize(root, () => layPlaneOut(view));
  return () => {
    view.stop();
    view.resting.stop();
    planeViews.delete(parentElement);
  };
}

function newPlaneView(root) {
  const part = (name) => root.querySelector(name);
  const view = { root, canvas: part("canvas"), readout: part(".readout"), hint: part(".hint"), live: part(".live"), active: 0, held: null, resting: new Rest(root, PLANE_REST) };
  const { canvas } = view;
  canvas.onpointerdown = (event) => grabPlaneHandle(view, event);
  canvas.onpointermove = (event) => dragPlaneHandle(view, event);
  canvas.onpointerup = canvas.onpointercancel = () => dropPlaneHandle(view);
  canvas.onkeydown = (event) => pressPlaneKey(view, event);
  canvas.onfocus = canvas.onblur = () => layPlaneOut(view);
  return view;
}

function updatePlane(view, data) {
  view.data = data;
  view.palette = readPalette(view.root);
  if (!view.held && !view.resting.pending) view.panels = data.panels.map((panel) => ({ ...panel, arrows: panel.arrows.map((arrow) => ({ ...arrow })) }));
  view.handles = view.panels.flatMap((panel) => panel.arrows.filter((arrow) => arrow.drag).map((arrow) => ({ panel, arrow })));
  view.canvas.classList.toggle("grabs", view.handles.length > 0);
  view.canvas.setAttribute("aria-label", data.text.label);
  view.hint.textContent = view.handles.length ? data.text.hint : "";
  layPlaneOut(view);
}

/** Panels stand in as many rows as make them largest. */
function layPlaneOut(view) {
  const width = view.root.clientWidth;
  if (width < 40) return; // not laid out yet: the size observer calls again
  const { height } = view.data;
  const count = Math.max(1, view.panels.length);
  const side = (columns) => Math.min(width / columns, height / Math.ceil(count / columns));
  let columns = 1;
  for (let tried = 2; tried <= count; tried++) if (side(tried) > side(columns)) columns = tried;
  const rows = Math.ceil(count / columns);
  const flat = Math.max(...view.panels.map((panel) => panel.tall / panel.reach));
  const tall = Math.min(height / rows, Math.max(150, (width / columns) * 1.05 * flat));
  view.ctx = sizeCanvas(view.canvas, width, tall * rows);
  view.panels.forEach((panel, n) => {
    const wide = width / columns;
    Object.assign(panel, { left: (n % columns) * wide, top: Math.floor(n / columns) * tall, width: wide, height: tall });
  });
  paintPlane(view);
}

function paintPlane(view) {
  view.ctx.clearRect(0, 0, view.canvas.clientWidth, view.canvas.clientHeight);
  const focused = view.root.getRootNode().activeElement === view.canvas;
  view.panels.forEach((panel) => paintPlanePanel(view.ctx, view.palette, panel, focused ? view.handles[view.active]?.arrow : null));
  if (view.data.readout) writePlaneReadout(view);
}

/** |q| × |k| × cos θ = q·k, each factor in its hue. */
function writePlaneReadout(view) {
  const [q, k] = view.panels[0].arrows.filter((arrow) => !arrow.faint);
  const [long, wide] = [Math.hypot(q.x, q.y), Math.hypot(k.x, k.y)];
  const dot = q.x * k.x + q.y * k.y;
  const cos = long && wide ? clamp(dot / (long * wide), -1, 1) : NaN;
  const item = (name, value, hue) => {
    const node = el("span", hue);
    node.append(el("i", "", `${name} `), el("b", "", num(value)));
    return node;
  };
  const sign = (text) => el("span", "op", text);
  view.readout.replaceChildren(item("|q|", long, "q"), sign("×"), item("|k|", wide, "k"), sign("×"), item("cos θ", cos, "x"), sign("="), item("q·k", dot, "w"), sign(`θ = ${num((Math.acos(cos) * 180) / Math.PI, 0)}°`));
}

function grabPlaneHandle(view, event) {
  const [x, y] = pointIn(view.canvas, event);
  const near = view.handles.map(({ panel, arrow }, index) => {
    const [ax, ay] = planePoint(panel, arrow.x, arrow.y);
    return { index, far: Math.hypot(ax - x, ay - y) };
  });
  const nearest = near.sort((a, b) => a.far - b.far)[0];
  if (!nearest || nearest.far > PLANE_GRIP) return;
  view.active = nearest.index;
  view.held = view.handles[nearest.index];
  view.canvas.setPointerCapture(event.pointerId);
  view.canvas.classList.add("grabbing");
}

function dragPlaneHandle(view, event) {
  if (!view.held) return;
  const [x, y] = pointIn(view.canvas, event);
  const { panel, arrow } = view.held;
  const [cx, cy] = planePoint(panel, 0, 0);
  const unit = planePoint(panel, 1, 0)[0] - cx;
  movePlaneArrow(panel, arrow, (x - cx) / unit, (cy - y) / unit);
  paintPlane(view);
}

function dropPlaneHandle(view) {
  if (!view.held) return;
  const { arrow } = view.held;
  view.held = null;
  view.canvas.classList.remove("grabbing");
  announcePlaneArrow(view, arrow);
  view.send(arrow);
}

/** To two decimals, and inside the plane: what is read off is what is computed with. */
function movePlaneArrow(panel, arrow, x, y) {
  const rounded = (value, most) => Math.round(clamp(value, -most, most) * 100) / 100 + 0;
  arrow.x = rounded(x, panel.reach);
  arrow.y = rounded(y, panel.tall);
}

function announcePlaneArrow(view, arrow) {
  const values = { name: arrow.label, x: num(arrow.x), y: num(arrow.y) };
  view.live.textContent = view.data.text.moved.replace(/\{(name|x|y)\}/g, (_, name) => values[name]);
}

function pressPlaneKey(view, event) {
  const step = PLANE_ARROWS[event.key];
  if (!view.handles.length || (!step && event.key !== " " && event.key !== "Enter")) return;
  event.preventDefault();
  if (step) {
    const { panel, arrow } = view.handles[view.active];
    const size = event.shiftKey ? 0.5 : 0.1;
    movePlaneArrow(panel, arrow, arrow.x + step[0] * size, arrow.y + step[1] * size);
    view.resting.later(() => view.send(arrow));
  } else view.active = (view.active + 1) % view.handles.length;
  announcePlaneArrow(view, view.handles[view.active].arrow);
  paintPlane(view);
}
