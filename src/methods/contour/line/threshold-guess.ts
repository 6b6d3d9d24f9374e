import type { Saddle } from './contour-plan.js';

// Guesses of thresholds between saddles: nothing here enters a bracket.

/**
 * The skewness of a tilted law from which approximations of the FPR at its saddle count for nothing, and of δ at saddles behind it. Of 160 random runs, δ was guessed
 * 1.3 to 26 times too far out where it passed 10, and up to 1.5 times below. Only speed hangs on them.
 */
const MOST_SKEW = { falsePositive: 2.5, delta: 10 } as const;

/** What is guessed from approximations at saddles. */
export type Approximated = keyof typeof MOST_SKEW;

/** Where it passes what is asked, and whether rare large losses may make that much too large. */
export interface Guessed {
  readonly x: number;
  readonly isSkew: boolean;
}

/** Where δ and the FPR are larger than at every saddle: 0, if saddles reach as far down. */
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

/** Whether laws at saddles up to x are too skew for approximations there. */
export function isSkewUpTo(saddles: readonly Saddle[], x: number, functional: Approximated): boolean {
  return saddles.some(
    (saddle, k) => k > 0 && saddles[k - 1].epsilon <= x && isSkew(saddles[k - 1], saddle, functional),
  );
}

/** Whether the law between two tilts is skew: as its variance grows. */
function isSkew(a: Saddle, b: Saddle, functional: Approximated): boolean {
  const [from, to] = [a.cumulant.variance, b.cumulant.variance];
  return to - from > MOST_SKEW[functional] * (b.s - a.s) * to * Math.sqrt(from);
}
