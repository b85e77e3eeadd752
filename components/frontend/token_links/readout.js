// The words around the picture: a switch per head above, the exact numbers of the focused token below.
import { el, fillTemplate } from "../lib/dom.js";
import { num } from "../lib/numbers.js";
import { linksColour } from "./paint.js";
import { shownLinks } from "./model.js";

/** Switches, one per head. `actions`: {toggle(head), only(head), all(), isolate(head or −1)}. */
export function fillLinkSwitches(view, actions) {
  const { switches, data } = view;
  const wanted = data.heads > 1 ? data.heads + 1 : 0;
  while (switches.children.length > wanted) switches.lastChild.remove();
  while (switches.children.length < wanted) switches.append(newLinkSwitch());
  const buttons = [...switches.children];
  for (let head = 0; head < wanted - 1; head++) {
    const button = buttons[head];
    button.className = "chip";
    button.querySelector("i").style.background = linksColour(view, head);
    button.querySelector("span").textContent = shortLinkName(view, head);
    button.setAttribute("aria-pressed", String(view.on.has(head)));
    button.title = data.text.switch;
    button.onclick = () => actions.toggle(head);
    button.onpointerenter = () => actions.isolate(head);
    button.onpointerleave = () => actions.isolate(-1);
    button.onfocus = () => button.matches(":focus-visible") && actions.isolate(head);
    button.onblur = () => actions.isolate(-1);
  }
  if (data.heads > 1) fillLinkMaster(view, buttons.at(-1), actions);
}

/** "Head 12", or "12" where there are many. */
const shortLinkName = ({ data }, head) => (data.heads > 8 ? data.names[head].split(" ").at(-1) : data.names[head]);

function newLinkSwitch() {
  const button = el("button", "chip");
  button.type = "button";
  button.append(el("i"), el("span"));
  return button;
}

/** The last button switches all heads on, or all but the chosen one off. */
function fillLinkMaster(view, button, actions) {
  const all = view.on.size === view.data.heads;
  button.className = "chip master";
  button.querySelector("span").textContent = all ? view.data.text.only : view.data.text.all;
  button.removeAttribute("aria-pressed");
  button.title = "";
  button.onclick = all ? actions.only : actions.all;
  button.onpointerenter = button.onpointerleave = button.onfocus = button.onblur = null;
}

/** "it looks at  animal 0.68 · tired 0.33 …": the links of the token in focus, strongest first, with what is left. */
export function fillLinkReadout(view) {
  const { readout, data, focus, model, shown } = view;
  if (!focus) {
    readout.replaceChildren(el("span", "mute", data.text.hint));
    return;
  }
  const query = focus.side === "query";
  const label = view.titles[focus.side][focus.index];
  const links = shownLinks(model, shown, focus, 0).reverse().filter((link, rank) => rank === 0 || link.weight >= 0.005);
  const lead = el("span", "lead");
  lead.append(...fillTemplate(query ? data.text.looks_at : data.text.looked_at, { token: label }, (text) => el("b", query ? "q" : "k", text)));
  const items = links.slice(0, 9).map((link) => linkItem(view, link, query));
  const broken = query && shown.some((head) => model.notFinite(head, focus.index));
  if (broken || !links.length) items.push(el("span", "mute", broken ? data.text.not_finite : data.text.nothing));
  const alone = query && shown.length === 1 && !broken;
  const sink = alone ? model.sink(shown[0], focus.index) : 0;
  const rest = alone ? 1 - sink - links.slice(0, 9).reduce((sum, link) => sum + link.weight, 0) : 0;
  if (links.length && rest > 0.005) items.push(...fillTemplate(data.text.rest, { value: num(rest) }, (text) => el("span", "", text)));
  if (sink > 0.005) items.push(...fillTemplate(data.text.sink, { value: num(sink) }, (text) => el("span", "", text)));
  readout.replaceChildren(lead, ...items);
}

function linkItem(view, link, query) {
  const item = el("span", "link");
  item.append(el("span", query ? "k" : "q", query ? view.titles.key[link.key] : view.titles.query[link.query]));
  const value = el("b", "", num(link.weight));
  value.style.color = linksColour(view, link.head);
  item.append(value);
  if (view.shown.length > 1) item.append(el("small", "", view.data.names[link.head]));
  return item;
}
