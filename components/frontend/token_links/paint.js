// Painting the links: lines between two columns of tokens, a bar behind each token that the focused one looks at.
import { css } from "../lib/colour.js";
import { clamp } from "../lib/dom.js";
import { clipLabel, labelWidth } from "../lib/labels.js";
import { shortNumber } from "../lib/numbers.js";
import { shownLinks } from "./model.js";

/** Weaker lines, and more than this many, would be a haze: they are drawn only for the token in focus. */
const LINKS_QUIET = { least: 0.04, most: 400 };

export const linksColour = (view, head) => {
  const colours = view.data.head_colours[view.palette.dark ? "dark" : "light"];
  return colours[view.heads[head] % colours.length];
};

/** `view`: {ctx, data, palette, geometry, model, focus, shown (indices of heads), scroll}. */
export function paintLinks(view) {
  const { ctx, geometry, model, focus, shown } = view;
  ctx.clearRect(0, 0, geometry.width, geometry.height);
  const links = shownLinks(model, shown, focus, 0);
  if (!view.hover) for (const link of quietLinks(view)) paintLink(view, link, focus ? 0.35 : 1);
  paintLinkBars(view, links);
  if (focus) for (const link of links) paintLink(view, link, 1);
  ctx.globalAlpha = 1;
  paintLinkTokens(view, "query");
  paintLinkTokens(view, "key");
  if (focus && geometry.scrolls) paintFarLinks(view, links);
  view.root.dataset.lines = focus ? links.length : quietLinks(view).length;
}

/** The strongest links of all tokens, weakest first. */
const quietLinks = ({ model, shown }) => shownLinks(model, shown, null, LINKS_QUIET.least).slice(-LINKS_QUIET.most);

const linksY = (view, index) => (index + 0.5) * view.geometry.pitch - view.scroll;
const linksInSight = (view, y) => y > -view.geometry.pitch && y < view.geometry.height + view.geometry.pitch;

function paintLink(view, link, strength) {
  const { ctx, geometry, hover } = view;
  const [y0, y1] = [linksY(view, link.query), linksY(view, link.key)];
  // while no token is pointed at, lines that come from rows out of sight would only be a haze
  if (!linksInSight(view, y0) && (strength < 1 || !view.focus || !linksInSight(view, y1))) return;
  const [x0, x1] = [geometry.fromX, geometry.toX];
  ctx.strokeStyle = linksColour(view, link.head);
  ctx.globalAlpha = strength === 1 && view.focus ? clamp(0.14 + 1.2 * link.weight, 0, 1) : strength * clamp(0.1 + 0.9 * link.weight, 0, 0.95);
  ctx.lineWidth = 0.6 + 5 * link.weight;
  ctx.beginPath();
  ctx.moveTo(x0, y0);
  // a line that would leave the scrolled list becomes a short hook: it says "further up" or "further down"
  if (!hover && !linksInSight(view, y1)) ctx.quadraticCurveTo(x0 + 14, y0, x0 + 18, y0 + Math.sign(y1 - y0) * 8);
  else ctx.bezierCurveTo(x0 + (x1 - x0) * 0.45, y0, x0 + (x1 - x0) * 0.55, y1, x1, y1);
  ctx.stroke();
}

/** Behind every token of the far column a bar as long as its weight: one slice per head. */
function paintLinkBars(view, links) {
  const { ctx, geometry, focus, shown } = view;
  if (!focus) return;
  const slice = (geometry.pitch - 4) / shown.length;
  for (const link of links) {
    const far = focus.side === "query" ? link.key : link.query;
    const y = linksY(view, far) - geometry.pitch / 2 + 2 + shown.indexOf(link.head) * slice;
    const length = Math.max(2, link.weight * ((focus.side === "query" ? geometry.right : geometry.left) - 8));
    ctx.globalAlpha = 0.34;
    ctx.fillStyle = linksColour(view, link.head);
    ctx.fillRect(focus.side === "query" ? geometry.toX + 3 : geometry.fromX - 3 - length, y, length, Math.max(1.5, slice - 0.5));
  }
  ctx.globalAlpha = 1;
}

function paintLinkTokens(view, side) {
  const { ctx, geometry, data, palette, focus } = view;
  const labels = side === "query" ? data.queries : data.keys;
  const first = Math.max(0, Math.floor(view.scroll / geometry.pitch));
  const last = Math.min(labels.length, Math.ceil((view.scroll + geometry.height) / geometry.pitch));
  const size = clamp(geometry.pitch * 0.72, 11, 13);
  const padded = new Set(data.padded);
  for (let index = first; index < last; index++) {
    const on = focus?.side === side && focus.index === index;
    const hue = side === "query" ? palette.q : palette.k;
    ctx.font = `${on ? 600 : 400} ${size}px ${palette.font}`;
    ctx.fillStyle = css(on ? hue : padded.has(index) ? palette.mute : palette.ink);
    ctx.textBaseline = "middle";
    ctx.textAlign = side === "query" ? "right" : "left";
    const room = (side === "query" ? geometry.left : geometry.right) - 12;
    const x = side === "query" ? geometry.fromX - 8 : geometry.toX + 8;
    const text = clipLabel(ctx, labels[index], room);
    ctx.fillText(text, x, linksY(view, index) + 0.5);
    if (padded.has(index)) {
      const width = labelWidth(ctx, text);
      ctx.fillRect(side === "query" ? x - width : x, linksY(view, index), width, 1);
    }
  }
}

/** Strong links that end outside the scrolled list, named at its edge. */
function paintFarLinks(view, links) {
  const { ctx, geometry, focus, palette } = view;
  const used = { up: 0, down: 0 };
  for (const link of [...links].reverse()) {
    const far = focus.side === "query" ? link.key : link.query;
    const y = linksY(view, far);
    const way = y < 0 ? "up" : y > geometry.height ? "down" : null;
    if (!way || used[way] === 2) continue;
    const label = view.titles[focus.side === "query" ? "key" : "query"][far];
    ctx.font = `600 11.5px ${palette.font}`;
    const text = `${way === "up" ? "↑" : "↓"} ${clipLabel(ctx, label, 90)} ${shortNumber(link.weight)}`;
    const width = labelWidth(ctx, text) + 12;
    const top = way === "up" ? 2 + 20 * used.up : geometry.height - 20 - 20 * used.down;
    used[way] += 1;
    const x = focus.side === "query" ? geometry.width - width - 2 : 2;
    ctx.fillStyle = css(palette.ink);
    ctx.fillRect(x, top, width, 18);
    ctx.fillStyle = css(palette.paper);
    ctx.textAlign = "left";
    ctx.textBaseline = "middle";
    ctx.fillText(text, x + 6, top + 9.5);
  }
}
