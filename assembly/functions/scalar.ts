/**
 * The kernel's functions of single numbers, with the bits of its loops. Errors found: `ELEMENTWISE` in src/kernel/kernel.ts, and functions/gdp.ts.
 * Code above the kernel calls them in JavaScript, whichever engine answers (src/numeric/scalar.ts).
 */
import { vatan2, vlogModulus1p } from './atan.js';
import { vexp, vexpm1, vlog, vlog1p } from './elementary.js';
import { verfc, verfcx } from './erf.js';
import { COMPLEMENT, DELTA, LOG, profile } from './gdp.js';
import { enter, muGdpLog, settle, SLOTS } from './gdp-inverse.js';
import { vlogNormalCdf, vnormalCdf } from './normal.js';
import { INVERFC, QUANTILE, vquantile, vquantileLog } from './quantile.js';
import { complement, prepare } from '../lane/ready.js';
import { vcosPi, vsinPi } from './trig.js';
import { all, eq, lane0, LANES, lt, WIDTH } from '../lane/lanes.js';
import { loadF64, store } from '../lane/memory.js';
import { borrow, giveBack } from '../lane/scratch.js';

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

/** cos πx. */
export function cosPiOf(x: f64): f64 {
  return lane0(vcosPi(all(x)));
}
/** sin πx. */
export function sinPiOf(x: f64): f64 {
  return lane0(vsinPi(all(x)));
}
/** The angle of x + iy in [−π, π], within 4 ulps. atan2(0, x ≥ 0) = 0. */
export function atan2Of(y: f64, x: f64): f64 {
  return lane0(vatan2(all(y), all(x)));
}
/** log|1 + x + iy|. */
export function logModulus1pOf(x: f64, y: f64): f64 {
  return lane0(vlogModulus1p(all(x), all(y)));
}
/** z with log Φ(z) = logP ≤ 0. */
export function normalQuantileLogOf(logP: f64): f64 {
  prepare();
  return lane0(vquantileLog(all(logP)));
}

/** Bytes after which the second argument and the result of a loop stand behind the first argument. */
/* @inline */ const SECOND: usize = 16;
/* @inline */ const RESULT: usize = 32;

/** Borrows memory for two arguments and a result, and stores the arguments; in JavaScript the first call allocates the memory. */
function placed(first: f64, second: f64): usize {
  prepare();
  return put(first, second);
}

function put(first: f64, second: f64): usize {
  const at = borrow(48);
  store(at, all(first));
  store(at, all(second), SECOND);
  return at;
}

/** The result, after which the memory is given back. */
function resultAt(at: usize): f64 {
  giveBack(at);
  return loadF64(at, RESULT);
}

function profileOf(kind: i32, mu: f64, epsilon: f64): f64 {
  const at = placed(mu, epsilon);
  profile(kind, at, 0, at + SECOND, LANES, at + RESULT);
  return resultAt(at);
}
/** δ_μ(ε). */
export function deltaGdpOf(mu: f64, epsilon: f64): f64 {
  return profileOf(DELTA, mu, epsilon);
}
/** log δ_μ(ε). */
export function logDeltaGdpOf(mu: f64, epsilon: f64): f64 {
  return profileOf(LOG, mu, epsilon);
}
/** 1 − δ_μ(ε). */
export function oneMinusDeltaGdpOf(mu: f64, epsilon: f64): f64 {
  return profileOf(COMPLEMENT, mu, epsilon);
}
/** The μ with log δ_μ(ε) = logDelta. It is ∞ at logDelta = 0 or ε = ∞, 0 at −∞, and NaN unless ε ≥ 0 ≥ logDelta. */
export function muGdpLogOf(epsilon: f64, logDelta: f64): f64 {
  const at = placed(epsilon, logDelta);
  muGdpLog(at, at + SECOND, LANES, at + RESULT);
  return resultAt(at);
}
/** μ_GDP(ε, δ), ε ≥ 0, 0 ≤ δ ≤ 1 (NaN outside): from 1 − δ where that is the smaller. To a few roundings, as `muGdpLog`. */
export function muGdpOf(epsilon: f64, delta: f64): f64 {
  if (!(epsilon >= 0 && delta > 0.5 && delta < 1 && epsilon < Infinity))
    return delta >= 0 && delta <= 1 ? muGdpLogOf(epsilon, logOf(delta)) : NaN;
  const logRest = logOf(1 - delta);
  const at = placed(epsilon, logRest);
  const slots = borrow(SLOTS);
  const zero = all(0);
  enter(all(epsilon), all(logRest), eq(zero, zero), lt(zero, zero), zero, slots, 0);
  settle(slots, WIDTH, at + RESULT);
  return resultAt(at);
}
