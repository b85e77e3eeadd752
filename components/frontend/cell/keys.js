// The softmax row as a table: every key with its score, its exponential and its weight.
import { el } from "../lib/dom.js";
import { num } from "../lib/numbers.js";

const LISTED = 400; // rows; of more keys the strongest are listed

/** Fill `host`; a click on a key calls `choose(index)`. */
export function fillKeys(host, { data, vectors, text, bySize, choose }) {
  const order = Array.from(vectors.weights, (_, j) => j);
  const strongest = (list) => list.sort((a, b) => (vectors.weights[b] || 0) - (vectors.weights[a] || 0));
  const kept = order.length > LISTED ? strongest(order).slice(0, LISTED) : order;
  if (bySize) strongest(kept);
  else kept.sort((a, b) => a - b);
  const table = el("table");
  const head = table.createTHead().insertRow();
  for (const name of ["#", text.keys_key, text.keys_score, text.keys_exponential, text.keys_weight, ""]) {
    const cell = el("th", "", name);
    cell.scope = "col";
    head.append(cell);
  }
  const body = table.createTBody();
  for (const j of kept) body.append(keyRow(j, data, vectors, text, choose));
  if (data.sink > 0) body.append(sinkRow(data, text));
  host.replaceChildren(table);
  if (order.length > LISTED) host.append(el("p", "mute", text.keys_cut.replace("{count}", LISTED)));
}

function keyRow(j, data, vectors, text, choose) {
  const row = el("tr", j === data.j ? "chosen" : "");
  const hidden = vectors.masked[j] === -Infinity;
  row.classList.toggle("hidden-key", hidden);
  const name = el("th");
  name.scope = "row";
  const button = el("button", "", data.keys[j]);
  button.type = "button";
  button.title = data.keys[j];
  if (j === data.j) button.setAttribute("aria-current", "true");
  button.addEventListener("click", () => choose(j));
  name.append(button);
  const bar = el("td", "bar");
  const fill = el("i");
  fill.style.width = `${Math.max(0, Math.min(1, vectors.weights[j])) * 100}%`;
  bar.append(fill);
  row.append(el("td", "mute", j), name, el("td", "", num(vectors.masked[j], 2)), el("td", "", hidden ? "0" : num(vectors.exponentials[j], 3)), el("td", "w", hidden ? text.hidden : num(vectors.weights[j], 3)), bar);
  return row;
}

/** Attention that goes to no key at all: the learned sink of some models. */
function sinkRow(data, text) {
  const row = el("tr", "hidden-key");
  row.append(el("td"), el("th", "", text.sink), el("td"), el("td", "", num(data.sink, 3)), el("td", "w", num(data.sink / data.total, 3)), el("td"));
  return row;
}
