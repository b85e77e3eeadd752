// Text of the drawing: broken into lines, tokens laid side by side as far as there is room.
import { clipLabel, labelWidth } from "../lib/labels.js";

/** `text` broken into at most `most` lines of `room` pixels, at words or, in Chinese, between characters. */
export function archWrapped(ctx, text, room, most) {
  const pieces = [...new Intl.Segmenter(undefined, { granularity: "word" }).segment(text)].map((part) => part.segment);
  const rows = [""];
  for (const piece of pieces) {
    const closing = /^[\p{P}\s]+$/u.test(piece); // punctuation does not begin a line
    if (rows.at(-1) && !closing && labelWidth(ctx, (rows.at(-1) + piece).trimEnd()) > room) rows.push("");
    rows[rows.length - 1] += rows.at(-1) || piece.trim() ? piece : "";
  }
  const kept = rows.map((row) => row.trim()).filter(Boolean);
  if (kept.length <= most) return kept.map((row) => clipLabel(ctx, row, room));
  return [...kept.slice(0, most - 1), clipLabel(ctx, kept.slice(most - 1).join(" "), room)];
}

/** Tokens as {text, x, w} in the middle of `box`; those without room become one "+5" (w 0). */
export function archTokens(ctx, tokens, box) {
  const gap = 3;
  const widest = box.w * 0.5;
  const chips = tokens.map((token) => {
    const text = clipLabel(ctx, token, widest);
    return { text, w: labelWidth(ctx, text) + 9 };
  });
  const total = (count) => chips.slice(0, count).reduce((sum, chip) => sum + chip.w + gap, -gap);
  const more = (count) => (count < chips.length ? ` +${chips.length - count}` : "");
  let count = chips.length;
  while (count > 1 && total(count) + (more(count) ? labelWidth(ctx, more(count)) + 4 : 0) > box.w) count--;
  const rest = more(count);
  let x = box.x + (box.w - total(count) - (rest ? labelWidth(ctx, rest) : 0)) / 2;
  const laid = chips.slice(0, count).map((chip) => {
    const at = x;
    x += chip.w + gap;
    return { ...chip, x: at };
  });
  return rest ? [...laid, { text: rest.trim(), x: x + 2, w: 0 }] : laid;
}
