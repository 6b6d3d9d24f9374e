import { type Bracket, bracket, exactly } from '../numeric/bracket.js';
import { TO_14_DIGITS } from '../numeric/rounding.js';
import { crossing, crossingBetween, type Probe } from '../numeric/solve.js';
import type { DirectedRun } from './directed-run.js';

/** No run is asked at a larger ε. */
export const LARGEST_EPSILON = 1e36;

/** Width of the first two brackets of log δ, from which the slope is estimated. Only speed depends on it. */
const ROUGH = 0.1;
/** Relative distance of the ε of the first two brackets of log δ. Only speed depends on it. */
const NUDGE = 1e-2;
/** Relative tolerance of the search for each end of ε. It may be small, as the last iterations cost little. */
const CLOSE = 1e-12;
/** Relative tolerance of the search for each end of ε, as a fraction of the tolerance asked for, if that is less than `CLOSE`. */
const CLOSER = 1e-4;
/** Least width of brackets of log δ that is asked for. */
const NARROWEST = 1e-13;

/**
 * Bracket of the smallest ε ≥ 0 with δ(ε) ≤ e^{logDelta}, in one direction. The upper end is an ε at
 * which the upper bound of δ has been seen at or below the target; the lower end one at which the lower
 * bound of δ has been seen above it.
 *
 * Ensures: the smallest such ε lies in the bracket.
 *
 * @param tolerance Relative width aimed at.
 * @param near Where to look first; the run's own guess unless given.
 */
export function epsilonOf(run: DirectedRun, logDelta: number, tolerance: number, near?: number): Bracket {
  if (logDelta >= 0) return exactly(0);
  // a formula may decide before a method is built
  if (run.ceiling !== undefined && run.ceiling(0) <= logDelta) return exactly(0);
  if (run.logInfinity.lower > logDelta) return exactly(Infinity);
  if (logDelta === -Infinity) return pureEpsilonOf(run);
  const guess = Math.min(LARGEST_EPSILON, near ?? Math.max(0, run.guessEpsilon(logDelta)));
  // ε = 0 if the upper bound of δ(0) is at most the target already
  if (guess === 0 && run.logDelta(0, 0.1, logDelta).upper <= logDelta) return exactly(0);
  const here = run.logDelta(guess, ROUGH);
  const nudge = guess > 0 ? (here.upper > logDelta ? NUDGE : -NUDGE) * guess : 1e-6;
  const there = run.logDelta(guess + nudge, ROUGH);
  const fall = (here.upper - there.upper) / nudge;
  // beyond the largest loss δ is 0 and has no slope
  const slope = fall > 1e-3 && fall < Infinity ? fall : 1;
  const miss = here.upper === -Infinity ? guess / 2 : Math.abs(here.upper - logDelta) / slope;
  // the first step is limited, because a run may cost much at an ε far beyond the root
  const away = guess > 0 ? Math.min(miss, guess) : miss;
  const width = Math.max(NARROWEST, 0.5 * tolerance * Math.max(guess, 1e-6) * slope);
  const search = {
    ceiling: LARGEST_EPSILON,
    relative: Math.max(TO_14_DIGITS, Math.min(CLOSE, CLOSER * tolerance)),
    absolute: 1e-300,
  };
  const known: (readonly [number, Bracket])[] = [
    [guess, here],
    [guess + nudge, there],
  ];
  const sharp = known.filter(([, { lower, upper }]) => upper - lower <= width);
  // The ε where an end of log δ passes the target. The search starts from the nearest known ε on either side, or from a guess.
  const turn = (end: 'lower' | 'upper', from: number, reach: number): { low: number; high: number } => {
    const value = (epsilon: number): number => {
      const found = run.logDelta(epsilon, width);
      sharp.push([epsilon, found]);
      return found[end] - logDelta;
    };
    const points = sharp
      .map(([x, found]): Probe => ({ x, value: found[end] - logDelta }))
      .sort((a, b) => a.x - b.x);
    const first = points.findIndex((point) => point.value <= 0);
    return first > 0
      ? crossingBetween(value, { low: points[first - 1], high: points[first] }, search)
      : crossing(value, { ...search, guess: from, reach });
  };
  const { high } = turn('upper', guess, Math.max(away, tolerance * guess, 1e-9) * 1.5);
  const { low } = turn('lower', Math.min(high, LARGEST_EPSILON), Math.max(2 * tolerance * guess, 1e-9));
  return bracket(Math.min(Math.max(0, low), high), high);
}

/** The smallest ε ≥ 0 with δ(ε) = 0: the essential supremum of the losses. Ensures: the supremum lies in the bracket. */
function pureEpsilonOf(run: DirectedRun): Bracket {
  const revealed = run.logInfinity.upper > -Infinity;
  if (run.largestLoss === undefined) {
    const seen = run.logDelta(0).lower > -Infinity;
    return bracket(seen ? Number.MIN_VALUE : 0, Infinity);
  }
  const { lower, upper } = run.largestLoss;
  return bracket(Math.max(0, lower), revealed ? Infinity : Math.max(0, upper));
}
