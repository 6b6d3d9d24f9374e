/**
 * μ_GDP(ε, δ): the μ with δ_μ(ε) = δ. Halley's iteration in log μ, inside a bracket, solves for F = log δ_μ(ε) if δ ≤ ½, else for F = −log(1 −
 * δ_μ(ε)). Let t = ε/μ − μ/2 and b = t + μ. Then ∂δ/∂μ is the normal density φ(t), and k = ∂F/∂ log μ > 0. The second derivative is k(1 + tb − k) in
 * the first case, k(1 + tb + k) in the second.
 */
import {
  INVERSE_SQRT_2PI,
  LN2,
  MU_ITERATIONS,
  MU_LAST_STEP,
  MU_NEAR_LEAST,
  MU_NEAR_MOST,
  POW_600,
  POW_M600,
  SQRT_2PI,
} from '../../src/kernel/constants.js';
import { logInline, vexp, vexpm1, vlog, vlog1p } from './elementary.js';
import {
  B,
  bytesOf,
  CHUNK,
  evaluateChunk,
  get,
  HI,
  LO,
  put,
  STATE,
  T,
  vlogMass,
  vmass,
  vratio,
  vslope,
  W,
} from './gdp-core.js';
import {
  abs,
  add,
  all,
  allTrue,
  and,
  andnot,
  anyTrue,
  atLeast,
  atMost,
  differ,
  div,
  eq,
  ge,
  gt,
  le,
  lt,
  mul,
  neg,
  not,
  or,
  pmax,
  requireBlock,
  select,
  sqrt,
  sub,
  WIDTH,
} from '../lane/lanes.js';
import { load, loadU32, store, storeU32 } from '../lane/memory.js';
import { borrow, giveBack } from '../lane/scratch.js';

/** √(x² + 2ε), scaled against overflow, with a few roundings. */
function radius(x: v128, epsilon: v128): v128 {
  const common = and(lt(abs(x), all(1e150)), lt(epsilon, all(1e300)));
  const plain = sqrt(add(mul(x, x), mul(all(2), epsilon)));
  const y = mul(x, all(POW_M600));
  const e = mul(all(2), mul(mul(epsilon, all(POW_M600)), all(POW_M600)));
  return select(plain, mul(sqrt(add(mul(y, y), e)), all(POW_600)), common);
}

/**
 * Approximate μ with δ_μ(ε) = e^{target}, or 1 − e^{target} where `upper` is set, to start from. t ≈ −Φ⁻¹(δ), by a rational approximation within 3e-3
 * (Abramowitz & Stegun 26.2.22). Then ε/μ − μ/2 = t is solved: μ = √(t² + 2ε) − t. Where `upper` is not set, the result is
 * at least √(2π)·δ, which is no more than μ. Heuristic.
 */
function start(epsilon: v128, target: v128, upper: v128): v128 {
  const s = mul(all(2), sqrt(mul(all(-0.5), target)));
  const top = add(all(2.30753), mul(all(0.27061), s));
  const bottom = add(all(1), mul(s, add(all(0.99229), mul(all(0.04481), s))));
  const size = sub(s, div(top, bottom));
  const x = select(neg(size), size, upper);
  const r = radius(x, epsilon);
  const direct = sub(r, x);
  const quotient = div(epsilon, add(mul(all(0.5), x), mul(all(0.5), r)));
  const tail = select(quotient, direct, gt(x, all(0)));
  const lower = pmax(tail, mul(all(SQRT_2PI), vexp(target)));
  return select(direct, lower, upper);
}

/**
 * Halley's step in log μ, at most 1 in size, from the equation's residual F. Its derivative is k = ∂F/∂ log μ, and m = F″/k. Heuristic: `advance`
 * keeps the root in a bracket.
 */
/* @inline */ function halley(f: v128, k: v128, m: v128): v128 {
  const newton = div(neg(f), k);
  const guard = atMost(atLeast(add(all(1), mul(mul(all(0.5), newton), m)), 0.5), 2);
  return atMost(atLeast(div(newton, guard), -1), 1);
}

/**
 * Heuristic: one Halley step from μ in plain doubles. The starting value neglects e^ε Φ(−b) and has a median error of 7 %; after the step it is 0.06
 * % in nine of ten cases. μ is returned unchanged where t < −½, where the difference R(t) − R(b) of Mills ratios cancels, or where μ is extreme.
 */
/* @inline */ function nearer(mu: v128, epsilon: v128, target: v128, upper: v128): v128 {
  const t = sub(div(epsilon, mu), mul(all(0.5), mu));
  const b = add(t, mu);
  const r = vratio(t);
  const w = sub(r, vratio(b));
  const moderate = and(ge(mu, all(MU_NEAR_LEAST)), le(mu, all(MU_NEAR_MOST)));
  const good = and(and(ge(t, all(-0.5)), moderate), ge(w, mul(all(MU_NEAR_LEAST), r)));
  const k = div(mu, w);
  const f = sub(
    sub(logInline(select(mul(w, all(INVERSE_SQRT_2PI)), all(1), good)), mul(mul(all(0.5), t), t)),
    target,
  );
  const change = halley(f, k, sub(add(all(1), mul(t, b)), k));
  const next = add(mu, div(mul(mu, change), sub(all(1), mul(all(0.5), change))));
  return select(next, mu, andnot(good, upper));
}

// The vectors of a chunk that are still iterated stand packed in slots, whose fields are behind those of the state. `at` is a slot's address.
/* @inline */ const EPSILON: usize = STATE;
/* @inline */ const TARGET: usize = STATE + 1024;
/* @inline */ const UPPER: usize = STATE + 2 * 1024;
/* @inline */ const MU: usize = STATE + 3 * 1024;
/* @inline */ const LOW: usize = STATE + 4 * 1024;
/* @inline */ const HIGH: usize = STATE + 5 * 1024;
/* @inline */ const RESULT: usize = STATE + 6 * 1024;
/** Mask of the lanes whose μ has converged or is known from the start. */
/* @inline */ const DONE: usize = STATE + 7 * 1024;
/** Index in the chunk to which the vector belongs (u32). */
/* @inline */ const PLACE: usize = STATE + 8 * 1024;
/** Bytes of the state and the slots. */
/* @inline */ export const SLOTS: usize = STATE + 9 * 1024;

/**
 * Puts the vector (ε, log δ) into the slot `at`, with the equation for log δ or, if δ > ½, for log(1 − δ). If all its lanes need no iteration, the
 * results go to `out` instead. Returns whether it is in the slot. The error of μ is that of `muGdpLog`.
 */
function begin(e: v128, l: v128, at: usize, place: usize, out: usize): bool {
  const valid = and(ge(e, all(0)), le(l, all(0)));
  const zero = eq(l, all(-Infinity));
  const infinite = or(eq(l, all(0)), eq(e, all(Infinity)));
  let known = select(all(0), all(Infinity), zero);
  known = select(known, all(NaN), valid);
  const solved = or(not(valid), or(zero, infinite));
  if (allTrue(solved)) {
    store(out + place, known);
    return false;
  }
  const upper = gt(l, all(-LN2));
  let target = l;
  if (anyTrue(upper)) target = select(vlog(sub(all(0), vexpm1(l))), l, upper);
  enter(e, target, upper, solved, known, at, place);
  return true;
}

/**
 * Starts the iteration of a vector in the slot `at`. It sets μ to the guess of `start`, and the bracket of μ to (0, ∞). The equation is log δ =
 * `goal`, or log(1 − δ) = `goal` where `upper` is set. Lanes of `solved` have the result `known` already, and iterate on harmless numbers. `place` is
 * the vector's index in the output. Heuristic: the iteration that follows decides the error.
 */
export function enter(
  e: v128,
  goal: v128,
  upper: v128,
  solved: v128,
  known: v128,
  at: usize,
  place: usize,
): void {
  // a solved lane iterates on harmless numbers
  const epsilon = select(all(1), e, solved);
  const target = select(all(-1), goal, solved);
  store(at + EPSILON, epsilon);
  store(at + TARGET, target);
  store(at + UPPER, upper);
  store(at + MU, select(all(1), pmax(start(epsilon, target, upper), all(5e-324)), solved));
  store(at + LOW, all(0));
  store(at + HIGH, all(Infinity));
  store(at + RESULT, known);
  store(at + DONE, solved);
  storeU32(at + PLACE, place);
}

/**
 * Writes F to HI and its derivative k = ∂F/∂ log μ to LO, from the evaluated state of `size` bytes of vectors. F is log δ_μ(ε) less its target, or,
 * where `upper` is set, the target less log(1 − δ_μ(ε)). The log has the error of `vlogMass`.
 */
function residuals(slots: usize, size: usize): void {
  for (let at = slots; at < slots + size; at += WIDTH) {
    const mu = load(at + MU);
    const target = load(at + TARGET);
    const upper = load(at + UPPER);
    const w = abs(get(W, at));
    const other = differ(lt(get(W, at), all(0)), upper);
    let k = div(mu, w);
    let f = add(sub(get(HI, at), target), add(logInline(mul(w, all(INVERSE_SQRT_2PI))), get(LO, at)));
    const tiny = andnot(le(w, all(1e-270)), other);
    if (anyTrue(tiny)) {
      f = select(sub(vlogMass(mu, at), target), f, tiny);
      k = select(div(all(1), vslope(get(T, at), get(B, at))), k, tiny);
    }
    if (anyTrue(other)) {
      const v = vmass(at);
      f = select(sub(vlog1p(sub(all(0), v)), target), f, other);
      k = select(mul(k, div(v, sub(all(1), v))), k, other);
    }
    put(HI, at, select(neg(f), f, upper));
    put(LO, at, k);
  }
}

/**
 * One step of Halley's method, or a bisection where that leaves the bracket, for every vector. Vectors whose last step was below MU_LAST_STEP go to
 * `out`, the others are moved together. Returns the bytes that remain. After a step below MU_LAST_STEP the error left is of the order of its cube,
 * besides that of F.
 */
function advance(slots: usize, size: usize, out: usize): usize {
  let to = slots;
  for (let at = slots; at < slots + size; at += WIDTH) {
    const mu = load(at + MU);
    const upper = load(at + UPPER);
    const f = get(HI, at);
    const k = get(LO, at);
    const tb = mul(get(T, at), get(B, at));
    let done = load(at + DONE);
    const exact = andnot(gt(tb, all(1e250)), done);
    let result = select(mu, load(at + RESULT), exact);
    done = or(done, exact);
    const under = lt(f, all(0));
    const low = select(mu, load(at + LOW), under);
    const high = select(load(at + HIGH), mu, under);
    let m = add(add(all(1), tb), select(k, neg(k), upper));
    m = select(all(2), m, lt(tb, all(-1e9)));
    m = select(all(-2), m, gt(tb, all(1e9)));
    const change = halley(f, k, m);
    let next = add(mu, div(mul(mu, change), sub(all(1), mul(all(0.5), change))));
    const going = gt(mul(abs(change), add(all(1), abs(m))), all(MU_LAST_STEP));
    let last = or(not(going), eq(next, mu));
    const inside = and(gt(next, low), lt(next, high));
    const outside = not(or(last, inside));
    if (anyTrue(outside)) {
      next = select(mul(all(0.5), add(low, high)), next, outside);
      last = or(last, and(outside, or(eq(next, low), eq(next, high))));
    }
    result = select(next, result, andnot(last, done));
    done = or(done, last);
    const place = loadU32(at + PLACE);
    if (allTrue(done)) {
      store(out + place, result);
      continue;
    }
    store(to + EPSILON, load(at + EPSILON));
    store(to + TARGET, load(at + TARGET));
    store(to + UPPER, upper);
    store(to + MU, next);
    store(to + LOW, low);
    store(to + HIGH, high);
    store(to + RESULT, result);
    store(to + DONE, done);
    storeU32(to + PLACE, place);
    to += WIDTH;
  }
  return to - slots;
}

/**
 * The μ with log δ_μ(epsilon[i]) = logDelta[i], i < n, n rounded up to even; `out` may be `epsilon`. By Halley's iteration, to a few roundings. A
 * chunk of vectors is iterated together in separate passes, so that independent operations overlap.
 */
export function muGdpLog(epsilon: usize, logDelta: usize, n: usize, out: usize): void {
  requireBlock(epsilon, n);
  requireBlock(logDelta, n);
  requireBlock(out, n);
  const slots = borrow(SLOTS);
  const end = bytesOf(n);
  for (let from: usize = 0; from < end; from += CHUNK) {
    const size = end - from < CHUNK ? end - from : CHUNK;
    const to = out + from;
    let left: usize = 0;
    for (let i: usize = 0; i < size; i += WIDTH) {
      left += begin(load(epsilon + from + i), load(logDelta + from + i), slots + left, i, to) ? WIDTH : 0;
    }
    settle(slots, left, to);
  }
  giveBack(slots);
}

/**
 * Iterates on the `left` bytes of vectors in the slots until each has converged, or MU_ITERATIONS times, and stores the results at `to`. Their error
 * is that of `muGdpLog`.
 */
export function settle(slots: usize, left: usize, to: usize): void {
  for (let at = slots; at < slots + left; at += WIDTH) {
    const mu = load(at + MU);
    store(at + MU, nearer(mu, load(at + EPSILON), load(at + TARGET), load(at + UPPER)));
  }
  for (let round = 0; left !== 0 && round < <i32>MU_ITERATIONS; round++) {
    evaluateChunk(slots, slots + MU, 1, slots + EPSILON, left);
    residuals(slots, left);
    left = advance(slots, left, to);
  }
  for (let at = slots; at < slots + left; at += WIDTH) {
    const result = select(load(at + RESULT), load(at + MU), load(at + DONE));
    store(to + loadU32(at + PLACE), result);
  }
}
