import { DENSITY_DOUBT } from '../../../kernel/constants.js';
import { subsampledSlope } from '../../../law/subsampling.js';
import { INVERSE_SQRT_2PI, U } from '../../../numeric/constants.js';
import { exp, log, log1p } from '../../../numeric/scalar.js';
import type { AxisMesh } from './axis-outputs.js';
import type { OutputWindow } from './output-window.js';
import type { ShiftedOutputs } from './shifted-mesh.js';

/** How far out is looked, and the slope that is wanted there. */
const FURTHEST = 400;
const MARGIN = 1e-3;

/** A bound of |(log φu^c W)″|. y″ = μ²w(1 − w), w = B/(A + B), rises with the output to μ²/4 where w is ½. */
function bendOf({ mu, q, window, end }: ShiftedOutputs, c: number): number {
  const big = Math.min(0.5, 1.000001 * subsampledSlope(mu * end - (mu * mu) / 2, q));
  return 1 + Math.abs(c) * mu * mu * big * (1 - big) + 1 / (window.width * window.width);
}

/**
 * log of a V with |φ(τ)| ≤ V/|τ|. By parts, V = ∫|g′|/M(c) for g = φu^c W/y′, 1/y′ = (1 + (1 − q)e^{−s}/q)/μ; g vanishes at
 * both ends. The second derivative of log g is at most B, `bendOf` at c + 1 (log 1/y′ bends like log u). So between two nodes
 * it exceeds the larger of its values there by at most Bh²/8. Its slope differs from the chord's by at most Bh. There g varies by
 * at most e^{Bh²/8} max g (|Δ log g| + Bh²). Cells are added at either end until g is monotone beyond, and varies by its last value.
 *
 * @param logM log M(c).
 */
export function logVariation(outputs: ShiftedOutputs, mesh: AxisMesh, c: number, logM: number): number {
  const { mu, q, window, end, kernel } = outputs;
  const { h, first, n } = mesh;
  const bend = h * h * bendOf(outputs, c + 1);
  const [start, beforeLast, last, most, sum, off] = kernel.densityVariation(
    mesh.table,
    outputs,
    mesh,
    c,
    bend,
  );
  let logError = off;
  const weight = (at: number): number => q * exp(Math.min(700, mu * at - (mu * mu) / 2));
  const rises = (at: number): boolean =>
    logSlope(window, at, 1) - at - mu - Math.max(0, -1 - c) * mu * Math.min(1, weight(at) / (1 - q)) > MARGIN;
  const falls = (at: number): boolean => logSlope(window, at, -1) + at - Math.max(-1, c) * mu > MARGIN;
  const beyond = (j: number): number => {
    const at = { h, first: j, n: 1 };
    const { values } = kernel.axisMesh(outputs, at, kernel.windowRows(at, 0, window));
    const [loss, error, height, lossError] = [1, 3, 5, 6].map((row) => values[2 * row]);
    logError = Math.max(logError, error + Math.abs(c) * (lossError + 4 * U * Math.abs(loss)));
    return c * loss + height + log1p((1 - q) / weight(h * j)) - log(mu);
  };
  const before = [start];
  for (let j = first - 1; !rises(h * (j + 1)); j--) {
    if (h * j < -FURTHEST) return Infinity;
    before.push(beyond(j));
  }
  const behind = [beforeLast, last];
  for (let j = first + n; h * (j - 1) < end && !falls(h * (j - 1)); j++) {
    if (h * j > FURTHEST) return Infinity;
    behind.push(beyond(j));
  }
  if (!(logError < DENSITY_DOUBT)) return Infinity;
  // g falls from its last value, or ends between the last two
  const lowest = before[before.length - 1];
  const after = Math.max(...behind.slice(-2)) + (end < Infinity ? bend / 8 : 0);
  const top = Math.max(most, ...before, ...behind);
  const gaps = exp(most - top) * sum + gapsOf(before, bend, top) + gapsOf(behind.slice(1), bend, top);
  const all = exp(lowest - top) + exp(after - top) + exp(bend / 8) * gaps;
  return top + log(all * INVERSE_SQRT_2PI) - logM + 4 * DENSITY_DOUBT;
}

/** As `Kernel.densityVariation`, of some neighbouring logarithms. */
function gapsOf(logs: readonly number[], bend: number, top: number): number {
  let sum = 0;
  for (let j = 1; j < logs.length; j++) {
    const [a, b] = [logs[j - 1], logs[j]];
    sum += exp(Math.max(a, b) - top) * (Math.abs(a - b) + bend + 4 * DENSITY_DOUBT);
  }
  return sum;
}

/**
 * A lower bound of the slope of log W at and before x (side 1); or of minus the slope at and behind it (side −1). log W is concave, so its slope
 * falls. At x it is the mean of (o − x)/w² over the window's outputs o, weighed by the normal density around x. Outside it is at least d/w², with the
 * distance d of x to the nearer edge. On the nearer half of the inside it is at least 0. Else the far edge, t ≥ w away, takes no more than e^{−t²/2w²}/(w√2π)
 * of W ≥ .68.
 */
function logSlope({ from, to, width }: OutputWindow, x: number, side: 1 | -1): number {
  const [near, far] = side > 0 ? [from - x, to - x] : [x - to, x - from];
  if (near >= 0) return near / (width * width);
  if (far >= -near) return 0;
  return far >= width ? (-0.6 * exp(-((far / width) ** 2) / 2)) / width : -Infinity;
}
