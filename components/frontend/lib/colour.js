// Colour: one hue per matrix (identity), one scale per kind of value (fill). See base.css for the hues.
import { clamp } from "./dom.js";

export function parseColour(text) {
  const value = (text || "#000").trim();
  if (value.startsWith("#")) {
    const hex = value.length === 4 ? [...value.slice(1)].map((c) => c + c).join("") : value.slice(1);
    return [0, 2, 4].map((at) => parseInt(hex.slice(at, at + 2), 16));
  }
  return (value.match(/[\d.]+/g) || [0, 0, 0]).slice(0, 3).map(Number);
}

export const blend = (from, to, share) => from.map((v, i) => Math.round(v + (to[i] - v) * clamp(share, 0, 1)));
export const css = (rgb) => `rgb(${rgb[0]}, ${rgb[1]}, ${rgb[2]})`;

function luminance(rgb) {
  const [r, g, b] = rgb.map((v) => (v / 255 <= 0.03928 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** Black or white, whichever reads better on `rgb`. */
export function inkOn(rgb) {
  const light = luminance(rgb);
  return (light + 0.05) / 0.0545 > 1.05 / (light + 0.05) ? [20, 22, 27] : [255, 255, 255];
}

/**
 * The colours in force for a component: reads the custom properties of base.css from `root` (class "am") and sets
 * the class "dark" on it when the page is dark. Every entry is [r, g, b]: paper ink mute hair q k v w pos neg.
 */
export function readPalette(root) {
  const paper = parseColour(getComputedStyle(root).getPropertyValue("--st-background-color"));
  root.classList.toggle("dark", luminance(paper) < 0.2);
  const style = getComputedStyle(root);
  const ink = parseColour(style.getPropertyValue("--st-text-color"));
  const palette = { dark: luminance(paper) < 0.2, paper, ink, x: ink, mute: blend(paper, ink, 0.62), hair: blend(paper, ink, 0.14) };
  for (const name of ["q", "k", "v", "w", "pos", "neg"]) palette[name] = parseColour(style.getPropertyValue(`--${name}`));
  palette.font = style.getPropertyValue("--st-font") || "sans-serif";
  palette.serif = style.getPropertyValue("--serif") || "serif";
  return palette;
}

/** Exponent that gives even attention 1/n the same tint at every n (0.16 of the scale). */
export const evenTint = (n) => (n > 1 ? clamp(Math.log(0.16) / Math.log(1 / n), 0.25, 1) : 1);

/**
 * Fill of one cell. `scale` is {kind: "signed", max} (diverging around 0) or {kind: "weights", gamma} (0 to 1).
 * Values that are not plain numbers (NaN, ±∞) give null: they are drawn with a look of their own.
 */
export function cellFill(palette, value, scale) {
  if (!Number.isFinite(value)) return null;
  if (scale.kind === "weights") return blend(palette.paper, palette.w, 0.02 + 0.92 * clamp(value, 0, 1) ** scale.gamma);
  const size = scale.max > 0 ? Math.min(1, Math.abs(value) / scale.max) : 0;
  return blend(palette.paper, value < 0 ? palette.neg : palette.pos, size === 0 ? 0 : 0.015 + 0.78 * size);
}
