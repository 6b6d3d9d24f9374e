import { wrongValue } from '../errors.js';

/**
 * Numbers that many calls read, such as the weights of a contour. Any engine takes any table. An engine copies it into its memory on first use, and
 * again only if it had to give that memory to another table. So there is nothing to release.
 */
export class KernelTable {
  /** Where the engine's copy of the table is in its memory, if it has one. */
  resident: unknown;

  /** @param values Rows of equal length, one after the other. They belong to the table from then on: do not write to them. */
  constructor(readonly values: Float64Array) {}
}

/** Number of rows of the weights for `contourSumsUniform`: real and imaginary parts for each of three functionals. */
export const UNIFORM_ROWS = 6;
/** Number of rows of log φ(τ) = log(M(c + iτ)/M(c)) on a contour: log|φ|, arg φ, bounds of rounding and quadrature error. */
export const LOG_PHI_ROWS = 4;
/** Number of sums of `contourSumsUniform` for each x: δ, power and FPR. */
export const FUNCTIONALS = 3;

/** The length of each of `rows` rows in one array. */
function rowLength(name: string, { length }: Float64Array, rows: number, unit = 1): number {
  if (length % (rows * unit) !== 0)
    throw wrongValue(`${name}.length`, `a multiple of ${rows * unit} (${rows} rows)`, length);
  return length / rows;
}

/** Length of a table's rows. */
export function tableLength(name: string, { values }: KernelTable, rows: number, unit: number): number {
  return rowLength(`${name}.values`, values, rows, unit);
}

/**
 * log φ(τ) = log M(c + iτ) − log M(c) at the nodes of a contour, in rows of equal length. They are log|φ|, arg φ, and bounds of the rounding and
 * quadrature error.
 */
export interface ContourNodes {
  readonly logModulus: Float64Array;
  readonly phase: Float64Array;
  readonly error: Float64Array;
  readonly quadrature: Float64Array;
}

/** Weights of a contour's nodes for `contourSumsUniform`. For each functional there are three error bounds of its sums (`contourWeights`). */
export interface ContourWeights {
  readonly table: KernelTable;
  readonly bounds: Float64Array;
}

/** The number of nodes. */
export function nodesOf({ logModulus, phase, error, quadrature }: ContourNodes): number {
  const n = phase.length;
  for (const [name, row] of Object.entries({ logModulus, error, quadrature }))
    if (row.length !== n) throw wrongValue(`line.${name}.length`, `${n}, like that of the phase`, row.length);
  return n;
}
