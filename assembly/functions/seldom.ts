/** Scalar functions that only JavaScript exports, with the bits of the kernel's loops: WebAssembly would gain little from them. */
import { verfc, verfcx } from './erf.js';
import { vnormalCdf } from './normal.js';
import { INVERFC, QUANTILE, vquantile } from './quantile.js';
import { complement, prepare } from '../lane/ready.js';
import { all, lane0 } from '../lane/lanes.js';

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
