/**
 * Butterfly passes of the complex FFT, in place, natural order in, bit-reversed order out.
 *
 * Method: reduction of the polynomial z(t) = Σ z_j t^j modulo t^L − w, w = e^{−2πiρ(b)}, where b is
 * the number of the block at its level and ρ the binary van der Corput map (0.b₀b₁b₂…). A block
 * splits in four with the one root r = T[b] = e^{−iπρ(b)/2}, so a whole block shares one twiddle and
 * one nested table serves every size; r² = (−i)^{b&1}·T[b>>1] (Bernstein's djbfft; Van Loan 1992).
 *
 * Layout "pair split": complex numbers 2i and 2i+1 lie in 32 bytes as [re re | im im], so complex
 * arithmetic needs no shuffles. Sizes and offsets are bytes, 16 per complex number.
 */

// @ts-expect-error: decorator
@inline
export function evens(a: v128, b: v128): v128 {
  return v128.shuffle<f64>(a, b, 0, 2);
}

// @ts-expect-error: decorator
@inline
export function odds(a: v128, b: v128): v128 {
  return v128.shuffle<f64>(a, b, 1, 3);
}

/** The signs that make s of an odd block, and the pair of its twiddle, from (im, re); loaded where needed. */
export const FLIP: usize = memory.data<f64>([0.0, -0.0], 16);

/**
 * Where r, s = r² and c = r·s of block b lie, below the table: (re, im) each, 48 bytes. The passes load them
 * again for every butterfly: V8 moves what a loop computes but does not change into the loop, not out of it.
 */
// @ts-expect-error: decorator
@inline
export function rootsOf(b: usize, table: usize): usize {
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
  let zr = v128.load(p1);
  let zi = v128.load(p1, 16);
  let wr = v128.load64_splat(roots);
  let wi = v128.load64_splat(roots, 8);
  let x1r = f64x2.sub(f64x2.mul(zr, wr), f64x2.mul(zi, wi));
  let x1i = f64x2.add(f64x2.mul(zr, wi), f64x2.mul(zi, wr));
  zr = v128.load(p3);
  zi = v128.load(p3, 16);
  wr = v128.load64_splat(roots, 32);
  wi = v128.load64_splat(roots, 40);
  let x3r = f64x2.sub(f64x2.mul(zr, wr), f64x2.mul(zi, wi));
  let x3i = f64x2.add(f64x2.mul(zr, wi), f64x2.mul(zi, wr));
  while (true) {
    const ur = f64x2.add(x1r, x3r);
    const vr = f64x2.sub(x1r, x3r);
    const ui = f64x2.add(x1i, x3i);
    const vi = f64x2.sub(x1i, x3i);
    zr = v128.load(p2);
    zi = v128.load(p2, 16);
    wr = v128.load64_splat(roots, 16);
    wi = v128.load64_splat(roots, 24);
    const x2r = f64x2.sub(f64x2.mul(zr, wr), f64x2.mul(zi, wi));
    const x2i = f64x2.add(f64x2.mul(zr, wi), f64x2.mul(zi, wr));
    zr = v128.load(p0);
    zi = v128.load(p0, 16);
    const t0r = f64x2.add(zr, x2r);
    const t1r = f64x2.sub(zr, x2r);
    const t0i = f64x2.add(zi, x2i);
    const t1i = f64x2.sub(zi, x2i);
    v128.store(p0, f64x2.add(t0r, ur));
    v128.store(p0, f64x2.add(t0i, ui), 16);
    v128.store(p1, f64x2.sub(t0r, ur));
    v128.store(p1, f64x2.sub(t0i, ui), 16);
    v128.store(p2, f64x2.add(t1r, vi));
    v128.store(p2, f64x2.sub(t1i, vr), 16);
    v128.store(p3, f64x2.sub(t1r, vi));
    v128.store(p3, f64x2.add(t1i, vr), 16);
    p0 += 32;
    if (p0 == end) {
      if (--count == 0) return;
      p0 = p3 + 32;
      end = p0 + quarter;
      roots -= 48;
    }
    p1 = p0 + quarter;
    p2 = p1 + quarter;
    p3 = p2 + quarter;
    zr = v128.load(p1);
    zi = v128.load(p1, 16);
    wr = v128.load64_splat(roots);
    wi = v128.load64_splat(roots, 8);
    x1r = f64x2.sub(f64x2.mul(zr, wr), f64x2.mul(zi, wi));
    x1i = f64x2.add(f64x2.mul(zr, wi), f64x2.mul(zi, wr));
    zr = v128.load(p3);
    zi = v128.load(p3, 16);
    wr = v128.load64_splat(roots, 32);
    wi = v128.load64_splat(roots, 40);
    x3r = f64x2.sub(f64x2.mul(zr, wr), f64x2.mul(zi, wi));
    x3i = f64x2.add(f64x2.mul(zr, wi), f64x2.mul(zi, wr));
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
    joinStep(p0 + 32, p1 + 32, p2 + 32, p3 + 32, roots);
    p0 += 64;
    if (p0 == end) {
      if (--count == 0) return;
      p0 = p3 + 64;
      end = p0 + quarter;
      roots -= 48;
    }
  }
}

// @ts-expect-error: decorator
@inline
function joinStep(p0: usize, p1: usize, p2: usize, p3: usize, roots: usize): void {
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
  v128.store(p0, f64x2.add(t0r, t1r));
  v128.store(p0, f64x2.add(t0i, t1i), 16);
  let wr = v128.load64_splat(roots, 16);
  let wi = v128.load64_splat(roots, 24);
  ar = f64x2.sub(t0r, t1r);
  ai = f64x2.sub(t0i, t1i);
  v128.store(p2, f64x2.add(f64x2.mul(ar, wr), f64x2.mul(ai, wi)));
  v128.store(p2, f64x2.sub(f64x2.mul(ai, wr), f64x2.mul(ar, wi)), 16);
  wr = v128.load64_splat(roots);
  wi = v128.load64_splat(roots, 8);
  ar = f64x2.add(ur, vr);
  ai = f64x2.add(ui, vi);
  v128.store(p1, f64x2.add(f64x2.mul(ar, wr), f64x2.mul(ai, wi)));
  v128.store(p1, f64x2.sub(f64x2.mul(ai, wr), f64x2.mul(ar, wi)), 16);
  wr = v128.load64_splat(roots, 32);
  wi = v128.load64_splat(roots, 40);
  ar = f64x2.sub(ur, vr);
  ai = f64x2.sub(ui, vi);
  v128.store(p3, f64x2.add(f64x2.mul(ar, wr), f64x2.mul(ai, wi)));
  v128.store(p3, f64x2.sub(f64x2.mul(ai, wr), f64x2.mul(ar, wi)), 16);
}

/** `splitBlocks` for `count` (even) blocks of four numbers from block `b` (even) on: two per step. */
export function splitQuads(base: usize, count: usize, b: usize, table: usize): void {
  const last = base + (count << 6) - 128;
  let roots = table + (b << 4);
  let squares = table + ((b >> 1) << 4);
  let p = base;
  let a = v128.load(roots);
  let c = v128.load(roots, 16);
  let R = evens(a, c);
  let I = odds(a, c);
  let SR = v128.load(squares);
  let SI = v128.xor(v128.shuffle<f64>(SR, SR, 1, 0), v128.load(FLIP));
  let CR = f64x2.sub(f64x2.mul(R, SR), f64x2.mul(I, SI));
  let CI = f64x2.add(f64x2.mul(R, SI), f64x2.mul(I, SR));
  a = v128.load(p, 32);
  c = v128.load(p, 96);
  let zr = evens(a, c);
  let wr = odds(a, c);
  a = v128.load(p, 48);
  c = v128.load(p, 112);
  let zi = evens(a, c);
  let wi = odds(a, c);
  let x2r = f64x2.sub(f64x2.mul(zr, SR), f64x2.mul(zi, SI));
  let x2i = f64x2.add(f64x2.mul(zr, SI), f64x2.mul(zi, SR));
  let x3r = f64x2.sub(f64x2.mul(wr, CR), f64x2.mul(wi, CI));
  let x3i = f64x2.add(f64x2.mul(wr, CI), f64x2.mul(wi, CR));
  while (true) {
    a = v128.load(p);
    c = v128.load(p, 64);
    zr = evens(a, c);
    wr = odds(a, c);
    a = v128.load(p, 16);
    c = v128.load(p, 80);
    zi = evens(a, c);
    wi = odds(a, c);
    const x1r = f64x2.sub(f64x2.mul(wr, R), f64x2.mul(wi, I));
    const x1i = f64x2.add(f64x2.mul(wr, I), f64x2.mul(wi, R));
    const t0r = f64x2.add(zr, x2r);
    const t0i = f64x2.add(zi, x2i);
    const t1r = f64x2.sub(zr, x2r);
    const t1i = f64x2.sub(zi, x2i);
    const ur = f64x2.add(x1r, x3r);
    const ui = f64x2.add(x1i, x3i);
    const vr = f64x2.sub(x1r, x3r);
    const vi = f64x2.sub(x1i, x3i);
    a = f64x2.add(t0r, ur);
    c = f64x2.sub(t0r, ur);
    v128.store(p, evens(a, c));
    v128.store(p, odds(a, c), 64);
    a = f64x2.add(t0i, ui);
    c = f64x2.sub(t0i, ui);
    v128.store(p, evens(a, c), 16);
    v128.store(p, odds(a, c), 80);
    a = f64x2.add(t1r, vi);
    c = f64x2.sub(t1r, vi);
    v128.store(p, evens(a, c), 32);
    v128.store(p, odds(a, c), 96);
    a = f64x2.sub(t1i, vr);
    c = f64x2.add(t1i, vr);
    v128.store(p, evens(a, c), 48);
    v128.store(p, odds(a, c), 112);
    if (p == last) return;
    p += 128;
    roots += 32;
    squares += 16;
    a = v128.load(roots);
    c = v128.load(roots, 16);
    R = evens(a, c);
    I = odds(a, c);
    SR = v128.load(squares);
    SI = v128.xor(v128.shuffle<f64>(SR, SR, 1, 0), v128.load(FLIP));
    CR = f64x2.sub(f64x2.mul(R, SR), f64x2.mul(I, SI));
    CI = f64x2.add(f64x2.mul(R, SI), f64x2.mul(I, SR));
    a = v128.load(p, 32);
    c = v128.load(p, 96);
    zr = evens(a, c);
    wr = odds(a, c);
    a = v128.load(p, 48);
    c = v128.load(p, 112);
    zi = evens(a, c);
    wi = odds(a, c);
    x2r = f64x2.sub(f64x2.mul(zr, SR), f64x2.mul(zi, SI));
    x2i = f64x2.add(f64x2.mul(zr, SI), f64x2.mul(zi, SR));
    x3r = f64x2.sub(f64x2.mul(wr, CR), f64x2.mul(wi, CI));
    x3i = f64x2.add(f64x2.mul(wr, CI), f64x2.mul(wi, CR));
  }
}

/** Inverse of `splitQuads`, times 4. */
export function joinQuads(base: usize, count: usize, b: usize, table: usize): void {
  const end = base + (count << 6);
  let roots = table + (b << 4);
  let squares = table + ((b >> 1) << 4);
  for (let p = base; p < end; p += 128, roots += 32, squares += 16) {
    let a = v128.load(p);
    let c = v128.load(p, 64);
    const t0r = f64x2.add(evens(a, c), odds(a, c));
    const ur = f64x2.sub(evens(a, c), odds(a, c));
    a = v128.load(p, 16);
    c = v128.load(p, 80);
    const t0i = f64x2.add(evens(a, c), odds(a, c));
    const ui = f64x2.sub(evens(a, c), odds(a, c));
    a = v128.load(p, 32);
    c = v128.load(p, 96);
    const t1r = f64x2.add(evens(a, c), odds(a, c));
    const vi = f64x2.sub(evens(a, c), odds(a, c));
    a = v128.load(p, 48);
    c = v128.load(p, 112);
    const t1i = f64x2.add(evens(a, c), odds(a, c));
    const vr = f64x2.sub(odds(a, c), evens(a, c));
    let w = v128.load(roots);
    let x = v128.load(roots, 16);
    const R = evens(w, x);
    const I = odds(w, x);
    let zr = f64x2.add(ur, vr);
    let zi = f64x2.add(ui, vi);
    a = f64x2.add(t0r, t1r);
    c = f64x2.add(f64x2.mul(zr, R), f64x2.mul(zi, I));
    v128.store(p, evens(a, c));
    v128.store(p, odds(a, c), 64);
    a = f64x2.add(t0i, t1i);
    c = f64x2.sub(f64x2.mul(zi, R), f64x2.mul(zr, I));
    v128.store(p, evens(a, c), 16);
    v128.store(p, odds(a, c), 80);
    const SR = v128.load(squares);
    const SI = v128.xor(v128.shuffle<f64>(SR, SR, 1, 0), v128.load(FLIP));
    const CR = f64x2.sub(f64x2.mul(R, SR), f64x2.mul(I, SI));
    const CI = f64x2.add(f64x2.mul(R, SI), f64x2.mul(I, SR));
    w = f64x2.sub(t0r, t1r);
    x = f64x2.sub(t0i, t1i);
    zr = f64x2.sub(ur, vr);
    zi = f64x2.sub(ui, vi);
    a = f64x2.add(f64x2.mul(w, SR), f64x2.mul(x, SI));
    c = f64x2.add(f64x2.mul(zr, CR), f64x2.mul(zi, CI));
    v128.store(p, evens(a, c), 32);
    v128.store(p, odds(a, c), 96);
    a = f64x2.sub(f64x2.mul(x, SR), f64x2.mul(w, SI));
    c = f64x2.sub(f64x2.mul(zi, CR), f64x2.mul(zr, CI));
    v128.store(p, evens(a, c), 48);
    v128.store(p, odds(a, c), 112);
  }
}
