// Drawing a matrix on a canvas: cells with numbers when they are large enough, an image when they are small.
import { blend, cellFill, css, inkOn } from "./colour.js";

/** What a cell is. A masked score is −∞, a masked weight is 0: only the mask can tell. */
export const STATE = { number: 0, masked: 1, padded: 2 };

/** Diagonal lines: "this cell may not be seen". Padding is hatched both ways. */
export function hatch(ctx, x, y, width, height, palette, crossed = false) {
  ctx.save();
  ctx.beginPath();
  ctx.rect(x, y, width, height);
  ctx.clip();
  ctx.fillStyle = css(palette.paper);
  ctx.fillRect(x, y, width, height);
  ctx.strokeStyle = css(blend(palette.paper, palette.ink, 0.3));
  ctx.lineWidth = 1;
  ctx.beginPath();
  const step = Math.max(4, Math.min(7, height / 3));
  for (let at = -height; at < width; at += step) {
    ctx.moveTo(x + at, y + height);
    ctx.lineTo(x + at + height, y);
    if (crossed) {
      ctx.moveTo(x + at, y);
      ctx.lineTo(x + at + height, y + height);
    }
  }
  ctx.stroke();
  ctx.restore();
}

/** A value that is not a number: a warning colour with a cross, so that it can be taken for nothing else. */
export function drawNotANumber(ctx, x, y, width, height) {
  ctx.fillStyle = "#d61f1f";
  ctx.fillRect(x, y, width, height);
  ctx.strokeStyle = "#ffffff";
  ctx.lineWidth = 1;
  ctx.beginPath();
  ctx.moveTo(x, y);
  ctx.lineTo(x + width, y + height);
  ctx.moveTo(x + width, y);
  ctx.lineTo(x, y + height);
  ctx.stroke();
}

/**
 * An image of a matrix, one pixel per cell or, where there are more cells than `maxSide`, per block of cells: a block
 * shows its value of largest size, so that a thin diagonal survives. `read(r, c)` gives values, `state(r, c)` a STATE.
 */
export function matrixImage(rows, cols, read, state, palette, scale, maxSide = 1024) {
  const stepR = Math.max(1, Math.ceil(rows / maxSide));
  const stepC = Math.max(1, Math.ceil(cols / maxSide));
  const height = Math.ceil(rows / stepR);
  const width = Math.ceil(cols / stepC);
  const image = new ImageData(width, height);
  const masked = blend(palette.paper, palette.ink, 0.16);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      let rgb = masked;
      let largest = -1;
      for (let r = y * stepR; r < Math.min(rows, (y + 1) * stepR); r++) {
        for (let c = x * stepC; c < Math.min(cols, (x + 1) * stepC); c++) {
          if (state(r, c) !== STATE.number) continue;
          const value = read(r, c);
          const size = Number.isNaN(value) ? Infinity : Math.abs(value);
          if (size <= largest || value === -Infinity) continue;
          largest = size;
          rgb = cellFill(palette, value, scale) ?? [214, 31, 31];
        }
      }
      image.data.set([rgb[0], rgb[1], rgb[2], 255], 4 * (y * width + x));
    }
  }
  const canvas = new OffscreenCanvas(width, height);
  canvas.getContext("2d").putImageData(image, 0, 0);
  return canvas;
}

/** Draw a small image large with even cells: nearest neighbour at a whole multiple, then one smooth reduction. */
export function drawCrisp(ctx, image, x, y, width, height) {
  const ratio = window.devicePixelRatio || 1;
  const times = Math.max(1, Math.ceil((Math.max(width, height) * ratio * 1.5) / Math.max(image.width, image.height)));
  if (times === 1 || Math.max(image.width, image.height) * times > 3000) {
    ctx.imageSmoothingEnabled = image.width > width;
    ctx.drawImage(image, x, y, width, height);
    return;
  }
  const large = new OffscreenCanvas(image.width * times, image.height * times);
  const inner = large.getContext("2d");
  inner.imageSmoothingEnabled = false;
  inner.drawImage(image, 0, 0, large.width, large.height);
  ctx.imageSmoothingEnabled = true;
  ctx.imageSmoothingQuality = "high";
  ctx.drawImage(large, x, y, width, height);
}

/** One cell: its fill (or its look, where it is no plain number) and, if `text` is given, its number. */
export function drawCell(ctx, x, y, width, height, cell, palette) {
  const { value, state, scale, text, alpha = 1, textAlpha = alpha } = cell;
  const base = ctx.globalAlpha;
  ctx.globalAlpha = base * alpha;
  const fill = state === STATE.number ? cellFill(palette, value, scale) : null;
  if (fill) {
    ctx.fillStyle = css(fill);
    ctx.fillRect(x, y, width, height);
  } else if (Number.isNaN(value)) drawNotANumber(ctx, x, y, width, height);
  else hatch(ctx, x, y, width, height, palette, state === STATE.padded);
  if (text) {
    ctx.globalAlpha = base * textAlpha;
    if (!fill && !Number.isNaN(value)) clearBehind(ctx, text, x + width / 2, y + height / 2, palette);
    ctx.fillStyle = css(fill ? inkOn(blend(palette.paper, fill, alpha)) : Number.isNaN(value) ? [255, 255, 255] : palette.ink);
    ctx.textAlign = "center";
    ctx.textBaseline = "middle";
    ctx.fillText(text, x + width / 2, y + height / 2 + 0.5);
  }
  ctx.globalAlpha = base;
}

function clearBehind(ctx, text, x, y, palette) {
  const width = ctx.measureText(text).width + 4;
  const height = parseFloat(ctx.font.match(/([\d.]+)px/)?.[1] ?? "10") * 1.15;
  ctx.fillStyle = css(palette.paper);
  ctx.fillRect(x - width / 2, y - height / 2, width, height);
}
