/**
 * The exported loops: n float64 at x to n at out (which may be x), n even: the binding pads an odd block
 * with one value that is not read back.
 */
import { vexp, vexpm1, vlog, vlog1p } from './elementary';
import { verfc, verfcx, vlogErfc } from './erf';
import { vlogNormalCdf, vnormalCdf } from './normal';
import { vinverfc, vnormalQuantile, vnormalQuantileLog, vnormalQuantileUpper } from './quantile';
import { vcosPi, vsinPi } from './trig';

export function mapExp(x: usize, out: usize, n: usize): void {
  for (const end = x + (n << 3); x < end; x += 16, out += 16) v128.store(out, vexp(v128.load(x)));
}

export function mapLog(x: usize, out: usize, n: usize): void {
  for (const end = x + (n << 3); x < end; x += 16, out += 16) v128.store(out, vlog(v128.load(x)));
}

export function mapExpm1(x: usize, out: usize, n: usize): void {
  for (const end = x + (n << 3); x < end; x += 16, out += 16) v128.store(out, vexpm1(v128.load(x)));
}

export function mapLog1p(x: usize, out: usize, n: usize): void {
  for (const end = x + (n << 3); x < end; x += 16, out += 16) v128.store(out, vlog1p(v128.load(x)));
}

export function mapSinPi(x: usize, out: usize, n: usize): void {
  for (const end = x + (n << 3); x < end; x += 16, out += 16) v128.store(out, vsinPi(v128.load(x)));
}

export function mapCosPi(x: usize, out: usize, n: usize): void {
  for (const end = x + (n << 3); x < end; x += 16, out += 16) v128.store(out, vcosPi(v128.load(x)));
}

export function mapErfc(x: usize, out: usize, n: usize): void {
  for (const end = x + (n << 3); x < end; x += 16, out += 16) v128.store(out, verfc(v128.load(x)));
}

export function mapErfcx(x: usize, out: usize, n: usize): void {
  for (const end = x + (n << 3); x < end; x += 16, out += 16) v128.store(out, verfcx(v128.load(x)));
}

export function mapLogErfc(x: usize, out: usize, n: usize): void {
  for (const end = x + (n << 3); x < end; x += 16, out += 16) v128.store(out, vlogErfc(v128.load(x)));
}

export function mapNormalCdf(x: usize, out: usize, n: usize): void {
  for (const end = x + (n << 3); x < end; x += 16, out += 16) v128.store(out, vnormalCdf(v128.load(x)));
}

export function mapLogNormalCdf(x: usize, out: usize, n: usize): void {
  for (const end = x + (n << 3); x < end; x += 16, out += 16) v128.store(out, vlogNormalCdf(v128.load(x)));
}

export function mapInverfc(x: usize, out: usize, n: usize): void {
  for (const end = x + (n << 3); x < end; x += 16, out += 16) v128.store(out, vinverfc(v128.load(x)));
}

export function mapNormalQuantile(x: usize, out: usize, n: usize): void {
  for (const end = x + (n << 3); x < end; x += 16, out += 16) v128.store(out, vnormalQuantile(v128.load(x)));
}

export function mapNormalQuantileUpper(x: usize, out: usize, n: usize): void {
  for (const end = x + (n << 3); x < end; x += 16, out += 16)
    v128.store(out, vnormalQuantileUpper(v128.load(x)));
}

export function mapNormalQuantileLog(x: usize, out: usize, n: usize): void {
  for (const end = x + (n << 3); x < end; x += 16, out += 16)
    v128.store(out, vnormalQuantileLog(v128.load(x)));
}
