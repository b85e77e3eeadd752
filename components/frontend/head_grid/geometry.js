// How many heads go beside each other, and how large their pictures are.

const HEAD_GRID = { max: 132, min: 26, gap: 8, label: 17, side: 30 };

/**
 * `shape` is {count, columns}: with a fixed number of columns (layers × heads) the rows keep their names at the side;
 * without, heads fold into as many columns as make their pictures largest in `room` {width, height}.
 */
export function headGridGeometry(shape, room) {
  const fixed = shape.columns > 0;
  const side = fixed ? HEAD_GRID.side : 0;
  const choices = fixed ? [shape.columns] : Array.from({ length: shape.count }, (_, at) => at + 1);
  let best = null;
  for (const columns of choices) {
    const rows = Math.ceil(shape.count / columns);
    const wide = (room.width - side + HEAD_GRID.gap) / columns - HEAD_GRID.gap;
    const labels = fixed ? HEAD_GRID.label : rows * HEAD_GRID.label;
    const high = (room.height - labels + HEAD_GRID.gap) / rows - HEAD_GRID.gap;
    const size = Math.floor(Math.min(wide, Math.max(high, HEAD_GRID.min), HEAD_GRID.max));
    if (!best || size > best.size) best = { columns, rows, size };
  }
  const size = Math.max(6, best.size);
  const label = (row) => (fixed ? HEAD_GRID.label : (row + 1) * HEAD_GRID.label);
  return {
    ...best,
    size,
    fixed,
    pitch: size + HEAD_GRID.gap,
    corner: (at) => {
      const row = Math.floor(at / best.columns);
      return [side + (at % best.columns) * (size + HEAD_GRID.gap), label(row) + row * (size + HEAD_GRID.gap)];
    },
    width: side + best.columns * (size + HEAD_GRID.gap) - HEAD_GRID.gap,
    height: label(best.rows - 1) + best.rows * (size + HEAD_GRID.gap) - HEAD_GRID.gap,
  };
}

/** The head whose picture or name is under (x, y), or −1. */
export function headGridPick(geometry, count, x, y) {
  for (let at = 0; at < count; at++) {
    const [left, top] = geometry.corner(at);
    const above = geometry.fixed ? 0 : 16;
    if (x >= left - 3 && x < left + geometry.size + 3 && y >= top - above && y < top + geometry.size + 3) return at;
  }
  return -1;
}
