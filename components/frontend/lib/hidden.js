// Masked and padded parts of a picture whose cells are too small to be hatched one by one.
import { STATE, hatch } from "./cells.js";

/** Hatch every run of hidden cells of a rows × cols picture at (x, y) with cells of cw × ch; `state(r, c)` gives a STATE. */
export function hatchHiddenRuns(ctx, palette, { rows, cols, x, y, cw, ch }, state) {
  const patterns = { [STATE.masked]: hiddenPattern(ctx, palette, false), [STATE.padded]: hiddenPattern(ctx, palette, true) };
  for (let row = 0; row < rows; row++) {
    let start = 0;
    for (let col = 1; col <= cols; col++) {
      const before = state(row, start);
      if (col < cols && state(row, col) === before) continue;
      if (before !== STATE.number) {
        ctx.fillStyle = patterns[before];
        ctx.fillRect(x + start * cw, y + row * ch, (col - start) * cw, ch + 0.3);
      }
      start = col;
    }
  }
}

function hiddenPattern(ctx, palette, crossed) {
  const tile = new OffscreenCanvas(12, 12);
  hatch(tile.getContext("2d"), 0, 0, 12, 12, palette, crossed);
  return ctx.createPattern(tile, "repeat");
}
