/** Privacy profiles at listed losses, linear in e^ε between them: those of pairs with finitely many losses. */
import { expm1 } from '../numeric/scalar.js';

/** Losses at which profiles are listed: integer multiples of h, ascending, the first 0. A pair has them on either side of 0. */
export interface LossPlaces {
  readonly h: number;
  readonly at: Int32Array;
}

/** A profile whose corners are at listed losses: that of a pair. */
export interface Corners {
  readonly at: Int32Array;
  readonly delta: Float64Array;
  /** Mass at each corner under the law with the larger one, of a loss equal to the corner; 0 at the first. */
  readonly mass: Float64Array;
}

/** Masses are raised by this: each has an error of a few units in the last place of two slopes, whose sum is H. */
const SLACK = 1e-12;

/**
 * The lower convex hull, in e^ε, of a decreasing profile.
 *
 * Ensures: the profile of the corners is the hull, its masses raised by `SLACK`.
 */
export function cornersOf(values: Float64Array, { h, at }: LossPlaces): Corners {
  const kept: number[] = [];
  const massBetween = (i: number, j: number, k: number): number =>
    (values[i] - values[j]) / -expm1((at[i] - at[j]) * h) -
    (values[j] - values[k]) / expm1((at[k] - at[j]) * h);
  for (let k = 0; k < at.length; k++) {
    while (kept.length > 1 && massBetween(kept[kept.length - 2], kept[kept.length - 1], k) <= 0) kept.pop();
    kept.push(k);
  }
  const mass = Float64Array.from(kept, (k, n) => {
    if (n === 0) return 0;
    const before = kept[n - 1];
    if (n < kept.length - 1) return massBetween(before, k, kept[n + 1]);
    return (values[before] - values[k]) / -expm1((at[before] - at[k]) * h);
  });
  return {
    at: Int32Array.from(kept, (k) => at[k]),
    delta: Float64Array.from(kept, (k) => values[k]),
    mass: mass.map((each) => Math.max(0, each) * (1 + SLACK)),
  };
}

/** The lower convex hull, in e^ε, of a profile, at all listed losses. Ensures: within a few roundings of the hull. */
export function hulled(values: Float64Array, places: LossPlaces): Float64Array {
  const { at, delta } = cornersOf(values, places);
  const out = new Float64Array(values.length);
  let n = 1;
  for (let k = 0; k < out.length; k++) {
    while (n < at.length - 1 && at[n] < places.at[k]) n++;
    const fall = expm1((places.at[k] - at[n]) * places.h) / expm1((at[n - 1] - at[n]) * places.h);
    out[k] = delta[n] + (delta[n - 1] - delta[n]) * Math.max(0, fall);
  }
  return out;
}
