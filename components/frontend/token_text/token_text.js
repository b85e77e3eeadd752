// Running text of tokens, tinted by attention. Plain elements: it can be read, selected and spoken.
import { cellFill, css, evenTint, inkOn, readPalette } from "../lib/colour.js";
import { clamp, el } from "../lib/dom.js";
import { cellNumber } from "../lib/numbers.js";

const TOKEN_TEXT_STEPS = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity };
const TOKEN_TEXT_SPACE = "␣";
const tokenTextSeen = new WeakMap(); // how many tokens each text had: what is behind them is new

export default function tokenTextComponent({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".am-token-text");
  const palette = readPalette(root);
  const scale = { kind: "weights", gamma: evenTint(data.keys) };
  const focused = root.querySelector(":focus")?.dataset.index;
  const seen = tokenTextSeen.get(parentElement) ?? [];
  root.replaceChildren(
    ...data.lines.flatMap((line, at) => [
      el("span", "name", line.name),
      tokenTextLine(line, { data, palette, scale, seen: seen[at] ?? Infinity, pick: (index) => setTriggerValue("pick", index) }),
    ]),
  );
  tokenTextSeen.set(parentElement, data.lines.map((line) => line.labels.length));
  root.querySelectorAll(".line").forEach(showTokenTextEnd);
  if (focused !== undefined) root.querySelector(`button[data-index="${Number(focused)}"]`)?.focus();
}

function tokenTextLine(line, view) {
  const node = el("div", "line");
  if (line.name) node.setAttribute("aria-label", line.name);
  node.classList.toggle("apart", line.apart);
  line.labels.forEach((_, index) => node.append(tokenTextToken(line, index, view)));
  if (line.open) {
    const caret = el("span", "next");
    caret.setAttribute("aria-hidden", "true");
    node.append(caret);
  }
  const buttons = [...node.querySelectorAll("button")];
  if (buttons.length) (buttons[line.asks] ?? buttons.at(-1)).tabIndex = 0;
  node.onkeydown = (event) => moveInTokenText(buttons, event);
  return node;
}

function tokenTextToken(line, index, { data, palette, scale, seen, pick }) {
  const label = line.labels[index];
  const spaced = label.startsWith(TOKEN_TEXT_SPACE) && label.length > 1;
  const node = el(line.picks ? "button" : "span", "token", spaced ? label.slice(1) : label);
  node.dataset.index = index;
  node.classList.toggle("spaced", spaced && index > 0);
  node.classList.toggle("part", /\d\/\d+$/.test(label) || label.startsWith("⟨"));
  node.classList.toggle("asks", index === line.asks);
  node.classList.toggle("new", index >= seen);
  const notes = [];
  if (index >= line.written) {
    node.classList.add("written");
    const chance = line.chances[index - line.written];
    if (chance !== undefined) {
      node.style.setProperty("--chance", chance);
      notes.push(data.text.written.replace("{chance}", cellNumber(chance)));
    }
  }
  if (line.shares) {
    const share = line.shares[index];
    const fill = cellFill(palette, share, scale);
    if (share >= 0.005 && fill) Object.assign(node.style, { background: css(fill), color: css(inkOn(fill)) });
    notes.push(data.text.share.replace("{share}", cellNumber(share)));
  }
  if (index === line.asks) notes.push(data.text.asks);
  node.title = notes.join(" · ");
  if (line.picks) {
    node.type = "button";
    node.tabIndex = -1;
    node.onclick = () => pick(index);
  }
  return node;
}

/** The end of a long text is where it grows; the token that asks is shown if it is another. */
function showTokenTextEnd(node) {
  const asks = node.querySelector(".asks");
  node.scrollTop = asks ? Math.max(0, asks.offsetTop - node.clientHeight / 2) : node.scrollHeight;
}

/** One tab stop for a text; arrow keys walk through it. */
function moveInTokenText(buttons, event) {
  const step = TOKEN_TEXT_STEPS[event.key];
  const from = buttons.findIndex((button) => button.matches(":focus"));
  if (step === undefined || from < 0) return;
  event.preventDefault();
  event.stopPropagation();
  const next = buttons[clamp(from + step, 0, buttons.length - 1)];
  buttons.forEach((button) => (button.tabIndex = button === next ? 0 : -1));
  next.focus();
}
