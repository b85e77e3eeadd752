// Two columns of tokens, lines weighted by attention, a colour per head.
import { announce, listen } from "../lib/bus.js";
import { readPalette } from "../lib/colour.js";
import { clamp, sizeCanvas, watchSize } from "../lib/dom.js";
import { distinctLabels } from "../lib/labels.js";
import { pointIn } from "../lib/tip.js";
import { linksGeometry, linksPick } from "./geometry.js";
import { linksModel } from "./model.js";
import { paintLinks } from "./paint.js";
import { fillLinkReadout, fillLinkSwitches } from "./readout.js";

const linkViews = new WeakMap();

export default function tokenLinksComponent({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".am-token-links");
  let view = linkViews.get(parentElement);
  if (!view) {
    view = newLinks(root);
    linkViews.set(parentElement, view);
  }
  view.stop?.();
  view.send = (token) => setTriggerValue("token", { side: token.side, index: token.index });
  updateLinks(view, data);
  const stops = [
    watchSize(root, () => layLinksOut(view)),
    listen(data.channel, "row", (detail) => followLinksRow(view, detail)),
    listen(data.channel, "head", ({ head }) => isolateLinks(view, head)),
    listen(data.channel, "pitch", (detail) => alignLinks(view, detail)),
    listen(data.channel, "chosen", (detail) => followChosenLinks(view, detail)),
  ];
  announce(data.channel, "hello", {});
  view.stop = () => stops.forEach((stop) => stop());
  return () => view.stop();
}

function newLinks(root) {
  const part = (name) => root.querySelector(name);
  const view = { root, canvas: part("canvas"), list: part(".scroll"), pad: part(".pad"), switches: part(".switches"), readout: part(".readout"), sides: part(".sides"), live: part(".live") };
  Object.assign(view, { hover: null, isolated: -1, on: null, pinned: null, beside: null });
  const { canvas, list } = view;
  canvas.onpointermove = (event) => hoverLinks(view, linksPick(view.geometry, view.data, ...pointIn(canvas, event), view.scroll));
  canvas.onpointerleave = () => hoverLinks(view, null);
  canvas.onblur = () => hoverLinks(view, null);
  canvas.onclick = () => pinLinksToken(view, view.hover);
  canvas.onkeydown = (event) => pressLinksKey(view, event);
  list.onscroll = () => {
    view.scroll = list.scrollTop;
    paintLinks(view);
  };
  return view;
}

function updateLinks(view, data) {
  const before = view.data;
  view.data = data;
  view.heads = data.colours; // which colour of the palette each head has
  view.palette = readPalette(view.root);
  view.model = linksModel(data);
  view.titles = { query: distinctLabels(data.queries), key: distinctLabels(data.keys) };
  if (before?.heads !== data.heads || before.only_active !== data.only_active) view.on = null;
  chooseLinks(view, data.active ?? view.active ?? 0, data.pinned ?? view.pinned?.index ?? -1);
  view.hover = null;
  view.scroll = view.list.scrollTop;
  view.canvas.setAttribute("aria-label", data.text.label);
  view.sides.children[0].textContent = data.text.queries;
  view.sides.children[1].textContent = data.text.keys;
  showLinks(view);
  layLinksOut(view);
}

/** The chosen head and the query that is shown while nothing is pointed at. */
function chooseLinks(view, active, pinned) {
  const { heads, only_active: alone, queries } = view.data;
  const everyHead = Array.from({ length: heads }, (_, head) => head);
  const followed = view.on?.size === 1 && view.on.has(view.active); // the only one on is the chosen one: it goes along
  if (!view.on) view.on = new Set(alone ? [active] : everyHead);
  else if (followed && heads > 1) view.on = new Set([active]);
  view.active = active;
  view.pinned = pinned >= 0 && pinned < queries.length ? { side: "query", index: pinned } : null;
}

/** Without a choice of its own the picture goes along with a matrix on the same channel. */
function followChosenLinks(view, { head, row }) {
  const { active, pinned } = view.data;
  const next = [active ?? head, pinned ?? row];
  if (next[0] === view.active && next[1] === (view.pinned?.index ?? -1)) return;
  chooseLinks(view, ...next);
  showLinks(view);
  if (!view.ctx) return;
  if (view.pinned) revealLinksToken(view, view.pinned.index);
  paintLinks(view);
}

/** Heads and token in force: what is pointed at wins over what is switched on and pinned. */
function showLinks(view) {
  const known = view.isolated >= 0 && view.isolated < view.data.heads;
  view.shown = known ? [view.isolated] : [...view.on].sort((a, b) => a - b);
  view.focus = view.hover ?? view.pinned;
  fillLinkSwitches(view, {
    toggle: (head) => switchLinks(view, view.on.has(head) ? [...view.on].filter((other) => other !== head) : [...view.on, head]),
    only: () => switchLinks(view, [view.active]),
    all: () => switchLinks(view, Array.from({ length: view.data.heads }, (_, head) => head)),
    isolate: (head) => isolateLinks(view, head),
  });
  fillLinkReadout(view);
}

function layLinksOut(view) {
  const { root, data } = view;
  if (root.clientWidth < 40) return; // not laid out yet: the size observer calls again
  const ctx = view.canvas.getContext("2d");
  const room = { width: root.clientWidth, height: data.height };
  view.geometry = linksGeometry(ctx, data, room, linksOffset(view), view.palette);
  const { width, height, total, offset, scrolls, pitch } = view.geometry;
  view.list.style.height = `${height}px`;
  view.sides.style.marginTop = `${offset}px`; // the headings stay close to their columns
  view.list.classList.toggle("scrolls", scrolls);
  view.pad.style.height = `${total}px`;
  view.geometry.width = scrolls ? width - 14 : width;
  view.geometry.toX = view.geometry.width - view.geometry.right;
  view.ctx = sizeCanvas(view.canvas, view.geometry.width, height);
  Object.assign(root.dataset, { pitch, from: view.geometry.fromX, to: view.geometry.toX, scrolls: String(scrolls) });
  paintLinks(view);
}

/** How far down the first row has to start to be level with the matrix beside; null where none is beside. */
function linksOffset(view) {
  const { beside, list, sides } = view;
  if (!beside || !beside.whole || beside.rows !== view.data.queries.length) return null;
  const now = list.getBoundingClientRect().top - (parseFloat(sides.style.marginTop) || 0);
  const offset = beside.node.getBoundingClientRect().top + beside.top - now;
  return offset > -1 && offset < 130 ? { pitch: beside.pitch, offset: Math.max(0, offset) } : null;
}

function alignLinks(view, detail) {
  view.beside = detail;
  layLinksOut(view);
}

function hoverLinks(view, token) {
  if (token?.side === view.hover?.side && token?.index === view.hover?.index) return;
  view.hover = token;
  showLinks(view);
  paintLinks(view);
  const index = (side) => (token?.side === side ? token.index : -1);
  announce(view.data.channel, "row", { from: view.root, row: index("query"), col: index("key") });
}

/** Another component points at a row, a column or a cell. */
function followLinksRow(view, detail) {
  if (detail.from === view.root) return;
  view.hover = detail.row >= 0 ? { side: "query", index: detail.row } : detail.col >= 0 ? { side: "key", index: detail.col } : null;
  if (view.hover) revealLinksToken(view, view.hover.index);
  showLinks(view);
  paintLinks(view);
}

function revealLinksToken(view, index) {
  const { pitch, height, scrolls } = view.geometry;
  const y = index * pitch;
  if (scrolls && (y < view.scroll + pitch || y > view.scroll + height - 2 * pitch)) {
    view.list.scrollTop = y - height / 2;
    view.scroll = view.list.scrollTop;
  }
}

function isolateLinks(view, head) {
  if (head === view.isolated) return;
  view.isolated = head;
  showLinks(view);
  paintLinks(view);
}

function switchLinks(view, heads) {
  view.on = new Set(heads);
  view.isolated = -1;
  showLinks(view);
  paintLinks(view);
}

function pinLinksToken(view, token) {
  if (!token) return;
  if (token.side === "query") view.pinned = token;
  showLinks(view);
  paintLinks(view);
  if (view.data.clickable) view.send(token);
}

function pressLinksKey(view, event) {
  const at = view.hover ?? view.pinned;
  const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
  const side = { ArrowLeft: "query", ArrowRight: "key" }[event.key];
  if (step || side) {
    event.preventDefault();
    event.stopPropagation();
    const labels = (side ?? at?.side ?? "query") === "query" ? view.data.queries : view.data.keys;
    const next = { side: side ?? at?.side ?? "query", index: clamp((at?.index ?? -(step ?? 0)) + (step ?? 0), 0, labels.length - 1) };
    revealLinksToken(view, next.index);
    hoverLinks(view, next);
    view.live.textContent = view.readout.textContent;
  } else if (event.key === "Enter" || event.key === " ") {
    event.preventDefault();
    pinLinksToken(view, at);
  } else if (event.key === "Escape") hoverLinks(view, null);
}
