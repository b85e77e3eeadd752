// Where everything of the drawing stands. Towers are built from the bottom up: `up` is the distance from the bottom;
// at the end all is turned into boxes and lines in pixels with y downwards.
import { clamp } from "../lib/dom.js";
import { archBox, archFlow } from "./pieces.js";
import { archSublayer } from "./sublayer.js";

const ARCH = {
  pad: 8, bypass: 15, name: 15, tokens: 22, box: 22, circle: 15, step: 9, frame: 5, beside: 146, corner: 118,
  wide: { edge: 31, channel: 48, from: 450 }, narrow: { edge: 3, channel: 34 },
};

/** Boxes, lines and frames of both towers for a room of {width, height}; the height is met if the width allows it. */
export function archLayout(data, room) {
  const { edge, channel } = room.width >= ARCH.wide.from ? ARCH.wide : ARCH.narrow;
  const width = (room.width - 2 * edge - channel) / 2;
  const beside = width - 2 * ARCH.pad - ARCH.bypass >= ARCH.beside; // text beside the picture, or above it
  const places = { encoder: [edge, 1], decoder: [edge + width + channel, -1] };
  const build = (attention) =>
    Object.entries(places).map(([side, [left, inward]]) => archTower(data[side], { side, left, width, inward, attention }));
  const spare = build(0).map((tower) => (tower.attentions ? (room.height - tower.up) / tower.attentions : Infinity));
  const attention = Math.floor(clamp(Math.min(...spare), beside ? 66 : 104, beside ? 112 : 128));
  const [encoder, decoder] = build(attention);
  const height = Math.ceil(Math.max(encoder.up, decoder.up) + 2);
  for (const [one, other] of [[encoder, decoder], [decoder, encoder]]) if (one.spec.missing) one.frame = archGhost(one, other, height);
  const towers = [encoder, decoder];
  const lines = towers.flatMap((tower) => tower.lines).concat(archMemory(encoder, decoder, channel));
  for (const box of towers.flatMap((tower) => [...tower.boxes, tower.frame])) box.y = height - box.up - box.h;
  const turned = ([x, up]) => [x, height - up];
  for (const line of lines) Object.assign(line, { points: line.points.map(turned), letter: line.letter && turned(line.letter) });
  return { width: room.width, height, towers, lines, beside, edge, wide: edge === ARCH.wide.edge, corner: archCorner(towers) };
}

function archTower(spec, { side, left, width, inward, attention }) {
  const x = left + ARCH.pad + (inward > 0 ? ARCH.bypass : 0);
  const w = width - 2 * ARCH.pad - ARCH.bypass;
  const tower = { side, spec, left, width, inward, x, w, axis: x + w / 2, up: 1, boxes: [], lines: [], attentions: 0, attention };
  tower.bypass = inward > 0 ? x - ARCH.bypass / 2 - 2 : x + w + ARCH.bypass / 2 + 2;
  tower.frame = { x: left, w: width, up: 0, h: 0 };
  if (!spec.missing) fillArchTower(tower);
  return tower;
}

function fillArchTower(tower) {
  const { spec } = tower;
  archBox(tower, "name", ARCH.name, { text: spec.tokens_name, x: tower.left, w: tower.width });
  archBox(tower, "tokens", ARCH.tokens, { tokens: spec.tokens, x: tower.left, w: tower.width, row: tower.side });
  const start = tower.up;
  archFlow(tower, ARCH.step);
  archBox(tower, "embedding", ARCH.box);
  if (spec.positions) {
    archFlow(tower, 6);
    archBox(tower, "position", ARCH.circle, { x: tower.axis - ARCH.circle / 2, w: ARCH.circle, outward: -tower.inward });
  }
  tower.up += ARCH.step - 2;
  tower.frame.up = tower.up;
  tower.up += ARCH.frame;
  for (const part of spec.parts) archSublayer(tower, part, ARCH.circle);
  tower.up += ARCH.frame - 3;
  tower.frame.h = tower.up - tower.frame.up;
  tower.top = tower.up;
  finishArchTower(tower);
  tower.lines.unshift({ hue: "flow", points: [[tower.axis, start], [tower.axis, tower.end]] });
}

/** What stands above the frame: a last norm, and for a decoder the words that come out. */
function finishArchTower(tower) {
  const { spec } = tower;
  if (spec.final_norm) {
    archFlow(tower, ARCH.step - 1);
    archBox(tower, "norm", 15);
  }
  tower.end = tower.up;
  if (!spec.outputs_name) return;
  archFlow(tower, ARCH.step);
  if (spec.outputs.length) {
    archBox(tower, "predict", ARCH.box);
    archFlow(tower, ARCH.step);
    tower.end = tower.up;
    archBox(tower, "tokens", ARCH.tokens, { tokens: spec.outputs, x: tower.left, w: tower.width, row: "outputs" });
  } else tower.end = tower.up;
  archBox(tower, "name", ARCH.name, { text: spec.outputs_name, x: tower.left, w: tower.width });
}

/** The outline of a tower that is not there; above it there is room for the corner's words. */
function archGhost(one, { frame }, height) {
  const most = height - frame.up - ARCH.corner;
  return { ...frame, x: one.left, h: Math.max(60, Math.min(frame.h, most)) };
}

/** The encoder's output on its way into the cross-attention: one line that parts into keys and values. */
function archMemory(encoder, decoder, channel) {
  const cross = decoder.boxes.find((box) => box.kind === "cross");
  if (!cross || encoder.spec.missing) return [];
  const middle = cross.up + cross.h / 2;
  const gap = clamp(cross.h * 0.25, 16, 24);
  const turn = Math.max(middle, encoder.end + 16);
  const bend = encoder.left + encoder.width + channel * 0.42;
  const aside = turn > middle + gap - 8 ? 5 : 0; // both go down: side by side, so that both are seen
  const trunk = [[encoder.axis, encoder.end], [encoder.axis, turn], [bend + aside, turn]];
  const way = (hue, x, at, letter) => ({
    hue, points: [[x, turn], [x, at], [cross.x, at]], arrow: true, place: cross.name, letter: [(x + cross.x) / 2 - 1, letter],
  });
  return [
    { hue: "trunk", points: trunk, place: cross.name, label: "memory" },
    way("k", bend + aside, middle + gap, middle + gap + 5),
    way("v", bend, middle - gap, middle - gap - 13),
  ];
}

/** Where the words about the model stand: above the tower that is not there, or above the encoder, the lower one. */
function archCorner(towers) {
  const { left, width } = towers.find((tower) => tower.spec.missing) ?? towers[0];
  return { x: left, w: width + 10 };
}
