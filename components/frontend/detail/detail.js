// A cell taken apart: one bar per term and a table of all terms, largest first. Shared by every page.
import { el, filled } from "../lib/dom.js";
import { cellNumber, num } from "../lib/numbers.js";
import { drawBars } from "./bars.js";

const SMALL = 1e-4; // below this a value is written in powers of ten

const exact = (value) =>
  value !== 0 && Number.isFinite(value) && Math.abs(value) < SMALL ? value.toExponential(2).replace(/-/g, "\u2212") : cellNumber(value, 4);

/**
 * Fill `host` with the parts of `explanation` ({operation, terms, result, chosen}). `columns` names what is shown:
 * [{name, hue, read(term)}], the last one being what is summed. `text`: {term, share, all_terms}. `highlight` is the k
 * of a term that is pointed at elsewhere; `onTerm(k | null)` is called when one is pointed at here.
 */
export function showDetail(host, explanation, { columns, palette, text, highlight = null, onTerm = () => {} }) {
  const canvas = el("canvas", "bars");
  const scroller = el("div", "terms-table");
  host.replaceChildren(canvas, scroller);
  const total = explanation.terms.reduce((sum, term) => sum + columns.at(-1).read(term), 0);
  const draw = (k) =>
    drawBars(canvas, explanation.terms, { width: Math.max(host.clientWidth, 260), palette, rows: columns, total, highlight: k });
  draw(highlight);
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", filled(text.all_terms, { count: explanation.terms.length }));
  const point = (k) => {
    draw(k);
    onTerm(k);
  };
  scroller.append(termsTable(explanation, columns, text, total, point));
}

function termsTable({ terms, chosen, operation }, columns, text, total, point) {
  const table = el("table");
  table.createCaption().textContent = filled(text.all_terms, { count: terms.length });
  const head = table.createTHead().insertRow();
  for (const name of [text.term, ...columns.map((column) => column.name), text.share]) {
    const cell = el("th", "", name);
    cell.scope = "col";
    head.append(cell);
  }
  const body = table.createTBody();
  const size = (term) => Math.abs(columns.at(-1).read(term));
  for (const term of [...terms].sort((a, b) => size(b) - size(a))) {
    const line = body.insertRow();
    line.classList.toggle("chosen", operation === "softmax" && term.k === chosen);
    const name = el("th", "", term.label);
    name.scope = "row";
    line.append(name);
    for (const column of columns) {
      const cell = line.insertCell();
      cell.className = column.hue;
      cell.textContent = exact(column.read(term));
    }
    line.insertCell().textContent = total ? `${num((100 * columns.at(-1).read(term)) / total, 1)} %` : "";
    line.addEventListener("pointerenter", () => point(term.k));
    line.addEventListener("pointerleave", () => point(null));
  }
  return table;
}
