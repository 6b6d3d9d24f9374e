/**
 * Gaussian noise on samples with replacement, where a record may be drawn several times; one record is replaced. The hockey-stick divergence of a step
 * is at most that of a sample without replacement plus a term free of the gradients. Proof: docs/proofs/fixed-size.md, 12 to 14.
 */
import { SQRT_2PI, U } from '../numeric/constants.js';
import { down, LONG_SUM, ROUNDINGS, up } from '../numeric/rounding.js';
import { deltaGdp, exp, expm1, log, log1p, normalCdf } from '../numeric/scalar.js';

/**
 * An upper bound of the hockey-stick divergence H of a step at e^ε, ε ≥ 0. The corners of a triangle are the gradients of the record, of its replacement, and
 * of the record drawn in its place. For every triangle H is at most `weight` times that of a sample without replacement of the share `share`, plus `rest(ε)`.
 */
export interface StepBound {
  readonly weight: number;
  readonly share: number;
  readonly rest: (epsilon: number) => number;
}

/** The bound of a sample without replacement, which is its hockey-stick divergence itself. */
export function sampleBound(share: number): StepBound {
  return { weight: 1, share, rest: () => 0 };
}

/** Probabilities w_k that a record is drawn k times, k = 0, 1, …; w_0 is rounded down, all others up. `more` is the probability of more draws than listed. */
export interface DrawnCopies {
  readonly weights: readonly number[];
  readonly more: number;
}

/** The integral over z ≥ t of the largest φ(z − a) with 0 ≤ a ≤ d, φ the density of N(0, 1). Closed form, with a few roundings. */
function largestTail(t: number, d: number): number {
  if (t >= d) return normalCdf(d - t);
  return t >= 0 ? 0.5 + (d - t) / SQRT_2PI : d / SQRT_2PI + 1 - normalCdf(t);
}

/** Lower end of the bisection of `addedByCopies` for an output: Φ(−40) is below the smallest double. */
const LEAST = -40;
/** Steps of the bisection of `addedByCopies`. Any of its upper ends gives a valid bound. */
const HALVINGS = 100;

/**
 * What two or more copies add to the hockey-stick divergence at γ = e^ε, if their number stays hidden (docs/proofs/fixed-size.md, 13). It is the mean
 * of (X + Y)⁺ − X⁺ over z ~ N(0, 1). Here Y = Σ w_ke^{kdz − (kd)²/2} over k ≥ 2, and X = w₁A − (γ−1)w₀; w_k is the probability of k copies. A is
 * the largest e^{az − a²/2} with 0 ≤ a ≤ d, and d is the diameter of the ball of gradients.
 *
 * Ensures: no less than that mean plus `more`.
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

/** Values tried for the parameter t of `copyBounds`. Only width and speed depend on them. */
const TILTS = [0, 0.25, 0.5, 1, 1.5, 2];
/** Limit of the exponent t(kd)² of `copyBounds`, which keeps its exponential finite. */
const MOST_TILTED = 600;

/**
 * The bounds of docs/proofs/fixed-size.md, 13. In the first the number k of copies stays hidden. In the others k is published, and batches without the
 * record pass for batches of k copies with the probability z_k. The z_k are w_0 divided in proportion to w_k(e^{t(kd)²} − 1)^½. `d` is the diameter of
 * the ball of gradients in standard deviations.
 *
 * Ensures: each of them is no less than the hockey-stick divergence of any step.
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
