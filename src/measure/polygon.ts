import type { Kernel } from '../kernel/kernel.js';
import { type Bracket, bracket } from '../numeric/bracket.js';
import { ROUNDING, ROUNDINGS } from '../numeric/rounding.js';
import { log, normalQuantileUpper, oneMinusDeltaGdp } from '../numeric/scalar.js';
import { firstWhere } from '../numeric/solve.js';
import type { Vertices } from '../run/directed-run.js';

/** Upper bound of the relative error of a normal quantile. */
export const QUANTILE_SLACK: number = ROUNDINGS;
/** Upper bound of the sum, over two rates p ≤ ½, of the derivative of a normal quantile by log p. Each is at most 1.26. */
const SHIFT = 2.6;

/** Number of points in one kernel call. Only speed depends on it. */
const CHUNK = 4096;

/** Points of a polygon: both rates, and 1 minus each where that is known more accurately. */
interface Places {
  readonly alpha: Float64Array;
  readonly beta: Float64Array;
  readonly restAlpha?: Float64Array | undefined;
  readonly restBeta?: Float64Array | undefined;
}

/**
 * The least μ with min{f, f⁻¹}** ≥ G_μ where both rates are at least alphaMin, f a polygon and ** the convex hull (REP eq. 11). It is the largest
 * Φ⁻¹(1 − α) − Φ⁻¹(β) over the vertices (α, β) of f in the window min(α, β) ≥ alphaMin. The hull's point at alphaMin counts too. As G_μ is convex and
 * its own mirror image, chords between points above it are above it. So vertices that are not on the hull require no more. The kernel inverts rates
 * by thousands, each by its smaller tail; the scalar function gives the same bits.
 *
 * Ensures: μ* lies in the bracket.
 *
 * @param hull The vertices of min{f, f⁻¹}**, as far as it falls by −1 or faster.
 * @returns The bracket, and log|f′| of the hull at α = alphaMin, at least 0; undefined where no rate is in the window.
 */
export function polygonMu(
  vertices: Vertices,
  hull: Vertices,
  alphaMin: number,
  kernel?: Kernel,
): { mu: Bracket; head: number } | undefined {
  const { alpha, beta, rest, relative } = vertices;
  const n = alpha.length;
  const start = firstWhere(hull.alpha.length, (i) => hull.alpha[i] > 0 && hull.alpha[i] >= alphaMin);
  const edge = alphaMin > 0 ? crossing(hull, start, alphaMin) : undefined;
  if (alphaMin > 0 && !(edge !== undefined && edge.beta >= alphaMin)) return undefined;
  const first = firstWhere(n, (i) => alpha[i] > 0 && alpha[i] >= alphaMin);
  const end = firstWhere(n, (i) => !(beta[i] > 0 && beta[i] >= alphaMin));
  if (edge === undefined && first >= end) return undefined;
  const widest = { lower: 0, upper: 0 };
  const places = (from: number, to: number): Places => ({
    alpha: alpha.subarray(from, to),
    beta: beta.subarray(from, to),
    restAlpha: rest?.alpha.subarray(from, to),
    restBeta: rest?.beta.subarray(from, to),
  });
  for (let from = first; from < end; from += CHUNK)
    widen(widest, places(from, Math.min(end, from + CHUNK)), relative, kernel);
  if (edge !== undefined) widen(widest, edge.place, hull.relative + ROUNDING, kernel);
  const steep = start > 0 && start < hull.alpha.length ? slopeBefore(hull, start) : 0;
  return { mu: bracket(widest.lower, widest.upper), head: Math.max(0, steep) };
}

/** Raises a bracket of the largest μ by the μ = Φ⁻¹(1 − α) − Φ⁻¹(β) of more points, with their rounding errors. */
function widen(
  widest: { lower: number; upper: number },
  { alpha, beta, restAlpha, restBeta }: Places,
  rounding: number,
  kernel: Kernel | undefined,
): void {
  const m = alpha.length;
  const rates = new Float64Array(2 * m);
  const signs = new Int8Array(2 * m);
  for (let k = 0; k < m; k++) {
    signs[k] = alpha[k] > 0.5 ? -1 : 1;
    rates[k] = alpha[k] > 0.5 ? (restAlpha?.[k] ?? 1 - alpha[k]) : alpha[k];
    signs[m + k] = beta[k] > 0.5 ? -1 : 1;
    rates[m + k] = beta[k] > 0.5 ? (restBeta?.[k] ?? 1 - beta[k]) : beta[k];
  }
  const z = kernel?.normalQuantileUpper(rates, rates) ?? rates.map((rate) => normalQuantileUpper(rate));
  for (let k = 0; k < m; k++) {
    const mu = signs[k] * z[k] + signs[m + k] * z[m + k];
    const slack = QUANTILE_SLACK * (z[k] + z[m + k] + 1e-2) + SHIFT * rounding;
    widest.lower = Math.max(widest.lower, mu - slack);
    widest.upper = Math.max(widest.upper, mu + slack);
  }
}

/** The point with α = `at` on the segment that ends at vertex i. Each rate and its complement to 1 is a sum of positive terms. */
function crossing(
  { alpha, beta, rest }: Vertices,
  i: number,
  at: number,
): { beta: number; place: Places } | undefined {
  if (i < 1 || i >= alpha.length) return undefined;
  const length = alpha[i] - alpha[i - 1];
  const [before, after] = [(alpha[i] - at) / length, (at - alpha[i - 1]) / length];
  const between = (a: number, b: number): number => a * before + b * after;
  const left = (known: Float64Array | undefined, rates: Float64Array): number =>
    between(known?.[i - 1] ?? 1 - rates[i - 1], known?.[i] ?? 1 - rates[i]);
  const value = between(beta[i - 1], beta[i]);
  const place = {
    alpha: Float64Array.of(at),
    beta: Float64Array.of(value),
    restAlpha: Float64Array.of(left(rest?.alpha, alpha)),
    restBeta: Float64Array.of(left(rest?.beta, beta)),
  };
  return { beta: value, place };
}

/** log|slope| of the segment that ends at vertex i. */
function slopeBefore({ alpha, beta }: Vertices, i: number): number {
  return log(beta[i - 1] - beta[i]) - log(alpha[i] - alpha[i - 1]);
}

/**
 * The regret Δ(f, G_μ) of a symmetric polygon f for every μ of a bracket at once (docs/proofs/regret.md, 2). It is the largest c_f(w) − c_G(w) over
 * weights w. c_f(w), the least weighted error of f, is the least of the lines (1 − w)α + wβ over the vertices; c_G that of G_μ. c_G is concave, so
 * between two w's a line minus c_G is largest at one of them; the w's taken are where neighbouring lines meet. A line is above c_f everywhere, so
 * rounded w's are valid too. Rounding errors are added.
 *
 * Ensures: Δ(f, G_μ) lies in the answer for every μ of the bracket given.
 *
 * @param hull The vertices of f, as far as it falls by −1 or faster.
 */
export function polygonRegret(hull: Vertices, mu: Bracket, kernel?: Kernel): Bracket {
  const { alpha, beta, relative } = hull;
  const n = alpha.length - 1;
  const line = (i: number, w: number): number => (1 - w) * alpha[i] + w * beta[i];
  const slopeAt = (i: number): number => (i < n ? (beta[i] - beta[i + 1]) / (alpha[i + 1] - alpha[i]) : 1);
  const rests = (one: number, slopes: Float64Array): Float64Array => {
    if (one === Infinity) return slopes.fill(0);
    const epsilon = kernel?.log(slopes, slopes) ?? slopes.map((x) => log(x));
    return kernel?.oneMinusDeltaGdp(one, epsilon, epsilon) ?? epsilon.map((x) => oneMinusDeltaGdp(one, x));
  };
  let upper = 0;
  let worst = n;
  for (let from = 0; from <= n; from += CHUNK) {
    const slopes = new Float64Array(Math.min(CHUNK, n + 1 - from));
    for (let k = 0; k < slopes.length; k++) slopes[k] = slopeAt(from + k);
    const most = rests(mu.upper, slopes.slice());
    for (let k = 0; k < slopes.length; k++) {
      const [i, w] = [from + k, 1 / (1 + slopes[k])];
      const gap = Math.max(line(i, w), line(Math.min(i + 1, n), w)) - w * most[k];
      if (gap > upper) [upper, worst] = [gap, i];
    }
  }
  const w = 1 / (1 + slopeAt(worst));
  let least = 1;
  for (let i = 0; i <= n; i++) least = Math.min(least, line(i, w));
  const lower = least - w * rests(mu.lower, Float64Array.of(slopeAt(worst)))[0];
  const slack = ROUNDINGS + relative;
  upper = Math.min(1, upper + slack);
  return bracket(Math.min(upper, Math.max(0, lower - slack)), upper);
}
