import { floats, joined, rowsOf } from '../../../kernel/floats.js';
import type { Kernel } from '../../../kernel/kernel.js';
import { LOG_PHI_ROWS } from '../../../kernel/kernel-table.js';
import type { LogPhiLine } from './spectral-law.js';

/** φ − 1 = re + i·im at some frequencies, with rounding errors ≤ `rounding`, and quadrature and truncation errors ≤ `truncation`. */
export interface PathSums {
  readonly re: Float64Array;
  readonly im: Float64Array;
  readonly rounding: Float64Array;
  readonly truncation: number;
}

/** count·log φ from φ − 1 = re + i·im, with rounding errors ≤ `rounding` and quadrature and truncation errors ≤ `truncation`. */
export function logarithms(
  kernel: Kernel,
  { re, im, rounding, truncation }: PathSums,
  count: number,
): LogPhiLine {
  const rows = joined([re, im, rounding, floats(re.length).fill(truncation)]);
  return logPhiRows(kernel.logarithms(rows, count, 0));
}

/** log φ from the kernel's four rows: log|φ|, arg φ, and bounds of the rounding and quadrature errors of either. */
export function logPhiRows(rows: Float64Array): LogPhiLine {
  const [logModulus, phase, error, quadrature] = rowsOf(rows, LOG_PHI_ROWS);
  return { logModulus, phase, error, quadrature };
}
