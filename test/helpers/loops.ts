/** How tests call functions of `assembly/` that no engine exports: as methods whose operands are copied in and out of the memory of JavaScript. */
import type { Arena } from '../../bindings/arena.js';
import { wrongValue } from '../../src/errors.js';

/** Rows of numbers of equal length, one after the other. */
export class Table {
  constructor(readonly values: Float64Array) {}
}

/** The length of each of a table's rows, a multiple of `unit`. */
export function tableLength(name: string, { values: { length } }: Table, rows: number, unit: number): number {
  if (length % (rows * unit) !== 0)
    throw wrongValue(`${name}.values.length`, `${rows} rows of equal length`, length);
  return length / rows;
}

/** Views of the `count` rows of equal length that one array holds. */
function rowsOf(all: Float64Array, count: number): Float64Array[] {
  const n = all.length / count;
  return Array.from({ length: count }, (_, i) => all.subarray(i * n, (i + 1) * n));
}

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

/**
 * One argument of a call: a number, or the address of a copy of an array, padded to an even length with a zero, or of rows.
 */
export type Operand = number | Table | Float64Array | Rows;

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

/** A method that passes numbers to one function of the kernel and returns its result. */
export interface OfNumbers<Method extends (...given: never) => number> {
  numbers(...given: Parameters<Method>): readonly number[];
}

/** A method that is one call of the function of the same name. */
export interface Loop<Method extends (...given: never) => unknown> {
  /** Checks the arguments, and returns the operands of the call and what it gives. */
  call(...given: Parameters<Method>): Call<ReturnType<Method>>;
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

/** A call whose operands contain the result, or whose result `gives` makes from the number that the function returns. */
export function calling<Result>(gives: Call<Result>['gives'], operands: readonly Operand[]): Call<Result> {
  return { with: operands, gives, into: undefined };
}

/** A call whose last operand is memory for the array `into`, which the method returns. */
export function giving(into: Float64Array, ...operands: readonly Operand[]): Call<Float64Array> {
  return { with: operands, gives: into, into };
}

type Run = (...operands: number[]) => number;
type Method = (...given: unknown[]) => unknown;
type AnyLoop = Loop<Method> | OfNumbers<(...given: unknown[]) => number>;

/** The methods that loops describe, over functions that read the memory of an arena. */
export function loopsOver<Methods>(
  functions: Readonly<Record<string, unknown>>,
  arena: Arena,
  loops: Readonly<Record<keyof Methods, unknown>>,
): Methods {
  const place = (operand: Operand): number => {
    if (typeof operand === 'number') return operand;
    if (operand instanceof Float64Array) return arena.copyIn(operand);
    if (operand instanceof Table) return arena.copyIn(operand.values);
    const { rows, stride, from } = operand;
    const pointer = arena.alloc(rows * stride);
    if (from !== undefined) arena.f64(pointer, rows * stride).fill(0);
    if (from) for (const [i, row] of rowsOf(from, rows).entries()) arena.write(pointer + 8 * i * stride, row);
    return pointer;
  };
  const method = (loop: AnyLoop, run: Run): Method => {
    if ('numbers' in loop) return (...given) => run(...loop.numbers(...given));
    return (...given) => {
      const { with: operands, gives, into } = loop.call(...given);
      const places = operands.map(place);
      const out = arena.alloc(into?.length ?? 0);
      const returned = run(...places, out);
      if (into !== undefined) arena.copyOut(out, into);
      for (const [k, operand] of operands.entries()) {
        if (!(operand instanceof Rows) || operand.to === undefined) continue;
        for (const [i, row] of rowsOf(operand.to, operand.rows).entries())
          arena.copyOut(places[k]! + 8 * i * operand.stride, row);
      }
      arena.reset();
      return typeof gives === 'function' ? (gives as (returned: number) => unknown)(returned) : gives;
    };
  };
  const named = Object.entries(loops).map(([name, loop]) => [
    name,
    method(loop as AnyLoop, functions[name] as Run),
  ]);
  return Object.fromEntries(named) as Methods;
}
