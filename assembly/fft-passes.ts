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

/** Splits block `b` of 4·quarter bytes into four. */
export function splitBlock(base: usize, quarter: usize, b: usize, table: usize): void {
  const rr = load<f64>(table + (b << 4));
  const ri = load<f64>(table + (b << 4), 8);
  const half = table + ((b >> 1) << 4);
  const tr = load<f64>(half);
  const ti = load<f64>(half, 8);
  const odd = (b & 1) != 0;
  const sr = odd ? ti : tr;
  const si = odd ? -tr : ti;
  const R = f64x2.splat(rr);
  const I = f64x2.splat(ri);
  const SR = f64x2.splat(sr);
  const SI = f64x2.splat(si);
  const CR = f64x2.splat(rr * sr - ri * si);
  const CI = f64x2.splat(rr * si + ri * sr);
  const end = base + quarter;
  for (let p0 = base; p0 < end; p0 += 32) {
    const p1 = p0 + quarter;
    const p2 = p1 + quarter;
    const p3 = p2 + quarter;
    let zr = v128.load(p1);
    let zi = v128.load(p1, 16);
    const x1r = f64x2.sub(f64x2.mul(zr, R), f64x2.mul(zi, I));
    const x1i = f64x2.add(f64x2.mul(zr, I), f64x2.mul(zi, R));
    zr = v128.load(p3);
    zi = v128.load(p3, 16);
    const x3r = f64x2.sub(f64x2.mul(zr, CR), f64x2.mul(zi, CI));
    const x3i = f64x2.add(f64x2.mul(zr, CI), f64x2.mul(zi, CR));
    const ur = f64x2.add(x1r, x3r);
    const vr = f64x2.sub(x1r, x3r);
    const ui = f64x2.add(x1i, x3i);
    const vi = f64x2.sub(x1i, x3i);
    zr = v128.load(p2);
    zi = v128.load(p2, 16);
    const x2r = f64x2.sub(f64x2.mul(zr, SR), f64x2.mul(zi, SI));
    const x2i = f64x2.add(f64x2.mul(zr, SI), f64x2.mul(zi, SR));
    zr = v128.load(p0);
    const t0r = f64x2.add(zr, x2r);
    const t1r = f64x2.sub(zr, x2r);
    v128.store(p0, f64x2.add(t0r, ur));
    v128.store(p1, f64x2.sub(t0r, ur));
    v128.store(p2, f64x2.add(t1r, vi));
    v128.store(p3, f64x2.sub(t1r, vi));
    zi = v128.load(p0, 16);
    const t0i = f64x2.add(zi, x2i);
    const t1i = f64x2.sub(zi, x2i);
    v128.store(p0, f64x2.add(t0i, ui), 16);
    v128.store(p1, f64x2.sub(t0i, ui), 16);
    v128.store(p2, f64x2.sub(t1i, vr), 16);
    v128.store(p3, f64x2.add(t1i, vr), 16);
  }
}

/** Inverse of `splitBlock`, times 4. */
export function joinBlock(base: usize, quarter: usize, b: usize, table: usize): void {
  const rr = load<f64>(table + (b << 4));
  const ri = load<f64>(table + (b << 4), 8);
  const half = table + ((b >> 1) << 4);
  const tr = load<f64>(half);
  const ti = load<f64>(half, 8);
  const odd = (b & 1) != 0;
  const sr = odd ? ti : tr;
  const si = odd ? -tr : ti;
  const R = f64x2.splat(rr);
  const I = f64x2.splat(ri);
  const SR = f64x2.splat(sr);
  const SI = f64x2.splat(si);
  const CR = f64x2.splat(rr * sr - ri * si);
  const CI = f64x2.splat(rr * si + ri * sr);
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
    v128.store(p0, f64x2.add(t0r, t1r));
    v128.store(p0, f64x2.add(t0i, t1i), 16);
    ar = f64x2.add(ur, vr);
    ai = f64x2.add(ui, vi);
    v128.store(p1, f64x2.add(f64x2.mul(ar, R), f64x2.mul(ai, I)));
    v128.store(p1, f64x2.sub(f64x2.mul(ai, R), f64x2.mul(ar, I)), 16);
    ar = f64x2.sub(t0r, t1r);
    ai = f64x2.sub(t0i, t1i);
    v128.store(p2, f64x2.add(f64x2.mul(ar, SR), f64x2.mul(ai, SI)));
    v128.store(p2, f64x2.sub(f64x2.mul(ai, SR), f64x2.mul(ar, SI)), 16);
    ar = f64x2.sub(ur, vr);
    ai = f64x2.sub(ui, vi);
    v128.store(p3, f64x2.add(f64x2.mul(ar, CR), f64x2.mul(ai, CI)));
    v128.store(p3, f64x2.sub(f64x2.mul(ai, CR), f64x2.mul(ar, CI)), 16);
  }
}

/** `splitBlock` for `count` (even) blocks of four numbers from block `b` (even) on: two per step. */
export function splitQuads(base: usize, count: usize, b: usize, table: usize): void {
  const end = base + (count << 6);
  let roots = table + (b << 4);
  let squares = table + ((b >> 1) << 4);
  const flip = f64x2(0.0, -0.0);
  for (let p = base; p < end; p += 128) {
    const w0 = v128.load(roots);
    const w1 = v128.load(roots, 16);
    const R = evens(w0, w1);
    const I = odds(w0, w1);
    const SR = v128.load(squares);
    const SI = v128.xor(v128.shuffle<f64>(SR, SR, 1, 0), flip);
    const CR = f64x2.sub(f64x2.mul(R, SR), f64x2.mul(I, SI));
    const CI = f64x2.add(f64x2.mul(R, SI), f64x2.mul(I, SR));
    roots += 32;
    squares += 16;
    let a = v128.load(p, 32);
    let c = v128.load(p, 96);
    const z2r = evens(a, c);
    const z3r = odds(a, c);
    a = v128.load(p, 48);
    c = v128.load(p, 112);
    const z2i = evens(a, c);
    const z3i = odds(a, c);
    const x2r = f64x2.sub(f64x2.mul(z2r, SR), f64x2.mul(z2i, SI));
    const x2i = f64x2.add(f64x2.mul(z2r, SI), f64x2.mul(z2i, SR));
    const x3r = f64x2.sub(f64x2.mul(z3r, CR), f64x2.mul(z3i, CI));
    const x3i = f64x2.add(f64x2.mul(z3r, CI), f64x2.mul(z3i, CR));
    a = v128.load(p);
    c = v128.load(p, 64);
    const z0r = evens(a, c);
    const z1r = odds(a, c);
    a = v128.load(p, 16);
    c = v128.load(p, 80);
    const z0i = evens(a, c);
    const z1i = odds(a, c);
    const x1r = f64x2.sub(f64x2.mul(z1r, R), f64x2.mul(z1i, I));
    const x1i = f64x2.add(f64x2.mul(z1r, I), f64x2.mul(z1i, R));
    const t0r = f64x2.add(z0r, x2r);
    const t0i = f64x2.add(z0i, x2i);
    const t1r = f64x2.sub(z0r, x2r);
    const t1i = f64x2.sub(z0i, x2i);
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
  }
}

/** Inverse of `splitQuads`, times 4. */
export function joinQuads(base: usize, count: usize, b: usize, table: usize): void {
  const end = base + (count << 6);
  let roots = table + (b << 4);
  let squares = table + ((b >> 1) << 4);
  const flip = f64x2(0.0, -0.0);
  for (let p = base; p < end; p += 128) {
    const w0 = v128.load(roots);
    const w1 = v128.load(roots, 16);
    const R = evens(w0, w1);
    const I = odds(w0, w1);
    const SR = v128.load(squares);
    const SI = v128.xor(v128.shuffle<f64>(SR, SR, 1, 0), flip);
    const CR = f64x2.sub(f64x2.mul(R, SR), f64x2.mul(I, SI));
    const CI = f64x2.add(f64x2.mul(R, SI), f64x2.mul(I, SR));
    roots += 32;
    squares += 16;
    let a = v128.load(p);
    let c = v128.load(p, 64);
    let y = evens(a, c);
    let w = odds(a, c);
    const t0r = f64x2.add(y, w);
    const ur = f64x2.sub(y, w);
    a = v128.load(p, 16);
    c = v128.load(p, 80);
    y = evens(a, c);
    w = odds(a, c);
    const t0i = f64x2.add(y, w);
    const ui = f64x2.sub(y, w);
    a = v128.load(p, 32);
    c = v128.load(p, 96);
    y = evens(a, c);
    w = odds(a, c);
    const t1r = f64x2.add(y, w);
    const vi = f64x2.sub(y, w);
    a = v128.load(p, 48);
    c = v128.load(p, 112);
    y = evens(a, c);
    w = odds(a, c);
    const t1i = f64x2.add(y, w);
    const vr = f64x2.sub(w, y);
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
    const yr = f64x2.sub(t0r, t1r);
    const yi = f64x2.sub(t0i, t1i);
    zr = f64x2.sub(ur, vr);
    zi = f64x2.sub(ui, vi);
    a = f64x2.add(f64x2.mul(yr, SR), f64x2.mul(yi, SI));
    c = f64x2.add(f64x2.mul(zr, CR), f64x2.mul(zi, CI));
    v128.store(p, evens(a, c), 32);
    v128.store(p, odds(a, c), 96);
    a = f64x2.sub(f64x2.mul(yi, SR), f64x2.mul(yr, SI));
    c = f64x2.sub(f64x2.mul(zi, CR), f64x2.mul(zr, CI));
    v128.store(p, evens(a, c), 48);
    v128.store(p, odds(a, c), 112);
  }
}
