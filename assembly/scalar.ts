/** The functions of one number that plans ask most, with the bits of the kernel's loops. */
import { vexp, vexpm1, vlog, vlog1p } from './elementary.js';
import { all, lane0 } from './lanes.js';
import { vlogNormalCdf } from './normal.js';
import { complement } from './ready.js';

export function expOf(x: f64): f64 {
  return lane0(vexp(all(x)));
}
export function expm1Of(x: f64): f64 {
  return lane0(vexpm1(all(x)));
}
export function logOf(x: f64): f64 {
  return lane0(vlog(all(x)));
}
export function log1pOf(x: f64): f64 {
  return lane0(vlog1p(all(x)));
}
/** log Φ(x). */
export function logNormalCdfOf(x: f64): f64 {
  complement();
  return lane0(vlogNormalCdf(all(x)));
}
