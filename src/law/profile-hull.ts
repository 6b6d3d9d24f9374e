/** Profiles at places of losses, joined by chords in e^ε: those of pairs of finitely many losses. */
import { Lazy } from '../numeric/lru-cache.js';
import { LONG_SUM, ROUNDINGS } from '../numeric/rounding.js';
import { exp, expm1 } from '../numeric/scalar.js';
import { atomicPair } from './atomic-pair.js';
import { cellLaw } from './lattice/cell-law.js';
import type { LossLaw } from './loss-law.js';

/** Losses at which profiles are listed: integer multiples of h, ascending, the first 0. A pair has them on either side of 0. */
export interface LossPlaces {
  readonly h: number;
  readonly at: Int32Array;
}

/** A profile δ that is linear in e^ε between corners at listed losses, as that of a pair with finitely many losses. */
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

/** Profiles of a pair and of the exchanged one at places. */
export interface TwoProfiles {
  readonly forward: Float64Array;
  readonly backward: Float64Array;
  readonly places: LossPlaces;
}

/**
 * The masses of such a pair under the law of `forward`'s losses. `at` holds ascending grid indices without 0, `none` the mass at 0, and `infinity` the
 * mass at ∞.
 */
export interface HullMasses {
  readonly at: Int32Array;
  readonly mass: Float64Array;
  readonly none: number;
  readonly infinity: number;
  /** The corners of `forward`. */
  readonly above: Corners;
}

/** Ensures: the masses are no smaller than those of the pair whose profiles are the hulls. */
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
 * A pair of finitely many losses on a mesh as a law.
 *
 * Ensures: its profiles are no smaller than the hulls.
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
  // no loss is left out: a plan must not leave out rare large ones, which tilts favour
  const planned = new Lazy(() => ({ ...law.nodes(), logTail: new Float64Array(loss.length) }));
  return { ...law, nodes: () => planned.value };
}
