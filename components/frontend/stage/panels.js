// Below the arithmetic: all terms of the cell, and the result as a table. Both open on demand.
import { showDetail } from "../detail/detail.js";
import { showTable } from "../detail/table.js";
import { axisLabel, partAt, readItem, stateOf } from "./pictures.js";

const MANY_TERMS = 16; // terms; above it the arithmetic line leaves some out, so the bars are open from the start

export function setUpPanels(stage, find) {
  stage.panels = { terms: find(".panel.terms"), table: find(".panel.table"), termsButton: find(".open-terms"), tableButton: find(".open-table") };
  stage.wanted = { terms: null, table: false }; // null: open where the line is not the whole story
  stage.toggleTerms = () => {
    stage.wanted.terms = stage.panels.terms.hidden;
    refreshPanels(stage);
  };
  stage.panels.termsButton.addEventListener("click", stage.toggleTerms);
  stage.panels.tableButton.addEventListener("click", () => {
    stage.wanted.table = !stage.wanted.table;
    refreshPanels(stage);
  });
}

/** Open, close and fill the panels; while a cell is only hovered (`passing`) just the terms follow. */
export function refreshPanels(stage, passing = false) {
  const { panels, wanted, explanation, text } = stage;
  panels.termsButton.textContent = text.terms;
  panels.tableButton.textContent = text.table;
  const several = Boolean(explanation) && explanation.terms.length > 1 && explanation.operation !== "sum";
  const openTerms = several && (wanted.terms ?? explanation.terms.length > MANY_TERMS);
  toggle(panels.terms, panels.termsButton, openTerms, several);
  toggle(panels.table, panels.tableButton, Boolean(explanation) && wanted.table, Boolean(explanation));
  if (openTerms) {
    const onTerm = (k) => stage.pointAtTerm(k);
    showDetail(panels.terms, explanation, { columns: columnsOf(stage), palette: stage.palette, text, highlight: stage.term, onTerm });
  }
  if (explanation && wanted.table && !passing) showResult(stage);
}

function toggle(panel, button, open, possible) {
  panel.hidden = !open;
  button.hidden = !possible;
  button.setAttribute("aria-expanded", String(open));
}

/** What a term of this explanation consists of, in the hues of the matrices it comes from. */
function columnsOf({ explanation, text, g }) {
  if (explanation.operation === "softmax") {
    return [
      { name: text.names.score, hue: "x", read: (term) => term.factors[0] },
      { name: text.exponential, hue: "w", read: (term) => term.value },
    ];
  }
  const [a, b] = explanation.terms[0].hues;
  if (explanation.operation.endsWith("_norm")) return normColumns(explanation, g.picture.left[0].symbol, a);
  const nameOf = (entry) => entry.symbol ?? text.names[entry.word];
  const right = g.picture.right.length ? partAt(g.picture.right, explanation.j ?? 0).entry : { word: "rotation" };
  return [
    { name: g.picture.left.length > 1 ? text.names.concat : nameOf(g.picture.left[0]), hue: a, read: (term) => term.factors[0] },
    { name: `${nameOf(right)}${right.sub ?? ""}`, hue: b, read: (term) => term.factors[1] },
    { name: text.product, hue: "x", read: (term) => term.value },
  ];
}

/** A norm divides by the root of the mean of squares: of the numbers themselves, or of their distance from their mean. */
function normColumns({ operation, terms }, symbol, hue) {
  const read = (term) => term.factors[0];
  const mean = operation === "layer_norm" ? terms.reduce((sum, term) => sum + read(term), 0) / terms.length : 0;
  const square = { name: mean ? `(${symbol} − mean)²` : `${symbol}²`, hue: "x", read: (term) => (read(term) - mean) ** 2 };
  return [{ name: symbol, hue, read }, square];
}

function showResult({ panels, explanation, model, text, step, g }) {
  const { entry } = explanation;
  const whole = g.kind === "concat" ? { matrix: model.M.concat, rows: model.M.concat.rows, cols: model.M.concat.cols, rowAxis: "token", colAxis: "dim" } : entry;
  showTable(panels.table, {
    rows: whole.rows, cols: whole.cols, read: (r, c) => readItem(whole, r, c), state: (r, c) => stateOf(whole, r, c), caption: text.titles[step], text,
    rowLabel: (r) => axisLabel(model, whole.rowAxis, r), colLabel: (c) => axisLabel(model, whole.colAxis, c),
  });
}
