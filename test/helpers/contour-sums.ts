/** Weights of a contour's nodes and sums over them (assembly/sums), in JavaScript. */

import { take } from '../../assembly/lane/room.js';
import { contourSumsUniform } from '../../assembly/sums/contour-sums.js';
import { contourWeights } from '../../assembly/sums/contour-weights.js';
import { placed, read, roomy } from './run-laws.js';
import type { LineRows } from './step-laws.js';

const ROWS = 6;

/** Six rows of weights, filled up with zeros to a multiple of 4, and three error bounds of each functional. */
export function weightsOf(
  { logModulus, phase, error, quadrature }: LineRows,
  dTau: number,
  c: number,
): { readonly values: Float64Array; readonly bounds: Float64Array } {
  roomy();
  const n = phase.length;
  const room = n + (-n & 31);
  const rows = new Float64Array(4 * room);
  for (const [i, row] of [logModulus, phase, error, quadrature].entries()) rows.set(row, i * room);
  const length = ROWS * (n + (-n & 3));
  const [values, bounds] = [take(length), take(9)];
  contourWeights(placed(rows), room, n, dTau, c, values, bounds);
  return { values: read(values, length), bounds: read(bounds, 9) };
}

/** Three sums for each x. */
export function sumsOf(dTau: number, weights: Float64Array, xs: Float64Array): Float64Array {
  roomy();
  const out = take(3 * xs.length);
  contourSumsUniform(dTau, placed(weights), weights.length / ROWS, placed(xs), xs.length, out);
  return read(out, 3 * xs.length);
}
