/** How a method of the kernel is written down as a call of one function of `assembly/`. */
import type { KernelTable } from './kernel-table.js';

/**
 * An operand: rows of numbers in the kernel's memory, one every `stride` numbers. They are copied from the array `from` and padded with zeros. For
 * `from` = 0 all are zero, and without it the memory is left as it is. After the call they are copied to `to`, if given.
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
 * One argument of a call of the kernel: a number, or the address of something in its memory. That is a resident table, a copied array (padded to an
 * even length with a zero), or rows. A call has at most two tables, and they come first.
 */
export type Operand = number | KernelTable | Twiddles | Float64Array | Rows;

/**
 * One call of the kernel: its operands in order, and what the method returns. That is either an array, or made by a function from the call's result
 * after arrays are copied back.
 */
export interface Call<Result> {
  readonly with: readonly Operand[];
  readonly gives: Result | ((returned: number) => Result);
  /** The array of results, if the call's last operand is memory for it. */
  readonly into: Float64Array | undefined;
}

/** The work that a method charges: `price` units (docs/effort.md) for each of the terms that the given arguments have. */
export interface Work<Method extends (...given: never) => unknown> {
  readonly price: number;
  terms(...given: Parameters<Method>): number;
}

/** A method that passes numbers to one function of the kernel and returns its result, at a fixed price. */
export interface OfNumbers<Method extends (...given: never) => number> {
  readonly price: number;
  numbers(...given: Parameters<Method>): readonly number[];
}

/** A method of the kernel that is one call of the exported function of the same name. */
export interface Loop<Method extends (...given: never) => unknown> extends Work<Method> {
  /** Checks the arguments, and returns the operands of the call and what it gives. */
  call(...given: Parameters<Method>): Call<ReturnType<Method>>;
  /**
   * The arguments that give entries from … to − 1 of the result. Long arrays are done in such blocks, so that the kernel's memory need not grow.
   */
  block?(result: Float64Array, from: number, to: number, ...given: Parameters<Method>): Parameters<Method>;
}

/** The least even number ≥ n. */
export const even = (n: number): number => n + (n & 1);

/** An operand: memory for results in one row or several, copied to `values` after the call. */
export function results(values: Float64Array, rows = 1): Rows {
  return new Rows(rows, even(values.length / rows), undefined, values);
}

/** An operand: rows of `room` zeros that the function adds to. After the call the first numbers of each row are copied to `values`. */
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

/** A call whose operands contain the result, or whose result `gives` makes from the number that the function returns. */
export function calling<Result>(gives: Call<Result>['gives'], operands: readonly Operand[]): Call<Result> {
  return { with: operands, gives, into: undefined };
}

/** A call whose last operand is memory for the array `into`, which the method returns. */
export function giving(into: Float64Array, ...operands: readonly Operand[]): Call<Float64Array> {
  return { with: operands, gives: into, into };
}
