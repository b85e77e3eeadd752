// Whom a query may look at, and how its attention is spread: what a sentence about a row may claim.
import { STATE } from "../lib/cells.js";
import { num } from "../lib/numbers.js";

/** Keys of row `i` by what the mask says: {visible: [j], padded, later, earlier, other} (the hidden ones as counts). */
export function sightOf(model, i) {
  const found = { visible: [], padded: 0, later: 0, earlier: 0, other: 0 };
  const square = !model.M.context;
  model.keys.forEach((_, j) => {
    const state = model.M.mask ? model.M.mask.state(i, j) : STATE.number;
    if (state === STATE.number) found.visible.push(j);
    else found[whyHidden(model, i, j, square)] += 1;
  });
  return found;
}

/** Why key `j` is hidden from query `i`: "padded", "later", "earlier", or "other" where keys are another sequence. */
export function whyHidden(model, i, j, square = !model.M.context) {
  if (model.padded.includes(j)) return "padded";
  const [asks, at] = [placeOf(model, "queries", i), placeOf(model, "keys", j)];
  if (!square || asks === at) return "other";
  return at > asks ? "later" : "earlier";
}

/** Where a row or column stands in the text, which may be longer than what is shown. */
export const placeOf = (model, axis, index) => model.window?.[axis][index] ?? index;

/** Keys that got a part of row `i`'s attention, most first (equal ones in their order). */
export function sharesOf(model, i) {
  const weights = model.keys.map((_, j) => ({ j, weight: model.M.weights.at(i, j) }));
  return weights.filter(({ weight }) => weight > 0).sort((a, b) => b.weight - a.weight || a.j - b.j);
}

/** All keys with the largest score of row `i`. */
export function bestKeys(model, i) {
  const scores = model.keys.map((_, j) => model.M.scores.at(i, j));
  const most = Math.max(...scores);
  return model.keys.map((_, j) => j).filter((j) => scores[j] === most);
}

/** A share in words that never rounds a part to nothing or to everything: "30 %", "0.4 %", "<0.1 %", ">99.9 %". */
export function shareOf(share) {
  if (share > 0 && share < 0.0005) return "<0.1 %";
  if (share >= 0.9995 && share < 1) return ">99.9 %";
  return `${num(100 * share, (share > 0 && share < 0.01) || (share >= 0.995 && share < 1) ? 1 : 0)} %`;
}
