// The first step: the sentence as a list of tokens with their ids.
import { blend, css } from "../lib/colour.js";
import { clipLabel } from "../lib/labels.js";
import { clamp } from "../lib/dom.js";
import { num } from "../lib/numbers.js";

const SHOWN = 8; // numbers of a vector that fit beside its id

export function paintTokens({ ctx, g, model, focus, palette, text, arrived }) {
  const muted = css(blend(palette.paper, palette.ink, 0.66));
  const ink = css(palette.ink);
  const write = (words, x, y, px, align, colour, weight = 400) => {
    ctx.fillStyle = colour;
    ctx.textAlign = align;
    ctx.font = `${weight} ${px}px ${palette.font}`;
    ctx.fillText(words, x, y);
  };
  ctx.globalAlpha = arrived;
  if (g.listed) {
    write(text.names.tokens, g.chips[0].x, g.head, 12.5, "left", muted);
    write(text.names.id, g.idX, g.head, 12.5, "left", muted);
    write(text.names.embedding, g.vectorX, g.head, 12.5, "left", muted);
  }
  for (const chip of g.chips) {
    const hot = chip.i === focus.i;
    const y = chip.y + chip.h / 2;
    paintChip(ctx, chip, hot, palette, model.padded.includes(chip.i));
    ctx.font = `${hot ? 600 : 400} ${chip.px}px ${palette.font}`;
    write(clipLabel(ctx, chip.text, chip.w - 8), chip.x + chip.w / 2, y, chip.px, "center", ink, hot ? 600 : 400);
    if (!g.listed) {
      write(model.ids[chip.i], chip.x + chip.w / 2, chip.y + chip.h + 11, 11, "center", muted);
      continue;
    }
    const px = clamp(chip.px * 0.72, 12, 16);
    write(chip.i, chip.x - 12, y, 12, "right", muted);
    write("→", chip.x + chip.w + 28, y, 15, "center", muted);
    write(model.ids[chip.i], g.idX, y, px, "left", hot ? ink : muted, hot ? 600 : 400);
    write("→", g.vectorX - 22, y, 15, "center", muted);
    paintVector(write, model.M.embedding, chip.i, { x: g.vectorX, y, px, room: g.W - g.vectorX, colour: hot ? ink : muted });
  }
  ctx.globalAlpha = 1;
}

/** The first numbers of a token's vector, and how many there are. */
function paintVector(write, embedding, i, { x, y, px, room, colour }) {
  const pitch = px * 3.5;
  const fitting = Math.floor((room - 40) / pitch);
  const count = embedding.cols <= Math.min(SHOWN, fitting) ? embedding.cols : Math.max(0, Math.min(SHOWN, fitting));
  for (let c = 0; c < count; c++) write(num(embedding.at(i, c)), x + c * pitch + px * 2.6, y, px, "right", colour);
  if (count < embedding.cols) write(`… ${embedding.cols}`, x + count * pitch + 8, y, px, "left", colour);
}

function paintChip(ctx, chip, hot, palette, padded) {
  ctx.beginPath();
  ctx.roundRect(chip.x + 1, chip.y + 1, chip.w - 2, chip.h - 2, 6);
  ctx.fillStyle = css(blend(palette.paper, palette.ink, hot ? 0.09 : 0.035));
  ctx.fill();
  ctx.setLineDash(padded ? [4, 3] : []);
  ctx.strokeStyle = css(blend(palette.paper, palette.ink, hot ? 1 : 0.25));
  ctx.lineWidth = hot ? 2 : 1;
  ctx.stroke();
  ctx.setLineDash([]);
}
