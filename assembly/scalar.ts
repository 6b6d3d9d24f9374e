/** The kernel's functions of one number, with the bits of its loops. */
import { vatan2, vlogModulus1p } from './atan.js';
import { vexp, vexpm1, vlog, vlog1p } from './elementary.js';
import { all, lane0 } from './lanes.js';
import { vlogNormalCdf, vnormalCdf } from './normal.js';
import { complement } from './ready.js';
import { vcosPi, vsinPi } from './trig.js';

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
/** sin(πx). */
export function sinPiOf(x: f64): f64 {
  return lane0(vsinPi(all(x)));
}
/** cos(πx). */
export function cosPiOf(x: f64): f64 {
  return lane0(vcosPi(all(x)));
}
/** The angle of x + iy in [−π, π]. */
export function atan2Of(y: f64, x: f64): f64 {
  return lane0(vatan2(all(y), all(x)));
}
/** log|1 + z|, z = re + i·im. */
export function logModulus1pOf(re: f64, im: f64): f64 {
  return lane0(vlogModulus1p(all(re), all(im)));
}
/** Φ(x). */
export function normalCdfOf(x: f64): f64 {
  complement();
  return lane0(vnormalCdf(all(x)));
}
/** log Φ(x). */
export function logNormalCdfOf(x: f64): f64 {
  complement();
  return lane0(vlogNormalCdf(all(x)));
}
