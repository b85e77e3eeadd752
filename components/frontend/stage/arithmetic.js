// The focused cell's arithmetic in one line, each factor in its matrix's hue.
import { el, filled } from "../lib/dom.js";
import { factor, MINUS, num, signed, twoDecimals } from "../lib/numbers.js";
import { rowToken } from "./pictures.js";
import { whyHidden } from "./sight.js";
import { sumOf } from "./terms.js";

const LONG = 16; // above this many terms only the largest are written out
const KEPT = 8;

const span = (text, className) => el("span", className, text);
const sign = (text) => span(` ${text} `, "o");

/** Write the explanation into `host`; `onTerm(k | null)` is called when a term is hovered or left. */
export function writeArithmetic(host, explanation, { model, text, onTerm }) {
  const writers = { dot: dotLine, sum: sumLine, product: scaleLine, softmax: softmaxLine, sine: waveLine, cosine: waveLine, copy: copyLine };
  const line = writers[explanation.operation](explanation, model, text, onTerm);
  host.replaceChildren(...line);
  host.classList.toggle("many", line.length > 24);
}

/** What the line is about: q(it) · k(animal), w(it → animal), y(it)₃ … */
function subject({ step, i, column, entry }, model) {
  const [query, key] = [rowToken(model, entry, i), model.keys[column]];
  const head = el("span", "lhs");
  const letter = (name, hue) => head.append(el("i", hue, name));
  if (step === "scores") {
    letter("q", "q");
    head.append(span(`(${query})`, "q"), span(" · ", "o"));
    letter("k", "k");
    head.append(span(`(${key})`, "k"));
  } else if (step === "weights") {
    letter("w", "w");
    head.append(span(`(${query} → ${key})`, "w"));
  } else if (["scaled", "biased", "masked"].includes(step)) head.append(span(`${query} → ${key}`, "x"));
  else {
    const names = { query: "q", key: "k", value: "v", head_output: "z", output: "y", contribution: "y", query_rotated: "q", key_rotated: "k", context: "x", embedding: "e", position: "p", input: "x" };
    letter(names[step] ?? "z", entry.hue);
    head.append(span(`(${query})`, entry.hue), el("sub", entry.hue, column));
  }
  return head;
}

function dotLine(explanation, model, text, onTerm) {
  const { terms, result } = explanation;
  const digits = terms.every((term) => term.factors.every(twoDecimals)) ? 2 : 3;
  const { shown, rest, restCount } = largestTerms(terms);
  const line = [subject(explanation, model), sign("=")];
  shown.forEach((term, at) => {
    if (at) line.push(sign("+"));
    line.push(termNode(term, digits, at === 0, onTerm));
  });
  if (restCount) line.push(span(` ${signed(rest, digits)} (${filled(text.smaller_terms, { count: restCount })})`, "o"));
  const printed = shown.reduce((sum, { factors: [a, b] }) => sum + Number(a.toFixed(digits)) * Number(b.toFixed(digits)), rest);
  const same = digits === 2 && Math.abs(printed - result) < 0.005;
  line.push(sign(same ? "=" : "≈"), span(num(result, digits), `sum ${explanation.entry.hue}`));
  return line;
}

/** All terms, or the largest in their own order with the sum of the others. */
function largestTerms(terms) {
  if (terms.length <= LONG) return { shown: terms, rest: 0, restCount: 0 };
  const bySize = [...terms].sort((a, b) => Math.abs(b.value) - Math.abs(a.value));
  const kept = new Set(bySize.slice(0, KEPT));
  return { shown: terms.filter((term) => kept.has(term)), rest: sumOf(bySize.slice(KEPT)), restCount: terms.length - KEPT };
}

/** A product; only the `first` of a sum may begin with a sign, behind an operator it goes into brackets. */
function termNode(term, digits, first, onTerm) {
  const node = el("span", "term");
  const [a, b] = term.factors;
  node.append(span(first ? num(a, digits) : factor(a, digits), term.hues[0]), span("×", "o"), span(factor(b, digits), term.hues[1]));
  node.title = term.label;
  node.addEventListener("pointerenter", () => onTerm(term.k));
  node.addEventListener("pointerleave", () => onTerm(null));
  return node;
}

function sumLine(explanation, model, text) {
  const [a, b] = explanation.terms.map((term) => term.value);
  const digits = explanation.step === "masked" ? 2 : 3;
  const line = [subject(explanation, model), sign("="), span(num(a, digits)), sign("+"), span(factor(b, digits))];
  line.push(sign("="), span(num(explanation.result, digits), "sum"));
  if (b === -Infinity) {
    const reason = whyHidden(model, explanation.i, explanation.column);
    line.push(span(`\u2002(${text.reasons[reason]})`, "o"));
  }
  return line;
}

function scaleLine(explanation, model) {
  const [score] = explanation.terms[0].factors;
  if (!model.usual) {
    const product = [span(num(score, 3)), sign("×"), span(num(model.scale, 4)), sign("≈")];
    return [subject(explanation, model), sign("="), ...product, span(num(explanation.result, 3), "sum")];
  }
  const root = num(Math.sqrt(model.d_k), 3).replace(/\.?0+$/, "");
  return [
    subject(explanation, model), sign("="), span(num(score, 3)), sign("÷"), span(`√${model.d_k}`), sign("="), span(num(score, 3)),
    sign("÷"), span(root), sign("≈"), span(num(explanation.result, 3), "sum"),
  ];
}

function softmaxLine(explanation, model) {
  const { terms, chosen, result } = explanation;
  const [score, largest, temperature] = terms[chosen].factors;
  const power = score === -Infinity ? `${MINUS}∞` : `${num(score)} ${signed(-largest)}`;
  const exponent = el("sup", "", temperature === 1 ? power : `(${power}) / ${temperature}`);
  const line = [subject(explanation, model), sign("="), span("e", "lhs"), exponent, sign("÷")];
  if (terms.length <= 24) {
    line.push(span("("));
    terms.forEach((term, at) => {
      if (at) line.push(sign("+"));
      line.push(span(num(term.value), at === chosen ? "w sum" : "x"));
    });
    line.push(span(")"));
  } else line.push(span(num(sumOf(terms), 3)));
  const whole = sumOf(terms);
  if (whole > 0) line.push(sign("="), span(num(terms[chosen].value, 3), "w"), sign("÷"), span(num(whole, 3)));
  line.push(sign(whole > 0 ? "≈" : "→"), span(num(result, 3), "sum w"));
  return line;
}

function waveLine(explanation, model) {
  const [position, rate] = explanation.terms[0].factors;
  const pair = 2 * Math.floor(explanation.column / 2);
  const name = explanation.operation === "sine" ? "sin" : "cos";
  const power = el("sup", "", `${pair}/${model.d_model}`);
  return [
    subject(explanation, model), sign("="), span(`${name}(${position} ÷ ${model.base}`), power, span(")"), sign("="),
    span(`${name}(${num(position * rate, 3)})`), sign("≈"), span(num(explanation.result, 3), "sum"),
  ];
}

function copyLine(explanation, model, text) {
  const { step, i, column, entry, result } = explanation;
  if (step === "concat") {
    const head = el("span", "lhs v", `${text.names.head} ${entry.head ?? 0}`);
    head.append(el("sub", "", column));
    const whole = el("span", "lhs v", `${text.names.concat}(${model.tokens[i]})`);
    whole.append(el("sub", "", (entry.head ?? 0) * model.d_v + column));
    return [whole, sign("="), head, sign("="), span(num(result, 3), "sum v")];
  }
  const from = span(`${text.names.id} ${model.ids[i]}`, "o");
  return [subject(explanation, model), sign("="), span(num(result, 3), "sum"), span("\u2002("), from, span(")")];
}
