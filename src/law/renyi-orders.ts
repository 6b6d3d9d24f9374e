import { exp, log, log1p } from '../numeric/scalar.js';
import { crossing } from '../numeric/solve.js';
import {
  excess,
  logGain,
  meanLoss,
  type Order,
  type Touch,
  type TwoPoint,
  tiltedWeights,
} from './two-point.js';

/** The bounds of a Rényi guarantee, in both directions: D_t(Q‖P) and D_t(P‖Q). */
export interface Constraints {
  /** The one that a pair breaks most, or comes nearest to breaking. */
  tightest(pair: TwoPoint): Tight;
  /**
   * The order that alone gives the least δ(ε), or one near it.
   *
   * @param solve The pair with the largest δ(ε) that an order alone allows.
   */
  best(epsilon: number, solve: (order: Order) => Touch): Order;
}

interface Tight {
  readonly order: Order;
  readonly excess: number;
}

export function listedOrders(points: readonly { order: number; epsilon: number }[]): Constraints {
  const orders = points.flatMap(({ order, epsilon }) =>
    [false, true].map((exchanged) => ({ above: order - 1, bound: epsilon, exchanged })),
  );
  return {
    tightest: (pair) => tightestOf(orders, pair),
    best: (epsilon, solve) => {
      // from where Canonne, Kamath and Steinke's bound is least, downhill
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

function tightestOf(orders: readonly Order[], pair: TwoPoint): Tight {
  let tight: Tight = { order: orders[0], excess: -Infinity };
  for (const order of orders) {
    const value = excess(pair, order);
    if (value > tight.excess) tight = { order, excess: value };
  }
  return tight;
}

/** The bound first + ρ(t − 1) at every order 1 ≤ t ≤ 1 + most. */
export interface Line {
  readonly rho: number;
  /** Above 0, at most ρ. */
  readonly first: number;
  /** > 0, perhaps ∞. */
  readonly most: number;
}

/** ρ-zCDP begins at ρ and has every order, truncated CDP ends at ω, and mean CDP may begin below τ²/2. */
export function everyOrder(line: Line): Constraints {
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
      // where neighbouring orders are no tighter: d/dt of log E_P[(dQ/dP)^t] is that of the bound times t − 1
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
 * t − 1 of the order t > 1 at which (first + ρ(t − 1))(t − 1) − K(t) has its least value, K(t) = log E_P[(dQ/dP)^t]; undefined if it
 * has no minimum beyond 1. K″ is the variance of a loss with two values and falls to either side of one point, so that
 * the difference is convex, concave and convex again: it is 0 at t = 1, and with D₁ ≤ first it rises from there. What
 * remains is the second convex part, on which the one minimum is found by Newton's method from its right end. Up to an order before it
 * the least value is at one of the two ends.
 */
function worstAbove({ rho, first }: Line, pair: TwoPoint, exchanged: boolean): number | undefined {
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
    if (!(Math.abs(next - above) > 1e-11 * above)) return next;
    above = next;
  }
  return above;
}
