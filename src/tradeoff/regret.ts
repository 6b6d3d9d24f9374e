import { type Bracket, bracket, exactly } from '../numeric/bracket.js';
import { gaussianRun } from '../run/gaussian-run.js';
import type { TradeoffCurve } from '../run/tradeoff-curve.js';
import { type Dual, largestGap, type Sample } from './largest-gap.js';

/** Width to stop at. */
const ENOUGH = 1e-7;

/**
 * Regret of summarising a symmetric curve f by G_μ: Δ(f, G_μ) over all α (REP def. 2.10), for every μ of a bracket at
 * once. The dual of G_μ grows with μ, so the lower end is that of the least μ and the upper end that of the largest.
 *
 * @param samples What is known of f already.
 */
export function regretOf(curve: TradeoffCurve, mu: Bracket, samples: readonly Sample[]): Bracket {
  return largestGap(curve, gaussianDual(mu), ENOUGH, true, samples);
}

/** Δ(G_μ, f): how far G_μ, which lies below f on a window, is above f outside of it. */
export function shortfallOf(curve: TradeoffCurve, mu: number): Bracket {
  return largestGap(gaussianRun(mu), curve, ENOUGH, true);
}

function gaussianDual(mu: Bracket): Dual {
  const dual = (one: number): Dual['logDelta'] =>
    one === Infinity ? () => exactly(0) : gaussianRun(one).logDelta;
  const [least, most] = [dual(mu.lower), dual(mu.upper)];
  return { logDelta: (epsilon) => bracket(least(epsilon).lower, most(epsilon).upper) };
}
