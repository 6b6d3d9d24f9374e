/** log φ and bounds of |φ| from losses with weights, as methods, in JavaScript (step-kernel.ts). */
import { checkLength } from '../../src/kernel/arguments.js';
import { CHARACTERISTIC_BLOCK } from '../../src/kernel/constants.js';
import { added, calling, giving, type Loop, type Table, tableLength } from './loops.js';

/** Rows of log φ: log|φ|, arg φ, and bounds of rounding and quadrature error. */
const LOG_PHI_ROWS = 4;

/** Rows of cells of losses. */
export const CELL_ROWS = 5;

export interface WeightedKernel {
  /**
   * count·log φ, φ − 1 = Σ w (e^{iτy} − 1)/Σ w, at τ = k·dTau, k = 0 … n − 1. Four rows of n numbers: log|φ|^count, its phase, and bounds of the rounding error and of the
   * truncation error (`truncation`) of both. The rounding error is ∞ where only |φ|^count ≤ e^{the first} is known.
   */
  logPhi(law: WeightedLaw, at: Frequencies, count: number): Float64Array;
  /**
   * Upper bounds of log|φ| on each of the stretches between ascending frequencies. They come from masses of a law on intervals of losses and from the variation of its density.
   *
   * @param cells Five rows, of which the first n numbers count. They are low ends and high ends of ascending intervals; masses from below; means of the loss on each,
   *   and the error of these.
   * @param enough Bounds this low are low enough: nothing is looked for that would be lower.
   */
  decayBounds(
    cells: Table,
    n: number,
    density: TiltedDensity,
    taus: Float64Array,
    enough: number,
  ): Float64Array;
}

/** What bounds |φ(τ)| by atoms + variation/τ, from above: the mass of atoms, and the variation of the density of all other losses. */
export interface TiltedDensity {
  readonly atoms: number;
  readonly variation: number;
}

/** A discrete law: m losses with weights, and sums that bound errors of its transform. */
export interface WeightedLaw {
  readonly loss: Float64Array;
  /** Weights w of the losses; only their ratios matter. */
  readonly weight: Float64Array;
  /** Σ w. The next numbers are Σ w|y|, Σ w|y|e, Σ we and Σ w·(error of y), e the relative error of a weight. */
  readonly mass: number;
  readonly size: number;
  readonly sizeError: number;
  readonly massError: number;
  readonly shift: number;
  /** Relative error of Σ w from its additions. */
  readonly adding: number;
  /** Bound of the error of φ from losses that are not listed, and from quadrature. */
  readonly truncation: number;
}

/** The frequencies τ = k·dTau, k = 0 … n − 1, of a contour. */
export interface Frequencies {
  readonly dTau: number;
  readonly n: number;
}

export const WEIGHTED: { readonly [K in keyof WeightedKernel]: Loop<WeightedKernel[K]> } = {
  logPhi: {
    call({ loss, weight, mass, size, sizeError, massError, shift, adding, truncation }, { dTau, n }, count) {
      checkLength('weight', weight, loss.length, ', like "loss"');
      const room = CHARACTERISTIC_BLOCK * Math.ceil(n / CHARACTERISTIC_BLOCK);
      const rows = new Float64Array(LOG_PHI_ROWS * n);
      const unit = 1 / mass;
      const sums = [size * unit, sizeError * unit, massError * unit, shift * unit, adding, truncation];
      const filled = added(rows, room, LOG_PHI_ROWS);
      const numbers = Float64Array.of(unit, ...sums);
      return calling(rows, [loss, weight, loss.length, numbers, dTau, n, room, count, filled]);
    },
  },
  decayBounds: {
    call(cells, n, { atoms, variation }, taus, enough) {
      const bounds = new Float64Array(taus.length - 1);
      const stride = tableLength('cells', cells, CELL_ROWS, 2);
      const work = new Float64Array(4 * n + 8);
      work.set([atoms, variation, enough]);
      return giving(bounds, cells, stride, n, taus, taus.length, work);
    },
  },
};
