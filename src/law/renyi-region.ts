import { type Bracket, ordered } from '../numeric/bracket.js';
import { U } from '../numeric/constants.js';
import { Lazy } from '../numeric/lru-cache.js';
import { FUNCTION_ERROR } from '../numeric/rounding.js';
import { exp, log, log1p } from '../numeric/scalar.js';
import { crossing } from '../numeric/solve.js';
import {
  type Constraints,
  excess,
  logGain,
  lossAtSlope,
  type Order,
  roundingOf,
  slopeAt,
  type Touching,
  type TwoPoint,
  twoPoint,
} from './renyi-orders.js';

/**
 * Where two orders' bounds are violated by no more than this, the point counts as common to both; it is moved inside afterwards. Only width depends
 * on it.
 */
const UNBROKEN = 1e-11;
/** Width at which searches for logarithms end. Only width depends on it. */
const NARROW = 1e-14;
/** The first distance by which a point is moved; it doubles with each try. Only speed and width depend on it. */
const FIRST_MOVE = 1e-15;

/** Number of ε's of a trace after which all orders are considered anew. */
const RESUMED = 64;
/** Largest number of times that one active order is exchanged for another. */
const MOST_ROUNDS = 8;

/** The largest δ(ε) that a guarantee allows, and a pair that meets the guarantee and nearly attains it. */
export interface Worst {
  readonly logDelta: Bracket;
  readonly pair: TwoPoint;
}

/**
 * The pairs that meet Rényi bounds in both directions, as the region of trade-off points that they can have (Gomez et al. 2025,
 * app. A.6; Balle et al. 2020). By the data-processing inequality the two outcomes of a test on such a pair are themselves such a
 * pair. So every point of the region is attained by a pair with two outputs. Exactly, for one order, several or all,
 *   δ(ε) = max of π − e^ε α over the (α, π) that break no bound.
 * The region is convex. On the ray π = e^a α the points that break no bound are those up to some π. The slope of the boundary
 * rises with a. δ is attained where the slope equals e^ε or jumps over it. Both ends of a bracket are values of one function. A
 * pair that breaks no bound makes a δ that is attained. One that breaks a bound lies outside its supporting line, so at the slope
 * of that line its δ exceeds all that is allowed.
 */
export class RenyiRegion {
  private readonly corner = new Lazy(() => this.cornerOf());

  constructor(private readonly constraints: Constraints) {}

  /**
   * The largest δ(ε) over the region, and a pair that nearly attains it.
   * @param epsilon ≥ 0.
   */
  worst(epsilon: number): Worst {
    const { at, reach } = this.corner.value;
    if (epsilon <= reach) {
      const mirrored = { ...at, order: { ...at.order, exchanged: !at.order.exchanged } };
      return this.enclosed(epsilon, mirrored, at);
    }
    const [low, high] = this.decided(epsilon) ?? this.extreme(epsilon);
    return this.enclosed(epsilon, low, high);
  }

  /**
   * Upper bounds of log δ at ascending ε > 0, each by the supporting line of one order. Its search starts from the order of the previous ε. Ensures:
   * each is no less than log δ of any pair that keeps the bounds.
   */
  trace(epsilons: readonly number[]): number[] {
    const { constraints } = this;
    let order: Order | undefined;
    let guess: number | undefined;
    return epsilons.map((epsilon, i) => {
      const alone = solver(epsilon, guess);
      if (order === undefined || i % RESUMED === 0) order = constraints.best(epsilon, alone);
      let touch = alone(order);
      for (let round = 0; round < 2; round++) {
        const next = constraints.tightest(touch.pair, order);
        if (!(next.excess > 1e-9) || next.order.exchanged) break;
        order = next.order;
        touch = alone(order);
      }
      guess = touch.pair.logB;
      return supported(touch, epsilon);
    });
  }

  /**
   * Heuristic: the worst pair where one order or two are active, by their own equations. Undefined if more exchanges of orders are needed than expected.
   */
  private decided(epsilon: number): [Touching, Touching] | undefined {
    const { constraints } = this;
    const alone = solver(epsilon);
    let touch = alone(constraints.best(epsilon, solver(epsilon, undefined, ROUGH)));
    for (let round = 0; round < MOST_ROUNDS; round++) {
      const next = constraints.tightest(touch.pair);
      if (!(next.excess > 4 * roundingOf(touch.pair, next.order))) return [touch, touch];
      const other = alone(next.order);
      if (next.order.exchanged) return undefined;
      if (excess(other.pair, touch.order) > 0) {
        const both = meeting(touch, other, epsilon);
        if (both === undefined) return undefined;
        const third = constraints.tightest(both[0].pair);
        if (!(third.excess > UNBROKEN)) return both;
        touch = alone(third.order);
      } else touch = other;
    }
    return undefined;
  }

  /** Heuristic: the corner with α = 1 − π: it is the worst pair where e^ε is between the slopes on its two sides. */
  private cornerOf(): { at: Touching; reach: number } {
    const { constraints } = this;
    const pairAt = (logA: number): TwoPoint => twoPoint(exp(logA), logA);
    const { low } = crossing((logA) => -constraints.tightest(pairAt(logA)).excess, {
      ...TIGHT,
      guess: 0,
      reach: 2,
      ceiling: 20,
    });
    const pair = pairAt(low);
    const order = { ...constraints.tightest(pair).order, exchanged: false };
    return { at: { pair, order }, reach: slopeAt(pair, order) };
  }

  /** Heuristic: neighbouring points of the boundary with e^ε between their slopes: they work for any active orders. */
  private extreme(epsilon: number): [Touching, Touching] {
    const { constraints } = this;
    let [guess, reach] = [log(epsilon), 4];
    const touchAt = (logGap: number): Touching => {
      const pair = lastOnRay(
        epsilon + exp(logGap),
        (each) => constraints.tightest(each).excess,
        guess,
        reach,
      );
      [guess, reach] = [pair.logB, 0.05];
      return { pair, order: constraints.tightest(pair).order };
    };
    const { low, high } = crossing(
      (logGap) => {
        const { pair, order } = touchAt(logGap);
        return epsilon - slopeAt(pair, order);
      },
      { guess: log(epsilon) - 1, reach: 0.25, floor: -80, ceiling: 30, absolute: 10 * NARROW },
    );
    return [touchAt(low), touchAt(high)];
  }

  /**
   * The bracket of log δ(ε) from two points of the boundary: below, a pair inside; above, supporting lines. Ensures: the largest log δ(ε) lies in it.
   */
  private enclosed(epsilon: number, low: Touching, high: Touching): Worst {
    let pair = this.inside(low, epsilon);
    if (high !== low) {
      const other = this.inside(high, epsilon);
      if (logGain(other, epsilon) > logGain(pair, epsilon)) pair = other;
    }
    const lower = logGain(pair, epsilon + 8 * U * (epsilon + pair.a)) * (1 + 8 * U);
    const upper =
      low === high
        ? supported(low, epsilon)
        : Math.min(supported(low, epsilon), supported(high, epsilon), vertex(low, high, epsilon));
    return { logDelta: ordered(lower, upper), pair };
  }

  /**
   * Moves the pair towards the trivial one until it violates no bound: once by shrinking b alone, once by shrinking a and b. Returns the result with
   * the larger log δ(ε) = log π + log(1 − e^{ε−a}).
   *
   * Ensures: the pair keeps every bound, rounding included.
   */
  private inside(touch: Touching, epsilon: number): TwoPoint {
    const found = [false, true].map((both) => {
      let { order } = touch;
      let step = FIRST_MOVE;
      for (let moved = 0; step < FARTHEST; ) {
        const pair = movedBy(touch.pair, -moved, both);
        if (excess(pair, order) <= -roundingOf(pair, order)) {
          const tight = this.constraints.tightest(pair);
          if (tight.excess <= -roundingOf(pair, tight.order)) return pair;
          order = tight.order;
        }
        moved += step;
        step *= 2;
      }
      return TRIVIAL;
    });
    return logGain(found[0], epsilon) >= logGain(found[1], epsilon) ? found[0] : found[1];
  }
}

type Point = Pick<TwoPoint, 'a' | 'logB'>;

/** The point with b multiplied by e^{step}, and a too if `both`. With both, the smaller pair is post-processing of the larger. */
function movedBy({ a, logB }: Point, step: number, both: boolean): TwoPoint {
  return twoPoint(both ? a * exp(step) : a, logB + step);
}

/** Heuristic: for an order, the pair with the largest δ(ε) under its bound, in the direction D_t(Q‖P). */
function solver(epsilon: number, start?: number, search = TIGHT): (order: Order) => Touching {
  let guess = start;
  return (order) => {
    const { above, bound } = order;
    const forward = { ...order, exchanged: false };
    const pairAt = (logB: number): TwoPoint => twoPoint(lossAtSlope(epsilon, exp(logB), above), logB);
    const far = epsilon - log1p(-1 / (1 + above)) - bound;
    const { low } = crossing((logB) => -excess(pairAt(logB), forward), {
      ...search,
      guess: guess ?? (far > 0 ? Math.min(log(bound), -above * far) : log(bound)),
      reach: guess === undefined ? 1 : 0.1,
    });
    if (low > -Infinity) guess = low;
    const pair = pairAt(Math.min(low === -Infinity ? TIGHT.floor : low, TIGHT.ceiling));
    return { pair, order: forward };
  };
}

/** The pair with that a and the largest b that violates no bound. */
function lastOnRay(a: number, excessOf: (pair: TwoPoint) => number, guess: number, reach: number): TwoPoint {
  const { low } = crossing((logB) => -excessOf(twoPoint(a, logB)), { ...TIGHT, guess, reach });
  return twoPoint(a, low);
}

/** Heuristic: the point at which two orders' bounds are both attained, with either slope; undefined if e^ε is not between the slopes. */
function meeting(one: Touching, two: Touching, epsilon: number): [Touching, Touching] | undefined {
  let guess = Math.min(one.pair.logB, two.pair.logB);
  const boundary = (logGap: number): TwoPoint => {
    const pair = lastOnRay(epsilon + exp(logGap), (each) => excess(each, one.order), guess, 0.1);
    guess = pair.logB;
    return pair;
  };
  // at the pair of `one` the other bound is violated, and vice versa
  const side = one.pair.a < two.pair.a ? 1 : -1;
  const { low } = crossing((logGap) => side * excess(boundary(logGap), two.order), {
    guess: log(one.pair.a - epsilon),
    reach: 0.01,
    floor: -80,
    ceiling: 30,
    absolute: NARROW,
  });
  if (low === -Infinity) return undefined;
  const pair = boundary(low);
  const [a, b] = [one, two]
    .map(({ order }) => ({ pair, order }))
    .sort((x, y) => slopeAt(pair, x.order) - slopeAt(pair, y.order));
  return slopeAt(pair, a.order) <= epsilon && slopeAt(pair, b.order) >= epsilon ? [a, b] : undefined;
}

/** Search for log b. */
const TIGHT = { floor: -1e10, ceiling: 30, relative: FUNCTION_ERROR, absolute: NARROW };
/** Search for comparisons of orders: the error of the best δ is quadratic in it. */
const ROUGH: typeof TIGHT = { ...TIGHT, relative: 1e-10, absolute: 1e-8 };

/** Moves the point away from the trivial pair until it violates all given bounds, rounding included; undefined if that is far. */
function outside(point: Point, orders: readonly Order[]): TwoPoint | undefined {
  for (const both of [false, true]) {
    let step = FIRST_MOVE;
    for (let moved = 0; step < FAR; moved += step, step *= 2) {
      const pair = movedBy(point, moved, both);
      if (orders.every((order) => excess(pair, order) >= roundingOf(pair, order))) return pair;
    }
  }
  return undefined;
}

/** Largest distance that `outside` moves a point, and the same for `inside`, beyond which only the trivial pair is left. */
const FAR = 1e-3;
const FARTHEST = 1e6;
const TRIVIAL = twoPoint(1, -Infinity);

/**
 * Upper bound of log δ(ε) by the supporting line of one bound, at an ε no smaller than the line's own.
 *
 * Ensures: no smaller than log δ(ε) of any pair that keeps the bound; 0 where nothing is known.
 */
function supported(touch: Touching, epsilon: number): number {
  const { logB } = touch.pair;
  let { a } = touch.pair;
  for (let i = 0; i < 8; i++) {
    const pair = outside({ a, logB }, [touch.order]);
    if (pair === undefined) return 0;
    const slope = slopeAt(pair, touch.order);
    const room = 8 * U * (1 + pair.a + Math.abs(slope));
    if (slope + room <= epsilon) return Math.min(0, logGain(pair, slope - room) * (1 - 8 * U));
    a -= 2 ** i * Math.max(room, slope + room - epsilon);
  }
  return 0;
}

/**
 * Upper bound of log δ(ε) at the intersection of the supporting lines of two bounds, for ε between their slopes.
 *
 * Ensures: no smaller than log δ(ε) of any pair that keeps both bounds; 0 where nothing is known.
 */
function vertex(low: Touching, high: Touching, epsilon: number): number {
  const pair = outside(low.pair, [low.order, high.order]);
  if (pair === undefined) return 0;
  const room = 8 * U * (1 + pair.a + epsilon);
  const flat = slopeAt(pair, low.order) + room <= epsilon;
  const steep = slopeAt(pair, high.order) - room >= epsilon;
  return flat && steep ? logGain(pair, epsilon - room) * (1 - 8 * U) : 0;
}
