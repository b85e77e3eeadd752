// The same numbers without a picture: a table for screen readers, and text for the clipboard.
import { STATE } from "../lib/cells.js";
import { el } from "../lib/dom.js";
import { cellNumber } from "../lib/numbers.js";

const MATRIX_TABLE_LIMIT = 1600;

/** What a cell says in words: its number, or why it has none. */
export function matrixCellText(model, row, col, digits = 4) {
  const state = model.state(row, col);
  const value = model.read(row, col);
  if (state === STATE.masked) return model.text.masked;
  if (state === STATE.padded) return model.text.padding;
  return Number.isNaN(value) ? model.text.nan : cellNumber(value, digits);
}

/** A hidden table: the whole matrix, or only `row` where the whole would be thousands of cells. */
export function fillMatrixTable(table, model, row) {
  const whole = model.rows * model.cols <= MATRIX_TABLE_LIMIT;
  const key = whole ? "all" : `row ${row}`;
  if (table.filledWith === model && table.dataset.part === key) return;
  table.filledWith = model;
  table.dataset.part = key;
  const head = el("tr");
  head.append(el("td"), ...Array.from({ length: model.cols }, (_, col) => matrixHeaderCell("col", model.colTitle(col))));
  const rows = whole ? Array.from({ length: model.rows }, (_, at) => at) : [row];
  table.replaceChildren(el("caption", "", model.title), head, ...rows.map((at) => matrixTableRow(model, at)));
}

function matrixHeaderCell(scope, text) {
  const cell = el("th", "", text);
  cell.scope = scope;
  return cell;
}

function matrixTableRow(model, row) {
  const line = el("tr");
  line.append(matrixHeaderCell("row", model.rowTitle(row)));
  for (let col = 0; col < model.cols; col++) line.append(el("td", "", matrixCellText(model, row, col)));
  return line;
}

/** Tab-separated values with a header line; full precision; masked and padded cells are left empty. */
export function matrixAsText(model) {
  const clean = (label) => label.replace(/[\t\r\n]+/g, " ");
  const lines = [["", ...Array.from({ length: model.cols }, (_, col) => clean(model.colTitle(col)))]];
  for (let row = 0; row < model.rows; row++) {
    const values = Array.from({ length: model.cols }, (_, col) => {
      const value = model.read(row, col);
      return model.state(row, col) !== STATE.number ? "" : String(Number(value.toPrecision(7)));
    });
    lines.push([clean(model.rowTitle(row)), ...values]);
  }
  return lines.map((line) => line.join("\t")).join("\n");
}

/** Put text on the clipboard; where the browser has no clipboard (plain http), through a hidden field. */
export async function copyMatrixText(text, root) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = el("textarea", "sr");
    field.value = text;
    root.append(field);
    field.select();
    const done = document.execCommand("copy");
    field.remove();
    return done;
  }
}
