// A matrix as an HTML table: for screen readers, for copying, for whoever prefers rows of figures.
import { cellInWords, tabSeparated } from "../lib/cells_text.js";
import { el, filled } from "../lib/dom.js";

const LIMIT = 6000; // cells; larger matrices are copied, not listed

/** Fill `host` with the matrix and a button that copies it, with its labels and in full precision. */
export function showTable(host, matrix) {
  const { rows, cols, rowLabel, colLabel, caption, text } = matrix;
  const copy = el("button", "copy", text.copy);
  copy.type = "button";
  copy.addEventListener("click", async () => {
    await copyText(tabSeparated(matrix));
    copy.textContent = text.copied;
    setTimeout(() => (copy.textContent = text.copy), 1500);
  });
  host.replaceChildren(copy);
  if (rows * cols > LIMIT) {
    host.append(el("p", "mute", filled(text.table_too_large, { count: rows * cols })));
    return;
  }
  const table = el("table");
  table.createCaption().textContent = caption;
  const head = table.createTHead().insertRow();
  head.append(el("th"));
  for (let c = 0; c < cols; c++) {
    const cell = el("th", "", colLabel(c));
    cell.scope = "col";
    head.append(cell);
  }
  const body = table.createTBody();
  for (let r = 0; r < rows; r++) {
    const line = body.insertRow();
    const name = el("th", "", rowLabel(r));
    name.scope = "row";
    line.append(name);
    for (let c = 0; c < cols; c++) line.insertCell().textContent = cellInWords(matrix, r, c);
  }
  host.append(table);
}

/** The clipboard, or where it is not allowed (no secure context) a selection that the old command copies. */
async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = el("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
}
