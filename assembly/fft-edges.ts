/**
 * The outermost pass of the FFT, whose twiddles are powers of e^{−iπ/4}, fused with the change
 * between plain reals x₀ x₁ x₂ x₃ and the pair-split layout of z_j = x_{2j} + i·x_{2j+1}. It splits
 * in 4 when log₂ N is even, in 8 when it is odd (in 2 for N = 8), so that all other passes split in 4.
 */

import { evens, odds } from './fft-passes';

/** √½. */
// @ts-expect-error: decorator
@inline const H: f64 = 0.70710678118654752440;

// @ts-expect-error: decorator
@inline
function loadRe(p: usize): v128 {
  return evens(v128.load(p), v128.load(p, 16));
}

// @ts-expect-error: decorator
@inline
function loadIm(p: usize): v128 {
  return odds(v128.load(p), v128.load(p, 16));
}

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
    const ar = loadRe(p0);
    const ai = loadIm(p0);
    const br = loadRe(p1);
    const bi = loadIm(p1);
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

/** Split in 4. */
export function openFour(base: usize, quarter: usize): void {
  const end = base + quarter;
  for (let p0 = base; p0 < end; p0 += 32) {
    const p1 = p0 + quarter;
    const p2 = p1 + quarter;
    const p3 = p2 + quarter;
    let ar = loadRe(p0);
    let ai = loadIm(p0);
    let br = loadRe(p2);
    let bi = loadIm(p2);
    const t0r = f64x2.add(ar, br);
    const t0i = f64x2.add(ai, bi);
    const t1r = f64x2.sub(ar, br);
    const t1i = f64x2.sub(ai, bi);
    ar = loadRe(p1);
    ai = loadIm(p1);
    br = loadRe(p3);
    bi = loadIm(p3);
    const ur = f64x2.add(ar, br);
    const ui = f64x2.add(ai, bi);
    const vr = f64x2.sub(ar, br);
    const vi = f64x2.sub(ai, bi);
    v128.store(p0, f64x2.add(t0r, ur));
    v128.store(p0, f64x2.add(t0i, ui), 16);
    v128.store(p1, f64x2.sub(t0r, ur));
    v128.store(p1, f64x2.sub(t0i, ui), 16);
    v128.store(p2, f64x2.add(t1r, vi));
    v128.store(p2, f64x2.sub(t1i, vr), 16);
    v128.store(p3, f64x2.sub(t1r, vi));
    v128.store(p3, f64x2.add(t1i, vr), 16);
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

/** Split in 8: in 2, then block 0 in 4 with root 1 and block 1 in 4 with root e^{−iπ/4}. */
export function openEight(base: usize, eighth: usize): void {
  const end = base + eighth;
  const h = f64x2.splat(H);
  const mh = f64x2.splat(-H);
  const four = eighth << 2;
  for (let p0 = base; p0 < end; p0 += 32) {
    const p1 = p0 + eighth;
    const p2 = p1 + eighth;
    const p3 = p2 + eighth;
    const p4 = p0 + four;
    const p5 = p1 + four;
    const p6 = p2 + four;
    const p7 = p3 + four;
    let ar = loadRe(p0);
    let ai = loadIm(p0);
    let br = loadRe(p4);
    let bi = loadIm(p4);
    const c0r = f64x2.add(ar, br);
    const c0i = f64x2.add(ai, bi);
    const d0r = f64x2.sub(ar, br);
    const d0i = f64x2.sub(ai, bi);
    ar = loadRe(p2);
    ai = loadIm(p2);
    br = loadRe(p6);
    bi = loadIm(p6);
    const c2r = f64x2.add(ar, br);
    const c2i = f64x2.add(ai, bi);
    const d2r = f64x2.sub(ar, br);
    const d2i = f64x2.sub(ai, bi);
    ar = loadRe(p1);
    ai = loadIm(p1);
    br = loadRe(p5);
    bi = loadIm(p5);
    const c1r = f64x2.add(ar, br);
    const c1i = f64x2.add(ai, bi);
    let dr = f64x2.sub(ar, br);
    let di = f64x2.sub(ai, bi);
    const x1r = f64x2.mul(h, f64x2.add(dr, di));
    const x1i = f64x2.mul(h, f64x2.sub(di, dr));
    ar = loadRe(p3);
    ai = loadIm(p3);
    br = loadRe(p7);
    bi = loadIm(p7);
    const c3r = f64x2.add(ar, br);
    const c3i = f64x2.add(ai, bi);
    dr = f64x2.sub(ar, br);
    di = f64x2.sub(ai, bi);
    const x3r = f64x2.mul(h, f64x2.sub(di, dr));
    const x3i = f64x2.mul(mh, f64x2.add(dr, di));
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
    t0r = f64x2.add(d0r, d2i);
    t0i = f64x2.sub(d0i, d2r);
    t1r = f64x2.sub(d0r, d2i);
    t1i = f64x2.add(d0i, d2r);
    ur = f64x2.add(x1r, x3r);
    ui = f64x2.add(x1i, x3i);
    vr = f64x2.sub(x1r, x3r);
    vi = f64x2.sub(x1i, x3i);
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
  const h = f64x2.splat(H);
  const mh = f64x2.splat(-H);
  const four = eighth << 2;
  for (let p0 = base; p0 < end; p0 += 32) {
    const p1 = p0 + eighth;
    const p2 = p1 + eighth;
    const p3 = p2 + eighth;
    const p4 = p0 + four;
    const p5 = p1 + four;
    const p6 = p2 + four;
    const p7 = p3 + four;
    let ar = v128.load(p0);
    let ai = v128.load(p0, 16);
    let br = v128.load(p1);
    let bi = v128.load(p1, 16);
    let t0r = f64x2.add(ar, br);
    let t0i = f64x2.add(ai, bi);
    let ur = f64x2.sub(ar, br);
    let ui = f64x2.sub(ai, bi);
    ar = v128.load(p2);
    ai = v128.load(p2, 16);
    br = v128.load(p3);
    bi = v128.load(p3, 16);
    let t1r = f64x2.add(ar, br);
    let t1i = f64x2.add(ai, bi);
    let vr = f64x2.sub(bi, ai);
    let vi = f64x2.sub(ar, br);
    const c0r = f64x2.add(t0r, t1r);
    const c0i = f64x2.add(t0i, t1i);
    const c2r = f64x2.sub(t0r, t1r);
    const c2i = f64x2.sub(t0i, t1i);
    const c1r = f64x2.add(ur, vr);
    const c1i = f64x2.add(ui, vi);
    const c3r = f64x2.sub(ur, vr);
    const c3i = f64x2.sub(ui, vi);
    ar = v128.load(p4);
    ai = v128.load(p4, 16);
    br = v128.load(p5);
    bi = v128.load(p5, 16);
    t0r = f64x2.add(ar, br);
    t0i = f64x2.add(ai, bi);
    ur = f64x2.sub(ar, br);
    ui = f64x2.sub(ai, bi);
    ar = v128.load(p6);
    ai = v128.load(p6, 16);
    br = v128.load(p7);
    bi = v128.load(p7, 16);
    t1r = f64x2.add(ar, br);
    t1i = f64x2.add(ai, bi);
    vr = f64x2.sub(bi, ai);
    vi = f64x2.sub(ar, br);
    let dr = f64x2.add(t0r, t1r);
    let di = f64x2.add(t0i, t1i);
    storePlain(p0, f64x2.add(c0r, dr), f64x2.add(c0i, di));
    storePlain(p4, f64x2.sub(c0r, dr), f64x2.sub(c0i, di));
    dr = f64x2.sub(t1i, t0i);
    di = f64x2.sub(t0r, t1r);
    storePlain(p2, f64x2.add(c2r, dr), f64x2.add(c2i, di));
    storePlain(p6, f64x2.sub(c2r, dr), f64x2.sub(c2i, di));
    ar = f64x2.add(ur, vr);
    ai = f64x2.add(ui, vi);
    dr = f64x2.mul(h, f64x2.sub(ar, ai));
    di = f64x2.mul(h, f64x2.add(ar, ai));
    storePlain(p1, f64x2.add(c1r, dr), f64x2.add(c1i, di));
    storePlain(p5, f64x2.sub(c1r, dr), f64x2.sub(c1i, di));
    ar = f64x2.sub(ur, vr);
    ai = f64x2.sub(ui, vi);
    dr = f64x2.mul(mh, f64x2.add(ar, ai));
    di = f64x2.mul(h, f64x2.sub(ar, ai));
    storePlain(p3, f64x2.add(c3r, dr), f64x2.add(c3i, di));
    storePlain(p7, f64x2.sub(c3r, dr), f64x2.sub(c3i, di));
  }
}
