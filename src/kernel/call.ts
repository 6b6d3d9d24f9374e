/** How a method of the kernel is written down as a call of one function of `assembly/`. */
import type { KernelTable } from './kernel-table.js';

/**
 * An operand: rows of numbers, `stride` numbers of memory apart. They are copied from an array `from`, padded with zeros; or all zero for 0; or left
 * as the memory is, if undefined. After the call they are copied to `to`, if given.
 */
export class Rows {
  constructor(
    readonly rows: number,
    readonly stride: number,
    readonly from: Float64Array | 0 | undefined,
    readonly to?: Float64Array,
  ) {}
}

/** An operand: the table of twiddle factors for FFTs of n reals, which stays in the engine's memory. */
export class Twiddles {
  constructor(readonly n: number) {}
}

/**
 * One argument of a kernel call: a number or an address. The address is of a resident table, of a copied array (made even in length by a zero), or
 * of rows. At most two tables are allowed, and they come first.
 */
export type Operand = number | KernelTable | Twiddles | Float64Array | Rows;

/** One call: its operands in order, and what the method returns. That is an array, or made from the function's result once arrays are copied back. */
export interface Call<Result> {
  readonly with: readonly Operand[];
  readonly gives: Result | ((returned: number) => Result);
  /** The array for results, if memory for them is the last operand. */
  readonly into: Float64Array | undefined;
}

/** What a method charges: a price per term, in units of `docs/effort.md`, times the number of terms for given arguments. */
export interface Work<Method extends (...given: never) => unknown> {
  readonly price: number;
  terms(...given: Parameters<Method>): number;
}

/** A method that is one call of a function of numbers and returns the function's number, at a fixed price. */
export interface OfNumbers<Method extends (...given: never) => number> {
  readonly price: number;
  numbers(...given: Parameters<Method>): readonly number[];
}

/** A method of the kernel that is one call of the exported function of the same name. */
export interface Loop<Method extends (...given: never) => unknown> extends Work<Method> {
  /** Checks the arguments, and returns the operands of the call and what it gives. */
  call(...given: Parameters<Method>): Call<ReturnType<Method>>;
  /** The arguments for the block from … to − 1 of the result. Long arrays are done in blocks, so that memory need not grow. */
  block?(result: Float64Array, from: number, to: number, ...given: Parameters<Method>): Parameters<Method>;
}

export const even = (n: number): number => n + (n & 1);

/** An operand: memory for results, which are copied to `values`, in one row or several. */
export function results(values: Float64Array, rows = 1): Rows {
  return new Rows(rows, even(values.length / rows), undefined, values);
}

/** An operand: rows of `room` zeros that the function adds to. The first numbers of each row are copied to `values`. */
export function added(values: Float64Array, room: number, rows = 1): Rows {
  return new Rows(rows, room, 0, values);
}

/** An operand: memory for intermediate numbers of the function. */
export function scratch(room: number): Rows {
  return new Rows(1, room, undefined);
}

/** An operand: rows that are read from one array, changed in place and copied to another, which may be longer. */
export function changed(
  from: Float64Array,
  to: Float64Array,
  rows = 1,
  room: number = to.length / rows,
): Rows {
  return new Rows(rows, even(room), from, to);
}

/** A call whose result is in one of its operands, or is made by `gives` from the function's number. */
export function calling<Result>(gives: Call<Result>['gives'], operands: readonly Operand[]): Call<Result> {
  return { with: operands, gives, into: undefined };
}

/** A call whose last operand is memory for the array `into`, which the method returns. */
export function giving(into: Float64Array, ...operands: readonly Operand[]): Call<Float64Array> {
  return { with: operands, gives: into, into };
}
