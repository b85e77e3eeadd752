// The small dark label beside the pointer.
import { clamp } from "./dom.js";

/** Show `lines` beside (x, y), which are in `root`'s pixels; the tip stays inside the root's width. */
export function showTip(root, tip, lines, x, y) {
  tip.textContent = lines.filter(Boolean).join("\n");
  tip.style.display = "block";
  const width = tip.offsetWidth;
  const height = tip.offsetHeight;
  tip.style.left = `${clamp(x + 14, 0, Math.max(0, root.clientWidth - width))}px`;
  tip.style.top = `${y + 18 + height > root.clientHeight ? y - height - 10 : y + 18}px`;
}

export const hideTip = (tip) => {
  tip.style.display = "none";
};

/** Where a pointer event is, in the pixels of `node`. */
export function pointIn(node, event) {
  const box = node.getBoundingClientRect();
  return [event.clientX - box.left, event.clientY - box.top];
}
