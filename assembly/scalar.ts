/** The kernel's functions of one number, with the bits of its loops. */
import { vatan2, vlogModulus1p } from './atan.js';
import { vexp, vexpm1, vlog, vlog1p } from './elementary.js';
import { logDeltaGdp } from './gdp.js';
import { muGdpLog } from './gdp-inverse.js';
import { all, lane0, LANES } from './lanes.js';
import { loadF64, memory, store } from './memory.js';
import { vlogNormalCdf, vnormalCdf } from './normal.js';
import { complement, prepare } from './ready.js';
import { vcosPi, vsinPi } from './trig.js';

/** Arguments and the result. */
export const FIRST: usize = memory.data(16, 16);
export const SECOND: usize = memory.data(16, 16);
export const RESULT: usize = memory.data(16, 16);

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

// the memory is made by the first of these, before it is read
export function place(mu: f64, epsilon: f64): void {
  prepare();
  put(mu, epsilon);
}

function put(mu: f64, epsilon: f64): void {
  store(FIRST, all(mu));
  store(SECOND, all(epsilon));
}

export function result(): f64 {
  return loadF64(RESULT);
}

/** log δ_μ(ε). */
export function logDeltaGdpOf(mu: f64, epsilon: f64): f64 {
  place(mu, epsilon);
  logDeltaGdp(FIRST, 0, SECOND, RESULT, LANES);
  return result();
}

/** The μ with log δ_μ(ε) = logDelta: ∞ at logDelta = 0 or ε = ∞, 0 at −∞, NaN unless ε ≥ 0 ≥ logDelta. */
export function muGdpLogOf(epsilon: f64, logDelta: f64): f64 {
  place(epsilon, logDelta);
  muGdpLog(FIRST, SECOND, RESULT, LANES);
  return result();
}
