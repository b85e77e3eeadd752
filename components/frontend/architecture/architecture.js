// The whole model as one drawing. Its places of attention are buttons; pointing at one lights what flows into it.
import { announce, listen } from "../lib/bus.js";
import { evenTint, readPalette } from "../lib/colour.js";
import { clamp, el, watchSize } from "../lib/dom.js";
import { sampleLegend, scaleLegend } from "../lib/legend.js";
import { hideTip } from "../lib/tip.js";
import { saveFile } from "../lib/file.js";
import { drawArchitecture } from "./draw.js";
import { archLayout } from "./layout.js";
import { archFile } from "./save.js";
import { archMarks, drawArchTokens } from "./tokens.js";

const archViews = new WeakMap();
const ARCH_TIP = { below: 28, above: 6 }; // pixels from the place
const ARCH_STEPS = { ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1 };

export default function architectureComponent({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".am-architecture");
  const view = archViews.get(parentElement) ?? newArchView(root);
  archViews.set(parentElement, view);
  view.stop?.();
  view.send = (place) => setTriggerValue("place", place);
  view.data = data;
  drawArchView(view);
  const stops = [
    watchSize(root, () => drawArchView(view)),
    listen(data.channel, "row", ({ row, col }) => markArchTokens(view, { ...view.marked, hover: row < 0 && col < 0 ? null : [row, col] })),
    listen(data.channel, "chosen", ({ row, col }) => markArchTokens(view, { ...view.marked, chosen: [row, col] })),
  ];
  view.stop = () => stops.forEach((stop) => stop());
  announce(data.channel, "hello", {});
  return () => view.stop();
}

function newArchView(root) {
  const part = (name) => root.querySelector(name);
  const view = { marked: { chosen: [-1, -1], hover: null }, root, svg: part("svg"), corner: part(".corner"), tip: part(".tip"), live: part(".live"), ctx: document.createElement("canvas").getContext("2d") };
  const { svg } = view;
  const over = (event) => event.target.closest?.("[data-place], [data-says]");
  svg.onpointermove = (event) => pointArchPlace(view, over(event));
  svg.onpointerleave = () => pointArchPlace(view, null);
  svg.onclick = (event) => openArchPlace(view, over(event)?.dataset.place);
  svg.onkeydown = (event) => pressArchKey(view, event);
  svg.addEventListener("focusin", (event) => lightArchPlace(view, event.target.dataset.place));
  svg.addEventListener("focusout", () => lightArchPlace(view, undefined));
  return view;
}

function drawArchView(view) {
  const { root, svg, data, ctx } = view;
  if (root.clientWidth < 40) return; // not laid out yet: the size observer calls again
  const focused = svg.getRootNode().activeElement?.closest?.("[data-place]")?.dataset.place;
  const palette = readPalette(root);
  ctx.fonts = { text: `12.5px ${palette.font}`, title: `600 13px ${palette.serif}`, small: `11.5px ${palette.font}` };
  const layout = archLayout(data, { width: root.clientWidth, height: data.height });
  for (const [name, value] of Object.entries({ width: layout.width, height: layout.height, role: "group", "aria-label": data.text.label })) svg.setAttribute(name, value);
  svg.replaceChildren(...drawArchitecture(layout, data, palette, ctx));
  view.tokens = layout.towers.flatMap((tower) => tower.boxes).filter((box) => box.kind === "tokens");
  markArchTokens(view, view.marked);
  fillArchCorner(view, layout, palette);
  for (const node of archPlaces(view)) node.classList.toggle("chosen", node.dataset.place === data.chosen);
  if (focused) archPlaces(view).find((node) => node.dataset.place === focused)?.focus({ preventScroll: true });
  root.dataset.places = archPlaces(view).length;
}

/** The query and the key that another picture points at or has chosen, in the rows of tokens. */
function markArchTokens(view, marked) {
  view.marked = marked;
  const [row, col] = marked.hover ?? marked.chosen;
  const marks = archMarks(view.data, row, col);
  for (const box of view.tokens ?? []) view.svg.querySelector(`g.tokens[data-row=${box.row}]`)?.replaceWith(drawArchTokens(view.ctx, box, marks[box.row]));
}

/** Name and facts of the model, and the key of the small pictures. */
function fillArchCorner({ corner, svg, ctx, data }, layout, palette) {
  const { x, w } = layout.corner;
  Object.assign(corner.style, { left: `${x}px`, width: `${w}px` });
  const [title, ...facts] = data.corner;
  const key = el("div", "key");
  const { keys } = data.pictures[data.chosen] ?? { keys: 10 };
  key.append(scaleLegend(palette, { kind: "weights", gamma: evenTint(keys) }));
  const masked = [data.encoder, data.decoder].some((tower) => tower.parts.some((part) => archIsMasked(data, part.name)));
  if (masked) key.append(sampleLegend(palette, "masked", data.text.hidden));
  const save = el("button", "save", data.text.save);
  save.onclick = () => saveFile(archFile(svg, palette, ctx, data.corner, layout.corner), "transformer.svg", "image/svg+xml");
  key.append(save);
  corner.replaceChildren(el("strong", "", title), ...facts.map((fact) => el("div", "", fact)), key);
}

const archIsMasked = (data, name) => name in data.pictures && data[`states${data.pictures[name].number}`].getChildAt(0).toArray().includes(1);

const archPlaces = (view) => [...view.svg.querySelectorAll("g.place")];

function pointArchPlace(view, node) {
  const place = node?.dataset.place;
  const says = place ? archPart(view, place)?.says : node?.dataset.says;
  if (says) showArchTip(view, says, place ? archPlaces(view).find((one) => one.dataset.place === place) : node);
  else hideTip(view.tip);
  lightArchPlace(view, place);
}

/** The sentence below the place and what flows into it, or above where there is no room. */
function showArchTip({ root, tip, svg }, says, node) {
  const box = node.querySelector("rect").getBBox();
  tip.textContent = says;
  tip.style.display = "block";
  const below = box.y + box.height + ARCH_TIP.below;
  const fits = below + tip.offsetHeight <= svg.clientHeight;
  tip.style.left = `${clamp(box.x + box.width / 2 - tip.offsetWidth / 2, 0, Math.max(0, root.clientWidth - tip.offsetWidth))}px`;
  tip.style.top = `${fits ? below : Math.max(0, box.y - tip.offsetHeight - ARCH_TIP.above)}px`;
}

/** Everything that belongs to a place is lit, the rest steps back. */
function lightArchPlace(view, place) {
  if (view.lit === place) return;
  view.lit = place;
  view.svg.classList.toggle("pointing", Boolean(place));
  for (const node of view.svg.querySelectorAll("[data-place]")) node.classList.toggle("lit", node.dataset.place === place);
  const part = place && archPart(view, place);
  view.live.textContent = part ? part.says : "";
}

const archPart = ({ data }, name) => [data.encoder, data.decoder].flatMap((tower) => tower.parts).find((part) => part.name === name);

function openArchPlace(view, place) {
  if (!place || place === view.data.chosen) return;
  view.data = { ...view.data, chosen: place };
  for (const node of archPlaces(view)) {
    node.classList.toggle("chosen", node.dataset.place === place);
    node.setAttribute("aria-pressed", String(node.dataset.place === place));
  }
  view.send(place);
}

/** Arrow keys walk through the places in the order in which they run, Enter and the space bar open one. */
function pressArchKey(view, event) {
  const places = archPlaces(view);
  const at = places.findIndex((node) => node.matches(":focus"));
  if (at < 0) return;
  const step = ARCH_STEPS[event.key];
  if (step) places[(at + step + places.length) % places.length].focus();
  else if (event.key === "Enter" || event.key === " ") openArchPlace(view, places[at].dataset.place);
  else return;
  event.preventDefault();
  event.stopPropagation();
}
