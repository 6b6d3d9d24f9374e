import type { Kernel } from '../../../kernel/kernel.js';
import type { ContourWeights } from '../../../kernel/kernel-table.js';
import { U } from '../../../numeric/constants.js';
import type { Functional, LineTable } from './line-table.js';

/** The order in which the kernel returns the sums. */
const ORDER: readonly Functional[] = ['delta', 'power', 'falsePositive'];

/**
 * The trapezoidal sum (Δ/2π)Σ_k M(z_k) r(z_k) e^{−(z_k − a)x}, divided by M(c)e^{−(c−a)x}. The nodes are z_k = c + ikΔ. r is the kernel 1/(z(z−1)) of
 * δ, 1/(z−1) of the power or 1/z of the FPR; a is 1, or 0 for the FPR.
 */
interface LineSum {
  readonly sum: number;
  /** Bound of the rounding error of `sum`; `quadrature` bounds the effect of quadrature errors of M, which is an integral over outputs. */
  readonly roundOff: number;
  readonly quadrature: number;
}

/** The weights M(z_k)r(z_k)/M(c) at equally spaced nodes, for δ, power and FPR, with error bounds. */
export interface PreparedLine extends ContourWeights {
  readonly dTau: number;
  /** Largest |x| for which the bounds hold. */
  readonly reach: number;
}

/**
 * The weights of a contour at the nodes of a table. Thresholds of tests are averaged over an interval of width `window`. Beyond |x| = `reach` the
 * arguments τx of the last nodes have lost too many digits.
 *
 * Ensures: sums of the weights have the errors stated, for |x| up to `reach`.
 */
export function preparedLine(kernel: Kernel, table: LineTable, window: number): PreparedLine {
  const { c, dTau, logModulus } = table;
  const reach = 0.1 / (6 * U * logModulus.length * dTau);
  const { table: weights, bounds } = kernel.contourWeights(table, dTau, c, window);
  return { table: weights, bounds, dTau, reach };
}

/** One of the three sums at x, with bounds of its errors: the rounding error grows linearly with |x|, and is ∞ beyond `reach`. */
export function sumOf(line: PreparedLine, functional: Functional, x: number, sums: Float64Array): LineSum {
  const f = ORDER.indexOf(functional);
  const { bounds, reach } = line;
  const far = Math.abs(x) > reach;
  const roundOff = far ? Infinity : bounds[3 * f] + Math.abs(x) * bounds[3 * f + 1];
  return { sum: sums[f], roundOff, quadrature: bounds[3 * f + 2] };
}

/** The trapezoidal sums for δ, power and FPR at each x, three numbers an x. */
export function sumsAt(kernel: Kernel, { dTau, table }: PreparedLine, xs: Float64Array): Float64Array {
  return kernel.contourSumsUniform(dTau, table, xs);
}
