// The focused cell's arithmetic in one line, each factor in its matrix's hue.
import { el, filled } from "../lib/dom.js";
import { factor, MINUS, num, signed, twoDecimals } from "../lib/numbers.js";
import { axisLabel, rowToken } from "./pictures.js";
import { whyHidden } from "./sight.js";
import { sumOf } from "./terms.js";

const LONG = 16; // above this many terms only the largest are written out
const KEPT = 8;

const span = (text, className) => el("span", className, text);
const sign = (text) => span(` ${text} `, "o");

/** Write the explanation into `host`; `onTerm(k | null)` is called when a term is hovered or left. */
export function writeArithmetic(host, explanation, { model, text, onTerm }) {
  const line = (WRITERS[explanation.operation] ?? copyLine)(explanation, model, text, onTerm);
  host.replaceChildren(...line);
  host.classList.toggle("many", line.length > 24);
}

/** What the line is about: q(it) · k(animal), w(it → animal), y(it)₃ … */
function subject({ step, i, column, entry }, model) {
  const query = rowToken(model, entry, i);
  const key = axisLabel(model, entry.colAxis, column, entry.id);
  const head = el("span", "lhs");
  const letter = (name, hue) => head.append(el("i", hue, name));
  if (entry.colAxis === "dim" || entry.colAxis.startsWith("dim:")) {
    letter(model.looks[entry.id]?.letter ?? "z", entry.hue);
    head.append(span(`(${query})`, entry.hue), el("sub", entry.hue, column));
  } else if (model.how[step].operation === "dot") {
    letter("q", "q");
    head.append(span(`(${query})`, "q"), span(" · ", "o"));
    letter("k", "k");
    head.append(span(`(${key})`, "k"));
  } else if (entry.weights) {
    letter("w", "w");
    head.append(span(`(${query} → ${key})`, "w"));
  } else head.append(span(`${query} → ${key}`, "x"));
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

const sumLine = (explanation, model) => added(explanation, model, explanation.terms.map((term) => term.value), 3);

function added(explanation, model, [a, b], digits) {
  const line = [subject(explanation, model), sign("="), span(num(a, digits)), sign("+"), span(factor(b, digits))];
  return [...line, sign("="), span(num(explanation.result, digits), "sum")];
}

/** The score plus 0 or −∞, and why it is hidden. */
function maskLine(explanation, model, text) {
  const { factors } = explanation.terms[0];
  const line = added(explanation, model, factors, 2);
  if (factors[1] === -Infinity) {
    const reason = whyHidden(model, explanation.i, explanation.column);
    line.push(span(`\u2002(${text.reasons[reason]})`, "o"));
  }
  return line;
}

/** A number times one other: a scale, or how far a gate is open. */
function productLine(explanation, model) {
  const [score, by] = explanation.terms[0].factors;
  if (model.how[explanation.step].operation !== "scale" || !model.usual) {
    const product = [span(num(score, 3)), sign("×"), span(factor(by, 4)), sign("≈")];
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

function capLine(explanation, model) {
  const [score, cap] = explanation.terms[0].factors;
  const bound = num(cap, 2).replace(/\.?0+$/, "");
  return [subject(explanation, model), sign("="), span(`${bound} × tanh(${num(score, 3)} ÷ ${bound})`), sign("≈"), span(num(explanation.result, 3), "sum")];
}

/** How far a gate opens: 1 ÷ (1 + e⁻ˣ), or ln(1 + eˣ). */
function openingLine(explanation, model) {
  const [x] = explanation.terms[0].factors;
  const line = [subject(explanation, model), sign("="), span(explanation.operation === "sigmoid" ? "1 ÷ (1 + e" : "ln(1 + e")];
  line.push(el("sup", "", num(explanation.operation === "sigmoid" ? -x : x, 3)), span(")"), sign("≈"));
  return [...line, span(num(explanation.result, 3), "sum")];
}

/** A number by the root of the mean square of its vector, and what a norm has learned. */
function normLine(explanation, model) {
  const { terms, chosen, operation, entry } = explanation;
  const layer = operation === "layer_norm";
  const numbers = terms.map((term) => term.factors[0]);
  const mean = layer ? numbers.reduce((sum, x) => sum + x, 0) / numbers.length : 0;
  const square = numbers.reduce((sum, x) => sum + (x - mean) ** 2, 0) / numbers.length;
  const [x, weight, ...rest] = terms[chosen].factors;
  const bias = layer ? rest[0] : 0;
  const top = layer ? `(${num(x, 3)} ${signed(-mean, 3)})` : num(x, 3);
  const line = [subject(explanation, model), sign("="), span(top, entry.hue), sign("÷"), span(`√(${num(square, 3)} + ε)`)];
  line.push(sign("×"), span(factor(weight, 3)), ...(bias ? [span(` ${signed(bias, 3)}`)] : []), sign("≈"));
  return [...line, span(num(explanation.result, 3), `sum ${entry.hue}`)];
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
  const { i, column, entry, result } = explanation;
  if (model.how[explanation.step].operation === "concat") {
    const head = el("span", "lhs v", `${text.names.head} ${entry.head ?? 0}`);
    head.append(el("sub", "", column));
    const whole = el("span", "lhs v", `${text.names.concat}(${model.tokens[i]})`);
    whole.append(el("sub", "", (entry.head ?? 0) * model.d_v + column));
    return [whole, sign("="), head, sign("="), span(num(result, 3), "sum v")];
  }
  const line = [subject(explanation, model), sign("="), span(num(result, 3), "sum")];
  if (model.ids[i] === undefined) return line; // of a trained model's vectors no id is known here
  return [...line, span("\u2002("), span(`${text.names.id} ${model.ids[i]}`, "o"), span(")")];
}

const WRITERS = {
  dot: dotLine, sum: sumLine, mask: maskLine, product: productLine, softmax: softmaxLine, softcap: capLine, sigmoid: openingLine,
  softplus: openingLine, rms_norm: normLine, layer_norm: normLine, sine: waveLine, cosine: waveLine, copy: copyLine, lookup: copyLine,
};
