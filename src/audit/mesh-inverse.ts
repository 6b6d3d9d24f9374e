import { ROUNDING } from '../numeric/log-arithmetic.js';
import { exp } from '../numeric/scalar.js';
import { firstBetween } from '../numeric/solve.js';
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
const UP = 1 + ROUNDING;
const DOWN = 1 - ROUNDING;

/** Nodes at whole multiples of a step, and the place where the power passes R. */
class Mesh {
  private readonly known = new Map<number, Node>();
  private readonly step: number;
  private readonly last: number;
  private place = 0;

  constructor(private readonly curve: TradeoffCurve) {
    const advantage = exp(curve.logDelta(0).upper);
    this.step = Math.min(1, Math.max(1e-6, 2.5 * advantage)) / FINENESS;
    this.last = Math.floor(LARGEST_LOSS / this.step);
  }

  node(k: number): Node {
    const before = this.known.get(k);
    if (before !== undefined) return before;
    const epsilon = k * this.step;
    const { logFpr, logTpr } = this.curve.test(epsilon, WIDTH);
    const delta = exp(this.curve.logDelta(epsilon, WIDTH).upper) * UP;
    const made = { epsilon, delta, fpr: exp(logFpr) * UP, tpr: exp(logTpr) * DOWN };
    this.known.set(k, made);
    return made;
  }

  /** The k at whose test the power is at least R and at the next is not, sought from where the last was. */
  placeOf(power: number): number {
    const { last } = this;
    const reaches = (k: number): boolean => this.node(k).tpr >= power;
    let low = this.place;
    for (let stride = 1; low > -last && !reaches(low); stride *= 2) low = Math.max(-last, low - stride);
    let high = low + 1;
    for (let stride = 1; high < last && reaches(high); stride *= 2) {
      low = high;
      high = Math.min(last, high + stride);
    }
    this.place = firstBetween(low, high, (k) => !reaches(k)) - 1;
    return this.place;
  }
}

/**
 * f̄⁻¹(R) of any symmetric curve: from below by its supporting lines, sup over ε of e^{−ε}(R − δ(ε)), from above by mixtures of
 * the certified tests at two neighbouring losses, one of power above R and one below. Both errors are quadratic in
 * the step, and δ and tests are asked at few losses, however often R changes.
 *
 * @param curve Valid whichever of the two data sets is the true one.
 */
export function meshInverse(curve: TradeoffCurve): ClaimedInverse {
  const mesh = new Mesh(curve);
  return {
    lower: (power) => {
      const k = mesh.placeOf(power);
      const lines = [k - 1, k, k + 1].map((each) => mesh.node(each));
      return Math.max(0, ...lines.map(({ epsilon, delta }) => exp(-epsilon) * (power * DOWN - delta) * DOWN));
    },
    upper: (power) => {
      const k = mesh.placeOf(power);
      const loose = mesh.node(k);
      if (loose.tpr < power) return power;
      const strict = mesh.node(k + 1);
      const share = strict.tpr < power ? (power - strict.tpr) / (loose.tpr - strict.tpr) : 0;
      const span = Math.max(0, loose.fpr - strict.fpr);
      // no curve has less power than guessing
      return Math.min(power, (strict.fpr + Math.min(1, share * UP) * span) * UP);
    },
  };
}
