/** Checks of arguments, output arrays and sizes: what both engines ask of their callers, said once. */
import { wrongValue } from '../errors.js';

export interface SuffixSums {
  readonly delta: Float64Array;
  readonly tail: Float64Array;
}

/** Why an array has the length that it must have. */
export const OF_INPUT = " (the input's length)";

/** Refuses an array of another length; `like` says why it is that one. */
export function checkLength(name: string, values: Float64Array, length: number, like = ''): void {
  if (values.length !== length) throw wrongValue(`${name}.length`, `${length}${like}`, values.length);
}

/** `out`, checked to hold `length` numbers, or a new array. */
export function outputOf(
  length: number,
  out: Float64Array = new Float64Array(length),
  like = '',
): Float64Array {
  checkLength('out', out, length, like);
  return out;
}

/** `out` of normalIntervals, checked, or a new array; and edges that writing to it leaves alone. */
export function intervalArrays(
  edges: Float64Array,
  out: Float64Array | undefined,
): { edges: Float64Array; result: Float64Array } {
  if (edges.length === 0) throw wrongValue('edges.length', 'at least 1', 0);
  const n = edges.length - 1;
  if (out === undefined) return { edges, result: new Float64Array(n) };
  checkLength('out', out, n, ' (one less than the edges)');
  return { edges: out.buffer === edges.buffer ? edges.slice() : edges, result: out };
}

/** Lengths that the FFT takes: powers of two between these. */
const MIN_FFT = 16;
const MAX_FFT = 2 ** 22;

/** Throws unless `n` is a power of two this transform takes. */
export function checkFftLength(option: string, n: number): void {
  if (n < MIN_FFT || n > MAX_FFT || (n & (n - 1)) !== 0) {
    throw new RangeError(`"${option}" must hold a power of two of values, from 2^4 to 2^22; got ${n}`);
  }
}

/** The n of a natural-order spectrum of n + 2 numbers. */
export function checkSpectrumLength(length: number): number {
  const n = length - 2;
  if (n < MIN_FFT || n > MAX_FFT || (n & (n - 1)) !== 0) {
    throw new RangeError(
      `"spectrum" must hold n + 2 numbers, n a power of two from 2^4 to 2^22; got ${length}`,
    );
  }
  return n;
}

export function convolvedLength(a: Float64Array, b: Float64Array): number {
  return a.length === 0 || b.length === 0 ? 0 : a.length + b.length - 1;
}

export function convolutionLength(a: Float64Array, b: Float64Array): number {
  const length = convolvedLength(a, b);
  let n = MIN_FFT;
  while (n < length) n *= 2;
  if (n > MAX_FFT) {
    throw new RangeError(`"a" and "b" must convolve to at most 2^22 values; got ${a.length} and ${b.length}`);
  }
  return n;
}

/** `out` of a scan, checked to hold two arrays of n numbers, or new ones. */
export function suffixOutput(n: number, out?: SuffixSums): SuffixSums {
  if (out === undefined) return { delta: new Float64Array(n), tail: new Float64Array(n) };
  checkLength('out.delta', out.delta, n);
  checkLength('out.tail', out.tail, n);
  return out;
}
