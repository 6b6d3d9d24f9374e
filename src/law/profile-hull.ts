/** δ curves given at listed losses and linear in e^ε between them, as those of pairs with finitely many losses. */
import { LONG_SUM, ROUNDINGS } from '../numeric/rounding.js';
import { exp, expm1 } from '../numeric/scalar.js';
import { atomicPair } from './atomic-pair.js';
import { cellLaw } from './lattice/cell-law.js';
import type { LossLaw } from './loss-law.js';

/** The losses ε ≥ 0 at which δ is listed: h·at[k], ascending, the first 0. */
export interface LossPlaces {
  /** Spacing of the losses' lattice. */
  readonly h: number;
  readonly at: Int32Array;
}

/** A convex δ curve that is linear in e^ε between corners h·at[k]. */
export interface Corners {
  readonly at: Int32Array;
  readonly delta: Float64Array;
  /** Mass of the loss at each corner, under the second law of the pair; 0 at the first, whose mass is not known from δ at ε ≥ 0. */
  readonly mass: Float64Array;
}

/** Relative amount by which masses are raised. It covers their rounding errors: each is a difference of two slopes (docs/proofs/fixed-size.md, 7). */
const SLACK = 1e-12;

/**
 * The lower convex hull, in e^ε, of decreasing `values` of δ. The mass at a corner is e^ε times the change of slope there.
 *
 * Ensures: the corners are those of the hull, up to rounding, and masses are raised by `SLACK`.
 */
function cornersOf(values: Float64Array, { h, at }: LossPlaces): Corners {
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

/** The lower convex hull, in e^ε, of `values` of δ, at all listed losses. Ensures: within a few roundings of the hull. */
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

/** δ of a pair, `forward`, and of the exchanged pair, `backward`, at the listed losses. */
export interface TwoProfiles {
  readonly forward: Float64Array;
  readonly backward: Float64Array;
  readonly places: LossPlaces;
}

/**
 * Masses of a pair under its second law Q: `mass[k]` at the loss h·at[k], `at` ascending without 0; `none` at the loss 0; `infinity` at ∞.
 */
export interface HullMasses {
  readonly at: Int32Array;
  readonly mass: Float64Array;
  readonly none: number;
  readonly infinity: number;
  /** The corners of `forward`. */
  readonly above: Corners;
}

/**
 * Masses of the pair whose δ curves are the lower hulls of `forward` and `backward`. Negative losses have those of `backward`, times e^{loss}.
 * Ensures: no smaller than the exact masses.
 */
export function massesOf({ forward, backward, places }: TwoProfiles): HullMasses {
  const [above, below] = [forward, backward].map((values) => cornersOf(values, places));
  const up = [...above.at.keys()].filter((k) => above.mass[k] > 0);
  const down = [...below.at.keys()].filter((k) => below.mass[k] > 0).reverse();
  const mass = Float64Array.of(
    ...down.map((k) => below.mass[k] * exp(-below.at[k] * places.h)),
    ...up.map((k) => above.mass[k]),
  );
  const infinity = above.delta[above.delta.length - 1];
  const sum = mass.reduce((total, each) => total + each, infinity);
  return {
    at: Int32Array.of(...down.map((k) => -below.at[k]), ...up.map((k) => above.at[k])),
    mass,
    none: Math.max(0, 1 - sum) + ROUNDINGS,
    infinity,
    above,
  };
}

/**
 * The law of the pair whose δ curves are the lower hulls of the two profiles, for upper bounds. It has finitely many losses on a lattice (`massesOf`).
 *
 * Ensures: its δ curves are nowhere below the hulls.
 */
export function hullLaw(pair: TwoProfiles): LossLaw {
  const { h } = pair.places;
  const { at, mass, none } = massesOf(pair);
  const half = at.findIndex((k) => k > 0);
  const loss = Float64Array.from([...at.subarray(0, half), 0, ...at.subarray(half)], (k) => k * h);
  const q = Float64Array.of(...mass.subarray(0, half), none, ...mass.subarray(half));
  const atoms = {
    loss,
    p: q.map((each, i) => each * exp(-loss[i])),
    q,
    infinity: pair.forward[pair.forward.length - 1],
    minusInfinity: pair.backward[pair.backward.length - 1],
    lattice: h,
    relative: 4 * LONG_SUM,
    gdpMu: Infinity,
    tailMu: Infinity,
  };
  const law = cellLaw(atomicPair(atoms), 1, 'remove');
  // log tails of 0: the grid then includes rare large losses, which have most of the weight after exponential tilting
  return { ...law, nodes: () => ({ ...law.nodes(), logTail: new Float64Array(loss.length) }) };
}
