// The same numbers without a picture: a table for screen readers, and text for the clipboard.
import { cellInWords, tabSeparated } from "../lib/cells_text.js";
import { el } from "../lib/dom.js";

const MATRIX_TABLE_LIMIT = 1600;

/** What a cell says in words: its number, or why it has none. */
export const matrixCellText = cellInWords;

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

export const matrixAsText = (model) => tabSeparated({ ...model, rowLabel: model.rowTitle, colLabel: model.colTitle });

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
