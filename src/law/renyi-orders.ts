import { logComplement, logSum } from '../numeric/log-arithmetic.js';
import { charge } from '../numeric/meter.js';
import { FEW_ROUNDINGS, FUNCTION_ERROR, ROUNDINGS } from '../numeric/rounding.js';
import { exp, expm1, log, log1p } from '../numeric/scalar.js';
import { crossing, firstWhere } from '../numeric/solve.js';

/** Series end where a term is below this fraction of the sum. */
const NEGLIGIBLE = 1e-17;
/** Newton's method ends where an order moves by less than this fraction: divergences are flat there. Only width depends on it. */
const SETTLED = 1e-11;

/**
 * Pairs with two outputs. Under Q the first output has the loss a > 0. Under P the second output has the loss −b < 0.
 *
 *   π = Q(first) = (1 − e^{−b})/(1 − e^{−(a+b)}),  α = P(first) = πe^{−a}.
 *
 * So (α, 1 − π) is the trade-off point of the test that rejects on the first. It is kept as a and log b. Then every logarithm
 * below comes without cancellation, however small or near 1 the probability.
 */
export interface TwoPoint {
  readonly a: number;
  readonly b: number;
  readonly logB: number;
  /** log π, log α, log(1 − α), log(1 − π). */
  readonly logPower: number;
  readonly logAlpha: number;
  readonly logSpecificity: number;
  readonly logBeta: number;
}

/** The pair with two outputs of the losses a and −b: log π, log α and their complements, each without cancellation. */
export function twoPoint(a: number, logB: number): TwoPoint {
  const b = exp(logB);
  const rising = b < 1e-9 ? logB - b / 2 : logComplement(-b);
  const falling = logComplement(-a);
  const whole = logComplement(-a - b);
  const logPower = Math.min(0, rising - whole);
  const logSpecificity = Math.min(0, falling - whole);
  return { a, b, logB, logPower, logAlpha: logPower - a, logSpecificity, logBeta: logSpecificity - b };
}

/** log(π − e^ε α), the log of the δ(ε) that the test (α, π) proves, with a few roundings of error; −∞ if it proves none. */
export function logGain({ a, logPower }: TwoPoint, epsilon: number): number {
  return epsilon < a ? logPower + logComplement(epsilon - a) : -Infinity;
}

/** An order t ≥ 1, given as t − 1 ≥ 0, and a bound of D_t(Q‖P), or of D_t(P‖Q) where `exchanged`. */
export interface Order {
  readonly above: number;
  readonly bound: number;
  readonly exchanged: boolean;
}

/** A pair on the boundary of the region that the bounds allow, and the order whose bound it attains. */
export interface Touching {
  readonly pair: TwoPoint;
  readonly order: Order;
}

/**
 * log of (e^{(t−1)D_t} − 1)/(e^{(t−1)bound} − 1), or of D_1/bound at t = 1. It is positive where the pair violates the bound. Absolute error below
 * `roundingOf`.
 */
export function excess(pair: TwoPoint, { above, bound, exchanged }: Order): number {
  const sum = exchanged
    ? logSum(pair.logBeta + logBregman(above, pair.b), pair.logPower + logBregman(above, -pair.a))
    : logSum(pair.logAlpha + logBregman(above, pair.a), pair.logSpecificity + logBregman(above, -pair.b));
  return sum - logBudget(above, bound);
}

/** Ensures: no less than the absolute error of `excess`. */
export function roundingOf({ a, b, logPower }: TwoPoint, { above, bound, exchanged }: Order): number {
  const size = (1 + above) * (exchanged ? b : a) + a + b + Math.abs(logPower) + above * bound;
  return ROUNDINGS + FEW_ROUNDINGS * size;
}

/**
 * ε of the line that supports {(α, π): D_t ≤ bound} at a pair where D_t is the bound. e^ε = dπ/dα = (t−1)(x^t − y^t)/t(x^{t−1} −
 * y^{t−1}), with the likelihood ratios x = e^a, y = e^{−b}.
 */
export function slopeAt({ a, b }: TwoPoint, { above, exchanged }: Order): number {
  const gap = a + b;
  const r = log(meanDecay(above, gap) / meanDecay(1 + above, gap));
  return exchanged ? r - b : a - r;
}

/**
 * The loss a of the pair, given b, at which the supporting line of D_t(Q‖P) ≤ D_t(pair) has the slope e^ε. It solves the equation of `slopeAt` by
 * Newton's method, to `FUNCTION_ERROR`.
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

/** (1 − e^{−cx})/c. */
function meanDecay(c: number, x: number): number {
  return c * x < 1e-300 ? x : -expm1(-c * x) / c;
}

/**
 * log φ(e^x) of φ(X) = (X^t − 1 − t(X − 1))/(t − 1); its limit at t = 1 is X log X − X + 1. E_P[φ(dQ/dP)] = (e^{(t−1)D_t} − 1)/(t − 1). Relative
 * error of φ: a few roundings.
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

/** log((e^{(t−1)D} − 1)/(t − 1)). */
function logBudget(above: number, bound: number): number {
  const power = above * bound;
  if (power > 600) return power - log(above);
  return power < 1e-300 ? log(bound) : log(expm1(power) / above);
}

/** d/dt of log E_P[(dQ/dP)^t], or with P and Q exchanged: the mean of the tilted loss. */
function meanLoss(pair: TwoPoint, above: number, exchanged: boolean): number {
  const [more, less] = tiltedWeights(pair, above, exchanged);
  return exchanged ? more * pair.b - less * pair.a : more * pair.a - less * pair.b;
}

/**
 * Probabilities of the larger and of the smaller loss under the law ∝ Q·(dQ/dP)^{t−1}, t = 1 + `above`, or with P and Q exchanged. Their log odds are
 * (t − 1)(a + b) plus those without a tilt. For searches: not rounded outward.
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
   * The order that alone gives the least δ(ε), approximately.
   *
   * @param solve The pair with the largest δ(ε) under the bound of one order.
   */
  best(epsilon: number, solve: (order: Order) => Touching): Order;
}

interface Tight {
  readonly order: Order;
  readonly excess: number;
}

/** The bounds of a list of orders, on both D_t(Q‖P) and D_t(P‖Q). Its searches are plans. */
export function listedOrders(points: readonly { order: number; epsilon: number }[]): Constraints {
  const orders = points.flatMap(({ order, epsilon }) =>
    [false, true].map((exchanged) => ({ above: order - 1, bound: epsilon, exchanged })),
  );
  return {
    tightest: (pair, near) => tightestOf(near === undefined ? orders : neighbours(orders, near), pair),
    best: (epsilon, solve) => {
      charge(0);
      // starts where Canonne, Kamath and Steinke's bound is least, and descends
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

/** Orders considered on either side of one. Only speed and tightness depend on it. */
const NEIGHBOURS = 24;

/** The orders of a list next to one of them; a short list as a whole. */
function neighbours(orders: readonly Order[], { above }: Order): readonly Order[] {
  if (orders.length <= 4 * NEIGHBOURS) return orders;
  const at = firstWhere(orders.length - 1, (i) => orders[i].above >= above);
  return orders.slice(Math.max(0, at - 2 * NEIGHBOURS), at + 2 * NEIGHBOURS);
}

/** The order of the largest excess of a pair over its bound, and that excess, with a few roundings. */
function tightestOf(orders: readonly Order[], pair: TwoPoint): Tight {
  // charges the logarithms already counted: no later call on this path charges them
  charge(0);
  let tight: Tight = { order: orders[0], excess: -Infinity };
  for (const order of orders) {
    const value = excess(pair, order);
    if (value > tight.excess) tight = { order, excess: value };
  }
  return tight;
}

/** The bound first + ρ(t − 1) on D_t at every order 1 ≤ t ≤ 1 + most. */
export interface RenyiLine {
  readonly rho: number;
  /** The bound on D₁, > 0. It is at most ρ, except for truncated CDP with ξ > 0, where it is ρ + ξ. */
  readonly first: number;
  /** > 0, perhaps ∞. */
  readonly most: number;
}

/**
 * The bounds of ρ-zCDP, where first = ρ and all orders are bounded; of truncated CDP up to the order ω; and of mean CDP, where first may be below
 * τ²/2. Searches for its worst order are plans.
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
      // stops where neighbouring orders are no tighter: d/dt of log E_P[(dQ/dP)^t] equals that of (t − 1)·bound
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
 * t − 1 of the order t > 1 that minimises (first + ρ(t − 1))(t − 1) − K(t). K(t) = log E_P[(dQ/dP)^t] is the cumulant generating function. Undefined
 * if there is no minimum beyond 1. K″ is the variance of a loss with two values, and decreases to either side of one point. So the difference is
 * convex, concave and convex again. It is 0 at t = 1, and with D₁ ≤ first it rises from there. Newton's method finds the one minimum of the second
 * convex part, from its right end. Up to an order before it the least value is at one of the two ends.
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
