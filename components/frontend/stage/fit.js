// How large the cells of a picture can be: numbers first, then everything on one screen.

const READABLE = { width: 15, height: 11 };

/**
 * Cell sizes for Falk's scheme in a room of `width` × `height`. Operands and result share rows and columns, so the
 * left operand has the result's row height (ch), the right one its column width (cw); the inner dimension has sizes of
 * its own (iw wide on the left, ih high on the right), equal to the others unless that would make cells unreadable.
 *
 * `fit`: rows and cols of the result; inner, above: columns of the left, rows of the right operand; labelW, gapX, padR,
 * gaps: widths taken; head, gapY, foot: heights taken; textH: what the words need at top left; minLeft; maxW, maxH.
 */
export function fitCells(fit) {
  const even = evenCells(fit);
  return even.cw >= READABLE.width && even.ch >= READABLE.height ? even : unevenCells(fit);
}

function evenCells({ width, height, rows, cols, inner, above, labelW, gapX, padR, gaps, head, gapY, foot, textH, minLeft, maxW, maxH }) {
  const room = width - gapX - padR - gaps;
  let cw = (room - labelW) / (inner + cols);
  if (labelW + inner * cw < minLeft) cw = (room - minLeft) / cols;
  let ch = (height - head - gapY - foot) / (above + rows);
  if (head + above * ch < textH) ch = (height - textH - gapY - foot) / rows;
  ch = Math.min(ch, maxH);
  cw = whole(Math.min(cw, maxW, ch * 1.9));
  ch = whole(Math.min(ch, cw));
  return { cw, ch, iw: cw, ih: ch };
}

function unevenCells({ width, height, rows, cols, inner, above, labelW, gapX, padR, gaps, head, gapY, foot, textH, minLeft }) {
  const room = width - gapX - padR - gaps;
  const share = Math.max(0.3, Math.min(0.62, inner / (inner + cols)));
  const iw = inner ? whole(Math.min(((room - labelW) * share) / inner, 34)) : 0;
  const cw = whole(Math.min((room - Math.max(minLeft, labelW + inner * iw)) / cols, 44));
  const top = Math.max(textH, head + (above ? Math.max(90, Math.min(above * 14, 0.4 * height)) : 0));
  const ch = whole(Math.min((height - top - gapY - foot) / rows, 26));
  const ih = above ? whole(Math.min((height - rows * ch - gapY - foot - head) / above, 26)) : 0;
  return { cw, ch, iw, ih };
}

/** Whole pixels where cells are large enough for the rounding not to cost room. */
const whole = (size) => (size >= 9 ? Math.floor(size) : Math.max(0.2, size));
