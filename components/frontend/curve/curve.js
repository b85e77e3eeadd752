// Curves over the steps of a training, and the snapshot that is looked at: drag along the steps to scrub.
import { readPalette } from "../lib/colour.js";
import { clamp, column, el, sizeCanvas, watchSize } from "../lib/dom.js";
import { num, percent } from "../lib/numbers.js";
import { Rest } from "../lib/rest.js";
import { curveGeometry, curveStepAt, paintCurve } from "./paint_curve.js";

const CURVE_REST_MS = 140;
const curves = new WeakMap();

export default function mountCurve(component) {
  const { parentElement } = component;
  if (!curves.has(parentElement)) curves.set(parentElement, new Curve(parentElement));
  curves.get(parentElement).update(component);
  return () => {
    curves.get(parentElement)?.destroy();
    curves.delete(parentElement);
  };
}

class Curve {
  constructor(host) {
    this.root = host.querySelector(".am-curve");
    this.canvas = host.querySelector("canvas");
    this.legend = host.querySelector(".legend");
    this.readout = host.querySelector(".readout");
    this.resting = new Rest(this.root, CURVE_REST_MS);
    this.stopSize = watchSize(this.root, () => this.draw());
    this.canvas.addEventListener("pointerdown", (event) => this.grab(event));
    this.canvas.addEventListener("pointermove", (event) => this.move(event));
    this.canvas.addEventListener("pointerup", () => this.release());
    this.canvas.addEventListener("pointercancel", () => this.release());
    this.canvas.addEventListener("pointerleave", () => this.leave());
    this.canvas.addEventListener("keydown", (event) => this.key(event));
  }

  destroy() {
    this.resting.stop();
    this.stopSize();
  }

  /** New numbers. While the reader drags, the snapshot in hand stays. */
  update({ data, setTriggerValue }) {
    this.report = (step) => setTriggerValue("step", step);
    const steps = column(data.steps);
    const panels = data.panels.map((panel) => ({
      ...panel,
      lines: panel.lines.map((line) => ({ ...line, values: column(data[line.column]) })),
    }));
    this.data = { ...data, steps, panels };
    if (!this.held && !this.resting.pending) this.chosen = data.chosen;
    this.palette = readPalette(this.root);
    this.writeLegend();
    this.draw();
  }

  writeLegend() {
    this.legend.replaceChildren();
    for (const line of this.data.panels.flatMap((panel) => panel.lines)) {
      const item = el("span", line.hue);
      item.append(el("i", line.dashed ? "dashed" : ""), line.name);
      this.legend.append(item);
    }
  }

  draw() {
    const width = this.root.clientWidth;
    if (!width || !this.data) return;
    const ctx = sizeCanvas(this.canvas, width, this.data.height);
    this.geometry = curveGeometry(this.data, width, this.data.height);
    paintCurve(ctx, this.palette, this.data, this.geometry, this.chosen, this.hover);
    this.tell();
  }

  /** What stands at the chosen or hovered step, as words and for screen readers. */
  tell() {
    const { steps, panels, snapshots, text } = this.data;
    const step = this.hover ?? this.chosen;
    const at = nearestAt(steps, step);
    this.readout.replaceChildren();
    const parts = [`${text.step} ${step.toLocaleString("en")}`];
    if (at >= 0) {
      for (const line of panels.flatMap((panel) => panel.lines)) {
        const value = lastKnown(line.values, at);
        if (value !== null) parts.push(`${line.name} ${line.share ? percent(value) : num(value, Math.abs(value) < 0.01 ? 4 : 3)}`);
      }
    }
    const [first, ...rest] = parts;
    this.readout.append(el("b", "", first), rest.length ? ` · ${rest.join(" · ")}` : "", this.hover === null || this.hover === undefined ? "" : ` · ${text.hint}`);
    const slider = this.canvas;
    slider.setAttribute("aria-label", text.label);
    slider.setAttribute("aria-valuemin", snapshots[0] ?? 0);
    slider.setAttribute("aria-valuemax", snapshots.at(-1) ?? 0);
    slider.setAttribute("aria-valuenow", this.chosen);
    slider.setAttribute("aria-valuetext", parts.join(", "));
    slider.dataset.chosen = String(this.chosen);
    slider.dataset.left = String(Math.round(this.geometry.left));
    slider.dataset.width = String(Math.round(this.geometry.width));
  }

  at(event) {
    return curveStepAt(this.geometry, this.data.snapshots, event.clientX - this.canvas.getBoundingClientRect().left);
  }

  grab(event) {
    if (!this.data.snapshots.length) return;
    this.held = true;
    this.canvas.setPointerCapture(event.pointerId);
    this.choose(this.at(event));
  }

  move(event) {
    if (!this.data.snapshots.length) return;
    const step = this.at(event);
    if (this.held) this.choose(step);
    else if (step !== this.hover) {
      this.hover = step;
      this.draw();
    }
  }

  release() {
    this.held = false;
  }

  leave() {
    this.hover = null;
    this.draw();
  }

  key(event) {
    const { snapshots } = this.data;
    const at = snapshots.indexOf(nearest(snapshots, this.chosen));
    const moves = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageUp: 5, PageDown: -5, Home: -Infinity, End: Infinity };
    if (!(event.key in moves) || at < 0) return;
    event.preventDefault();
    event.stopPropagation();
    this.choose(snapshots[clamp(at + moves[event.key], 0, snapshots.length - 1)]);
  }

  /** Look at another snapshot; Python hears of it when the hand rests. */
  choose(step) {
    if (step === this.chosen) return;
    this.chosen = step;
    this.hover = null;
    this.draw();
    this.resting.later(() => this.report(step));
  }
}

function nearest(list, value) {
  return list.reduce((best, item) => (Math.abs(item - value) < Math.abs(best - value) ? item : best), list[0]);
}

/** Index of the last step at or before `step`; −1 if there is none. */
function nearestAt(steps, step) {
  let at = -1;
  for (let n = 0; n < steps.length && steps[n] <= step; n++) at = n;
  return at;
}

/** The last number at or before an index, where not every step was measured. */
function lastKnown(values, at) {
  for (let n = at; n >= 0; n--) if (!Number.isNaN(values[n])) return values[n];
  return null;
}
