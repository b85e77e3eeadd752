// The sentence as a row of buttons; a pressed one is hidden as padding.
import { readPalette } from "../lib/colour.js";
import { clamp, el } from "../lib/dom.js";

const TOKEN_STRIP_STEPS = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1, Home: -Infinity, End: Infinity };

export default function tokenStripComponent({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".am-token-strip");
  readPalette(root);
  root.setAttribute("aria-label", data.text.label);
  while (root.children.length > data.labels.length) root.lastChild.remove();
  while (root.children.length < data.labels.length) root.append(newTokenButton());
  const hidden = new Set(data.hidden);
  // buttons are kept, not made anew: the one that was just pressed keeps the focus
  [...root.children].forEach((button, index) => {
    const pressed = hidden.has(index);
    button.textContent = data.labels[index];
    button.setAttribute("aria-pressed", String(pressed));
    button.title = pressed ? data.text.show : data.text.hide;
    button.onclick = () => {
      button.setAttribute("aria-pressed", String(button.getAttribute("aria-pressed") !== "true"));
      setTriggerValue("toggle", index);
    };
  });
  if (![...root.children].some((button) => button.tabIndex === 0) && root.firstChild) root.firstChild.tabIndex = 0;
  root.onkeydown = (event) => moveInTokenStrip(root, event);
}

function newTokenButton() {
  const button = el("button");
  button.type = "button";
  button.tabIndex = -1;
  return button;
}

/** One tab stop for the whole strip; arrow keys walk through it. */
function moveInTokenStrip(root, event) {
  const step = TOKEN_STRIP_STEPS[event.key];
  if (step === undefined) return;
  event.preventDefault();
  event.stopPropagation();
  const buttons = [...root.children];
  const from = buttons.findIndex((button) => button.matches(":focus"));
  const next = buttons[clamp(from + step, 0, buttons.length - 1)];
  buttons.forEach((button) => (button.tabIndex = button === next ? 0 : -1));
  next.focus();
}
