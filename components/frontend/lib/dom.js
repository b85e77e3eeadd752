// Small helpers for building DOM. Text always goes in as text, never as markup.

/** A new element with a class and, if given, a text. */
export function el(tag, className = "", text = undefined) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== undefined && text !== null) node.textContent = String(text);
  return node;
}

export const clamp = (value, low, high) => Math.max(low, Math.min(high, value));

/** Size a canvas in CSS pixels, sharp on every screen; returns a context whose unit is one CSS pixel. */
export function sizeCanvas(canvas, width, height) {
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.max(1, Math.round(width * ratio));
  canvas.height = Math.max(1, Math.round(height * ratio));
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const ctx = canvas.getContext("2d");
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  return ctx;
}

/** Call `redraw` when the element's width changes or the window is resized; returns a function that stops it. */
export function watchSize(node, redraw) {
  let width = node.clientWidth;
  const observer = new ResizeObserver(() => {
    if (Math.abs(node.clientWidth - width) <= 1) return;
    width = node.clientWidth;
    redraw();
  });
  observer.observe(node);
  window.addEventListener("resize", redraw);
  return () => {
    observer.disconnect();
    window.removeEventListener("resize", redraw);
  };
}

/**
 * Fill the places of a template: `{name}` by a value, which becomes a <b> (or what `wrap` makes), as text;
 * `{name|one|many}` by the form of a word that goes with the value, as part of the text.
 */
export function fillTemplate(template, values, wrap = (text) => el("b", "", text)) {
  return template
    .split(/(\{[^{}]+\})/)
    .filter(Boolean)
    .map((part) => {
      const [name, one, many] = /^\{[^{}]+\}$/.test(part) ? part.slice(1, -1).split("|") : [];
      if (name === undefined) return document.createTextNode(part);
      const value = String(values[name] ?? "");
      return many === undefined ? wrap(value, name) : document.createTextNode(value === "1" ? one : many);
    });
}

/** The same as a string. */
export const filled = (template, values) => fillTemplate(template, values).map((node) => node.textContent).join("");

/** A table column of an Arrow payload as a typed array, without a copy. */
export const column = (table) => table.getChildAt(0).toArray();
