// One part of a layer: what stands around an attention or a feed-forward layer, with its residual connection.
import { clamp } from "../lib/dom.js";
import { archBox, archFlow } from "./pieces.js";

const ARCH_PART = { branch: 5, norm: 15, fork: 22, feed_forward: 23, recurrent: 58, absent: 34, gap: 6 };

/** Add `part` on top of the tower. Norm before: norm, part, +. Norm after: part, add & norm. */
export function archSublayer(tower, part, circle) {
  if (part.kind === "absent") {
    tower.up += ARCH_PART.gap;
    archBox(tower, "absent", ARCH_PART.absent, part);
    tower.up += ARCH_PART.gap;
    return;
  }
  const before = tower.spec.norm === "pre";
  const branch = tower.up;
  tower.up += ARCH_PART.branch;
  if (before) archBox(tower, "norm", ARCH_PART.norm);
  const attention = part.kind === "self" || part.kind === "cross";
  if (attention) {
    archFork(tower, part);
    tower.attentions += 1;
  } else archFlow(tower, ARCH_PART.gap + 2);
  archBox(tower, part.kind, attention ? tower.attention : ARCH_PART[part.kind], part);
  archFlow(tower, ARCH_PART.gap);
  const add = before
    ? archBox(tower, "add", circle, { x: tower.axis - circle / 2, w: circle })
    : archBox(tower, "add_norm", ARCH_PART.norm);
  archResidual(tower, branch, add);
  tower.up += ARCH_PART.gap - 2;
}

/** Q, K and V from below; a cross-attention gets only its queries from here. */
function archFork(tower, part) {
  const [from, to] = [tower.up, tower.up + ARCH_PART.fork];
  const rail = from + 6;
  const spread = clamp(tower.w * 0.24, 24, 46);
  const ways = part.kind === "cross" ? [["q", 0]] : [["q", -spread], ["k", 0], ["v", spread]];
  for (const [hue, aside] of ways) {
    const x = tower.axis + aside;
    const points = aside ? [[tower.axis, from], [tower.axis, rail], [x, rail], [x, to]] : [[x, from], [x, to]];
    tower.lines.push({ hue, points, arrow: true, place: part.name, letter: [x - 10, to - 15] });
  }
  tower.up = to;
}

/** Past the part, along the tower's outer side. */
function archResidual(tower, branch, add) {
  const at = add.up + add.h / 2;
  const edge = tower.inward > 0 ? add.x : add.x + add.w;
  const points = [[tower.axis, branch], [tower.bypass, branch], [tower.bypass, at], [edge, at]];
  tower.lines.push({ hue: "residual", points, arrow: true });
}
