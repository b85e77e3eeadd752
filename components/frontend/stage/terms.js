// What a cell was made from: the browser's twin of models/explain (a browser test compares the two).
import { axisLabel, partAt, readItem } from "./pictures.js";

/**
 * The explanation of the cell (i, j) of a step's picture, j counted over all its result matrices:
 * {operation, terms: [{label, factors, hues, value, k}], result, chosen}.
 */
export function explainCell(model, step, picture, i, j) {
  const { entry, column } = partAt(picture.out, j);
  const result = readItem(entry, i, column);
  const base = { step, entry, i, j, column, result, chosen: 0 };
  switch (picture.kind) {
    case "product":
      return { ...base, operation: "dot", terms: products(model, picture, i, j) };
    case "sum":
      return { ...base, operation: "sum", terms: summands(picture, i, j) };
    case "scaling":
      if (step.endsWith("_rotated")) return { ...base, operation: "dot", terms: rotation(model, picture, i, j) };
      return { ...base, operation: "product", terms: [scaling(model, picture, i, j)] };
    case "softmax":
      return { ...base, operation: "softmax", terms: exponentials(model, picture, i), chosen: j };
    default:
      return step === "position" ? { ...base, ...wave(model, i, j) } : { ...base, operation: "copy", terms: [single(entry, result)] };
  }
}

function products(model, picture, i, j) {
  const right = partAt(picture.right, j);
  const axis = picture.left[0].colAxis;
  return Array.from({ length: right.entry.rows }, (_, k) => {
    const left = partAt(picture.left, k);
    const a = readItem(left.entry, i, left.column);
    const b = readItem(right.entry, k, right.column);
    return { k, label: axisLabel(model, axis, k), factors: [a, b], hues: [left.entry.hue, right.entry.hue], value: a * b };
  });
}

function summands(picture, i, j) {
  return [picture.left[0], picture.right[0]].map((entry, k) => {
    const value = readItem(entry, i, j);
    return { k, label: entry.symbol ?? entry.word, factors: [value], hues: [entry.hue], value };
  });
}

function scaling(model, picture, i, j) {
  const score = readItem(picture.left[0], i, j);
  return { k: 0, label: "scale", factors: [score, model.scale], hues: ["x", "x"], value: score * model.scale };
}

/** Rotary positions: x[a]·cos + x[b]·(±sin), of the cell and its partner (Su et al. 2021, section 3.2.2). */
function rotation(model, picture, i, j) {
  const entry = picture.left[0];
  const [cos, sin, pairs] = ["cos", "sin", "pairs"].map((name) => model.M[`${entry.id}_${name}`]);
  const own = [pairs.at(0, j), pairs.at(1, j)];
  const used = own[0] === own[1] ? [[own[0], cos]] : [[own[0], cos], [own[1], sin]];
  return used.map(([d, turn]) => {
    const factors = [readItem(entry, i, d), turn.at(i, j)];
    return { k: d, label: String(d), factors, hues: [entry.hue, "x"], value: factors[0] * factors[1] };
  });
}

function single(entry, value) {
  return { k: 0, label: entry.symbol ?? entry.word, factors: [value], hues: [entry.hue], value };
}

/** e^((score − max)/T) for a row of scores; a masked score gives 0. Stable: the row's maximum is subtracted first. */
export function exponentials(model, picture, i) {
  const source = picture.left[0];
  const scores = Array.from({ length: source.cols }, (_, j) => readItem(source, i, j));
  const visible = scores.filter((score) => score !== -Infinity);
  const largest = visible.some(Number.isNaN) ? NaN : Math.max(...(visible.length ? visible : [0]));
  return scores.map((score, k) => {
    const value = score === -Infinity ? 0 : Math.exp((score - largest) / model.temperature);
    return { k, label: axisLabel(model, "key", k), factors: [score, largest, model.temperature], hues: ["x", "x", "x"], value };
  });
}

/** Sine in even dimensions, cosine in odd ones, of position × frequency (Vaswani et al. 2017, section 3.5). */
function wave(model, position, dimension) {
  const rate = model.base ** -((2 * Math.floor(dimension / 2)) / model.d_model);
  const operation = dimension % 2 ? "cosine" : "sine";
  const value = dimension % 2 ? Math.cos(position * rate) : Math.sin(position * rate);
  return { operation, terms: [{ k: 0, label: String(position), factors: [position, rate], hues: ["x", "x"], value }] };
}

export const sumOf = (terms) => terms.reduce((sum, term) => sum + term.value, 0);
