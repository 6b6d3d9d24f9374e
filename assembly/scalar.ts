/**
 * The kernel's functions of one number, for code that needs a single value: crossing into WebAssembly would cost more. The same text, and so the same bits, as
 * the loops of either engine. exp, log, expm1 and log1p stand in elementary.ts.
 */
import { errorTables, specialTables } from '../src/kernel/tables.js';
import { DIVIDED as MILLS_DIVIDED, RATIO as MILLS_RATIO } from '../src/kernel/mills-table.js';
import { log } from './elementary.js';
import { verfc, verfcx, vlogErfc } from './erf.js';
import * as profile from './gdp.js';
import { enter, muGdpLog as solveMu, settle } from './gdp-inverse.js';
import { heap, loadF64, memory, storeF64 } from './memory.js';
import { DIVIDED, RATIO } from './mills-table.js';
import { vlogNormalCdf, vnormalCdf } from './normal.js';
import { INVERFC, QUANTILE, vquantile, vquantileLog } from './quantile.js';
import { TABLES } from './tables.js';
import { WIDTH } from './lanes.js';

/** Arguments and the result. */
const FIRST: usize = memory.data(16, 16);
const SECOND: usize = memory.data(16, 16);
const RESULT: usize = memory.data(16, 16);

let prepared = false;
let complete = false;

/** Puts the tables in place, without the long ones of erfc and log erfc. */
export function prepare(): void {
  if (prepared) return;
  const numbers = new Float64Array(heap.buffer);
  numbers.set(specialTables(), TABLES >> 3);
  numbers.set(MILLS_RATIO, RATIO >> 3);
  numbers.set(MILLS_DIVIDED, DIVIDED >> 3);
  prepared = true;
}

/** With them. */
function complement(): void {
  if (complete) return;
  prepare();
  new Float64Array(heap.buffer).set(errorTables(), TABLES >> 3);
  complete = true;
}

/** erfc(x), subnormal results included. */
export function erfc(x: number): number {
  complement();
  return verfc(x);
}
/** e^{x²} erfc(x); +∞ below −26.63. */
export function erfcx(x: number): number {
  prepare();
  return verfcx(x);
}
/** log erfc(x); −∞ from 1.34e154. */
export function logErfc(x: number): number {
  complement();
  return vlogErfc(x);
}
/** Φ(x). */
export function normalCdf(x: number): number {
  complement();
  return vnormalCdf(x);
}
/** log Φ(x). */
export function logNormalCdf(x: number): number {
  complement();
  return vlogNormalCdf(x);
}
/** z with Φ(z) = p; ∓∞ at 0 and 1, NaN outside. */
export function normalQuantile(p: number): number {
  prepare();
  return vquantile(QUANTILE, p);
}
/** z with 1 − Φ(z) = p. */
export function normalQuantileUpper(p: number): number {
  return 0 - normalQuantile(p);
}
/** z with log Φ(z) = logP ≤ 0. */
export function normalQuantileLog(logP: number): number {
  prepare();
  return vquantileLog(logP);
}
/** x with erfc(x) = p. */
export function inverfc(p: number): number {
  prepare();
  return vquantile(INVERFC, p);
}

type Profile = (mu: usize, each: usize, epsilon: usize, out: usize, n: usize) => void;

function profileAt(of: Profile, mu: number, epsilon: number): number {
  prepare();
  storeF64(FIRST, mu);
  storeF64(SECOND, epsilon);
  of(FIRST, 0, SECOND, RESULT, 1);
  return loadF64(RESULT);
}

/** δ_μ(ε). */
export function deltaGdp(mu: number, epsilon: number): number {
  return profileAt(profile.deltaGdp, mu, epsilon);
}
/** log δ_μ(ε). */
export function logDeltaGdp(mu: number, epsilon: number): number {
  return profileAt(profile.logDeltaGdp, mu, epsilon);
}
/** 1 − δ_μ(ε). */
export function oneMinusDeltaGdp(mu: number, epsilon: number): number {
  return profileAt(profile.oneMinusDeltaGdp, mu, epsilon);
}
/** Φ(b) − Φ(a), a ≤ b. */
export function normalInterval(a: number, b: number): number {
  prepare();
  storeF64(FIRST, a);
  storeF64(FIRST + 8, b);
  profile.normalIntervals(FIRST, RESULT, 1);
  return loadF64(RESULT);
}

/** The μ with log δ_μ(ε) = logDelta: ∞ at logDelta = 0 or ε = ∞, 0 at −∞, NaN unless ε ≥ 0 ≥ logDelta. */
export function muGdpLog(epsilon: number, logDelta: number): number {
  prepare();
  storeF64(FIRST, epsilon);
  storeF64(SECOND, logDelta);
  solveMu(FIRST, SECOND, RESULT, 1);
  return loadF64(RESULT);
}

/** μ_GDP(ε, δ), ε ≥ 0, 0 ≤ δ ≤ 1 (NaN outside): from 1 − δ where that is the smaller. */
export function muGdp(epsilon: number, delta: number): number {
  if (!(epsilon >= 0 && delta > 0.5 && delta < 1 && epsilon < Infinity))
    return delta >= 0 && delta <= 1 ? muGdpLog(epsilon, log(delta)) : NaN;
  prepare();
  const [yes, no] = [1, 0];
  enter(epsilon, log(1 - delta), yes, no, 0, 0, 0);
  settle(WIDTH, RESULT);
  return loadF64(RESULT);
}
