// A small picture of real weights, as the address of an image for the drawing.
import { STATE, drawCrisp, matrixImage } from "../lib/cells.js";
import { evenTint } from "../lib/colour.js";
import { column } from "../lib/dom.js";
import { hatchHiddenRuns } from "../lib/hidden.js";

/** Width and height of a picture of rows × cols cells within `room` {width, height}: cells are square if they can be. */
export function archThumbSize({ rows, cols }, room) {
  const cell = Math.min(room.width / cols, room.height / rows);
  const most = 26; // a picture of one or two tokens does not become a wall
  const least = 12;
  const side = (count, limit) => Math.max(Math.min(least, limit), Math.min(limit, Math.min(cell, most) * count));
  return { width: side(cols, room.width), height: side(rows, room.height) };
}

/** The picture of the place `name` at `size` {width, height} in pixels. */
export function archThumb(data, palette, name, size) {
  const { number, rows, cols, keys } = data.pictures[name];
  const values = column(data[`weights${number}`]);
  const states = column(data[`states${number}`]);
  const state = (row, col) => states[row * cols + col];
  const scale = { kind: "weights", gamma: evenTint(keys) };
  const image = matrixImage(rows, cols, (row, col) => values[row * cols + col], state, palette, scale);
  const canvas = document.createElement("canvas");
  const ratio = 2 * (window.devicePixelRatio || 1);
  canvas.width = Math.round(size.width * ratio);
  canvas.height = Math.round(size.height * ratio);
  const ctx = canvas.getContext("2d");
  ctx.scale(canvas.width / size.width, canvas.height / size.height);
  drawCrisp(ctx, image, 0, 0, size.width, size.height);
  const area = { rows, cols, x: 0, y: 0, cw: size.width / cols, ch: size.height / rows };
  hatchHiddenRuns(ctx, palette, area, (row, col) => state(row, col) ?? STATE.number);
  return canvas.toDataURL();
}
