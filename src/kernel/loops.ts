import { outputOf } from './arguments.js';
import { calling, changed, even, giving, type Loop, type OfNumbers, results } from './call.js';
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
 * The methods that are one call of the function of their name in `assembly/`: sums over losses of a step and nodes of a contour. Results share memory: copy one before
 * its buffer is transferred to a worker.
 */
export interface LoopKernel extends GdpKernel, TransformKernel, LatticeKernel, LawKernel, MassKernel {
  /**
   * count·log φ from φ − 1. φ − 1 comes as four rows of n numbers: real parts, imaginary parts, bounds of rounding errors and of all others. The four
   * rows of the result are log|φ|^count, its phase, and such bounds of both. The rounding error is ∞ where only |φ|^count ≤ e^{the first} is known.
   *
   * @param most A bound of log|φ| that is known anyway; ∞ for none.
   */
  logarithms(phi: Float64Array, count: number, most: number): Float64Array;
  /**
   * The weights of nodes c + iτ_k, τ_k = k·dTau, in the trapezoidal sums (1/π)∫ of e^{logModulus + i·phase} r(z) e^{…x}. r(z) is 1/(z(z − 1)), 1/(z − 1) and 1/z. The
   * last two are means over thresholds in a window of the given width (0 for none); they gain sinh(w)/w, w = (z − a)·window/2.
   *
   * @param line Rows of n numbers each: logModulus, phase, and the rounding and quadrature errors of either, in logarithms. The former is ∞ where |φ| is only bounded.
   * @returns The weights for `contourSumsUniform`, rows filled up with zeros to a multiple of 4. For each functional there are three bounds of a sum at x,
   *   |x| ≤ 0.1/(6u n dTau), u = 2⁻⁵³. Its rounding error, with what `error` says, is within first + |x|·second; its quadrature error is within the third.
   */
  contourWeights(line: ContourNodes, dTau: number, c: number, window: number): ContourWeights;
  /**
   * Σ_k re_k cos τ_k x + im_k sin τ_k x for three functionals at τ_k = k·dTau, by rotation: three numbers for each x.
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
      const { logModulus, phase, error, quadrature } = line;
      const n = nodesOf(line);
      const room = n + (-n & 3);
      const [rows, bounds] = [floats(UNIFORM_ROWS * room), floats(3 * FUNCTIONALS)];
      const filled = [results(rows), room, results(bounds)];
      const operands = [logModulus, phase, error, quadrature, n, dTau, c, window, ...filled];
      return calling({ table: new KernelTable(rows), bounds }, operands);
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
