import { exp, expm1 } from './scalar.js';

export function cosh(x: number): number {
  return (exp(x) + exp(-x)) / 2;
}

/** sinh x, with full relative accuracy near 0 too. */
export function sinh(x: number): number {
  return (expm1(x) - expm1(-x)) / 2;
}
