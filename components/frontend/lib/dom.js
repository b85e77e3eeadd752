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

/** Fill `{name}` places of a template; what is filled in becomes a <b> (or what `wrap` makes), as text. */
export function fillTemplate(template, values, wrap = (text) => el("b", "", text)) {
  return template
    .split(/(\{\w+\})/)
    .filter(Boolean)
    .map((part) => {
      const name = /^\{(\w+)\}$/.exec(part);
      return name ? wrap(String(values[name[1]] ?? ""), name[1]) : document.createTextNode(part);
    });
}

/** A table column of an Arrow payload as a typed array, without a copy. */
export const column = (table) => table.getChildAt(0).toArray();
