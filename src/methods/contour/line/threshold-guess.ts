import type { Saddle } from './contour-plan.js';

// Guesses of thresholds by interpolation between saddle points: no bracket depends on them.

/** Functionals that are approximated at saddle points. */
export type Approximated = 'delta' | 'falsePositive';

/** Where δ and the FPR exceed their values at every saddle point: 0, if saddle points reach down to it. */
export function least(saddles: readonly Saddle[]): number | undefined {
  return saddles.length === 0 || saddles[0].epsilon <= 0 ? 0 : undefined;
}

/** The ε at which an approximation passes a target, between two of the saddles; undefined where it does not. */
export function whereReached(
  saddles: readonly Saddle[],
  near: 'logDelta' | 'logFpr',
  target: number,
): number | undefined {
  const i = saddles.findIndex((high, k) => k > 0 && saddles[k - 1][near] > target !== high[near] > target);
  if (i < 0) return undefined;
  const [low, high] = [saddles[i - 1], saddles[i]];
  const share = (target - low[near]) / (high[near] - low[near]);
  return low.epsilon + share * (high.epsilon - low.epsilon);
}
