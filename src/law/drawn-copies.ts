/**
 * Steps that draw one record several times, with Gaussian noise, one record replaced. Their divergences are at most those of a sample of a fixed size
 * and a rest that no gradients change (docs/proofs/fixed-size.md, 12 to 14).
 */
import { SQRT_2PI, U } from '../numeric/constants.js';
import { down, LONG_SUM, ROUNDINGS, up } from '../numeric/rounding.js';
import { deltaGdp, exp, expm1, log, log1p, normalCdf } from '../numeric/scalar.js';

/** An upper bound of a step, ε ≥ 0. For every triangle H is at most `weight` times that of a sample of the share, and `rest(ε)`. */
export interface StepBound {
  readonly weight: number;
  readonly share: number;
  readonly rest: (epsilon: number) => number;
}

/** The bound of a sample of a fixed size, which has no copies. */
export function sampleBound(share: number): StepBound {
  return { weight: 1, share, rest: () => 0 };
}

/** Probabilities w_k that a record is drawn k times, k = 0, 1, …; w_0 rounded down and the others up, and the probability of more. */
export interface DrawnCopies {
  readonly weights: readonly number[];
  readonly more: number;
}

/** ∫ over z ≥ t of the largest density at z of N(a, 1), a from 0 to d. */
function largestTail(t: number, d: number): number {
  if (t >= d) return normalCdf(d - t);
  return t >= 0 ? 0.5 + (d - t) / SQRT_2PI : d / SQRT_2PI + 1 - normalCdf(t);
}

/** The least output considered: below it neither law has mass that a double can represent. */
const LEAST = -40;
const HALVINGS = 100;

/**
 * What more copies add to one copy and none, γ = e^ε. It is the mean of (X + Y)⁺ − X⁺ over N(0, 1), Y = Σ w_ke^{kdz − (kd)²/2} over k ≥ 2. X = w₁A −
 * (γ−1)w₀ rises with A, the largest e^{az − a²/2} of a from 0 to d.
 *
 * Ensures: no less than that mean.
 */
function addedByCopies({ weights, more }: DrawnCopies, d: number, epsilon: number): number {
  const [none, once, ...several] = weights;
  const base = expm1(epsilon) * none;
  const shifts = several.map((_, i) => (i + 2) * d);
  const sumOf = (tail: (shift: number) => number): number =>
    several.reduce((sum, weight, i) => sum + weight * tail(shifts[i]), 0);
  if (base <= once) return up(sumOf(() => 1) + more, LONG_SUM);
  const height = log(base / once);
  const inner = Math.sqrt(2 * height);
  const alone = inner <= d ? inner : d / 2 + height / d;
  const isAbove = (z: number): boolean => {
    const largest = Math.min(d, Math.max(0, z));
    const sum = sumOf((shift) => exp(shift * (z - shift / 2)));
    return once * exp(largest * (z - largest / 2)) + sum > base;
  };
  let [low, high] = [LEAST, alone];
  for (let i = 0; i < HALVINGS; i++) {
    const middle = (low + high) / 2;
    if (isAbove(middle)) high = middle;
    else low = middle;
  }
  const tails = sumOf((shift) => normalCdf(shift - high));
  const [joint, own] = [high, alone].map((t) => once * largestTail(t, d) - base * normalCdf(-t));
  const size = tails + once * largestTail(high, d) + base * normalCdf(-high);
  return Math.max(0, tails + joint - own) + more + LONG_SUM * size;
}

/** Orders of the tilts by which batches without the record are given to numbers of copies. Only width and speed depend on them. */
const TILTS = [0, 0.25, 0.5, 1, 1.5, 2];
/** Largest exponent of a tilt. */
const MOST_TILTED = 600;

/**
 * Bounds of a step: of more copies hidden among one and none, and of each number of copies told and hidden among none. `d` is the ball's diameter
 * in standard deviations.
 *
 * Ensures: no triangle has a larger H than each of them.
 */
export function copyBounds(copies: DrawnCopies, d: number): readonly StepBound[] {
  const { weights, more } = copies;
  const [none, once] = weights;
  const told = TILTS.map((tilt): StepBound => {
    const tilted = weights.map((w, k) =>
      k === 0 ? 0 : w * Math.sqrt(expm1(Math.min(MOST_TILTED, 1e-9 + tilt * (k * d) ** 2))),
    );
    const all = tilted.reduce((sum, each) => sum + each, 0);
    const together = weights.map((w, k) => w + down(none * (tilted[k] / all), ROUNDINGS));
    return {
      weight: together[1],
      share: once / together[1],
      rest: (epsilon) => {
        const rise = expm1(epsilon);
        let sum = more;
        for (let k = 2; k < weights.length; k++) {
          const hidden = down(log1p((rise * together[k]) / weights[k]), ROUNDINGS);
          sum += weights[k] * deltaGdp(up(k * d, 8 * U), hidden);
        }
        return up(sum, LONG_SUM);
      },
    };
  });
  const hidden = {
    weight: none + once,
    share: once / (none + once),
    rest: (epsilon: number) => addedByCopies(copies, d, epsilon),
  };
  return [hidden, ...told];
}
