/** μ_GDP on two lanes: the operations of src/reference/gdp-inverse.ts, in its order. */
import { vexp, vexpm1, vlog, vlog1p } from './elementary';
import { B, DENSITY, get, HI, LO, POW_600, T, vevaluate, vlogMass, vmass, vslope, W } from './gdp-core';
import { abs, add, all, anyTrue, div, mul, neg, select, sub } from './lanes';

const SQRT_TWO_PI: f64 = 2.5066282746310007;
const POW_M600: f64 = 2.409919865102884e-181;
const LN_HALF: f64 = -0.6931471805599453;
const LAST_STEP: f64 = 9.5367431640625e-7;
const MAX_ITERATIONS: i32 = 80;

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
  const lower = f64x2.max(tail, mul(all(SQRT_TWO_PI), vexp(target)));
  return select(direct, lower, upper);
}

/** Solves the lanes not yet `done`; `result` holds the others. */
function solve(epsilon: v128, target: v128, upper: v128, solved: v128, known: v128): v128 {
  let done = solved;
  let result = known;
  let mu = f64x2.max(start(epsilon, target, upper), all(5e-324));
  let low = all(0);
  let high = all(Infinity);
  for (let i = 0; i < MAX_ITERATIONS; i++) {
    mu = select(all(1), mu, solved);
    vevaluate(mu, epsilon);
    const tb = mul(get(T, 0), get(B, 0));
    const exact = v128.andnot(f64x2.gt(tb, all(1e250)), done);
    result = select(mu, result, exact);
    done = v128.or(done, exact);
    const w = abs(get(W, 0));
    const above = f64x2.lt(get(W, 0), all(0));
    const other = v128.xor(above, upper);
    let k = div(mu, w);
    let f = add(sub(get(HI, 0), target), add(vlog(mul(w, all(DENSITY))), get(LO, 0)));
    const tiny = v128.andnot(f64x2.le(w, all(1e-270)), other);
    if (anyTrue(tiny)) {
      f = select(sub(vlogMass(mu, 0), target), f, tiny);
      k = select(div(all(1), vslope(get(T, 0), get(B, 0))), k, tiny);
    }
    if (anyTrue(other)) {
      const v = vmass(0);
      f = select(sub(vlog1p(sub(all(0), v)), target), f, other);
      k = select(mul(k, div(v, sub(all(1), v))), k, other);
    }
    f = select(neg(f), f, upper);
    const under = f64x2.lt(f, all(0));
    low = select(mu, low, under);
    high = select(high, mu, under);
    let m = add(add(all(1), tb), select(k, neg(k), upper));
    m = select(all(2), m, f64x2.lt(tb, all(-1e9)));
    m = select(all(-2), m, f64x2.gt(tb, all(1e9)));
    const newton = div(neg(f), k);
    const guard = f64x2.min(all(2), f64x2.max(all(0.5), add(all(1), mul(mul(all(0.5), newton), m))));
    const change = f64x2.min(all(1), f64x2.max(all(-1), div(newton, guard)));
    let next = add(mu, div(mul(mu, change), sub(all(1), mul(all(0.5), change))));
    const going = f64x2.gt(mul(abs(change), add(all(1), abs(m))), all(LAST_STEP));
    let last = v128.or(v128.not(going), f64x2.eq(next, mu));
    const inside = v128.and(f64x2.gt(next, low), f64x2.lt(next, high));
    const outside = v128.not(v128.or(last, inside));
    if (anyTrue(outside)) {
      next = select(mul(all(0.5), add(low, high)), next, outside);
      last = v128.or(last, v128.and(outside, v128.or(f64x2.eq(next, low), f64x2.eq(next, high))));
    }
    result = select(next, result, v128.andnot(last, done));
    done = v128.or(done, last);
    if (i64x2.all_true(done)) return result;
    mu = next;
  }
  return select(result, mu, done);
}

/** n values μ with log δ_μ(epsilon[i]) = logDelta[i], n rounded up to even. */
export function muGdpLog(epsilon: usize, logDelta: usize, out: usize, n: i32): void {
  const end = (<usize>((n + 1) & ~1)) << 3;
  for (let i: usize = 0; i < end; i += 16) {
    const e = v128.load(epsilon + i);
    const l = v128.load(logDelta + i);
    const valid = v128.and(f64x2.ge(e, all(0)), f64x2.le(l, all(0)));
    const zero = f64x2.eq(l, all(-Infinity));
    const infinite = v128.or(f64x2.eq(l, all(0)), f64x2.eq(e, all(Infinity)));
    let known = select(all(0), all(Infinity), zero);
    known = select(known, all(NaN), valid);
    const solved = v128.or(v128.not(valid), v128.or(zero, infinite));
    const upper = f64x2.gt(l, all(LN_HALF));
    let target = l;
    if (anyTrue(upper)) target = select(vlog(sub(all(0), vexpm1(l))), l, upper);
    // A solved lane goes along with harmless numbers.
    const size = select(all(1), e, solved);
    target = select(all(-1), target, solved);
    v128.store(out + i, i64x2.all_true(solved) ? known : solve(size, target, upper, solved, known));
  }
}
