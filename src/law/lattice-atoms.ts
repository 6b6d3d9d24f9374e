import { U } from '../numeric/constants.js';
import { greatest, least } from '../numeric/extremes.js';
import { FUNCTION_ERROR } from '../numeric/rounding.js';
import { RELATIVE } from './atomic-pair.js';
import type { Discretisation } from './loss-law.js';
import type { Atoms } from './pair.js';

/** A loss within this relative distance of a multiple of the step counts as that multiple; the error includes it. Only speed and width depend on it. */
const ON_LATTICE = 1e-12;
/** Remainders of Euclid's algorithm below this fraction of the largest number count as 0. Only speed and width depend on it. */
const NO_REMAINDER = 1e-10;

/**
 * Integers at[i] = loss[i]/step, rounded, and `off`, an upper bound of |loss[i] − at[i]·step|; undefined if a loss is further than `ON_LATTICE` from a
 * multiple.
 */
export function placesOn(
  loss: Float64Array,
  step: number,
): { readonly at: Float64Array; readonly off: number } | undefined {
  const at = loss.map((y) => Math.round(y / step));
  let most = 0;
  for (let i = 0; i < loss.length; i++) {
    const off = Math.abs(loss[i] - at[i] * step);
    if (off > ON_LATTICE * (step + Math.abs(loss[i]))) return undefined;
    most = Math.max(most, off + FUNCTION_ERROR * Math.abs(loss[i]));
  }
  return { at, off: most };
}

/**
 * Atoms whose losses are multiples of `step`, as two lattice measures; undefined if they are not. Each Q-mass is raised or lowered by its error.
 *
 * Ensures: the two measures enclose the atoms with losses moved by `displacement` at most.
 */
export function latticeAtoms(atoms: Atoms, step: number): Discretisation | undefined {
  const { loss, q, beyond = 0, lossError = 0 } = atoms;
  const n = loss.length;
  const slack = (atoms.relative ?? RELATIVE) + 4 * U;
  const places = placesOn(loss, step);
  if (n === 0 || places === undefined) return undefined;
  const { at, off } = places;
  const first = at[0];
  const upper = new Float64Array(at[n - 1] - first + 1);
  const lower = new Float64Array(at[n - 1] - first + 1);
  for (let i = 0; i < n; i++) {
    upper[at[i] - first] += q[i] * (1 + slack);
    lower[at[i] - first] += q[i] * (1 - slack);
  }
  return {
    upper: { step, first, mass: upper, infinity: (atoms.infinity + beyond) * (1 + slack) },
    lower: { step, first, mass: lower, infinity: atoms.infinity * (1 - slack) },
    displacement: off + lossError,
    // no larger than (1 − slack)/(1 + slack), roundings included
    share: 1 - 2 * slack - 8 * U,
  };
}

/**
 * The largest spacing of which all given spacings are integer multiples, to `ON_LATTICE`, by Euclid's algorithm. Undefined if it would be below a
 * millionth of the smallest given. Callers bound the distance of losses from the multiples themselves (`placesOn`).
 */
export function commonLattice(lattices: readonly number[]): number | undefined {
  if (lattices.length === 0) return undefined;
  const largest = greatest(lattices);
  const finest = least(lattices);
  let unit = largest;
  for (const lattice of lattices) {
    let a = unit;
    let b = lattice;
    while (b > NO_REMAINDER * largest && b > 1e-6 * finest) {
      const rest = Math.abs(a - b * Math.round(a / b));
      a = b;
      b = rest;
    }
    unit = a;
  }
  if (unit < 1e-6 * finest) return undefined;
  unit = largest / Math.round(largest / unit);
  const whole = lattices.every(
    (x) => Math.abs(x / unit - Math.round(x / unit)) < ON_LATTICE * (1 + x / unit),
  );
  return whole ? unit : undefined;
}
