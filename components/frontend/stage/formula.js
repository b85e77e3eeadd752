// The formula is the stepper: softmax(Q·Kᵀ / √d_k)·V with what comes before and after; its parts are buttons.
import { el } from "../lib/dom.js";
import { num } from "../lib/numbers.js";

const mark = (tag, text) => el(tag, "", text);

/** Build the formula for these steps into `host`; `go(step)` is called when a part is clicked. */
export function buildFormula(host, model, text, go) {
  const has = (step) => model.steps.includes(step);
  const part = (step, className, ...content) => {
    if (!has(step)) return absent(className, content);
    const button = el("button", `part ${className}`);
    button.type = "button";
    button.dataset.step = step;
    button.title = text.titles[step] ?? "";
    button.setAttribute("aria-label", `${text.names[step] ?? step}: ${text.titles[step] ?? ""}`);
    button.append(...content);
    button.addEventListener("click", () => go(step));
    return button;
  };
  const before = el("span", "side");
  if (has("tokens")) before.append(part("tokens", "word", text.names.tokens), operator("→"));
  if (has("embedding")) before.append(part("embedding", "", "E"));
  if (has("position")) before.append(operator("+"), part("position", "", "P"), operator("→"));
  before.append(part("input", "", "X"));
  if (has("context")) before.append(part("context", "", "X", mark("sub", "enc")));
  before.append(operator("→"));
  before.append(part("query", "q", "Q"), part("key", "k", "K"), part("value", "v", "V"), operator("→"));
  if (has("query_rotated")) before.append(part("query_rotated", "q", "Q", mark("sup", "↻")));
  if (has("key_rotated")) before.append(part("key_rotated", "k", "K", mark("sup", "↻")));
  if (has("query_rotated") || has("key_rotated")) before.append(operator("→"));
  const after = el("span", "side");
  if (!model.alone) after.append(operator("→"), part("concat", "word", text.names.concat), operator("·"), part("output", "", "W", mark("sub", "O")));
  else if (has("contribution")) after.append(operator("·"), part("contribution", "", "W", mark("sub", "O"), `[${model.head}]`));
  const middle = el("span", "middle"); // never torn apart where the formula wraps
  middle.append(...attention(part, has, model));
  host.replaceChildren(before, middle, after);
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

function attention(part, has, model) {
  const cooled = model.temperature === 1 ? [] : [mark("sub", `T=${num(model.temperature, 2).replace(/\.?0+$/, "")}`)];
  const scores = part("scores", "", el("span", "q", "Q"), "\u2009", el("span", "k", "K"));
  scores.lastChild.append(mark("sup", "⊤"));
  const root = el("span", "root");
  const bar = el("span", "bar", "d");
  bar.append(mark("sub", "k"));
  root.append(el("span", "sign", "√"), bar);
  const fraction = el("span", "fraction");
  if (model.usual) fraction.append(scores, el("span", "rule"), part("scaled", "", root));
  else fraction.append(scores, operator("×"), part("scaled", "", num(model.scale, 3).replace(/\.?0+$/, "")));
  return [
    part("weights", "w word", "softmax", ...cooled),
    el("span", "bracket", "("),
    fraction,
    ...(has("biased") ? [operator("+"), part("biased", "", "B")] : []),
    ...(has("masked") ? [operator("+"), part("masked", "", "M")] : []),
    el("span", "bracket", ")"),
    operator("·"),
    part("head_output", "v", "V"),
  ];
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
