/**
 * The Gaussian privacy profile δ_μ(ε), ε ≥ 0, as a density times a weight. R = (1 − Φ)/φ is the Mills ratio, t = ε/μ − μ/2 and b = t + μ.
 *
 * t ≥ −½:  δ = φ(t)·[R(t) − R(b)], a divided difference of R where μ ≤ ¾(t + 1).
 *
 * t < −½:  1 − δ = φ(t)·[R(−t) + R(b)].
 *
 * t and t² are sums of two doubles; no factor cancels or overflows.
 */
import {
  INVERSE_SQRT_2PI,
  LN2_600,
  POW_300,
  POW_400,
  POW_500,
  POW_600,
  POW_900,
  POW_M1000,
  POW_M300,
  POW_M400,
  POW_M800,
  POW_M900,
  SPLITTER,
} from '../../src/kernel/constants.js';
import { vexpHiLo, vlog } from './elementary.js';
import { vdividedOfY, vratioOfY } from './mills.js';
import {
  abs,
  add,
  all,
  allTrue,
  and,
  andnot,
  anyTrue,
  atMost,
  div,
  drop,
  evens,
  ge,
  keep,
  lane0,
  lane1,
  le,
  lt,
  mul,
  neg,
  select,
  sub,
  WIDTH,
} from '../lane/lanes.js';
import { load, loadU32, store, storeU32 } from '../lane/memory.js';

/** Bytes of a chunk in one field of the state: 64 vectors. */
/* @inline */ export const CHUNK: usize = 64 * WIDTH;
/* @inline */ const FIELD: usize = 1024;

/** Bytes of n numbers, rounded up to whole vectors. */
/* @inline */ export function bytesOf(n: usize): usize {
  return ((n << 3) + WIDTH - 1) & ~(WIDTH - 1);
}

// The state has a chunk of vectors per field: t = T + T_LOW; B = t + μ; the density's exponent −t²/2 = HI + LO; and the weight W. If W ≥ 0, δ = φ(t)·W;
// if W < 0, 1 − δ = −φ(t)·W. Separate passes over the state keep several pairs in flight. One pass per pair would wait for its longest chain of dependent operations.
/* @inline */ export const T: usize = 0;
/* @inline */ export const T_LOW: usize = FIELD;
/* @inline */ export const B: usize = 2 * FIELD;
/* @inline */ export const HI: usize = 3 * FIELD;
/* @inline */ export const LO: usize = 4 * FIELD;
/* @inline */ export const W: usize = 5 * FIELD;
// Behind the fields: offsets of the vectors in which a lane needs a divided difference of R. Then of those in which a lane needs two values of R.
// Each list has one spare entry.
/* @inline */ const NEAR: usize = 6 * FIELD;
/* @inline */ const FAR: usize = NEAR + 272;
// Then three numbers for each vector of NEAR. With a = t they are z = y(a)·y(b), y(a) = 1/(a + 2) and y(b) = 1/(b + 2).
/* @inline */ const Z: usize = FAR + 272;
/* @inline */ const Y_A: usize = Z + 1040;
/* @inline */ const Y_B: usize = Y_A + 1040;
/** Bytes of a state, which the evaluating function borrows. In what follows `at` is the address of a vector in the state's first field. */
/* @inline */ export const STATE: usize = Y_B + 1040;

/** Reads a field of the state at a vector. */
/* @inline */ export function get(field: usize, at: usize): v128 {
  return load(at + field);
}
/* @inline */ export function put(field: usize, at: usize, x: v128): void {
  store(at + field, x);
}

/** The upper 26 bits of x, by Dekker's splitting. */
/* @inline */ function upperHalf(x: v128): v128 {
  const c = mul(all(SPLITTER), x);
  return sub(c, sub(c, x));
}

/** t = (ε − μ²/2)/μ as a sum of two doubles, from the exact numerator and one division. For μ and ε in the common range (`locate`). */
/* @inline */ function locateScaled(mu: v128, epsilon: v128, at: usize): void {
  const mh = upperHalf(mu);
  const ml = sub(mu, mh);
  const p = mul(mu, mul(all(0.5), mu));
  const pl = sub(mul(all(0.5), mul(ml, ml)), sub(sub(p, mul(all(0.5), mul(mh, mh))), mul(mh, ml)));
  const head = sub(epsilon, p);
  const v = sub(head, epsilon);
  const tail = sub(sub(sub(epsilon, sub(head, v)), add(p, v)), pl);
  const s = add(head, tail);
  const e = sub(tail, sub(s, head));
  const inverse = div(all(1), mu);
  const q = mul(s, inverse);
  const qh = upperHalf(q);
  const ql = sub(q, qh);
  const qm = mul(q, mu);
  const rest = add(add(add(sub(mul(qh, mh), qm), mul(qh, ml)), mul(ql, mh)), mul(ql, ml));
  const low = mul(add(sub(sub(s, qm), rest), e), inverse);
  const t = add(q, low);
  const tLow = sub(low, sub(t, q));
  put(T, at, t);
  put(T_LOW, at, tLow);
  put(B, at, add(add(t, mu), tLow));
}

/**
 * t = ε/μ − μ/2 with its low part, and b = t + μ, for one number outside of the common range. It uses the first lane. Scaled by powers of two, so
 * that nothing overflows; NaN for invalid numbers. Its rounding errors are in those of δ (`profile`).
 */
function locateLane(mu: f64, epsilon: f64, at: usize): void {
  let t: f64 = NaN;
  let low: f64 = 0;
  let b: f64 = NaN;
  if (mu >= POW_M300 && mu <= POW_300 && epsilon <= POW_600) {
    locateScaled(all(mu), all(epsilon), at);
    return;
  } else if (!(mu >= 0) || epsilon !== epsilon) {
    // NaN
  } else if (mu > POW_900) {
    const finite = mu === Infinity || epsilon < Infinity;
    t = finite ? -0.5 * mu : Infinity;
    b = finite ? 0.5 * mu : Infinity;
  } else if (mu === 0 || epsilon === Infinity) {
    t = Infinity;
    b = Infinity;
  } else if (mu < POW_M300) {
    // t = ε/μ to within 2⁻³⁰¹
    const m = mu * POW_600;
    t = (epsilon * POW_600) / m;
    if (t < POW_300) low = remainder(epsilon * POW_600, t, m) / m;
    b = t + mu;
  } else {
    locateScaled(all(mu * POW_M400), all(epsilon * POW_M800), at);
    t = lane0(get(T, at)) * POW_400;
    low = t < Infinity ? lane0(get(T_LOW, at)) * POW_400 : 0;
    b = lane0(get(B, at)) * POW_400;
  }
  put(T, at, all(t));
  put(T_LOW, at, all(low));
  put(B, at, all(b));
}

/** x − q·m by Dekker's splitting, exact where q is the rounded quotient x/m. */
function remainder(x: f64, q: f64, m: f64): f64 {
  const qc = SPLITTER * q;
  const qh = qc - (qc - q);
  const ql = q - qh;
  const mc = SPLITTER * m;
  const mh = mc - (mc - m);
  const ml = m - mh;
  const p = q * m;
  return x - p - (qh * mh - p + qh * ml + ql * mh + ql * ml);
}

/**
 * Sets T, T_LOW and B for a vector: t = ε/μ − μ/2 as two doubles, and b = t + μ. By `locateScaled` in the common range 2⁻³⁰⁰ ≤ μ ≤ 2³⁰⁰, ε ≤ 2⁶⁰⁰,
 * else by `locateEach`. The rounding errors are in those of δ (`profile`).
 */
/* @inline */ function locate(mu: v128, epsilon: v128, at: usize): void {
  const range = and(ge(mu, all(POW_M300)), le(mu, all(POW_300)));
  if (allTrue(and(range, le(epsilon, all(POW_600))))) {
    locateScaled(mu, epsilon, at);
  } else {
    locateEach(mu, epsilon, at);
  }
}

/** `locateLane` for both lanes of a vector, with its rounding errors. */
function locateEach(mu: v128, epsilon: v128, at: usize): void {
  locateLane(lane1(mu), lane1(epsilon), at);
  const t = get(T, at);
  const low = get(T_LOW, at);
  const b = get(B, at);
  locateLane(lane0(mu), lane0(epsilon), at);
  put(T, at, evens(get(T, at), t));
  put(T_LOW, at, evens(get(T_LOW, at), low));
  put(B, at, evens(get(B, at), b));
}

/** −x²/2 for x = t + low into the two doubles HI + LO, by Dekker's splitting of t. Its rounding error is in that of δ (`profile`). */
/* @inline */ export function vhalfSquare(t: v128, low: v128, at: usize): void {
  const h = upperHalf(t);
  const l = sub(t, h);
  const square = mul(mul(all(0.5), t), t);
  let error = sub(mul(mul(all(0.5), h), h), square);
  error = add(add(add(error, mul(h, l)), mul(mul(all(0.5), l), l)), mul(t, low));
  put(HI, at, neg(square));
  put(LO, at, keep(neg(error), lt(square, all(Infinity))));
}

/** The divided difference (R(a) − R(b))/(b − a) of the Mills ratio R = (1 − Φ)/φ. */
/* @inline */ export function vslope(a: v128, b: v128): v128 {
  const fa = add(atMost(a, POW_500), all(2));
  const fb = add(atMost(b, POW_500), all(2));
  const z = div(all(1), mul(fa, fb));
  return mul(z, vdividedOfY(mul(fb, z), mul(fa, z)));
}

/** The Mills ratio R(x) = (1 − Φ(x))/φ(x) for x ≥ −½. */
/* @inline */ export function vratio(x: v128): v128 {
  return vratioOfY(div(all(1), add(atMost(x, POW_500), all(2))));
}

/** Mask of the lanes where the difference R(a) − R(b) of Mills ratios, b = a + width, cancels. There the divided difference is used. */
/* @inline */ function isNear(a: v128, width: v128): v128 {
  return andnot(le(width, mul(all(0.75), add(a, all(1)))), lt(a, all(-0.5)));
}

/** R(a) − R(b) from two values of the Mills ratio R = (1 − Φ)/φ; in the lanes with a < −½ instead −(R(−a) + R(b)). */
/* @inline */ function byRatios(a: v128, b: v128): v128 {
  const sum = lt(a, all(-0.5));
  const ra = vratio(select(neg(a), a, sum));
  const rb = vratio(b);
  return select(neg(add(ra, rb)), sub(ra, rb), sum);
}

/** R(a) − R(b) for −½ ≤ a ≤ b, width = b − a, R = (1 − Φ)/φ the Mills ratio. */
/* @inline */ export function vdifference(a: v128, b: v128, width: v128): v128 {
  const near = isNear(a, width);
  if (allTrue(near)) return mul(width, vslope(a, b));
  const far = byRatios(a, b);
  return anyTrue(near) ? select(mul(width, vslope(a, b)), far, near) : far;
}

/**
 * Evaluates `size` bytes of vectors at |epsilon| into the state; each has its own μ, or all have one (`each` = 1 or 0). Its rounding errors are in
 * those of δ (`profile`).
 */
export function evaluateChunk(state: usize, mu: usize, each: usize, epsilon: usize, size: usize): void {
  for (let i: usize = 0; i < size; i += WIDTH) {
    const at = state + i;
    locate(load(mu + i * each), abs(load(epsilon + i)), at);
    vhalfSquare(get(T, at), get(T_LOW, at), at);
  }
  weighChunk(state, mu, each, size);
}

/**
 * W ← R(t) − R(b) where t ≥ −½, and −(R(−t) + R(b)) where t < −½. R is the Mills ratio; T and B hold t and b, `size` bytes of vectors. A negative W
 * thus stands for 1 − δ. The errors of R and of rounding are in those of δ (`profile`). Each case is a branch-free pass over the vectors that need
 * it.
 */
function weighChunk(state: usize, mu: usize, each: usize, size: usize): void {
  const near = state + NEAR;
  const far = state + FAR;
  let nears: usize = 0;
  let fars: usize = 0;
  for (let i: usize = 0; i < size; i += WIDTH) {
    const isDivided = isNear(get(T, state + i), load(mu + i * each));
    storeU32(near + nears, i);
    nears += anyTrue(isDivided) ? 4 : 0;
    storeU32(far + fars, i);
    fars += allTrue(isDivided) ? 0 : 4;
  }
  // an odd list repeats its last vector
  storeU32(near + nears, loadU32(near + nears - 4));
  nears = (nears + 7) & ~7;
  for (let i: usize = 0; i < fars; i += 4) {
    const at = state + loadU32(far + i);
    const a = get(T, at);
    put(W, at, byRatios(a, get(B, at)));
  }
  const terms = state + Z;
  for (let i: usize = 0; i < nears; i += 4) {
    const at = state + loadU32(near + i);
    const fa = add(atMost(get(T, at), POW_500), all(2));
    const fb = add(atMost(get(B, at), POW_500), all(2));
    const z = div(all(1), mul(fa, fb));
    store(terms + (i << 2), z);
    store(terms + (i << 2), mul(fb, z), Y_A - Z);
    store(terms + (i << 2), mul(fa, z), Y_B - Z);
  }
  for (let i: usize = 0; i < nears; i += 8) {
    const first = nearWeight(state, mu, each, i);
    const second = nearWeight(state, mu, each, i + 4);
    put(W, state + loadU32(near + i), first);
    put(W, state + loadU32(near + i, 4), second);
  }
}

/**
 * The weight W of the vector listed at byte i of NEAR. In the lanes of `isNear` it is R(t) − R(b) by divided difference; in the others it is
 * unchanged. Its error is in that of δ (`profile`).
 */
/* @inline */ function nearWeight(state: usize, mu: usize, each: usize, i: usize): v128 {
  const place = loadU32(state + NEAR + i);
  const at = state + place;
  const width = load(mu + place * each);
  const near = isNear(get(T, at), width);
  const terms = state + Z + (i << 2);
  const slope = mul(load(terms), vdividedOfY(load(terms, Y_A - Z), load(terms, Y_B - Z)));
  return select(mul(width, slope), get(W, at), near);
}

/** φ(t)·|W|, the smaller of δ and 1 − δ, φ the normal density. */
/* @inline */ export function vmass(at: usize): v128 {
  const hi = get(HI, at);
  const vanishes = lt(hi, all(-760));
  const density = vexpHiLo(drop(hi, vanishes), drop(get(LO, at), vanishes));
  return drop(mul(mul(abs(get(W, at)), all(INVERSE_SQRT_2PI)), density), vanishes);
}

/** log(φ(t)·|W|), log of the smaller of δ and 1 − δ, φ the normal density, W the weight. Relative error of log δ below 8.9e-16. */
/* @inline */ export function vlogMass(mu: v128, at: usize): v128 {
  let w = abs(get(W, at));
  let shift = all(0);
  const small = lt(w, all(POW_M900));
  if (anyTrue(small)) {
    const scaled = and(small, lt(mu, all(POW_M300)));
    w = select(mul(mul(mu, all(POW_600)), vslope(get(T, at), get(B, at))), w, scaled);
    shift = keep(all(LN2_600), scaled);
    w = select(all(POW_M1000), w, and(small, lt(w, all(POW_M1000))));
  }
  return sub(add(get(HI, at), add(vlog(mul(w, all(INVERSE_SQRT_2PI))), get(LO, at))), shift);
}
