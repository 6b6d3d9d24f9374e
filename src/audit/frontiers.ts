import { logLogistic, logLowerTail, logUpperTail } from '../numeric/binomial.js';
import { type Bracket, bracket, maxBracket } from '../numeric/bracket.js';
import { TO_12_DIGITS, TO_KEPT_DIGITS } from '../numeric/rounding.js';
import { exp, log, normalQuantileLog } from '../numeric/scalar.js';
import { crossing } from '../numeric/solve.js';
import type { TradeoffCurve } from '../run/tradeoff-curve.js';
import type { BoundedPoint, Counts, Trials } from './points.js';

/** Lower bounds of μ and ε from pairs of rates (FPR, TPR) of an attack, and the p-value of a claimed trade-off function. */

/** An amount above the rounding errors of a quantile, relative to 1 + its size, and of the logarithm of a binomial tail. */
const PAD = 1e-13;
/** Logits log(x/(1 − x)) of rates are searched up to this size. */
const LARGEST = 690;
const ZERO = { lower: 0, upper: 0 };

/**
 * The largest Φ⁻¹(TPR) − Φ⁻¹(FPR) of the points, or 0: the least μ for which all of them fit μ-GDP.
 *
 * Ensures: that μ lies in the bracket, for all rates within their brackets.
 */
export function muShown(points: readonly BoundedPoint[]): Bracket {
  return points
    .map(({ fprUpper, tprLower }) => {
      const power = quantiles(tprLower.logit);
      const alarms = quantiles(fprUpper.logit);
      return atLeast0(power.lower - alarms.upper, power.upper - alarms.lower);
    })
    .reduce(maxBracket, ZERO);
}

/** Bracket of Φ⁻¹ of a rate given by its logit. Ensures: Φ⁻¹ of every rate whose logit lies in the bracket lies in the result. */
function quantiles({ lower, upper }: Bracket): Bracket {
  const at = (t: number): number =>
    t <= 0 ? normalQuantileLog(logLogistic(t)) : -normalQuantileLog(logLogistic(-t));
  const [low, high] = [at(lower), at(upper)];
  return bracket(padded(low, -1), padded(high, 1));
}

function padded(x: number, side: 1 | -1): number {
  return Number.isFinite(x) ? x + side * PAD * (1 + Math.abs(x)) : x;
}

/** The bracket of the positive part. Ensures: holds max(0, x) for every x between the ends. */
function atLeast0(lower: number, upper: number): Bracket {
  // NaN = ∞ − ∞, for a rate without a bound, gives 0
  return bracket(lower > 0 ? lower : 0, upper > 0 ? upper : 0);
}

/**
 * The least ε ≥ 0 at δ with which all points fit (ε, δ)-DP. `remove` is the largest log((TPR − δ)/FPR) of the points, and `add` the largest
 * log((1 − FPR − δ)/(1 − TPR)).
 *
 * Ensures: both ε lie in their brackets, for all rates within their brackets.
 */
export function epsilonShown(
  points: readonly BoundedPoint[],
  delta: number,
): { remove: Bracket; add: Bracket } {
  let [remove, add]: Bracket[] = [ZERO, ZERO];
  for (const { fprUpper, tprLower } of points) {
    remove = maxBracket(remove, ratio(tprLower.logit, fprUpper.logit, delta));
    add = maxBracket(add, ratio(negated(fprUpper.logit), negated(tprLower.logit), delta));
  }
  return { remove: remove!, add: add! };
}

/** The bracket of the negative. Ensures: holds −x for every x of the bracket. */
function negated({ lower, upper }: Bracket): Bracket {
  return bracket(-upper, -lower);
}

/** log((p − δ)/q) of rates known by their logits. Ensures: holds max(0, the logarithm) for all rates within their brackets. */
function ratio(p: Bracket, q: Bracket, delta: number): Bracket {
  const at = (t: number, slack: number): number => {
    const rest = exp(logLogistic(t)) * (1 + slack) - delta;
    return rest > 0 ? log(rest) : -Infinity;
  };
  const lower = at(p.lower, -PAD) - logLogistic(q.upper);
  const upper = at(p.upper, PAD) - logLogistic(q.lower);
  return atLeast0(padded(lower, -1), padded(upper, 1));
}

/**
 * Bracket of the log p-value of a claim: the trade-off function between the runs without and with the record is at least
 * f = `curve`. It is the least level at which the bounds of some threshold are above the claimed power.
 *
 * At one threshold it is min over x of max(P[Bin(n₀, x) ≤ FP]/s₀, P[Bin(n₁, 1 − f(x)) ≥ TP]/s₁). Here n₀ runs are without the
 * record and n₁ with it, and s₀ and s₁ are the shares of the level for the two rates. The first term falls in x and the second rises.
 *
 * Ensures: the log p-value lies in the bracket.
 */
export function logPValue(curve: TradeoffCurve, trials: Trials): Bracket {
  let best = { lower: 0, upper: 0 };
  for (const counts of trials.counts) {
    const own = pointPValue(curve, trials, counts, best.upper);
    best = { lower: Math.min(best.lower, own.lower), upper: Math.min(best.upper, own.upper) };
  }
  return best;
}

/**
 * Bracket of the log p-value at one threshold.
 *
 * Ensures: the log p-value lies in the bracket; if it is above `enough`, the lower end alone is a bound.
 *
 * @param enough The least upper end found so far, at another threshold. The upper end need not be above it.
 */
function pointPValue(curve: TradeoffCurve, trials: Trials, counts: Counts, enough: number): Bracket {
  const { nonMembers, members } = trials;
  const alarm = (t: number): Bracket =>
    shifted(logLowerTail(nonMembers, counts.falsePositives, t), trials.shareOfFpr);
  const known = new Map<number, Bracket>();
  const hit = (t: number): Bracket => {
    let value = known.get(t);
    if (value === undefined) {
      value = shifted(powerTail(curve, members, counts.truePositives, t), trials.shareOfTpr);
      known.set(t, value);
    }
    return value;
  };
  if (counts.falsePositives >= nonMembers || counts.truePositives === 0) return { lower: 0, upper: 0 };
  const options = {
    floor: -LARGEST,
    ceiling: LARGEST,
    relative: TO_KEPT_DIGITS,
    absolute: TO_12_DIGITS,
    reach: 0.5,
  };
  const guess = log((counts.falsePositives + 1) / (nonMembers - counts.falsePositives));
  const within = (low: number, high: number): number =>
    Math.min(alarm(low).lower, hit(high).lower, Math.max(alarm(high).lower, hit(low).lower), 0);
  if (enough < 0) {
    const { low, high } = crossing((t) => alarm(t).upper - enough, { ...options, guess });
    if (low > -Infinity && high < Infinity && hit(high).lower >= enough)
      return { lower: within(low, high), upper: enough };
  }
  const { low, high } = crossing((t) => middle(alarm(t)) - middle(hit(t)), { ...options, guess });
  const ends = [low, high].map((t) => Math.min(LARGEST, Math.max(-LARGEST, t)));
  const upper = Math.min(0, ...ends.map((t) => Math.max(alarm(t).upper, hit(t).upper)));
  if (low === -Infinity) return { lower: Math.min(upper, alarm(-LARGEST).lower, hit(-LARGEST).lower), upper };
  return { lower: high === Infinity ? -Infinity : Math.min(upper, within(low, high)), upper };
}

function middle({ lower, upper }: Bracket): number {
  return lower === -Infinity ? upper : (lower + upper) / 2;
}

/** log(tail/share), from the log of a tail probability. Ensures: the result holds it for every log tail of the bracket. */
function shifted({ lower, upper }: Bracket, share: number): Bracket {
  return bracket(lower - log(share) - PAD, upper - log(share) + PAD);
}

/** log P[Bin(trials, 1 − f(x)) ≥ hits], where x has the given logit. Ensures: the logarithm lies in the bracket. */
function powerTail(curve: TradeoffCurve, trials: number, hits: number, logit: number): Bracket {
  const { logTpr, logFnr } = curve.at(logLogistic(logit));
  const lower = logTpr.lower - logFnr.upper;
  const upper = logTpr.upper - logFnr.lower;
  return bracket(
    logUpperTail(trials, hits, Number.isNaN(lower) ? -Infinity : lower).lower,
    logUpperTail(trials, hits, Number.isNaN(upper) ? Infinity : upper).upper,
  );
}
