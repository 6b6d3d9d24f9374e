/** The kernel's other functions of one or two numbers, with the bits of its loops. In JavaScript alone: WebAssembly would gain little but length. */
import { vatan2, vlogModulus1p } from './atan.js';
import { verfc, verfcx } from './erf.js';
import { vnormalCdf } from './normal.js';
import { INVERFC, QUANTILE, vquantile, vquantileLog } from './quantile.js';
import { complement, prepare } from './ready.js';
import { vcosPi, vsinPi } from './trig.js';

/** cos πx. */
export function cosPiOf(x: f64): f64 {
  return lane0(vcosPi(all(x)));
}
/** sin πx. */
export function sinPiOf(x: f64): f64 {
  return lane0(vsinPi(all(x)));
}
/** The angle of (x, y). */
export function atan2Of(y: f64, x: f64): f64 {
  return lane0(vatan2(all(y), all(x)));
}
/** log|1 + x + iy|. */
export function logModulus1pOf(x: f64, y: f64): f64 {
  return lane0(vlogModulus1p(all(x), all(y)));
}
/** e^{x²} erfc(x); +∞ below −26.63. */
export function erfcxOf(x: f64): f64 {
  prepare();
  return lane0(verfcx(all(x)));
}
/** Φ(x). */
export function normalCdfOf(x: f64): f64 {
  complement();
  return lane0(vnormalCdf(all(x)));
}
/** erfc(x), subnormal results included. */
export function erfcOf(x: f64): f64 {
  complement();
  return lane0(verfc(all(x)));
}
/** z with Φ(z) = p; ∓∞ at 0 and 1, NaN outside. */
export function normalQuantileOf(p: f64): f64 {
  prepare();
  return lane0(vquantile(QUANTILE, all(p)));
}
/** x with erfc(x) = p. */
export function inverfcOf(p: f64): f64 {
  prepare();
  return lane0(vquantile(INVERFC, all(p)));
}
/** z with log Φ(z) = logP ≤ 0. */
export function normalQuantileLogOf(logP: f64): f64 {
  prepare();
  return lane0(vquantileLog(all(logP)));
}
