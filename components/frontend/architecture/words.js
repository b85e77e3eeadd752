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

const ARCH_CHIP = { gap: 3, pad: 9 };

/**
 * Tokens as {text, x, w, index} in the middle of `box`. Those without room become a "+5" (w 0) at either end; the
 * tokens `focus` are kept in sight, the first of them in any case.
 */
export function archTokens(ctx, tokens, box, focus = []) {
  const chips = tokens.map((token, index) => {
    const text = clipLabel(ctx, token, box.w * 0.5);
    return { text, w: labelWidth(ctx, text) + ARCH_CHIP.pad, index };
  });
  const more = (count) => (count ? `+${count}` : "");
  const room = (text) => (text ? labelWidth(ctx, text) + 2 * ARCH_CHIP.gap : 0);
  const endFrom = (start) => {
    let used = room(more(start));
    let at = start;
    for (; at < chips.length; at++) {
      used += chips[at].w + ARCH_CHIP.gap;
      if (at > start && used - ARCH_CHIP.gap + room(more(chips.length - at - 1)) > box.w) break;
    }
    return at;
  };
  const start = archFirstShown(endFrom, focus.filter((index) => index >= 0 && index < chips.length));
  const end = endFrom(start);
  const shown = chips.slice(start, end);
  const [before, after] = [more(start), more(chips.length - end)];
  const width = shown.reduce((sum, chip) => sum + chip.w + ARCH_CHIP.gap, -ARCH_CHIP.gap) + room(before) + room(after);
  let x = box.x + (box.w - width) / 2;
  const laid = before ? [{ text: before, x, w: 0, index: -1 }] : [];
  x += room(before);
  for (const chip of shown) {
    laid.push({ ...chip, x });
    x += chip.w + ARCH_CHIP.gap;
  }
  return after ? [...laid, { text: after, x: x + 2, w: 0, index: -1 }] : laid;
}

/** The earliest start from which all of `focus`, or at least its first, is shown. */
function archFirstShown(endFrom, focus) {
  if (!focus.length) return 0;
  const [first, last] = [Math.min(...focus), Math.max(...focus)];
  let start = 0;
  while (start < first && endFrom(start) <= last) start++;
  if (focus[0] < start) return focus[0];
  while (endFrom(start) <= focus[0]) start++;
  return start;
}
