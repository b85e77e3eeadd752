// Where the two columns of tokens stand, and which rows are in sight.
import { clamp } from "../lib/dom.js";
import { widestLabel } from "../lib/labels.js";

const LINKS_ROW = { least: 15, most: 44, usual: 26 };

/**
 * `beside` is {top, pitch} of a matrix that shows the same rows next to this picture, or null. Rows line up with it
 * where they are high enough to be read; else the columns scroll on their own.
 */
export function linksGeometry(ctx, data, room, beside, palette) {
  const count = Math.max(data.queries.length, data.keys.length);
  ctx.font = `600 13px ${palette.font}`;
  const most = Math.min(132, room.width * 0.3);
  const left = clamp(widestLabel(ctx, data.queries) + 14, 30, most);
  const right = clamp(widestLabel(ctx, data.keys) + 14, 30, most);
  const aligned = beside && beside.pitch >= LINKS_ROW.least && beside.offset >= 0;
  const fitting = (room.height - 4) / count;
  const pitch = aligned ? beside.pitch : clamp(fitting, LINKS_ROW.least, Math.min(LINKS_ROW.most, LINKS_ROW.usual + 8));
  const total = pitch * count;
  return {
    pitch,
    total,
    offset: aligned ? beside.offset : 0,
    width: room.width,
    height: Math.min(aligned ? total : Math.max(room.height, LINKS_ROW.least * 4), total),
    scrolls: !aligned && total > room.height,
    fromX: left,
    toX: room.width - right,
    left,
    right,
  };
}

/** The token under (x, y): {side: "query" | "key", index}, or null. `scroll` is what is scrolled out at the top. */
export function linksPick(geometry, data, x, y, scroll) {
  const side = x < geometry.width / 2 ? "query" : "key";
  const index = Math.floor((y + scroll) / geometry.pitch);
  const labels = side === "query" ? data.queries : data.keys;
  return index >= 0 && index < labels.length ? { side, index } : null;
}
