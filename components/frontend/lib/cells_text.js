// What a cell says where there is no picture: in tables, for screen readers, on the clipboard. One way for all pages.
import { STATE } from "./cells.js";
import { cellNumber } from "./numbers.js";

/** A cell's number, or in words why it has none. `state(row, col)` gives a STATE, `text` has masked, padding and nan. */
export function cellInWords({ read, state, text }, row, col, digits = 4) {
  const value = read(row, col);
  return hiddenInWords(state(row, col), text) ?? (Number.isNaN(value) ? text.nan : cellNumber(value, digits));
}

/** Tab-separated values in full float32 precision, with the labels of rows and columns. */
export function tabSeparated({ rows, cols, read, state, rowLabel, colLabel, text }) {
  const clean = (label) => String(label).replace(/[\t\r\n]+/g, " ");
  const lines = [["", ...Array.from({ length: cols }, (_, col) => clean(colLabel(col)))]];
  for (let row = 0; row < rows; row++) {
    const values = Array.from({ length: cols }, (_, col) => {
      return hiddenInWords(state(row, col), text) ?? String(Number(read(row, col).toPrecision(7)));
    });
    lines.push([clean(rowLabel(row)), ...values]);
  }
  return lines.map((line) => line.join("\t")).join("\n");
}

function hiddenInWords(state, text) {
  return { [STATE.masked]: text.masked, [STATE.padded]: text.padding }[state];
}
