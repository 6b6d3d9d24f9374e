import { type Bracket, bracket, exactly, maxBracket, ordered } from '../numeric/bracket.js';
import type { DirectedRun } from '../run/directed-run.js';
import { epsilonOf } from '../run/epsilon.js';
import type { Rung } from './climbing-run.js';

/** Fractions of ε at which δ is asked if δ(ε) itself cannot be answered. */
const EARLIER = [0.9, 0.75, 0.5] as const;
/** Tolerance at which such a fraction is first asked, to see whether it is worth more digits. */
const ROUGH = 0.1;

interface EpsilonAsked {
  readonly logDelta: number;
  readonly delta: number | undefined;
  /** A lower bound of another direction's ε. */
  readonly reached: number | undefined;
  readonly near: number | undefined;
  readonly width: number;
}

/**
 * ε of one direction; if it is not above `reached`, a coarse bracket suffices.
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
 * The largest log δ(ε) of the directions at one tolerance.
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
  // without a lower bound for this direction no bound of another comes close
  if (worst.upper <= floor || worst.lower === -Infinity) return worst;
  const uppers = each.map(({ upper }) => upper);
  // only the largest matters, until another one is the largest
  for (;;) {
    const top = uppers.indexOf(Math.max(...uppers));
    const upper = loweredBy(directions[top], epsilon, { upper: uppers[top], least: worst.lower, tolerance });
    if (!(upper < uppers[top])) return ordered(worst.lower, upper);
    uppers[top] = upper;
  }
}

/**
 * An upper bound of log δ(ε) of one direction: δ decreases with ε, so δ of a smaller ε is one. Near the largest loss of a direction no method reaches
 * its δ, which is by then far below the other's. A few digits tell where more are worth asking for. Ensures: no less than log δ(ε).
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
 * δ(ε) beyond the largest finite loss of all directions, where δ(∞) is a double that is stated.
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

/**
 * The bracket of ε at a δ near δ(∞). Beyond the largest loss δ is δ(∞), and before it larger: this decides for a δ that is no smaller, which rounded
 * logarithms cannot. Ensures: the least ε lies in it if it lies in `found`.
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
