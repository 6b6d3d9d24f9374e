import { type Bracket, bracket, exactly, maxBracket } from '../numeric/bracket.js';
import type { DirectedRun } from '../run/directed-run.js';
import { epsilonOf } from '../run/epsilon.js';
import type { Rung } from './climbing-run.js';

/** A question about ε in one direction. */
interface EpsilonAsked {
  readonly logDelta: number;
  readonly delta: number | undefined;
  /** A lower bound of ε in another direction; undefined if there is none. */
  readonly reached: number | undefined;
  /** A guess of ε. */
  readonly near: number | undefined;
  /** Relative width aimed at. */
  readonly width: number;
}

/**
 * The smallest ε ≥ 0 with δ(ε) ≤ e^{logDelta} in one direction. If δ(`reached`) is at most that, the bracket [0, reached] suffices, as the largest ε is that of
 * another direction.
 *
 * Ensures: ε of the direction lies in the bracket.
 */
export function epsilonAt(
  run: DirectedRun,
  { logDelta, delta, reached, near, width }: EpsilonAsked,
): Bracket {
  if (reached !== undefined && run.logDelta(reached, width, logDelta).upper <= logDelta)
    return bracket(0, reached);
  const found = epsilonOf(run, logDelta, width, near);
  return delta === undefined ? found : withinInfinity(run, delta, found);
}

/**
 * The largest log δ(ε) of the directions, asked at one tolerance.
 *
 * @param floor A log δ below which a coarse bracket suffices.
 *
 * Ensures: the largest log δ(ε) lies in the bracket.
 */
export function largestLogDelta({ directions, tolerance }: Rung, epsilon: number, floor: number): Bracket {
  let worst = exactly(-Infinity);
  for (const run of directions)
    worst = maxBracket(worst, run.logDelta(epsilon, tolerance, Math.max(floor, worst.lower)));
  return worst;
}

/**
 * δ(ε) for ε at or beyond the largest finite loss of all directions, where it equals δ(∞). Undefined for smaller ε, or if some δ(∞) is not stated as
 * a double.
 *
 * Ensures: δ(ε) is exact.
 */
export function exactInfinity(directions: readonly DirectedRun[], epsilon: number): Bracket | undefined {
  let largest = 0;
  for (const run of directions) {
    const { infinity } = run;
    if (infinity === undefined || !(epsilon >= (run.largestLoss?.upper ?? Infinity))) return undefined;
    largest = Math.max(largest, infinity);
  }
  return exactly(largest);
}

/**
 * The bracket of ε narrowed where delta equals δ(∞) or is close to it. At and beyond the largest loss δ(ε) is δ(∞), and below it larger. So delta ≥
 * δ(∞) has an ε of at most the largest loss, and delta = δ(∞) exactly that; rounded logarithms cannot decide this.
 *
 * Ensures: the smallest ε with δ(ε) ≤ delta lies in the bracket, if it lies in `found`.
 */
function withinInfinity(run: DirectedRun, delta: number, found: Bracket): Bracket {
  if (found.upper === 0) return found;
  const { infinity } = run;
  if (infinity === undefined || delta < infinity || (found.upper < Infinity && delta > infinity))
    return found;
  const { largestLoss } = run;
  if (largestLoss === undefined) return found;
  const upper = Math.max(0, largestLoss.upper);
  return bracket(Math.min(delta === infinity ? Math.max(0, largestLoss.lower) : found.lower, upper), upper);
}
