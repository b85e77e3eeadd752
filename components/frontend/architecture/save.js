// The drawing as a picture file (SVG) of its own: every style is written into it, nothing is fetched when it is opened.
import { css } from "../lib/colour.js";
import { archNode } from "./svg.js";
import { archWrapped } from "./words.js";

const ARCH_STYLES = [
  "fill", "stroke", "stroke-width", "stroke-dasharray", "opacity", "paint-order", "text-anchor",
  "font-family", "font-size", "font-style", "font-weight",
];
const ARCH_MARGIN = 24;

/** The text of an SVG file of `svg` on paper, with `lines` (a title and facts) at the place {x, w}. */
export function archFile(svg, palette, ctx, lines, { x, w }) {
  const copy = svg.cloneNode(true);
  const [drawn, written] = [svg, copy].map((root) => [...root.querySelectorAll("rect, path, circle, text, g")]);
  drawn.forEach((node, n) => writeArchStyles(node, written[n]));
  const [width, height] = ["width", "height"].map((name) => Number(svg.getAttribute(name)) + 2 * ARCH_MARGIN);
  copy.setAttribute("viewBox", `${-ARCH_MARGIN} ${-ARCH_MARGIN} ${width} ${height}`);
  copy.setAttribute("width", width);
  copy.setAttribute("height", height);
  copy.prepend(archNode("rect", { x: -ARCH_MARGIN, y: -ARCH_MARGIN, width, height, fill: css(palette.paper) }));
  copy.append(...archHeading(palette, ctx, lines, x, w));
  return new XMLSerializer().serializeToString(copy);
}

function writeArchStyles(node, copy) {
  const style = getComputedStyle(node);
  for (const name of ARCH_STYLES) copy.setAttribute(name, style.getPropertyValue(name));
  for (const name of ["class", "tabindex", "role", "aria-pressed"]) copy.removeAttribute(name);
}

function archHeading(palette, ctx, [title, ...facts], x, w) {
  ctx.font = `600 15.5px ${palette.serif}`;
  const rows = archWrapped(ctx, title, w, 3);
  const text = (row, y, attributes) => archNode("text", { x, y, ...attributes }, row);
  return [
    ...rows.map((row, n) => text(row, 15 + 20 * n, { fill: css(palette.ink), "font-family": palette.serif, "font-size": 15.5, "font-weight": 600 })),
    ...facts.map((row, n) => text(row, 15 + 20 * rows.length + 18 * n, { fill: css(palette.mute), "font-family": palette.font, "font-size": 12 })),
  ];
}
