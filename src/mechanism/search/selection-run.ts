import { type Bracket, bracket } from '../../numeric/bracket.js';
import { complementTimes, logComplement, outward } from '../../numeric/log-arithmetic.js';
import { FEW_ROUNDINGS, ROUNDINGS, up } from '../../numeric/rounding.js';
import { exp, log, log1p } from '../../numeric/scalar.js';
import type { CertifiedTest, DirectedRun } from '../../run/directed-run.js';
import type { PublishedCells } from './published-cells.js';
import { gainOf, type SelectionOrders } from './selection-orders.js';
import type { TriesLaw } from './tries-law.js';

/** Bounds of one try in one direction. */
export interface Try {
  /** One try in this direction: brackets of log δ, and certified tests. */
  readonly run: DirectedRun;
  /** Upper bound, by `selectionCost`, of what the search adds to the privacy losses of one try; ∞ if there is no finite bound. */
  readonly cost: number;
  /** Upper bound of the losses of the published result, in either direction; ∞ if unbounded. */
  readonly most: number;
  /** The run that publishes every one of the largest number of tries; undefined if that number is unbounded. */
  readonly all: DirectedRun | undefined;
  /** Upper bounds of δ of the published result by an integral over the probability of better results. */
  readonly cells: PublishedCells;
  /** Lower bounds of δ by scores that order the outputs of a try; undefined if no mechanism is known to attain the pair of a try. */
  readonly orders: SelectionOrders | undefined;
}

/**
 * Upper bound of log δ(ε), ε ≥ 0, of the published result: the least of three (docs/proofs/select.md, 1 and 5). K is the number of tries and c the `cost`.
 * The bounds are E[K]·δ(ε − c) of one try; δ(ε) of publishing all tries; and, for bounded losses, δ(ε) of randomised response.
 *
 * Ensures: no smaller than log δ(ε) of the published result, where it is above `floor`.
 *
 * @param how.floor A value of log δ: bounds below it need not be tight.
 */
export function logDeltaAbove(
  tries: TriesLaw,
  { run, cost, all, most }: Try,
  epsilon: number,
  {
    width,
    floor = -Infinity,
  }: { readonly width?: number | undefined; readonly floor?: number | undefined } = {},
): number {
  const logMean = log(tries.mean) + FEW_ROUNDINGS;
  const own =
    cost < Infinity ? logMean + run.logDelta(epsilon - cost, width, floor - logMean - 1e-9).upper : 0;
  const pure = most < Infinity ? logDeltaPure(most, epsilon) : 0;
  const known = Math.min(own < 0 ? outward(own, 1) : 0, pure);
  return all && known > floor && mayBeBelow(all, known, epsilon)
    ? Math.min(known, all.logDelta(epsilon, width).upper)
    : known;
}

/** Guesses of ε are made at √(−log δ) rounded down to multiples of 1/GUESSED, so that one guess serves several questions. Heuristic. */
const GUESSED = 8;
/** Factor by which a guess of ε may be too large. Heuristic. */
const MARGIN = 1.2;

/** Heuristic: whether δ(ε) of a run is likely to be less than e^{logDelta}, by a guess of ε at that δ. A wrong answer costs time or tightness only. */
function mayBeBelow(run: DirectedRun, logDelta: number, epsilon: number): boolean {
  const root = Math.floor(Math.sqrt(-logDelta) * GUESSED) / GUESSED;
  return root === 0 || !Number.isFinite(root) || run.guessEpsilon(-root * root) < MARGIN * epsilon;
}

/**
 * Upper bound of log (1 − e^{ε−L})⁺/(1 + e^{−L}), the δ(ε) of randomised response, the worst mechanism that is L-DP. Rounded up.
 *
 * Ensures: no smaller than log δ(ε) of anything that is L-DP.
 */
function logDeltaPure(largest: number, epsilon: number): number {
  const rest = up(largest, FEW_ROUNDINGS) - epsilon;
  return rest > 0 ? outward(Math.min(0, logComplement(-rest) - log1p(exp(-largest))), 1) : -Infinity;
}

/**
 * log δ above which the convex hull of upper bounds at several ε is used too: it may be below the bound at one ε. With bounded losses it is always used. Only
 * tightness depends on it.
 */
const LARGE = -3;

/** log δ below which the bound by `PublishedCells` is not computed, as it is too coarse there. Only tightness depends on it. */
const LEAST_OF_CELLS = -7;

/**
 * The published result of a private search in one direction (docs/proofs/select.md). The upper bound of δ is the least of `logDeltaAbove`,
 * `PublishedCells` and a convex hull. The lower bound is the best of a constant score and of scores that order the outputs.
 *
 * Ensures: δ lies in its bracket; some test has at most the FPR stated, and at least the TPR.
 *
 * @param there The opposite direction, for ε below 0.
 * @param hull The run of a pair whose δ is a convex function of e^ε, through upper bounds of δ at several ε. It is computed on first use.
 */
export function selectionRun(
  tries: TriesLaw,
  one: Try,
  there: () => DirectedRun,
  hull: () => DirectedRun,
): DirectedRun {
  const { run, cost, all, orders } = one;
  const shift = cost < Infinity ? cost : 0;
  const logMean = log(tries.mean) + FEW_ROUNDINGS;
  const upper = (epsilon: number, width?: number, floor?: number): number => {
    const first = logDeltaAbove(tries, one, epsilon, { width, floor });
    if (floor !== undefined && first <= floor) return first;
    const point =
      first > LEAST_OF_CELLS && cost < Infinity ? Math.min(first, one.cells.logDelta(epsilon)) : first;
    return point > LARGE || one.most < Infinity ? Math.min(point, hull().logDelta(epsilon).upper) : point;
  };
  const lower = (epsilon: number, width?: number): number => {
    const constant = outward(Math.min(0, run.logDelta(epsilon, width).lower + tries.logSome.lower), -1);
    return orders === undefined ? constant : Math.max(constant, safeGain(orders.best(epsilon), epsilon));
  };
  const { logInfinity } = run;
  const infinity = bracket(
    logInfinity.lower > -Infinity
      ? Math.min(0, log(tries.drop(0, exp(logInfinity.lower))) - 2 * tries.relative)
      : -Infinity,
    Math.min(0, outward(Math.min(0, logInfinity.upper + logMean), 1)),
  );
  return {
    direction: run.direction,
    method: run.method,
    logInfinity: infinity,
    get largestLoss(): Bracket | undefined {
      return largestOf(one);
    },
    logDelta: (epsilon, width, floor = -Infinity): Bracket => {
      if (epsilon === Infinity) return infinity;
      if (epsilon < 0)
        return complementTimes(epsilon, there().logDelta(-epsilon, width, floor < 0 ? -Infinity : 0));
      const above = upper(epsilon, width, floor);
      return bracket(above > floor ? Math.min(above, lower(epsilon, width)) : -Infinity, above);
    },
    test: (omega, width): CertifiedTest => {
      const { logFpr, logTpr } = run.test(omega, width);
      const constant = {
        logFpr: outward(Math.min(0, logFpr + tries.logSome.upper), 1),
        logTpr: outward(Math.min(0, logTpr + tries.logSome.lower), -1),
      };
      const ordered = orders?.best(omega);
      return ordered && gainOf(ordered, omega) > gainOf(constant, omega) ? ordered : constant;
    },
    guessEpsilon: (target) =>
      all !== undefined && cost === Infinity
        ? all.guessEpsilon(target)
        : Math.max(0, run.guessEpsilon(Math.min(0, target - logMean)) + shift),
    guessOmega: (target) => run.guessOmega(Math.min(0, target - logMean)) + shift,
  };
}

/** Lower bound of log(TPR − e^ε FPR) of a certified test: both terms are rounded to the safe side. Ensures: no larger than that logarithm. */
function safeGain({ logFpr, logTpr }: CertifiedTest, epsilon: number): number {
  const above = exp(logTpr) * (1 - ROUNDINGS * (1 - Math.max(logTpr, -700)));
  const below = exp(epsilon + logFpr) * (1 + ROUNDINGS * (2 + epsilon - Math.max(logFpr, -700)));
  return above > below ? outward(Math.min(0, log(above - below)), -1) : -Infinity;
}

/**
 * Bracket of the largest loss of the published result: at most that of one try plus the cost c, or that of publishing all tries. A constant score and
 * scores that order the outputs attain the lower end (docs/proofs/select.md, 3).
 *
 * Ensures: the largest loss of the published result lies in the bracket.
 */
function largestOf({ run, cost, all, orders }: Try): Bracket | undefined {
  const { largestLoss } = run;
  if (largestLoss === undefined || largestLoss.lower === Infinity) return largestLoss;
  const most = up(Math.min(largestLoss.upper + cost, all?.largestLoss?.upper ?? Infinity), FEW_ROUNDINGS);
  return bracket(Math.min(Math.max(largestLoss.lower, orders?.largestLoss() ?? 0), most), most);
}
