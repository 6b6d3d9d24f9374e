/**
 * Between the spectrum Z of the packed complex sequence z_j = x_{2j} + i·x_{2j+1}, in bit-reversed order, and the
 * packed spectrum X of the reals (`fft.ts`), in place.
 */

import { add, all, LANES, mul, neg, quarterTurn, reversed, sub, WIDTH } from './lanes.js';
import { load, loadF64, store, storeF64 } from './memory.js';

/** Bytes from the real part of an even position to that of the next. */
/* @inline */ const NEXT: usize = LANES === 2 ? 8 : 16;

/** Z to X, positions below `size` (a power of two ≥ 4): all, or so many of the first. */
export function unpack(data: usize, size: usize, table: usize): void {
  const z0 = loadF64(data);
  const z0i = loadF64(data, WIDTH);
  storeF64(data, z0 + z0i);
  storeF64(data, z0 - z0i, WIDTH);
  storeF64(data, -loadF64(data, NEXT + WIDTH), NEXT + WIDTH);
  // Positions 2 and 3 are each other's conjugate and share one pair.
  {
    const wr = loadF64(table, 16);
    const wi = loadF64(table, 24);
    const ar = loadF64(data, 32);
    const br = loadF64(data, 32 + NEXT);
    const ai = loadF64(data, 32 + WIDTH);
    const bi = loadF64(data, 32 + NEXT + WIDTH);
    const er = (ar + br) * 0.5;
    const ei = (ai - bi) * 0.5;
    const dr = (ar - br) * 0.5;
    const di = (ai + bi) * 0.5;
    const a = dr * wr - di * wi;
    const b = dr * wi + di * wr;
    storeF64(data, er + b, 32);
    storeF64(data, er - b, 32 + NEXT);
    storeF64(data, ei - a, 32 + WIDTH);
    storeF64(data, -(ei + a), 32 + NEXT + WIDTH);
  }
  const half = all(0.5);
  for (let group: usize = 4; group < size; group <<= 1) {
    let p = data + (group << 4);
    let q = p + (group << 4) - 2 * WIDTH;
    let w = table + (group << 3);
    for (; p < q; p += 2 * WIDTH, q -= 2 * WIDTH, w += WIDTH) {
      const WR = load(w);
      const WI = quarterTurn(w);
      const ar = load(p);
      const ai = load(p, WIDTH);
      let br = load(q);
      let bi = load(q, WIDTH);
      br = reversed(br);
      bi = reversed(bi);
      const er = mul(add(ar, br), half);
      const ei = mul(sub(ai, bi), half);
      const dr = mul(sub(ar, br), half);
      const di = mul(add(ai, bi), half);
      const a = sub(mul(dr, WR), mul(di, WI));
      const b = add(mul(dr, WI), mul(di, WR));
      store(p, add(er, b));
      store(p, sub(ei, a), WIDTH);
      const yr = sub(er, b);
      const yi = neg(add(ei, a));
      store(q, reversed(yr));
      store(q, reversed(yi), WIDTH);
    }
  }
}

/** Inverse of `unpack`, times twice `scale`. */
export function repack(data: usize, size: usize, table: usize, scale: f64): void {
  const x0 = loadF64(data);
  const xn = loadF64(data, WIDTH);
  storeF64(data, (x0 + xn) * scale);
  storeF64(data, (x0 - xn) * scale, WIDTH);
  storeF64(data, loadF64(data, NEXT) * (2.0 * scale), NEXT);
  storeF64(data, loadF64(data, NEXT + WIDTH) * (-2.0 * scale), NEXT + WIDTH);
  {
    const wr = loadF64(table, 16);
    const wi = loadF64(table, 24);
    const ar = loadF64(data, 32);
    const br = loadF64(data, 32 + NEXT);
    const ai = loadF64(data, 32 + WIDTH);
    const bi = loadF64(data, 32 + NEXT + WIDTH);
    const er = (ar + br) * scale;
    const ei = (ai - bi) * scale;
    const dr = (ar - br) * scale;
    const di = (ai + bi) * scale;
    const a = dr * wr + di * wi;
    const b = di * wr - dr * wi;
    storeF64(data, er - b, 32);
    storeF64(data, er + b, 32 + NEXT);
    storeF64(data, ei + a, 32 + WIDTH);
    storeF64(data, a - ei, 32 + NEXT + WIDTH);
  }
  const S = all(scale);
  for (let group: usize = 4; group < size; group <<= 1) {
    let p = data + (group << 4);
    let q = p + (group << 4) - 2 * WIDTH;
    let w = table + (group << 3);
    for (; p < q; p += 2 * WIDTH, q -= 2 * WIDTH, w += WIDTH) {
      const WR = load(w);
      const WI = quarterTurn(w);
      const ar = load(p);
      const ai = load(p, WIDTH);
      let br = load(q);
      let bi = load(q, WIDTH);
      br = reversed(br);
      bi = reversed(bi);
      const er = mul(add(ar, br), S);
      const ei = mul(sub(ai, bi), S);
      const dr = mul(sub(ar, br), S);
      const di = mul(add(ai, bi), S);
      const a = add(mul(dr, WR), mul(di, WI));
      const b = sub(mul(di, WR), mul(dr, WI));
      store(p, sub(er, b));
      store(p, add(ei, a), WIDTH);
      const yr = add(er, b);
      const yi = sub(a, ei);
      store(q, reversed(yr));
      store(q, reversed(yi), WIDTH);
    }
  }
}
