import { exp, expm1 } from './scalar.js';

/** cosh x = (e^x + e^{−x})/2, with a relative error of a few roundings. */
export function cosh(x: number): number {
  return (exp(x) + exp(-x)) / 2;
}

/** sinh x = (expm1 x − expm1(−x))/2, with a relative error of a few roundings, also near 0. */
export function sinh(x: number): number {
  return (expm1(x) - expm1(-x)) / 2;
}
