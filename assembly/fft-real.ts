/**
 * Between the spectrum Z of the packed complex sequence z_j = x_{2j} + i·x_{2j+1}, in bit-reversed order, and the
 * packed spectrum X of the reals (`fft.ts`), in place.
 */

import { FLIP } from './fft-passes.js';

/** Z to X, positions below `size` (a power of two ≥ 4): all, or so many of the first. */
export function unpack(data: usize, size: usize, table: usize): void {
  const z0 = load<f64>(data);
  const z0i = load<f64>(data, 16);
  store<f64>(data, z0 + z0i);
  store<f64>(data, z0 - z0i, 16);
  store<f64>(data, -load<f64>(data, 24), 24);
  // Positions 2 and 3 are each other's conjugate and share one pair.
  {
    const wr = load<f64>(table, 16);
    const wi = load<f64>(table, 24);
    const ar = load<f64>(data, 32);
    const br = load<f64>(data, 40);
    const ai = load<f64>(data, 48);
    const bi = load<f64>(data, 56);
    const er = (ar + br) * 0.5;
    const ei = (ai - bi) * 0.5;
    const dr = (ar - br) * 0.5;
    const di = (ai + bi) * 0.5;
    const a = dr * wr - di * wi;
    const b = dr * wi + di * wr;
    store<f64>(data, er + b, 32);
    store<f64>(data, er - b, 40);
    store<f64>(data, ei - a, 48);
    store<f64>(data, -(ei + a), 56);
  }
  const half = f64x2.splat(0.5);
  for (let group: usize = 4; group < size; group <<= 1) {
    let p = data + (group << 4);
    let q = p + (group << 4) - 32;
    let w = table + (group << 3);
    for (; p < q; p += 32, q -= 32, w += 16) {
      const WR = v128.load(w);
      const WI = v128.xor(v128.shuffle<f64>(WR, WR, 1, 0), v128.load(FLIP));
      const ar = v128.load(p);
      const ai = v128.load(p, 16);
      let br = v128.load(q);
      let bi = v128.load(q, 16);
      br = v128.shuffle<f64>(br, br, 1, 0);
      bi = v128.shuffle<f64>(bi, bi, 1, 0);
      const er = f64x2.mul(f64x2.add(ar, br), half);
      const ei = f64x2.mul(f64x2.sub(ai, bi), half);
      const dr = f64x2.mul(f64x2.sub(ar, br), half);
      const di = f64x2.mul(f64x2.add(ai, bi), half);
      const a = f64x2.sub(f64x2.mul(dr, WR), f64x2.mul(di, WI));
      const b = f64x2.add(f64x2.mul(dr, WI), f64x2.mul(di, WR));
      v128.store(p, f64x2.add(er, b));
      v128.store(p, f64x2.sub(ei, a), 16);
      const yr = f64x2.sub(er, b);
      const yi = f64x2.neg(f64x2.add(ei, a));
      v128.store(q, v128.shuffle<f64>(yr, yr, 1, 0));
      v128.store(q, v128.shuffle<f64>(yi, yi, 1, 0), 16);
    }
  }
}

/** Inverse of `unpack`, times twice `scale`. */
export function repack(data: usize, size: usize, table: usize, scale: f64): void {
  const x0 = load<f64>(data);
  const xn = load<f64>(data, 16);
  store<f64>(data, (x0 + xn) * scale);
  store<f64>(data, (x0 - xn) * scale, 16);
  store<f64>(data, load<f64>(data, 8) * (2.0 * scale), 8);
  store<f64>(data, load<f64>(data, 24) * (-2.0 * scale), 24);
  {
    const wr = load<f64>(table, 16);
    const wi = load<f64>(table, 24);
    const ar = load<f64>(data, 32);
    const br = load<f64>(data, 40);
    const ai = load<f64>(data, 48);
    const bi = load<f64>(data, 56);
    const er = (ar + br) * scale;
    const ei = (ai - bi) * scale;
    const dr = (ar - br) * scale;
    const di = (ai + bi) * scale;
    const a = dr * wr + di * wi;
    const b = di * wr - dr * wi;
    store<f64>(data, er - b, 32);
    store<f64>(data, er + b, 40);
    store<f64>(data, ei + a, 48);
    store<f64>(data, a - ei, 56);
  }
  const S = f64x2.splat(scale);
  for (let group: usize = 4; group < size; group <<= 1) {
    let p = data + (group << 4);
    let q = p + (group << 4) - 32;
    let w = table + (group << 3);
    for (; p < q; p += 32, q -= 32, w += 16) {
      const WR = v128.load(w);
      const WI = v128.xor(v128.shuffle<f64>(WR, WR, 1, 0), v128.load(FLIP));
      const ar = v128.load(p);
      const ai = v128.load(p, 16);
      let br = v128.load(q);
      let bi = v128.load(q, 16);
      br = v128.shuffle<f64>(br, br, 1, 0);
      bi = v128.shuffle<f64>(bi, bi, 1, 0);
      const er = f64x2.mul(f64x2.add(ar, br), S);
      const ei = f64x2.mul(f64x2.sub(ai, bi), S);
      const dr = f64x2.mul(f64x2.sub(ar, br), S);
      const di = f64x2.mul(f64x2.add(ai, bi), S);
      const a = f64x2.add(f64x2.mul(dr, WR), f64x2.mul(di, WI));
      const b = f64x2.sub(f64x2.mul(di, WR), f64x2.mul(dr, WI));
      v128.store(p, f64x2.sub(er, b));
      v128.store(p, f64x2.add(ei, a), 16);
      const yr = f64x2.add(er, b);
      const yi = f64x2.sub(a, ei);
      v128.store(q, v128.shuffle<f64>(yr, yr, 1, 0));
      v128.store(q, v128.shuffle<f64>(yi, yi, 1, 0), 16);
    }
  }
}
