// The rows of tokens that go in and come out. The query and the key that are looked at are marked in their hues.
import { archNode } from "./svg.js";
import { archTokens } from "./words.js";

/** A row of tokens in `box`; `marks` are [index, class] of tokens that are marked, the most important first. */
export function drawArchTokens(ctx, box, marks = []) {
  const group = archNode("g", { class: "tokens" });
  group.dataset.row = box.row;
  ctx.font = ctx.fonts.text;
  for (const { text, x, w, index } of archTokens(ctx, box.tokens, box, marks.map(([at]) => at))) {
    const mark = marks.find(([at]) => at === index && index >= 0);
    if (w) group.append(archNode("rect", { class: mark?.[1] ?? "", x, y: box.y + 1, width: w, height: box.h - 2, rx: 5 }));
    group.append(archNode("text", { class: mark?.[1] ?? "", x: x + w / 2, y: box.y + box.h / 2 + 4.5, "text-anchor": w ? "middle" : "start" }, text));
  }
  return group;
}

/**
 * Which tokens are marked when the chosen place looks from `row` to `col`: [index, class] for the rows of tokens
 * "encoder", "decoder" and "outputs" (what is written next, where that is known for every query).
 */
export function archMarks({ encoder, decoder, chosen }, row, col) {
  const marks = { encoder: [], decoder: [], outputs: [] };
  const part = [encoder, decoder].flatMap((tower) => tower.parts).find((one) => one.name === chosen);
  if (!part || row < 0) return marks;
  const asking = decoder.parts.includes(part) ? "decoder" : "encoder";
  marks[asking].push([row, "q"]);
  if (col >= 0) marks[part.kind === "cross" ? "encoder" : asking].push([col, "k"]);
  if (asking === "decoder" && decoder.outputs.length === decoder.tokens.length) marks.outputs.push([row, "w"]);
  return marks;
}
