// The drawing as SVG nodes. Text always goes in as text.
import { archHead, archPath, drawArchLine } from "./lines.js";
import { drawArchPlace } from "./place.js";
import { archNode } from "./svg.js";
import { drawArchTokens } from "./tokens.js";
import { archWrapped } from "./words.js";

/** All nodes of a layout (see layout.js): frames, lines, boxes. `ctx` measures text. */
export function drawArchitecture(layout, data, palette, ctx) {
  const scene = { layout, data, palette, ctx };
  return [
    ...layout.towers.flatMap((tower) => drawArchFrame(scene, tower)),
    ...layout.lines.map((line) => drawArchLine(scene, line)),
    ...layout.towers.flatMap((tower) => tower.boxes.map((box) => drawArchBox(scene, box))),
  ];
}

function drawArchFrame({ layout, data, ctx }, tower) {
  const { frame, spec } = tower;
  const at = (shift) => ({ x: frame.x - shift * tower.inward, y: frame.y - shift, width: frame.w, height: frame.h, rx: 12 });
  if (spec.missing) return [archNode("rect", { class: "frame missing", ...at(0) }), ...missingArchWords(tower, ctx)];
  const sheets = Math.min(2, spec.layers - 1);
  const nodes = [];
  for (let sheet = sheets; sheet >= 0; sheet--) nodes.push(archNode("rect", { class: "frame", ...at(3 * sheet) }));
  const times = data.text.times.replace("{count}", spec.layers);
  if (layout.wide) {
    const x = tower.inward > 0 ? frame.x - 10 - sheets * 3 : frame.x + frame.w + 10 + sheets * 3;
    nodes.push(archNode("text", { class: "times", x, y: frame.y + frame.h / 2, "text-anchor": tower.inward > 0 ? "end" : "start" }, times));
  } else {
    const x = tower.inward > 0 ? frame.x + 2 : frame.x + frame.w - 2;
    nodes.push(archNode("text", { class: "times", x, y: frame.y + frame.h + 17, "text-anchor": tower.inward > 0 ? "start" : "end" }, times));
  }
  return nodes;
}

function missingArchWords({ frame, spec }, ctx) {
  ctx.font = ctx.fonts.text;
  const rows = archWrapped(ctx, spec.missing, frame.w - 36, 8);
  const top = frame.y + frame.h / 2 - rows.length * 9;
  return rows.map((row, n) => archNode("text", { class: "quiet", x: frame.x + frame.w / 2, y: top + 18 * n + 12, "text-anchor": "middle" }, row));
}

function drawArchBox(scene, box) {
  if (box.kind === "self" || box.kind === "cross") return drawArchPlace(scene, box);
  if (box.kind === "tokens") return drawArchTokens(scene.ctx, box);
  if (box.kind === "name") return archNode("text", { class: "note", x: box.x + box.w / 2, y: box.y + 11.5, "text-anchor": "middle" }, box.text);
  if (box.kind === "add" || box.kind === "position") return drawArchCircle(scene, box);
  const group = archNode("g", { class: `box ${box.kind}` });
  group.append(archNode("rect", { x: box.x, y: box.y, width: box.w, height: box.h, rx: box.h < 18 ? 7 : 6 }));
  if (box.kind === "recurrent") drawArchRecurrence(group, box);
  const label = box.title ?? scene.data.text[box.kind];
  const y = box.kind === "recurrent" ? box.y + 18 : box.y + box.h / 2 + (box.h < 18 ? 3.6 : 4.2);
  group.append(archNode("text", { x: box.x + box.w / 2, y, "text-anchor": "middle" }, label));
  if (box.says) {
    group.dataset.says = box.says;
    group.setAttribute("tabindex", "0");
    group.setAttribute("role", "img");
    group.setAttribute("aria-label", box.says);
  }
  return group;
}

/** A state that is handed on from token to token. */
function drawArchRecurrence(group, box) {
  const y = box.y + box.h - 19;
  const step = Math.min(30, (box.w - 30) / 3);
  for (let at = 0; at < 4; at++) {
    const x = box.x + box.w / 2 + (at - 1.5) * step;
    group.append(archNode("circle", { cx: x, cy: y, r: 6 }));
    if (at === 3) break;
    group.append(archNode("path", { class: "way", d: archPath([[x + 6, y], [x + step - 9, y]]) }));
    group.append(archNode("path", { class: "tip-of", d: archHead([[x + 6, y], [x + step - 6, y]]) }));
  }
}

function drawArchCircle({ data }, box) {
  const [x, y, r] = [box.x + box.w / 2, box.y + box.h / 2, box.h / 2];
  const group = archNode("g", { class: "circle" });
  group.append(archNode("circle", { cx: x, cy: y, r }));
  group.append(archNode("path", { d: `M${x - r / 2},${y}H${x + r / 2}M${x},${y - r / 2}V${y + r / 2}` }));
  if (box.kind === "add") return group;
  const out = box.outward; // as in the paper, the wave stands on the tower's outer side
  const wave = x + out * (r + 26);
  group.append(archNode("circle", { cx: wave, cy: y, r: r + 1 }));
  group.append(archNode("path", { d: `M${wave - 6},${y}q3,-7 6,0t6,0M${wave - out * (r + 1)},${y}H${x + out * r}` }));
  group.append(archNode("text", { class: "note", x: x - out * (r + 8), y: y + 4, "text-anchor": out < 0 ? "start" : "end" }, data.text.positions));
  return group;
}
