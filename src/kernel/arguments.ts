/** Checks of arguments, output arrays and sizes: what both engines ask of their callers, said once. */
import { wrongValue } from '../errors.js';

/** What `suffixScan` returns. */
export interface SuffixSums {
  readonly delta: Float64Array;
  readonly tail: Float64Array;
}

/** `out`, checked against the length of x, or a new array. */
export function outputFor(x: Float64Array, out: Float64Array | undefined): Float64Array {
  if (out === undefined) return new Float64Array(x.length);
  if (out.length !== x.length) throw wrongValue('out.length', `${x.length} (the input's length)`, out.length);
  return out;
}

/** Refuses an array of values that are not one per ε. */
export function checkLength(name: string, values: Float64Array, epsilon: Float64Array): void {
  if (values.length !== epsilon.length) {
    throw wrongValue(`${name}.length`, `${epsilon.length} (the length of "epsilon")`, values.length);
  }
}

/** `out` of normalIntervals, checked, or a new array; and edges that writing to it leaves alone. */
export function intervalArrays(
  edges: Float64Array,
  out: Float64Array | undefined,
): { edges: Float64Array; result: Float64Array } {
  if (edges.length === 0) throw wrongValue('edges.length', 'at least 1', 0);
  const n = edges.length - 1;
  if (out === undefined) return { edges, result: new Float64Array(n) };
  if (out.length !== n) throw wrongValue('out.length', `${n} (one less than the edges)`, out.length);
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

/** `out`, checked to hold `length` numbers, or a new array. */
export function fftOutput(length: number, out: Float64Array | undefined): Float64Array {
  if (out === undefined) return new Float64Array(length);
  if (out.length !== length) throw wrongValue('out.length', `${length}`, out.length);
  return out;
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

/** Twiddles a transform of n reals reads. */
export function twiddlesNeeded(n: number): number {
  return n / 4;
}

/** Values of a linear convolution. */
function convolvedLength(a: Float64Array, b: Float64Array): number {
  return a.length === 0 || b.length === 0 ? 0 : a.length + b.length - 1;
}

/** The transform length of a linear convolution. */
export function convolutionLength(a: Float64Array, b: Float64Array): number {
  const length = convolvedLength(a, b);
  let n = MIN_FFT;
  while (n < length) n *= 2;
  if (n > MAX_FFT) {
    throw new RangeError(`"a" and "b" must convolve to at most 2^22 values; got ${a.length} and ${b.length}`);
  }
  return n;
}

/** `out` of a convolution, checked, or a new array. */
export function convolutionOutput(a: Float64Array, b: Float64Array, out?: Float64Array): Float64Array {
  return fftOutput(convolvedLength(a, b), out);
}

/** Refuses an output of another length than `p`. */
export function checkOut(p: Float64Array, out: Float64Array): void {
  if (out.length !== p.length)
    throw new RangeError(`"out" must hold ${p.length} values like "p"; got ${out.length}`);
}

/** `out` of a scan, checked to hold two arrays of n numbers, or new ones. */
export function suffixOutput(n: number, out: SuffixSums | undefined): SuffixSums {
  if (out === undefined) return { delta: new Float64Array(n), tail: new Float64Array(n) };
  for (const name of ['delta', 'tail'] as const) {
    if (out[name].length !== n) throw wrongValue(`out.${name}.length`, `${n}`, out[name].length);
  }
  return out;
}

/** Refuses weights that are not one per loss. */
export function checkWeights(loss: Float64Array, weight: Float64Array): void {
  if (weight.length !== loss.length)
    throw new RangeError(`"weight" must hold ${loss.length} values like "loss"; got ${weight.length}`);
}
