/**
 * The functions of single numbers over arrays. Errors found: `ELEMENTWISE` in src/kernel/kernel.ts. The branch-free functions work on two or four
 * vectors at a time, which hides the latency of dependent operations (×1.3 to ×1.7).
 */
import { expBlock, expm1Inline, log1pInline, logPairs } from './elementary.js';
import { erfcPairs, erfcxLoop, logErfcLoop } from './erf-loops.js';
import { vlogNormalCdf, vnormalCdf } from './normal.js';
import { INVERFC, QUANTILE, quantileLogLoop, quantileLoop } from './quantile.js';
import { vcosPi, vsinPi } from './trig.js';
import { all, requireLoop, sub, WIDTH } from '../lane/lanes.js';
import { load, store } from '../lane/memory.js';

/**
 * A function of n numbers at x, to `out`, which may be x. n is a multiple of 8: the bindings pad a block with numbers that are not read back.
 * @param which Its place among the names of `ELEMENTWISE`.
 */
export function elementwise(which: i32, x: usize, out: usize, n: usize): void {
  requireLoop(x, out, n);
  const end = x + (n << 3);
  if (which === 0) expBlock(x, out, end);
  else if (which === 1) logPairs(x, out, end);
  else if (which === 2) expm1Loop(x, out, end);
  else if (which === 3) log1pLoop(x, out, end);
  else if (which === 4) sinPiLoop(x, out, end);
  else if (which === 5) cosPiLoop(x, out, end);
  else if (which === 6) erfcLoop(x, out, end);
  else if (which === 7) erfcxLoop(x, out, end);
  else if (which === 8) logErfcLoop(x, out, end);
  else if (which === 9) quantileLoop(INVERFC, x, out, end);
  else if (which === 10) normalCdfLoop(x, out, end);
  else if (which === 11) logNormalCdfLoop(x, out, end);
  else if (which === 14) quantileLogLoop(x, out, end);
  else quantileLoop(QUANTILE, x, out, end);
  // the upper quantile, by symmetry: no 1 − p is formed for small p
  if (which === 13)
    for (const last = out + (n << 3); out < last; out += WIDTH) store(out, sub(all(0), load(out)));
}

/* @inline */ function storeBoth(out: usize, first: v128, second: v128): void {
  store(out, first);
  store(out, second, WIDTH);
}

function expm1Loop(x: usize, out: usize, end: usize): void {
  for (; x < end; x += 2 * WIDTH, out += 2 * WIDTH)
    storeBoth(out, expm1Inline(load(x)), expm1Inline(load(x, WIDTH)));
}

function log1pLoop(x: usize, out: usize, end: usize): void {
  for (; x < end; x += 2 * WIDTH, out += 2 * WIDTH)
    storeBoth(out, log1pInline(load(x)), log1pInline(load(x, WIDTH)));
}

function sinPiLoop(x: usize, out: usize, end: usize): void {
  for (; x < end; x += 2 * WIDTH, out += 2 * WIDTH) storeBoth(out, vsinPi(load(x)), vsinPi(load(x, WIDTH)));
}

function cosPiLoop(x: usize, out: usize, end: usize): void {
  for (; x < end; x += 2 * WIDTH, out += 2 * WIDTH) storeBoth(out, vcosPi(load(x)), vcosPi(load(x, WIDTH)));
}

function erfcLoop(x: usize, out: usize, end: usize): void {
  for (; x < end; x += 2 * WIDTH, out += 2 * WIDTH) erfcPairs(x, out);
}

function normalCdfLoop(x: usize, out: usize, end: usize): void {
  for (; x < end; x += 2 * WIDTH, out += 2 * WIDTH)
    storeBoth(out, vnormalCdf(load(x)), vnormalCdf(load(x, WIDTH)));
}

function logNormalCdfLoop(x: usize, out: usize, end: usize): void {
  for (; x < end; x += WIDTH, out += WIDTH) store(out, vlogNormalCdf(load(x)));
}
