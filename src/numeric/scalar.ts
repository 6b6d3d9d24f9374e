/**
 * The kernel's functions of one number, for code above the kernel that needs single values. Each call ticks the meter, for itself and for the
 * arithmetic around it.
 */

import * as kernel from '../../assembly/functions/scalar.js';
import { ticked } from './meter.js';
import { PRICES } from './prices.js';

const { scalar, heavyScalar } = PRICES;

/** The function, which charges `price` at each call. Functions that are called most do so in their own text, which V8 inlines. */
function counted<F extends (x: number, y: number) => number>(price: number, of: F): F {
  return ((x, y) => {
    ticked[0] += price;
    return of(x, y);
  }) as F;
}

/** e^x, within one ulp. */
export function exp(x: number): number {
  ticked[0] += scalar;
  return kernel.expOf(x);
}

/** e^x − 1, within one ulp, also near 0. */
export function expm1(x: number): number {
  ticked[0] += scalar;
  return kernel.expm1Of(x);
}

/** log x, within one ulp. */
export function log(x: number): number {
  ticked[0] += scalar;
  return kernel.logOf(x);
}

/** log(1 + x), within one ulp, also near 0. */
export function log1p(x: number): number {
  ticked[0] += scalar;
  return kernel.log1pOf(x);
}

/** log Φ(x) with a small relative error: log1p(−Φ(−x)) for x > ½, else by a table of log erfc, and by erfcx for large −x. */
export function logNormalCdf(x: number): number {
  ticked[0] += scalar;
  return kernel.logNormalCdfOf(x);
}

/** sin πx for every double, by an exact reduction to |x| ≤ ¼ and Taylor's polynomial. Within one ulp. */
export function sinPi(x: number): number {
  ticked[0] += scalar;
  return kernel.sinPiOf(x);
}

/** z with log Φ(z) = logP ≤ 0, by Wichura's AS 241 (relative error about 1e-16), and for tiny probabilities an asymptotic series. Not rounded outward. */
export function normalQuantileLog(logP: number): number {
  ticked[0] += heavyScalar;
  return kernel.normalQuantileLogOf(logP);
}

export const cosPi = counted(scalar, kernel.cosPiOf);
export const erfc = counted(scalar, kernel.erfcOf);
export const erfcx = counted(scalar, kernel.erfcxOf);
export const normalCdf = counted(scalar, kernel.normalCdfOf);
export const deltaGdp = counted(heavyScalar, kernel.deltaGdpOf);
export const logDeltaGdp = counted(heavyScalar, kernel.logDeltaGdpOf);
export const oneMinusDeltaGdp = counted(heavyScalar, kernel.oneMinusDeltaGdpOf);
export const muGdp = counted(heavyScalar, kernel.muGdpOf);
export const muGdpLog = counted(heavyScalar, kernel.muGdpLogOf);
export const inverfc = counted(heavyScalar, kernel.inverfcOf);
export const normalQuantile = counted(heavyScalar, kernel.normalQuantileOf);
export const normalQuantileUpper = counted(heavyScalar, (p: number) => 0 - kernel.normalQuantileOf(p));
