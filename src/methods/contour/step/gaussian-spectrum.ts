import { U } from '../../../numeric/constants.js';
import { down, ROUNDINGS } from '../../../numeric/rounding.js';
import { type Decay, eachStretch, type SpectralLaw } from './spectral-law.js';

/**
 * The law of a Gaussian mechanism that is μ-GDP: log M(z) = μ²z(z − 1)/2, the same in both directions. Ensures: values are within the stated
 * errors, roundings of μ² included.
 */
export function gaussianSpectrum(mu: number): SpectralLaw {
  const square = mu * mu;
  return {
    logMassP: 0,
    logMassQ: 0,
    /** log M(c) = μ²c(c − 1)/2, with mean μ²(c − ½) and variance μ² of the tilted loss, all times count. */
    cumulant: (c, count) => {
      const value = 0.5 * count * square * c * (c - 1);
      return {
        value,
        error: 8 * U * (Math.abs(value) + count * square * Math.abs(c)),
        mean: count * square * (c - 0.5),
        variance: count * square,
      };
    },
    /** log φ(τ) = −μ²τ²/2 + iμ²τ(c − ½), times count. Ensures: `error` bounds the roundings. */
    line: (_kernel, { c, dTau, n }, count) => {
      const logModulus = new Float64Array(n);
      const phase = new Float64Array(n);
      const error = new Float64Array(n);
      for (let k = 0; k < n; k++) {
        const tau = k * dTau;
        logModulus[k] = -0.5 * count * square * tau * tau;
        phase[k] = count * square * tau * (c - 0.5);
        error[k] = 10 * U * (Math.abs(logModulus[k]) + count * square * tau * (Math.abs(c) + 1));
      }
      return { logModulus, phase, error, quadrature: new Float64Array(n) };
    },
    decay: () => gaussianDecay(square),
  };
}

/**
 * |φ(τ)| = |M(c + iτ)|/M(c) ≤ e^{−τ²μ²/2}, from μ² = `square`. This holds if the loss has an independent summand that is the loss of μ-GDP Gaussian
 * noise. Ensures: no less than |φ|.
 */
export function gaussianDecay(square: number): Decay {
  const power = (from: number): number => down(square * from * from, ROUNDINGS);
  return {
    bounds: eachStretch((taus) => taus.map((tau) => -0.5 * power(tau))),
    // e^{−μ²τ²/2} ≤ e^{−s/2}(τ/from)^{−s}, s = (μ·from)², as (t² − 1)/2 ≥ log t for t = τ/from
    beyond: (from) => ({ log: -0.5 * power(from), power: power(from) }),
  };
}
