import { exp } from '../numeric/scalar.js';
import type { TradeoffCurve } from '../run/tradeoff-curve.js';
import type { ClaimedInverse } from './one-run.js';

/** Lines and tests of a curve at losses that are whole multiples of a step, each asked for once. */
interface Node {
  readonly epsilon: number;
  readonly delta: number;
  readonly fpr: number;
  readonly tpr: number;
}

/** Steps of the mesh to the scale of the losses. */
const FINENESS = 32;
/** Width aimed at in δ and tests: below what the mesh loses. */
const WIDTH = 1e-6;
const LARGEST_LOSS = 690;
const UP = 1 + 2e-15;
const DOWN = 1 - 2e-15;

/**
 * f̄⁻¹(R) of any symmetric curve: from below by its supporting lines, sup over ε of e^{−ε}(R − δ(ε)), from above by mixtures of
 * the certified tests at two neighbouring losses, one of power above R and one below. Both errors are quadratic in
 * the step, and δ and tests are asked at few losses, however often R changes.
 *
 * @param curve Valid whichever of the two data sets is the true one.
 */
export function meshInverse(curve: TradeoffCurve): ClaimedInverse {
  const advantage = exp(curve.logDelta(0).upper);
  const step = Math.min(1, Math.max(1e-6, 2.5 * advantage)) / FINENESS;
  const last = Math.floor(LARGEST_LOSS / step);
  const node = nodesOf(curve, step);
  let place = 0;
  /** The k at whose test the power is at least R and at the next is not, sought from where the last was. */
  const placeOf = (power: number): number => {
    let low = place;
    let stride = 1;
    while (low > -last && node(low).tpr < power) {
      low = Math.max(-last, low - stride);
      stride *= 2;
    }
    stride = 1;
    let high = low + 1;
    while (high < last && node(high).tpr >= power) {
      low = high;
      high = Math.min(last, high + stride);
      stride *= 2;
    }
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (node(middle).tpr >= power) low = middle;
      else high = middle;
    }
    place = low;
    return low;
  };
  return {
    lower: (power) => {
      const k = placeOf(power);
      const lines = [k - 1, k, k + 1].map(node);
      return Math.max(0, ...lines.map(({ epsilon, delta }) => exp(-epsilon) * (power * DOWN - delta) * DOWN));
    },
    upper: (power) => {
      const k = placeOf(power);
      const loose = node(k);
      if (loose.tpr < power) return power;
      const strict = node(k + 1);
      const share = strict.tpr < power ? (power - strict.tpr) / (loose.tpr - strict.tpr) : 0;
      const span = Math.max(0, loose.fpr - strict.fpr);
      // no curve has less power than guessing
      return Math.min(power, (strict.fpr + Math.min(1, share * UP) * span) * UP);
    },
  };
}

/** The curve at the losses k·step, asked once for each k. */
function nodesOf(curve: TradeoffCurve, step: number): (k: number) => Node {
  const known = new Map<number, Node>();
  return (k) => {
    let found = known.get(k);
    if (found === undefined) {
      const epsilon = k * step;
      const { logFpr, logTpr } = curve.test(epsilon, WIDTH);
      found = {
        epsilon,
        delta: exp(curve.logDelta(epsilon, WIDTH).upper) * UP,
        fpr: exp(logFpr) * UP,
        tpr: exp(logTpr) * DOWN,
      };
      known.set(k, found);
    }
    return found;
  };
}
