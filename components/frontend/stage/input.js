// Pointer and keyboard on the stage.
import { cellInWords } from "../lib/cells_text.js";
import { clamp } from "../lib/dom.js";
import { hideTip, pointIn, showTip } from "../lib/tip.js";
import { axisLabel, crosses, readItem, stateOf } from "./pictures.js";

export function listenForPointer(stage) {
  const { canvas } = stage;
  canvas.addEventListener("pointermove", (event) => hoverAt(stage, event));
  canvas.addEventListener("pointerleave", () => {
    stage.hover = stage.term = null;
    hideTip(stage.parts.tip);
    stage.refocus();
  });
  canvas.addEventListener("click", (event) => {
    const found = pick(stage, ...pointIn(canvas, event));
    if (found) stage.pinCell(found.i, found.j);
  });
}

function hoverAt(stage, event) {
  const [x, y] = pointIn(stage.canvas, event);
  const found = pick(stage, x, y);
  stage.canvas.style.cursor = found ? "pointer" : "default";
  tip(stage, found, x, y);
  const before = stage.hover;
  const same = found && before && found.i === before.i && found.j === before.j && (found.k ?? null) === stage.term;
  if (same || (!found && !before)) return;
  stage.hover = found && { i: found.i, j: found.j };
  stage.term = found?.k ?? null;
  stage.refocus();
}

/** What is under the pointer: {i, j, k?, box, r, c}. An operand's cell keeps the other half of the focus. */
function pick(stage, x, y) {
  const { g } = stage;
  const focus = stage.focus();
  if (g.chips) {
    const chip = g.chips.find((c) => x >= c.x && x < c.x + c.w && y >= c.y && y < c.y + c.h);
    return chip ? { i: chip.i, j: focus.j } : null;
  }
  for (const box of g.boxes) {
    const c = Math.floor((x - box.x) / box.cw);
    const r = Math.floor((y - box.y) / box.ch);
    if (c < 0 || r < 0 || c >= box.entry.cols || r >= box.entry.rows) continue;
    const cell = { box, r, c };
    if (box.role === "O") return { ...cell, i: r, j: c + box.start };
    if (!crosses(g.kind)) return { ...cell, i: r, j: c + box.start };
    if (box.role === "L") return { ...cell, i: r, j: focus.j, k: c + box.start };
    return { ...cell, i: focus.i, j: c + box.start, k: g.kind === "product" ? r : undefined };
  }
  return null;
}

/** Where cells are too small for their numbers, the tip has row, column and value. */
function tip(stage, found, x, y) {
  const box = found?.box;
  if (!box || (stage.g.print && box.numbers)) return hideTip(stage.parts.tip);
  const { entry } = box;
  const name = entry.symbol ? `${entry.symbol}${entry.sub ? ` ${entry.sub}` : ""}` : stage.text.names[entry.word];
  const place = `${axisLabel(stage.model, entry.rowAxis, found.r)}, ${axisLabel(stage.model, entry.colAxis, found.c, entry.id)}`;
  const cell = { read: (r, c) => readItem(entry, r, c), state: (r, c) => stateOf(entry, r, c), text: stage.text };
  return showTip(stage.parts.picture, stage.parts.tip, [`${name}  ${place}`, cellInWords(cell, found.r, found.c)], x, y);
}

const ARROWS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

/** Arrow keys: left and right step anywhere on the page; on the picture all four move the cell, Page keys step. */
export function listenForKeys(stage) {
  stage.canvas.addEventListener("keydown", (event) => cellKey(stage, event));
  const onPage = (event) => {
    if (event.defaultPrevented || event.altKey || event.metaKey || event.ctrlKey || isTyping(event)) return;
    const step = { ArrowRight: 1, ArrowLeft: -1, PageDown: 1, PageUp: -1 }[event.key];
    if (!step || (event.key.startsWith("Page") && !event.composedPath().includes(stage.root))) return;
    event.preventDefault();
    stage.go(stage.at + step);
  };
  document.addEventListener("keydown", onPage);
  return () => document.removeEventListener("keydown", onPage);
}

/** Keys that belong to a widget: text fields, sliders, radio groups, tabs, anything with arrow keys of its own. */
function isTyping(event) {
  const own = "input, textarea, select, [contenteditable=true], [role=slider], [role=radiogroup], [role=tablist], [role=listbox], [role=menu], [role=grid]";
  return event.composedPath().some((node) => node instanceof Element && node.matches(own));
}

function cellKey(stage, event) {
  const move = ARROWS[event.key];
  if (event.altKey || event.metaKey || event.ctrlKey) return;
  if (move) {
    event.preventDefault();
    event.stopPropagation();
    const { i, j } = stage.focus();
    const last = Math.max(0, stage.g.mc - 1);
    stage.pinCell(clamp(i + move[0], 0, stage.g.rows - 1), clamp(j + move[1], 0, last));
  } else if (event.key === "Enter" || event.key === " ") {
    event.preventDefault();
    stage.toggleTerms();
  }
}
