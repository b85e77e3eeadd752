// What may come next: a bar per candidate, each a button. With a random draw, the strip shows where it falls.
import { readPalette } from "../lib/colour.js";
import { clamp, el } from "../lib/dom.js";
import { cellNumber, num } from "../lib/numbers.js";

const TOKEN_CHOICE_STEPS = { ArrowUp: -1, ArrowDown: 1, Home: -Infinity, End: Infinity };

export default function tokenChoiceComponent({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".am-token-choice");
  readPalette(root);
  root.querySelector(".strip").replaceChildren(...tokenChoiceStrip(data));
  const bars = root.querySelector(".bars");
  bars.setAttribute("aria-label", data.text.label);
  // rows are kept, not made anew: the focus stays where it is, and bars move to their new lengths
  while (bars.children.length > data.labels.length + 1) bars.firstChild.remove();
  while (bars.children.length < data.labels.length + 1) bars.prepend(newTokenChoiceRow());
  const most = Math.max(...data.probabilities, data.rest, 1e-9);
  [...bars.children].slice(0, -1).forEach((row, index) => {
    fillTokenChoiceRow(row, data.labels[index], data.probabilities[index], most, index === data.next);
    row.disabled = !data.takeable;
    row.title = data.takeable ? data.text.take.replace("{token}", data.labels[index]) : "";
    row.onclick = () => setTriggerValue("take", index);
  });
  fillTokenChoiceRow(bars.lastChild, data.text.rest, data.rest, most, data.next < 0 && data.takeable);
  const rows = [...bars.querySelectorAll("button")];
  if (!rows.some((row) => row.tabIndex === 0) && rows[0]) rows[0].tabIndex = 0;
  bars.onkeydown = (event) => moveInTokenChoice(rows, event);
  function newTokenChoiceRow() {
    const rest = !bars.children.length;
    const row = el(rest ? "div" : "button", rest ? "row rest" : "row");
    if (!rest) Object.assign(row, { type: "button", tabIndex: -1 });
    const track = el("span");
    track.append(el("span", "bar"));
    row.append(el("span", "mark"), el("span", "token"), track, el("span", "value"));
    return row;
  }
}

function fillTokenChoiceRow(row, label, share, most, next) {
  row.classList.toggle("next", next);
  row.querySelector(".mark").textContent = next ? "▶" : "";
  row.querySelector(".token").textContent = label;
  row.querySelector(".bar").style.width = `${(100 * share) / most}%`;
  row.querySelector(".value").textContent = tokenChoiceNumber(share);
}

/** Two decimals, or four where two say nothing. */
function tokenChoiceNumber(share) {
  if (share > 0 && share < 0.00005) return "<0.0001";
  return share > 0 && share < 0.005 ? num(share, 4) : cellNumber(share);
}

function tokenChoiceStrip(data) {
  if (data.drawn === null || data.drawn === undefined) return [];
  const parts = [...data.probabilities, data.rest].map((share, index) => {
    const part = el("i", index === data.probabilities.length ? "rest" : index === data.next ? "next" : "");
    part.style.flex = `${share} 0 0`;
    return part;
  });
  const needle = el("span", "needle");
  needle.style.left = `${100 * data.drawn}%`;
  const note = el("span", "", data.text.drawn.replace("{number}", num(data.drawn)));
  note.style.setProperty("--at", data.drawn);
  needle.append(note);
  return [...parts, needle];
}

/** One tab stop for all candidates; arrow keys walk through them. */
function moveInTokenChoice(rows, event) {
  const step = TOKEN_CHOICE_STEPS[event.key];
  const from = rows.findIndex((row) => row.matches(":focus"));
  if (step === undefined || from < 0) return;
  event.preventDefault();
  event.stopPropagation();
  const next = rows[clamp(from + step, 0, rows.length - 1)];
  rows.forEach((row) => (row.tabIndex = row === next ? 0 : -1));
  next.focus();
}
