import { type Bracket, ordered } from '../numeric/bracket.js';
import { U } from '../numeric/constants.js';
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
 * Largest `excess` over any other bound at which the point that attains two bounds is used; it is moved inside the region afterwards. Only width
 * depends on it.
 */
const UNBROKEN = 1e-11;
/** Absolute tolerance of searches for logarithms. Only width depends on it. */
const NARROW = 1e-14;
/** First change of log b, or of log a and log b, of a pair with losses a and −b in `inside` and `outside`. It doubles with each try. Only speed and width depend on it. */
const FIRST_MOVE = 1e-15;

/** Number of ε after which `trace` considers all orders again. Only speed and width depend on it. */
const RESUMED = 64;
/** Largest number of times that `decided` exchanges an active order for another. Only speed depends on it. */
const MOST_ROUNDS = 8;

/** The largest δ(ε) that a guarantee allows, and a pair that meets the guarantee and nearly attains it. */
export interface Worst {
  readonly logDelta: Bracket;
  readonly pair: TwoPoint;
}

/**
 * The largest δ(ε) of pairs that meet Rényi bounds in both directions (docs/proofs/renyi.md, 1 and 2; Gomez et al. 2025, app. A.6). A point is a false
 * positive rate α and a power π of a test. By data processing, the points of tests on such pairs are those whose pair with two outputs meets the bounds.
 * So δ(ε) is the largest π − e^ε α over the (α, π) that meet all bounds.
 * The region of these points is convex. On the ray π = e^a α they are those up to some π, and the slope of the boundary rises with a. δ is attained
 * at the point of the boundary where the slope equals e^ε or jumps over it. A point that meets all bounds gives a lower end of δ. A point that violates
 * a bound gives an upper end π − e^s α of δ(s); e^s is the slope of the divergence's level set there. Search errors affect neither.
 */
export class RenyiRegion {
  private readonly corner: { readonly at: Touching; readonly reach: number };

  /** Finds the corner, the point of the boundary where bounds of both directions meet. */
  constructor(private readonly constraints: Constraints) {
    this.corner = this.cornerOf();
  }

  /**
   * The largest δ(ε) = π − e^ε α over the points (α, π) of the region, and a pair that nearly attains it. Ensures: log δ lies in the bracket, and the pair meets all bounds.
   * @param epsilon ≥ 0.
   */
  worst(epsilon: number): Worst {
    const { at, reach } = this.corner;
    if (epsilon <= reach) {
      const mirrored = { ...at, order: { ...at.order, exchanged: !at.order.exchanged } };
      return this.enclosed(epsilon, mirrored, at);
    }
    const [low, high] = this.decided(epsilon) ?? this.extreme(epsilon);
    return this.enclosed(epsilon, low, high);
  }

  /**
   * Upper bounds of log δ at ascending ε > 0, each by the supporting line of one order's bound (`supported`). The search for that order starts from the one of the
   * previous ε. Ensures: each is no less than log δ of any pair that meets the bounds.
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
   * Heuristic: the point of the largest δ(ε) if one or two bounds are attained there, by the equations of these alone. Both results are this point, with
   * the orders that bound it on either side. Undefined if that fails. It only chooses points; `enclosed` proves the bracket.
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

  /**
   * Heuristic: the point of the boundary with α = 1 − π, α the false positive rate and π the power of a test. Bounds of both directions meet there. It
   * has the largest δ(ε) for |ε| ≤ `reach`, the log of the steeper slope there.
   */
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

  /** Heuristic: two close points of the boundary with e^ε between their slopes, by a search over the loss a for any set of bounds. It only chooses points. */
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
   * Bracket of the largest log δ(ε) from two points close to the boundary. The lower end is by `inside`, the upper end by supporting lines (`supported`,
   * `vertex`). Ensures: the largest log δ(ε) lies in it, wherever the points are.
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
   * A pair that meets all bounds. The given one, of losses a and −b, is moved towards equal laws, once by reducing b and once by reducing both. Of both results it
   * is the one with the larger log δ(ε) = log π + log(1 − e^{ε−a}).
   *
   * Ensures: the pair meets every bound, rounding errors of `excess` included.
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

/** A pair with two outputs by its losses a and −b. */
type Point = Pick<TwoPoint, 'a' | 'logB'>;

/** The pair with losses a and −b, b multiplied by e^{step}, and a too if `both`. If `both` and the step is negative, the result is post-processing of the pair. */
function movedBy({ a, logB }: Point, step: number, both: boolean): TwoPoint {
  return twoPoint(both ? a * exp(step) : a, logB + step);
}

/** Heuristic: a function of an order: the pair with the largest δ(ε) under its bound of D_t(Q‖P) alone. It only chooses pairs; it enters no bound. */
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

/** Heuristic: the pair with the losses a and −b, a given and b the largest at which `excessOf` is at most 0. */
function lastOnRay(a: number, excessOf: (pair: TwoPoint) => number, guess: number, reach: number): TwoPoint {
  const { low } = crossing((logB) => -excessOf(twoPoint(a, logB)), { ...TIGHT, guess, reach });
  return twoPoint(a, low);
}

/** Heuristic: the point at which two orders' bounds are both attained, once with each order; undefined if e^ε is not between their slopes. */
function meeting(one: Touching, two: Touching, epsilon: number): [Touching, Touching] | undefined {
  let guess = Math.min(one.pair.logB, two.pair.logB);
  const boundary = (logGap: number): TwoPoint => {
    const pair = lastOnRay(epsilon + exp(logGap), (each) => excess(each, one.order), guess, 0.1);
    guess = pair.logB;
    return pair;
  };
  // the pair of each order violates the bound of the other
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

/** Limits and tolerances of searches for log b. Only width depends on them. */
const TIGHT = { floor: -1e10, ceiling: 30, relative: FUNCTION_ERROR, absolute: NARROW };
/** Tolerances where orders are only compared. The error of δ at its maximum is quadratic in the error of log b. */
const ROUGH: typeof TIGHT = { ...TIGHT, relative: 1e-10, absolute: 1e-8 };

/**
 * Moves a pair with losses a and −b away from equal laws, by b or by both, until it violates all given bounds. Undefined if log b changed by more than about
 * `FAR`. Ensures: the pair violates them, rounding errors of `excess` included.
 */
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

/** Largest change of log b by `outside`. Only width depends on it. */
const FAR = 1e-3;
/** Largest change of log b, −b the smaller loss of the pair, by `inside`, which then returns TRIVIAL. Only width depends on it. */
const FARTHEST = 1e6;
/** A pair of equal laws. */
const TRIVIAL = twoPoint(1, -Infinity);

/**
 * Upper bound of log δ(ε) by the supporting line at a point (α, π) that violates one bound. Its slope is e^s (`slopeAt`); if s ≤ ε the bound is log(π − e^s α).
 * If s is larger, a is reduced. 0 if that fails.
 *
 * Ensures: no smaller than log δ(ε) of any pair that meets the bound.
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
 * Upper bound log(π − e^ε α) of log δ(ε) by a point (α, π) that violates two bounds. Their supporting lines there have slopes on both sides of e^ε.
 * 0 if there is no such point.
 *
 * Ensures: no smaller than log δ(ε) of any pair that meets both bounds.
 */
function vertex(low: Touching, high: Touching, epsilon: number): number {
  const pair = outside(low.pair, [low.order, high.order]);
  if (pair === undefined) return 0;
  const room = 8 * U * (1 + pair.a + epsilon);
  const flat = slopeAt(pair, low.order) + room <= epsilon;
  const steep = slopeAt(pair, high.order) - room >= epsilon;
  return flat && steep ? logGain(pair, epsilon - room) * (1 - 8 * U) : 0;
}
