import { even, type Loop, making } from './call.js';
import { floats } from './floats.js';
import { type KernelTable, MESH_ROWS, OUTPUT_ROWS } from './kernel-table.js';

/** A smooth window W(x) = Φ((x − from)/width) − Φ((x − to)/width) on outputs, of which an end may be infinite. */
export interface WindowEdges {
  readonly from: number;
  readonly to: number;
  readonly width: number;
}

/** Outputs x = h·first, h·(first + 1), …, n of them. */
export interface Outputs {
  readonly h: number;
  readonly first: number;
  readonly n: number;
}

/** One step of a Poisson-subsampled Gaussian: μ = sensitivity/σ, and the rate. */
export interface SampledStep {
  readonly mu: number;
  readonly q: number;
}

/**
 * The methods that make rows of outputs, which are even in length: the last number of a row may be one of no output. u = e^y = 1 − q + q e^s, s = μx − μ²/2, and W is a window.
 */
export interface WindowKernel {
  /**
   * On the real axis, from `windowRows` there, eight rows for `cumulantSums` and `tiltedLaw`: weights hφW, y, y − (u − 1), the error of log φW and 16u, e|y|, log φW√2π, the absolute error e of y, and w = q e^s/u.
   * 0 < q ≤ 1; s at most 690 for the third row.
   *
   * With u = 2⁻⁵³ and s as rounded, y, y − (u − 1) and w are within 12u of themselves; w loses 3uq/(q e^s) more where e^s is small. e is that of y, and w times what the place of x
   * is off by, u(3|μx| + 2μ²).
   */
  axisMesh(step: SampledStep, at: Outputs, heights: KernelTable): KernelTable;
  /** Three rows: log|u| and α = arg u at x + ia, 0 ≤ μa < π, and the absolute error of either. */
  turnedLosses(step: SampledStep, at: Outputs, a: number): KernelTable;
  /** Three rows: log|e^{−x²/2}W(x + ia)|, where W is less than its absolute error with that in its place; the phase of W; and a bound of what W is off by in either: roundings of x² and of the first come on top. */
  windowRows(at: Outputs, a: number, window: WindowEdges): KernelTable;
  /** One row: upper bounds of log|e^{−x²/2}W(x + ia)|. */
  windowBounds(at: Outputs, a: number, window: WindowEdges): KernelTable;
}

const rowsOf = (count: number, { n }: Outputs): Float64Array => floats(count * even(n));

export const WINDOWS: { readonly [K in keyof WindowKernel]: Loop<WindowKernel[K]> } = {
  axisMesh: {
    price: 27,
    terms: (_step, { n }) => n,
    call: ({ mu, q }, at, heights) => making(rowsOf(MESH_ROWS, at), heights, mu, q, at.h, at.first, at.n),
  },
  turnedLosses: {
    price: 40,
    terms: (_step, { n }) => n,
    call: ({ mu, q }, at, a) => making(rowsOf(OUTPUT_ROWS, at), mu, q, at.h, at.first, at.n, a),
  },
  windowRows: {
    price: 50,
    terms: ({ n }) => n,
    call: (at, a, { from, to, width }) =>
      making(rowsOf(OUTPUT_ROWS, at), at.h, at.first, at.n, a, from, to, width),
  },
  windowBounds: {
    price: 60,
    terms: ({ n }) => n,
    call: (at, a, { from, to, width }) => making(rowsOf(1, at), at.h, at.first, at.n, a, from, to, width),
  },
};
