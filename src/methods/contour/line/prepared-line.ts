import type { Kernel } from '../../../kernel/kernel.js';
import type { ContourWeights } from '../../../kernel/kernel-table.js';
import { U } from '../../../numeric/constants.js';
import type { Functional, LineTable } from './line-table.js';

/** The functionals in the order of their sums. */
const ORDER: readonly Functional[] = ['delta', 'power', 'falsePositive'];

/** The trapezoidal sum Δ/2π Σ_k M(z_k) r(z_k) e^{−(z_k − a)x}, divided by M(c) e^{−(c−a)x}. */
interface LineSum {
  readonly sum: number;
  /** Bound of the rounding error of `sum`; `quadrature` bounds that of integrals over outputs. */
  readonly roundOff: number;
  readonly quadrature: number;
}

/** The weights of a contour with equal spacing. */
export interface PreparedLine extends ContourWeights {
  readonly dTau: number;
  /** Largest |x| for which the bounds hold. */
  readonly reach: number;
}

/**
 * The weights of a table; `window` is the width of the interval over which thresholds of tests are averaged.
 *
 * Ensures: sums of the weights have the errors stated, for |x| up to `reach`.
 */
export function preparedLine(kernel: Kernel, table: LineTable, window: number): PreparedLine {
  const { c, dTau, logModulus } = table;
  const reach = 0.1 / (6 * U * logModulus.length * dTau);
  const { table: weights, bounds } = kernel.contourWeights(table, dTau, c, window);
  return { table: weights, bounds, dTau, reach };
}

/** The sum of one functional at x, of the three in `sums`, with bounds of its errors. */
export function sumOf(line: PreparedLine, functional: Functional, x: number, sums: Float64Array): LineSum {
  const f = ORDER.indexOf(functional);
  const { bounds, reach } = line;
  const far = Math.abs(x) > reach;
  const roundOff = far ? Infinity : bounds[3 * f] + Math.abs(x) * bounds[3 * f + 1];
  return { sum: sums[f], roundOff, quadrature: bounds[3 * f + 2] };
}

/** The three sums, for δ, power and false positives, at each x. */
export function sumsAt(kernel: Kernel, { dTau, table }: PreparedLine, xs: Float64Array): Float64Array {
  return kernel.contourSumsUniform(dTau, table, xs);
}
