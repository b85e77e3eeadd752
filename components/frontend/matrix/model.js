// What Python sent, as an object the painting can ask: values, states, names.
import { STATE } from "../lib/cells.js";
import { evenTint } from "../lib/colour.js";
import { column } from "../lib/dom.js";
import { distinctLabels } from "../lib/labels.js";

/** `data` is what components/matrix.py builds; see there for its fields. */
export function matrixModel(data, palette) {
  const values = column(data.v);
  const states = data.states ? column(data.states) : null;
  const { rows, cols, row_labels: rowLabels, col_labels: colLabels } = data;
  const [rowTitles, colTitles] = [rowLabels, colLabels].map((labels) => labels && distinctLabels(labels));
  const group = ([label, colour, count]) => ({ label, colour, count });
  const model = {
    palette,
    rows,
    cols,
    rowLabels,
    colLabels,
    hue: data.hue,
    rowHue: data.row_hue,
    colHue: data.col_hue,
    title: data.title,
    subscript: data.subscript,
    text: data.text,
    height: data.height,
    channel: data.channel,
    shares: data.shares,
    head: data.head,
    clickable: data.clickable,
    headColours: data.head_colours,
    rowGroups: (data.row_groups ?? []).map(group),
    colGroups: (data.col_groups ?? []).map(group),
    read: (row, col) => values[row * cols + col],
    state: (row, col) => (states ? states[row * cols + col] : STATE.number),
    rowName: (row) => (rowLabels ? rowLabels[row] : String(row)),
    colName: (col) => (colLabels ? colLabels[col] : String(col)),
    // in words rather than beside the picture: equal labels are told apart
    rowTitle: (row) => (rowTitles ? rowTitles[row] : String(row)),
    colTitle: (col) => (colTitles ? colTitles[col] : String(col)),
    hidden: states !== null && states.some((state) => state !== STATE.number),
  };
  return { ...model, ...matrixSurvey(values, states, data) };
}

/** One pass over the values: the scale, and which unusual looks occur (for the legend). */
function matrixSurvey(values, states, data) {
  const seen = { masked: false, padding: false, nan: false };
  let max = 0;
  values.forEach((value, at) => {
    const state = states ? states[at] : STATE.number;
    if (state === STATE.masked) seen.masked = true;
    else if (state === STATE.padded) seen.padding = true;
    else if (Number.isNaN(value)) seen.nan = true;
    else if (Number.isFinite(value)) max = Math.max(max, Math.abs(value));
  });
  const scale = data.scale === "weights" ? { kind: "weights", gamma: evenTint(data.cols) } : { kind: "signed", max: data.limit ?? max };
  return { seen, scale };
}
