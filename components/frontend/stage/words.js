// Title, explanation and shapes of a step: sentences that name the tokens and numbers on the screen.
import { el, fillTemplate } from "../lib/dom.js";
import { num, percent } from "../lib/numbers.js";
import { readItem, rowToken } from "./pictures.js";
import { exponentials, sumOf } from "./terms.js";

/** Write the words for the focused cell into `host` (h2, p, .shapes), `width` pixels wide. */
export function writeWords(host, { model, text, step, picture, focus, width }) {
  const [title, paragraph, shapes] = host.children;
  const { key, values } = sentence(model, text, step, picture, focus);
  title.textContent = text.titles[step];
  const biased = model.biases && ["query", "key", "value"].includes(step);
  const words = biased ? `${text.sentences[key]}${text.bias_note}` : text.sentences[key];
  paragraph.replaceChildren(...fillTemplate(words, values).flatMap(withSymbols));
  host.style.width = `${Math.round(width)}px`;
  writeShapes(shapes, model, text, picture);
}

/** W_Q, d_k in running text become W with a subscript. */
function withSymbols(node) {
  if (node.nodeType !== Node.TEXT_NODE) return [node];
  return node.textContent.split(/([Wd]_\w)/).map((piece) => {
    if (!/^[Wd]_\w$/.test(piece)) return document.createTextNode(piece);
    const symbol = el("i", "", piece[0]);
    symbol.append(el("sub", "", piece[2]));
    return symbol;
  });
}

export const quoted = (text, token) => `${text.quote_open}${token}${text.quote_close}`;

function vector(read, count) {
  const shown = Array.from({ length: Math.min(count, 4) }, (_, c) => num(read(c)));
  return `[${shown.join(", ")}${count > 4 ? ", …" : ""}]`;
}

/** Which sentence to say, and what fills its places. */
function sentence(model, text, step, picture, { i, j }) {
  const values = {
    N: model.tokens.length, D: model.d_model, K: model.d_k, V: model.d_v, H: model.heads, HV: model.heads * model.d_v,
    i: quoted(text, rowToken(model, picture.out[0], i)), it: rowToken(model, picture.out[0], i), j: quoted(text, model.keys[j] ?? ""), d: j,
  };
  if (notFinite(picture, i)) return { key: "not_finite", values };
  const special = SENTENCES[step]?.({ model, text, picture, i, j, values }) ?? {};
  return { key: special.key ?? step, values: { ...values, ...special } };
}

/** Whether row i of what a step gives has NaN or +∞ in it (−∞ is what a mask writes): no sentence on shares is true then. */
function notFinite({ kind, out }, i) {
  if (kind === "tokens") return false;
  return out.some((entry) => Array.from({ length: entry.cols }, (_, c) => readItem(entry, i, c)).some((v) => Number.isNaN(v) || v === Infinity));
}

const row = (matrix, i) => vector((c) => matrix.at(i, c), matrix.cols);
const ifIdentity = (model, weight, step) => (model.identity.includes(weight) ? `${step}_identity` : step);
const ifCross = (model, weight, step) => (model.M.context ? `${step}_cross` : ifIdentity(model, weight, step));

const SENTENCES = {
  tokens: ({ model, i }) => ({ id: model.ids[i], key: model.padded.length ? "tokens_padded" : "tokens", hidden: model.padded.length }),
  embedding: ({ model, i }) => ({ row: row(model.M.embedding, i), id: model.ids[i] }),
  position: ({ model, i, j }) => ({
    key: j % 2 ? "position_cosine" : "position_sine", place: i, v: num(model.M.position.at(i, j)),
    wave: num((2 * Math.PI) / model.base ** -((2 * Math.floor(j / 2)) / model.d_model), 1),
  }),
  input: ({ model, i, j }) =>
    model.M.position
      ? { key: "input_sum", a: num(model.M.embedding.at(i, j)), b: num(model.M.position.at(i, j)), v: num(model.M.input.at(i, j)), place: i }
      : { key: model.layer === null ? "input" : "input_layer", row: row(model.M.input, i), layer: model.layer },
  context: ({ model, i }) => ({ row: row(model.M.context, i), M: model.keys.length }),
  query: ({ model, i }) => ({ key: ifIdentity(model, "w_q", "query"), row: row(model.M.query, i) }),
  key: ({ model, i }) => ({ key: ifCross(model, "w_k", "key"), row: row(model.M.key, i) }),
  value: ({ model, i }) => ({ key: ifCross(model, "w_v", "value"), row: row(model.M.value, i) }),
  scores: ({ model, text, i, j }) => {
    const best = largestIn(model.M.scores, i);
    return { v: num(model.M.scores.at(i, j)), best: quoted(text, model.keys[best]), best_v: num(model.M.scores.at(i, best)) };
  },
  query_rotated: ({ model, i, j }) => ({ place: i, a: num(model.M.query.at(i, j)), v: num(model.M.query_rotated.at(i, j)) }),
  key_rotated: ({ model, i, j }) => ({ place: i, a: num(model.M.key.at(i, j)), v: num(model.M.key_rotated.at(i, j)) }),
  biased: ({ model, i, j }) => ({ a: num(model.M.scaled.at(i, j)), b: num(model.M.bias.at(i, j)), v: num(model.M.biased.at(i, j)) }),
  contribution: ({ model, i }) => ({ row: row(model.M.contribution, i), head: model.head }),
  scaled: ({ model, i, j }) => ({ key: model.usual ? "scaled" : "scaled_other", by: num(model.scale, 4), a: num(model.M.scores.at(i, j)), v: num(model.M.scaled.at(i, j)), root: num(Math.sqrt(model.d_k)) }),
  masked: maskSentence,
  weights: weightSentence,
  head_output: ({ model, text, i }) => ({ mix: mixture(model, text, i), key: model.empty[i] ? "head_output_empty" : "head_output" }),
  concat: ({ model }) => ({ key: model.heads === 1 ? "concat_one" : "concat" }),
  output: ({ model, i }) => ({ key: ifIdentity(model, "w_o", "output"), row: row(model.M.output, i) }),
};

function largestIn(matrix, i) {
  let best = 0;
  for (let j = 1; j < matrix.cols; j++) if (matrix.at(i, j) > matrix.at(i, best)) best = j;
  return best;
}

function maskSentence({ model, i, j }) {
  const count = model.keys.length;
  const visible = Array.from({ length: count }, (_, q) => model.M.mask.state(i, q) === 0).filter(Boolean).length;
  if (!visible) return { key: "masked_empty" };
  if (model.padded.includes(j)) return { key: "masked_padding", seen: visible, hidden: count - visible };
  if (!model.causal) return { key: "masked_open", seen: visible, hidden: count - visible, p: model.padded.length };
  return { key: i === count - 1 ? "masked_last" : "masked", p: i, seen: visible, hidden: count - visible };
}

function weightSentence({ model, picture, i, j }) {
  if (model.empty[i]) return { key: "weights_empty" };
  const terms = exponentials(model, picture, i);
  const key = model.temperature === 1 ? "weights" : "weights_temperature";
  return { key, max: num(terms[0].factors[1]), sum: num(sumOf(terms)), share: percent(model.M.weights.at(i, j)), T: model.temperature };
}

/** "30 % “animal”, 20 % “didn't” and 50 % of the rest". */
function mixture(model, text, i) {
  const weights = model.keys.map((key, j) => ({ key, weight: model.M.weights.at(i, j) }));
  weights.sort((a, b) => b.weight - a.weight);
  const named = weights.slice(0, 3).filter(({ weight }) => weight > 0).map(({ key, weight }) => `${percent(weight)} ${quoted(text, key)}`);
  const rest = weights.slice(3).reduce((sum, { weight }) => sum + weight, 0);
  if (rest > 0.005) named.push(text.rest_share.replace("{share}", percent(rest)));
  return named.join(text.separator);
}

/** `X 3×3 · W_Q 3×3 = Q 3×3`, each name in its matrix's hue. */
function writeShapes(host, model, text, picture) {
  host.replaceChildren();
  const put = (entry, rows = entry.rows, cols = entry.cols) => {
    const name = el("b", entry.hue, entry.symbol ?? `${text.names[entry.word]}${entry.number ? ` ${entry.number}` : ""}`);
    if (entry.sub) name.append(el("sub", "", entry.sub));
    if (entry.sup) name.append(el("sup", "", entry.sup));
    host.append(name, ` ${rows}×${cols}`);
  };
  const joined = { word: "concat", hue: "v" };
  const width = model.heads * model.d_v;
  const { kind, left, right, out, current } = picture;
  if (kind === "tokens") host.append(`N = ${model.tokens.length}`);
  else if (kind === "only") put(out[0]);
  else if (kind === "concat") {
    host.append(`${out.length} × `);
    put(out[0]);
    host.append(" → ");
    put(joined, out[0].rows, width);
  } else {
    if (left.length > 1) put(joined, left[0].rows, width);
    else put(left[0]);
    if (right.length) {
      host.append(kind === "sum" ? " + " : " · ");
      put(right[right.length > 1 ? current : 0]);
    }
    host.append(right.length ? " = " : " → ");
    put(out[current]);
  }
}

/** The result's value at the focus, for the live region. */
export const spokenCell = (model, entry, i, c) => num(readItem(entry, i, c), 3);
