/**
 * The exported loops: n float64 at x to n at out (which may be x), n even: the binding pads an odd block
 * with one value that is not read back. The branch-free functions work on two pairs at a time, which
 * hides the latency of their dependency chains (×1.3 to ×1.7).
 */
import { expm1Inline, expPairs, log1pInline, logPairs, vexp, vexpm1, vlog, vlog1p } from './elementary';
import { erfcPairs, verfc } from './erf';
import { all } from './lanes';
import { vlogNormalCdf, vnormalCdf } from './normal';
import { vcosPi, vsinPi } from './trig';

export { mapErfcx, mapLogErfc } from './erf';
export { mapInverfc, mapNormalQuantile, mapNormalQuantileLog, mapNormalQuantileUpper } from './quantile';

export function mapExp(x: usize, out: usize, n: usize): void {
  expPairs(x, out, x + (n << 3));
}

export function mapLog(x: usize, out: usize, n: usize): void {
  logPairs(x, out, x + (n << 3));
}

export function mapExpm1(x: usize, out: usize, n: usize): void {
  const end = x + (n << 3);
  for (; x + 16 < end; x += 32, out += 32) {
    const first = expm1Inline(v128.load(x));
    const second = expm1Inline(v128.load(x, 16));
    v128.store(out, first);
    v128.store(out, second, 16);
  }
  if (x < end) v128.store(out, vexpm1(v128.load(x)));
}

export function mapLog1p(x: usize, out: usize, n: usize): void {
  const end = x + (n << 3);
  for (; x + 16 < end; x += 32, out += 32) {
    const first = log1pInline(v128.load(x));
    const second = log1pInline(v128.load(x, 16));
    v128.store(out, first);
    v128.store(out, second, 16);
  }
  if (x < end) v128.store(out, vlog1p(v128.load(x)));
}

export function mapSinPi(x: usize, out: usize, n: usize): void {
  const end = x + (n << 3);
  for (; x + 16 < end; x += 32, out += 32) {
    const first = vsinPi(v128.load(x));
    const second = vsinPi(v128.load(x, 16));
    v128.store(out, first);
    v128.store(out, second, 16);
  }
  if (x < end) v128.store(out, vsinPi(v128.load(x)));
}

export function mapCosPi(x: usize, out: usize, n: usize): void {
  const end = x + (n << 3);
  for (; x + 16 < end; x += 32, out += 32) {
    const first = vcosPi(v128.load(x));
    const second = vcosPi(v128.load(x, 16));
    v128.store(out, first);
    v128.store(out, second, 16);
  }
  if (x < end) v128.store(out, vcosPi(v128.load(x)));
}

export function mapErfc(x: usize, out: usize, n: usize): void {
  const end = x + (n << 3);
  for (; x + 16 < end; x += 32, out += 32) erfcPairs(x, out);
  if (x < end) v128.store(out, verfc(v128.load(x)));
}

export function mapNormalCdf(x: usize, out: usize, n: usize): void {
  const end = x + (n << 3);
  for (; x + 16 < end; x += 32, out += 32) {
    const first = vnormalCdf(v128.load(x));
    const second = vnormalCdf(v128.load(x, 16));
    v128.store(out, first);
    v128.store(out, second, 16);
  }
  if (x < end) v128.store(out, vnormalCdf(v128.load(x)));
}

export function mapLogNormalCdf(x: usize, out: usize, n: usize): void {
  for (const end = x + (n << 3); x < end; x += 16, out += 16) v128.store(out, vlogNormalCdf(v128.load(x)));
}
