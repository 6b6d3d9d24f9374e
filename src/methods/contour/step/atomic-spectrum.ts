import type { Kernel } from '../../../kernel/kernel.js';
import type { Atoms } from '../../../law/pair.js';
import { U } from '../../../numeric/constants.js';
import { expm1, log, log1p } from '../../../numeric/scalar.js';
import { sampledAtoms } from '../../closed/composed-atoms.js';
import { lineOf, logarithmOf, type Masses } from './masses.js';
import { NO_DECAY, type SpectralLaw } from './spectral-law.js';

/** Relative error of the masses of atoms. */
const MASS_ERROR = 4e-14;
/** Part of M(c) that a contour may lose by leaving out light atoms. Only speed depends on it. */
const LIGHT = 1e-20;
/** Sums of fewer terms are done here: a call of the kernel would cost more. */
const SHORT = 24;

/**
 * A Poisson sample (rate q) of a pair with finitely many losses y_i, as (base, mixture). Losses are log(1 − q + q e^{y_i})
 * with the base's masses, and one atom log(1 − q) for outputs only the base gives. Sums instead of integrals,
 * and no decay of |φ|.
 *
 * Ensures: log M and log φ are within their stated errors.
 */
export function atomicSpectrum(atoms: Atoms, q: number, by?: Kernel): SpectralLaw {
  const masses = massesOf(atoms, q);
  const summing = masses.loss.length < SHORT ? undefined : by;
  return {
    logMassP: q === 1 ? log1p(-atoms.minusInfinity) : 0,
    logMassQ: log1p(-q * atoms.infinity),
    cumulant: (c, count) => logarithmOf(masses, c, count, {}, summing),
    line: (kernel, nodes, count) => lineOf(kernel, masses, nodes, count, { share: LIGHT }),
    decay: () => NO_DECAY,
  };
}

/** Losses and log masses of the base's atoms, after sampling at rate q, with their errors. */
function massesOf(atoms: Atoms, q: number): Masses {
  const { loss: all, p } = sampledAtoms(atoms, q);
  const loss = Float64Array.from(all.filter((_, i) => p[i] > 0));
  const stated = (atoms.lossError ?? 0) + (q < 1 ? 8 * U * -expm1(-q) : 0);
  return {
    unit: 1,
    loss,
    logMass: Float64Array.from(
      p.filter((mass) => mass > 0),
      (mass) => log(mass),
    ),
    massError: loss.map(() => Math.max(MASS_ERROR, atoms.relative ?? 0)),
    lossError: loss.map((y) => 8 * U * Math.abs(y) + stated),
  };
}
