/** How a method of the kernel is written down as a call of one function of `assembly/`. */
import { KernelTable } from './kernel-table.js';

/** Rows of numbers, each at its own address, `stride` numbers of memory apart: read in, written back, both, or set to 0 and written back. */
export class Rows {
  constructor(
    readonly values: Float64Array,
    readonly rows: number,
    readonly stride: number,
    readonly way: 'in' | 'out' | 'both' | 'sum',
  ) {}
}

/**
 * What a function is given in one place: a number as it is, the address of a table that stays, of a copy of an array (made even in length by a zero), or of
 * rows. Tables, of which there are at most two, come first.
 */
export type Operand = number | KernelTable | Float64Array | Rows;

/** One call: its operands in order, and what the method returns, asked once the results are copied back. */
export interface Call<Result> {
  readonly with: readonly Operand[];
  readonly gives: () => Result;
}

/** What a method charges: units of `docs/effort.md` for each term, and how many terms its arguments make. */
export interface Work<Method extends (...given: never) => unknown> {
  readonly price: number;
  terms(...given: Parameters<Method>): number;
}

/** A method that is one call of the function of its name. */
export interface Loop<Method extends (...given: never) => unknown> extends Work<Method> {
  /** Checks the arguments and says what is called with them. */
  call(...given: Parameters<Method>): Call<ReturnType<Method>>;
}

const NOTHING = new Float64Array(0);

export const even = (n: number): number => n + (n & 1);

/** Rows of one array that are read. */
export function rowsIn(values: Float64Array, rows: number): Rows {
  return new Rows(values, rows, even(values.length / rows), 'in');
}

/** Room for results that are written to `values`, in one row or several. */
export function results(values: Float64Array, rows = 1): Rows {
  return new Rows(values, rows, even(values.length / rows), 'out');
}

/** Room for `room` sums that a function adds to, of which `values` takes the first: in each of several rows. */
export function added(values: Float64Array, room: number, rows = 1): Rows {
  return new Rows(values, rows, room, 'sum');
}

/** Room for numbers that a function needs on its way. */
export function scratch(room: number): Rows {
  return new Rows(NOTHING, 1, room, 'out');
}

/** Rows of one array that are changed in place. */
export function changed(values: Float64Array, rows: number): Rows {
  return new Rows(values, rows, even(values.length / rows), 'both');
}

/** A call whose last operand is a table that it fills. */
export function making(values: Float64Array, ...operands: readonly Operand[]): Call<KernelTable> {
  return { with: [...operands, results(values)], gives: () => new KernelTable(values) };
}
