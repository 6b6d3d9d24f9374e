import { wrongValue } from '../errors.js';

/**
 * Numbers that sums are taken over again and again. Any engine takes any table. The WebAssembly engine copies it into its memory the first time,
 * and again only if it had to make room in between. So there is nothing to release.
 */
export class KernelTable {
  /** The engine's copy of the table in its memory, if it has one. */
  resident: unknown;

  /** @param values Rows of equal length, one after the other. They belong to the table from then on: do not write to them. */
  constructor(readonly values: Float64Array) {}
}

/** Number of rows of the table for `contourSumsUniform`. */
export const UNIFORM_ROWS = 6;
export const LOG_PHI_ROWS = 4;
/** Number of sums of `contourSumsUniform` for each x: δ, power and false positives. */
export const FUNCTIONALS = 3;

/**
 * Length of rows.
 *
 * @throws RangeError if they do not hold a multiple of `unit` numbers.
 */
function rowLength(name: string, { length }: Float64Array, rows: number, unit = 1): number {
  if (length % (rows * unit) !== 0)
    throw wrongValue(`${name}.length`, `a multiple of ${rows * unit} (${rows} rows)`, length);
  return length / rows;
}

/** Length of a table's rows. */
export function tableLength(name: string, { values }: KernelTable, rows: number, unit: number): number {
  return rowLength(`${name}.values`, values, rows, unit);
}

/** log φ at the nodes of a contour, and bounds of its errors: rows of equal length. */
export interface ContourNodes {
  readonly logModulus: Float64Array;
  readonly phase: Float64Array;
  readonly error: Float64Array;
  readonly quadrature: Float64Array;
}

/** Weights of a contour's nodes, and three bounds of each functional's sums. */
export interface ContourWeights {
  readonly table: KernelTable;
  readonly bounds: Float64Array;
}

/**
 * How many nodes there are.
 *
 * @throws RangeError if the rows are not of equal length.
 */
export function nodesOf({ logModulus, phase, error, quadrature }: ContourNodes): number {
  const n = phase.length;
  for (const [name, row] of Object.entries({ logModulus, error, quadrature }))
    if (row.length !== n) throw wrongValue(`line.${name}.length`, `${n}, like that of the phase`, row.length);
  return n;
}
