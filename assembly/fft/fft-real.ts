/**
 * Converts between two spectra in place. Z is that of the packed complex sequence z_j = x_{2j} + i·x_{2j+1}, in bit-reversed order. X is the packed
 * spectrum of the reals (`fft.ts`).
 */
import { add, all, evens, LANES, mul, neg, odds, quarterTurn, reversed, sub, WIDTH } from '../lane/lanes.js';
import { load, loadF64, store, storeF64 } from '../lane/memory.js';

/** Bytes from the real part of an even position to that of the next position. */
/* @inline */ export const NEXT: usize = LANES === 2 ? 8 : 16;

/**
 * Real part of w·d, or of d times the conjugate of w for `back`. A position a and its partner b, at the frequencies k and N − k, are untangled with a
 * root of unity w. They become e − i·w·d and the conjugate of e + i·w·d, e = (a + conj b)·scale and d = (a − conj b)·scale. With `back` it is the
 * inverse. Rounding errors in all: those of two complex additions and a product.
 */
/* @inline */ export function turnedRe(back: bool, dr: v128, di: v128, wr: v128, wi: v128): v128 {
  return back ? add(mul(dr, wr), mul(di, wi)) : sub(mul(dr, wr), mul(di, wi));
}
/** Imaginary part of the number of `turnedRe`. */
/* @inline */ export function turnedIm(back: bool, dr: v128, di: v128, wr: v128, wi: v128): v128 {
  return back ? sub(mul(di, wr), mul(dr, wi)) : add(mul(dr, wi), mul(di, wr));
}

/**
 * Stores real and imaginary parts of e − i(a + bi) at p and p2; with `plain`, one complex number of the two lanes at each. Each part has one
 * rounding.
 */
/* @inline */ export function storeOwn(
  back: bool,
  plain: bool,
  p: usize,
  p2: usize,
  er: v128,
  ei: v128,
  a: v128,
  b: v128,
): void {
  const re = back ? sub(er, b) : add(er, b);
  const im = back ? add(ei, a) : sub(ei, a);
  store(p, plain ? evens(re, im) : re);
  store(p2, plain ? odds(re, im) : im);
}

/** `storeOwn` for the partner, the conjugate of e + i(a + bi); without `plain` its lanes are in reverse order. Each part has one rounding. */
/* @inline */ export function storePartner(
  back: bool,
  plain: bool,
  q: usize,
  q2: usize,
  er: v128,
  ei: v128,
  a: v128,
  b: v128,
): void {
  const re = back ? add(er, b) : sub(er, b);
  const im = back ? sub(a, ei) : neg(add(ei, a));
  store(q, plain ? evens(re, im) : reversed(re));
  store(q2, plain ? odds(re, im) : reversed(im));
}

/** Untangles positions 2 and 3, which are each other's partners, with the root of unity wr + i·wi. Rounding errors as for `turnedRe`. */
function turnFirst(data: usize, wr: f64, wi: f64, scale: f64): void {
  const ar = loadF64(data, 32);
  const br = loadF64(data, 32 + NEXT);
  const ai = loadF64(data, 32 + WIDTH);
  const bi = loadF64(data, 32 + NEXT + WIDTH);
  const er = (ar + br) * scale;
  const ei = (ai - bi) * scale;
  const dr = (ar - br) * scale;
  const di = (ai + bi) * scale;
  const a = dr * wr - di * wi;
  const b = dr * wi + di * wr;
  storeF64(data, er + b, 32);
  storeF64(data, er - b, 32 + NEXT);
  storeF64(data, ei - a, 32 + WIDTH);
  storeF64(data, -(ei + a), 32 + NEXT + WIDTH);
}

/** Untangles all positions from 4 to `size` − 1 with their partners, with the rounding errors of `turnedRe`. */
/* @inline */ function turnRest(back: bool, data: usize, size: usize, table: usize, scale: v128): void {
  for (let group: usize = 4; group < size; group <<= 1) {
    let p = data + (group << 4);
    let q = p + (group << 4) - 2 * WIDTH;
    let w = table + (group << 3);
    for (; p < q; p += 2 * WIDTH, q -= 2 * WIDTH, w += WIDTH) {
      const ar = load(p);
      const ai = load(p, WIDTH);
      const br = reversed(load(q));
      const bi = reversed(load(q, WIDTH));
      const wr = load(w);
      const wi = quarterTurn(w);
      const er = mul(add(ar, br), scale);
      const ei = mul(sub(ai, bi), scale);
      const dr = mul(sub(ar, br), scale);
      const di = mul(add(ai, bi), scale);
      const a = turnedRe(back, dr, di, wr, wi);
      const b = turnedIm(back, dr, di, wr, wi);
      storeOwn(back, false, p, p + WIDTH, er, ei, a, b);
      storePartner(back, false, q, q + WIDTH, er, ei, a, b);
    }
  }
}

/** Z to X at positions below `size`, a power of two ≥ 4, in place. Rounding errors as for `turnedRe`. */
export function unpack(data: usize, size: usize, table: usize): void {
  const z0 = loadF64(data);
  const z0i = loadF64(data, WIDTH);
  storeF64(data, z0 + z0i);
  storeF64(data, z0 - z0i, WIDTH);
  storeF64(data, -loadF64(data, NEXT + WIDTH), NEXT + WIDTH);
  turnFirst(data, loadF64(table, 16), loadF64(table, 24), 0.5);
  turnRest(false, data, size, table, all(0.5));
}

/** Inverse of `unpack`, times twice `scale`. Rounding errors as for `turnedRe`. */
export function repack(data: usize, size: usize, table: usize, scale: f64): void {
  const x0 = loadF64(data);
  const xn = loadF64(data, WIDTH);
  storeF64(data, (x0 + xn) * scale);
  storeF64(data, (x0 - xn) * scale, WIDTH);
  storeF64(data, loadF64(data, NEXT) * (2.0 * scale), NEXT);
  storeF64(data, loadF64(data, NEXT + WIDTH) * (-2.0 * scale), NEXT + WIDTH);
  turnFirst(data, -loadF64(table, 16), loadF64(table, 24), scale);
  turnRest(true, data, size, table, all(scale));
}
