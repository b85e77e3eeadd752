// Painting one plane: axes, dots, arrows with their names, the angle between two and the shadow of one on the other.
import { blend, css } from "../lib/colour.js";
import { clamp } from "../lib/dom.js";
import { clipLabel, labelWidth } from "../lib/labels.js";
import { num } from "../lib/numbers.js";

const PLANE_EDGE = 16;
const PLANE_TITLE = 20;

/** Where (x, y) of the plane is on the canvas. */
export function planePoint(panel, x, y) {
  const title = panel.title ? PLANE_TITLE : 0;
  const unit = Math.min((panel.width / 2 - PLANE_EDGE) / panel.reach, ((panel.height - title) / 2 - PLANE_EDGE) / panel.tall);
  return [panel.left + panel.width / 2 + x * unit, panel.top + title + (panel.height - title) / 2 - y * unit];
}

export function paintPlanePanel(ctx, palette, panel, active) {
  paintPlaneAxes(ctx, palette, panel);
  panel.labels = [];
  for (const [x, y, hue] of panel.dots) paintPlaneDot(ctx, palette, panel, x, y, hue);
  const strong = panel.arrows.filter((arrow) => !arrow.faint);
  if (panel.angle && strong.length > 1) paintPlaneAngle(ctx, palette, panel, strong[0], strong[1]);
  const faint = panel.arrows.filter((arrow) => arrow.faint);
  for (const arrow of [...faint, ...strong]) paintPlaneArrow(ctx, palette, panel, arrow, arrow === active);
  for (const arrow of [...strong, ...faint.sort((a, b) => b.strength - a.strength)]) if (arrow.label) paintPlaneLabel(ctx, palette, panel, arrow);
}

function paintPlaneAxes(ctx, palette, panel) {
  const [cx, cy] = planePoint(panel, 0, 0);
  const unit = planePoint(panel, 1, 0)[0] - cx;
  const step = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 1000].find((size) => size * unit >= 34) ?? panel.reach;
  const count = Math.floor(panel.reach / step + 1e-9);
  const high = Math.floor(panel.tall / step + 1e-9);
  ctx.lineWidth = 1;
  for (let n = -count; n <= count; n++) {
    ctx.strokeStyle = css(n === 0 ? blend(palette.paper, palette.ink, 0.35) : blend(palette.paper, palette.ink, 0.07));
    paintPlaneLine(ctx, planePoint(panel, n * step, -panel.tall), planePoint(panel, n * step, panel.tall));
    if (Math.abs(n) <= high) paintPlaneLine(ctx, planePoint(panel, -panel.reach, n * step), planePoint(panel, panel.reach, n * step));
  }
  ctx.font = `11px ${palette.font}`;
  ctx.fillStyle = css(palette.mute);
  ctx.textAlign = "center";
  ctx.textBaseline = "top";
  if (panel.width > 260) for (const n of [-count, -Math.ceil(count / 2), Math.ceil(count / 2), count]) if (n) ctx.fillText(num(n * step, step < 1 ? (step < 0.1 ? 2 : 1) : 0), planePoint(panel, n * step, 0)[0], cy + 4);
  paintPlaneNames(ctx, palette, panel);
}

function paintPlaneNames(ctx, palette, panel) {
  ctx.textBaseline = "alphabetic";
  if (panel.title) {
    ctx.font = `600 13.5px ${palette.serif}`;
    ctx.fillStyle = css(palette.ink);
    ctx.textAlign = "center";
    ctx.fillText(clipLabel(ctx, panel.title, panel.width - 8), panel.left + panel.width / 2, panel.top + 14);
  }
  const [across, up] = panel.axes;
  ctx.font = `12px ${palette.font}`;
  ctx.fillStyle = css(palette.mute);
  const [right, y] = planePoint(panel, panel.reach, 0);
  ctx.textAlign = "right";
  if (across) ctx.fillText(across, right, y + 30);
  const [x, top] = planePoint(panel, 0, panel.tall);
  ctx.textAlign = "left";
  if (up) ctx.fillText(up, x + 7, top + 10);
}

function paintPlaneLine(ctx, [ax, ay], [bx, by]) {
  ctx.beginPath();
  ctx.moveTo(ax, ay);
  ctx.lineTo(bx, by);
  ctx.stroke();
}

function paintPlaneDot(ctx, palette, panel, x, y, hue) {
  const [px, py] = planePoint(panel, x, y);
  ctx.fillStyle = css(blend(palette.paper, palette[hue], 0.45));
  ctx.beginPath();
  ctx.arc(px, py, 2.4, 0, 7);
  ctx.fill();
}

function paintPlaneArrow(ctx, palette, panel, arrow, active) {
  const [ox, oy] = planePoint(panel, 0, 0);
  const [x, y] = planePoint(panel, arrow.x, arrow.y);
  const colour = css(blend(palette.paper, palette[arrow.hue], (arrow.faint ? 0.4 : 1) * clamp(arrow.strength, 0.2, 1)));
  const long = Math.hypot(x - ox, y - oy);
  const head = Math.min(arrow.faint ? 6 : 10, long * 0.5);
  const [dx, dy] = long ? [(x - ox) / long, (y - oy) / long] : [1, 0];
  ctx.strokeStyle = ctx.fillStyle = colour;
  ctx.lineWidth = arrow.faint ? 1.2 : 2.6;
  paintPlaneLine(ctx, [ox, oy], [x - dx * head * 0.7, y - dy * head * 0.7]);
  ctx.beginPath();
  ctx.moveTo(x, y);
  ctx.lineTo(x - dx * head - dy * head * 0.5, y - dy * head + dx * head * 0.5);
  ctx.lineTo(x - dx * head + dy * head * 0.5, y - dy * head - dx * head * 0.5);
  ctx.fill();
  if (arrow.drag) paintPlaneHandle(ctx, x, y, active);
  ctx.lineWidth = 1;
}

function paintPlaneHandle(ctx, x, y, active) {
  ctx.globalAlpha = 0.18;
  ctx.beginPath();
  ctx.arc(x, y, active ? 15 : 11, 0, 7);
  ctx.fill();
  ctx.globalAlpha = 1;
  if (!active) return;
  ctx.lineWidth = 1.5;
  ctx.stroke();
}

/** The name beside the tip; a faint arrow's is left out where another name stands already. */
function paintPlaneLabel(ctx, palette, panel, arrow) {
  const [ox, oy] = planePoint(panel, 0, 0);
  const [tx, ty] = planePoint(panel, arrow.x, arrow.y);
  const long = Math.hypot(tx - ox, ty - oy) || 1;
  const side = (tx - ox) / long;
  const size = arrow.faint ? 12 : 14;
  ctx.font = `${size}px ${palette.font}`;
  const text = clipLabel(ctx, arrow.label, 110);
  const wide = labelWidth(ctx, text);
  const away = arrow.drag ? 17 : 9;
  const x = tx + side * away;
  const left = clamp(side >= 0 ? x : x - wide, panel.left + 2, panel.left + panel.width - wide - 2);
  const y = clamp(ty + ((ty - oy) / long) * away, panel.top + 8, panel.top + panel.height - 8);
  const box = { left, right: left + wide, top: y - size / 2, bottom: y + size / 2 };
  const taken = panel.labels.some((other) => box.left < other.right && box.right > other.left && box.top < other.bottom && box.bottom > other.top);
  if (taken && arrow.faint) return;
  panel.labels.push(box);
  ctx.textAlign = "left";
  ctx.textBaseline = "middle";
  ctx.lineWidth = 3;
  ctx.strokeStyle = css(palette.paper);
  ctx.strokeText(text, left, y);
  ctx.fillStyle = css(blend(palette.paper, palette[arrow.hue], arrow.faint ? 0.8 : 1));
  ctx.fillText(text, left, y);
}

/** The angle as an arc, and how far the second arrow reaches along the first: |k|·cos θ. */
function paintPlaneAngle(ctx, palette, panel, one, other) {
  const [from, to] = [Math.atan2(one.y, one.x), Math.atan2(other.y, other.x)];
  const long = Math.hypot(one.x, one.y);
  if (!long || !Math.hypot(other.x, other.y)) return;
  const turn = Math.atan2(Math.sin(to - from), Math.cos(to - from));
  const [ox, oy] = planePoint(panel, 0, 0);
  const radius = clamp(panel.width * 0.07, 14, 34);
  ctx.strokeStyle = css(palette.mute);
  ctx.beginPath();
  ctx.arc(ox, oy, radius, -from, -from - turn, turn > 0);
  ctx.stroke();
  ctx.font = `12px ${palette.font}`;
  ctx.fillStyle = css(palette.mute);
  ctx.textAlign = ctx.textBaseline = "middle";
  ctx.textAlign = "center";
  const at = from + turn / 2;
  ctx.fillText(`${num((Math.abs(turn) * 180) / Math.PI, 0)}°`, ox + Math.cos(at) * (radius + 16), oy - Math.sin(at) * (radius + 12));
  const along = (one.x * other.x + one.y * other.y) / long ** 2;
  ctx.setLineDash([3, 3]);
  paintPlaneLine(ctx, planePoint(panel, other.x, other.y), planePoint(panel, along * one.x, along * one.y));
  ctx.setLineDash([]);
}
