/** How a method of the kernel is written down as a call of one function of `assembly/`. */
import type { KernelTable } from './kernel-table.js';

/**
 * Rows of numbers, each at its own address, `stride` numbers of memory apart. They are read from an array, with zeros behind a row's numbers, or all zero, or as memory is.
 * They are written back to an array, or not.
 */
export class Rows {
  constructor(
    readonly rows: number,
    readonly stride: number,
    readonly from: Float64Array | 0 | undefined,
    readonly to?: Float64Array,
  ) {}
}

/** The twiddle factors for transforms of n reals, which stay in memory. */
export class Twiddles {
  constructor(readonly n: number) {}
}

/**
 * One argument of a kernel call: a number, or an address. It is that of a resident table, of a copied array (made even in length by a zero), or of rows. Tables, of
 * which there are at most two, come first.
 */
export type Operand = number | KernelTable | Twiddles | Float64Array | Rows;

/** One call: its operands in order, and what the method returns, or what makes that of what the function returned once results are copied back. */
export interface Call<Result> {
  readonly with: readonly Operand[];
  readonly gives: Result | ((returned: number) => Result);
  /** What results are written to, if room for them is one more operand, the last. */
  readonly into: Float64Array | undefined;
}

/** What a method charges: units of `docs/effort.md` for each term, and how many terms its arguments make. */
export interface Work<Method extends (...given: never) => unknown> {
  readonly price: number;
  terms(...given: Parameters<Method>): number;
}

/** A method that is one call of a function of numbers, and returns what that does: at one price. */
export interface OfNumbers<Method extends (...given: never) => number> {
  readonly price: number;
  numbers(...given: Parameters<Method>): readonly number[];
}

/** A method of the kernel that is one call of the exported function of the same name. */
export interface Loop<Method extends (...given: never) => unknown> extends Work<Method> {
  /** Checks the arguments, and returns the operands of the call and what it gives. */
  call(...given: Parameters<Method>): Call<ReturnType<Method>>;
  /** The arguments for a block of the places of the array that `call` gives: arrays may be longer than memory is to grow for. */
  block?(result: Float64Array, from: number, to: number, ...given: Parameters<Method>): Parameters<Method>;
}

export const even = (n: number): number => n + (n & 1);

/** An operand: rows of one array, which the function reads. */
export function rowsIn(values: Float64Array, rows: number): Rows {
  return new Rows(rows, even(values.length / rows), values);
}

/** Room for results that are written to `values`, in one row or several. */
export function results(values: Float64Array, rows = 1): Rows {
  return new Rows(rows, even(values.length / rows), undefined, values);
}

/** Room for `room` sums that a function adds to, of which `values` takes the first: in each of several rows. */
export function added(values: Float64Array, room: number, rows = 1): Rows {
  return new Rows(rows, room, 0, values);
}

/** An operand: memory for intermediate numbers of the function. */
export function scratch(room: number): Rows {
  return new Rows(1, room, undefined);
}

/** Rows that are read from one array, changed in place and written to another, which may be longer. */
export function changed(
  from: Float64Array,
  to: Float64Array,
  rows = 1,
  room: number = to.length / rows,
): Rows {
  return new Rows(rows, even(room), from, to);
}

/** A call that gives what its operands hold, or what is made of that. */
export function calling<Result>(gives: Call<Result>['gives'], operands: readonly Operand[]): Call<Result> {
  return { with: operands, gives, into: undefined };
}

/** A call whose last operand is room for what the method returns. */
export function giving(into: Float64Array, ...operands: readonly Operand[]): Call<Float64Array> {
  return { with: operands, gives: into, into };
}
