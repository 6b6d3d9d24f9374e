import type { Saddle } from './contour-plan.js';

// Heuristics: approximate thresholds by interpolation between saddle points. They enter no bound.

/** What is approximated at saddle points. */
export type Approximated = 'delta' | 'falsePositive';

/**
 * Heuristic: the x for a target larger than δ or the FPR at every saddle point. It is 0 if the first saddle point has ε ≤ 0 or there are none, else
 * undefined.
 */
export function least(saddles: readonly Saddle[]): number | undefined {
  return saddles.length === 0 || saddles[0].epsilon <= 0 ? 0 : undefined;
}

/**
 * Heuristic: the ε at which log δ or log FPR (named by `near`) passes `target`, linearly interpolated between two neighbouring saddle points.
 * Undefined where none enclose it. It enters no bound.
 */
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
