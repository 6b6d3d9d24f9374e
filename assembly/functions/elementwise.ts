/**
 * The exported loops over arrays: n doubles at x give n at `out`, which may be x. n is a multiple of 8: the bindings pad a block with numbers that
 * are not read back. Errors found: `ELEMENTWISE` in src/kernel/kernel.ts. The branch-free functions work on two or four vectors at a time, which
 * hides the latency of dependent operations (×1.3 to ×1.7).
 */
import { expBlock, expm1Inline, log1pInline, logPairs } from './elementary.js';
import { erfcPairs } from './erf-loops.js';
import { vlogNormalCdf, vnormalCdf } from './normal.js';
import { vcosPi, vsinPi } from './trig.js';
import { requireLoop, WIDTH } from '../lane/lanes.js';
import { load, store } from '../lane/memory.js';

export { mapErfcx, mapLogErfc } from './erf-loops.js';
export { mapInverfc, mapNormalQuantile, mapNormalQuantileLog, mapNormalQuantileUpper } from './quantile.js';

/* @inline */ function storeBoth(out: usize, first: v128, second: v128): void {
  store(out, first);
  store(out, second, WIDTH);
}

export function mapExp(x: usize, out: usize, n: usize): void {
  requireLoop(x, out, n);
  expBlock(x, out, x + (n << 3));
}

export function mapLog(x: usize, out: usize, n: usize): void {
  requireLoop(x, out, n);
  logPairs(x, out, x + (n << 3));
}

export function mapExpm1(x: usize, out: usize, n: usize): void {
  requireLoop(x, out, n);
  for (const end = x + (n << 3); x < end; x += 2 * WIDTH, out += 2 * WIDTH)
    storeBoth(out, expm1Inline(load(x)), expm1Inline(load(x, WIDTH)));
}

export function mapLog1p(x: usize, out: usize, n: usize): void {
  requireLoop(x, out, n);
  for (const end = x + (n << 3); x < end; x += 2 * WIDTH, out += 2 * WIDTH)
    storeBoth(out, log1pInline(load(x)), log1pInline(load(x, WIDTH)));
}

export function mapSinPi(x: usize, out: usize, n: usize): void {
  requireLoop(x, out, n);
  for (const end = x + (n << 3); x < end; x += 2 * WIDTH, out += 2 * WIDTH)
    storeBoth(out, vsinPi(load(x)), vsinPi(load(x, WIDTH)));
}

export function mapCosPi(x: usize, out: usize, n: usize): void {
  requireLoop(x, out, n);
  for (const end = x + (n << 3); x < end; x += 2 * WIDTH, out += 2 * WIDTH)
    storeBoth(out, vcosPi(load(x)), vcosPi(load(x, WIDTH)));
}

export function mapErfc(x: usize, out: usize, n: usize): void {
  requireLoop(x, out, n);
  for (const end = x + (n << 3); x < end; x += 2 * WIDTH, out += 2 * WIDTH) erfcPairs(x, out);
}

export function mapNormalCdf(x: usize, out: usize, n: usize): void {
  requireLoop(x, out, n);
  for (const end = x + (n << 3); x < end; x += 2 * WIDTH, out += 2 * WIDTH)
    storeBoth(out, vnormalCdf(load(x)), vnormalCdf(load(x, WIDTH)));
}

export function mapLogNormalCdf(x: usize, out: usize, n: usize): void {
  requireLoop(x, out, n);
  for (const end = x + (n << 3); x < end; x += WIDTH, out += WIDTH) store(out, vlogNormalCdf(load(x)));
}
