import type { ComposedRun } from '../account/composed-run.js';
import { logSum } from '../numeric/log-arithmetic.js';
import { ROUNDINGS, TO_12_DIGITS } from '../numeric/rounding.js';
import { exp, log, normalQuantileLog } from '../numeric/scalar.js';
import { turningPoint } from '../numeric/solve.js';
import { LARGEST_EPSILON } from '../run/epsilon.js';

/**
 * Group privacy for two: the guarantee for one record implies one for data sets two records apart. Under an add/remove guarantee
 * that is one record replaced. As the two data sets have a common neighbour, δ(ε₁ + ε₂) ≤ δ(ε₁) + e^ε₁ δ(ε₂) for any real ε₁, ε₂. How ε
 * is split changes how tight the bound is and never whether it holds.
 */

/**
 * An upper bound of log δ(ε) between data sets two records apart, with ε₁ = (ε − `shift`)/2. For a Gaussian mechanism the best shift is μ².
 *
 * Ensures: no smaller than that log δ(ε).
 */
function pairLogDelta(run: ComposedRun, epsilon: number, shift: number): number {
  const first = (epsilon - shift) / 2;
  const a = run.logDelta(first).upper;
  const b = first + run.logDelta(epsilon - first).upper;
  const top = Math.max(a, b);
  return top === -Infinity ? top : Math.min(0, logSum(a, b) + ROUNDINGS * (1 + Math.abs(top)));
}

/** An ε at which δ between data sets two records apart is at most `delta`; ∞ where none is found. */
export function pairEpsilon(run: ComposedRun, delta: number): number {
  const target = log(delta) * (1 + ROUNDINGS) - ROUNDINGS;
  const single = run.epsilon(delta).upper;
  if (single === Infinity) return Infinity;
  const mu = -2 * normalQuantileLog(log(run.oneMinusAdvantage().lower / 2));
  const gaussian = mu < 40 ? mu * mu : 0;
  const least = (shift: number): number =>
    turningPoint((epsilon) => pairLogDelta(run, epsilon, shift) <= target, {
      guess: 2 * single + shift,
      reach: 0.3 * (single + 0.1),
      ceiling: LARGEST_EPSILON,
      relative: 1e-5,
      absolute: TO_12_DIGITS,
    }).high;
  // If the privacy loss is bounded, a shift of 0 is tried too: its δ is 0 at twice the largest loss.
  const end = run.epsilon(0).upper;
  return end < Infinity ? Math.min(2 * end, least(0), least(gaussian)) : least(gaussian);
}

/**
 * An upper bound of the advantage δ(0) between data sets two records apart. Group privacy with ε₁ = s, ε₂ = −s gives 1 − e^{−s}(1 − 2δ(s)), s ≥ 0.
 */
export function pairAdvantage(run: ComposedRun): number {
  const bound = (s: number): number => {
    const kept = exp(-s) * (1 - 2 * run.delta(s).upper);
    return Math.min(1, 1 - kept * (1 - Math.sign(kept) * ROUNDINGS) + ROUNDINGS);
  };
  // every s gives a valid bound; ternary search looks for the smallest
  let low = 0;
  let high = Math.max(1e-6, run.epsilon(1e-3).upper);
  if (high === Infinity) return bound(0);
  let best = Math.min(bound(low), bound(high));
  for (let i = 0; i < 24; i++) {
    const third = (high - low) / 3;
    const a = bound(low + third);
    const b = bound(high - third);
    best = Math.min(best, a, b);
    if (a <= b) high -= third;
    else low += third;
  }
  return best;
}
