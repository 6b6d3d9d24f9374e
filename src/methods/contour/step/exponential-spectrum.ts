import type { Shape } from '../../../law/pair.js';
import { INVERSE_PI, U } from '../../../numeric/constants.js';
import { cosPi, exp, expm1, log, sinPi } from '../../../numeric/scalar.js';
import { exponentialDecay } from './exponential-decay.js';
import type { LineNodes, SpectralLaw } from './spectral-law.js';
import { logarithms, type PathSums } from './weighted-losses.js';

type Pair = Pick<Shape, 'range' | 'weight' | 'atom'>;

/**
 * Laplace noise and bounded-range mechanisms: P-density w e^{−y/2} of the loss on (−ε₀, ε₀) and P-masses a at −ε₀ and
 * a e^{−ε₀} at ε₀. With b = z − ½,
 *   M(z) = 2w sinh(bε₀)/b + 2a e^{−ε₀/2} cosh(bε₀).
 * The losses are bounded and may have atoms: |φ| falls to what those weigh.
 */
export function exponentialSpectrum({ range, weight, atom }: Pair): SpectralLaw {
  const spread = 2 * weight;
  const ends = 2 * atom * exp(-range / 2);
  /** M(c) e^{−|b|ε₀}. */
  const scaled = (b: number): number => {
    const x = Math.abs(b) * range;
    const sinh = b === 0 ? range : -expm1(-2 * x) / (2 * Math.abs(b));
    return spread * sinh + (ends * (1 + exp(-2 * x))) / 2;
  };
  return {
    logMassP: 0,
    logMassQ: 0,
    cumulant: (c, count) => {
      const b = c - 0.5;
      const value = Math.abs(b) * range + log(scaled(b));
      // numerical differences: approximate
      const h = 1e-3 / (range + 1e-3);
      const up = Math.abs(b + h) * range + log(scaled(b + h));
      const down = Math.abs(b - h) * range + log(scaled(b - h));
      return {
        value: count * value,
        error: count * U * (24 + 8 * Math.abs(b) * range),
        mean: (count * (up - down)) / (2 * h),
        variance: Math.max((count * (up - 2 * value + down)) / (h * h), 1e-12 * count * range * range),
      };
    },
    line: (kernel, nodes, count) =>
      logarithms(kernel, phiOn({ range, spread, ends }, 1 / scaled(nodes.c - 0.5), nodes), count),
    decay: (c) => {
      const b = c - 0.5;
      return exponentialDecay({ range, weight, atom }, 1, c, Math.abs(b) * range + log(scaled(b)));
    },
  };
}

/**
 * φ − 1 on a line by the closed form of M, and its rounding error; nothing is truncation.
 * @param unit 1 over M(c) e^{−|b|ε₀}.
 */
function phiOn(
  { range, spread, ends }: { range: number; spread: number; ends: number },
  unit: number,
  { c, dTau, n }: LineNodes,
): PathSums {
  const [re, im, rounding] = [new Float64Array(n), new Float64Array(n), new Float64Array(n)];
  const b = c - 0.5;
  const x = Math.abs(b) * range;
  const sinh = (-expm1(-2 * x) / 2) * (b < 0 ? -1 : 1);
  const cosh = (1 + exp(-2 * x)) / 2;
  for (let k = 1; k < n; k++) {
    const tau = k * dTau;
    const turn = tau * range * INVERSE_PI;
    const cos = cosPi(turn);
    const sin = sinPi(turn);
    // sinh(bε₀)/b with b + iτ
    const norm = b * b + tau * tau;
    const real = (sinh * cos * b + cosh * sin * tau) / norm;
    const imaginary = (cosh * sin * b - sinh * cos * tau) / norm;
    re[k] = (spread * real + ends * cosh * cos) * unit - 1;
    im[k] = (spread * imaginary + ends * sinh * sin) * unit;
    rounding[k] = U * (40 + 8 * x + 4 * tau * range);
  }
  return { re, im, rounding, truncation: 0 };
}
