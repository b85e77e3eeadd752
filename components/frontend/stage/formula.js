// The formula is the stepper: softmax(Q·Kᵀ / √d_k)·V with what comes before and after; its parts are buttons.
import { el } from "../lib/dom.js";
import { num } from "../lib/numbers.js";

const mark = (tag, text) => el(tag, "", text);

/** Build the formula for these steps into `host`; `go(step)` is called when a part is clicked. */
export function buildFormula(host, model, text, go) {
  const part = partMaker(model, text, go);
  const before = el("span", "side");
  for (const group of groupsBefore(model)) {
    const parts = group.map((step) => part(step, hueOf(model, step), ...symbolOf(model, text, step)));
    // E + P are added; whatever else stands side by side is made of the same thing
    parts.forEach((node, at) => before.append(...(at && model.looks[group[at]]?.rows === "position" ? [operator("+")] : []), node));
    before.append(operator("→"));
  }
  const middle = el("span", "middle"); // never torn apart where the formula wraps
  middle.append(...attention(part, model));
  host.replaceChildren(before, middle, afterwards(part, model, text));
}

/** Makes the buttons: `part(step, className, ...content)`; what this trace has no step for is no button. */
function partMaker(model, text, go) {
  return (step, className, ...content) => {
    if (!model.steps.includes(step)) return absent(className, content);
    const button = el("button", `part ${className}`);
    button.type = "button";
    button.dataset.step = step;
    button.title = text.titles[step] ?? "";
    button.setAttribute("aria-label", `${text.names[step] ?? step}: ${text.titles[step] ?? ""}`);
    button.append(...content);
    button.addEventListener("click", () => go(step));
    return button;
  };
}

/** The steps before the scores: tokens, E + P, the inputs, what is projected from them, then each change of Q and K. */
function groupsBefore(model) {
  const groups = new Map();
  const scores = model.steps.findIndex((step) => model.looks[step]?.cols === "key");
  for (const step of model.steps.slice(0, scores)) {
    const name = groupOf(model, step);
    groups.set(name, [...(groups.get(name) ?? []), step]);
  }
  return groups.values();
}

function groupOf(model, step) {
  const { operation, inputs, depth } = model.how[step];
  if (depth) return `change ${depth}`;
  if (step === "tokens") return step;
  if (model.looks[step].hue) return operation === "output" ? "of all heads" : "projections";
  return inputs.includes("tokens") || operation === "sinusoidal" ? "vectors" : "inputs";
}

const hueOf = (model, step) => model.looks[step]?.hue ?? (step === "tokens" ? "word" : "");

/** How the formula writes a step: its symbol, or its name. */
function symbolOf(model, text, step) {
  const { symbol, sub, sup } = model.looks[step] ?? {};
  if (!symbol) return [text.names[step]];
  return [symbol, ...(sub ? [mark("sub", sub)] : []), ...(sup ? [mark("sup", sup)] : [])];
}

/** What follows the mixed values: a gate where there is one, then W_O. */
function afterwards(part, model, text) {
  const after = el("span", "side");
  const has = (step) => model.steps.includes(step);
  if (has("gated_output")) {
    const gate = ["gate_input", "gate", "gate_opening"].filter(has).map((step) => part(step, model.looks[step].symbol ? "" : "word", ...symbolOf(model, text, step)));
    after.append(part("gated_output", "v", "⊙"), el("span", "bracket", "("), ...gate.flatMap((node, at) => (at ? [operator("→"), node] : [node])), el("span", "bracket", ")"));
  }
  const output = ["W", mark("sub", "O")];
  if (!model.alone) after.append(operator("→"), part("concat", "word", text.names.concat), operator("·"), part("output", "", ...output));
  else if (has("contribution")) after.append(operator("·"), part("contribution", "", ...output, `[${model.head}]`));
  return after;
}

/** A part of the formula that this trace has no step for: written, but nothing to go to, and never done. */
function absent(className, content) {
  const node = el("span", `part absent ${className}`);
  node.append(...content);
  return node;
}

function operator(text) {
  return el("span", "op", text);
}

/** softmax( Q·Kᵀ / √d_k + B + M )·V, with a cap around the scores and a sink beside them where the model has them. */
function attention(part, model) {
  const has = (step) => model.steps.includes(step);
  const cooled = model.temperature === 1 ? [] : [mark("sub", `T=${num(model.temperature, 2).replace(/\.?0+$/, "")}`)];
  const capped = has("softcapped") ? [part("softcapped", "word", "cap"), el("span", "bracket", "(")] : [];
  return [
    part("weights", "w word", "softmax", ...cooled),
    el("span", "bracket", "("),
    ...capped,
    scaledScores(part, model),
    ...(capped.length ? [el("span", "bracket", ")")] : []),
    ...(has("biased") ? [operator("+"), part("biased", "", "B")] : []),
    ...(has("masked") ? [operator("+"), part("masked", "", "M")] : []),
    ...(model.shapes.sink ? [operator(","), absent("", ["s"])] : []),
    el("span", "bracket", ")"),
    operator("·"),
    ...(has("window_output") ? [part("window_output", "v", "V"), operator("+"), part("head_output", "v", "…")] : [part("head_output", "v", "V")]),
  ];
}

function scaledScores(part, model) {
  const scores = part("scores", "", el("span", "q", "Q"), "\u2009", el("span", "k", "K"));
  scores.lastChild.append(mark("sup", "⊤"));
  const root = el("span", "root");
  const bar = el("span", "bar", "d");
  bar.append(mark("sub", "k"));
  root.append(el("span", "sign", "√"), bar);
  const fraction = el("span", "fraction");
  if (model.usual) fraction.append(scores, el("span", "rule"), part("scaled", "", root));
  else fraction.append(scores, operator("×"), part("scaled", "", num(model.scale, 3).replace(/\.?0+$/, "")));
  return fraction;
}

/** Light the current part; what is done is solid, what is to come is pale. */
export function lightFormula(host, steps, at) {
  for (const button of host.querySelectorAll("[data-step]")) {
    const index = steps.indexOf(button.dataset.step);
    button.classList.toggle("done", index >= 0 && index < at);
    button.classList.toggle("now", index === at);
    if (index === at) button.setAttribute("aria-current", "step");
    else button.removeAttribute("aria-current");
  }
  const done = (selector, step) =>
    host.querySelectorAll(selector).forEach((node) => node.classList.toggle("done", steps.includes(step) && at >= steps.indexOf(step)));
  done(".bracket", "weights");
  done(".rule", "scaled");
}
