// What each step shows: which matrices stand left, above and at the crossing (Falk's scheme), and how they combine.

/** How a matrix is named and coloured. `word` is a key of the locale's names; a `symbol` is set in italics. */
const LOOKS = {
  embedding: { symbol: "E" },
  position: { symbol: "P", rowAxis: "position" },
  input: { symbol: "X" },
  context: { symbol: "X", sub: "enc", rowAxis: "key" },
  w_q: { symbol: "W", sub: "Q", hue: "q", rowAxis: "dim" },
  w_k: { symbol: "W", sub: "K", hue: "k", rowAxis: "dim" },
  w_v: { symbol: "W", sub: "V", hue: "v", rowAxis: "dim" },
  w_o: { symbol: "W", sub: "O", rowAxis: "dim" },
  query: { symbol: "Q", hue: "q" },
  key: { symbol: "K", hue: "k", rowAxis: "key" },
  query_rotated: { symbol: "Q", sup: "↻", hue: "q" },
  key_rotated: { symbol: "K", sup: "↻", hue: "k", rowAxis: "key" },
  value: { symbol: "V", hue: "v", rowAxis: "key" },
  scores: { word: "scores", colAxis: "key" },
  scaled: { word: "scaled", colAxis: "key" },
  bias: { symbol: "B", colAxis: "key" },
  biased: { word: "biased", colAxis: "key" },
  mask: { symbol: "M", colAxis: "key" },
  masked: { word: "masked", colAxis: "key" },
  weights: { word: "weights", hue: "w", colAxis: "key", weights: true },
  contribution: { word: "contribution" },
  output: { word: "output" },
};

function item(model, name, changes = {}) {
  const matrix = changes.matrix ?? model.M[name];
  const look = { hue: "x", rowAxis: "token", colAxis: "dim", ...LOOKS[name], ...changes };
  const scale = look.weights ? { kind: "weights", gamma: model.gamma } : { kind: "signed", max: matrix.largest };
  return { id: name, matrix, rows: matrix.rows, cols: matrix.cols, scale, ...look };
}

/** Q or K as the dot product meets it: rotated, where the model rotates. */
const asked = (model, name) => (model.M[`${name}_rotated`] ? `${name}_rotated` : name);

/** K with rows and columns exchanged, as it stands in Q·Kᵀ. */
function transposedKey(model) {
  const name = asked(model, "key");
  const { matrix, sup = "" } = item(model, name);
  return item(model, name, { rows: matrix.cols, cols: matrix.rows, rowAxis: "dim", colAxis: "key", sup: `${sup}⊤`, flipped: true });
}

/** One head's output as its columns of concat, so that it slides into place there. */
function headItem(model, head) {
  if (model.alone) return item(model, "head_output", { hue: "v", symbol: "Z" });
  const matrix = model.M.concat.columns(`head ${head}`, head * model.d_v, model.d_v);
  const changes = { id: `head_${head}`, matrix, hue: "v", head };
  return item(model, "head_output", model.heads > 1 ? { ...changes, word: "head", number: head } : { ...changes, symbol: "Z" });
}

/** What softmax takes its shares of: the last step before it that does something. */
const beforeSoftmax = (model) => ["masked", "biased", "scaled"].find((name) => model.steps.includes(name));

const allHeads = (model) => Array.from({ length: model.heads }, (_, head) => headItem(model, head));
const PROJECTIONS = [["query", "w_q"], ["key", "w_k"], ["value", "w_v"]];

/**
 * X·[W_Q | W_K | W_V] = [Q | K | V]: the three projections side by side, so that one row of X is seen to become a
 * query, a key and a value at once; only the current one is in full colour. In cross-attention keys and values are made
 * from another sequence, and every projection stands by itself.
 */
function projection(model, step, wide) {
  if (model.M.context) return crossProjection(model, step);
  const shown = wide ? PROJECTIONS : PROJECTIONS.filter(([name]) => name === step);
  const current = shown.findIndex(([name]) => name === step);
  const pale = (at) => ({ pale: at > current });
  return {
    kind: "product",
    left: [item(model, "input")],
    right: shown.map(([, weight], at) => item(model, weight, pale(at))),
    out: shown.map(([name], at) => item(model, name, { ...pale(at), step: name, rowAxis: "token" })),
    current,
  };
}

function crossProjection(model, step) {
  const [name, weight] = PROJECTIONS.find(([projected]) => projected === step);
  const source = step === "query" ? "input" : "context";
  return product([item(model, source)], item(model, weight), item(model, name));
}

const product = (left, right, out) => ({ kind: "product", left, right: [right], out: [out], current: 0 });
const elementwise = (kind, left, right, out) => ({ kind, left, right, out, current: 0 });

/**
 * The picture of a step: {kind, left, right, out, current}. `kind` is "tokens", "only" (one matrix), "product",
 * "sum", "scaling", "softmax" or "concat". `wide` asks for all three projections at once.
 */
export function pictureOf(model, step, wide) {
  switch (step) {
    case "tokens":
      return { kind: "tokens", left: [], right: [], out: [], current: 0 };
    case "context":
    case "embedding":
    case "position":
      return elementwise("only", [], [], [item(model, step)]);
    case "input":
      return model.M.position
        ? elementwise("sum", [item(model, "embedding")], [item(model, "position")], [item(model, "input")])
        : elementwise("only", [], [], [item(model, "input")]);
    case "query":
    case "key":
    case "value":
      return projection(model, step, wide);
    case "query_rotated":
    case "key_rotated": {
      const [before, rowAxis] = step === "key_rotated" ? ["key", "key"] : ["query", "token"];
      return elementwise("scaling", [item(model, before, { rowAxis })], [], [item(model, step)]);
    }
    case "scores":
      return product([item(model, asked(model, "query"))], transposedKey(model), item(model, "scores"));
    case "scaled":
      return elementwise("scaling", [item(model, "scores")], [], [item(model, "scaled")]);
    case "biased":
      return elementwise("sum", [item(model, "scaled")], [item(model, "bias")], [item(model, "biased")]);
    case "masked":
      return elementwise("sum", [item(model, model.M.biased ? "biased" : "scaled")], [item(model, "mask")], [item(model, "masked")]);
    case "weights":
      return elementwise("softmax", [item(model, beforeSoftmax(model))], [], [item(model, "weights")]);
    case "head_output":
      return product([item(model, "weights")], item(model, "value"), headItem(model, model.head));
    case "contribution":
      return product([headItem(model, 0)], item(model, "w_o"), item(model, "contribution"));
    case "concat":
      return elementwise("concat", [], [], allHeads(model));
    default:
      return product(allHeads(model), item(model, "w_o"), item(model, "output"));
  }
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

/** The label of a row or column: the token, or the number of the dimension or position. */
export function axisLabel(model, axis, index) {
  if (axis === "token") return model.tokens[index];
  if (axis === "key") return model.keys[index];
  if (axis === "dim" && model.biases && index === model.d_model) return "+b"; // the row that meets a column of ones
  return String(index);
}
