// The chosen dimensions over all positions. Where several positions share a pixel, their whole range is drawn.
import { css } from "../lib/colour.js";

/** `view`: {ctx, place, palette, waves, data}. */
export function paintEncodingWaves(view) {
  const { ctx, place, palette } = view;
  const middle = place.waves + place.waveTall / 2;
  ctx.strokeStyle = css(palette.hair);
  ctx.strokeRect(place.left - 0.5, place.waves - 0.5, place.width + 1, place.waveTall + 1);
  ctx.beginPath();
  ctx.moveTo(place.left, middle);
  ctx.lineTo(place.left + place.width, middle);
  ctx.stroke();
  const colours = [palette.ink, palette.w]; // not those of the cells: there they say the sign
  const most = Math.max(...view.waves.map((wave) => largestSize(wave.values)));
  [...view.waves.entries()].reverse().forEach(([n, wave]) => paintEncodingWave(view, wave.values, { colour: colours[n % 2], bold: n === 0, most }));
  ctx.font = `12px ${palette.font}`;
  ctx.textBaseline = "middle";
  ctx.textAlign = "right";
  view.waves.forEach((wave, n) => {
    ctx.fillStyle = css(colours[n % 2]);
    ctx.fillText(String(wave.dimension), place.left - 7, middle + (n - (view.waves.length - 1) / 2) * 16);
  });
}

const largestSize = (values) => values.reduce((most, value) => (Number.isFinite(value) ? Math.max(most, Math.abs(value)) : most), 0);

function paintEncodingWave({ ctx, place, data }, values, { colour, bold, most }) {
  const y = (value) => place.waves + place.waveTall / 2 - (value / (most || 1)) * (place.waveTall / 2 - 5);
  const x = (position) => place.left + ((position + 0.5) / data.length) * place.width;
  ctx.strokeStyle = css(colour);
  ctx.lineWidth = bold ? 2 : 1.3;
  ctx.beginPath();
  const perPixel = data.length / place.width;
  if (perPixel <= 1) values.forEach((value, position) => ctx.lineTo(x(position), y(value)));
  else {
    ctx.globalAlpha = 0.5; // a fast wave fills its whole band
    for (let pixel = 0; pixel < place.width; pixel++) {
      const part = values.subarray(Math.floor(pixel * perPixel), Math.max(Math.floor(pixel * perPixel) + 1, Math.floor((pixel + 1) * perPixel)));
      ctx.lineTo(place.left + pixel, y(Math.min(...part)));
      ctx.lineTo(place.left + pixel, y(Math.max(...part)));
    }
  }
  ctx.stroke();
  ctx.globalAlpha = 1;
  ctx.lineWidth = 1;
  if (data.length > 40) return;
  ctx.fillStyle = css(colour);
  values.forEach((value, position) => {
    ctx.beginPath();
    ctx.arc(x(position), y(value), 2.6, 0, 7);
    ctx.fill();
  });
}
