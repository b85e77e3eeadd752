// How a step is drawn, by its operation: which matrices stand left, above and at the crossing (Falk's scheme), and how
// they combine. Which operation made a step from what, and how matrices are called, comes with the trace.

/** Whether rows of the left and columns of what is above cross in the result. */
export const crosses = (kind) => kind === "product" || kind === "norm";

/** Whether two matrices meet cell by cell. */
export const meets = (kind) => kind === "sum" || kind === "times";

/** A matrix as it stands in a picture; one without a symbol is named in words, by its own name. */
export function item(model, name, changes = {}) {
  const matrix = changes.matrix ?? model.M[name];
  const { rows: rowAxis, cols: colAxis, ...look } = model.looks[name];
  const weights = model.how[name]?.operation === "softmax";
  const named = look.symbol ? {} : { word: name };
  const scale = weights ? { kind: "weights", gamma: model.gamma } : { kind: "signed", max: matrix.largest };
  return { id: name, matrix, rows: matrix.rows, cols: matrix.cols, hue: "x", rowAxis, colAxis, weights, scale, ...named, ...look, ...changes };
}

/** K with rows and columns exchanged, as it stands in Q·Kᵀ. */
function transposed(model, name) {
  const { matrix, sup = "" } = item(model, name);
  return item(model, name, { rows: matrix.cols, cols: matrix.rows, rowAxis: "dim", colAxis: "key", sup: `${sup}⊤`, flipped: true });
}

/** One head's output as its columns of concat, so that it slides into place there. */
function headItem(model, head) {
  const matrix = model.M.concat.columns(`head ${head}`, head * model.d_v, model.d_v);
  const changes = { id: `head_${head}`, matrix, head };
  return item(model, "head_output", model.heads > 1 ? { ...changes, symbol: undefined, word: "head", number: head } : changes);
}

const allHeads = (model) => Array.from({ length: model.heads }, (_, head) => headItem(model, head));

const product = (left, right, out) => ({ kind: "product", left, right: [right], out: [out], current: 0 });
const beside = (kind, left, right, out) => ({ kind, left, right, out, current: 0 });

/**
 * X·[W_Q | W_K | W_V] = [Q | K | V]: the three projections side by side, so that one row of X is seen to become a
 * query, a key and a value at once; only the current one is in full colour. A projection of another matrix, as in
 * cross-attention, stands by itself.
 */
function projection(model, step, [data, weight], wide) {
  const made = model.steps.filter((name) => model.how[name].operation === "projection" && model.looks[name].hue);
  const siblings = made.filter((name) => model.how[name].inputs[0] === data);
  if (siblings.length < 3 || !siblings.includes(step)) return product([item(model, data)], item(model, weight), item(model, step));
  const shown = wide ? siblings : [step];
  const current = shown.indexOf(step);
  const pale = (at) => ({ pale: at > current });
  return {
    kind: "product",
    left: [item(model, data)],
    right: shown.map((name, at) => item(model, model.how[name].inputs[1], pale(at))),
    out: shown.map((name, at) => item(model, name, { ...pale(at), step: name, rowAxis: "token" })),
    current,
  };
}

/** Before and after: every number becomes another, by itself or with others of its row. */
const changed = (model, step, [before]) => beside("scaling", [item(model, before)], [], [item(model, step)]);

/** A row by its length; above the result what it is multiplied with (γ) and what is added, of this head's dimensions. */
function norm(model, step, inputs) {
  const name = normOf(inputs);
  const out = item(model, step);
  const matrix = model.M[name].columns(name, offsetOf(model, inputs), out.cols);
  const symbol = matrix.rows > 1 ? "γ, β" : "γ";
  const picture = beside("norm", [item(model, inputs[0])], [item(model, name, { matrix, symbol })], [out]);
  return { ...picture, offset: offsetOf(model, inputs) };
}

export const normOf = (inputs) => inputs[1].replace("_weight", "");

/** Where this head's numbers begin in a vector that a norm takes of all heads together. */
export const offsetOf = (model, inputs) => model.numbers[inputs.find((name) => name.endsWith("_offset"))] ?? 0;

/** Softmax, with what takes part beside the keys (a sink, keys that are not drawn) and its share. */
function softmax(model, step, [scores, ...others]) {
  const shares = model.how[step].beside ?? [];
  return beside("softmax", [scores, ...others].map((name) => item(model, name)), [], [step, ...shares].map((name) => item(model, name)));
}

/** Two matrices cell by cell; one number for a whole row counts for every cell of it. */
function gated(model, step, [data, gate]) {
  const right = item(model, gate);
  const { cols } = model.M[data];
  const spread = right.cols === cols ? right : item(model, gate, { matrix: right.matrix.spread(cols) });
  return beside("times", [item(model, data)], [spread], [item(model, step)]);
}

const PICTURES = {
  projection,
  output: (model, step, [data, weight]) =>
    product(data === "concat" ? allHeads(model) : [item(model, data)], item(model, weight), item(model, step)),
  contribution: (model, step, [data, weight]) => product([item(model, data)], item(model, weight), item(model, step)),
  dot: (model, step, [query, key]) => product([item(model, query)], transposed(model, key), item(model, step)),
  mix: (model, step, [weights, value]) =>
    product([item(model, weights)], item(model, value), model.alone ? item(model, step) : headItem(model, model.head)),
  sum: (model, step, [a, b]) => beside("sum", [item(model, a)], [item(model, b)], [item(model, step)]),
  mask: (model, step, [before]) => beside("sum", [item(model, before)], [item(model, "mask")], [item(model, step)]),
  concat: (model) => beside("concat", [], [], allHeads(model)),
  scale: changed,
  multiply: changed,
  rotate: changed,
  softcap: changed,
  sigmoid: changed,
  softplus: changed,
  rms_norm: norm,
  layer_norm: norm,
  softmax,
  gated,
};

/**
 * The picture of a step: {kind, left, right, out, current}. `kind` is "tokens", "only" (one matrix), "product", "sum",
 * "times", "norm", "scaling", "softmax" or "concat". `wide` asks for all three projections at once.
 */
export function pictureOf(model, step, wide) {
  if (step === "tokens") return { kind: "tokens", left: [], right: [], out: [], current: 0 };
  const { operation, inputs } = model.how[step];
  const draw = PICTURES[operation];
  return draw ? draw(model, step, inputs, wide) : beside("only", [], [], [item(model, step)]);
}

/** Columns (or rows) before each item of a list, and in total. */
export function offsetsOf(items) {
  let total = 0;
  const starts = items.map((entry) => {
    const start = total;
    total += entry.cols;
    return start;
  });
  return { starts, total };
}

/** The item of a list that holds column `c` of the whole, and the column within it. */
export function partAt(items, c) {
  let at = c;
  for (const [index, entry] of items.entries()) {
    if (at < entry.cols) return { entry, column: at, index };
    at -= entry.cols;
  }
  const last = items.length - 1;
  return { entry: items[last], column: items[last].cols - 1, index: last };
}

export const readItem = (entry, r, c) => (entry.flipped ? entry.matrix.at(c, r) : entry.matrix.at(r, c));
export const stateOf = (entry, r, c) => (entry.flipped ? entry.matrix.state(c, r) : entry.matrix.state(r, c));

/** The token of row `i` of an item: in cross-attention keys and values have rows of the other sequence. */
export const rowToken = (model, entry, i) => (entry?.rowAxis === "key" ? model.keys : model.tokens)[i];

/** The label of a row or column: the token, the number of the dimension or position, or what stands beside the keys. */
export function axisLabel(model, axis, index, name = "") {
  if (axis === "token") return model.tokens[index];
  if (axis === "key") return model.keys[index];
  if (axis === "beside") return `⟨${model.text.names[name.replace("_mass", "")] ?? name}⟩`;
  const bias = axis.startsWith("dim:") && index === Number(axis.slice(4)); // the row that meets a column of ones
  return bias ? "+b" : String(index);
}
