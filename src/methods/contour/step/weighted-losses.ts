import { rowsOf } from '../../../kernel/floats.js';
import { LOG_PHI_ROWS } from '../../../kernel/kernel-table.js';
import type { LogPhiLine } from './spectral-law.js';

/** log φ from the kernel's four rows: log|φ|, arg φ, and bounds of the rounding and quadrature errors of either. */
export function logPhiRows(rows: Float64Array): LogPhiLine {
  const [logModulus, phase, error, quadrature] = rowsOf(rows, LOG_PHI_ROWS);
  return { logModulus, phase, error, quadrature };
}
