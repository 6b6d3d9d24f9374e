/**
 * The outermost pass of the FFT, whose twiddles are powers of e^{−iπ/4}, fused with the change
 * between plain reals x₀ x₁ x₂ x₃ and the pair-split layout of z_j = x_{2j} + i·x_{2j+1}. It splits
 * in 4 when log₂ N is even, in 8 when it is odd (in 2 for N = 8), so that all other passes split in 4.
 */

import { SQRT1_2 } from '../src/kernel/constants.js';
import { evens, odds } from './fft-passes.js';

// @ts-expect-error: decorator
@inline
function storePlain(p: usize, re: v128, im: v128): void {
  v128.store(p, evens(re, im));
  v128.store(p, odds(re, im), 16);
}

/** Split in 2: `half` bytes each. */
export function openTwo(base: usize, half: usize): void {
  const end = base + half;
  for (let p0 = base; p0 < end; p0 += 32) {
    const p1 = p0 + half;
    const a = v128.load(p0);
    const b = v128.load(p0, 16);
    const c = v128.load(p1);
    const d = v128.load(p1, 16);
    const ar = evens(a, b);
    const ai = odds(a, b);
    const br = evens(c, d);
    const bi = odds(c, d);
    v128.store(p0, f64x2.add(ar, br));
    v128.store(p0, f64x2.add(ai, bi), 16);
    v128.store(p1, f64x2.sub(ar, br));
    v128.store(p1, f64x2.sub(ai, bi), 16);
  }
}

/** Inverse of `openTwo`, times 2. */
export function closeTwo(base: usize, half: usize): void {
  const end = base + half;
  for (let p0 = base; p0 < end; p0 += 32) {
    const p1 = p0 + half;
    const ar = v128.load(p0);
    const ai = v128.load(p0, 16);
    const br = v128.load(p1);
    const bi = v128.load(p1, 16);
    storePlain(p0, f64x2.add(ar, br), f64x2.add(ai, bi));
    storePlain(p1, f64x2.sub(ar, br), f64x2.sub(ai, bi));
  }
}

/** Split in 4. Half of a butterfly is formed behind the stores of the one before it, as in `splitBlocks`. */
export function openFour(base: usize, quarter: usize): void {
  let p0 = base;
  let p1 = p0 + quarter;
  let p2 = p1 + quarter;
  let p3 = p2 + quarter;
  const end = p1;
  let a = v128.load(p1);
  let b = v128.load(p1, 16);
  let c = v128.load(p3);
  let d = v128.load(p3, 16);
  let ur = f64x2.add(evens(a, b), evens(c, d));
  let ui = f64x2.add(odds(a, b), odds(c, d));
  let vr = f64x2.sub(evens(a, b), evens(c, d));
  let vi = f64x2.sub(odds(a, b), odds(c, d));
  while (true) {
    a = v128.load(p0);
    b = v128.load(p0, 16);
    c = v128.load(p2);
    d = v128.load(p2, 16);
    const t0r = f64x2.add(evens(a, b), evens(c, d));
    const t0i = f64x2.add(odds(a, b), odds(c, d));
    const t1r = f64x2.sub(evens(a, b), evens(c, d));
    const t1i = f64x2.sub(odds(a, b), odds(c, d));
    v128.store(p0, f64x2.add(t0r, ur));
    v128.store(p0, f64x2.add(t0i, ui), 16);
    v128.store(p1, f64x2.sub(t0r, ur));
    v128.store(p1, f64x2.sub(t0i, ui), 16);
    v128.store(p2, f64x2.add(t1r, vi));
    v128.store(p2, f64x2.sub(t1i, vr), 16);
    v128.store(p3, f64x2.sub(t1r, vi));
    v128.store(p3, f64x2.add(t1i, vr), 16);
    p0 += 32;
    if (p0 == end) return;
    p1 += 32;
    p2 += 32;
    p3 += 32;
    a = v128.load(p1);
    b = v128.load(p1, 16);
    c = v128.load(p3);
    d = v128.load(p3, 16);
    ur = f64x2.add(evens(a, b), evens(c, d));
    ui = f64x2.add(odds(a, b), odds(c, d));
    vr = f64x2.sub(evens(a, b), evens(c, d));
    vi = f64x2.sub(odds(a, b), odds(c, d));
  }
}

/** Inverse of `openFour`, times 4. */
export function closeFour(base: usize, quarter: usize): void {
  const end = base + quarter;
  for (let p0 = base; p0 < end; p0 += 32) {
    const p1 = p0 + quarter;
    const p2 = p1 + quarter;
    const p3 = p2 + quarter;
    let ar = v128.load(p0);
    let ai = v128.load(p0, 16);
    let br = v128.load(p1);
    let bi = v128.load(p1, 16);
    const t0r = f64x2.add(ar, br);
    const t0i = f64x2.add(ai, bi);
    const ur = f64x2.sub(ar, br);
    const ui = f64x2.sub(ai, bi);
    ar = v128.load(p2);
    ai = v128.load(p2, 16);
    br = v128.load(p3);
    bi = v128.load(p3, 16);
    const t1r = f64x2.add(ar, br);
    const t1i = f64x2.add(ai, bi);
    const vr = f64x2.sub(bi, ai);
    const vi = f64x2.sub(ar, br);
    storePlain(p0, f64x2.add(t0r, t1r), f64x2.add(t0i, t1i));
    storePlain(p1, f64x2.add(ur, vr), f64x2.add(ui, vi));
    storePlain(p2, f64x2.sub(t0r, t1r), f64x2.sub(t0i, t1i));
    storePlain(p3, f64x2.sub(ur, vr), f64x2.sub(ui, vi));
  }
}

/**
 * Split in 8: in 2, then block 0 in 4 with root 1 and block 1 in 4 with root e^{−iπ/4}. Block 1 waits in memory
 * while block 0 is split: both do not fit into 16 registers.
 */
export function openEight(base: usize, eighth: usize): void {
  const end = base + eighth;
  const h = f64x2.splat(SQRT1_2);
  const mh = f64x2.splat(-SQRT1_2);
  const four = eighth << 2;
  for (let p0 = base; p0 < end; p0 += 32) {
    const p1 = p0 + eighth;
    const p2 = p1 + eighth;
    const p3 = p2 + eighth;
    const p4 = p0 + four;
    const p5 = p1 + four;
    const p6 = p2 + four;
    const p7 = p3 + four;
    let a = v128.load(p0);
    let b = v128.load(p0, 16);
    let c = v128.load(p4);
    let d = v128.load(p4, 16);
    const c0r = f64x2.add(evens(a, b), evens(c, d));
    const c0i = f64x2.add(odds(a, b), odds(c, d));
    v128.store(p4, f64x2.sub(evens(a, b), evens(c, d)));
    v128.store(p4, f64x2.sub(odds(a, b), odds(c, d)), 16);
    a = v128.load(p2);
    b = v128.load(p2, 16);
    c = v128.load(p6);
    d = v128.load(p6, 16);
    const c2r = f64x2.add(evens(a, b), evens(c, d));
    const c2i = f64x2.add(odds(a, b), odds(c, d));
    v128.store(p6, f64x2.sub(evens(a, b), evens(c, d)));
    v128.store(p6, f64x2.sub(odds(a, b), odds(c, d)), 16);
    a = v128.load(p1);
    b = v128.load(p1, 16);
    c = v128.load(p5);
    d = v128.load(p5, 16);
    const c1r = f64x2.add(evens(a, b), evens(c, d));
    const c1i = f64x2.add(odds(a, b), odds(c, d));
    v128.store(p5, f64x2.sub(evens(a, b), evens(c, d)));
    v128.store(p5, f64x2.sub(odds(a, b), odds(c, d)), 16);
    a = v128.load(p3);
    b = v128.load(p3, 16);
    c = v128.load(p7);
    d = v128.load(p7, 16);
    const c3r = f64x2.add(evens(a, b), evens(c, d));
    const c3i = f64x2.add(odds(a, b), odds(c, d));
    v128.store(p7, f64x2.sub(evens(a, b), evens(c, d)));
    v128.store(p7, f64x2.sub(odds(a, b), odds(c, d)), 16);
    let t0r = f64x2.add(c0r, c2r);
    let t0i = f64x2.add(c0i, c2i);
    let t1r = f64x2.sub(c0r, c2r);
    let t1i = f64x2.sub(c0i, c2i);
    let ur = f64x2.add(c1r, c3r);
    let ui = f64x2.add(c1i, c3i);
    let vr = f64x2.sub(c1r, c3r);
    let vi = f64x2.sub(c1i, c3i);
    v128.store(p0, f64x2.add(t0r, ur));
    v128.store(p0, f64x2.add(t0i, ui), 16);
    v128.store(p1, f64x2.sub(t0r, ur));
    v128.store(p1, f64x2.sub(t0i, ui), 16);
    v128.store(p2, f64x2.add(t1r, vi));
    v128.store(p2, f64x2.sub(t1i, vr), 16);
    v128.store(p3, f64x2.sub(t1r, vi));
    v128.store(p3, f64x2.add(t1i, vr), 16);
    a = v128.load(p5);
    b = v128.load(p5, 16);
    c = v128.load(p7);
    d = v128.load(p7, 16);
    const x1r = f64x2.mul(h, f64x2.add(a, b));
    const x1i = f64x2.mul(h, f64x2.sub(b, a));
    const x3r = f64x2.mul(h, f64x2.sub(d, c));
    const x3i = f64x2.mul(mh, f64x2.add(c, d));
    ur = f64x2.add(x1r, x3r);
    ui = f64x2.add(x1i, x3i);
    vr = f64x2.sub(x1r, x3r);
    vi = f64x2.sub(x1i, x3i);
    a = v128.load(p4);
    b = v128.load(p4, 16);
    c = v128.load(p6);
    d = v128.load(p6, 16);
    t0r = f64x2.add(a, d);
    t0i = f64x2.sub(b, c);
    t1r = f64x2.sub(a, d);
    t1i = f64x2.add(b, c);
    v128.store(p4, f64x2.add(t0r, ur));
    v128.store(p4, f64x2.add(t0i, ui), 16);
    v128.store(p5, f64x2.sub(t0r, ur));
    v128.store(p5, f64x2.sub(t0i, ui), 16);
    v128.store(p6, f64x2.add(t1r, vi));
    v128.store(p6, f64x2.sub(t1i, vr), 16);
    v128.store(p7, f64x2.sub(t1r, vi));
    v128.store(p7, f64x2.add(t1i, vr), 16);
  }
}

/** Inverse of `openEight`, times 8. */
export function closeEight(base: usize, eighth: usize): void {
  const end = base + eighth;
  const h = f64x2.splat(SQRT1_2);
  const mh = f64x2.splat(-SQRT1_2);
  const four = eighth << 2;
  for (let p0 = base; p0 < end; p0 += 32) {
    const p1 = p0 + eighth;
    const p2 = p1 + eighth;
    const p3 = p2 + eighth;
    const p4 = p0 + four;
    const p5 = p1 + four;
    const p6 = p2 + four;
    const p7 = p3 + four;
    let ar = v128.load(p4);
    let ai = v128.load(p4, 16);
    let br = v128.load(p5);
    let bi = v128.load(p5, 16);
    let t0r = f64x2.add(ar, br);
    let t0i = f64x2.add(ai, bi);
    let ur = f64x2.sub(ar, br);
    let ui = f64x2.sub(ai, bi);
    ar = v128.load(p6);
    ai = v128.load(p6, 16);
    br = v128.load(p7);
    bi = v128.load(p7, 16);
    let t1r = f64x2.add(ar, br);
    let t1i = f64x2.add(ai, bi);
    let vr = f64x2.sub(bi, ai);
    let vi = f64x2.sub(ar, br);
    v128.store(p4, f64x2.add(t0r, t1r));
    v128.store(p4, f64x2.add(t0i, t1i), 16);
    v128.store(p6, f64x2.sub(t1i, t0i));
    v128.store(p6, f64x2.sub(t0r, t1r), 16);
    ar = f64x2.add(ur, vr);
    ai = f64x2.add(ui, vi);
    v128.store(p5, f64x2.mul(h, f64x2.sub(ar, ai)));
    v128.store(p5, f64x2.mul(h, f64x2.add(ar, ai)), 16);
    ar = f64x2.sub(ur, vr);
    ai = f64x2.sub(ui, vi);
    v128.store(p7, f64x2.mul(mh, f64x2.add(ar, ai)));
    v128.store(p7, f64x2.mul(h, f64x2.sub(ar, ai)), 16);
    ar = v128.load(p0);
    ai = v128.load(p0, 16);
    br = v128.load(p1);
    bi = v128.load(p1, 16);
    t0r = f64x2.add(ar, br);
    t0i = f64x2.add(ai, bi);
    ur = f64x2.sub(ar, br);
    ui = f64x2.sub(ai, bi);
    ar = v128.load(p2);
    ai = v128.load(p2, 16);
    br = v128.load(p3);
    bi = v128.load(p3, 16);
    t1r = f64x2.add(ar, br);
    t1i = f64x2.add(ai, bi);
    vr = f64x2.sub(bi, ai);
    vi = f64x2.sub(ar, br);
    joinHalves(p0, four, f64x2.add(t0r, t1r), f64x2.add(t0i, t1i));
    joinHalves(p2, four, f64x2.sub(t0r, t1r), f64x2.sub(t0i, t1i));
    joinHalves(p1, four, f64x2.add(ur, vr), f64x2.add(ui, vi));
    joinHalves(p3, four, f64x2.sub(ur, vr), f64x2.sub(ui, vi));
  }
}

// @ts-expect-error: decorator
@inline
function joinHalves(p: usize, four: usize, re: v128, im: v128): void {
  const dr = v128.load(p + four);
  const di = v128.load(p + four, 16);
  storePlain(p, f64x2.add(re, dr), f64x2.add(im, di));
  storePlain(p + four, f64x2.sub(re, dr), f64x2.sub(im, di));
}
