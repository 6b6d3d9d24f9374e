import { type Checks, requireList, requireNumber, wrongValue } from '../errors.js';
import { LruCache } from '../numeric/lru-cache.js';
import { unless, whole, zeroOr } from './kind.js';

/** The strategy matrix C of a matrix mechanism, lower triangular, and the noise. */
export interface StrategyMatrix {
  /** Standard deviation of the noise over the clipping norm of one gradient: 0 or 1e-9 … 1e9. */
  readonly noiseMultiplier: number;
  /**
   * First column of a Toeplitz matrix C, with zeros after the last number given; at most 65536 numbers, each 0 or of size 1e-100 … 1e100. Exactly one
   * of this and `matrix` is given.
   */
  readonly column?: readonly number[];
  /** Number of rows and columns of the Toeplitz matrix, 1 … 65536; the column's length unless given. */
  readonly steps?: number;
  /** The matrix C by rows, at most 512. */
  readonly matrix?: readonly (readonly number[])[];
}

/** Largest number of steps: computing the sensitivity is quadratic in it. */
export const MOST_STEPS = 65536;
/** Largest number of rows of C, if it is given by rows. */
const MOST_ROWS = 512;

/** Returns 1 to `most` entries of a matrix. @throws TypeError | RangeError unless each is 0 or of size 1e-100 to 1e100. */
function requireEntries(option: string, list: unknown, most: number): number[] {
  return Array.from(requireList(option, list, 'numbers', 1, most), (x, i) =>
    requireNumber(
      `${option}[${i}]`,
      x,
      '0 or a number of size 1e-100 to 1e100',
      (c) => c === 0 || (Math.abs(c) >= 1e-100 && Math.abs(c) <= 1e100),
    ),
  );
}

/** Returns a square matrix by rows. @throws TypeError | RangeError unless it is lower triangular. */
function requireTriangle(_: string, matrix: unknown): number[][] {
  const rows = requireList('matrix', matrix, 'rows', 1, MOST_ROWS);
  return Array.from(rows, (row, i) => {
    const entries = requireEntries(`matrix[${i}]`, row, MOST_ROWS);
    if (entries.length !== rows.length)
      throw wrongValue(`matrix[${i}]`, `as long as the matrix (${rows.length})`, entries.length);
    const above = entries.findIndex((x, j) => j > i && x !== 0);
    if (above >= 0) throw wrongValue(`matrix[${i}][${above}]`, '0, above the diagonal', entries[above]);
    return entries;
  });
}

/** Fields that state C, with their checks, for the kinds of mechanism that have one. */
export const STRATEGY_FIELDS: Checks = {
  noiseMultiplier: zeroOr(1e-9, 1e9),
  'column?': (name, value) => requireEntries(name, value, MOST_STEPS),
  'steps?': (name, value, { column }: { column?: readonly number[] }) =>
    Array.isArray(column) ? unless(column.length, whole(1, MOST_STEPS))(name, value) : value,
  'matrix?': requireTriangle,
};

/** Checks that C is given by exactly one of `column` and `matrix`. @throws RangeError otherwise. */
export function requireOneForm({ column, matrix, steps }: StrategyMatrix): void {
  if ((column === undefined) === (matrix === undefined))
    throw wrongValue('column', 'given, or else "matrix", and not both', column);
  if (matrix !== undefined && steps !== undefined)
    throw wrongValue('steps', 'left out beside "matrix", which has its own', steps);
}

/** Number of rows and columns of C. */
export function sizeOf({ column, matrix, steps }: StrategyMatrix): number {
  return matrix?.length ?? steps ?? column?.length ?? 0;
}

/** The numbers that state C: a column, or rows. */
type Strategy = readonly number[] | readonly (readonly number[])[];

/** A cache of values computed from strategy matrices, by the arrays that state them. A copy of their numbers detects later changes of an array. */
export class KnownOfStrategy<T> {
  private readonly known = new WeakMap<
    Strategy,
    { readonly of: Strategy; readonly values: LruCache<string, T> }
  >();

  /** The cached value of a strategy matrix, or else that of `make`. @param key The other inputs of the value. */
  of({ column, matrix }: StrategyMatrix, key: string, make: () => T): T {
    const strategy: Strategy = column ?? matrix!;
    let held = this.known.get(strategy);
    if (held === undefined || !isSame(held.of, strategy)) {
      held = { of: structuredClone(strategy), values: new LruCache<string, T>(Infinity) };
      this.known.set(strategy, held);
    }
    return held.values.of(key, make);
  }
}

/** Whether two strategies have the same numbers. */
function isSame(a: Strategy, b: Strategy): boolean {
  return (
    a.length === b.length &&
    a.every((x, i) => x === b[i] || (Array.isArray(x) && isSame(x, b[i] as number[])))
  );
}
