/** The kernel's functions of one number that plans seldom ask, with the bits of its loops. In JavaScript alone: WebAssembly would gain nothing but length. */
import { verfc, verfcx } from './erf.js';
import * as profile from './gdp.js';
import { enter, muGdpLog, settle } from './gdp-inverse.js';
import { all, eq, lane0, LANES, lt, WIDTH } from './lanes.js';
import { loadF64, memory, store } from './memory.js';
import { vnormalCdf } from './normal.js';
import { INVERFC, QUANTILE, vquantile, vquantileLog } from './quantile.js';
import { complement, prepare } from './ready.js';
import { logOf } from './scalar.js';

/** Arguments and the result. */
const FIRST: usize = memory.data(16, 16);
const SECOND: usize = memory.data(16, 16);
const RESULT: usize = memory.data(16, 16);

// the memory is made by the first of these, before it is read
function place(mu: f64, epsilon: f64): void {
  prepare();
  put(mu, epsilon);
}

function put(mu: f64, epsilon: f64): void {
  store(FIRST, all(mu));
  store(SECOND, all(epsilon));
}

function result(): f64 {
  return loadF64(RESULT);
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
/** e^{x²} erfc(x); +∞ below −26.63. */
export function erfcxOf(x: f64): f64 {
  prepare();
  return lane0(verfcx(all(x)));
}
/** z with Φ(z) = p; ∓∞ at 0 and 1, NaN outside. */
export function normalQuantileOf(p: f64): f64 {
  prepare();
  return lane0(vquantile(QUANTILE, all(p)));
}
/** z with log Φ(z) = logP ≤ 0. */
export function normalQuantileLogOf(logP: f64): f64 {
  prepare();
  return lane0(vquantileLog(all(logP)));
}
/** x with erfc(x) = p. */
export function inverfcOf(p: f64): f64 {
  prepare();
  return lane0(vquantile(INVERFC, all(p)));
}

function profileAt(of: typeof profile.deltaGdp, mu: f64, epsilon: f64): f64 {
  place(mu, epsilon);
  of(FIRST, 0, SECOND, RESULT, LANES);
  return result();
}

/** δ_μ(ε). */
export function deltaGdpOf(mu: f64, epsilon: f64): f64 {
  return profileAt(profile.deltaGdp, mu, epsilon);
}
/** log δ_μ(ε). */
export function logDeltaGdpOf(mu: f64, epsilon: f64): f64 {
  return profileAt(profile.logDeltaGdp, mu, epsilon);
}
/** 1 − δ_μ(ε). */
export function oneMinusDeltaGdpOf(mu: f64, epsilon: f64): f64 {
  return profileAt(profile.oneMinusDeltaGdp, mu, epsilon);
}
/** The μ with log δ_μ(ε) = logDelta: ∞ at logDelta = 0 or ε = ∞, 0 at −∞, NaN unless ε ≥ 0 ≥ logDelta. */
export function muGdpLogOf(epsilon: f64, logDelta: f64): f64 {
  place(epsilon, logDelta);
  muGdpLog(FIRST, SECOND, RESULT, LANES);
  return result();
}
/** μ_GDP(ε, δ), ε ≥ 0, 0 ≤ δ ≤ 1 (NaN outside): from 1 − δ where that is the smaller. */
export function muGdpOf(epsilon: f64, delta: f64): f64 {
  if (!(epsilon >= 0 && delta > 0.5 && delta < 1 && epsilon < Infinity))
    return delta >= 0 && delta <= 1 ? muGdpLogOf(epsilon, logOf(delta)) : NaN;
  prepare();
  const zero = all(0);
  enter(all(epsilon), all(logOf(1 - delta)), eq(zero, zero), lt(zero, zero), zero, 0, 0);
  settle(WIDTH, RESULT);
  return result();
}
