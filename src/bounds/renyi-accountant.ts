import type { Step } from '../mechanism/steps.js';
import { padded, ROUNDINGS } from '../numeric/rounding.js';
import { exp, log, log1p } from '../numeric/scalar.js';
import { renyiOfSteps } from './renyi.js';

/** A theorem that bounds (ε, δ) by the Rényi divergence of the order α = 1 + `above`. */
interface Conversion {
  readonly source: string;
  epsilon(above: number, divergence: number, logDelta: number): number;
  logDelta(above: number, divergence: number, epsilon: number): number;
}

/** Conversions in common use. From one divergence D_α they give upper bounds of ε and δ; `RenyiRegion` gives the least. */
export const CONVERSIONS: Readonly<Record<'mironov' | 'tight', Conversion>> = {
  // its bounds are never below those of 'tight'
  mironov: {
    source: 'Mironov 2017, prop. 3',
    epsilon: (above, divergence, logDelta) => divergence - logDelta / above,
    logDelta: (above, divergence, epsilon) => Math.min(0, above * (divergence - epsilon)),
  },
  // also Asoodeh et al. 2020
  tight: {
    source: 'Canonne, Kamath, Steinke 2020, prop. 12',
    epsilon: (above, divergence, logDelta) => {
      const order = 1 + above;
      return divergence + log1p(-1 / order) - (logDelta + log(order)) / above;
    },
    logDelta: (above, divergence, epsilon) => {
      const order = 1 + above;
      const value = above * (divergence - epsilon) + above * log1p(-1 / order) - log(order);
      return padded(
        value,
        1 + above * (Math.abs(divergence) + Math.abs(epsilon) + 1 / order) + log(order),
        ROUNDINGS,
      );
    },
  },
};

export type RenyiConversion = keyof typeof CONVERSIONS;

/** The least bound, and the order that gives it. */
interface BestOrder {
  readonly value: number;
  readonly order: number;
}

/** Orders that are tried first have log(α − 1) from FIRST to LAST. Only width and speed depend on this constant and the next ones. */
const FIRST = -3;
const LAST = 6;
/** The search for an order extends to log(α − 1) from LEAST to MOST. */
const LEAST = -25;
const MOST = 27;
/** Distance of the orders that are tried, in log(α − 1). */
const STRIDE = 0.5;

/** The smallest ε ≥ 0 at δ that bounds of the Rényi divergences of a run imply, rounded up, and the order that gives it. */
export function epsilonFromRenyi(
  steps: readonly Step[],
  delta: number,
  conversion: RenyiConversion,
): BestOrder {
  return epsilonFromDivergences((order) => renyiOfSteps(steps, order), log(delta), conversion);
}

/**
 * The smallest ε ≥ 0 at δ = e^{logDelta} that divergences imply, by the best order and conversion.
 *
 * Ensures: δ is at most e^{logDelta} at the returned ε, if `divergenceOf` is no less than each divergence.
 *
 * @param divergenceOf Upper bound of the divergence, by order.
 */
export function epsilonFromDivergences(
  divergenceOf: (order: number) => number,
  logDelta: number,
  conversion: RenyiConversion,
): BestOrder {
  const best = bestOrder((order, above) => {
    const divergence = divergenceOf(order);
    const value = CONVERSIONS[conversion].epsilon(above, divergence, logDelta);
    return padded(value, Math.abs(divergence) + Math.abs(logDelta / above) + 1, ROUNDINGS);
  });
  return { ...best, value: Math.max(0, best.value) };
}

/** Upper bound of log δ at ε that the Rényi divergences of a run imply. */
export function logDeltaFromRenyi(
  steps: readonly Step[],
  epsilon: number,
  conversion: RenyiConversion,
): BestOrder {
  return logDeltaFromDivergences((order) => renyiOfSteps(steps, order), epsilon, conversion);
}

/**
 * Upper bound of log δ at ε that divergences imply, by the best order and conversion.
 *
 * Ensures: no less than log δ(ε), if `divergenceOf` is no less than each divergence.
 *
 * @param divergenceOf Upper bound of the divergence, by order.
 */
export function logDeltaFromDivergences(
  divergenceOf: (order: number) => number,
  epsilon: number,
  conversion: RenyiConversion,
): BestOrder {
  const best = bestOrder((order, above) => {
    const divergence = divergenceOf(order);
    const value = CONVERSIONS[conversion].logDelta(above, divergence, epsilon);
    return padded(value, 1 + above * Math.abs(divergence - epsilon) + log(order), ROUNDINGS);
  });
  return { ...best, value: Math.min(0, best.value) };
}

/** Orders for `curveOf`, as log(α − 1). Only width depends on them. */
const ORDERS = Array.from({ length: 64 }, (_, i) => FIRST + i / 6);

/**
 * Upper bound of log δ(ε), ε ≥ 0, by divergences at fixed orders, which are computed once for all ε.
 *
 * Ensures: no less than log δ(ε) of what has these divergences.
 *
 * @param divergenceOf Upper bound of the divergence, by order.
 */
export function curveOf(divergenceOf: (order: number) => number): (epsilon: number) => number {
  const { logDelta } = CONVERSIONS.tight;
  const known = ORDERS.map((t) => ({ above: exp(t), divergence: divergenceOf(1 + exp(t)) }));
  return (epsilon) => {
    const bound = (least: number, { above, divergence }: (typeof known)[number]): number => {
      const value = logDelta(above, divergence, epsilon);
      return Math.min(least, padded(value, 1 + above * Math.abs(divergence - epsilon), ROUNDINGS));
    };
    return known.reduce(bound, 0);
  };
}

/**
 * The least value of `bound` over the orders tried. They are a grid in log(α − 1), which is extended while the best order is at its end; then a golden
 * section search around the best. Any order gives a valid bound.
 */
function bestOrder(bound: (order: number, above: number) => number): BestOrder {
  let best: BestOrder = { value: Infinity, order: 2 };
  const ask = (order: number): number => {
    const value = bound(order, order - 1);
    if (value < best.value) best = { value, order };
    return value;
  };
  const at = (t: number): number => ask(1 + exp(t));
  let [least, lowest] = [FIRST, Infinity];
  const fill = (t: number): void => {
    const here = at(t);
    if (here < lowest) [least, lowest] = [t, here];
  };
  let [low, high] = [FIRST, LAST];
  for (let t = low; t <= high; t += STRIDE) fill(t);
  while (least === low && low > LEAST) {
    low -= STRIDE;
    fill(low);
  }
  while (least === high && high < MOST) {
    high += STRIDE;
    fill(high);
  }
  golden(at, Math.max(LEAST, least - STRIDE), Math.min(MOST, least + STRIDE));
  // some bounds interpolate between integer orders, which are then the best
  const whole = Math.round(best.order);
  for (const order of [whole - 1, whole, whole + 1]) {
    if (order >= 2 && order <= 1e6) ask(order);
  }
  return best;
}

/** Evaluates f near its minimum, by golden section search. */
export function golden(f: (t: number) => number, from: number, to: number): void {
  const ratio = 0.6180339887498949;
  let [a, b] = [from, to];
  let [c, d] = [b - ratio * (b - a), a + ratio * (b - a)];
  let [fc, fd] = [f(c), f(d)];
  while (b - a > 1e-4) {
    if (fc <= fd) {
      [b, d, fd] = [d, c, fc];
      c = b - ratio * (b - a);
      fc = f(c);
    } else {
      [a, c, fc] = [c, d, fd];
      d = a + ratio * (b - a);
      fd = f(d);
    }
  }
}
