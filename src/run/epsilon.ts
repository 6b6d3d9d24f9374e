import { type Bracket, bracket, exactly } from '../numeric/bracket.js';
import { crossing } from '../numeric/solve.js';
import type { DirectedRun } from './directed-run.js';

/** No run is asked beyond this ε. */
export const LARGEST_EPSILON = 1e36;

/**
 * Bracket of the smallest ε ≥ 0 with δ(ε) ≤ e^{logDelta}, in one direction. The upper end is an ε at
 * which the upper bound of δ has been seen at or below the target; the lower end one at which the lower
 * bound of δ has been seen above it.
 *
 * @param tolerance Relative width aimed at.
 * @param near Where to look first; the run's own guess unless given.
 */
export function epsilonOf(run: DirectedRun, logDelta: number, tolerance: number, near?: number): Bracket {
  if (logDelta >= 0) return exactly(0);
  // before anything is made that costs
  if (run.ceiling !== undefined && run.ceiling(0) <= logDelta) return exactly(0);
  if (run.logInfinity.lower > logDelta) return exactly(Infinity);
  if (logDelta === -Infinity) return pureEpsilonOf(run);
  const guess = near ?? Math.max(0, run.guessEpsilon(logDelta));
  // a bound may show as much as a bracket
  if (guess === 0 && run.logDelta(0, 0.1, logDelta).upper <= logDelta) return exactly(0);
  const nudge = guess > 0 ? 1e-2 * guess : 1e-6;
  const here = run.logDelta(guess, 0.1).upper;
  const fall = (here - run.logDelta(guess + nudge, 0.1).upper) / nudge;
  // beyond the largest loss δ is 0 and has no slope
  const slope = fall > 1e-3 && fall < Infinity ? fall : 1;
  const miss = here === -Infinity ? guess / 2 : Math.abs(here - logDelta) / slope;
  // log δ bends downwards, and far beyond what is asked a run may cost much
  const away = guess > 0 ? Math.min(miss, guess) : miss;
  const width = Math.max(1e-13, 0.5 * tolerance * Math.max(guess, 1e-6) * slope);
  const options = {
    guess,
    reach: Math.max(away, tolerance * guess, 1e-9) * 1.5,
    ceiling: LARGEST_EPSILON,
    relative: 1e-14,
    absolute: 1e-300,
  };
  const above = crossing((epsilon) => run.logDelta(epsilon, width).upper - logDelta, options);
  const below = crossing((epsilon) => run.logDelta(epsilon, width).lower - logDelta, {
    ...options,
    guess: Math.min(above.high, LARGEST_EPSILON),
    reach: Math.max(2 * tolerance * guess, 1e-9),
  });
  const lower = Math.max(0, below.low);
  return bracket(Math.min(lower, above.high), above.high);
}

/** The smallest ε ≥ 0 with δ(ε) = 0: the essential supremum of the losses. */
function pureEpsilonOf(run: DirectedRun): Bracket {
  const revealed = run.logInfinity.upper > -Infinity;
  if (run.largestLoss === undefined) {
    const seen = run.logDelta(0).lower > -Infinity;
    return bracket(seen ? Number.MIN_VALUE : 0, Infinity);
  }
  const { lower, upper } = run.largestLoss;
  return bracket(Math.max(0, lower), revealed ? Infinity : Math.max(0, upper));
}
