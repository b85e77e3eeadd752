// Title, explanation and shapes of a step: sentences that name the tokens and numbers on the screen.
import { el, fillTemplate } from "../lib/dom.js";
import { rowToken } from "./pictures.js";
import { quoted, sentenceOf } from "./sentences.js";

/** Write the words for the focused cell into `host` (h2, p, .shapes), `width` pixels wide. */
export function writeWords(host, { model, text, step, picture, focus, width }) {
  const [title, paragraph, shapes] = host.children;
  const { words, values } = sentence(model, text, step, picture, focus);
  title.textContent = text.titles[step];
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

/** The sentences as one template, and what fills its places. */
function sentence(model, text, step, picture, { i, j }) {
  const { keys, values } = sentenceOf({ model, text, step, picture, i, j });
  const token = rowToken(model, picture.out[0], i);
  const sizes = { N: model.window?.N ?? model.tokens.length, M: model.window?.M ?? model.keys.length, D: model.d_model, K: model.d_k, V: model.d_v, H: model.heads, HV: model.heads * model.d_v };
  return {
    words: keys.map((key) => text.sentences[key]).join(""),
    values: { ...sizes, i: quoted(text, token), it: token, j: quoted(text, model.keys[j] ?? ""), d: j, ...values },
  };
}

/** `X 3×3 · W_Q 3×3 = Q 3×3`, each name in its matrix's hue. */
function writeShapes(host, model, text, picture) {
  host.replaceChildren();
  const put = (entry, rows = entry.rows, cols = entry.cols) => {
    const name = el("b", entry.hue, entry.symbol ?? `${text.names[entry.word]}${entry.number === undefined ? "" : ` ${entry.number}`}`);
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
    if (left.length > 1 && kind === "product") put(joined, left[0].rows, width);
    else put(left[0]);
    if (right.length) {
      host.append({ sum: " + ", times: " ⊙ ", norm: ", " }[kind] ?? " · ");
      put(right[right.length > 1 ? current : 0]);
    }
    host.append(right.length && kind !== "norm" ? " = " : " → ");
    put(out[current]);
  }
}

