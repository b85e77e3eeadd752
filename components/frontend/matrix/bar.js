// The line under a matrix: its name and shape, the legend, zoom and copy buttons.
import { el } from "../lib/dom.js";
import { sampleLegend, scaleLegend } from "../lib/legend.js";
import { copyMatrixText, matrixAsText } from "./table.js";

/** Fill the bar of `view`; `zoom(factor)` is called by its buttons (0: whole matrix). */
export function paintMatrixBar(view, zoom) {
  const { model, part, bar, geometry } = view;
  const { seen, palette, text } = model;
  const looks = ["masked", "padding", "nan"].filter((look) => seen[look]);
  const name = el("span", `name ${model.hue}`, model.title);
  if (model.subscript) name.append(el("sub", "", model.subscript));
  bar.replaceChildren(
    name,
    el("span", "shape", `${model.rows} × ${model.cols}`),
    el("span", "grow"),
    ...looks.map((look) => sampleLegend(palette, look, text[look])),
    scaleLegend(palette, model.scale),
    matrixTools(view, zoom),
  );
  if (part.rows === model.rows && part.cols === model.cols && geometry.cw >= 14) bar.querySelectorAll(".zoom").forEach((button) => (button.hidden = true));
}

function matrixTools(view, zoom) {
  const { text } = view.model;
  const tools = el("span", "tools");
  const button = (className, label, name, action) => {
    const node = el("button", className, label);
    node.type = "button";
    node.title = name;
    node.setAttribute("aria-label", name);
    node.onclick = action;
    return node;
  };
  tools.append(
    button("zoom", "−", text.zoom_out, () => zoom(1 / 1.6)),
    button("zoom", "+", text.zoom_in, () => zoom(1.6)),
    button("copy", text.copy, text.copy_hint, (event) => copyMatrix(view, event.currentTarget)),
  );
  return tools;
}

async function copyMatrix(view, button) {
  const done = await copyMatrixText(matrixAsText(view.model), view.root);
  if (!done) return;
  button.textContent = view.model.text.copied;
  view.live.textContent = view.model.text.copied;
  setTimeout(() => (button.textContent = view.model.text.copy), 1500);
}
