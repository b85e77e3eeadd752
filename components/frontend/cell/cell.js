// One query, one key: from their vectors to what reaches the output. Everything is drawn from the numbers of one head.
import { cellFill, css, readPalette } from "../lib/colour.js";
import { column, el, sizeCanvas, watchSize } from "../lib/dom.js";
import { num } from "../lib/numbers.js";
import { drawBars } from "../detail/bars.js";
import { fillKeys } from "./keys.js";

const cellPages = new WeakMap();

export default function mountCell(component) {
  const { parentElement } = component;
  if (!cellPages.has(parentElement)) cellPages.set(parentElement, new CellPage(parentElement));
  cellPages.get(parentElement).update(component);
  return () => {
    cellPages.get(parentElement)?.stop();
    cellPages.delete(parentElement);
  };
}

class CellPage {
  constructor(host) {
    this.root = host.querySelector(".cell-page");
    this.find = (selector) => this.root.querySelector(selector);
    this.bySize = { dimensions: false, keys: false };
    this.before = true; // what the projections gave is shown beside what was multiplied
    this.stop = watchSize(this.root, () => this.draw());
    this.find(".dimensions .sorted").addEventListener("click", () => this.toggle("dimensions"));
    this.find(".dimensions .before").addEventListener("click", () => {
      this.before = !this.before;
      this.draw();
    });
    this.find(".row .sorted").addEventListener("click", () => this.toggle("keys"));
  }

  update({ data, setTriggerValue }) {
    this.data = data.meta;
    this.text = data.meta.text;
    this.vectors = Object.fromEntries(Object.entries(data).filter(([name]) => name !== "meta").map(([name, table]) => [name, column(table)]));
    this.choose = (index) => setTriggerValue("key", index);
    this.draw();
  }

  toggle(list) {
    this.bySize[list] = !this.bySize[list];
    this.draw();
  }

  draw() {
    if (!this.data || !this.root.clientWidth) return;
    this.palette = readPalette(this.root);
    this.flow();
    this.dimensions();
    this.keys();
    this.value();
  }

  /** The cell's numbers in order, from the dot product to its share of what the head writes. */
  flow() {
    const items = this.data.flow.map(({ name, value, hue, digits }) => {
      const item = el("li");
      item.append(el("small", "", name), el("strong", hue, typeof value === "string" ? value : num(value, digits)));
      item.title = name;
      return item;
    });
    this.find(".flow").replaceChildren(...items);
  }

  section(name, title, note) {
    this.find(`.${name} h3`).textContent = title;
    this.find(`.${name} header .mute`).textContent = note;
    return this.find(`.${name} canvas.bars`);
  }

  chip(name, pressed) {
    const chip = this.find(`.${name} .sorted`);
    chip.textContent = this.text.largest_first;
    chip.setAttribute("aria-pressed", String(pressed));
  }

  dimensions() {
    const { text, palette, vectors, bySize } = this;
    const canvas = this.section("dimensions", text.dimensions, this.data.dimensions_note);
    this.chip("dimensions", bySize.dimensions);
    const terms = Array.from(vectors.query, (q, k) => ({ k, label: String(k), a: q, b: vectors.key[k], value: q * vectors.key[k] }));
    if (bySize.dimensions) terms.sort((x, y) => Math.abs(y.value) - Math.abs(x.value));
    const total = terms.reduce((sum, term) => sum + term.value, 0);
    drawBars(canvas, terms, { width: this.root.clientWidth, palette, rows: this.dimensionRows(), total });
    canvas.setAttribute("aria-label", `${text.dimensions}: ${num(total, 3)}`);
  }

  /** Query, key and their product; above each of the two what it was before the model rotated, normed or scaled it. */
  dimensionRows() {
    const { text, vectors } = this;
    const chip = this.find(".before");
    chip.hidden = !vectors.query_before && !vectors.key_before;
    chip.textContent = text.before;
    chip.setAttribute("aria-pressed", String(this.before));
    const before = (side, hue) => {
      const values = this.before && vectors[`${side}_before`];
      return values ? [{ name: text[`${side}_before`], hue, read: (term) => values[term.k] }] : [];
    };
    return [
      ...before("query", "q"),
      { name: text.query, hue: "q", read: (term) => term.a },
      ...before("key", "k"),
      { name: text.key, hue: "k", read: (term) => term.b },
      { name: text.product, hue: "x", read: (term) => term.value },
    ];
  }

  keys() {
    const { text, vectors, data } = this;
    this.find(".row h3").textContent = text.row;
    this.find(".row header .mute").textContent = data.row_note;
    this.chip("row", this.bySize.keys);
    fillKeys(this.find(".keys"), { data, vectors, text, bySize: this.bySize.keys, choose: this.choose });
  }

  value() {
    const { text, palette, vectors, data } = this;
    const canvas = this.section("value", text.value, data.value_note);
    const terms = Array.from(vectors.value, (v, k) => ({ k, label: String(k), v, part: v * data.weight, gated: v * data.weight * (vectors.gate?.[k] ?? 1), all: vectors.written[k] }));
    const rows = [
      { name: text.names_value, hue: "v", read: (term) => term.v },
      { name: text.times_weight, hue: "v", read: (term) => term.part },
      ...(vectors.gate ? [{ name: text.times_gate, hue: "v", read: (term) => term.gated }] : []),
      { name: text.all_keys, hue: "x", read: (term) => term.all },
    ];
    drawBars(canvas, terms, { width: this.find(".value").clientWidth, palette, rows, total: null });
    canvas.setAttribute("aria-label", text.value);
    this.added();
  }

  /** What reaches the output through W_O, as strips: this key's part, and the whole head's. */
  added() {
    const host = this.find(".added");
    const { vectors, data, palette } = this;
    if (!vectors.added_by_key) {
      host.replaceChildren(el("p", "", data.added_note));
      return;
    }
    const largest = Math.max(...Array.from(vectors.added_by_head, Math.abs), ...Array.from(vectors.added_by_key, Math.abs));
    const strip = (name, values) => {
      const canvas = el("canvas");
      host.append(el("div", "", name), canvas);
      const width = host.clientWidth;
      const ctx = sizeCanvas(canvas, width, 15);
      values.forEach((value, c) => {
        ctx.fillStyle = css(cellFill(palette, value, { kind: "signed", max: largest }) ?? palette.mute);
        ctx.fillRect((c * width) / values.length, 0, width / values.length + 0.5, 15);
      });
    };
    host.replaceChildren();
    strip(data.added_key_note, vectors.added_by_key);
    strip(data.added_head_note, vectors.added_by_head);
  }
}
