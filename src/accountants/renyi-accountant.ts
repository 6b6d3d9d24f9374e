import type { Step } from '../mechanism/steps.js';
import { exp, log, log1p } from '../numeric/scalar.js';
import { renyiOfSteps } from './renyi.js';

/** How Rényi divergences become (ε, δ): 'tight' by Canonne, Kamath, Steinke 2020, prop. 12 (Asoodeh et al. 2020), or Mironov 2017, prop. 3. */
export type RenyiConversion = 'tight' | 'mironov';

interface BestOrder {
  readonly value: number;
  readonly order: number;
}

/** log(α − 1): the orders first tried, and how far the search may extend. */
const FIRST = -3;
const LAST = 6;
const LEAST = -25;
const MOST = 27;
const STRIDE = 0.5;

/** Mironov 2017, prop. 3: an ε at δ = e^{logDelta} from the divergence of the order 1 + `above`. */
export function epsilonMironov(above: number, divergence: number, logDelta: number): number {
  return divergence - logDelta / above;
}

/** Canonne, Kamath, Steinke 2020, prop. 12. */
export function epsilonCks(above: number, divergence: number, logDelta: number): number {
  const order = 1 + above;
  return divergence + log1p(-1 / order) - (logDelta + log(order)) / above;
}

/** The smallest ε ≥ 0 that the Rényi divergences prove at δ, from above, and the order that does. */
export function epsilonFromRenyi(
  steps: readonly Step[],
  delta: number,
  conversion: RenyiConversion,
): BestOrder {
  const logDelta = log(delta);
  const epsilonFrom = conversion === 'mironov' ? epsilonMironov : epsilonCks;
  const best = bestOrder((order, above) => {
    const divergence = renyiOfSteps(steps, order);
    const value = epsilonFrom(above, divergence, logDelta);
    return value + 1e-14 * (Math.abs(divergence) + Math.abs(logDelta / above) + 1);
  });
  return { ...best, value: Math.max(0, best.value) };
}

/** The smallest δ that the Rényi divergences prove at ε, from above, as a logarithm. */
export function logDeltaFromRenyi(
  steps: readonly Step[],
  epsilon: number,
  conversion: RenyiConversion,
): BestOrder {
  const best = bestOrder((order, above) => {
    const gain = above * (renyiOfSteps(steps, order) - epsilon);
    const value = conversion === 'mironov' ? gain : gain + above * log1p(-1 / order) - log(order);
    return value + 1e-14 * (1 + Math.abs(gain) + log(order));
  });
  return { ...best, value: Math.min(0, best.value) };
}

/**
 * The minimum over the orders of a bound that holds at each of them. A grid in log(α − 1) that extends itself
 * while its best order lies at an end, then golden sections between the best order's neighbours.
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
  // whole orders are the sharpest where the others are interpolated
  const whole = Math.round(best.order);
  for (const order of [whole - 1, whole, whole + 1]) {
    if (order >= 2 && order <= 1e6) ask(order);
  }
  return best;
}

function golden(f: (t: number) => number, from: number, to: number): void {
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
