import { U } from '../../../numeric/constants.js';
import type { SpectralLaw } from './spectral-law.js';

/** μ-GDP: log M(z) = μ² z(z − 1)/2, the same in both directions. */
export function gaussianSpectrum(mu: number): SpectralLaw {
  const square = mu * mu;
  return {
    logMassP: 0,
    logMassQ: 0,
    cumulant: (c, count) => {
      const value = 0.5 * count * square * c * (c - 1);
      return {
        value,
        error: 8 * U * (Math.abs(value) + count * square * Math.abs(c)),
        mean: count * square * (c - 0.5),
        variance: count * square,
      };
    },
    line: (_kernel, c, dTau, n, count, start = 0) => {
      const logModulus = new Float64Array(n);
      const phase = new Float64Array(n);
      const error = new Float64Array(n);
      for (let k = 0; k < n; k++) {
        const tau = (start + k) * dTau;
        logModulus[k] = -0.5 * count * square * tau * tau;
        phase[k] = count * square * tau * (c - 0.5);
        error[k] = 10 * U * (Math.abs(logModulus[k]) + count * square * tau * (Math.abs(c) + 1));
      }
      return { logModulus, phase, error, quadrature: new Float64Array(n) };
    },
    panels: (c) => ({
      points: ({ tilt, tau }, count) => {
        const half = 0.5 * count * square;
        const logModulus = tilt.map((t, k) => half * ((t - c) * (t + c - 1) - tau[k] * tau[k]));
        const phase = tilt.map((t, k) => half * tau[k] * (2 * t - 1));
        const error = tilt.map((t, k) => {
          const sizes = (Math.abs(t - c) + tau[k]) * (Math.abs(t) + Math.abs(c) + 1) + tau[k] * tau[k];
          return 16 * U * half * sizes;
        });
        return { logModulus, phase, error, quadrature: new Float64Array(tilt.length) };
      },
      within: (b, tau) => {
        // log M(z) − log M(c) in real parts, at Re z = c ± b
        const at = (d: number): number => {
          const terms = [0.5 * square * d * (2 * c - 1 + d), 0.5 * square * tau * tau];
          return terms[0] - terms[1] + 8 * U * (square * Math.abs(d) * (Math.abs(c) + 1 + b) + terms[1]);
        };
        return [at(b), at(-b)];
      },
      along: (tilt, height) => {
        const value = 0.5 * square * (tilt - c) * (tilt + c - 1);
        return value + 8 * U * square * (Math.abs(tilt) + Math.abs(c) + 1) ** 2 + 0 * height;
      },
      beyond: (from) => {
        const square2 = square * from * from * (1 - 1e-14);
        return { log: -0.5 * square2, power: square2 };
      },
      gap: () => ({ log: -Infinity, rate: 1 }),
    }),
    decay: () => ({
      within: (from) => -0.5 * square * from * from * (1 - 1e-14),
      // (x² − 1)/2 ≥ log x
      beyond: (from) => ({
        log: -0.5 * square * from * from * (1 - 1e-14),
        power: square * from * from * (1 - 1e-14),
      }),
    }),
  };
}
