// Which sentence is true of a step and a cell: read off the numbers and the mask, never off what is usual.
import { num, signed } from "../lib/numbers.js";
import { offsetOf, partAt, readItem } from "./pictures.js";
import { bestKeys, placeOf, shareOf, sharesOf, sightOf } from "./sight.js";
import { exponentials, sumOf } from "./terms.js";

const ROUNDING = 1e-5; // of a sum of shares in float32
const NAMED = 3; // keys that a blend names; the others are "the rest"

export const quoted = (text, token) => `${text.quote_open}${token}${text.quote_close}`;

/** What is said: {keys, values}; `keys` of the table of sentences, in order, and what fills their places. */
export function sentenceOf(context) {
  if (notFinite(context.picture, context.i)) return { keys: ["not_finite"], values: {} };
  const how = context.model.how[context.step];
  const say = OF_OPERATIONS[how?.operation] ?? SENTENCES[context.step];
  const { keys = [context.step], ...values } = say?.({ ...context, how }) ?? {};
  return { keys, values };
}

/** Whether row i of what a step gives has NaN or +∞ in it (−∞ is what a mask writes): no sentence on shares is true then. */
function notFinite({ kind, out }, i) {
  if (kind === "tokens") return false;
  return out.some((entry) => Array.from({ length: entry.cols }, (_, c) => readItem(entry, i, c)).some((v) => Number.isNaN(v) || v === Infinity));
}

const row = (matrix, i) => {
  const shown = Array.from({ length: Math.min(matrix.cols, 4) }, (_, c) => num(matrix.at(i, c)));
  return `[${shown.join(", ")}${matrix.cols > 4 ? ", …" : ""}]`;
};
const ifIdentity = (model, weight, step) => [model.identity.includes(weight) ? `${step}_identity` : step];
const ifCross = (model, weight, step) => (model.M.context ? [`${step}_cross`] : ifIdentity(model, weight, step));
const bias = (model) => (model.biases ? ["bias_note"] : []);
const originOf = (model, i) => model.origins?.[i] ?? "table";

const SENTENCES = {
  tokens: ({ model, i }) => ({
    keys: ["tokens", ...(model.padded.length ? ["tokens_padded"] : []), `id_${originOf(model, i)}`],
    id: model.ids[i], hidden: model.padded.length,
  }),
  embedding: ({ model, i }) => ({ keys: ["embedding", ...embeddingNote(model, i)], row: row(model.M.embedding, i), id: model.ids[i] }),
  position: ({ model, i, j }) => ({
    keys: [j % 2 ? "position_cosine" : "position_sine"], place: i, v: num(model.M.position.at(i, j)),
    wave: num((2 * Math.PI) / model.base ** -((2 * Math.floor(j / 2)) / model.d_model), 1),
  }),
  input: ({ model, i, j }) =>
    model.M.position
      ? { keys: ["input_sum"], a: num(model.M.embedding.at(i, j)), b: num(model.M.position.at(i, j)), v: num(model.M.input.at(i, j)), place: i }
      : { keys: [model.layer === null ? "input" : model.layer ? "input_layer" : "input_first"], row: row(model.M.input, i), layer: model.layer },
  context: ({ model, i }) => ({ row: row(model.M.context, i) }),
  value_input: ownRow,
  gate_input: ownRow,
  query_all: allHeadsSentence,
  key_all: allHeadsSentence,
  query: (context) => projected(context, ifIdentity(context.model, "w_q", "query")),
  key: (context) => projected(context, ifCross(context.model, "w_k", "key")),
  value: (context) => projected(context, ifCross(context.model, "w_v", "value")),
  query_rotated: (context) => ({ place: placeOf(context.model, "queries", context.i), ...beforeAndAfter(context) }),
  key_rotated: (context) => ({ place: placeOf(context.model, "keys", context.i), ...beforeAndAfter(context) }),
  gate: ({ model, i }) => {
    const { gate } = model.M;
    return { keys: [gate.cols === 1 ? "gate_one" : "gate", ...bias(model)], row: row(gate, i), v: num(gate.at(i, 0)) };
  },
  scores: scoreSentence,
  scaled: scaleSentence,
  biased: summed,
  masked: maskSentence,
  weights: weightSentence,
  window_output: ({ model, text, i }) => ({ count: model.keys.length, mix: mixture(model, text, sharesOf(model, i)) || shareOf(0) }),
  head_output: (context) => (context.how.operation === "sum" ? restSentence(context) : blendSentence(context)),
  contribution: ({ model, i }) => ({ row: row(model.M.contribution, i), head: model.head }),
  concat: ({ model }) => ({ keys: [model.heads === 1 ? "concat_one" : "concat"] }),
  output: outputSentence,
};

/** What says all that there is to say, whichever step it is. */
const OF_OPERATIONS = {
  rms_norm: normSentence,
  layer_norm: normSentence,
  multiply: (context) => ({ keys: ["multiply"], by: num(context.model.numbers[context.how.inputs[1]], 4), ...beforeAndAfter(context) }),
  softcap: (context) => ({ keys: ["softcap"], cap: num(context.model.numbers[context.how.inputs[1]], 1).replace(/\.0$/, ""), ...beforeAndAfter(context) }),
  sigmoid: (context) => ({ keys: ["sigmoid"], ...beforeAndAfter(context) }),
  softplus: (context) => ({ keys: ["softplus"], ...beforeAndAfter(context) }),
  gated: (context) => ({ keys: ["gated"], by: num(readItem(context.picture.right[0], context.i, context.j)), ...beforeAndAfter(context) }),
};

/** The cell as it was and as it is now; `what` it is a number of. */
function beforeAndAfter({ text, picture, i, j }) {
  const [left, out] = [picture.left[0], picture.out[0]];
  return { what: whatIs(text, out), a: num(readItem(left, i, j)), v: num(readItem(out, i, j)) };
}

const whatIs = (text, entry) => text.names[{ q: "query", k: "key" }[entry.hue] ?? "value"];

function normSentence(context) {
  const { model, how, j } = context;
  const offset = offsetOf(model, how.inputs);
  const wide = how.inputs.some((name) => name.endsWith("_offset"));
  const found = beforeAndAfter(context);
  return { keys: [how.operation, ...(wide ? ["norm_wide"] : [])], ...found, a: num(readItem(context.picture.left[0], context.i, offset + j)) };
}

/** A query, key or value: projected from X, or as the model gave it. */
function projected({ model, text, step, how, picture, i }, keys) {
  const matrix = model.M[step];
  if (how.operation === "lookup") return { keys: ["given"], what: whatIs(text, picture.out[0]), row: row(matrix, i) };
  return { keys: [...keys, ...bias(model)], row: row(matrix, i) };
}

function ownRow({ model, step, i }) {
  return { keys: [step], row: row(model.M[step], i) };
}

function allHeadsSentence({ model, text, step, picture }) {
  return { keys: ["all_heads", ...bias(model)], what: whatIs(text, picture.out[0]), count: model.M[step].cols };
}

/** Two numbers of the same place, and their sum. */
function summed({ picture, i, j }) {
  const [a, b, v] = [picture.left[0], picture.right[0], picture.out[0]].map((entry) => num(readItem(entry, i, j)));
  return { a, b, v };
}

/** The keys that are not drawn add what they hand over. */
function restSentence(context) {
  const { model, i } = context;
  if (model.empty[i]) return { keys: ["head_output_empty"] };
  const others = model.window.M - model.keys.length;
  const share = model.M.rest_mass.at(i, 0);
  return { keys: [share ? "head_output_window" : "head_output_window_none"], others, share: shareOf(share), ...summed(context) };
}

/** One word has one vector everywhere, unless the user has changed a row. */
function embeddingNote(model, i) {
  if (originOf(model, i) === "edited") return ["embedding_edited"];
  return model.origins?.includes("edited") ? [] : ["embedding_same"];
}

function scoreSentence({ model, text, i, j }) {
  const best = bestKeys(model, i);
  // of a long text the best key may not be among those that are shown
  const tail = model.window ? [] : best.length > 1 ? ["scores_tie"] : model.keys.length > 1 ? ["scores_best"] : [];
  return {
    keys: ["scores", ...tail], v: num(model.M.scores.at(i, j)), count: best.length,
    best: quoted(text, model.keys[best[0]]), best_v: num(model.M.scores.at(i, best[0])),
  };
}

function scaleSentence({ model, i, j }) {
  const values = { a: num(model.M.scores.at(i, j)), v: num(model.M.scaled.at(i, j)), root: num(Math.sqrt(model.d_k)), by: num(model.scale, 4) };
  if (model.usual) return { keys: [model.d_k === 1 ? "scaled_one" : "scaled"], ...values };
  return { keys: [model.scale === 1 ? "scaled_not" : "scaled_other"], ...values };
}

function maskSentence({ model, text, i, j }) {
  if (model.window) return windowMaskSentence(model, i, j);
  const { visible, ...hidden } = sightOf(model, i);
  const seen = visible.length;
  if (!seen) return { keys: ["masked_empty"] };
  if (seen === model.keys.length) return { keys: ["masked_all"], seen };
  const kinds = Object.entries(hidden).filter(([, count]) => count);
  const why = kinds.map(([kind, count]) => text.hidden[kind].replace("{count}", count)).join(text.separator);
  return { keys: [...(model.padded.includes(j) ? ["masked_padding"] : []), "masked"], seen, why };
}

function windowMaskSentence(model, i, j) {
  const seen = model.window.visible[i];
  if (!seen) return { keys: ["masked_empty"] };
  return { keys: [...(model.padded.includes(j) ? ["masked_padding"] : []), "masked_window"], seen, shown: model.keys.length };
}

function weightSentence({ model, picture, i, j }) {
  if (model.empty[i]) return { keys: ["weights_empty"] };
  const terms = exponentials(model, picture, i);
  const warm = model.temperature === 1 ? "" : "_temperature";
  const { entry, column } = partAt(picture.out, j);
  return {
    keys: [`weights${warm}`, shareKey(model, picture, entry, i, j)],
    less: signed(-terms[0].factors[1]), sum: num(sumOf(terms)), share: shareOf(readItem(entry, i, column)), T: model.temperature,
    others: model.window ? model.window.M - model.keys.length : 0, ...sharesBeside(picture, i),
  };
}

/** Of a share: what adds up to 1 with it. */
function shareKey(model, picture, entry, i, j) {
  if (entry.colAxis === "beside") return `weights_of_${entry.id.replace("_mass", "")}`;
  const beside = picture.out.slice(1).map(({ id }) => id.replace("_mass", ""));
  if (model.M.mask && model.M.mask.state(i, j) !== 0) return beside.length ? "weights_hidden_beside" : "weights_hidden";
  return ["weights_share", ...beside].join("_");
}

/** What all keys that are drawn get together, and what takes part beside them: {keys, sink, rest}. */
function sharesBeside({ out }, i) {
  const sum = (entry) => Array.from({ length: entry.cols }, (_, c) => readItem(entry, i, c)).reduce((all, share) => all + share, 0);
  const sums = out.map(sum);
  const whole = Math.abs(sums[0] - 1) < ROUNDING && sums.slice(1).every((share) => share === 0);
  const named = out.map((entry, at) => [at ? entry.id.replace("_mass", "") : "drawn", shareOf(!at && whole ? 1 : sums[at])]);
  return Object.fromEntries(named);
}

function blendSentence({ model, text, i }) {
  if (model.empty[i]) return { keys: ["head_output_empty"] };
  const shares = sharesOf(model, i);
  const only = quoted(text, model.keys[shares[0]?.j ?? 0]);
  if (shares.length === 1 && !model.how.weights.beside?.length) return { keys: [model.keys.length === 1 ? "head_output_alone" : "head_output_one"], only };
  const key = shares.length === model.keys.length ? "head_output" : "head_output_some";
  return { keys: [key], seen: shares.length, mix: mixture(model, text, shares) || shareOf(0) };
}

/** "30 % “animal”, 20 % “didn't”, 50 % of the rest". */
function mixture(model, text, shares) {
  const named = shares.slice(0, NAMED).map(({ j, weight }) => `${shareOf(weight)} ${quoted(text, model.keys[j])}`);
  const rest = shares.slice(NAMED).reduce((sum, { weight }) => sum + weight, 0);
  if (rest > 0) named.push(text.rest_share.replace("{share}", shareOf(rest)));
  return named.join(text.separator);
}

/** The tail says whose values are in the row: those that the mask lets the query see, in all heads together. */
function outputSentence({ model, text, i }) {
  const { visible } = sightOf(model, i);
  const seen = visible.length;
  const some = seen === model.keys.length ? "made_of_all" : "made_of_some";
  const tail = seen > 1 ? some : seen ? "made_of_one" : "made_of_nothing";
  const key = model.identity.includes("w_o") ? "output_identity" : model.heads === 1 ? "output_one" : "output";
  return { keys: [key, tail], row: row(model.M.output, i), seen, only: quoted(text, model.keys[visible[0] ?? 0]) };
}
