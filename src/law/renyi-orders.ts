import { logComplement, logSum } from '../numeric/log-arithmetic.js';
import { charge } from '../numeric/meter.js';
import { FEW_ROUNDINGS, FUNCTION_ERROR, ROUNDINGS } from '../numeric/rounding.js';
import { exp, expm1, log, log1p } from '../numeric/scalar.js';
import { crossing, firstWhere } from '../numeric/solve.js';

/** The power series of `logBregman` ends at a term below this fraction of its sum. */
const NEGLIGIBLE = 1e-17;
/** Newton's method ends if it moves an order by less than this fraction. Only width depends on it. */
const SETTLED = 1e-11;

/**
 * Pairs with two outputs. Under Q the first output has the loss a > 0. Under P the second output has the loss −b < 0.
 *
 *   π = Q(first) = (1 − e^{−b})/(1 − e^{−(a+b)}),  α = P(first) = πe^{−a}.
 *
 * The test that rejects on the first output has the false positive rate α and the power π. The pair is stored as a and log b, from which log π, log α
 * and the logs of their complements follow without cancellation.
 */
export interface TwoPoint {
  readonly a: number;
  readonly b: number;
  readonly logB: number;
  /** log π, log α, log(1 − α), log(1 − π). The test that rejects on the first output has the power π and the false positive rate α. */
  readonly logPower: number;
  readonly logAlpha: number;
  readonly logSpecificity: number;
  readonly logBeta: number;
}

/** The pair with two outputs of the losses a and −b. log π, log α and logs of their complements have a few roundings each (`logComplement`). */
export function twoPoint(a: number, logB: number): TwoPoint {
  const b = exp(logB);
  const rising = b < 1e-9 ? logB - b / 2 : logComplement(-b);
  const falling = logComplement(-a);
  const whole = logComplement(-a - b);
  const logPower = Math.min(0, rising - whole);
  const logSpecificity = Math.min(0, falling - whole);
  return { a, b, logB, logPower, logAlpha: logPower - a, logSpecificity, logBeta: logSpecificity - b };
}

/** log(π − e^ε α), the log of a lower bound of δ(ε) by the test (α, π), with a few roundings; −∞ if that is not positive. */
export function logGain({ a, logPower }: TwoPoint, epsilon: number): number {
  return epsilon < a ? logPower + logComplement(epsilon - a) : -Infinity;
}

/** An order t ≥ 1, given as t − 1 ≥ 0, and a bound of D_t(Q‖P), or of D_t(P‖Q) where `exchanged`. */
export interface Order {
  readonly above: number;
  readonly bound: number;
  readonly exchanged: boolean;
}

/** A pair that attains a bound, up to rounding, and the order of that bound. */
export interface Touching {
  readonly pair: TwoPoint;
  readonly order: Order;
}

/**
 * log of (e^{(t−1)D_t} − 1)/(e^{(t−1)bound} − 1), or of D_1/bound at t = 1, D_t the divergence of the pair. It is positive if the pair violates the
 * bound. Its absolute error is below `roundingOf`.
 */
export function excess(pair: TwoPoint, { above, bound, exchanged }: Order): number {
  const sum = exchanged
    ? logSum(pair.logBeta + logBregman(above, pair.b), pair.logPower + logBregman(above, -pair.a))
    : logSum(pair.logAlpha + logBregman(above, pair.a), pair.logSpecificity + logBregman(above, -pair.b));
  return sum - logBudget(above, bound);
}

/** A bound of the rounding error of `excess`, from the size of its logarithms. Ensures: no less than the absolute error of `excess`. */
export function roundingOf({ a, b, logPower }: TwoPoint, { above, bound, exchanged }: Order): number {
  const size = (1 + above) * (exchanged ? b : a) + a + b + Math.abs(logPower) + above * bound;
  return ROUNDINGS + FEW_ROUNDINGS * size;
}

/**
 * Log of the slope e^ε = dπ/dα of the supporting line of {(α, π): D_t ≤ bound} at a pair with D_t = bound; α is a false positive rate, π a power. For D_t(Q‖P) it is
 * (t−1)(x^t − y^t)/t(x^{t−1} − y^{t−1}), x = e^a and y = e^{−b} the likelihood ratios. A few roundings.
 */
export function slopeAt({ a, b }: TwoPoint, { above, exchanged }: Order): number {
  const gap = a + b;
  const r = log(meanDecay(above, gap) / meanDecay(1 + above, gap));
  return exchanged ? r - b : a - r;
}

/**
 * Heuristic: given b, the loss a of the pair at which `slopeAt` is ε for D_t(Q‖P), by Newton's method to the last digits. It only chooses a pair; bounds
 * are proved for whatever pair is chosen.
 */
export function lossAtSlope(epsilon: number, b: number, above: number): number {
  let a = 2 * epsilon + b;
  if (above > 0) a = Math.min(a, epsilon - log1p(-1 / (1 + above)));
  for (let i = 0; i < 20; i++) {
    const gap = a + b;
    const [less, more] = [meanDecay(above, gap), meanDecay(1 + above, gap)];
    const rise = exp(-above * gap) / less - exp(-(1 + above) * gap) / more;
    const next = a - (a - epsilon - log(less / more)) / (1 - rise);
    if (!(Math.abs(next - a) > FUNCTION_ERROR * a)) return next;
    a = next;
  }
  return a;
}

/** (1 − e^{−cx})/c, and its limit x at c = 0. */
function meanDecay(c: number, x: number): number {
  return c * x < 1e-300 ? x : -expm1(-c * x) / c;
}

/**
 * log φ(e^x), φ(X) = (X^t − 1 − t(X − 1))/(t − 1), t = 1 + `above`. At t = 1, φ(X) = X log X − X + 1. E_P[φ(dQ/dP)] = (e^{(t−1)D_t} − 1)/(t − 1). For
 * small x it is summed as a power series. The relative error of φ is a few roundings.
 */
function logBregman(above: number, x: number): number {
  const order = 1 + above;
  if (Math.abs(x) * order < 0.5) {
    // t Σ gₖ x^k/k! over k ≥ 2, gₖ = 1 + t + … + t^{k−2}
    let [term, ratio, sum] = [0.5, 1, 0.5];
    for (let k = 3; k < 40 && Math.abs(term * ratio) > NEGLIGIBLE * sum; k++) {
      term *= x / k;
      ratio = 1 + order * ratio;
      sum += term * ratio;
    }
    return 2 * log(Math.abs(x)) + log(order * sum);
  }
  const power = above * x;
  if (power > 600) return x + power - log(above);
  const rise = Math.abs(power) < 1e-300 ? x : expm1(power) / above;
  return x > 0 ? x + log(rise + expm1(-x)) : log(exp(x) * rise - expm1(x));
}

/** log((e^{(t−1)D} − 1)/(t − 1)), D = `bound` and t = 1 + `above`; log D at t = 1. A few roundings. */
function logBudget(above: number, bound: number): number {
  const power = above * bound;
  if (power > 600) return power - log(above);
  return power < 1e-300 ? log(bound) : log(expm1(power) / above);
}

/** d/dt of log E_P[(dQ/dP)^t] at t = 1 + `above`, or with P and Q exchanged: the mean loss under the tilted law of `tiltedWeights`. */
function meanLoss(pair: TwoPoint, above: number, exchanged: boolean): number {
  const [more, less] = tiltedWeights(pair, above, exchanged);
  return exchanged ? more * pair.b - less * pair.a : more * pair.a - less * pair.b;
}

/**
 * Probabilities of the larger and of the smaller loss under the law ∝ Q·(dQ/dP)^{t−1}, t = 1 + `above`, or with P and Q exchanged. Their log odds are
 * (t − 1)(a + b) plus those under Q. Heuristic: used in searches for an order; not rounded outward.
 */
function tiltedWeights(pair: TwoPoint, above: number, exchanged: boolean): [number, number] {
  const odds = exchanged ? pair.logSpecificity - pair.logAlpha : pair.logPower - pair.logBeta;
  const x = above * (pair.a + pair.b) + odds;
  const e = exp(-Math.abs(x));
  return x > 0 ? [1 / (1 + e), e / (1 + e)] : [e / (1 + e), 1 / (1 + e)];
}

/** The bounds of a Rényi guarantee, on D_t(Q‖P) and D_t(P‖Q). */
export interface Constraints {
  /**
   * The bound that a pair violates most, or is closest to violating.
   *
   * @param near For a list of orders: only those next to this one are considered.
   */
  tightest(pair: TwoPoint, near?: Order): Tight;
  /**
   * Heuristic: the order whose bound alone gives the least δ(ε), approximately.
   *
   * @param solve The pair with the largest δ(ε) under the bound of one order.
   */
  best(epsilon: number, solve: (order: Order) => Touching): Order;
}

/** An order, and the `excess` of a pair over its bound. */
interface Tight {
  readonly order: Order;
  readonly excess: number;
}

/**
 * The bounds of a list of orders, on both D_t(Q‖P) and D_t(P‖Q). `tightest` is the largest `excess` of the list, with its rounding error; `best` is a
 * heuristic.
 */
export function listedOrders(points: readonly { order: number; epsilon: number }[]): Constraints {
  const orders = points.flatMap(({ order, epsilon }) =>
    [false, true].map((exchanged) => ({ above: order - 1, bound: epsilon, exchanged })),
  );
  return {
    tightest: (pair, near) => tightestOf(near === undefined ? orders : neighbours(orders, near), pair),
    best: (epsilon, solve) => {
      charge(0);
      // from the order with the least bound (1 − 1/t)^{t−1}e^{(t−1)(D_t − ε)}/t (Canonne, Kamath, Steinke 2020), descend along the list
      let best = 0;
      let least = Infinity;
      for (let i = 0; i < orders.length; i += 2) {
        const { above, bound } = orders[i];
        const value = above * (bound - epsilon + log1p(-1 / (1 + above))) - log1p(above);
        if (value < least) [best, least] = [i, value];
      }
      if (orders.length === 2) return orders[0];
      const logDeltaOf = (i: number): number => logGain(solve(orders[i]).pair, epsilon);
      let logDelta = logDeltaOf(best);
      for (const side of [-2, 2]) {
        for (let next = best + side; next >= 0 && next < orders.length; next += side) {
          const there = logDeltaOf(next);
          if (!(there < logDelta)) break;
          [best, logDelta] = [next, there];
        }
      }
      return orders[best];
    },
  };
}

/** Number of orders that `neighbours` gives on either side. Only speed and width depend on it. */
const NEIGHBOURS = 24;

/** The orders of a list next to one of them; a short list as a whole. */
function neighbours(orders: readonly Order[], { above }: Order): readonly Order[] {
  if (orders.length <= 4 * NEIGHBOURS) return orders;
  const at = firstWhere(orders.length - 1, (i) => orders[i].above >= above);
  return orders.slice(Math.max(0, at - 2 * NEIGHBOURS), at + 2 * NEIGHBOURS);
}

/** The order whose bound a pair exceeds most, or comes closest to, and the function `excess` there, with its error `roundingOf`. */
function tightestOf(orders: readonly Order[], pair: TwoPoint): Tight {
  // the work of scalar functions counted so far is charged here, as no later call on this path does it
  charge(0);
  let tight: Tight = { order: orders[0], excess: -Infinity };
  for (const order of orders) {
    const value = excess(pair, order);
    if (value > tight.excess) tight = { order, excess: value };
  }
  return tight;
}

/** The bound first + ρ(t − 1) on the Rényi divergence D_t of every order 1 ≤ t ≤ 1 + most. */
export interface RenyiLine {
  readonly rho: number;
  /** The bound on D₁, > 0. It is at most ρ. Only where a bound D_t ≤ ξ + ρt with ξ > 0 is stated, it is ρ + ξ. */
  readonly first: number;
  /** The largest t − 1, > 0; it may be ∞. */
  readonly most: number;
}

/**
 * The bounds D_t ≤ first + ρ(t − 1) of a line of orders. For ρ-zCDP first = ρ and all t are bounded; for truncated CDP orders up to ω; for mean CDP
 * first may be below ρ = τ²/2. `tightest` considers t = 1, the largest t and `worstAbove` (docs/proofs/renyi.md, 6); `best` is a heuristic.
 */
export function everyOrder(line: RenyiLine): Constraints {
  const { rho, first, most } = line;
  const offset = first - rho;
  const orderAt = (above: number, exchanged = false): Order => {
    const bound = first === rho ? rho * (1 + above) : first + rho * above;
    return { above, bound, exchanged };
  };
  return {
    tightest: (pair) => {
      let tight: Tight = { order: orderAt(0), excess: -Infinity };
      for (const exchanged of [false, true]) {
        for (const place of [0, worstAbove(line, pair, exchanged), most]) {
          if (place === undefined || place === Infinity) continue;
          const order = orderAt(Math.min(place, most), exchanged);
          const value = excess(pair, order);
          if (value > tight.excess) tight = { order, excess: value };
        }
      }
      return tight;
    },
    best: (epsilon, solve) => {
      const ceiling = Math.min(60, log(most));
      // the best order: d/dt of log E_P[(dQ/dP)^t] equals that of (t − 1)·bound at the pair that attains the bound
      const { low } = crossing(
        (logAbove) => {
          const above = exp(logAbove);
          return meanLoss(solve(orderAt(above)).pair, above, false) - rho * (2 * above + 1) - offset;
        },
        {
          guess: Math.min(ceiling, log(Math.max((epsilon - rho) / (2 * rho), 1e-2))),
          reach: 0.1,
          floor: Math.min(-30, ceiling - 1),
          ceiling,
          absolute: 1e-6,
        },
      );
      return orderAt(low === -Infinity ? 0 : Math.min(most, exp(low)));
    },
  };
}

/**
 * t − 1 at the local minimum of (first + ρ(t − 1))(t − 1) − K(t) over t > 1, if any. K(t) = log E_P[(dQ/dP)^t] is the cumulant generating function of
 * the loss. K″ is the variance of a loss with two values, which rises and then falls in t. So the difference is convex, then concave, then convex again; Newton's method
 * finds the minimum of the last part. By docs/proofs/renyi.md, 6 the worst order is 1, this one or the largest. Its relative error is about
 * 1e-11, which changes the minimum by the square of that.
 */
function worstAbove({ rho, first }: RenyiLine, pair: TwoPoint, exchanged: boolean): number | undefined {
  const offset = first - rho;
  const gap = pair.a + pair.b;
  const ratio = (2 * rho) / gap / gap;
  if (!(ratio < 0.25)) return undefined;
  const share = (1 + Math.sqrt(1 - 4 * ratio)) / 2;
  const odds = exchanged ? pair.logSpecificity - pair.logAlpha : pair.logPower - pair.logBeta;
  const left = Math.max(0, (log((share * share) / ratio) - odds) / gap);
  const fall = (above: number): number => rho * (2 * above + 1) + offset - meanLoss(pair, above, exchanged);
  if (!(fall(left) < 0)) return undefined;
  let above = Math.max(left, (((exchanged ? pair.b : pair.a) - offset) / rho - 1) / 2);
  for (let i = 0; i < 100; i++) {
    const [more, less] = tiltedWeights(pair, above, exchanged);
    const next = above - fall(above) / (2 * rho - gap * gap * more * less);
    if (!(next > left)) return left;
    if (!(Math.abs(next - above) > SETTLED * above)) return next;
    above = next;
  }
  return above;
}
