// How the cells of a value grid look: a number on one scale, or the group that a head belongs to.
import { hatch } from "../lib/cells.js";
import { blend, css, inkOn, parseColour } from "../lib/colour.js";
import { clamp, sizeCanvas } from "../lib/dom.js";

const VALUE_GRID = { digits: 22, both: 36, small: 11, faint: 0.16 };

/** The fill of a head, [r, g, b]; null where nothing was measured. */
export function valueFill({ data, palette }, at) {
  const value = data.values[at];
  if (data.groups.length) {
    const group = data.groups[data.members[at]];
    return group ? groupFill(palette, group, value) : noGroupFill(palette);
  }
  return Number.isFinite(value) ? scaleFill(palette, value / data.top) : null;
}

export const noGroupFill = (palette) => blend(palette.paper, palette.ink, 0.045);

/** A group's own colour, stronger for heads that are clearer members. */
export function groupFill(palette, group, strength) {
  const colour = parseColour(group[palette.dark ? "dark" : "light"]);
  return blend(palette.paper, colour, 0.3 + 0.7 * clamp(strength, 0, 1) ** 1.5);
}

export const scaleFill = (palette, share) => blend(palette.paper, palette.w, 0.03 + 0.91 * clamp(share, 0, 1));

/** One head: its fill, its sign and number as far as they fit. Heads outside the group that is pointed at are faint. */
export function paintValueCell(view, at) {
  const { ctx, data, geometry, palette } = view;
  if (!data.names[at]) return; // layers need not have equally many heads
  const [x, y] = geometry.corner(at);
  const { size } = geometry;
  const fill = valueFill(view, at);
  ctx.globalAlpha = view.group < 0 || data.members[at] === view.group ? 1 : VALUE_GRID.faint;
  if (fill) {
    ctx.fillStyle = css(fill);
    ctx.fillRect(x, y, size, size);
    writeInValueCell(view, at, x + size / 2, y + size / 2, inkOn(fill));
  } else hatch(ctx, x, y, size, size, palette);
  ctx.strokeStyle = css(palette.hair);
  ctx.lineWidth = 1;
  ctx.strokeRect(x - 0.5, y - 0.5, size + 1, size + 1);
  ctx.globalAlpha = 1;
}

function writeInValueCell({ ctx, data, geometry, palette }, at, x, y, ink) {
  const { size } = geometry;
  const sign = data.groups[data.members[at]]?.sign ?? "";
  const both = sign && size >= VALUE_GRID.both;
  ctx.fillStyle = css(ink);
  ctx.textAlign = "center";
  ctx.textBaseline = "middle";
  if (sign) {
    ctx.font = `600 ${Math.round(clamp(size * 0.46, 8, 22))}px ${palette.font}`;
    ctx.fillText(sign, x, y - (both ? 6 : 0));
  }
  if (size < VALUE_GRID.digits || (sign && !both)) return;
  ctx.font = `${clamp(Math.round(size * 0.32), VALUE_GRID.small - 1, 14)}px ${palette.font}`;
  ctx.fillText(data.labels[at], x, y + (both ? 10 : 0.5));
}

/** A small square with a group's colour and sign, for the legend. */
export function groupSample(palette, group) {
  const canvas = document.createElement("canvas");
  const ctx = sizeCanvas(canvas, 16, 16);
  const fill = groupFill(palette, group, 0.8);
  ctx.fillStyle = css(fill);
  ctx.fillRect(0, 0, 16, 16);
  ctx.fillStyle = css(inkOn(fill));
  ctx.font = `600 11px ${palette.font}`;
  ctx.textAlign = "center";
  ctx.textBaseline = "middle";
  ctx.fillText(group.sign, 8, 8.5);
  return canvas;
}

/** The colour scale from 0 to the top, with a mark where even attention lies. */
export function valueScale(palette, even) {
  const [width, height] = [150, 13];
  const canvas = document.createElement("canvas");
  const ctx = sizeCanvas(canvas, width, height);
  for (let x = 0; x < width; x++) {
    ctx.fillStyle = css(scaleFill(palette, (x + 0.5) / width));
    ctx.fillRect(x, 0, 1, height - 4);
  }
  if (even !== null) {
    const x = clamp(even, 0, 1) * (width - 6) + 3;
    ctx.fillStyle = css(palette.ink);
    ctx.beginPath();
    ctx.moveTo(x, height - 5);
    ctx.lineTo(x - 3.5, height);
    ctx.lineTo(x + 3.5, height);
    ctx.fill();
  }
  return canvas;
}
