// Which sentence is true of a step and a cell: read off the numbers and the mask, never off what is usual.
import { num, signed } from "../lib/numbers.js";
import { readItem } from "./pictures.js";
import { bestKeys, shareOf, sharesOf, sightOf } from "./sight.js";
import { exponentials, sumOf } from "./terms.js";

const NAMED = 3; // keys that a blend names; the others are "the rest"

export const quoted = (text, token) => `${text.quote_open}${token}${text.quote_close}`;

/** What is said: {keys, values}; `keys` of the table of sentences, in order, and what fills their places. */
export function sentenceOf(context) {
  if (notFinite(context.picture, context.i)) return { keys: ["not_finite"], values: {} };
  const found = SENTENCES[context.step]?.(context) ?? {};
  const { keys = [context.step], ...values } = found;
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
  context: ({ model, i }) => ({ row: row(model.M.context, i), M: model.keys.length }),
  query: ({ model, i }) => ({ keys: [...ifIdentity(model, "w_q", "query"), ...bias(model)], row: row(model.M.query, i) }),
  key: ({ model, i }) => ({ keys: [...ifCross(model, "w_k", "key"), ...bias(model)], row: row(model.M.key, i) }),
  value: ({ model, i }) => ({ keys: [...ifCross(model, "w_v", "value"), ...bias(model)], row: row(model.M.value, i) }),
  query_rotated: ({ model, i, j }) => ({ place: i, a: num(model.M.query.at(i, j)), v: num(model.M.query_rotated.at(i, j)) }),
  key_rotated: ({ model, i, j }) => ({ place: i, a: num(model.M.key.at(i, j)), v: num(model.M.key_rotated.at(i, j)) }),
  scores: scoreSentence,
  scaled: scaleSentence,
  biased: ({ model, i, j }) => ({ a: num(model.M.scaled.at(i, j)), b: num(model.M.bias.at(i, j)), v: num(model.M.biased.at(i, j)) }),
  masked: maskSentence,
  weights: weightSentence,
  head_output: blendSentence,
  contribution: ({ model, i }) => ({ row: row(model.M.contribution, i), head: model.head }),
  concat: ({ model }) => ({ keys: [model.heads === 1 ? "concat_one" : "concat"] }),
  output: outputSentence,
};

/** One word has one vector everywhere, unless the user has changed a row. */
function embeddingNote(model, i) {
  if (originOf(model, i) === "edited") return ["embedding_edited"];
  return model.origins?.includes("edited") ? [] : ["embedding_same"];
}

function scoreSentence({ model, text, i, j }) {
  const best = bestKeys(model, i);
  const tail = best.length > 1 ? ["scores_tie"] : model.keys.length > 1 ? ["scores_best"] : [];
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
  const { visible, ...hidden } = sightOf(model, i);
  const seen = visible.length;
  if (!seen) return { keys: ["masked_empty"] };
  if (seen === model.keys.length) return { keys: ["masked_all"], seen };
  const kinds = Object.entries(hidden).filter(([, count]) => count);
  const why = kinds.map(([kind, count]) => text.hidden[kind].replace("{count}", count)).join(text.separator);
  return { keys: [...(model.padded.includes(j) ? ["masked_padding"] : []), "masked"], seen, why };
}

function weightSentence({ model, picture, i, j }) {
  if (model.empty[i]) return { keys: ["weights_empty"] };
  const terms = exponentials(model, picture, i);
  const warm = model.temperature === 1 ? "" : "_temperature";
  const hidden = model.M.mask && model.M.mask.state(i, j) !== 0;
  return {
    keys: [`weights${warm}`, hidden ? "weights_hidden" : "weights_share"],
    less: signed(-terms[0].factors[1]), sum: num(sumOf(terms)), share: shareOf(model.M.weights.at(i, j)), T: model.temperature,
  };
}

function blendSentence({ model, text, i }) {
  if (model.empty[i]) return { keys: ["head_output_empty"] };
  const shares = sharesOf(model, i);
  const only = quoted(text, model.keys[shares[0].j]);
  if (shares.length === 1) return { keys: [model.keys.length === 1 ? "head_output_alone" : "head_output_one"], only };
  const key = shares.length === model.keys.length ? "head_output" : "head_output_some";
  return { keys: [key], seen: shares.length, mix: mixture(model, text, shares) };
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
