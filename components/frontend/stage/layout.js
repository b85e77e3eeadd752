// Where everything on the stage stands: matrices, token labels, captions, the strip of exponentials.
import { clamp } from "../lib/dom.js";
import { widestLabel } from "../lib/labels.js";
import { axisLabels, captions } from "./axes.js";
import { fitCells } from "./fit.js";
import { printNumbers } from "./print.js";
import { meets, offsetsOf, pictureOf } from "./pictures.js";

export const LABEL_ROOM = 128; // pixels a token label may take
const STRIP = 92; // height of the bars above softmax
const WIDE_CELL = 24; // all three projections are shown only while a cell is at least this wide
const LEFT_MIN = 330; // the words at top left need this much

/** room: {W, H, narrow, ctx, font, textHeight(step, width)}. Returns the geometry of one step's picture. */
export function layoutStep(model, step, room) {
  const wide = layoutPicture(model, step, pictureOf(model, step, true), room);
  if (wide.picture.out.length === 3 && wide.picture.kind === "product" && wide.cw < WIDE_CELL) {
    return layoutPicture(model, step, pictureOf(model, step, false), room);
  }
  return wide;
}

function layoutPicture(model, step, picture, room) {
  if (picture.kind === "tokens") return tokenRows(model, step, picture, room);
  const g = frame(model, step, picture, room);
  if (g.stacked) placeStacked(g, room);
  else placeFalk(g, room);
  g.labels = axisLabels(g, model, room);
  g.captions = captions(g, model);
  g.bottom = g.Y0 + g.rows * g.ch + 26;
  printNumbers(g, room);
  return g;
}

/** The measures every picture shares: counts, font size, label widths, gaps. */
function frame(model, step, picture, room) {
  const { W, narrow, ctx, font } = room;
  const [left, right, out] = [picture.left, picture.right, picture.out].map(offsetsOf);
  const fs = model.tokens.length > 20 ? 11 : 14;
  ctx.font = `${fs}px ${font}`;
  const tokenW = Math.min(LABEL_ROOM, Math.max(widestLabel(ctx, model.tokens), widestLabel(ctx, model.keys)));
  const kind = picture.kind;
  const elementwise = kind === "scaling" || kind === "softmax" || meets(kind) || (kind === "norm" && left.total === out.total);
  const groupGap = kind === "concat" ? (narrow ? 6 : 18) : narrow ? 6 : 14;
  return {
    step, picture, kind, W, narrow, fs, tokenW, left, right, out, groupGap,
    rows: picture.out[0].rows, kc: left.total, kr: picture.right[0]?.rows ?? 0, mc: out.total,
    gaps: groupGap * (picture.out.length - 1), gapX: narrow ? 26 : 42,
    padR: kind === "softmax" ? 50 : narrow ? (picture.out[0].colAxis === "key" ? 24 : 4) : 12, labelW: Math.ceil(tokenW) + (step === "position" ? 34 : 14),
    tokenCols: picture.out[0].colAxis === "key", tokenInner: picture.left[0]?.colAxis === "key" && kind === "product",
    stacked: narrow && elementwise,
  };
}

function placeFalk(g, room) {
  const { W, H, narrow } = room;
  const { kind, kc, kr, mc } = g;
  const strip = kind === "softmax" ? STRIP : 0;
  const lone = !g.picture.left.length;
  const solve = (textH) => {
    for (let pass = 0; pass < 2; pass++) {
      g.rotated = (g.tokenCols || g.tokenInner) && g.tokenW > (g.cw ?? 60) - 6;
      const slanted = g.rotated && (g.cw ?? 60) >= g.fs * 1.05;
      const labelH = slanted ? Math.min(84, g.tokenW * 0.71 + 16) : 26;
      g.headLabels = g.tokenCols && kind === "product" ? labelH : 20;
      g.gapY = (kind === "product" ? g.tokenInner : g.tokenCols) ? labelH + 8 : 30;
      const head = strip + (kr ? 24 + (kind === "product" ? g.headLabels : 4) : 0);
      Object.assign(g, fitCells({
        width: W, height: H, rows: g.rows, cols: mc, inner: kc, above: kr, labelW: g.labelW, gapX: lone ? 0 : g.gapX,
        padR: g.padR, gaps: g.gaps, head, gapY: g.gapY, foot: 26, textH, minLeft: narrow || lone ? 0 : LEFT_MIN,
        maxW: narrow ? 60 : 116, maxH: narrow ? 44 : 72,
      }));
      g.top = Math.max(textH, head + kr * g.ih);
    }
    const spare = W - g.gapX - mc * g.cw - g.gaps - g.padR;
    g.leftW = lone ? g.labelW - g.gapX : Math.max(g.labelW + kc * g.iw, narrow ? 0 : Math.min(450, spare));
    const gutter = kr ? (g.picture.right[0].rowAxis === "key" || meets(kind) ? g.labelW : 30) : strip ? 88 : 30;
    g.textW = narrow ? W : lone ? Math.min(640, W) : kind === "scaling" ? Math.min(640, g.leftW + 60) : Math.max(230, g.leftW + g.gapX - gutter - 18);
  };
  const above = narrow ? room.textHeight(g.step, W) + 14 : 0;
  solve(narrow ? 0 : room.textHeight(g.step, LEFT_MIN));
  if (!narrow) solve(room.textHeight(g.step, g.textW));
  g.X0 = g.leftW + g.gapX;
  g.Y0 = above + g.top + g.gapY;
  g.LX = g.X0 - g.gapX - kc * g.iw;
  g.LY = g.Y0;
  g.RY = g.Y0 - g.gapY - kr * g.ih;
  if (strip) g.strip = { x: g.X0, y: g.Y0 - g.gapY - strip, height: strip };
  makeBoxes(g);
}

/** Narrow screens: before above after, with the same column positions. */
function placeStacked(g, room) {
  const labelH = g.tokenCols ? Math.min(84, g.tokenW * 0.71 + 16) : 22;
  const side = (room.W - g.labelW - g.padR) / g.mc;
  const cw = Math.min(side, 60);
  Object.assign(g, { rotated: g.tokenCols && g.tokenW > cw - 6, headLabels: labelH, gapY: 30, cw, iw: cw });
  g.ch = g.ih = Math.max(Math.min(cw, 26), Math.min(12, 400 / g.rows));
  g.leftW = g.labelW - g.gapX;
  g.textW = room.W;
  g.X0 = g.LX = g.labelW;
  g.LY = room.textHeight(g.step, room.W) + 14 + labelH;
  const below = g.LY + g.rows * g.ch + 34;
  g.RY = below + 18;
  g.Y0 = g.kr ? g.RY + g.kr * g.ch + 52 : g.kind === "softmax" ? below + STRIP + 16 : below + 12;
  if (g.kind === "softmax") g.strip = { x: g.X0, y: g.Y0 - 12 - STRIP, height: STRIP };
  makeBoxes(g);
}

function makeBoxes(g) {
  const box = (entry, role, index, x, y, cw, ch, start) => ({ entry, role, index, x, y, cw, ch, start });
  const { picture, left, out } = g;
  const groupX = (index) => g.X0 + out.starts[index] * g.cw + index * g.groupGap;
  g.boxes = [
    ...picture.left.map((e, n) => box(e, "L", n, g.LX + left.starts[n] * g.iw, g.LY, g.iw, g.ch, left.starts[n])),
    ...picture.right.map((e, n) => box(e, "R", n, groupX(n), g.RY, g.cw, g.ih, g.right.starts[n])),
    ...picture.out.map((e, n) => box(e, "O", n, groupX(n), g.Y0, g.cw, g.ch, out.starts[n])),
  ];
}

/** The x of column j of the whole result. */
export function columnX(g, j) {
  const box = g.boxes.find((b) => b.role === "O" && j >= b.start && j < b.start + b.entry.cols);
  return box ? box.x + (j - box.start) * box.cw : g.X0;
}

/** One row per token while they fit, as in the matrices to come; a wrapped line of chips when they do not. */
function tokenRows(model, step, picture, room) {
  const { W, H, narrow, ctx, font } = room;
  const textW = narrow ? W : Math.min(640, W);
  const top = room.textHeight(step, textW) + (narrow ? 10 : 18);
  const g = { step, picture, kind: "tokens", W, narrow, textW, rows: model.tokens.length, mc: 1, boxes: [], labels: [], captions: [], chips: [] };
  const widest = (px) => {
    ctx.font = `${px}px ${font}`;
    return Math.min(narrow ? 150 : 260, widestLabel(ctx, model.tokens));
  };
  const pitch = (H - top - 40) / g.rows;
  if (pitch >= 20) {
    const height = Math.min(pitch, 74);
    const px = clamp(height * 0.42, 12, 26);
    const w = widest(px) + px * 1.3;
    Object.assign(g, { head: top + 14, px, idX: 30 + w + 58, vectorX: 30 + w + 142, listed: true });
    model.tokens.forEach((text, i) => g.chips.push({ text, i, x: 30, y: top + 32 + i * height, w, h: height - Math.max(4, height * 0.14), px }));
    g.bottom = top + 36 + g.rows * height;
    return g;
  }
  let x = 0;
  let y = top + 10;
  ctx.font = `15px ${font}`;
  model.tokens.forEach((text, i) => {
    const w = clamp(ctx.measureText(text).width + 16, 56, 200);
    if (x + w > W) [x, y] = [0, y + 58];
    g.chips.push({ text, i, x, y, w, h: 28, px: 15 });
    x += w + 8;
  });
  g.bottom = y + 50;
  return g;
}
