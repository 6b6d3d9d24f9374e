import { outputOf } from './arguments.js';
import { calling, changed, even, giving, type Loop, type OfNumbers, Rows, results } from './call.js';
import { floats } from './floats.js';
import {
  type ContourNodes,
  type ContourWeights,
  FUNCTIONALS,
  KernelTable,
  LOG_PHI_ROWS,
  nodesOf,
  tableLength,
  UNIFORM_ROWS,
} from './kernel-table.js';
import { LAWS, type LawKernel } from './laws.js';
import { MASSES, type MassKernel } from './masses.js';
import { type GdpKernel, PROFILES } from './profiles.js';
import { type LatticeKernel, TRANSFORMS, type TransformKernel } from './transforms.js';

/**
 * The methods that are one call of the kernel's function of the same name. The arrays they return may share memory: copy one before its buffer is
 * transferred to a worker.
 */
export interface LoopKernel extends GdpKernel, TransformKernel, LatticeKernel, LawKernel, MassKernel {
  /**
   * count·log φ from φ − 1, for numbers φ near or inside the unit circle. `phi` has four rows of n numbers: real and imaginary parts of φ − 1,
   * bounds of rounding errors, and bounds of other errors. The rows of the result are count·log|φ|, count·arg φ, and both bounds for count·log φ.
   * The rounding error is ∞ where only |φ|^count ≤ e^{first row} is known.
   *
   * @param most A known upper bound of log|φ|; ∞ for none.
   */
  logarithms(phi: Float64Array, count: number, most: number): Float64Array;
  /**
   * The weights of the nodes c + iτ_k, τ_k = k·dTau, in the trapezoidal sums of (1/π)∫ Re[φ(τ) r(z) e^{−iτx}] dτ. φ = e^{logModulus + i·phase}, and
   * r(z) is 1/(z(z − 1)) for δ, 1/(z − 1) for the power and 1/z for the FPR. The last two may be means over thresholds in an interval of width
   * `window` (0 for none). They then gain sinh(w)/w, w = (z − a)·window/2, a the pole 1 or 0.
   *
   * @param line Rows of n numbers each: logModulus, phase, and the rounding and quadrature error of both. The rounding error is ∞ where |φ| is only
   * bounded.
   * @returns The weights for `contourSumsUniform`, rows filled up with zeros to a multiple of 4. For each functional there are three bounds of a
   * sum at x, |x| ≤ 0.1/(6u n dTau), u = 2⁻⁵³. Its rounding error, with that of `line`, is within first + |x|·second; its quadrature error is
   * within the third.
   */
  contourWeights(line: ContourNodes, dTau: number, c: number, window: number): ContourWeights;
  /**
   * Σ_k (re_k cos τ_k x + im_k sin τ_k x) for three functionals at τ_k = k·dTau: three numbers for each x. Sines and cosines by rotation.
   *
   * @param weights Six rows of n numbers, n a multiple of 4: re and im of each functional.
   * @returns Each within u Σ_k |w_k|(56 + n/32 + 4|τ_k x|) of the sum of the numbers given, |w| = √(re² + im²), u = 2⁻⁵³.
   */
  contourSumsUniform(dTau: number, weights: KernelTable, xs: Float64Array, out?: Float64Array): Float64Array;
}

export type LoopName = keyof LoopKernel;

const sumsOutput = (length: number, out?: Float64Array): Float64Array =>
  out === undefined ? floats(length) : outputOf(length, out);

export const LOOPS: {
  readonly [K in LoopName]: Loop<LoopKernel[K]> | OfNumbers<(...given: never) => number>;
} = {
  ...PROFILES,
  ...TRANSFORMS,
  ...LAWS,
  ...MASSES,
  logarithms: {
    price: 40,
    terms: ({ length }) => length / LOG_PHI_ROWS,
    call(phi, count, most) {
      const n = phi.length / LOG_PHI_ROWS;
      const rows = floats(phi.length);
      const operands = [changed(phi, rows, LOG_PHI_ROWS), even(n), n, count, most];
      return calling(rows, operands);
    },
  },
  contourWeights: {
    price: 60,
    terms: ({ phase }) => phase.length,
    call(line, dTau, c, window) {
      const n = nodesOf(line);
      const given = floats(LOG_PHI_ROWS * n);
      [line.logModulus, line.phase, line.error, line.quadrature].forEach((row, i) => {
        given.set(row, i * n);
      });
      const [rows, bounds] = [floats(UNIFORM_ROWS * (n + (-n & 3))), floats(3 * FUNCTIONALS)];
      const operands = [new Rows(LOG_PHI_ROWS, even(n), given), even(n), n, dTau, c, window];
      return calling({ table: new KernelTable(rows), bounds }, [...operands, results(rows), results(bounds)]);
    },
  },
  contourSumsUniform: {
    price: 3.6,
    terms: (_, { values }, xs) => (values.length / UNIFORM_ROWS) * xs.length,
    call(dTau, weights, xs, out) {
      const n = tableLength('weights', weights, UNIFORM_ROWS, 4);
      return giving(sumsOutput(FUNCTIONALS * xs.length, out), dTau, weights, n, xs, xs.length);
    },
  },
};
