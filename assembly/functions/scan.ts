/**
 * Exponential sums over a lattice x_i = step·(first + i). Lengths are even: the binding pads with a zero. u = 2⁻⁵³.
 *
 * log Σ p_i e^{λ x_i} over p_i > 0 (round-off below zero counts as 0). The shift is the largest λ·x_i + ln 2·⌊log₂ p_i⌋, so the largest term is near 1
 * wherever p and the exponential lie. e^{arg} is taken as the square of e^{arg/2}, which does not overflow against a subnormal p. On fine grids
 * (64·|λ·step| ≤ 1) one exponential serves 64 terms, times a table of e^{λ·step·j}. The sum is compensated. Relative error of e^{result}: at most
 * u·(16 + 2·max|λx_i| + max|λx_i − shift| + |result|), maxima over the terms that matter.
 */
import { LN2, SCAN_BLOCK } from '../../src/kernel/constants.js';
import { vexp, vexpm1, vlog } from './elementary.js';
import {
  add,
  all,
  drop,
  eq,
  exponentOf,
  gt,
  keep,
  lane0,
  lane1,
  mul,
  pair,
  pmax,
  requireBlock,
  select,
  sub,
  WIDTH,
} from '../lane/lanes.js';
import { load, loadF64, store, storeF64 } from '../lane/memory.js';
import { borrow, giveBack } from '../lane/scratch.js';

/**
 * The shift of `logMgf`: the largest λ·x_i + ln 2·(binary exponent of p_i) over p_i > 0; −∞ if there is none. Any shift near it serves; its rounding
 * is in the error of `logMgf`.
 */
function mgfShift(p: usize, n: usize, first: f64, step: f64, lambda: f64): f64 {
  let largest: f64 = -Infinity;
  for (let lane: usize = 0; lane < 16; lane += WIDTH) {
    const none = all(-Infinity);
    let best = all(largest);
    let index = ramp(first, lane);
    const end = p + (n << 3);
    for (let q = p + lane; q < end; q += 16) {
      const v = load(q);
      const key = add(mul(all(lambda), mul(all(step), index)), mul(all(LN2), exponentOf(v)));
      best = pmax(best, select(key, none, gt(v, all(0))));
      index = add(index, all(2));
    }
    const even = lane0(best);
    const odd = lane1(best);
    largest = even < odd ? odd : even;
  }
  return largest;
}

/** A vector of consecutive indices; with one lane, that of the given lane. */
/* @inline */ function ramp(first: f64, lane: usize): v128 {
  const place = first + <f64>(lane >> 3);
  return pair(place, place + 1);
}

/** The number of terms that share one exponential. */
/* @inline */ const BLOCK: usize = <usize>SCAN_BLOCK;

/** log Σ p_i·e^{λ·x_i} over p_i > 0, x_i = step·(first + i), with the error stated at the top of this file; −∞ if there is no term. */
export function logMgf(p: usize, n: usize, first: f64, step: f64, lambda: f64): f64 {
  requireBlock(p, n);
  const shift = mgfShift(p, n, first, step, lambda);
  if (shift === -Infinity) return shift;
  const sums = borrow(32);
  if (Math.abs(lambda * step) * <f64>BLOCK <= 1.0) blockedSum(p, n, first, step, lambda, shift, sums);
  else directSum(p, n, first, step, lambda, shift, sums);
  const even = loadF64(sums);
  const odd = loadF64(sums, 8);
  const rests = loadF64(sums, 16) + loadF64(sums, 24);
  giveBack(sums);
  const sum = even + odd;
  const part = sum - even;
  const lost = even - (sum - part) + (odd - part);
  return lane0(vlog(all(sum + (lost + rests)))) + shift;
}

/**
 * Σ p_i e^{λ·x_i − shift} with one exponential per block: e^{λ·x_i} = e^{λ·x_start}·e^{λ·step·j}. A term's relative error is in the bound at the top
 * of this file; the sum is compensated, and goes to `sums`: even and odd sums, then their compensations.
 */
function blockedSum(p: usize, n: usize, first: f64, step: f64, lambda: f64, shift: f64, sums: usize): void {
  const ratios = borrow(BLOCK << 3);
  const zero = all(0.0);
  const two = all(2.0);
  const STEP = all(step);
  const LAMBDA = all(lambda);
  for (let lane: usize = 0; lane < 16; lane += WIDTH) {
    let index = ramp(0, lane);
    for (let at = ratios + lane; at < ratios + (BLOCK << 3); at += 16) {
      store(at, vexp(mul(LAMBDA, mul(STEP, index))));
      index = add(index, two);
    }
  }
  for (let lane: usize = 0; lane < 16; lane += WIDTH) {
    let sum = zero;
    let rest = zero;
    for (let start: usize = 0; start < n; start += BLOCK) {
      const e = vexp(all(0.5 * (lambda * (step * (first + <f64>start)) - shift)));
      const bytes = (n - start < BLOCK ? n - start : BLOCK) << 3;
      const from = p + (start << 3);
      for (let j = lane; j < bytes; j += 16) {
        const v = load(from + j);
        const factor = mul(load(ratios + j), e);
        const term = keep(mul(mul(v, e), factor), gt(v, zero));
        const next = add(sum, term);
        const part = sub(next, sum);
        rest = add(rest, add(sub(sum, sub(next, part)), sub(term, part)));
        sum = next;
      }
    }
    store(sums + lane, sum);
    store(sums + lane, rest, 16);
  }
  giveBack(ratios);
}

/**
 * Σ p_i e^{λ·x_i − shift} with an exponential for each term, compensated. To `sums` go even and odd sums, then their compensations. A term's relative
 * error is in the bound at the top of this file.
 */
function directSum(p: usize, n: usize, first: f64, step: f64, lambda: f64, shift: f64, sums: usize): void {
  const zero = all(0.0);
  const two = all(2.0);
  const half = all(0.5);
  const STEP = all(step);
  const LAMBDA = all(lambda);
  const SHIFT = all(shift);
  for (let lane: usize = 0; lane < 16; lane += WIDTH) {
    let sum = zero;
    let rest = zero;
    let index = ramp(first, lane);
    const end = p + (n << 3);
    for (let q = p + lane; q < end; q += 16) {
      const v = load(q);
      const e = vexp(mul(half, sub(mul(LAMBDA, mul(STEP, index)), SHIFT)));
      const term = keep(mul(mul(v, e), e), gt(v, zero));
      const next = add(sum, term);
      const part = sub(next, sum);
      rest = add(rest, add(sub(sum, sub(next, part)), sub(term, part)));
      sum = next;
      index = add(index, two);
    }
    store(sums + lane, sum);
    store(sums + lane, rest, 16);
  }
}

/**
 * p_i ← p_i·e^{θ·x_i − shift}, the argument formed as θ·(step·(first + i)) − shift. Relative error at
 * most 2⁻⁵²·(3 + |θx_i| + |θx_i − shift|) while the result is normal; zeros stay zero.
 */
export function tilt(p: usize, n: usize, first: f64, step: f64, theta: f64, shift: f64): void {
  requireBlock(p, n);
  const zero = all(0.0);
  const two = all(2.0);
  const half = all(0.5);
  const STEP = all(step);
  const THETA = all(theta);
  const SHIFT = all(shift);
  const end = p + (n << 3);
  for (let lane: usize = 0; lane < 16; lane += WIDTH) {
    let index = ramp(first, lane);
    for (let q = p + lane; q < end; q += 16) {
      const v = load(q);
      const e = vexp(mul(half, sub(mul(THETA, mul(STEP, index)), SHIFT)));
      store(q, drop(mul(mul(v, e), e), eq(v, zero)));
      index = add(index, two);
    }
  }
}

/* @inline */ function positive(x: f64): f64 {
  return lane0(pmax(all(0.0), all(x)));
}

/**
 * Suffix sums for δ at all points of a lattice of step h, from masses p_j that are tilted by e^{θx}. Negative p_j count as 0. Let D = e^{−θh} and E =
 * e^{−(1+θ)h}.
 *
 * `p` becomes tail[j] = Σ_{m ≥ 0} E^m p_{j+m}, `delta` becomes delta[j] = Σ_{m ≥ 1} D^m(1 − e^{−hm}) p_{j+m}. From the top, tail[j] = p_j +
 * E·tail[j+1] and delta[j] = D·(delta[j+1] + g·tail[j+1]), g = 1 − e^{−h}. Nothing cancels, since 1 − e^{−(d+h)} = (1 − e^{−d}) + (1 −
 * e^{−h})·e^{−d}.
 *
 * Four steps at a time: what is above a block of four enters its sums by powers of E and D. So one product and one sum wait for the block before, in
 * place of four.
 *
 * A term from m steps above carries at most m·(4 + 2|1+θ|h + 2|θ|h)·u + 6u relative error. Every entry is within n times that; terms decay like
 * e^{−θhm}, so in practice m ≲ 40/(θh).
 */
export function suffixScan(p: usize, n: usize, delta: usize, theta: f64, step: f64): void {
  requireBlock(p, n);
  requireBlock(delta, n);
  // each factor has an error of 1 ulp plus the rounding of its argument
  const D = lane0(vexp(all(-(theta * step))));
  const E = lane0(vexp(all(-((1 + theta) * step))));
  const g = -lane0(vexpm1(all(-step)));
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
    t = positive(loadF64(p + i)) + E * t;
    storeF64(p + i, t);
    storeF64(delta + i, d);
  }
  while (i !== 0) {
    i -= 32;
    const s3 = positive(loadF64(p + i, 24));
    const s2 = positive(loadF64(p + i, 16)) + E * s3;
    const s1 = positive(loadF64(p + i, 8)) + E * s2;
    const s0 = positive(loadF64(p + i)) + E * s1;
    const t3 = s3 + E * t;
    const t2 = s2 + E2 * t;
    const t1 = s1 + E3 * t;
    const r3 = Dg * t;
    const r2 = Dg * t3 + D * r3;
    const r1 = Dg * t2 + D * r2;
    const r0 = Dg * t1 + D * r1;
    t = s0 + E4 * t;
    storeF64(p + i, t);
    storeF64(p + i, t1, 8);
    storeF64(p + i, t2, 16);
    storeF64(p + i, t3, 24);
    storeF64(delta + i, r1 + D3 * d, 8);
    storeF64(delta + i, r2 + D2 * d, 16);
    storeF64(delta + i, r3 + D * d, 24);
    d = r0 + D4 * d;
    storeF64(delta + i, d);
  }
}
