import { SQRT_2PI } from '../numeric/constants.js';
import { exp, expm1 } from '../numeric/scalar.js';
import { pureMu } from './exponential-pair.js';
import { ALL_FINITE, type Atoms } from './pair.js';

/**
 * k-ary randomised response: the true answer with probability e^ε/(e^ε + k − 1). Two of the answers tell the
 * neighbours apart, by ±ε; the other k − 2 not at all.
 */
export function randomizedResponseAtoms(epsilon: number, categories: number): Atoms {
  const rare = 1 / (exp(epsilon) + categories - 1);
  const likely = 1 / (1 + (categories - 1) * exp(-epsilon));
  const neutral = categories > 2 ? [(categories - 2) * rare] : [];
  const middle = neutral.length > 0 ? [0] : [];
  return {
    loss: Float64Array.of(-epsilon, ...middle, epsilon),
    p: Float64Array.of(likely, ...neutral, rare),
    q: Float64Array.of(rare, ...neutral, likely),
    ...ALL_FINITE,
    lattice: epsilon,
    exactLoss: true,
    relative: 2e-15,
    gdpMu: pureMu(epsilon),
    tailMu: 0,
  };
}

/** f_{ε,δ} (GDP §2.1, prop. 2.5): with probability δ everything is revealed, else binary randomised response. */
export function approximateDpAtoms(epsilon: number, delta: number): Atoms {
  const hidden = 1 - delta;
  const rare = hidden / (1 + exp(epsilon));
  const likely = hidden / (1 + exp(-epsilon));
  return {
    loss: Float64Array.of(-epsilon, epsilon),
    p: Float64Array.of(likely, rare),
    q: Float64Array.of(rare, likely),
    infinity: delta,
    minusInfinity: delta,
    exactInfinity: true,
    lattice: epsilon,
    exactLoss: true,
    relative: 2e-15,
    gdpMu: delta > 0 ? Infinity : pureMu(epsilon),
    tailMu: delta > 0 ? Infinity : 0,
  };
}

/** Tails of single releases followed to this depth: e^{−700}. */
const DEPTH = 700;

/** Discrete Gaussian noise (CKS 2020): the outputs k, with loss (2kΔ − Δ²)/2σ² between the means 0 and Δ. */
export function discreteGaussianAtoms(sigma: number, sensitivity: number): Atoms {
  const reach = Math.ceil(sigma * Math.sqrt(2 * DEPTH)) + sensitivity;
  const n = 2 * reach + 1;
  const loss = new Float64Array(n);
  const p = new Float64Array(n);
  const q = new Float64Array(n);
  const unit = sensitivity / (2 * sigma * sigma);
  const weight = (k: number): number => exp((-0.5 * k * k) / sigma / sigma);
  // Σ e^{−k²/2σ²} = σ√2π (1 + 2 e^{−2π²σ²} + …) by Poisson summation
  let total = sigma * SQRT_2PI;
  if (sigma < 4) {
    total = 0;
    for (let k = reach; k >= 1; k--) total += 2 * weight(k);
    total += 1;
  }
  for (let i = 0; i < n; i++) {
    // outputs −reach + ⌊Δ/2⌋ … reach + ⌊Δ/2⌋: as far from one mean as from the other
    const k = i - reach + Math.floor(sensitivity / 2);
    loss[i] = (2 * k - sensitivity) * unit;
    p[i] = weight(k) / total;
    q[i] = weight(k - sensitivity) / total;
  }
  return {
    loss,
    p,
    q,
    ...ALL_FINITE,
    // what lies beyond the outputs listed is less
    beyond: exp(20 - DEPTH),
    lattice: sensitivity % 2 === 0 ? 2 * unit : unit,
    // rounding of exponents up to (√1400 + Δ/2σ)²/2
    relative: 4e-16 * (Math.sqrt(2 * DEPTH) + sensitivity / sigma) ** 2,
    gdpMu: Infinity,
    tailMu: sensitivity / sigma,
  };
}

/** Discrete Laplace noise: the losses are (2k − Δ)/scale for k = 0 … Δ. */
export function discreteLaplaceAtoms(scale: number, sensitivity: number): Atoms {
  const n = sensitivity + 1;
  const loss = new Float64Array(n);
  const p = new Float64Array(n);
  const q = new Float64Array(n);
  // (1 − r)/(1 + r), r = e^{−1/scale}
  const r = exp(-1 / scale);
  const centre = -expm1(-1 / scale) / (1 + r);
  for (let k = 0; k < n; k++) {
    loss[k] = (2 * k - sensitivity) / scale;
    // all outputs ≤ 0 have the lowest loss, all ≥ Δ the highest
    p[k] =
      k === 0
        ? 1 / (1 + r)
        : k === sensitivity
          ? exp(-sensitivity / scale) / (1 + r)
          : centre * exp(-k / scale);
    q[k] =
      k === sensitivity
        ? 1 / (1 + r)
        : k === 0
          ? exp(-sensitivity / scale) / (1 + r)
          : centre * exp((k - sensitivity) / scale);
  }
  return {
    loss,
    p,
    q,
    ...ALL_FINITE,
    lattice: (sensitivity % 2 === 0 ? 2 : 1) / scale,
    relative: 2e-15 + 3e-16 * (sensitivity / scale),
    gdpMu: pureMu(sensitivity / scale),
    tailMu: 0,
  };
}
