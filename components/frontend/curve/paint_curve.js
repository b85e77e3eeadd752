// Painting the curves: panels below each other over one axis of steps, snapshots as ticks, the chosen one as a cursor.
import { blend, css } from "../lib/colour.js";
import { clamp } from "../lib/dom.js";
import { num } from "../lib/numbers.js";

const CURVE_LEFT = 44;
const CURVE_RIGHT = 40;
const CURVE_FOOT = 30; // the axis of steps and the ticks of the snapshots
const CURVE_HEAD = 20; // a panel's title
const CURVE_GAP = 12;

/** Where everything stands: {left, width, last, panels: [{top, height, lines' ranges}]}. */
export function curveGeometry(data, width, height) {
  const inner = width - CURVE_LEFT - CURVE_RIGHT;
  const free = height - CURVE_FOOT - data.panels.length * CURVE_HEAD - (data.panels.length - 1) * CURVE_GAP;
  const total = data.panels.reduce((sum, panel) => sum + panel.weight, 0);
  let top = 0;
  const panels = data.panels.map((panel) => {
    const tall = (free * panel.weight) / total;
    const found = { top: top + CURVE_HEAD, height: tall, range: curveRange(panel) };
    top += CURVE_HEAD + tall + CURVE_GAP;
    return found;
  });
  return { left: CURVE_LEFT, width: inner, last: Math.max(1, data.last), panels, bottom: height - CURVE_FOOT };
}

/** Low and high of the lines that are no shares; by powers of ten where the lines say so. */
function curveRange(panel) {
  const log = panel.lines.some((line) => line.log);
  let [low, high] = [Infinity, -Infinity];
  const see = (value) => {
    const size = log ? Math.log10(Math.max(value, 1e-12)) : value;
    if (!Number.isFinite(size)) return;
    low = Math.min(low, size);
    high = Math.max(high, size);
  };
  for (const line of panel.lines) if (!line.share) for (const value of line.values) see(value);
  for (const [, value] of panel.levels) see(value);
  if (low > high) [low, high] = log ? [-2, 0] : [0, 1];
  if (log) return { log, low: low - 0.15, high: high + 0.15 };
  return { log, low: Math.min(0, low), high: high * 1.04 + 1e-9 };
}

const curveX = (g, step) => g.left + (step / g.last) * g.width;

function curveY(panel, value, share) {
  const { log, low, high } = share ? { log: false, low: 0, high: 1 } : panel.range;
  const size = log ? Math.log10(Math.max(value, 1e-12)) : value;
  return panel.top + panel.height * (1 - (size - low) / (high - low || 1));
}

/** The snapshot nearest to a place on the canvas. */
export function curveStepAt(g, snapshots, x) {
  const step = clamp((x - g.left) / g.width, 0, 1) * g.last;
  return snapshots.reduce((best, item) => (Math.abs(item - step) < Math.abs(best - step) ? item : best), snapshots[0]);
}

export function paintCurve(ctx, palette, data, g, chosen, hover) {
  ctx.clearRect(0, 0, g.left + g.width + CURVE_RIGHT, g.bottom + CURVE_FOOT);
  data.panels.forEach((panel, n) => paintCurvePanel(ctx, palette, data, panel, g, g.panels[n]));
  paintCurveSteps(ctx, palette, data, g);
  if (hover !== null && hover !== undefined && hover !== chosen) paintCurveCursor(ctx, palette, g, hover, 0.35);
  if (data.snapshots.length) paintCurveCursor(ctx, palette, g, chosen, 1);
}

function paintCurvePanel(ctx, palette, data, panel, g, place) {
  ctx.font = `600 13px ${palette.serif}`;
  ctx.fillStyle = css(palette.ink);
  ctx.textAlign = "left";
  ctx.textBaseline = "alphabetic";
  ctx.fillText(panel.title, g.left, place.top - 7);
  paintCurveAxis(ctx, palette, panel, g, place);
  for (const [name, value] of panel.levels) paintCurveLevel(ctx, palette, g, place, name, value);
  for (const line of panel.lines) paintCurveLine(ctx, palette, data.steps, line, g, place);
}

function paintCurveAxis(ctx, palette, panel, g, place) {
  const { log, low, high } = place.range;
  ctx.font = `11px ${palette.font}`;
  ctx.textBaseline = "middle";
  const own = panel.lines.some((line) => !line.share);
  for (const mark of own ? curveMarks(low, high, log, place.height) : []) {
    const y = curveY(place, log ? 10 ** mark : mark, false);
    curveRule(ctx, css(blend(palette.paper, palette.ink, mark === 0 && !log ? 0.3 : 0.08)), g.left, y, g.left + g.width, y);
    ctx.fillStyle = css(palette.mute);
    ctx.textAlign = "right";
    ctx.fillText(log ? curvePower(mark) : num(mark, high < 2 ? 1 : 0), g.left - 6, y);
  }
  if (!panel.lines.some((line) => line.share)) return;
  ctx.textAlign = "left";
  ctx.fillStyle = css(palette.mute);
  for (const mark of place.height > 90 ? [0, 0.5, 1] : [0, 1]) ctx.fillText(`${mark * 100} %`, g.left + g.width + 5, curveY(place, mark, true));
}

/** Round numbers along an axis, not too many for its height. */
function curveMarks(low, high, log, height) {
  const most = Math.max(2, height / 26);
  if (log && high - low < 1.6) return curveFineMarks(low, high, height);
  const step = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 1000].find((size) => (!log || size >= 1) && (high - low) / size <= most) ?? (high - low);
  const marks = [];
  for (let mark = Math.ceil(low / step - 1e-9) * step; mark <= high + 1e-9; mark += step) marks.push(Math.round(mark * 1e6) / 1e6);
  return marks;
}

/** 1, 2 and 5 times powers of ten, for an axis of hardly more than one. */
function curveFineMarks(low, high, height) {
  const marks = [];
  for (let power = Math.floor(low); power <= high; power++) {
    for (const digit of height < 70 ? [1, 3] : [1, 2, 5]) {
      const mark = power + Math.log10(digit);
      if (mark >= low && mark <= high) marks.push(mark);
    }
  }
  return marks;
}

function curvePower(exponent) {
  if (exponent >= -3 && exponent <= 3) return num(10 ** exponent, Math.max(0, -Math.floor(exponent)));
  return `1e${exponent < 0 ? "\u2212" : ""}${Math.abs(Math.round(exponent))}`;
}

function paintCurveLevel(ctx, palette, g, place, name, value) {
  const y = curveY(place, value, false);
  ctx.setLineDash([3, 4]);
  curveRule(ctx, css(palette.mute), g.left, y, g.left + g.width, y);
  ctx.setLineDash([]);
  ctx.font = `11px ${palette.font}`;
  ctx.fillStyle = css(palette.mute);
  ctx.textAlign = "left";
  ctx.textBaseline = "top";
  ctx.fillText(name, g.left + 4, y + 3);
}

function paintCurveLine(ctx, palette, steps, line, g, place) {
  ctx.strokeStyle = css(palette[line.hue]);
  ctx.lineWidth = line.share ? 2.2 : 1.7;
  ctx.setLineDash(line.dashed ? [5, 3] : []);
  ctx.beginPath();
  let drawn = false;
  for (let n = 0; n < steps.length; n++) {
    const value = line.values[n];
    if (!Number.isFinite(value)) continue;
    const [x, y] = [curveX(g, steps[n]), clamp(curveY(place, value, line.share), place.top - 1, place.top + place.height + 1)];
    if (drawn) ctx.lineTo(x, y);
    else ctx.moveTo(x, y);
    drawn = true;
  }
  ctx.stroke();
  ctx.setLineDash([]);
  ctx.lineWidth = 1;
}

function paintCurveSteps(ctx, palette, data, g) {
  const y = g.bottom + 2;
  curveRule(ctx, css(blend(palette.paper, palette.ink, 0.3)), g.left, y, g.left + g.width, y);
  ctx.fillStyle = css(blend(palette.paper, palette.ink, 0.55));
  for (const step of data.snapshots) {
    ctx.beginPath();
    ctx.arc(curveX(g, step), y, 2, 0, 7);
    ctx.fill();
  }
  ctx.font = `11px ${palette.font}`;
  ctx.fillStyle = css(palette.mute);
  ctx.textBaseline = "top";
  ctx.textAlign = "center";
  const size = [10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000].find((each) => g.last / each <= g.width / 62) ?? g.last;
  for (let mark = 0; mark <= g.last; mark += size) ctx.fillText(mark.toLocaleString("en"), curveX(g, mark), y + 8);
}

function paintCurveCursor(ctx, palette, g, step, strength) {
  const x = curveX(g, step);
  ctx.globalAlpha = strength;
  ctx.lineWidth = 1.5;
  for (const place of g.panels) curveRule(ctx, css(palette.ink), x, place.top - 3, x, place.top + place.height + 2);
  ctx.fillStyle = css(palette.ink);
  ctx.beginPath();
  ctx.arc(x, g.bottom + 2, 5, 0, 7);
  ctx.fill();
  ctx.globalAlpha = 1;
  ctx.lineWidth = 1;
}

function curveRule(ctx, colour, ax, ay, bx, by) {
  ctx.strokeStyle = colour;
  ctx.beginPath();
  ctx.moveTo(ax, ay);
  ctx.lineTo(bx, by);
  ctx.stroke();
}
