/** μ_GDP on two lanes: the operations of src/reference/gdp-inverse.ts, in its order. */
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
} from '../src/kernel/constants.js';
import { requireBlock } from './checks.js';
import { logInline, vexp, vexpm1, vlog, vlog1p } from './elementary.js';
import {
  B,
  CHUNK,
  evaluateChunk,
  get,
  HI,
  LO,
  put,
  T,
  vlogMass,
  vmass,
  vratio,
  vslope,
  W,
} from './gdp-core.js';
import { abs, add, all, anyTrue, atLeast, atMost, div, mul, neg, select, sub } from './lanes.js';

/** √(x² + 2ε). */
function radius(x: v128, epsilon: v128): v128 {
  const common = v128.and(f64x2.lt(abs(x), all(1e150)), f64x2.lt(epsilon, all(1e300)));
  const plain = f64x2.sqrt(add(mul(x, x), mul(all(2), epsilon)));
  const y = mul(x, all(POW_M600));
  const e = mul(all(2), mul(mul(epsilon, all(POW_M600)), all(POW_M600)));
  return select(plain, mul(f64x2.sqrt(add(mul(y, y), e)), all(POW_600)), common);
}

function start(epsilon: v128, target: v128, upper: v128): v128 {
  const s = mul(all(2), f64x2.sqrt(mul(all(-0.5), target)));
  const top = add(all(2.30753), mul(all(0.27061), s));
  const bottom = add(all(1), mul(s, add(all(0.99229), mul(all(0.04481), s))));
  const size = sub(s, div(top, bottom));
  const x = select(neg(size), size, upper);
  const r = radius(x, epsilon);
  const direct = sub(r, x);
  const quotient = div(epsilon, add(mul(all(0.5), x), mul(all(0.5), r)));
  const tail = select(quotient, direct, f64x2.gt(x, all(0)));
  const lower = f64x2.pmax(tail, mul(all(SQRT_2PI), vexp(target)));
  return select(direct, lower, upper);
}

/** Halley's step in log μ. */
// @ts-expect-error: decorator
@inline function halley(f: v128, k: v128, m: v128): v128 {
  const newton = div(neg(f), k);
  const guard = atMost(atLeast(add(all(1), mul(mul(all(0.5), newton), m)), 0.5), 2);
  return atMost(atLeast(div(newton, guard), -1), 1);
}

/** One step from μ in plain float64, where that serves. */
// @ts-expect-error: decorator
@inline function nearer(mu: v128, epsilon: v128, target: v128, upper: v128): v128 {
  const t = sub(div(epsilon, mu), mul(all(0.5), mu));
  const b = add(t, mu);
  const r = vratio(t);
  const w = sub(r, vratio(b));
  const moderate = v128.and(f64x2.ge(mu, all(MU_NEAR_LEAST)), f64x2.le(mu, all(MU_NEAR_MOST)));
  const good = v128.and(v128.and(f64x2.ge(t, all(-0.5)), moderate), f64x2.ge(w, mul(all(MU_NEAR_LEAST), r)));
  const k = div(mu, w);
  const f = sub(
    sub(logInline(select(mul(w, all(INVERSE_SQRT_2PI)), all(1), good)), mul(mul(all(0.5), t), t)),
    target,
  );
  const change = halley(f, k, sub(add(all(1), mul(t, b)), k));
  const next = add(mu, div(mul(mu, change), sub(all(1), mul(all(0.5), change))));
  return select(next, mu, v128.andnot(good, upper));
}

// The pairs of a chunk that are not yet solved, one after the other in each field.
const FIELDS: usize = memory.data(9216, 16);
const EPSILON: usize = FIELDS;
const TARGET: usize = FIELDS + CHUNK;
const UPPER: usize = FIELDS + 2 * CHUNK;
const MU: usize = FIELDS + 3 * CHUNK;
const LOW: usize = FIELDS + 4 * CHUNK;
const HIGH: usize = FIELDS + 5 * CHUNK;
const RESULT: usize = FIELDS + 6 * CHUNK;
/** Lanes whose result is known. */
const DONE: usize = FIELDS + 7 * CHUNK;
/** Where in the chunk the pair belongs (u32). */
const PLACE: usize = FIELDS + 8 * CHUNK;

/** Puts the pair (e, l) into the slot `at`, or, if that needs no iteration, its result to `out`. Returns whether it is in the slot. */
function begin(e: v128, l: v128, at: usize, place: usize, out: usize): bool {
  const valid = v128.and(f64x2.ge(e, all(0)), f64x2.le(l, all(0)));
  const zero = f64x2.eq(l, all(-Infinity));
  const infinite = v128.or(f64x2.eq(l, all(0)), f64x2.eq(e, all(Infinity)));
  let known = select(all(0), all(Infinity), zero);
  known = select(known, all(NaN), valid);
  const solved = v128.or(v128.not(valid), v128.or(zero, infinite));
  if (i64x2.all_true(solved)) {
    v128.store(out + place, known);
    return false;
  }
  const upper = f64x2.gt(l, all(-LN2));
  let target = l;
  if (anyTrue(upper)) target = select(vlog(sub(all(0), vexpm1(l))), l, upper);
  // A solved lane goes along with harmless numbers.
  const epsilon = select(all(1), e, solved);
  target = select(all(-1), target, solved);
  v128.store(EPSILON + at, epsilon);
  v128.store(TARGET + at, target);
  v128.store(UPPER + at, upper);
  v128.store(MU + at, select(all(1), f64x2.pmax(start(epsilon, target, upper), all(5e-324)), solved));
  v128.store(LOW + at, all(0));
  v128.store(HIGH + at, all(Infinity));
  v128.store(RESULT + at, known);
  v128.store(DONE + at, solved);
  store<u32>(PLACE + (at >> 2), <u32>place);
  return true;
}

/** F and its derivative k by log μ, from the evaluated state of `size` bytes of pairs, into HI and LO. */
function residuals(size: usize): void {
  for (let at: usize = 0; at < size; at += 16) {
    const mu = v128.load(MU + at);
    const target = v128.load(TARGET + at);
    const upper = v128.load(UPPER + at);
    const w = abs(get(W, at));
    const other = v128.xor(f64x2.lt(get(W, at), all(0)), upper);
    let k = div(mu, w);
    let f = add(sub(get(HI, at), target), add(logInline(mul(w, all(INVERSE_SQRT_2PI))), get(LO, at)));
    const tiny = v128.andnot(f64x2.le(w, all(1e-270)), other);
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

/** One step of every pair; those that need no other go to `out`, the rest close ranks. Returns the bytes of pairs that remain. */
function advance(size: usize, out: usize): usize {
  let kept: usize = 0;
  for (let at: usize = 0; at < size; at += 16) {
    const mu = v128.load(MU + at);
    const upper = v128.load(UPPER + at);
    const f = get(HI, at);
    const k = get(LO, at);
    const tb = mul(get(T, at), get(B, at));
    let done = v128.load(DONE + at);
    const exact = v128.andnot(f64x2.gt(tb, all(1e250)), done);
    let result = select(mu, v128.load(RESULT + at), exact);
    done = v128.or(done, exact);
    const under = f64x2.lt(f, all(0));
    const low = select(mu, v128.load(LOW + at), under);
    const high = select(v128.load(HIGH + at), mu, under);
    let m = add(add(all(1), tb), select(k, neg(k), upper));
    m = select(all(2), m, f64x2.lt(tb, all(-1e9)));
    m = select(all(-2), m, f64x2.gt(tb, all(1e9)));
    const change = halley(f, k, m);
    let next = add(mu, div(mul(mu, change), sub(all(1), mul(all(0.5), change))));
    const going = f64x2.gt(mul(abs(change), add(all(1), abs(m))), all(MU_LAST_STEP));
    let last = v128.or(v128.not(going), f64x2.eq(next, mu));
    const inside = v128.and(f64x2.gt(next, low), f64x2.lt(next, high));
    const outside = v128.not(v128.or(last, inside));
    if (anyTrue(outside)) {
      next = select(mul(all(0.5), add(low, high)), next, outside);
      last = v128.or(last, v128.and(outside, v128.or(f64x2.eq(next, low), f64x2.eq(next, high))));
    }
    result = select(next, result, v128.andnot(last, done));
    done = v128.or(done, last);
    const place = load<u32>(PLACE + (at >> 2));
    if (i64x2.all_true(done)) {
      v128.store(out + <usize>place, result);
      continue;
    }
    v128.store(EPSILON + kept, v128.load(EPSILON + at));
    v128.store(TARGET + kept, v128.load(TARGET + at));
    v128.store(UPPER + kept, upper);
    v128.store(MU + kept, next);
    v128.store(LOW + kept, low);
    v128.store(HIGH + kept, high);
    v128.store(RESULT + kept, result);
    v128.store(DONE + kept, done);
    store<u32>(PLACE + (kept >> 2), place);
    kept += 16;
  }
  return kept;
}

/**
 * n values μ with log δ_μ(epsilon[i]) = logDelta[i], n rounded up to even; `out` may be `epsilon`. A chunk of pairs
 * goes through the iteration together, in separate passes: several pairs are in flight in each.
 */
export function muGdpLog(epsilon: usize, logDelta: usize, out: usize, n: i32): void {
  requireBlock(epsilon, n);
  requireBlock(logDelta, n);
  requireBlock(out, n);
  const end = (<usize>((n + 1) & ~1)) << 3;
  for (let from: usize = 0; from < end; from += CHUNK) {
    const size = end - from < CHUNK ? end - from : CHUNK;
    const to = out + from;
    let left: usize = 0;
    for (let i: usize = 0; i < size; i += 16) {
      left += begin(v128.load(epsilon + from + i), v128.load(logDelta + from + i), left, i, to) ? 16 : 0;
    }
    for (let at: usize = 0; at < left; at += 16) {
      const mu = v128.load(MU + at);
      v128.store(MU + at, nearer(mu, v128.load(EPSILON + at), v128.load(TARGET + at), v128.load(UPPER + at)));
    }
    for (let round = 0; left != 0 && round < <i32>MU_ITERATIONS; round++) {
      evaluateChunk(MU, 16, EPSILON, left);
      residuals(left);
      left = advance(left, to);
    }
    for (let at: usize = 0; at < left; at += 16) {
      const result = select(v128.load(RESULT + at), v128.load(MU + at), v128.load(DONE + at));
      v128.store(to + <usize>load<u32>(PLACE + (at >> 2)), result);
    }
  }
}
