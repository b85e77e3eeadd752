// One bar per token with its number above and its token below. Plain elements: the text is all there for a reader.
import { readPalette } from "../lib/colour.js";
import { column, el } from "../lib/dom.js";
import { cellNumber } from "../lib/numbers.js";

const TOKEN_BARS_NARROW = 30; // pixels that a column needs for its number
const TOKEN_BARS_NUMBER = 18; // pixels that the number above a bar needs

export default function tokenBarsComponent({ data, parentElement }) {
  const root = parentElement.querySelector(".am-token-bars");
  readPalette(root);
  root.setAttribute("aria-label", data.label);
  root.style.setProperty("--bar", `var(--${data.hue})`);
  const sizes = column(data.sizes);
  const most = data.most ?? Math.max(...sizes);
  root.classList.toggle("many", root.clientWidth / sizes.length < TOKEN_BARS_NARROW);
  root.replaceChildren(...data.names.map((names, index) => tokenBar(names, sizes[index], most, data)));
}

/** `names` are the token's one name, or its two where it was replaced. */
function tokenBar(names, size, most, data) {
  const node = el("div", "col");
  node.setAttribute("role", "listitem");
  node.classList.toggle("changed", names.length > 1);
  node.classList.toggle("zero", size === 0);
  node.title = `${names.join(" → ")}: ${cellNumber(size, 3)}`;
  const track = el("div", "track");
  track.style.height = `${data.height + TOKEN_BARS_NUMBER}px`;
  const bar = el("div", "bar");
  bar.style.height = `${most > 0 ? (data.height * size) / most : 0}px`;
  track.append(el("div", "size", cellNumber(size)), bar);
  node.append(track, ...names.map((name) => el("div", "name", name)));
  return node;
}
