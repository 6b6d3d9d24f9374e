import { type Bracket, bracket, exactly } from '../bracket.js';
import type { DirectedRun } from './directed-run.js';
import { crossing } from './solve.js';

/** No run is asked beyond this ε. */
export const LARGEST_EPSILON = 1e36;

/**
 * Bracket of the smallest ε ≥ 0 with δ(ε) ≤ e^{logDelta}, in one direction. The upper end is an ε at
 * which the upper bound of δ has been seen at or below the target; the lower end one at which the lower
 * bound of δ has been seen above it.
 *
 * @param tolerance Relative width aimed at.
 */
export function epsilonOf(run: DirectedRun, logDelta: number, tolerance: number): Bracket {
  if (logDelta >= 0) return bracket(0, 0);
  if (run.logInfinity.lower > logDelta) return exactly(Infinity);
  // δ(ε) > 0 at every ε, unless losses are bounded; then the bracket says only that much
  if (logDelta === -Infinity) {
    // at ε = 0 and a little below the bound, δ seen above 0 is a lower bound of the answer
    const top = run.logInfinity.upper === -Infinity ? (run.largestLoss ?? Infinity) : Infinity;
    const seen = [top * (1 - 1e-9), top / 2, 0].find(
      (epsilon) => epsilon < Infinity && run.logDelta(epsilon).lower > -Infinity,
    );
    return bracket(seen === undefined ? 0 : Math.max(seen, Number.MIN_VALUE), Math.max(0, top));
  }
  const guess = Math.max(0, run.guessEpsilon(logDelta));
  const nudge = 1e-4 * (guess + 1e-2);
  const here = run.logDelta(guess, 0.1).upper;
  const fall = (here - run.logDelta(guess + nudge, 0.1).upper) / nudge;
  // beyond the largest loss δ is 0 and has no slope
  const slope = fall > 1e-3 && fall < Infinity ? fall : 1;
  const miss = here === -Infinity ? guess / 2 : Math.abs(here - logDelta) / slope;
  const width = Math.max(1e-13, 0.5 * tolerance * Math.max(guess, 1e-6) * slope);
  const options = {
    guess,
    reach: Math.max(miss, tolerance * guess, 1e-9) * 1.5,
    floor: 0,
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
