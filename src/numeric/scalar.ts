/**
 * The element-wise functions one number at a time, for code above the kernel seam that needs a single
 * value. They are the reference engine's; the WebAssembly engine gives the same bits, so there is
 * nothing to choose. Each ticks the meter, for itself and for the arithmetic around it.
 */

import * as atan from '../../assembly/atan.js';
import * as elementary from '../../assembly/elementary.js';
import * as functions from '../../assembly/scalar.js';
import * as trig from '../../assembly/trig.js';
import { tick } from './meter.js';
import { PRICES } from './prices.js';

const { scalar, heavyScalar } = PRICES;

export function atan2(y: number, x: number): number {
  tick(scalar);
  return atan.vatan2(y, x);
}

export function logModulus1p(re: number, im: number): number {
  tick(scalar);
  return atan.vlogModulus1p(re, im);
}

export function exp(x: number): number {
  tick(scalar);
  return elementary.exp(x);
}

export function expm1(x: number): number {
  tick(scalar);
  return elementary.expm1(x);
}

export function log(x: number): number {
  tick(scalar);
  return elementary.log(x);
}

export function log1p(x: number): number {
  tick(scalar);
  return elementary.log1p(x);
}

export function erfc(x: number): number {
  tick(scalar);
  return functions.erfc(x);
}

export function erfcx(x: number): number {
  tick(scalar);
  return functions.erfcx(x);
}

export function logNormalCdf(x: number): number {
  tick(scalar);
  return functions.logNormalCdf(x);
}

export function normalCdf(x: number): number {
  tick(scalar);
  return functions.normalCdf(x);
}

export function cosPi(x: number): number {
  tick(scalar);
  return trig.vcosPi(x);
}

export function sinPi(x: number): number {
  tick(scalar);
  return trig.vsinPi(x);
}

export function deltaGdp(mu: number, epsilon: number): number {
  tick(heavyScalar);
  return functions.deltaGdp(mu, epsilon);
}

export function logDeltaGdp(mu: number, epsilon: number): number {
  tick(heavyScalar);
  return functions.logDeltaGdp(mu, epsilon);
}

export function oneMinusDeltaGdp(mu: number, epsilon: number): number {
  tick(heavyScalar);
  return functions.oneMinusDeltaGdp(mu, epsilon);
}

export function muGdp(epsilon: number, delta: number): number {
  tick(heavyScalar);
  return functions.muGdp(epsilon, delta);
}

export function muGdpLog(epsilon: number, logDelta: number): number {
  tick(heavyScalar);
  return functions.muGdpLog(epsilon, logDelta);
}

export function inverfc(p: number): number {
  tick(heavyScalar);
  return functions.inverfc(p);
}

export function normalQuantile(p: number): number {
  tick(heavyScalar);
  return functions.normalQuantile(p);
}

export function normalQuantileLog(logP: number): number {
  tick(heavyScalar);
  return functions.normalQuantileLog(logP);
}

export function normalQuantileUpper(p: number): number {
  tick(heavyScalar);
  return functions.normalQuantileUpper(p);
}
