/**
 * Butterfly passes of the complex FFT, in place, natural order in, bit-reversed order out.
 *
 * Method: reduction of the polynomial z(t) = Σ z_j t^j modulo t^L − w, w = e^{−2πiρ(b)}, where b is
 * the number of the block at its level and ρ the binary van der Corput map (0.b₀b₁b₂…). A block
 * splits in four with the one root r = T[b] = e^{−iπρ(b)/2}, so a whole block shares one twiddle and
 * one nested table serves every size; r² = (−i)^{b&1}·T[b>>1] (Bernstein's djbfft; Van Loan 1992).
 *
 * Layout: a vector of real parts, then one of imaginary parts. With two lanes, "pair split", complex numbers 2i and 2i+1 lie in 32 bytes as
 * [re re | im im], so complex arithmetic needs no shuffles; with one lane they are interleaved. Sizes and offsets are bytes, 16 per complex number.
 */

import { add, evens, LANES, mul, odds, quarterTurn, sub, WIDTH } from './lanes.js';
import { load, splat, store } from './memory.js';
/**
 * Where r, s = r² and c = r·s of block b lie, below the table: (re, im) each, 48 bytes. The passes load them
 * again for every butterfly: V8 moves what a loop computes but does not change into the loop, not out of it.
 */
/* @inline */ export function rootsOf(b: usize, table: usize): usize {
  return table - (b + 1) * 48;
}

/**
 * Splits `count` neighbouring blocks of 4·quarter bytes, from block b on, into four each. Two products of a
 * butterfly are formed behind the stores of the one before it: what is live at a time fits into 16 registers.
 */
export function splitBlocks(base: usize, quarter: usize, count: usize, b: usize, table: usize): void {
  let roots = rootsOf(b, table);
  let p0 = base;
  let p1 = p0 + quarter;
  let p2 = p1 + quarter;
  let p3 = p2 + quarter;
  let end = p1;
  let zr = load(p1);
  let zi = load(p1, WIDTH);
  let wr = splat(roots);
  let wi = splat(roots, 8);
  let x1r = sub(mul(zr, wr), mul(zi, wi));
  let x1i = add(mul(zr, wi), mul(zi, wr));
  zr = load(p3);
  zi = load(p3, WIDTH);
  wr = splat(roots, 32);
  wi = splat(roots, 40);
  let x3r = sub(mul(zr, wr), mul(zi, wi));
  let x3i = add(mul(zr, wi), mul(zi, wr));
  while (true) {
    const ur = add(x1r, x3r);
    const vr = sub(x1r, x3r);
    const ui = add(x1i, x3i);
    const vi = sub(x1i, x3i);
    zr = load(p2);
    zi = load(p2, WIDTH);
    wr = splat(roots, 16);
    wi = splat(roots, 24);
    const x2r = sub(mul(zr, wr), mul(zi, wi));
    const x2i = add(mul(zr, wi), mul(zi, wr));
    zr = load(p0);
    zi = load(p0, WIDTH);
    const t0r = add(zr, x2r);
    const t1r = sub(zr, x2r);
    const t0i = add(zi, x2i);
    const t1i = sub(zi, x2i);
    store(p0, add(t0r, ur));
    store(p0, add(t0i, ui), WIDTH);
    store(p1, sub(t0r, ur));
    store(p1, sub(t0i, ui), WIDTH);
    store(p2, add(t1r, vi));
    store(p2, sub(t1i, vr), WIDTH);
    store(p3, sub(t1r, vi));
    store(p3, add(t1i, vr), WIDTH);
    p0 += 2 * WIDTH;
    if (p0 === end) {
      if (--count === 0) return;
      p0 = p3 + 2 * WIDTH;
      end = p0 + quarter;
      roots -= 48;
    }
    p1 = p0 + quarter;
    p2 = p1 + quarter;
    p3 = p2 + quarter;
    zr = load(p1);
    zi = load(p1, WIDTH);
    wr = splat(roots);
    wi = splat(roots, 8);
    x1r = sub(mul(zr, wr), mul(zi, wi));
    x1i = add(mul(zr, wi), mul(zi, wr));
    zr = load(p3);
    zi = load(p3, WIDTH);
    wr = splat(roots, 32);
    wi = splat(roots, 40);
    x3r = sub(mul(zr, wr), mul(zi, wi));
    x3i = add(mul(zr, wi), mul(zi, wr));
  }
}

/** Inverse of `splitBlocks`, times 4: two butterflies a step. */
export function joinBlocks(base: usize, quarter: usize, count: usize, b: usize, table: usize): void {
  let roots = rootsOf(b, table);
  let p0 = base;
  let end = base + quarter;
  while (true) {
    const p1 = p0 + quarter;
    const p2 = p1 + quarter;
    const p3 = p2 + quarter;
    joinStep(p0, p1, p2, p3, roots);
    joinStep(p0 + 2 * WIDTH, p1 + 2 * WIDTH, p2 + 2 * WIDTH, p3 + 2 * WIDTH, roots);
    p0 += 4 * WIDTH;
    if (p0 === end) {
      if (--count === 0) return;
      p0 = p3 + 4 * WIDTH;
      end = p0 + quarter;
      roots -= 48;
    }
  }
}

/* @inline */ function joinStep(p0: usize, p1: usize, p2: usize, p3: usize, roots: usize): void {
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
  store(p0, add(t0r, t1r));
  store(p0, add(t0i, t1i), WIDTH);
  let wr = splat(roots, 16);
  let wi = splat(roots, 24);
  ar = sub(t0r, t1r);
  ai = sub(t0i, t1i);
  store(p2, add(mul(ar, wr), mul(ai, wi)));
  store(p2, sub(mul(ai, wr), mul(ar, wi)), WIDTH);
  wr = splat(roots);
  wi = splat(roots, 8);
  ar = add(ur, vr);
  ai = add(ui, vi);
  store(p1, add(mul(ar, wr), mul(ai, wi)));
  store(p1, sub(mul(ai, wr), mul(ar, wi)), WIDTH);
  wr = splat(roots, 32);
  wi = splat(roots, 40);
  ar = sub(ur, vr);
  ai = sub(ui, vi);
  store(p3, add(mul(ar, wr), mul(ai, wi)));
  store(p3, sub(mul(ai, wr), mul(ar, wi)), WIDTH);
}

/** Bytes from a block of four to the one in the other lane; with one lane, from a number to the next. */
/* @inline */ const OTHER: usize = LANES === 2 ? 64 : 16;

/** `splitBlocks` for `count` (even) blocks of four numbers from block `b` (even) on: one per lane and step. */
export function splitQuads(base: usize, count: usize, b: usize, table: usize): void {
  const last = base + (count << 6) - LANES * 64;
  let roots = table + (b << 4);
  let squares = table + (b << 3);
  let p = base;
  let a = load(roots);
  let c = load(roots, WIDTH);
  let R = evens(a, c);
  let I = odds(a, c);
  let SR = load(squares);
  let SI = quarterTurn(squares);
  let CR = sub(mul(R, SR), mul(I, SI));
  let CI = add(mul(R, SI), mul(I, SR));
  a = load(p, 32);
  c = load(p, 32 + OTHER);
  let zr = evens(a, c);
  let wr = odds(a, c);
  a = load(p, 32 + WIDTH);
  c = load(p, 32 + WIDTH + OTHER);
  let zi = evens(a, c);
  let wi = odds(a, c);
  let x2r = sub(mul(zr, SR), mul(zi, SI));
  let x2i = add(mul(zr, SI), mul(zi, SR));
  let x3r = sub(mul(wr, CR), mul(wi, CI));
  let x3i = add(mul(wr, CI), mul(wi, CR));
  while (true) {
    a = load(p);
    c = load(p, OTHER);
    zr = evens(a, c);
    wr = odds(a, c);
    a = load(p, WIDTH);
    c = load(p, WIDTH + OTHER);
    zi = evens(a, c);
    wi = odds(a, c);
    const x1r = sub(mul(wr, R), mul(wi, I));
    const x1i = add(mul(wr, I), mul(wi, R));
    const t0r = add(zr, x2r);
    const t0i = add(zi, x2i);
    const t1r = sub(zr, x2r);
    const t1i = sub(zi, x2i);
    const ur = add(x1r, x3r);
    const ui = add(x1i, x3i);
    const vr = sub(x1r, x3r);
    const vi = sub(x1i, x3i);
    a = add(t0r, ur);
    c = sub(t0r, ur);
    store(p, evens(a, c));
    store(p, odds(a, c), OTHER);
    a = add(t0i, ui);
    c = sub(t0i, ui);
    store(p, evens(a, c), WIDTH);
    store(p, odds(a, c), WIDTH + OTHER);
    a = add(t1r, vi);
    c = sub(t1r, vi);
    store(p, evens(a, c), 32);
    store(p, odds(a, c), 32 + OTHER);
    a = sub(t1i, vr);
    c = add(t1i, vr);
    store(p, evens(a, c), 32 + WIDTH);
    store(p, odds(a, c), 32 + WIDTH + OTHER);
    if (p === last) return;
    p += LANES * 64;
    roots += 2 * WIDTH;
    squares += WIDTH;
    a = load(roots);
    c = load(roots, WIDTH);
    R = evens(a, c);
    I = odds(a, c);
    SR = load(squares);
    SI = quarterTurn(squares);
    CR = sub(mul(R, SR), mul(I, SI));
    CI = add(mul(R, SI), mul(I, SR));
    a = load(p, 32);
    c = load(p, 32 + OTHER);
    zr = evens(a, c);
    wr = odds(a, c);
    a = load(p, 32 + WIDTH);
    c = load(p, 32 + WIDTH + OTHER);
    zi = evens(a, c);
    wi = odds(a, c);
    x2r = sub(mul(zr, SR), mul(zi, SI));
    x2i = add(mul(zr, SI), mul(zi, SR));
    x3r = sub(mul(wr, CR), mul(wi, CI));
    x3i = add(mul(wr, CI), mul(wi, CR));
  }
}

/** Inverse of `splitQuads`, times 4. */
export function joinQuads(base: usize, count: usize, b: usize, table: usize): void {
  const end = base + (count << 6);
  let roots = table + (b << 4);
  let squares = table + (b << 3);
  for (let p = base; p < end; p += LANES * 64, roots += 2 * WIDTH, squares += WIDTH) {
    let a = load(p);
    let c = load(p, OTHER);
    const t0r = add(evens(a, c), odds(a, c));
    const ur = sub(evens(a, c), odds(a, c));
    a = load(p, WIDTH);
    c = load(p, WIDTH + OTHER);
    const t0i = add(evens(a, c), odds(a, c));
    const ui = sub(evens(a, c), odds(a, c));
    a = load(p, 32);
    c = load(p, 32 + OTHER);
    const t1r = add(evens(a, c), odds(a, c));
    const vi = sub(evens(a, c), odds(a, c));
    a = load(p, 32 + WIDTH);
    c = load(p, 32 + WIDTH + OTHER);
    const t1i = add(evens(a, c), odds(a, c));
    const vr = sub(odds(a, c), evens(a, c));
    let w = load(roots);
    let x = load(roots, WIDTH);
    const R = evens(w, x);
    const I = odds(w, x);
    let zr = add(ur, vr);
    let zi = add(ui, vi);
    a = add(t0r, t1r);
    c = add(mul(zr, R), mul(zi, I));
    store(p, evens(a, c));
    store(p, odds(a, c), OTHER);
    a = add(t0i, t1i);
    c = sub(mul(zi, R), mul(zr, I));
    store(p, evens(a, c), WIDTH);
    store(p, odds(a, c), WIDTH + OTHER);
    const SR = load(squares);
    const SI = quarterTurn(squares);
    const CR = sub(mul(R, SR), mul(I, SI));
    const CI = add(mul(R, SI), mul(I, SR));
    w = sub(t0r, t1r);
    x = sub(t0i, t1i);
    zr = sub(ur, vr);
    zi = sub(ui, vi);
    a = add(mul(w, SR), mul(x, SI));
    c = add(mul(zr, CR), mul(zi, CI));
    store(p, evens(a, c), 32);
    store(p, odds(a, c), 32 + OTHER);
    a = sub(mul(x, SR), mul(w, SI));
    c = sub(mul(zi, CR), mul(zr, CI));
    store(p, evens(a, c), 32 + WIDTH);
    store(p, odds(a, c), 32 + WIDTH + OTHER);
  }
}
