/**
 * Exponential sums over a lattice x_i = step·(first + i). Mirror of src/reference/scan.ts, where method
 * and error bounds are stated. Lengths are even: the binding pads with a zero.
 */
import { LN2, SCAN_BLOCK } from '../src/kernel/constants.js';
import { requireBlock } from './checks.js';
import { vexp } from './elementary.js';

/** max over p_i > 0 of λ·x_i + ln 2·(exponent of p_i); −∞ if there is none. */
export function mgfShift(p: usize, n: usize, first: f64, step: f64, lambda: f64): f64 {
  requireBlock(p, n);
  const zero = f64x2.splat(0.0);
  const two = f64x2.splat(2.0);
  const STEP = f64x2.splat(step);
  const LAMBDA = f64x2.splat(lambda);
  const ln2 = f64x2.splat(LN2);
  const magic = i64x2.splat(0x4330000000000000);
  const bias = f64x2.splat(4503599627370496.0 + 1023.0);
  const none = f64x2.splat(-Infinity);
  let best = none;
  let index = f64x2(first, first + 1.0);
  const end = p + (n << 3);
  for (; p < end; p += 16) {
    const v = v128.load(p);
    const exponent = f64x2.sub(v128.or(i64x2.shr_u(v, 52), magic), bias);
    const key = f64x2.add(f64x2.mul(LAMBDA, f64x2.mul(STEP, index)), f64x2.mul(ln2, exponent));
    best = f64x2.pmax(best, v128.bitselect(key, none, f64x2.gt(v, zero)));
    index = f64x2.add(index, two);
  }
  const even = f64x2.extract_lane(best, 0);
  const odd = f64x2.extract_lane(best, 1);
  return even < odd ? odd : even;
}

/** Elements that share one exponential, and room for e^{λ·step·j}, j < BLOCK. */
// @ts-expect-error: decorator
@inline const BLOCK: usize = <usize>SCAN_BLOCK;
const RATIOS: usize = memory.data(512, 16);

/** Σ_{p_i > 0} p_i·e^{λ·x_i − shift} as four numbers at `out`: (even, odd) sums, then what they rounded off. */
export function mgfSum(p: usize, n: usize, first: f64, step: f64, lambda: f64, shift: f64, out: usize): void {
  requireBlock(p, n);
  requireBlock(out, 4);
  if (abs(lambda * step) * <f64>BLOCK <= 1.0) blockedSum(p, n, first, step, lambda, shift, out);
  else directSum(p, n, first, step, lambda, shift, out);
}

/** One exponential a block: e^{λ·x_i} = e^{λ·x_start}·e^{λ·step·j}. */
function blockedSum(p: usize, n: usize, first: f64, step: f64, lambda: f64, shift: f64, out: usize): void {
  const zero = f64x2.splat(0.0);
  const two = f64x2.splat(2.0);
  const STEP = f64x2.splat(step);
  const LAMBDA = f64x2.splat(lambda);
  let index = f64x2(0.0, 1.0);
  for (let j: usize = 0; j < BLOCK; j += 2) {
    v128.store(RATIOS + (j << 3), vexp(f64x2.mul(LAMBDA, f64x2.mul(STEP, index))));
    index = f64x2.add(index, two);
  }
  let sum = zero;
  let rest = zero;
  for (let start: usize = 0; start < n; start += BLOCK) {
    const e = vexp(f64x2.splat(0.5 * (lambda * (step * (first + <f64>start)) - shift)));
    const bytes = (n - start < BLOCK ? n - start : BLOCK) << 3;
    const from = p + (start << 3);
    for (let j: usize = 0; j < bytes; j += 16) {
      const v = v128.load(from + j);
      const factor = f64x2.mul(v128.load(RATIOS + j), e);
      const term = v128.and(f64x2.mul(f64x2.mul(v, e), factor), f64x2.gt(v, zero));
      const next = f64x2.add(sum, term);
      const part = f64x2.sub(next, sum);
      rest = f64x2.add(rest, f64x2.add(f64x2.sub(sum, f64x2.sub(next, part)), f64x2.sub(term, part)));
      sum = next;
    }
  }
  v128.store(out, sum);
  v128.store(out, rest, 16);
}

function directSum(p: usize, n: usize, first: f64, step: f64, lambda: f64, shift: f64, out: usize): void {
  const zero = f64x2.splat(0.0);
  const two = f64x2.splat(2.0);
  const half = f64x2.splat(0.5);
  const STEP = f64x2.splat(step);
  const LAMBDA = f64x2.splat(lambda);
  const SHIFT = f64x2.splat(shift);
  let sum = zero;
  let rest = zero;
  let index = f64x2(first, first + 1.0);
  const end = p + (n << 3);
  for (; p < end; p += 16) {
    const v = v128.load(p);
    const e = vexp(f64x2.mul(half, f64x2.sub(f64x2.mul(LAMBDA, f64x2.mul(STEP, index)), SHIFT)));
    const term = v128.and(f64x2.mul(f64x2.mul(v, e), e), f64x2.gt(v, zero));
    const next = f64x2.add(sum, term);
    const part = f64x2.sub(next, sum);
    rest = f64x2.add(rest, f64x2.add(f64x2.sub(sum, f64x2.sub(next, part)), f64x2.sub(term, part)));
    sum = next;
    index = f64x2.add(index, two);
  }
  v128.store(out, sum);
  v128.store(out, rest, 16);
}

/** p_i ← p_i·e^{θ·x_i − shift}. */
export function tiltInPlace(p: usize, n: usize, first: f64, step: f64, theta: f64, shift: f64): void {
  requireBlock(p, n);
  const zero = f64x2.splat(0.0);
  const two = f64x2.splat(2.0);
  const half = f64x2.splat(0.5);
  const STEP = f64x2.splat(step);
  const THETA = f64x2.splat(theta);
  const SHIFT = f64x2.splat(shift);
  let index = f64x2(first, first + 1.0);
  const end = p + (n << 3);
  for (; p < end; p += 16) {
    const v = v128.load(p);
    const e = vexp(f64x2.mul(half, f64x2.sub(f64x2.mul(THETA, f64x2.mul(STEP, index)), SHIFT)));
    v128.store(p, v128.andnot(f64x2.mul(f64x2.mul(v, e), e), f64x2.eq(v, zero)));
    index = f64x2.add(index, two);
  }
}

// @ts-expect-error: decorator
@inline function positive(x: f64): f64 {
  return f64x2.extract_lane(f64x2.pmax(f64x2.splat(0.0), f64x2.splat(x)), 0);
}

/**
 * tail[j] = max(p_j, 0) + E·tail[j+1] and delta[j] = D·(delta[j+1] + g·tail[j+1]) from the top;
 * `p` receives tail. Four steps at a time, as the
 * reference engine does.
 */
export function suffixSums(p: usize, n: usize, delta: usize, D: f64, E: f64, g: f64): void {
  requireBlock(p, n);
  requireBlock(delta, n);
  const E2 = E * E;
  const E3 = E2 * E;
  const E4 = E2 * E2;
  const D2 = D * D;
  const D3 = D2 * D;
  const D4 = D2 * D2;
  const Dg = D * g;
  let t: f64 = 0.0;
  let d: f64 = 0.0;
  let i = n << 3;
  while (i & 31) {
    i -= 8;
    d = D * (d + g * t);
    t = positive(load<f64>(p + i)) + E * t;
    store<f64>(p + i, t);
    store<f64>(delta + i, d);
  }
  while (i != 0) {
    i -= 32;
    const s3 = positive(load<f64>(p + i, 24));
    const s2 = positive(load<f64>(p + i, 16)) + E * s3;
    const s1 = positive(load<f64>(p + i, 8)) + E * s2;
    const s0 = positive(load<f64>(p + i)) + E * s1;
    const t3 = s3 + E * t;
    const t2 = s2 + E2 * t;
    const t1 = s1 + E3 * t;
    const r3 = Dg * t;
    const r2 = Dg * t3 + D * r3;
    const r1 = Dg * t2 + D * r2;
    const r0 = Dg * t1 + D * r1;
    t = s0 + E4 * t;
    store<f64>(p + i, t);
    store<f64>(p + i, t1, 8);
    store<f64>(p + i, t2, 16);
    store<f64>(p + i, t3, 24);
    store<f64>(delta + i, r1 + D3 * d, 8);
    store<f64>(delta + i, r2 + D2 * d, 16);
    store<f64>(delta + i, r3 + D * d, 24);
    d = r0 + D4 * d;
    store<f64>(delta + i, d);
  }
}
