import type { Atoms } from '../../../law/pair.js';
import { subsampledLoss } from '../../../law/subsampling.js';
import { U } from '../../../numeric/constants.js';
import { expm1, log, log1p } from '../../../numeric/scalar.js';
import { lineOf, logarithmOf, type Masses } from './masses.js';
import { NO_DECAY, type SpectralLaw } from './spectral-law.js';

/** Relative error of the masses of atoms. */
const MASS_ERROR = 4e-14;

/**
 * A Poisson sample (rate q) of a pair with finitely many losses y_i, as (base, mixture): losses log(1 − q + q e^{y_i})
 * with the base's masses, and one atom log(1 − q) for outputs only the base gives. Sums instead of integrals,
 * and no decay of |φ|.
 */
export function atomicSpectrum(atoms: Atoms, q: number): SpectralLaw {
  const masses = sampled(atoms, q);
  return {
    logMassP: q === 1 ? log1p(-atoms.minusInfinity) : 0,
    logMassQ: log1p(-q * atoms.infinity),
    cumulant: (c, count) => logarithmOf(masses, c, count, {}),
    line: (kernel, nodes, count) => lineOf(kernel, masses, nodes, count, {}),
    decay: () => NO_DECAY,
  };
}

/** The masses of the base's atoms. */
function sampled({ loss: inner, p, minusInfinity, relative = 0, lossError = 0 }: Atoms, q: number): Masses {
  const given = Array.from(inner, (y, i) => [subsampledLoss(y, q), p[i]] as const).filter(
    ([, mass]) => mass > 0,
  );
  const alone = q < 1 && minusInfinity > 0 ? [[log1p(-q), minusInfinity] as const] : [];
  const all = [...alone, ...given];
  const loss = Float64Array.from(all, ([y]) => y);
  return {
    unit: 1,
    loss,
    logMass: Float64Array.from(all, ([, mass]) => log(mass)),
    massError: loss.map(() => Math.max(MASS_ERROR, relative)),
    lossError: loss.map((y) => 8 * U * Math.abs(y) + (q < 1 ? 8 * U * -expm1(-q) : 0) + lossError),
  };
}
