/**
 * The exported loops: n float64 at x to n at out (which may be x), n a multiple of 8: the binding pads a block with numbers
 * that are not read back. The branch-free functions work on two or four pairs at a time, which hides the latency of their
 * dependency chains (×1.3 to ×1.7).
 */
import { requireLoop } from './checks.js';
import { expBlock, expm1Inline, log1pInline, logPairs, vexp, vexpm1, vlog, vlog1p } from './elementary.js';
import { erfcPairs, verfc } from './erf.js';
import { all } from './lanes.js';
import { vlogNormalCdf, vnormalCdf } from './normal.js';
import { vcosPi, vsinPi } from './trig.js';

export { mapErfcx, mapLogErfc } from './erf.js';
export { mapInverfc, mapNormalQuantile, mapNormalQuantileLog, mapNormalQuantileUpper } from './quantile.js';

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
  const end = x + (n << 3);
  for (; x < end; x += 32, out += 32) {
    const first = expm1Inline(v128.load(x));
    const second = expm1Inline(v128.load(x, 16));
    v128.store(out, first);
    v128.store(out, second, 16);
  }
}

export function mapLog1p(x: usize, out: usize, n: usize): void {
  requireLoop(x, out, n);
  const end = x + (n << 3);
  for (; x < end; x += 32, out += 32) {
    const first = log1pInline(v128.load(x));
    const second = log1pInline(v128.load(x, 16));
    v128.store(out, first);
    v128.store(out, second, 16);
  }
}

export function mapSinPi(x: usize, out: usize, n: usize): void {
  requireLoop(x, out, n);
  const end = x + (n << 3);
  for (; x < end; x += 32, out += 32) {
    const first = vsinPi(v128.load(x));
    const second = vsinPi(v128.load(x, 16));
    v128.store(out, first);
    v128.store(out, second, 16);
  }
}

export function mapCosPi(x: usize, out: usize, n: usize): void {
  requireLoop(x, out, n);
  const end = x + (n << 3);
  for (; x < end; x += 32, out += 32) {
    const first = vcosPi(v128.load(x));
    const second = vcosPi(v128.load(x, 16));
    v128.store(out, first);
    v128.store(out, second, 16);
  }
}

export function mapErfc(x: usize, out: usize, n: usize): void {
  requireLoop(x, out, n);
  const end = x + (n << 3);
  for (; x < end; x += 32, out += 32) erfcPairs(x, out);
}

export function mapNormalCdf(x: usize, out: usize, n: usize): void {
  requireLoop(x, out, n);
  const end = x + (n << 3);
  for (; x < end; x += 32, out += 32) {
    const first = vnormalCdf(v128.load(x));
    const second = vnormalCdf(v128.load(x, 16));
    v128.store(out, first);
    v128.store(out, second, 16);
  }
}

export function mapLogNormalCdf(x: usize, out: usize, n: usize): void {
  requireLoop(x, out, n);
  for (const end = x + (n << 3); x < end; x += 16, out += 16) v128.store(out, vlogNormalCdf(v128.load(x)));
}
