/**
 * Butterfly passes of the complex FFT, in place, natural order in, bit-reversed order out.
 *
 * Method: reduction of the polynomial z(t) = Σ z_j t^j modulo t^L − w, w = e^{−2πiρ(b)}. Here b is
 * the number of the block at its level, and ρ the binary van der Corput map (0.b₀b₁b₂…). A block
 * splits in four with the one root r = T[b] = e^{−iπρ(b)/2}. So a whole block shares one twiddle, and
 * one nested table serves every size; r² = (−i)^{b&1}·T[b>>1] (Bernstein's djbfft; Van Loan 1992).
 *
 * Layout: a vector of real parts, then one of imaginary parts. With two lanes ("pair split") complex numbers 2i and 2i+1 lie in 32 bytes as [re re | im im]. So complex
 * arithmetic needs no shuffles. With one lane they are interleaved. Sizes and offsets are bytes, 16 per complex number.
 */
import { add, evens, LANES, mul, odds, quarterTurn, sub, WIDTH } from '../lane/lanes.js';
import { load, splat, store } from '../lane/memory.js';

/**
 * The address of r, s = r² and c = r·s of block b, below the table: (re, im) each, 48 bytes. The passes load them again for every butterfly, because
 * V8 moves loop-invariant computations into a loop, not out of it.
 */
/* @inline */ export function rootsOf(b: usize, table: usize): usize {
  return table - (b + 1) * 48;
}

/** Real parts, and imaginary parts, of two interleaved complex numbers at p. */
/* @inline */ export function plainRe(p: usize): v128 {
  return evens(load(p), load(p, WIDTH));
}
/* @inline */ export function plainIm(p: usize): v128 {
  return odds(load(p), load(p, WIDTH));
}

/** Half of the last step of a radix-4 butterfly: stores t + u and t − u at two places. Each part has one rounding. */
/* @inline */ export function storeTwo(p: usize, q: usize, tr: v128, ti: v128, ur: v128, ui: v128): void {
  store(p, add(tr, ur));
  store(p, add(ti, ui), WIDTH);
  store(q, sub(tr, ur));
  store(q, sub(ti, ui), WIDTH);
}

/** The second half of the last step of a radix-4 butterfly: stores t − iv and t + iv at two places. Each part has one rounding. */
/* @inline */ export function storeBeside(p: usize, q: usize, tr: v128, ti: v128, vr: v128, vi: v128): void {
  store(p, add(tr, vi));
  store(p, sub(ti, vr), WIDTH);
  store(q, sub(tr, vi));
  store(q, add(ti, vr), WIDTH);
}

/**
 * Radix-4 split of `count` neighbouring blocks of 4·quarter bytes, from block b on. Two products of each butterfly are computed after the stores of
 * the previous one: what is live fits into 16 registers. Rounding errors: e₁(n) of compose.ts.
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
    storeTwo(p0, p1, t0r, t0i, ur, ui);
    storeBeside(p2, p3, t1r, t1i, vr, vi);
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

/** Inverse of `splitBlocks`, times 4, by the conjugate roots: two butterflies per iteration. Rounding errors as for `splitBlocks`. */
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

/** One butterfly of `joinBlocks`: sums of the parts at p0 … p3, times conjugate roots. Rounding errors as for `splitBlocks`. */
/* @inline */ function joinStep(p0: usize, p1: usize, p2: usize, p3: usize, roots: usize): void {
  const t0r = add(load(p0), load(p1));
  const t0i = add(load(p0, WIDTH), load(p1, WIDTH));
  const ur = sub(load(p0), load(p1));
  const ui = sub(load(p0, WIDTH), load(p1, WIDTH));
  const t1r = add(load(p2), load(p3));
  const t1i = add(load(p2, WIDTH), load(p3, WIDTH));
  const vr = sub(load(p3, WIDTH), load(p2, WIDTH));
  const vi = sub(load(p2), load(p3));
  store(p0, add(t0r, t1r));
  store(p0, add(t0i, t1i), WIDTH);
  storeTurned(p2, sub(t0r, t1r), sub(t0i, t1i), splat(roots, 16), splat(roots, 24));
  storeTurned(p1, add(ur, vr), add(ui, vi), splat(roots), splat(roots, 8));
  storeTurned(p3, sub(ur, vr), sub(ui, vi), splat(roots, 32), splat(roots, 40));
}

/** Stores z times the conjugate of w, with the rounding of a complex product. */
/* @inline */ function storeTurned(p: usize, zr: v128, zi: v128, wr: v128, wi: v128): void {
  store(p, add(mul(zr, wr), mul(zi, wi)));
  store(p, sub(mul(zi, wr), mul(zr, wi)), WIDTH);
}

/** Bytes from the block of four of the first lane to that of the second; with one lane, from one number to the next. */
/* @inline */ const OTHER: usize = LANES === 2 ? 64 : 16;

/** Real or imaginary parts of the first numbers of two blocks of four, one block per lane; and of the numbers that follow these. */
/* @inline */ function quadFirst(p: usize): v128 {
  return evens(load(p), load(p, OTHER));
}
/* @inline */ function quadNext(p: usize): v128 {
  return odds(load(p), load(p, OTHER));
}
/* @inline */ function storeQuad(p: usize, first: v128, next: v128): void {
  store(p, evens(first, next));
  store(p, odds(first, next), OTHER);
}

/** `splitBlocks` for `count` (even) blocks of four numbers from block `b` (even) on: one block per lane. Rounding errors as there. */
export function splitQuads(base: usize, count: usize, b: usize, table: usize): void {
  const last = base + (count << 6) - LANES * 64;
  let roots = table + (b << 4);
  let squares = table + (b << 3);
  let p = base;
  let R = plainRe(roots);
  let I = plainIm(roots);
  let SR = load(squares);
  let SI = quarterTurn(squares);
  let CR = sub(mul(R, SR), mul(I, SI));
  let CI = add(mul(R, SI), mul(I, SR));
  let zr = quadFirst(p + 32);
  let wr = quadNext(p + 32);
  let zi = quadFirst(p + 32 + WIDTH);
  let wi = quadNext(p + 32 + WIDTH);
  let x2r = sub(mul(zr, SR), mul(zi, SI));
  let x2i = add(mul(zr, SI), mul(zi, SR));
  let x3r = sub(mul(wr, CR), mul(wi, CI));
  let x3i = add(mul(wr, CI), mul(wi, CR));
  while (true) {
    zr = quadFirst(p);
    wr = quadNext(p);
    zi = quadFirst(p + WIDTH);
    wi = quadNext(p + WIDTH);
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
    storeQuad(p, add(t0r, ur), sub(t0r, ur));
    storeQuad(p + WIDTH, add(t0i, ui), sub(t0i, ui));
    storeQuad(p + 32, add(t1r, vi), sub(t1r, vi));
    storeQuad(p + 32 + WIDTH, sub(t1i, vr), add(t1i, vr));
    if (p === last) return;
    p += LANES * 64;
    roots += 2 * WIDTH;
    squares += WIDTH;
    R = plainRe(roots);
    I = plainIm(roots);
    SR = load(squares);
    SI = quarterTurn(squares);
    CR = sub(mul(R, SR), mul(I, SI));
    CI = add(mul(R, SI), mul(I, SR));
    zr = quadFirst(p + 32);
    wr = quadNext(p + 32);
    zi = quadFirst(p + 32 + WIDTH);
    wi = quadNext(p + 32 + WIDTH);
    x2r = sub(mul(zr, SR), mul(zi, SI));
    x2i = add(mul(zr, SI), mul(zi, SR));
    x3r = sub(mul(wr, CR), mul(wi, CI));
    x3i = add(mul(wr, CI), mul(wi, CR));
  }
}

/** Inverse of `splitQuads`, times 4, by the conjugate roots. Rounding errors as for `splitBlocks`. */
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
    const R = plainRe(roots);
    const I = plainIm(roots);
    let zr = add(ur, vr);
    let zi = add(ui, vi);
    storeQuad(p, add(t0r, t1r), add(mul(zr, R), mul(zi, I)));
    storeQuad(p + WIDTH, add(t0i, t1i), sub(mul(zi, R), mul(zr, I)));
    const SR = load(squares);
    const SI = quarterTurn(squares);
    const CR = sub(mul(R, SR), mul(I, SI));
    const CI = add(mul(R, SI), mul(I, SR));
    const w = sub(t0r, t1r);
    const x = sub(t0i, t1i);
    zr = sub(ur, vr);
    zi = sub(ui, vi);
    storeQuad(p + 32, add(mul(w, SR), mul(x, SI)), add(mul(zr, CR), mul(zi, CI)));
    storeQuad(p + 32 + WIDTH, sub(mul(x, SR), mul(w, SI)), sub(mul(zi, CR), mul(zr, CI)));
  }
}
