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

/** Sums over the nodes of a contour. */
export interface ContourKernel {
  /**
   * count·log φ from φ − 1, for numbers φ near or inside the unit circle. `phi` has four rows of n numbers: real and imaginary parts of φ − 1,
   * bounds of rounding errors, and bounds of other errors. The rows of the result are count·log|φ|, count·arg φ, and both bounds for count·log φ.
   * The rounding error is ∞ where only |φ|^count ≤ e^{first row} is known.
   *
   * @param most A known upper bound of log|φ|; ∞ for none.
   */
  logarithms(phi: Float64Array, count: number, most: number): Float64Array;
  /**
   * The weights of the nodes c + iτ_k, τ_k = k·dTau, in the trapezoidal sums of (1/π)∫ Re[φ(τ) r(z) e^{−iτx}] dτ. φ = e^{logModulus + i·phase}, and
   * r(z) is 1/(z(z − 1)) for δ, 1/(z − 1) for the power and 1/z for the FPR. The last two may be means over thresholds in an interval of width
   * `window` (0 for none). They then gain sinh(w)/w, w = (z − a)·window/2, a the pole 1 or 0.
   *
   * @param line Rows of n numbers each: logModulus, phase, and the rounding and quadrature error of both. The rounding error is ∞ where |φ| is only
   * bounded.
   * @returns The weights for `contourSumsUniform`, rows filled up with zeros to a multiple of 4. For each functional there are three bounds of a
   * sum at x, |x| ≤ 0.1/(6u n dTau), u = 2⁻⁵³. Its rounding error, with that of `line`, is within first + |x|·second; its quadrature error is
   * within the third.
   */
  contourWeights(line: ContourNodes, dTau: number, c: number, window: number): ContourWeights;
  /**
   * Σ_k (re_k cos τ_k x + im_k sin τ_k x) for three functionals at τ_k = k·dTau: three numbers for each x. Sines and cosines by rotation.
   *
   * @param weights Six rows of n numbers, n a multiple of 4: re and im of each functional.
   * @returns Each within u Σ_k |w_k|(56 + n/32 + 4|τ_k x|) of the sum of the numbers given, |w| = √(re² + im²), u = 2⁻⁵³.
   */
  contourSumsUniform(dTau: number, weights: KernelTable, xs: Float64Array, out?: Float64Array): Float64Array;
}
