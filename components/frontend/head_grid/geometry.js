// How many heads go beside each other, and how large their pictures are.

const HEAD_GRID = { max: 132, min: 26, gap: 8, label: 17, side: 30, blocks: 6 };

/**
 * `shape` is {count, columns}: with a fixed number of columns (layers × heads) the rows keep their names at the side,
 * and many layers fold into blocks beside each other; without, heads fold into as many columns as fit. Either way the
 * fold is the one that makes the pictures largest in `room` {width, height}.
 */
export function headGridGeometry(shape, room) {
  return shape.columns > 0 ? layerGrid(shape, room) : foldedGrid(shape, room);
}

function foldedGrid({ count }, room) {
  let best = null;
  for (let columns = 1; columns <= count; columns++) {
    const rows = Math.ceil(count / columns);
    const wide = (room.width + HEAD_GRID.gap) / columns - HEAD_GRID.gap;
    const high = (room.height - rows * HEAD_GRID.label + HEAD_GRID.gap) / rows - HEAD_GRID.gap;
    const size = Math.max(6, Math.floor(Math.min(wide, Math.max(high, HEAD_GRID.min), HEAD_GRID.max)));
    if (!best || size > best.size) best = { columns, rows, size };
  }
  const { columns, rows, size } = best;
  const pitch = size + HEAD_GRID.gap;
  const top = (row) => (row + 1) * HEAD_GRID.label + row * pitch;
  return {
    ...best, fixed: false, pitch, blocks: 1,
    corner: (at) => [(at % columns) * pitch, top(Math.floor(at / columns))],
    width: columns * pitch - HEAD_GRID.gap,
    height: top(rows - 1) + size,
  };
}

function layerGrid({ count, columns }, room) {
  const layers = Math.ceil(count / columns);
  const gap = count > 60 ? 4 : HEAD_GRID.gap;
  let best = null;
  for (let blocks = 1; blocks <= Math.min(HEAD_GRID.blocks, layers); blocks++) {
    const rows = Math.ceil(layers / blocks);
    const wide = (room.width - blocks * HEAD_GRID.side) / (blocks * columns) - gap;
    const high = (room.height - HEAD_GRID.label) / rows - gap;
    const size = Math.max(6, Math.floor(Math.min(wide, high, HEAD_GRID.max)));
    if (!best || size > best.size) best = { blocks, rows, size };
  }
  const { blocks, rows, size } = best;
  const pitch = size + gap;
  const blockWidth = HEAD_GRID.side + columns * pitch;
  return {
    columns, rows, size, blocks, pitch, fixed: true,
    corner: (at) => {
      const layer = Math.floor(at / columns);
      const block = Math.floor(layer / rows);
      return [block * blockWidth + HEAD_GRID.side + (at % columns) * pitch, HEAD_GRID.label + (layer % rows) * pitch];
    },
    width: blocks * blockWidth - gap,
    height: HEAD_GRID.label + rows * pitch - gap,
  };
}

/** The head whose picture or name is under (x, y), or −1. */
export function headGridPick(geometry, count, x, y) {
  const reach = geometry.fixed ? (geometry.pitch - geometry.size) / 2 : 3;
  for (let at = 0; at < count; at++) {
    const [left, top] = geometry.corner(at);
    const above = geometry.fixed ? reach : 16;
    if (x >= left - reach && x < left + geometry.size + reach && y >= top - above && y < top + geometry.size + reach) return at;
  }
  return -1;
}
