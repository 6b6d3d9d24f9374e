import type { Point } from '../chart/chart.js';
import { free } from '../numeric/meter.js';
import { exp, log, normalCdf, normalQuantile } from '../numeric/scalar.js';
import { cornersOf, deltaAtMost, powerAtMost, type SupportLines } from '../tradeoff/support-lines.js';

/** Points of charts of a run, from supporting lines. Points of `gapPoints` are lower bounds of the exact curve, all others upper bounds. */

/** False positive rates of a chart: on a linear axis dense near 0, on a logarithmic one evenly spaced from `least` to 1. */
function alphasOf(scale: 'linear' | 'log', least: number): readonly number[] {
  if (scale === 'log') return Array.from({ length: 81 }, (_, i) => exp((1 - i / 80) * log(least)));
  return Array.from({ length: 101 }, (_, i) =>
    i < 60 ? 0.5 * power(i / 60, 2.6) : 1 - 0.5 * power((100 - i) / 40, 1.6),
  );
}

/** x^k for x ≥ 0, with the same bits in every JavaScript engine. */
function power(x: number, k: number): number {
  return exp(k * log(x));
}

const known = new WeakMap<SupportLines, Map<string, readonly Point[]>>();

/**
 * Upper bounds of the true positive rate at each false positive rate. All corners of the bound are among the points, so no chord between adjacent points
 * is below it.
 */
export function curvePoints(lines: SupportLines, scale: 'linear' | 'log', least = 1e-6): readonly Point[] {
  const kept = known.get(lines) ?? new Map<string, readonly Point[]>();
  known.set(lines, kept);
  const key = `${scale} ${least}`;
  const made = (): readonly Point[] => {
    const corners = cornersOf(lines).filter((alpha) => alpha > least && alpha < 1);
    const alphas = [...new Set([...alphasOf(scale, least), ...corners])].sort((a, b) => a - b);
    return alphas.map((alpha): Point => [alpha, powerAtMost(lines, alpha)]);
  };
  const points = kept.get(key) ?? free(made);
  kept.set(key, points);
  return points;
}

/**
 * Straight pieces of the bound that are longer than this are drawn as straight, with both corners. The limit is a length on a linear axis, and a
 * ratio on a logarithmic one.
 */
const LONG = { linear: 0.05, log: 3 } as const;

/**
 * Points at which the bound nearly equals the exact curve. The bound is a polygon of tangents: taken are the middles of its short sides, and all
 * points of its long ones. A corner between short sides lies visibly above the exact curve. In a difference of curves such corners look like a ripple.
 */
export function touchingPoints(
  lines: SupportLines,
  scale: 'linear' | 'log',
  least: number,
): readonly Point[] {
  const points = curvePoints(lines, scale, least);
  const ends = free(() => [least, ...cornersOf(lines).filter((alpha) => alpha > least && alpha < 1), 1]);
  const touching: Point[] = [];
  for (const [i, to] of ends.slice(1).entries()) {
    const from = ends[i];
    const isShort = (scale === 'log' ? to / from : to - from) < LONG[scale];
    if (isShort) {
      const middle = scale === 'log' ? Math.sqrt(from * to) : (from + to) / 2;
      touching.push([middle, free(() => powerAtMost(lines, middle))]);
    } else touching.push(...points.filter(([alpha]) => alpha >= from && alpha <= to));
  }
  return touching;
}

/** Fractions 1 − 2^{−k} of the way to the ε at which δ falls to 0: points at these fractions show the fall. */
const DROP: readonly number[] = Array.from({ length: 48 }, (_, k) => 1 - exp(-(k + 1) * Math.LN2));

/** Points of the privacy profile δ(ε), ε from 0 to `end`, for δ down to `deepest`. */
export function profilePoints(lines: SupportLines, end: number, deepest: number): Point[] {
  const { epsilon, delta } = lines;
  const points: Point[] = [];
  for (const [i, e] of epsilon.entries()) {
    if (e < 0 || e > end) continue;
    if (delta[i] >= deepest) {
      points.push([e, delta[i]]);
      continue;
    }
    const last = points.at(-1);
    if (last === undefined) return [];
    const falling = DROP.map((part): Point => {
      const at = last[0] + part * (e - last[0]);
      return [at, deltaAtMost(lines, at)];
    });
    return [...points, ...falling.filter(([, d]) => d >= deepest), [e, deepest]];
  }
  return points;
}

/** The true positive rate under the Gaussian of μ minus that under the run, from below: how much a Gaussian summary overstates. */
export function gapPoints(lines: SupportLines, mu: number): Point[] {
  if (!Number.isFinite(mu)) return [];
  return touchingPoints(lines, 'linear', 0)
    .filter(([alpha]) => alpha > 0 && alpha < 1)
    .map(([alpha, power]): Point => {
      const gaussian = normalCdf(normalQuantile(alpha) + mu);
      return [alpha, Math.max(0, gaussian - power)];
    });
}

export function peakOf(points: readonly Point[]): Point {
  return points.reduce((a, b) => (b[1] > a[1] ? b : a), [0.5, 0]);
}
