import type { Kernel } from '../../../kernel/kernel.js';
import { INVERSE_PI, U } from '../../../numeric/constants.js';
import { atan2, cosPi, log, logModulus1p, sinPi } from '../../../numeric/scalar.js';
import type { Decay, LineNodes, LogPhiLine } from './spectral-law.js';

/** The tilted law of one step as weights on losses, and what is uncertain about them. */
export interface WeightedLosses {
  readonly loss: Float64Array;
  /** Probabilities; they sum to 1 up to rounding. */
  readonly weight: Float64Array;
  /** Relative error of each weight. */
  readonly weightError: Float64Array;
  /** Absolute error of each loss. */
  readonly lossError: Float64Array;
  /** Bound on |Σ w e^{iτy} − φ(τ)| from what the nodes leave out: quadrature and cut tails. */
  readonly missing: number;
}

/** count·log φ at τ = (first + k)·dTau, k = 0 … n − 1, from the weighted losses. */
export function logPhiLine(
  kernel: Kernel,
  { loss, weight, weightError, lossError, missing }: WeightedLosses,
  { dTau, n, first = 0 }: Omit<LineNodes, 'c'>,
  count: number,
): LogPhiLine {
  const m = loss.length;
  let size = 0;
  let sizeError = 0;
  let massError = 0;
  let shift = 0;
  for (let j = 0; j < m; j++) {
    size += weight[j] * Math.abs(loss[j]);
    sizeError += weight[j] * weightError[j] * Math.abs(loss[j]);
    massError += weight[j] * weightError[j];
    shift += weight[j] * lossError[j];
  }
  const { re, im } = kernel.characteristicLine(loss, weight, dTau, n, first);
  const wrong = new Float64Array(n);
  for (let k = 0; k < n; k++) {
    const tau = (first + k) * dTau;
    const reach = Math.min(2, tau * size);
    // weights, losses, the kernel's own bound, and the division by the sum of the weights
    wrong[k] =
      Math.min(2 * massError, tau * sizeError) +
      tau * shift +
      U * (48 * tau * size + (36 + m / 32) * reach) +
      (massError + m * U) * reach;
  }
  return logarithms(re, im, wrong, missing, count);
}

/**
 * count·log φ from φ − 1 = re + i·im, |errors| ≤ `wrong` (rounding) and `missing` (the rest).
 *
 * @param missing One for all values of a φ with |φ| ≤ 1; one each for others.
 */
export function logarithms(
  re: Float64Array,
  im: Float64Array,
  wrong: Float64Array,
  missing: number | Float64Array,
  count: number,
): LogPhiLine {
  const n = re.length;
  const most = typeof missing === 'number' ? 0 : Infinity;
  const logModulus = new Float64Array(n);
  const phase = new Float64Array(n);
  const error = new Float64Array(n);
  const quadrature = new Float64Array(n);
  for (let k = 0; k < n; k++) {
    const modulus = Math.sqrt((1 + re[k]) ** 2 + im[k] ** 2);
    const z = Math.sqrt(re[k] ** 2 + im[k] ** 2);
    const evaluation = (32 * U * z) / (modulus * modulus);
    const lacking = typeof missing === 'number' ? missing : missing[k];
    const doubt = (1.34 * (wrong[k] + lacking)) / modulus;
    if (!(doubt < 0.33 && count * (doubt + evaluation) < 0.4)) {
      logModulus[k] = count * Math.min(most, log(modulus + wrong[k] + lacking + 8 * U) + 4 * U);
      error[k] = Infinity;
      continue;
    }
    logModulus[k] = count * logModulus1p(re[k], im[k]);
    phase[k] = count * atan2(im[k], 1 + re[k]);
    error[k] = count * ((1.34 * wrong[k]) / modulus + evaluation) + 2 * U * Math.abs(phase[k]);
    quadrature[k] = (1.34 * count * lacking) / modulus;
  }
  return { logModulus, phase, error, quadrature };
}

/** Sub-probability masses of the tilted law on loss intervals [low, high], ascending, each a lower bound. */
interface LossCells {
  readonly low: Float64Array;
  readonly high: Float64Array;
  readonly mass: Float64Array;
}

/** Parts {x ≥ x_i} of a law: their tilted mass from below, and the variation of their tilted density of the loss from above. */
export interface Splits {
  readonly mass: readonly number[];
  readonly variation: readonly number[];
}

/** Largest angle τ(y − y′) that the bound of `within` uses, radians; the later ones for large τ. */
const ANGLES = [1.2, 2.4, 3.6] as const;
/** (1 − cos X)/X² at these angles, rounded down: 1 − cos x ≥ that·x² for |x| ≤ X, as (1 − cos x)/x² falls. */
const CURVATURES = [0.4427, 0.3016, 0.1463] as const;

/**
 * Bounds of |φ| from cells and from the total variation V of the tilted density of the loss.
 *
 * 1 − |φ(τ)|² = E[1 − cos τ(y − y′)] over two independent draws, and every pair counts ≥ 0: pairs within
 * windows of width X/τ give ≥ (1 − cos X)/X²·τ²·Σ_windows ∫∫(y − y′)², and ∫∫(y − y′)² = 2V_A with
 * √V_A ≥ √V_A(midpoints) − √(P_A·E_A[r²]), r the half widths of the cells (a seminorm).
 * |φ(τ)| ≤ V/|τ| by one integration by parts, plus the tilted mass of atoms. The same for a part B of the law alone: |φ| ≤ |φ_A| + |φ_B| ≤ 1 − P_B + V_B/|τ|, which is
 * worth much where most losses lie close together and some far away.
 */
export function decayOf(
  { low, high, mass }: LossCells,
  variation: number,
  atoms = 0,
  splits: Splits = { mass: [], variation: [] },
): Decay {
  const byVariation = (tau: number): number => {
    let most = atoms + variation / tau;
    for (let i = 0; i < splits.mass.length; i++)
      most = Math.min(most, 1 - splits.mass[i] + splits.variation[i] / tau);
    return Math.min(0, log(most)) + 1e-12;
  };
  const { narrowest, spread } = windowsOver({ low, high, mass });
  return {
    within: (from, to) => {
      const far = byVariation(from);
      let best = 0;
      for (const [which, angle] of ANGLES.entries()) {
        const width = angle / to;
        // V_A ≤ P_A²·width²/4: what the windows give at most
        const most = (CURVATURES[which] * from * from * width * width) / 2;
        if (width < narrowest || 0.5 * most < -far || best >= most) continue;
        best = Math.max(best, CURVATURES[which] * from * from * 2 * spread(width));
      }
      // log|φ| = ½ log(1 − x) ≤ −x/2
      return Math.min(-0.5 * best * (1 - 1e-9), far);
    },
    samples: (step, n) => samples({ low, high, mass }, step, n),
    beyond: (from) =>
      atoms + variation / from < 1
        ? { log: Math.min(0, log(atoms + variation / from)) + 1e-12, power: atoms > 0 ? 0 : 1 }
        : { log: 0, power: 0 },
  };
}

/** Sums over the cells before each: of mass, of its first two moments about the mean, and of m r². */
function sumsBefore({ low, high, mass }: LossCells): Float64Array {
  const n = mass.length;
  const sums = new Float64Array(4 * (n + 1));
  let total = 0;
  let first = 0;
  for (let i = 0; i < n; i++) {
    total += mass[i];
    first += (mass[i] * (low[i] + high[i])) / 2;
  }
  const mean = total > 0 ? first / total : 0;
  for (let i = 0, at = 0; i < n; i++, at += 4) {
    const y = (low[i] + high[i]) / 2 - mean;
    const r = (high[i] - low[i]) / 2;
    sums[at + 4] = sums[at] + mass[i];
    sums[at + 5] = sums[at + 1] + mass[i] * y;
    sums[at + 6] = sums[at + 2] + mass[i] * y * y;
    sums[at + 7] = sums[at + 3] + mass[i] * r * r;
  }
  return sums;
}

/** The narrowest cell, and Σ_windows of V_A from below by the windows' width. */
function windowsOver({ low, high, mass }: LossCells): {
  narrowest: number;
  spread: (width: number) => number;
} {
  const n = mass.length;
  const sums = sumsBefore({ low, high, mass });
  const narrowest = low.reduce((least, from, i) => Math.min(least, high[i] - from), Infinity);
  // what rounding does to p·Σmy² − (Σmy)² of a window is at most this times √p, as |Σmy| ≤ √(p·Σmy²); and to Σmr²
  const blur = 8 * n * U * sums[4 * n + 2];
  const blurWithin = 2 * n * U * sums[4 * n + 3];
  const spread = (width: number): number => {
    let sum = 0;
    let stride = 1;
    for (let i = 0; i < n; ) {
      // the first cell that ends beyond the window: doubling, then halving
      const limit = low[i] + width;
      let inside = i;
      let outside = i + stride;
      while (outside < n && high[outside - 1] <= limit) {
        inside = outside;
        stride *= 2;
        outside = i + stride;
      }
      outside = Math.min(outside, n + 1);
      while (outside - inside > 1) {
        const middle = (inside + outside) >> 1;
        if (high[middle - 1] <= limit) inside = middle;
        else outside = middle;
      }
      const from = 4 * i;
      const to = 4 * inside;
      stride = Math.max(1, (inside - i) >> 1);
      i = Math.max(inside, i + 1);
      const p = sums[to] - sums[from];
      const shift = sums[to + 1] - sums[from + 1];
      const second = p * (sums[to + 2] - sums[from + 2]) - shift * shift - blur * Math.sqrt(p);
      if (!(second > 0)) continue;
      const root = Math.sqrt(second) - Math.sqrt(p * (sums[to + 3] - sums[from + 3] + blurWithin));
      if (root > 0) sum += root * root;
    }
    return sum;
  };
  return { narrowest, spread };
}

/** Cells of less mass count as missing. */
const NEGLIGIBLE_CELL = 1e-9;

/** |φ(τ)| ≤ |Σ m e^{iτy}| + τ Σ m r + (1 − Σ m), y the middles and r the half widths of the cells. */
function samples({ low, high, mass }: LossCells, step: number, n: number): Float64Array {
  const re = new Float64Array(n);
  const im = new Float64Array(n);
  let [total, blur] = [0, 0];
  for (let j = 0; j < mass.length; j++) {
    if (mass[j] < NEGLIGIBLE_CELL) continue;
    total += mass[j];
    blur += (mass[j] * (high[j] - low[j])) / 2;
    const turn = ((step * (low[j] + high[j])) / 2) * INVERSE_PI;
    const c = cosPi(turn);
    const s = sinPi(turn);
    let x = mass[j];
    let y = 0;
    for (let k = 0; k < n; k++) {
      re[k] += x;
      im[k] += y;
      const next = x * c - y * s;
      y = x * s + y * c;
      x = next;
    }
  }
  const missing = Math.max(0, 1 - total) + 1e-12;
  // n rotations lose at most n·4u of the mass
  return re.map((x, k) => Math.min(1, Math.sqrt(x * x + im[k] * im[k]) + k * step * blur + missing));
}
