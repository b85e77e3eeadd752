// Lines of the drawing: round corners, arrowheads, and the letters Q, K, V.
import { archNode } from "./svg.js";

const ARCH_ROUND = 7;

/** A line of the layout with its arrowhead and letter. */
export function drawArchLine({ data }, line) {
  const group = archNode("g", { class: `line ${line.hue}` });
  if (line.place) group.dataset.place = line.place;
  const points = line.arrow ? archShortened(line.points) : line.points;
  group.append(archNode("path", { d: archPath(points) }));
  if (line.arrow) group.append(archNode("path", { class: "tip-of", d: archHead(line.points) }));
  if (line.letter) group.append(archNode("text", { class: "letter", x: line.letter[0], y: line.letter[1] }, line.hue.toUpperCase()));
  if (line.label) {
    const [[x], [, turn]] = line.points;
    group.append(archNode("text", { class: "note", x: x - 2, y: turn - 7, "text-anchor": "middle" }, data.text[line.label]));
  }
  return group;
}

/** A path through points, with round corners. */
export function archPath(points) {
  let path = `M${points[0]}`;
  for (let at = 1; at < points.length; at++) {
    const [before, corner, after] = [points[at - 1], points[at], points[at + 1]];
    if (!after) return `${path}L${corner}`;
    path += `L${archTowards(corner, before)}Q${corner} ${archTowards(corner, after)}`;
  }
  return path;
}

function archTowards([x, y], [tx, ty]) {
  const long = Math.hypot(tx - x, ty - y) || 1;
  const step = Math.min(ARCH_ROUND, long / 2) / long;
  return [x + (tx - x) * step, y + (ty - y) * step];
}

const archShortened = (points) => {
  const [end, before] = [points.at(-1), points.at(-2)];
  const long = Math.hypot(end[0] - before[0], end[1] - before[1]) || 1;
  const step = Math.min(4, long) / long;
  return [...points.slice(0, -1), [end[0] + (before[0] - end[0]) * step, end[1] + (before[1] - end[1]) * step]];
};

/** The head of an arrow along the last piece of a line. */
export function archHead(points) {
  const [[x, y], [bx, by]] = [points.at(-1), points.at(-2)];
  const long = Math.hypot(x - bx, y - by) || 1;
  const [dx, dy] = [(x - bx) / long, (y - by) / long];
  const size = Math.min(6, long);
  const corner = (side) => [x - dx * size - dy * side * 3.4, y - dy * size + dx * side * 3.4];
  return `M${[x, y]}L${corner(1)}L${corner(-1)}Z`;
}
