/**
 * The outermost pass of the FFT, whose twiddles are powers of e^{−iπ/4}. It also changes between plain reals x₀ x₁ x₂ x₃ and the layout of z_j =
 * x_{2j} + i·x_{2j+1}. It splits in 4 when log₂ N is even, in 8 when it is odd (in 2 for N = 8). So all other passes split in 4.
 */

import { SQRT1_2 } from '../../src/kernel/constants.js';
import { plainIm, plainRe, storeBeside, storeTwo } from './fft-passes.js';
import { add, all, evens, mul, odds, sub, WIDTH } from '../lane/lanes.js';
import { load, store } from '../lane/memory.js';

/* @inline */ function storePlain(p: usize, re: v128, im: v128): void {
  store(p, evens(re, im));
  store(p, odds(re, im), WIDTH);
}

/** Stores the sum of z at p and z at q to p, and their difference to q, with real and imaginary parts interleaved. */
/* @inline */ function storeBoth(p: usize, q: usize, ar: v128, ai: v128, br: v128, bi: v128): void {
  storePlain(p, add(ar, br), add(ai, bi));
  storePlain(q, sub(ar, br), sub(ai, bi));
}

/**
 * The first pass of an FFT of N complex numbers as a radix-2 split: z_j ± z_{j + N/2}. Each half has `half` bytes. Rounding errors: e₁(n) of
 * compose.ts.
 */
export function openTwo(base: usize, half: usize): void {
  const end = base + half;
  for (let p0 = base; p0 < end; p0 += 2 * WIDTH) {
    const p1 = p0 + half;
    const sr = add(plainRe(p0), plainRe(p1));
    const si = add(plainIm(p0), plainIm(p1));
    storeDifference(p0, p1);
    store(p0, sr);
    store(p0, si, WIDTH);
  }
}

/** Stores z at p minus z at q, both with real and imaginary parts interleaved, to q in the layout of the passes (`fft-passes.ts`). */
/* @inline */ function storeDifference(p: usize, q: usize): void {
  const dr = sub(plainRe(p), plainRe(q));
  const di = sub(plainIm(p), plainIm(q));
  store(q, dr);
  store(q, di, WIDTH);
}

/** Inverse of `openTwo`, times 2. Rounding errors as for `openTwo`. */
export function closeTwo(base: usize, half: usize): void {
  const end = base + half;
  for (let p0 = base; p0 < end; p0 += 2 * WIDTH) {
    const p1 = p0 + half;
    storeBoth(p0, p1, load(p0), load(p0, WIDTH), load(p1), load(p1, WIDTH));
  }
}

/**
 * The first pass of an FFT as a radix-4 split with root 1. Half of each butterfly is computed after the stores of the previous one, as in
 * `splitBlocks`. Rounding errors: e₁(n) of compose.ts.
 */
export function openFour(base: usize, quarter: usize): void {
  let p0 = base;
  let p1 = p0 + quarter;
  let p2 = p1 + quarter;
  let p3 = p2 + quarter;
  const end = p1;
  let ur = add(plainRe(p1), plainRe(p3));
  let ui = add(plainIm(p1), plainIm(p3));
  let vr = sub(plainRe(p1), plainRe(p3));
  let vi = sub(plainIm(p1), plainIm(p3));
  while (true) {
    const t0r = add(plainRe(p0), plainRe(p2));
    const t0i = add(plainIm(p0), plainIm(p2));
    const t1r = sub(plainRe(p0), plainRe(p2));
    const t1i = sub(plainIm(p0), plainIm(p2));
    storeTwo(p0, p1, t0r, t0i, ur, ui);
    storeBeside(p2, p3, t1r, t1i, vr, vi);
    p0 += 2 * WIDTH;
    if (p0 === end) return;
    p1 += 2 * WIDTH;
    p2 += 2 * WIDTH;
    p3 += 2 * WIDTH;
    ur = add(plainRe(p1), plainRe(p3));
    ui = add(plainIm(p1), plainIm(p3));
    vr = sub(plainRe(p1), plainRe(p3));
    vi = sub(plainIm(p1), plainIm(p3));
  }
}

/** Inverse of `openFour`, times 4. Rounding errors as for `openFour`. */
export function closeFour(base: usize, quarter: usize): void {
  const end = base + quarter;
  for (let p0 = base; p0 < end; p0 += 2 * WIDTH) {
    const p1 = p0 + quarter;
    const p2 = p1 + quarter;
    const p3 = p2 + quarter;
    const t0r = add(load(p0), load(p1));
    const t0i = add(load(p0, WIDTH), load(p1, WIDTH));
    const ur = sub(load(p0), load(p1));
    const ui = sub(load(p0, WIDTH), load(p1, WIDTH));
    const t1r = add(load(p2), load(p3));
    const t1i = add(load(p2, WIDTH), load(p3, WIDTH));
    const vr = sub(load(p3, WIDTH), load(p2, WIDTH));
    const vi = sub(load(p2), load(p3));
    storeBoth(p0, p2, t0r, t0i, t1r, t1i);
    storeBoth(p1, p3, ur, ui, vr, vi);
  }
}

/**
 * Splits 8 ways: in 2, then block 0 in 4 with root 1 and block 1 in 4 with root e^{−iπ/4}. Block 1 stays in memory meanwhile: both would not fit
 * into 16 registers. Rounding errors: e₁(n) of compose.ts.
 */
export function openEight(base: usize, eighth: usize): void {
  const end = base + eighth;
  const h = all(SQRT1_2);
  const mh = all(-SQRT1_2);
  const four = eighth << 2;
  for (let p0 = base; p0 < end; p0 += 2 * WIDTH) {
    const p1 = p0 + eighth;
    const p2 = p1 + eighth;
    const p3 = p2 + eighth;
    const p4 = p0 + four;
    const p5 = p1 + four;
    const p6 = p2 + four;
    const p7 = p3 + four;
    const c0r = add(plainRe(p0), plainRe(p4));
    const c0i = add(plainIm(p0), plainIm(p4));
    storeDifference(p0, p4);
    const c2r = add(plainRe(p2), plainRe(p6));
    const c2i = add(plainIm(p2), plainIm(p6));
    storeDifference(p2, p6);
    const c1r = add(plainRe(p1), plainRe(p5));
    const c1i = add(plainIm(p1), plainIm(p5));
    storeDifference(p1, p5);
    const c3r = add(plainRe(p3), plainRe(p7));
    const c3i = add(plainIm(p3), plainIm(p7));
    storeDifference(p3, p7);
    let t0r = add(c0r, c2r);
    let t0i = add(c0i, c2i);
    let t1r = sub(c0r, c2r);
    let t1i = sub(c0i, c2i);
    let ur = add(c1r, c3r);
    let ui = add(c1i, c3i);
    let vr = sub(c1r, c3r);
    let vi = sub(c1i, c3i);
    storeTwo(p0, p1, t0r, t0i, ur, ui);
    storeBeside(p2, p3, t1r, t1i, vr, vi);
    const x1r = mul(h, add(load(p5), load(p5, WIDTH)));
    const x1i = mul(h, sub(load(p5, WIDTH), load(p5)));
    const x3r = mul(h, sub(load(p7, WIDTH), load(p7)));
    const x3i = mul(mh, add(load(p7), load(p7, WIDTH)));
    ur = add(x1r, x3r);
    ui = add(x1i, x3i);
    vr = sub(x1r, x3r);
    vi = sub(x1i, x3i);
    t0r = add(load(p4), load(p6, WIDTH));
    t0i = sub(load(p4, WIDTH), load(p6));
    t1r = sub(load(p4), load(p6, WIDTH));
    t1i = add(load(p4, WIDTH), load(p6));
    storeTwo(p4, p5, t0r, t0i, ur, ui);
    storeBeside(p6, p7, t1r, t1i, vr, vi);
  }
}

/** Inverse of `openEight`, times 8. Rounding errors as for `openEight`. */
export function closeEight(base: usize, eighth: usize): void {
  const end = base + eighth;
  const h = all(SQRT1_2);
  const mh = all(-SQRT1_2);
  const four = eighth << 2;
  for (let p0 = base; p0 < end; p0 += 2 * WIDTH) {
    const p1 = p0 + eighth;
    const p2 = p1 + eighth;
    const p3 = p2 + eighth;
    const p4 = p0 + four;
    const p5 = p1 + four;
    const p6 = p2 + four;
    const p7 = p3 + four;
    let t0r = add(load(p4), load(p5));
    let t0i = add(load(p4, WIDTH), load(p5, WIDTH));
    let ur = sub(load(p4), load(p5));
    let ui = sub(load(p4, WIDTH), load(p5, WIDTH));
    let t1r = add(load(p6), load(p7));
    let t1i = add(load(p6, WIDTH), load(p7, WIDTH));
    let vr = sub(load(p7, WIDTH), load(p6, WIDTH));
    let vi = sub(load(p6), load(p7));
    store(p4, add(t0r, t1r));
    store(p4, add(t0i, t1i), WIDTH);
    store(p6, sub(t1i, t0i));
    store(p6, sub(t0r, t1r), WIDTH);
    let xr = add(ur, vr);
    let xi = add(ui, vi);
    store(p5, mul(h, sub(xr, xi)));
    store(p5, mul(h, add(xr, xi)), WIDTH);
    xr = sub(ur, vr);
    xi = sub(ui, vi);
    store(p7, mul(mh, add(xr, xi)));
    store(p7, mul(h, sub(xr, xi)), WIDTH);
    t0r = add(load(p0), load(p1));
    t0i = add(load(p0, WIDTH), load(p1, WIDTH));
    ur = sub(load(p0), load(p1));
    ui = sub(load(p0, WIDTH), load(p1, WIDTH));
    t1r = add(load(p2), load(p3));
    t1i = add(load(p2, WIDTH), load(p3, WIDTH));
    vr = sub(load(p3, WIDTH), load(p2, WIDTH));
    vi = sub(load(p2), load(p3));
    storeBoth(p0, p4, add(t0r, t1r), add(t0i, t1i), load(p4), load(p4, WIDTH));
    storeBoth(p2, p6, sub(t0r, t1r), sub(t0i, t1i), load(p6), load(p6, WIDTH));
    storeBoth(p1, p5, add(ur, vr), add(ui, vi), load(p5), load(p5, WIDTH));
    storeBoth(p3, p7, sub(ur, vr), sub(ui, vi), load(p7), load(p7, WIDTH));
  }
}
