// What a cell was made from: the browser's twin of models/explain. Both follow the operation and the inputs of a step;
// a browser test compares the two for every step of every architecture.
import { axisLabel, normOf, offsetOf, partAt, readItem } from "./pictures.js";

/**
 * The explanation of the cell (i, j) of a step's picture, j counted over all its result matrices:
 * {operation, terms: [{label, factors, hues, value, k}], result, chosen}.
 */
export function explainCell(model, step, picture, i, j) {
  const { entry, column } = partAt(picture.out, j);
  const how = model.how[entry.id] ?? model.how[step];
  const base = { step, entry, i, j, column, result: readItem(entry, i, column), chosen: 0 };
  const explain = RULES[how.operation] ?? given;
  return { ...base, ...explain({ model, picture, how, ...base }) };
}

const dot = ({ model, picture, i, j }) => ({ operation: "dot", terms: products(model, picture, i, j) });
const scaled = (cell, by) => ({ operation: "product", terms: [pair(cell, by)] });

const RULES = {
  projection: dot,
  output: dot,
  contribution: dot,
  dot,
  mix: dot,
  rotate: (cell) => ({ operation: "dot", terms: rotation(cell) }),
  sum: ({ picture, i, j }) => ({ operation: "sum", terms: [picture.left[0], picture.right[0]].map((entry, k) => single(entry, readItem(entry, i, j), k)) }),
  mask: ({ picture, i, j, result }) => {
    const factors = [picture.left[0], picture.right[0]].map((entry) => readItem(entry, i, j));
    return { operation: "mask", terms: [{ k: 0, label: "mask", factors, hues: ["x", "x"], value: result }] };
  },
  scale: (cell) => scaled(cell, { label: "scale", value: cell.model.scale }),
  multiply: (cell) => scaled(cell, numberOf(cell, 1)),
  gated: (cell) => scaled(cell, { label: cell.how.inputs[1], value: readItem(cell.picture.right[0], cell.i, cell.j) }),
  softcap: (cell) => {
    const { label, value: cap } = numberOf(cell, 1);
    const x = before(cell);
    return { operation: "softcap", terms: [{ k: 0, label, factors: [x, cap], hues: ["x", "x"], value: cap * Math.tanh(x / cap) }] };
  },
  sigmoid: (cell) => opening(cell),
  softplus: (cell) => opening(cell),
  rms_norm: (cell) => normed(cell, (x, weight, eps) => ({ factors: [x, weight, eps], value: x * x })),
  layer_norm: (cell) => normed(cell, (x, weight, eps, bias) => ({ factors: [x, weight, bias, eps], value: x })),
  softmax: ({ model, picture, how, i, j, entry }) => {
    const terms = exponentials(model, picture, i, how.inputs);
    return { operation: "softmax", terms, chosen: entry.colAxis === "beside" ? terms.length - 1 : j };
  },
  sinusoidal: ({ model, i, j }) => wave(model, i, j),
  copy: ({ entry, result }) => ({ operation: "copy", terms: [single(entry, result)] }),
  concat: ({ entry, result }) => ({ operation: "copy", terms: [single(entry, result)] }),
};

const given = ({ entry, result }) => ({ operation: "lookup", terms: [single(entry, result)] });

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

/** The number that the cell was before the step. */
const before = ({ picture, i, j }) => readItem(picture.left[0], i, j);

/** An input that is one number for all cells. */
const numberOf = ({ model, how }, at) => ({ label: how.inputs[at], value: model.numbers[how.inputs[at]] });

function pair(cell, { label, value: by }) {
  const x = before(cell);
  return { k: 0, label, factors: [x, by], hues: [cell.picture.left[0].hue, "x"], value: x * by };
}

function opening({ picture, how, i, j, result }) {
  const entry = picture.left[0];
  return { operation: how.operation, terms: [{ k: 0, label: entry.id, factors: [readItem(entry, i, j)], hues: [entry.hue], value: result }] };
}

/** Every number of the vector that a norm is over, each with its weight (and bias) and the ε of the root. */
function normed({ model, picture, how, i, column }, term) {
  const [entry] = picture.left;
  const learned = model.M[normOf(how.inputs)];
  const eps = model.numbers[how.inputs.find((name) => name.endsWith("_eps"))];
  const terms = Array.from({ length: entry.cols }, (_, k) => {
    const bias = learned.rows > 1 ? learned.at(1, k) : 0;
    return { k, label: String(k), hues: [entry.hue, "x", "x"], ...term(readItem(entry, i, k), learned.at(0, k), eps, bias) };
  });
  return { operation: how.operation, terms, chosen: offsetOf(model, how.inputs) + column };
}

/** Rotary positions: x[a]·cos + x[b]·(±sin), of the cell and its partner (Su et al. 2021, section 3.2.2). */
function rotation({ model, picture, how, i, j }) {
  const entry = picture.left[0];
  const [cos, sin, pairs] = how.inputs.slice(1).map((name) => model.M[name]);
  const own = [pairs.at(0, j), pairs.at(1, j)];
  const used = own[0] === own[1] ? [[own[0], cos]] : [[own[0], cos], [own[1], sin]];
  return used.map(([d, turn]) => {
    const factors = [readItem(entry, i, d), turn.at(i, j)];
    return { k: d, label: String(d), factors, hues: [entry.hue, "x"], value: factors[0] * factors[1] };
  });
}

function single(entry, value, k = 0) {
  return { k, label: entry.symbol ?? entry.word, factors: [value], hues: [entry.hue], value };
}

/**
 * e^((score − max)/T) for a row of scores and what takes part beside the keys; a masked score gives 0. Stable: the row's
 * maximum is subtracted first. `order` names the inputs in the order in which they are listed.
 */
export function exponentials(model, picture, i, order = picture.left.map((entry) => entry.id)) {
  const sources = order.map((name) => picture.left.find((entry) => entry.id === name));
  const listed = sources.flatMap((entry) => Array.from({ length: entry.cols }, (_, c) => [readItem(entry, i, c), axisLabel(model, entry.colAxis, c, entry.id)]));
  const visible = listed.map(([score]) => score).filter((score) => score !== -Infinity);
  const largest = visible.some(Number.isNaN) ? NaN : Math.max(...(visible.length ? visible : [0]));
  return listed.map(([score, label], k) => {
    const value = score === -Infinity ? 0 : Math.exp((score - largest) / model.temperature);
    return { k, label, factors: [score, largest, model.temperature], hues: ["x", "x", "x"], value };
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
