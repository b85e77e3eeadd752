// Chips to be put into another order. While one is held the others make room; the server hears of the order at the end.
import { readPalette } from "../lib/colour.js";
import { clamp, el } from "../lib/dom.js";
import { Rest } from "../lib/rest.js";

const tokenOrderViews = new WeakMap();
const TOKEN_ORDER_STEPS = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 };
const TOKEN_ORDER_REST = 350; // milliseconds after the last key until the server hears of it

export default function tokenOrderComponent({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".am-token-order");
  const view = tokenOrderViews.get(parentElement) ?? newTokenOrderView(root);
  tokenOrderViews.set(parentElement, view);
  readPalette(root);
  view.data = data;
  view.send = () => setTriggerValue("order", view.order);
  if (view.held === null && !view.resting.pending) view.order = [...data.order];
  view.chips.setAttribute("aria-label", data.text.label);
  root.querySelector(".hint").textContent = data.text.hint;
  view.chips.onkeydown = (event) => pressTokenOrderKey(view, event);
  view.chips.onpointerdown = (event) => grabTokenChip(view, event);
  view.chips.onpointermove = (event) => dragTokenChip(view, event);
  view.chips.onpointerup = view.chips.onpointercancel = () => dropTokenChip(view);
  while (view.chips.children.length > data.labels.length) view.chips.lastChild.remove();
  while (view.chips.children.length < data.labels.length) view.chips.append(newTokenChip());
  arrangeTokenChips(view);
  return () => {
    view.resting.stop();
    tokenOrderViews.delete(parentElement);
  };
}

function newTokenOrderView(root) {
  const part = (name) => root.querySelector(name);
  return { root, chips: part(".chips"), live: part(".live"), held: null, resting: new Rest(root, TOKEN_ORDER_REST) };
}

function newTokenChip() {
  const chip = el("div", "chip");
  chip.setAttribute("role", "option");
  chip.tabIndex = -1;
  return chip;
}

/** Chips are kept and filled anew in order, so that the focus is not lost. */
function arrangeTokenChips(view) {
  [...view.chips.children].forEach((chip, place) => fillTokenChip(view, chip, place));
  if (![...view.chips.children].some((chip) => chip.tabIndex === 0) && view.chips.firstChild) view.chips.firstChild.tabIndex = 0;
}

function fillTokenChip(view, chip, place) {
  const index = view.order[place];
  chip.replaceChildren(document.createTextNode(view.data.labels[index]), el("sup", "", index));
  chip.classList.toggle("moved", index !== place);
  chip.classList.toggle("held", place === view.held);
  chip.setAttribute("aria-selected", String(place === view.held));
}

function grabTokenChip(view, event) {
  const place = [...view.chips.children].indexOf(event.target.closest(".chip"));
  if (place < 0) return;
  view.held = place;
  view.from = view.order.join();
  view.chips.setPointerCapture(event.pointerId);
  arrangeTokenChips(view);
}

/** The held chip takes the place of another once the pointer is past that one's middle, so that they cannot flicker. */
function dragTokenChip(view, { clientX, clientY }) {
  if (view.held === null) return;
  const boxes = [...view.chips.children].map((chip) => chip.getBoundingClientRect());
  const over = boxes.findIndex((box) => clientX >= box.left - 3 && clientX <= box.right + 3 && clientY >= box.top - 3 && clientY <= box.bottom + 3);
  if (over < 0 || over === view.held) return;
  const middle = (boxes[over].left + boxes[over].right) / 2;
  const sameRow = Math.abs(boxes[over].top - boxes[view.held].top) < 4;
  if (sameRow && (over > view.held ? clientX < middle : clientX > middle)) return;
  moveTokenChip(view, view.held, over);
  view.held = over;
  arrangeTokenChips(view);
}

function moveTokenChip(view, from, to) {
  const [index] = view.order.splice(from, 1);
  view.order.splice(to, 0, index);
  const values = { token: view.data.labels[index], place: to, last: view.order.length - 1 };
  view.live.textContent = view.data.text.moved.replace(/\{(token|place|last)\}/g, (_, name) => values[name]);
}

function dropTokenChip(view) {
  if (view.held === null) return;
  view.held = null;
  arrangeTokenChips(view);
  if (view.order.join() !== view.from) view.send();
}

/** Arrow keys walk through the chips; with Shift or Alt they take the chip along. */
function pressTokenOrderKey(view, event) {
  const step = TOKEN_ORDER_STEPS[event.key];
  if (!step) return;
  event.preventDefault();
  event.stopPropagation();
  const chips = [...view.chips.children];
  const from = chips.findIndex((chip) => chip.matches(":focus"));
  const to = clamp(from + step, 0, chips.length - 1);
  if ((event.shiftKey || event.altKey) && from >= 0 && to !== from) {
    moveTokenChip(view, from, to);
    arrangeTokenChips(view);
    view.resting.later(() => view.send());
  }
  chips.forEach((chip, place) => (chip.tabIndex = place === to ? 0 : -1));
  chips[to].focus();
}
