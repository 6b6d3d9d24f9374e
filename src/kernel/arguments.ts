/** Checks of arguments, output arrays and sizes: what both engines ask of their callers, said once. */
import { wrongValue } from '../errors.js';

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

/** Lengths that the FFT takes: powers of two. */
export function isFftLength(n: number): boolean {
  return n >= 16 && n <= 2 ** 22 && (n & (n - 1)) === 0;
}

export function checkFftLength(option: string, n: number): void {
  if (!isFftLength(n))
    throw new RangeError(`"${option}" must hold a power of two of values, from 2^4 to 2^22; got ${n}`);
}
