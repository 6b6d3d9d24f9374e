import { rowsOf } from '../../../kernel/floats.js';
import { LOG_PHI_ROWS } from '../../../kernel/kernel-table.js';
import type { LogPhiLine } from './spectral-law.js';

/** log φ(τ) = log M(c + iτ) − log M(c) from the kernel's four rows: log|φ|, arg φ, and bounds of rounding and quadrature error. */
export function logPhiRows(rows: Float64Array): LogPhiLine {
  const [logModulus, phase, error, quadrature] = rowsOf(rows, LOG_PHI_ROWS);
  return { logModulus, phase, error, quadrature };
}
