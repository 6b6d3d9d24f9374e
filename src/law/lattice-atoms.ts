import { U } from '../numeric/constants.js';
import { RELATIVE } from './atomic-pair.js';
import type { Discretisation } from './loss-law.js';
import type { Atoms } from './pair.js';

/** Atoms on a lattice of losses, as they are; undefined if they do not lie on it. */
export function latticeAtoms(atoms: Atoms, step: number): Discretisation | undefined {
  const { loss, q, beyond = 0, lossError = 0 } = atoms;
  const n = loss.length;
  const slack = (atoms.relative ?? RELATIVE) + 4 * U;
  if (n === 0) return undefined;
  const first = Math.round(loss[0] / step);
  const last = Math.round(loss[n - 1] / step);
  const upper = new Float64Array(last - first + 1);
  const lower = new Float64Array(last - first + 1);
  let displacement = 0;
  for (let i = 0; i < n; i++) {
    const at = Math.round(loss[i] / step);
    const off = Math.abs(loss[i] - at * step);
    if (off > 1e-12 * (step + Math.abs(loss[i]))) return undefined;
    displacement = Math.max(displacement, off + 4e-16 * Math.abs(loss[i]) + lossError);
    upper[at - first] += q[i] * (1 + slack);
    lower[at - first] += q[i] * (1 - slack);
  }
  return {
    upper: { step, first, mass: upper, infinity: (atoms.infinity + beyond) * (1 + slack) },
    lower: { step, first, mass: lower, infinity: atoms.infinity * (1 - slack) },
    displacement,
    // (1 + slack)(1 + 2u) times this is below 1 − slack
    share: 1 - 2 * slack - 8 * U,
  };
}
