// Token labels on a canvas: measuring, shortening, choosing which ones have room. Always text, never markup.

const labelWidths = new Map();

export function labelWidth(ctx, text) {
  const key = `${ctx.font}\u0000${text}`;
  let width = labelWidths.get(key);
  if (width === undefined) {
    if (labelWidths.size > 8000) labelWidths.clear();
    width = ctx.measureText(text).width;
    labelWidths.set(key, width);
  }
  return width;
}

/** The text, shortened with an ellipsis to `room` pixels; never cut inside a character. */
export function clipLabel(ctx, text, room) {
  if (labelWidth(ctx, text) <= room) return text;
  const pieces = [...new Intl.Segmenter().segment(text)].map((part) => part.segment);
  let count = pieces.length;
  while (count > 1 && labelWidth(ctx, `${pieces.slice(0, count).join("")}…`) > room) count--;
  return `${pieces.slice(0, count).join("")}…`;
}

/** Width of the widest label; long lists are sampled at the front, which is what a reader sees first. */
export const widestLabel = (ctx, labels) =>
  labels.slice(0, 600).reduce((widest, label) => Math.max(widest, labelWidth(ctx, label)), 0);

/** The smallest power of two for which `step` labels of this pitch leave `needed` pixels to each. */
export function labelStep(pitch, needed) {
  let step = 1;
  while (step * pitch < needed && step < 4096) step *= 2;
  return step;
}

/** The labels with their place, counted from 0, where one label occurs more than once: "the (5)". */
export function distinctLabels(labels) {
  const counts = new Map();
  for (const label of labels) counts.set(label, (counts.get(label) ?? 0) + 1);
  return labels.map((label, index) => (counts.get(label) > 1 ? `${label} (${index})` : label));
}
