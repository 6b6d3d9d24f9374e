import { floats } from '../../../kernel/floats.js';
import type { Kernel } from '../../../kernel/kernel.js';
import { LONG_SUM, up } from '../../../numeric/rounding.js';
import { exp } from '../../../numeric/scalar.js';
import { firstBetween } from '../../../numeric/solve.js';
import type { Decay } from '../step/spectral-law.js';
import type { CountedSpectrum } from './contour-plan.js';

/** Frequencies τ at which a contour may end, and upper bounds of its truncation error if it ends there. */
export interface Truncation {
  /**
   * The frequencies. Then upper bounds of (1/π)Δ·Σ|φ(kΔ)|(kΔ)^{−r} over the nodes kΔ beyond each, Δ the node spacing: `first` for r = 1, `second` for
   * r = 2.
   */
  readonly from: Float64Array;
  readonly first: Float64Array;
  readonly second: Float64Array;
}

interface TruncationAsked {
  /** The first frequency at which the contour may end. */
  readonly start: number;
  /** Where log|φ| < −depth, φ(τ) = M(c + iτ)/M(c), the truncation error counts as negligible. */
  readonly depth: number;
  readonly wanted: { readonly first: number; readonly second: number };
  /** Whether tighter bounds of |φ(τ)| = |M(c + iτ)|/M(c), which cost more, are used where a law has them. */
  readonly sharp: boolean;
}

/** A truncation error below this fraction of the tolerated one is not resolved further; it is still charged. Only speed depends on it. */
const LITTLE = 1e-4;
/** Ratio of neighbouring frequencies at which a contour may end, and their largest number. Only speed and width depend on them. */
const GROWTH = 1.2;
const MAX_SEGMENTS = 160;
/** Number of frequencies τ for which |φ(τ)| = |M(c + iτ)|/M(c) is bounded in one call. Only speed depends on it. */
const BLOCK = 8;
/**
 * Where log|φ(τ)| = log|M(c + iτ)/M(c)| < −FAR_BELOW·depth, the ratio of neighbouring frequencies is LONGER. A bound of log|φ| below
 * −ENOUGH·FAR_BELOW·depth need not be improved. Only speed and width depend on them.
 */
const LONGER = 1.5;
const FAR_BELOW = 3;
const ENOUGH = 8;

/**
 * Upper bounds of the truncation errors (1/π)Δ·Σ_{kΔ ≥ τ} |φ(kΔ)|/(kΔ)^r, r = 1 and 2, at geometrically spaced τ; φ(τ) = M(c + iτ)/M(c), Δ the node
 * spacing. A stretch [a, b) between neighbours has at most (b − a)/Δ + 1 nodes. Beyond the last frequency τ₀, |φ| ≤ B(τ/τ₀)^{−N} sums to at most
 * B·τ₀^{−r}(Δ + τ₀/(N + r − 1)). The frequencies end where the error is negligible beside `wanted`, or log|φ| < −depth. Ensures: no less than the
 * sums.
 */
export function truncationOf(
  kernel: Kernel,
  laws: readonly CountedSpectrum[],
  c: number,
  dTau: number,
  { start, depth, wanted, sharp }: TruncationAsked,
): Truncation {
  const decays = laws.map(({ law, count }) => ({ decay: law.decay(c), count }));
  const least = new Float64Array(laws.length);
  const from = [Math.max(start, dTau)];
  const logs: number[] = [];
  // the bound of |φ| beyond a frequency: the product of the laws' bounds, each to the power of its count
  const farAt = (tau: number): Far => {
    let [log, power] = [0, 0];
    for (const { decay, count } of decays) {
      const far = decay.beyond(tau);
      log += count * far.log;
      power += count * far.power;
    }
    return { log, power };
  };
  // the error falls with τ, so the first index at which it is negligible is found by bisection
  const counts = (tau: number): boolean => {
    const far = farAt(tau);
    if (far.log < -depth) return false;
    const [first, second] = sumsBehind(tau, far, dTau);
    return first > LITTLE * wanted.first || second > LITTLE * wanted.second;
  };
  for (let more = counts(from[0]); more && logs.length < MAX_SEGMENTS; ) {
    const growth = logs[logs.length - 1] < -FAR_BELOW * depth ? LONGER : GROWTH;
    const taus = floats(BLOCK + 1);
    taus[0] = from[from.length - 1];
    for (let i = 0; i < BLOCK; i++) taus[i + 1] = taus[i] * growth;
    more = counts(taus[BLOCK]);
    const n = more ? BLOCK : firstBetween(0, BLOCK, (i) => !counts(taus[i]));
    logs.push(...boundsOn(kernel, decays, taus.subarray(0, n + 1), { depth, sharp, least }));
    for (let i = 1; i <= n; i++) from.push(taus[i]);
  }
  const { first, second } = sumsBeyond(from, logs, farAt(from[from.length - 1]), dTau);
  return { from: Float64Array.from(from), first, second };
}

interface BoundsAsked {
  readonly depth: number;
  readonly sharp: boolean;
  /** For each law the last bound of its log|φ(τ)| = log|M(c + iτ)/M(c)| that holds at all larger frequencies. */
  readonly least: Float64Array;
}

/**
 * Upper bounds of log|φ(τ)| = log|M(c + iτ)/M(c)| of a run between consecutive frequencies: Σ_j T_j·(bound of law j, which occurs T_j times). Where
 * `sharp` is set and the sum is not yet small, each law's bounds for all larger frequencies are used too. Ensures: no less than log|φ|.
 */
function boundsOn(
  kernel: Kernel,
  decays: readonly { readonly decay: Decay; readonly count: number }[],
  taus: Float64Array,
  { depth, sharp, least }: BoundsAsked,
): Float64Array {
  const sums = floats(taus.length - 1);
  const each = decays.map(({ decay, count }) =>
    decay.bounds(kernel, taus, (-ENOUGH * FAR_BELOW * depth) / count),
  );
  const starts = taus.subarray(0, sums.length);
  const wanted = sharp && decays.reduce((sum, { count }, k) => sum + count * least[k], 0) > -2 * depth;
  for (const [k, { decay, count }] of decays.entries()) {
    const far = wanted ? decay.far?.(starts) : undefined;
    for (let i = 0; i < sums.length; i++)
      sums[i] += count * Math.min(far === undefined ? least[k] : far[i], each[k][i]);
    if (far !== undefined) least[k] = far[far.length - 1];
  }
  return sums;
}

/** Upper bound of |φ(τ)| = |M(c + iτ)|/M(c) beyond a frequency τ₀: log|φ(τ)| ≤ log − power·log(τ/τ₀). */
interface Far {
  readonly log: number;
  readonly power: number;
}

/**
 * The truncation errors beyond the last frequency τ, (1/π)e^{log}τ^{−r}(Δ + τ/(power + r − 1)) for r = 1 and 2, Δ the node spacing. Here log and
 * power are those of `far`. A sum of a falling function is at most its first term and the integral. Ensures: rounded up, as 0.3184 > 1/π.
 */
function sumsBehind(tau: number, far: Far, dTau: number): readonly [number, number] {
  const last = exp(far.log) * 0.3184;
  return [
    far.power > 0 ? (last / tau) * (dTau + tau / far.power) : Infinity,
    (last / (tau * tau)) * (dTau + tau / (far.power + 1)),
  ];
}

/**
 * The truncation errors (1/π)Δ·Σ|φ|/τ^r, r = 1 and 2, φ(τ) = M(c + iτ)/M(c), beyond each frequency in `from`. On [from[i], from[i+1]), log|φ| ≤
 * logs[i], and there are at most (from[i+1] − from[i])/Δ + 1 nodes of spacing Δ; beyond the last frequency |φ| is as `far` says. Ensures: no less
 * than the sums.
 */
export function sumsBeyond(
  from: ArrayLike<number>,
  logs: ArrayLike<number>,
  far: Far,
  dTau: number,
): { first: Float64Array; second: Float64Array } {
  const n = from.length;
  const first = floats(n);
  const second = floats(n);
  [first[n - 1], second[n - 1]] = sumsBehind(from[n - 1], far, dTau);
  for (let i = n - 2; i >= 0; i--) {
    const width = up((from[i + 1] - from[i] + dTau) * 0.3184 * exp(logs[i]), LONG_SUM);
    first[i] = first[i + 1] + width / from[i];
    second[i] = second[i + 1] + width / (from[i] * from[i]);
  }
  return { first, second };
}
