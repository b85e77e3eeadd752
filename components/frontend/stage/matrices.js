// The numbers on the stage: typed arrays from Python, wrapped so that they can be read by row and column.
import { STATE } from "../lib/cells.js";
import { evenTint } from "../lib/colour.js";
import { column } from "../lib/dom.js";

/** A matrix over a typed array; `stride` and `start` let a view show some columns of a wider one. */
export class Matrix {
  constructor(name, values, rows, cols, { stride = cols, pace = 1, start = 0, state = () => STATE.number } = {}) {
    Object.assign(this, { name, values, rows, cols, stride, pace, start, state });
  }

  at(r, c) {
    return this.values[r * this.stride + this.start + c * this.pace];
  }

  /** Columns from…to as a matrix of their own, on the same numbers. */
  columns(name, from, count) {
    return new Matrix(name, this.values, this.rows, count, { stride: this.stride, start: this.start + from });
  }

  /** One column seen as `cols` equal ones. */
  spread(cols) {
    return new Matrix(this.name, this.values, this.rows, cols, { stride: this.stride, start: this.start, pace: 0 });
  }

  /** The largest finite size, for the colour scale. */
  get largest() {
    if (this.known === undefined) {
      this.known = 0;
      for (let r = 0; r < this.rows; r++) {
        for (let c = 0; c < this.cols; c++) {
          const size = Math.abs(this.at(r, c));
          if (size > this.known && Number.isFinite(size)) this.known = size;
        }
      }
    }
    return this.known;
  }
}

/**
 * What Python sent, ready to draw: `meta` (see components/stage_data.py) with `M`, the matrices by canonical name. The mask
 * itself becomes the matrix "mask" (0 where a query may look, −∞ where it may not).
 */
export function readModel(data) {
  const model = { ...data.meta, M: {} };
  const states = data.states ? column(data.states) : null;
  for (const [name, [rows, cols]] of Object.entries(data.meta.shapes)) {
    const options = states && canBeHidden(data.meta, name) ? { state: (r, c) => states[r * cols + c] } : {};
    model.M[name] = new Matrix(name, column(data[name]), rows, cols, options);
  }
  if (states) model.M.mask = maskMatrix(states, model.M.scores);
  model.gamma = evenTint(model.keys.length);
  return model;
}

/** Whether cells of this matrix can be hidden by the mask: it has a column per key, and the mask has acted on it. */
function canBeHidden({ how, looks }, name) {
  return ["mask", "softmax"].includes(how[name]?.operation) && looks[name].cols === "key";
}

function maskMatrix(states, { rows, cols }) {
  const values = Float32Array.from(states, (state) => (state === STATE.number ? 0 : -Infinity));
  return new Matrix("mask", values, rows, cols, { state: (r, c) => states[r * cols + c] });
}
