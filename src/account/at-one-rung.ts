import { type Bracket, bracket, exactly, maxBracket, ordered } from '../numeric/bracket.js';
import type { DirectedRun } from '../run/directed-run.js';
import { epsilonOf } from '../run/epsilon.js';
import type { Rung } from './climbing-run.js';

/** Parts of ε whose δ is asked where that of ε itself is not to be had. */
const EARLIER = [0.9, 0.75, 0.5] as const;
/** Width that tells whether such a part is worth more digits. */
const ROUGH = 0.1;

interface EpsilonAsked {
  readonly logDelta: number;
  readonly delta: number | undefined;
  /** What another is known to reach. */
  readonly reached: number | undefined;
  readonly near: number | undefined;
  readonly width: number;
}

/**
 * ε of one direction, no better known than `reached` where it is not above that.
 *
 * Ensures: holds ε of the direction.
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
 * The largest log δ(ε) of a rung's directions.
 *
 * Ensures: holds the largest log δ(ε) of the directions.
 */
export function largestLogDelta({ directions, tolerance }: Rung, epsilon: number, floor: number): Bracket {
  let worst = exactly(-Infinity);
  const each = directions.map((run) => {
    const own = run.logDelta(epsilon, tolerance, Math.max(floor, worst.lower));
    worst = maxBracket(worst, own);
    return own;
  });
  if (!(epsilon > 0 && epsilon < Infinity) || worst.upper - worst.lower <= tolerance) return worst;
  // where no direction is known from below no bound of another comes near it
  if (worst.upper <= floor || worst.lower === -Infinity) return worst;
  const uppers = each.map(({ upper }) => upper);
  // the largest of them alone counts, until another is the largest
  for (;;) {
    const top = uppers.indexOf(Math.max(...uppers));
    const upper = loweredBy(directions[top], epsilon, { upper: uppers[top], least: worst.lower, tolerance });
    if (!(upper < uppers[top])) return ordered(worst.lower, upper);
    uppers[top] = upper;
  }
}

/**
 * δ falls with ε, so that of an earlier ε bounds it. Near the largest loss of a direction its δ falls out of every method's reach, and is
 * far below the other's long before. A few digits tell where more are worth asking for.
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
 * δ(ε) from the largest finite loss of all directions on, where δ(∞) is a double that is stated.
 *
 * Ensures: holds δ(ε), where ε is beyond every finite loss.
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

/** Beyond the largest loss δ is δ(∞), and before it more: enough for a δ that is no smaller, which rounded logarithms cannot tell. */
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
