// Numbers in the cells: one type size per step, in the fullest form that fits, or none at all.
import { STATE } from "../lib/cells.js";
import { clamp } from "../lib/dom.js";
import { cellNumber, INFINITY, MINUS, shortNumber } from "../lib/numbers.js";
import { readItem, stateOf } from "./pictures.js";

const oneDecimal = (value) => shortNumber(value, 1);
const FORMS = [
  { write: cellNumber, smallest: 10, air: 8 },
  { write: shortNumber, smallest: 8.5, air: 4 },
  { write: oneDecimal, smallest: 8.5, air: 4 },
];
const MANY = 2600; // more cells than this are drawn as an image, without numbers

/**
 * Decides `g.print` = {px, write}, or null; the hover tip has the value otherwise. Operands that are too small for any
 * number (`box.numbers` false) do not keep the result from being printed.
 */
export function printNumbers(g, room) {
  g.print = null;
  for (const box of g.boxes) box.numbers = box.cw >= 16 && box.ch >= 11 && box.entry.rows * box.entry.cols <= MANY;
  const printed = g.boxes.filter((box) => box.numbers);
  if (!printed.some((box) => box.role === "O")) return;
  const sizes = printed.map((box) => FORMS.map((form) => sizeThatFits(box, form, room)));
  const form = FORMS.findIndex((_, at) => sizes.every((size) => size[at] > 0));
  if (form < 0) return;
  g.print = { px: Math.min(...sizes.map((size) => size[form])), write: FORMS[form].write };
}

function sizeThatFits(box, { write, smallest, air }, { ctx, font }) {
  const longest = longestText(box.entry, write);
  for (let px = clamp(box.ch * 0.5, 10, 20); px >= smallest; px -= 0.5) {
    ctx.font = `${px}px ${font}`;
    if (px <= box.ch * 0.74 && ctx.measureText(longest).width <= box.cw - air) return px;
  }
  return 0;
}

function longestText(entry, write) {
  let longest = "";
  for (let r = 0; r < entry.rows; r++) {
    for (let c = 0; c < entry.cols; c++) {
      const text = cellText(entry, r, c, write);
      if (text.length > longest.length) longest = text;
    }
  }
  return longest;
}

/** What a cell prints: its number, −∞ where it is masked, 0 for a weight that the mask took away. */
export function cellText(entry, r, c, write) {
  const value = readItem(entry, r, c);
  if (stateOf(entry, r, c) !== STATE.number) return entry.weights ? "0" : MINUS + INFINITY;
  return write(value);
}
