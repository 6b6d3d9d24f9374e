import { type Bracket, bracket, exactly, maxBracket, ordered } from '../numeric/bracket.js';
import type { DirectedRun } from '../run/directed-run.js';
import { epsilonOf } from '../run/epsilon.js';
import type { Rung } from './climbing-run.js';

/** Fractions of ε at which δ is asked where δ(ε) itself has no narrow bracket: δ decreases with ε. Heuristic. */
const EARLIER = [0.9, 0.75, 0.5] as const;
/** Tolerance at which δ at a fraction of ε is first asked, to see whether a finer one pays. Heuristic. */
const ROUGH = 0.1;

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
 * The smallest ε ≥ 0 with δ(ε) ≤ e^{logDelta} in one direction. If δ(`reached`) is small enough, the bracket [0, reached] suffices, as the other
 * direction counts.
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
 * The largest log δ(ε) of the directions, asked at one tolerance. Upper bounds are lowered by δ at smaller ε while that narrows the bracket.
 *
 * @param floor A log δ below which a coarse bracket suffices.
 *
 * Ensures: the largest log δ(ε) lies in the bracket.
 */
export function largestLogDelta({ directions, tolerance }: Rung, epsilon: number, floor: number): Bracket {
  let worst = exactly(-Infinity);
  const each = directions.map((run) => {
    const own = run.logDelta(epsilon, tolerance, Math.max(floor, worst.lower));
    worst = maxBracket(worst, own);
    return own;
  });
  if (!(epsilon > 0 && epsilon < Infinity) || worst.upper - worst.lower <= tolerance) return worst;
  // if no lower bound is known, lowering the upper one does not make the bracket narrow
  if (worst.upper <= floor || worst.lower === -Infinity) return worst;
  const uppers = each.map(({ upper }) => upper);
  // only the largest upper bound counts: it is lowered until another one is larger
  for (;;) {
    const top = uppers.indexOf(Math.max(...uppers));
    const upper = loweredBy(directions[top], epsilon, { upper: uppers[top], least: worst.lower, tolerance });
    if (!(upper < uppers[top])) return ordered(worst.lower, upper);
    uppers[top] = upper;
  }
}

/**
 * An upper bound of log δ(ε) in one direction, by δ(ε) ≤ δ(tε) for t < 1. Near the largest loss of a direction no method narrows its δ, which is then
 * far below that of the other direction. A coarse answer at tε tells whether a finer one pays. Ensures: no less than log δ(ε).
 *
 * @param known.upper An upper bound found before.
 * @param known.least A lower bound of the larger direction's log δ(ε): no less is worth asking for.
 */
function loweredBy(
  run: DirectedRun,
  epsilon: number,
  { upper, least, tolerance }: Readonly<Record<'upper' | 'least' | 'tolerance', number>>,
): number {
  let lowest = upper;
  for (const part of EARLIER) {
    if (lowest <= least + tolerance) break;
    const rough = run.logDelta(part * epsilon, ROUGH);
    lowest = Math.min(lowest, rough.upper);
    if (rough.upper < lowest + ROUGH && rough.lower < least + tolerance)
      lowest = Math.min(lowest, run.logDelta(part * epsilon, tolerance).upper);
  }
  return lowest;
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
