import { checkLength } from './arguments.js';
import { even, type Loop, results } from './call.js';
import { floats } from './floats.js';

/** A smooth window W(x) = Φ((x − from)/width) − Φ((x − to)/width) on outputs, of which one end may be infinite. */
export interface WindowEdges {
  readonly from: number;
  readonly to: number;
  readonly width: number;
}

/** How far off μx and μy are: by u(slope·|μx| + slack), u = 2⁻⁵³. */
interface Placing {
  readonly slope: number;
  readonly slack: number;
}

/** The methods on windows, and on losses off the real axis. */
export interface WindowKernel {
  /**
   * log|u| and α = arg u, u = 1 − q + q e^s, s = μ(x + iy) − μ²/2, 0 ≤ μy < π, of a Poisson-subsampled Gaussian step, and the absolute error of either:
   * three rows of numbers, one for each x and y.
   */
  turnedLosses(mu: number, q: number, x: Float64Array, y: Float64Array, placing: Placing): Float64Array;
  /** For each x, three rows: log of |W(x + ia)| or of its absolute error, whichever is more; the phase of W; and its relative error. */
  windowRows(x: Float64Array, a: number, window: WindowEdges): Float64Array;
}

export const WINDOWS: { readonly [K in keyof WindowKernel]: Loop<WindowKernel[K]> } = {
  turnedLosses: {
    price: 80,
    terms: (_mu, _q, x) => x.length,
    call(mu, q, x, y, { slope, slack }) {
      checkLength('y', y, x.length, ', like "x"');
      const rows = floats(3 * x.length);
      return { with: [mu, q, x, y, even(x.length), slope, slack, results(rows, 3)], gives: () => rows };
    },
  },
  windowRows: {
    price: 200,
    terms: (x) => x.length,
    call(x, a, { from, to, width }) {
      const rows = floats(3 * x.length);
      return { with: [x, even(x.length), a, from, to, width, results(rows, 3)], gives: () => rows };
    },
  },
};
