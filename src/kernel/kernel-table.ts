import { wrongValue } from '../errors.js';

/**
 * Numbers that sums are taken over again and again. Any engine takes any table; the WebAssembly engine copies it into its memory the first time
 * and again only if it had to make room in between, so that there is nothing to release.
 */
export class KernelTable {
  /** Where an engine has its copy. */
  resident: unknown;

  /**
   * @param values Rows of equal length, one after the other. They belong to the table from then on: do not write to them.
   * @param rows Their number, where a method takes the first of them alone.
   */
  constructor(
    readonly values: Float64Array,
    readonly rows?: number,
  ) {}
}

/** Rows of the tables that sums take. */
export const UNIFORM_ROWS = 6;
export const CUMULANT_ROWS = 5;
export const MODULUS_ROWS = 2;
export const PATH_ROWS = 6;
export const PANEL_ROWS = 9;
export const LOG_PHI_ROWS = 4;
/** Numbers that sums give for each x, and for each tilt. */
export const FUNCTIONALS = 3;
export const CUMULANT_SUMS = 6;

/** Rows of cells of losses, and how many there are of what `tiltedPanels` gives, for each node. */
export const CELL_ROWS = 5;
const MOST_CELLS = 2;
/** Its numbers, where those of cells and of parts are among them, and the first part; rows of nodes behind them, and as scratch behind its cells. */
export const TILTED_NUMBERS = 64;
export const CELLS_AT = 8;
export const PARTS_AT = 10;
export const TILTED_ROWS = 2;
const TILTED_SCRATCH = 4;

/** Numbers that `tiltedPanels` gives for n nodes, and those of its room. */
export function tiltedLength(n: number, wanted: TiltedPart): { given: number; room: number } {
  const weights = TILTED_NUMBERS + TILTED_ROWS * n;
  const all = weights + CELL_ROWS * MOST_CELLS * n;
  return { given: { sums: TILTED_NUMBERS, weights, cells: all }[wanted], room: all + TILTED_SCRATCH * n };
}

/** What is wanted of a tilted law: the sums, the weights as well, or all. */
export type TiltedPart = 'sums' | 'weights' | 'cells';

/**
 * Length of rows.
 *
 * @throws RangeError if they do not hold a multiple of `unit` numbers.
 */
export function rowLength(name: string, { length }: Float64Array, rows: number, unit = 1): number {
  if (length % (rows * unit) !== 0)
    throw wrongValue(`${name}.length`, `a multiple of ${rows * unit} (${rows} rows)`, length);
  return length / rows;
}

/** Length of a table's rows, of which `least` are taken at least. */
export function tableLength(
  name: string,
  { values, rows }: KernelTable,
  least: number,
  unit: number,
): number {
  return rowLength(`${name}.values`, values, Math.max(rows ?? least, least), unit);
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

/**
 * How many nodes a table of panels holds.
 *
 * @throws RangeError if it is not rows of m whole panels of `size` (even) nodes or more.
 */
export function panelNodes({ values }: KernelTable, size: number, m: number): number {
  const n = values.length / PANEL_ROWS;
  if (!(size > 0 && size % 2 === 0 && n % size === 0 && m >= 0 && m * size <= n))
    throw wrongValue(
      'panels.values.length',
      `a multiple of ${PANEL_ROWS}·size of at least m panels`,
      values.length,
    );
  return n;
}

/** @throws RangeError unless 0 ≤ from ≤ to ≤ length, all even. */
export function checkRange(from: number, to: number, length: number): void {
  if (!(from >= 0 && from <= to && to <= length && from % 2 === 0 && to % 2 === 0))
    throw wrongValue('from, to', `even numbers, 0 <= from <= to <= ${length}`, `${from}, ${to}`);
}

/** Frequencies of a path's line that share one anchor, and nodes summed before they join the total. */
export const PATH_BLOCK = 32;

/** The terms of a path's line: of each node, the frequencies of the blocks that begin where it is above the floor. */
export function pathTerms(path: Float64Array, dTau: number, n: number, floor: number): number {
  const m = path.length / PATH_ROWS;
  const blocks = Math.ceil(n / PATH_BLOCK);
  let terms = 0;
  for (let j = 0; j < m; j++) {
    const last = (path[2 * m + j] - floor) / (path[m + j] * dTau);
    const above = Math.ceil(last / PATH_BLOCK);
    terms += PATH_BLOCK * (above < blocks ? Math.max(0, above) : blocks);
  }
  return terms;
}

/** The number of its block, for each of n frequencies. */
export function eachOf(blocks: Float64Array, n: number): Float64Array {
  const each = new Float64Array(n);
  for (let b = 0; b < blocks.length; b++) each.fill(blocks[b], PATH_BLOCK * b, PATH_BLOCK * (b + 1));
  return each;
}
