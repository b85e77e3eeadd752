// What a tower of the drawing is put together from. `up` is the distance from the bottom.

/** A box on the tower's axis; the tower grows by its height. */
export function archBox(tower, kind, h, more = {}) {
  const box = { x: tower.x, w: tower.w, up: tower.up, h, ...more, kind };
  tower.boxes.push(box);
  tower.up += h;
  return box;
}

/** A piece of the way up, with an arrowhead at its end. */
export function archFlow(tower, length) {
  tower.lines.push({ hue: "flow", points: [[tower.axis, tower.up], [tower.axis, tower.up + length]], arrow: true });
  tower.up += length;
}
