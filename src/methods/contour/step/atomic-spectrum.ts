import type { Atoms } from '../../../law/pair.js';
import { subsampledLoss } from '../../../law/subsampling.js';
import { U } from '../../../numeric/constants.js';
import { exp, expm1, log, log1p } from '../../../numeric/scalar.js';
import { MAX_WORK, NO_DECAY, type SpectralLaw } from './spectral-law.js';
import { logPhiLine } from './weighted-losses.js';

/** Relative error of the masses of atoms. */
const MASS_ERROR = 4e-14;

/**
 * A Poisson sample (rate q) of a pair with finitely many losses y_i, as (base, mixture): losses log(1 − q + q e^{y_i})
 * with the base's masses, and one atom log(1 − q) for outputs only the base gives. Sums instead of integrals,
 * and no decay of |φ|.
 */
export function atomicSpectrum(atoms: Atoms, q: number): SpectralLaw {
  const { loss, logMass } = sampled(atoms, q);
  const n = loss.length;
  const stated = atoms.lossError ?? 0;
  const massError = Math.max(MASS_ERROR, atoms.relative ?? 0);
  const tilted = (c: number): { weight: Float64Array; top: number; total: number } => {
    let top = -Infinity;
    for (let i = 0; i < n; i++) top = Math.max(top, logMass[i] + c * loss[i]);
    const weight = new Float64Array(n);
    let total = 0;
    for (let i = 0; i < n; i++) {
      weight[i] = exp(logMass[i] + c * loss[i] - top);
      total += weight[i];
    }
    return { weight, top, total };
  };
  /** Relative error of a tilted weight. */
  const slack = (c: number, i: number): number =>
    massError + U * (8 + Math.abs(logMass[i]) + 8 * Math.abs(c * loss[i])) + Math.abs(c) * stated;
  return {
    logMassP: q === 1 ? log1p(-atoms.minusInfinity) : 0,
    logMassQ: log1p(-q * atoms.infinity),
    cumulant: (c, count) => {
      const { weight, top, total } = tilted(c);
      let first = 0;
      let second = 0;
      let wrong = 0;
      for (let i = 0; i < n; i++) {
        first += weight[i] * loss[i];
        second += weight[i] * loss[i] * loss[i];
        wrong += weight[i] * (slack(c, i) + U * Math.abs(top));
      }
      const mean = first / total;
      const value = top + log(total);
      return {
        value: count * value,
        error: count * (wrong / total + U * (n + 4 + 2 * Math.abs(value))),
        mean: count * mean,
        variance: count * Math.max(second / total - mean * mean, 1e-300),
      };
    },
    line: (kernel, nodes, count) => {
      if (n * nodes.n > MAX_WORK) return undefined;
      const { weight, top, total } = tilted(nodes.c);
      return logPhiLine(
        kernel,
        {
          loss,
          weight: weight.map((w) => w / total),
          weightError: loss.map((_, i) => slack(nodes.c, i) + U * Math.abs(top)),
          lossError: loss.map((y) => 8 * U * Math.abs(y) + (q < 1 ? 8 * U * -expm1(-q) : 0) + stated),
          missing: 0,
        },
        nodes,
        count,
      );
    },
    decay: () => NO_DECAY,
  };
}

/** The losses of the base's atoms and the logarithms of their masses. */
function sampled(atoms: Atoms, q: number): { loss: Float64Array; logMass: Float64Array } {
  const losses: number[] = [];
  const masses: number[] = [];
  if (q < 1 && atoms.minusInfinity > 0) {
    losses.push(log1p(-q));
    masses.push(atoms.minusInfinity);
  }
  for (let i = 0; i < atoms.loss.length; i++) {
    if (!(atoms.p[i] > 0)) continue;
    losses.push(subsampledLoss(atoms.loss[i], q));
    masses.push(atoms.p[i]);
  }
  return { loss: Float64Array.from(losses), logMass: Float64Array.from(masses, (p) => log(p)) };
}
