/**
 * The kernel's functions of one number, for code above its seam that needs a single value. Each ticks the meter, for itself and for the arithmetic
 * around it.
 */

import * as atan from '../../assembly/atan.js';
import * as seldom from '../../assembly/seldom.js';
import * as trig from '../../assembly/trig.js';
import { tick } from './meter.js';
import { PRICES } from './prices.js';
import { by } from './scalars.js';

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
  return by.scalars.expOf(x);
}

export function expm1(x: number): number {
  tick(scalar);
  return by.scalars.expm1Of(x);
}

export function log(x: number): number {
  tick(scalar);
  return by.scalars.logOf(x);
}

export function log1p(x: number): number {
  tick(scalar);
  return by.scalars.log1pOf(x);
}

export function erfc(x: number): number {
  tick(scalar);
  return seldom.erfcOf(x);
}

export function erfcx(x: number): number {
  tick(scalar);
  return seldom.erfcxOf(x);
}

export function logNormalCdf(x: number): number {
  tick(scalar);
  return by.scalars.logNormalCdfOf(x);
}

export function normalCdf(x: number): number {
  tick(scalar);
  return seldom.normalCdfOf(x);
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
  return seldom.deltaGdpOf(mu, epsilon);
}

export function logDeltaGdp(mu: number, epsilon: number): number {
  tick(heavyScalar);
  return seldom.logDeltaGdpOf(mu, epsilon);
}

export function oneMinusDeltaGdp(mu: number, epsilon: number): number {
  tick(heavyScalar);
  return seldom.oneMinusDeltaGdpOf(mu, epsilon);
}

export function muGdp(epsilon: number, delta: number): number {
  tick(heavyScalar);
  return seldom.muGdpOf(epsilon, delta);
}

export function muGdpLog(epsilon: number, logDelta: number): number {
  tick(heavyScalar);
  return seldom.muGdpLogOf(epsilon, logDelta);
}

export function inverfc(p: number): number {
  tick(heavyScalar);
  return seldom.inverfcOf(p);
}

export function normalQuantile(p: number): number {
  tick(heavyScalar);
  return seldom.normalQuantileOf(p);
}

export function normalQuantileLog(logP: number): number {
  tick(heavyScalar);
  return seldom.normalQuantileLogOf(logP);
}

export function normalQuantileUpper(p: number): number {
  tick(heavyScalar);
  return 0 - seldom.normalQuantileOf(p);
}
