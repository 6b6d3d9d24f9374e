import type { Saddle } from './contour-plan.js';

// Guesses of thresholds by interpolation between saddle points: no bracket depends on them.

/**
 * Largest skewness of a tilted law at which the saddle point approximation of the FPR is used, and of δ at saddle points behind it. Of 160 random
 * runs, δ was guessed 1.3 to 26 times too far out where the skewness passed 10, and up to 1.5 times below. Only speed depends on it.
 */
const MOST_SKEW = { falsePositive: 2.5, delta: 10 } as const;

/** Functionals that are approximated at saddle points. */
export type Approximated = keyof typeof MOST_SKEW;

/** The x where an approximation passes the target, and whether rare large losses may make it much too large. */
export interface Guessed {
  readonly x: number;
  readonly isSkew: boolean;
}

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

/** Whether tilted laws at saddle points up to x are too skew for approximations there. */
export function isSkewUpTo(saddles: readonly Saddle[], x: number, functional: Approximated): boolean {
  return saddles.some(
    (saddle, k) => k > 0 && saddles[k - 1].epsilon <= x && isSkew(saddles[k - 1], saddle, functional),
  );
}

/** Whether the law between two tilts is skew, judged by how fast its variance grows. */
function isSkew(a: Saddle, b: Saddle, functional: Approximated): boolean {
  const [from, to] = [a.cumulant.variance, b.cumulant.variance];
  return to - from > MOST_SKEW[functional] * (b.s - a.s) * to * Math.sqrt(from);
}
