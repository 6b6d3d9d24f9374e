import type { Point } from '../chart/chart.js';
import { free } from '../numeric/meter.js';
import { exp, log, normalCdf, normalQuantile } from '../numeric/scalar.js';
import { cornersOf, deltaAtMost, powerAtMost, type SupportLines } from '../tradeoff/support-lines.js';

/** Points of what is drawn of a run, from its supporting lines: every bound is above the exact curve. */

/** False positive rates, dense where a linear drawing bends, or evenly over the decades from `least` to 1. */
function alphasOf(scale: 'linear' | 'log', least: number): readonly number[] {
  if (scale === 'log') return Array.from({ length: 81 }, (_, i) => exp((1 - i / 80) * log(least)));
  return Array.from({ length: 101 }, (_, i) =>
    i < 60 ? 0.5 * power(i / 60, 2.6) : 1 - 0.5 * power((100 - i) / 40, 1.6),
  );
}

/** x^k for x ≥ 0, with the same bits in every engine. */
function power(x: number, k: number): number {
  return exp(k * log(x));
}

const known = new WeakMap<SupportLines, Map<string, readonly Point[]>>();

/** The most that any attack finds at each false positive rate, every corner of the bound among them: no chord in between is below it. */
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
 * Straight pieces of the bound that are longer than this are drawn as one, with their corners. The length is a share of a linear
 * axis, and a ratio on a logarithmic one.
 */
const LONG = { linear: 0.05, log: 3 } as const;

/**
 * Points near which the bound touches the exact curve: the middles of its short pieces, and all points of its long ones. The corners
 * between short pieces lie above the curve by what the lines are apart. A difference to another curve would show them as a ripple.
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

/** Parts of the way to an ε at which δ is out of sight: a curve that drops there is drawn dropping. */
const DROP: readonly number[] = Array.from({ length: 48 }, (_, k) => 1 - exp(-(k + 1) * Math.LN2));

/** δ of every ε ≥ 0, down to `deepest` and up to `end`. */
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

/** What more an attack finds under the Gaussian of μ than under the run. */
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
