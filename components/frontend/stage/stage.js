// The stage: one attention head, step by step, in Falk's scheme. Stepping, hovering and opening cells happen here, in
// the browser; Python hears of the step and the cell when they come to rest.
import { readPalette } from "../lib/colour.js";
import { clamp, sizeCanvas, watchSize } from "../lib/dom.js";
import { Rest } from "../lib/rest.js";
import { hideTip } from "../lib/tip.js";
import { writeArithmetic } from "./arithmetic.js";
import { buildFormula, lightFormula } from "./formula.js";
import { listenForKeys, listenForPointer } from "./input.js";
import { layoutStep } from "./layout.js";
import { readModel } from "./matrices.js";
import { paintStage } from "./paint.js";
import { refreshPanels, setUpPanels } from "./panels.js";
import { partAt, pictureOf } from "./pictures.js";
import { explainCell } from "./terms.js";
import { writeWords } from "./words.js";

const MOVE_MS = 230;
const REST_MS = 700;
const FOOT = 104; // pixels kept for the arithmetic below the picture
const stages = new WeakMap();
const calm = matchMedia("(prefers-reduced-motion: reduce)");

export default function mountStage(component) {
  const { parentElement } = component;
  if (!stages.has(parentElement)) stages.set(parentElement, new Stage(parentElement));
  stages.get(parentElement).update(component);
  return () => {
    stages.get(parentElement)?.destroy();
    stages.delete(parentElement);
  };
}

class Stage {
  constructor(host) {
    const find = (selector) => host.querySelector(selector);
    this.root = find(".stage");
    this.parts = Object.fromEntries(
      ["formula", "previous", "next", "count", "picture", "words", "tip", "arithmetic", "live"].map((name) => [name, find(`.${name}`)]),
    );
    this.canvas = find("canvas");
    this.hover = null;
    this.term = null;
    this.images = new Map();
    this.resting = new Rest(this.root, REST_MS);
    this.parts.previous.addEventListener("click", () => this.go(this.at - 1));
    this.parts.next.addEventListener("click", () => this.go(this.at + 1));
    listenForPointer(this);
    this.stopKeys = listenForKeys(this);
    this.stopSize = watchSize(this.root, () => this.relayout());
    setUpPanels(this, find);
  }

  destroy() {
    this.resting.stop();
    cancelAnimationFrame(this.frame);
    this.stopKeys();
    this.stopSize();
  }

  /** New data, a new language or a new theme. The step and the cell stay where they are, unless Python says where to go. */
  update({ data, setStateValue }) {
    // numbered: a view like an earlier one is news all the same
    this.report = (view) => setStateValue("view", { ...view, n: (this.reports = (this.reports ?? 0) + 1) });
    const { start } = data.meta;
    const sent = JSON.stringify(start) !== this.start;
    this.start = JSON.stringify(start);
    const step = sent ? start.step : this.step;
    if (sent) this.resting.drop();
    this.model = readModel(data);
    this.text = data.meta.text;
    this.steps = this.model.steps;
    this.at = Math.max(0, this.steps.indexOf(this.model.instead[step] ?? step));
    if (sent) this.pin = { i: start.i, j: start.j };
    this.palette = readPalette(this.root);
    this.images.clear();
    buildFormula(this.parts.formula, this.model, this.text, (name) => this.go(this.steps.indexOf(name)));
    this.parts.formula.setAttribute("aria-label", this.text.formula);
    this.parts.previous.setAttribute("aria-label", this.text.previous);
    this.parts.next.setAttribute("aria-label", this.text.next);
    this.relayout();
  }

  get step() {
    return this.steps[this.at];
  }

  // ---- layout

  relayout() {
    const W = this.root.clientWidth;
    if (!W || !this.model) return;
    const scrolled = document.querySelector('[data-testid="stMain"]')?.scrollTop ?? 0;
    const top = this.root.getBoundingClientRect().top + scrolled;
    const narrow = W < 640;
    const H = narrow
      ? clamp(window.innerHeight - 420, 430, 640)
      : clamp(window.innerHeight - top - this.parts.picture.offsetTop - FOOT, 320, 720);
    this.heights = new Map();
    this.room = {
      W, H, narrow, ctx: this.canvas.getContext("2d"), font: this.palette.font,
      textHeight: (step, width) => this.textHeight(step, width),
    };
    const all = this.steps.map((step) => layoutStep(this.model, step, this.room));
    // on a wide screen every step's picture is equally high, so that what is below never moves
    this.pictureH = narrow ? 0 : Math.max(...all.map((g) => g.bottom));
    this.show(all[this.at], null);
  }

  textHeight(step, width) {
    const key = `${step} ${Math.round(width)}`;
    if (!this.heights.has(key)) {
      const picture = pictureOf(this.model, step, false);
      const focus = this.clampFocus(this.pin, picture);
      writeWords(this.parts.words, { model: this.model, text: this.text, step, picture, focus, width });
      this.heights.set(key, this.parts.words.offsetHeight + 10);
    }
    return this.heights.get(key);
  }

  /** Put a laid-out step on the stage; `old` is the geometry it moves from, or null. */
  show(g, old) {
    this.g = g;
    this.old = old;
    const height = Math.ceil(Math.max(this.pictureH, g.bottom));
    this.ctx = sizeCanvas(this.canvas, this.room.W, height);
    this.canvasH = height;
    lightFormula(this.parts.formula, this.steps, this.at);
    this.parts.count.textContent = `${this.at + 1} / ${this.steps.length}`;
    this.parts.previous.disabled = this.at === 0;
    this.parts.next.disabled = this.at === this.steps.length - 1;
    this.canvas.setAttribute("aria-label", `${this.text.titles[this.step]}. ${this.text.canvas_help}`);
    this.canvas.dataset.result = JSON.stringify({ x: g.X0, y: g.Y0, width: g.cw, height: g.ch, step: this.step });
    this.time = old ? 0 : 1;
    this.refocus();
    if (old) this.animate();
  }

  animate() {
    cancelAnimationFrame(this.frame);
    const begun = performance.now();
    const tick = (now) => {
      this.time = clamp((now - begun) / MOVE_MS, 0, 1);
      if (this.time === 1) this.old = null;
      this.paint();
      if (this.time < 1) this.frame = requestAnimationFrame(tick);
    };
    this.frame = requestAnimationFrame(tick);
  }

  // ---- stepping and focus

  go(at, pin = this.pin) {
    if (at < 0 || at >= this.steps.length || at === this.at) return;
    const old = this.g;
    this.at = at;
    this.pin = pin;
    this.hover = this.term = null;
    hideTip(this.parts.tip);
    const g = layoutStep(this.model, this.step, this.room);
    this.show(g, calm.matches || old.chips || g.chips ? null : old);
    this.parts.live.textContent = this.parts.words.textContent;
    this.rest();
  }

  /** Column of the first cell of the current step's own matrix, where several stand side by side. */
  get shift() {
    const { picture, out } = this.g;
    return picture.kind === "product" ? (out?.starts[picture.current] ?? 0) : 0;
  }

  /** What is lit: the hovered cell or the pinned one; j counts over all result matrices of the picture. */
  focus() {
    if (this.hover) return { ...this.hover, k: this.term };
    const pin = this.clampFocus(this.pin, this.g.picture);
    return { i: pin.i, j: pin.j + this.shift, k: this.term };
  }

  clampFocus({ i, j }, picture) {
    const shown = picture.kind === "product" ? picture.out[picture.current].cols : picture.out.reduce((sum, entry) => sum + entry.cols, 0);
    return { i: clamp(i, 0, (picture.out[0]?.rows ?? this.model.tokens.length) - 1), j: clamp(j, 0, Math.max(0, shown - 1)), k: null };
  }

  /** Pin the cell (i, j); a click on a neighbour's matrix (K while Q is the step) goes to that step. */
  pinCell(i, j) {
    const { entry, column } = this.g.chips ? { entry: {}, column: this.pin.j } : partAt(this.g.picture.out, j);
    this.hover = null;
    if (entry.step && entry.step !== this.step) return this.go(this.steps.indexOf(entry.step), { i, j: column });
    this.pin = { i, j: this.g.picture.kind === "product" ? column : j };
    this.refocus();
    this.parts.live.textContent = this.parts.arithmetic.textContent;
    return this.rest();
  }

  refocus() {
    const { model, text, step, g } = this;
    const focus = this.focus();
    const picture = g.picture;
    const local = partAt(picture.out.length ? picture.out : [{ cols: 1 }], focus.j);
    const words = picture.kind === "product" ? { ...focus, j: local.column } : focus;
    const spoken = local.entry.step ?? step;
    writeWords(this.parts.words, { model, text, step: spoken, picture, focus: words, width: g.textW });
    this.explanation = g.chips ? null : explainCell(model, spoken, picture, focus.i, focus.j);
    g.partners = this.model.how[step]?.operation === "rotate" ? this.explanation.terms.map((term) => term.k) : []; // turned with the cell
    if (this.explanation) {
      writeArithmetic(this.parts.arithmetic, this.explanation, { model, text, onTerm: (k) => this.pointAtTerm(k) });
    } else this.parts.arithmetic.textContent = `${model.tokens[focus.i]} → ${text.names.id} ${model.ids[focus.i]}`;
    if (this.time === 1) this.paint();
    refreshPanels(this, Boolean(this.hover));
  }

  /** Box the two factors of a term in their matrices; null for none. */
  pointAtTerm(k) {
    this.term = k;
    this.paint();
  }

  paint() {
    paintStage({
      ctx: this.ctx, W: this.room.W, height: this.canvasH, palette: this.palette, model: this.model, g: this.g,
      old: this.old, time: this.time, focus: this.focus(), text: this.text, images: this.images,
    });
  }

  /** When step and cell have come to rest, tell Python, so that the address and the code below follow. */
  rest() {
    this.resting.later(() => this.report({ step: this.step, i: this.pin.i, j: this.pin.j }));
  }
}
