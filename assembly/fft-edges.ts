/**
 * The outermost pass of the FFT, whose twiddles are powers of e^{−iπ/4}, fused with the change
 * between plain reals x₀ x₁ x₂ x₃ and the layout of z_j = x_{2j} + i·x_{2j+1}. It splits
 * in 4 when log₂ N is even, in 8 when it is odd (in 2 for N = 8), so that all other passes split in 4.
 */

import { SQRT1_2 } from '../src/kernel/constants.js';
import { add, all, evens, mul, odds, sub, WIDTH } from './lanes.js';
import { load, store } from './memory.js';

/* @inline */ function storePlain(p: usize, re: v128, im: v128): void {
  store(p, evens(re, im));
  store(p, odds(re, im), WIDTH);
}

/** Split in 2: `half` bytes each. */
export function openTwo(base: usize, half: usize): void {
  const end = base + half;
  for (let p0 = base; p0 < end; p0 += 2 * WIDTH) {
    const p1 = p0 + half;
    const a = load(p0);
    const b = load(p0, WIDTH);
    const c = load(p1);
    const d = load(p1, WIDTH);
    const ar = evens(a, b);
    const ai = odds(a, b);
    const br = evens(c, d);
    const bi = odds(c, d);
    store(p0, add(ar, br));
    store(p0, add(ai, bi), WIDTH);
    store(p1, sub(ar, br));
    store(p1, sub(ai, bi), WIDTH);
  }
}

/** Inverse of `openTwo`, times 2. */
export function closeTwo(base: usize, half: usize): void {
  const end = base + half;
  for (let p0 = base; p0 < end; p0 += 2 * WIDTH) {
    const p1 = p0 + half;
    const ar = load(p0);
    const ai = load(p0, WIDTH);
    const br = load(p1);
    const bi = load(p1, WIDTH);
    storePlain(p0, add(ar, br), add(ai, bi));
    storePlain(p1, sub(ar, br), sub(ai, bi));
  }
}

/** Split in 4. Half of a butterfly is formed behind the stores of the one before it, as in `splitBlocks`. */
export function openFour(base: usize, quarter: usize): void {
  let p0 = base;
  let p1 = p0 + quarter;
  let p2 = p1 + quarter;
  let p3 = p2 + quarter;
  const end = p1;
  let a = load(p1);
  let b = load(p1, WIDTH);
  let c = load(p3);
  let d = load(p3, WIDTH);
  let ur = add(evens(a, b), evens(c, d));
  let ui = add(odds(a, b), odds(c, d));
  let vr = sub(evens(a, b), evens(c, d));
  let vi = sub(odds(a, b), odds(c, d));
  while (true) {
    a = load(p0);
    b = load(p0, WIDTH);
    c = load(p2);
    d = load(p2, WIDTH);
    const t0r = add(evens(a, b), evens(c, d));
    const t0i = add(odds(a, b), odds(c, d));
    const t1r = sub(evens(a, b), evens(c, d));
    const t1i = sub(odds(a, b), odds(c, d));
    store(p0, add(t0r, ur));
    store(p0, add(t0i, ui), WIDTH);
    store(p1, sub(t0r, ur));
    store(p1, sub(t0i, ui), WIDTH);
    store(p2, add(t1r, vi));
    store(p2, sub(t1i, vr), WIDTH);
    store(p3, sub(t1r, vi));
    store(p3, add(t1i, vr), WIDTH);
    p0 += 2 * WIDTH;
    if (p0 === end) return;
    p1 += 2 * WIDTH;
    p2 += 2 * WIDTH;
    p3 += 2 * WIDTH;
    a = load(p1);
    b = load(p1, WIDTH);
    c = load(p3);
    d = load(p3, WIDTH);
    ur = add(evens(a, b), evens(c, d));
    ui = add(odds(a, b), odds(c, d));
    vr = sub(evens(a, b), evens(c, d));
    vi = sub(odds(a, b), odds(c, d));
  }
}

/** Inverse of `openFour`, times 4. */
export function closeFour(base: usize, quarter: usize): void {
  const end = base + quarter;
  for (let p0 = base; p0 < end; p0 += 2 * WIDTH) {
    const p1 = p0 + quarter;
    const p2 = p1 + quarter;
    const p3 = p2 + quarter;
    let ar = load(p0);
    let ai = load(p0, WIDTH);
    let br = load(p1);
    let bi = load(p1, WIDTH);
    const t0r = add(ar, br);
    const t0i = add(ai, bi);
    const ur = sub(ar, br);
    const ui = sub(ai, bi);
    ar = load(p2);
    ai = load(p2, WIDTH);
    br = load(p3);
    bi = load(p3, WIDTH);
    const t1r = add(ar, br);
    const t1i = add(ai, bi);
    const vr = sub(bi, ai);
    const vi = sub(ar, br);
    storePlain(p0, add(t0r, t1r), add(t0i, t1i));
    storePlain(p1, add(ur, vr), add(ui, vi));
    storePlain(p2, sub(t0r, t1r), sub(t0i, t1i));
    storePlain(p3, sub(ur, vr), sub(ui, vi));
  }
}

/**
 * Split in 8: in 2, then block 0 in 4 with root 1 and block 1 in 4 with root e^{−iπ/4}. Block 1 waits in memory
 * while block 0 is split: both do not fit into 16 registers.
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
    let a = load(p0);
    let b = load(p0, WIDTH);
    let c = load(p4);
    let d = load(p4, WIDTH);
    const c0r = add(evens(a, b), evens(c, d));
    const c0i = add(odds(a, b), odds(c, d));
    store(p4, sub(evens(a, b), evens(c, d)));
    store(p4, sub(odds(a, b), odds(c, d)), WIDTH);
    a = load(p2);
    b = load(p2, WIDTH);
    c = load(p6);
    d = load(p6, WIDTH);
    const c2r = add(evens(a, b), evens(c, d));
    const c2i = add(odds(a, b), odds(c, d));
    store(p6, sub(evens(a, b), evens(c, d)));
    store(p6, sub(odds(a, b), odds(c, d)), WIDTH);
    a = load(p1);
    b = load(p1, WIDTH);
    c = load(p5);
    d = load(p5, WIDTH);
    const c1r = add(evens(a, b), evens(c, d));
    const c1i = add(odds(a, b), odds(c, d));
    store(p5, sub(evens(a, b), evens(c, d)));
    store(p5, sub(odds(a, b), odds(c, d)), WIDTH);
    a = load(p3);
    b = load(p3, WIDTH);
    c = load(p7);
    d = load(p7, WIDTH);
    const c3r = add(evens(a, b), evens(c, d));
    const c3i = add(odds(a, b), odds(c, d));
    store(p7, sub(evens(a, b), evens(c, d)));
    store(p7, sub(odds(a, b), odds(c, d)), WIDTH);
    let t0r = add(c0r, c2r);
    let t0i = add(c0i, c2i);
    let t1r = sub(c0r, c2r);
    let t1i = sub(c0i, c2i);
    let ur = add(c1r, c3r);
    let ui = add(c1i, c3i);
    let vr = sub(c1r, c3r);
    let vi = sub(c1i, c3i);
    store(p0, add(t0r, ur));
    store(p0, add(t0i, ui), WIDTH);
    store(p1, sub(t0r, ur));
    store(p1, sub(t0i, ui), WIDTH);
    store(p2, add(t1r, vi));
    store(p2, sub(t1i, vr), WIDTH);
    store(p3, sub(t1r, vi));
    store(p3, add(t1i, vr), WIDTH);
    a = load(p5);
    b = load(p5, WIDTH);
    c = load(p7);
    d = load(p7, WIDTH);
    const x1r = mul(h, add(a, b));
    const x1i = mul(h, sub(b, a));
    const x3r = mul(h, sub(d, c));
    const x3i = mul(mh, add(c, d));
    ur = add(x1r, x3r);
    ui = add(x1i, x3i);
    vr = sub(x1r, x3r);
    vi = sub(x1i, x3i);
    a = load(p4);
    b = load(p4, WIDTH);
    c = load(p6);
    d = load(p6, WIDTH);
    t0r = add(a, d);
    t0i = sub(b, c);
    t1r = sub(a, d);
    t1i = add(b, c);
    store(p4, add(t0r, ur));
    store(p4, add(t0i, ui), WIDTH);
    store(p5, sub(t0r, ur));
    store(p5, sub(t0i, ui), WIDTH);
    store(p6, add(t1r, vi));
    store(p6, sub(t1i, vr), WIDTH);
    store(p7, sub(t1r, vi));
    store(p7, add(t1i, vr), WIDTH);
  }
}

/** Inverse of `openEight`, times 8. */
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
    let ar = load(p4);
    let ai = load(p4, WIDTH);
    let br = load(p5);
    let bi = load(p5, WIDTH);
    let t0r = add(ar, br);
    let t0i = add(ai, bi);
    let ur = sub(ar, br);
    let ui = sub(ai, bi);
    ar = load(p6);
    ai = load(p6, WIDTH);
    br = load(p7);
    bi = load(p7, WIDTH);
    let t1r = add(ar, br);
    let t1i = add(ai, bi);
    let vr = sub(bi, ai);
    let vi = sub(ar, br);
    store(p4, add(t0r, t1r));
    store(p4, add(t0i, t1i), WIDTH);
    store(p6, sub(t1i, t0i));
    store(p6, sub(t0r, t1r), WIDTH);
    ar = add(ur, vr);
    ai = add(ui, vi);
    store(p5, mul(h, sub(ar, ai)));
    store(p5, mul(h, add(ar, ai)), WIDTH);
    ar = sub(ur, vr);
    ai = sub(ui, vi);
    store(p7, mul(mh, add(ar, ai)));
    store(p7, mul(h, sub(ar, ai)), WIDTH);
    ar = load(p0);
    ai = load(p0, WIDTH);
    br = load(p1);
    bi = load(p1, WIDTH);
    t0r = add(ar, br);
    t0i = add(ai, bi);
    ur = sub(ar, br);
    ui = sub(ai, bi);
    ar = load(p2);
    ai = load(p2, WIDTH);
    br = load(p3);
    bi = load(p3, WIDTH);
    t1r = add(ar, br);
    t1i = add(ai, bi);
    vr = sub(bi, ai);
    vi = sub(ar, br);
    joinHalves(p0, four, add(t0r, t1r), add(t0i, t1i));
    joinHalves(p2, four, sub(t0r, t1r), sub(t0i, t1i));
    joinHalves(p1, four, add(ur, vr), add(ui, vi));
    joinHalves(p3, four, sub(ur, vr), sub(ui, vi));
  }
}

/* @inline */ function joinHalves(p: usize, four: usize, re: v128, im: v128): void {
  const dr = load(p + four);
  const di = load(p + four, WIDTH);
  storePlain(p, add(re, dr), add(im, di));
  storePlain(p + four, sub(re, dr), sub(im, di));
}
