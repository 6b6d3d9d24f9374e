/**
 * Converts between two spectra in place. Z is that of the packed complex sequence z_j = x_{2j} + i·x_{2j+1}, in bit-reversed order. X is the packed
 * spectrum of the reals (`fft.ts`).
 */
import { add, all, evens, LANES, mul, neg, odds, quarterTurn, reversed, sub, WIDTH } from '../lane/lanes.js';
import { load, loadF64, store, storeF64 } from '../lane/memory.js';

/** Bytes from the real part of an even position to that of the next position. */
/* @inline */ export const NEXT: usize = LANES === 2 ? 8 : 16;

/**
 * Separates the spectra of even and odd reals at position a and its partner b, w the root. Position a becomes (a + conj b)·scale − i·w·(a − conj
 * b)·scale, b its partner; `back` is the inverse. b is given in the order of a. Real and imaginary parts go to p and p2, those of the partner,
 * reversed, to q and q2. With `plain`, one complex number goes to each. Rounding errors: those of two complex additions and a product.
 */
/* @inline */ export function storePair(
  back: bool,
  plain: bool,
  p: usize,
  p2: usize,
  q: usize,
  q2: usize,
  ar: v128,
  ai: v128,
  br: v128,
  bi: v128,
  wr: v128,
  wi: v128,
  scale: v128,
): void {
  const er = mul(add(ar, br), scale);
  const ei = mul(sub(ai, bi), scale);
  const dr = mul(sub(ar, br), scale);
  const di = mul(add(ai, bi), scale);
  const a = back ? add(mul(dr, wr), mul(di, wi)) : sub(mul(dr, wr), mul(di, wi));
  const b = back ? sub(mul(di, wr), mul(dr, wi)) : add(mul(dr, wi), mul(di, wr));
  const xr = back ? sub(er, b) : add(er, b);
  const xi = back ? add(ei, a) : sub(ei, a);
  store(p, plain ? evens(xr, xi) : xr);
  store(p2, plain ? odds(xr, xi) : xi);
  const yr = back ? add(er, b) : sub(er, b);
  const yi = back ? sub(a, ei) : neg(add(ei, a));
  store(q, plain ? evens(yr, yi) : reversed(yr));
  store(q2, plain ? odds(yr, yi) : reversed(yi));
}

/** `storePair` of positions 2 and 3, which are each other's partners, with the root wr + i·wi and its rounding errors. */
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

/** `storePair` of all positions from 4 to `size` − 1. */
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
      storePair(back, false, p, p + WIDTH, q, q + WIDTH, ar, ai, br, bi, wr, quarterTurn(w), scale);
    }
  }
}

/** Z to X at positions below `size`, a power of two ≥ 4, in place. Rounding errors as for `storePair`. */
export function unpack(data: usize, size: usize, table: usize): void {
  const z0 = loadF64(data);
  const z0i = loadF64(data, WIDTH);
  storeF64(data, z0 + z0i);
  storeF64(data, z0 - z0i, WIDTH);
  storeF64(data, -loadF64(data, NEXT + WIDTH), NEXT + WIDTH);
  turnFirst(data, loadF64(table, 16), loadF64(table, 24), 0.5);
  turnRest(false, data, size, table, all(0.5));
}

/** Inverse of `unpack`, times twice `scale`. Rounding errors as for `storePair`. */
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
