/** Checks of arguments, output arrays and sizes, which both engines share. */
import { wrongValue } from '../errors.js';

/** The end of an error message that says why an array must have a certain length. */
export const OF_INPUT = " (the input's length)";

/** Throws if an array has another length; `like` is the reason in the message. */
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

/** Whether the FFT takes this length: a power of two from 2⁴ to 2²². */
export function isFftLength(n: number): boolean {
  return n >= 16 && n <= 2 ** 22 && (n & (n - 1)) === 0;
}

export function checkFftLength(option: string, n: number): void {
  if (!isFftLength(n))
    throw new RangeError(`"${option}" must hold a power of two of values, from 2^4 to 2^22; got ${n}`);
}
