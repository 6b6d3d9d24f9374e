/** inverfc and the normal quantiles on two lanes: the operations of src/reference/quantile.ts, in its order. */
import { requireLoop } from './checks.js';
import { logInline, vexpm1, vlog } from './elementary.js';
import {
  abs,
  add,
  all,
  allTrue,
  anyTrue,
  at,
  div,
  gather,
  mul,
  neg,
  pick,
  select,
  sqrt,
  step,
  stepAt,
  sub,
} from './lanes.js';
import { listMembers } from './lanes.js';
import * as pool from './pool.js';
import * as constants from '../src/kernel/constants.js';

/** AS 241 for the centre, the tails and the deep tails: the numerator's 8 coefficients, then the denominator's from the second on. */
// prettier-ignore
const COEFFICIENTS: usize = memory.data<f64>([
  constants.AS241_A0, constants.AS241_A1, constants.AS241_A2, constants.AS241_A3,
  constants.AS241_A4, constants.AS241_A5, constants.AS241_A6, constants.AS241_A7,
  constants.AS241_B1, constants.AS241_B2, constants.AS241_B3, constants.AS241_B4,
  constants.AS241_B5, constants.AS241_B6, constants.AS241_B7,
  constants.AS241_C0, constants.AS241_C1, constants.AS241_C2, constants.AS241_C3,
  constants.AS241_C4, constants.AS241_C5, constants.AS241_C6, constants.AS241_C7,
  constants.AS241_D1, constants.AS241_D2, constants.AS241_D3, constants.AS241_D4,
  constants.AS241_D5, constants.AS241_D6, constants.AS241_D7,
  constants.AS241_E0, constants.AS241_E1, constants.AS241_E2, constants.AS241_E3,
  constants.AS241_E4, constants.AS241_E5, constants.AS241_E6, constants.AS241_E7,
  constants.AS241_F1, constants.AS241_F2, constants.AS241_F3, constants.AS241_F4,
  constants.AS241_F5, constants.AS241_F6, constants.AS241_F7,
], 16);
/** Bytes of a row. */
const ROW: i64 = 120;

/** z with Φ(z) − ½ = q. */
// @ts-expect-error: decorator
@inline function centralQuantile(q: v128): v128 {
  const r = sub(all(constants.AS241_CENTRAL_SQUARE), mul(q, q));
  const z = mul(r, r);
  const numerator = add(
    stepAt(
      COEFFICIENTS,
      z,
      stepAt(COEFFICIENTS + 16, z, stepAt(COEFFICIENTS + 32, z, at(COEFFICIENTS + 48))),
    ),
    mul(
      r,
      stepAt(
        COEFFICIENTS + 8,
        z,
        stepAt(COEFFICIENTS + 24, z, stepAt(COEFFICIENTS + 40, z, at(COEFFICIENTS + 56))),
      ),
    ),
  );
  const denominator = add(
    step(1, z, stepAt(COEFFICIENTS + 72, z, stepAt(COEFFICIENTS + 88, z, at(COEFFICIENTS + 104)))),
    mul(
      r,
      stepAt(
        COEFFICIENTS + 64,
        z,
        stepAt(COEFFICIENTS + 80, z, stepAt(COEFFICIENTS + 96, z, at(COEFFICIENTS + 112))),
      ),
    ),
  );
  return mul(q, div(numerator, denominator));
}

/** The rational of the rows of two addresses at r. */
// @ts-expect-error: decorator
@inline function tailRatio(r: v128, first: usize, second: usize): v128 {
  const z = mul(r, r);
  let even = add(gather(first + 32, second + 32), mul(z, gather(first + 48, second + 48)));
  let odd = add(gather(first + 40, second + 40), mul(z, gather(first + 56, second + 56)));
  even = add(gather(first + 16, second + 16), mul(z, even));
  odd = add(gather(first + 24, second + 24), mul(z, odd));
  even = add(gather(first, second), mul(z, even));
  odd = add(gather(first + 8, second + 8), mul(z, odd));
  const numerator = add(even, mul(r, odd));
  even = add(gather(first + 88, second + 88), mul(z, gather(first + 104, second + 104)));
  odd = add(gather(first + 96, second + 96), mul(z, gather(first + 112, second + 112)));
  even = add(gather(first + 72, second + 72), mul(z, even));
  odd = add(gather(first + 80, second + 80), mul(z, odd));
  odd = add(gather(first + 64, second + 64), mul(z, odd));
  return div(numerator, add(step(1, z, even), mul(r, odd)));
}

/** centralQuantile(q) where `central` is set, else z > 0 with 1 − Φ(z) = e^{−l}: one rational, each lane with its own coefficients. */
// @ts-expect-error: decorator
@inline function quantileOf(q: v128, l: v128, central: v128): v128 {
  const root = sqrt(l);
  const deep = v128.andnot(f64x2.gt(root, all(5)), central);
  const tail = v128.andnot(i64x2.splat(ROW), central);
  const region = i64x2.add(tail, v128.and(i64x2.splat(ROW), deep));
  const r = select(
    sub(all(constants.AS241_CENTRAL_SQUARE), mul(q, q)),
    sub(root, select(all(5), all(1.6), deep)),
    central,
  );
  const first = COEFFICIENTS + <usize>i64x2.extract_lane(region, 0);
  const second = COEFFICIENTS + <usize>i64x2.extract_lane(region, 1);
  const ratio = tailRatio(r, first, second);
  const value = select(mul(q, ratio), ratio, central);
  const far = v128.andnot(f64x2.gt(l, all(729)), central);
  return anyTrue(far) ? select(farQuantile(l), value, far) : value;
}

/** z > 0 with 1 − Φ(z) = e^{−l}, l ≥ 2.59. */
// @ts-expect-error: decorator
@inline function tailQuantile(l: v128): v128 {
  const root = sqrt(l);
  const deep = f64x2.gt(root, at(TAILS + 8));
  const r = sub(root, select(at(TAILS + 8), at(TAILS), deep));
  const region = v128.and(i64x2.splat(ROW), deep);
  const value = tailRatio(
    r,
    COEFFICIENTS + <usize>ROW + <usize>i64x2.extract_lane(region, 0),
    COEFFICIENTS + <usize>ROW + <usize>i64x2.extract_lane(region, 1),
  );
  const far = f64x2.gt(l, at(TAILS + 16));
  return anyTrue(far) ? select(farQuantile(l), value, far) : value;
}

/** 1.6, 5, 729: where the tails are expanded and end. */
const TAILS: usize = memory.data<f64>([1.6, 5, 729], 16);

/** z with 1 − Φ(z) = e^{−l}, l > 729. */
function farQuantile(l: v128): v128 {
  const a = mul(all(0.5), add(vlog(l), at(pool.LOG_4PI)));
  const v = sub(l, add(a, div(sub(all(0.5), mul(all(0.5), a)), l)));
  const s = div(all(0.5), v);
  const high = sub(all(12.333333333333334), mul(s, sub(all(88.25), mul(s, all(816.2)))));
  const mills = mul(s, sub(all(1), mul(s, sub(all(2.5), mul(s, high)))));
  const miss = add(sub(v, l), add(mul(all(0.5), add(vlog(v), at(pool.LOG_4PI))), mills));
  const root = sub(v, div(miss, add(all(1), mul(s, sub(all(1), mul(all(2), s))))));
  return select(l, mul(at(pool.SQRT2), sqrt(root)), f64x2.eq(l, all(Infinity)));
}

/** Bytes of a block: 128 pairs. */
const BLOCK: usize = 2048;
// The numbers of a block in the tails: p, −log of the tail's probability, offsets in the block, with room for more; q of all.
const ARGUMENT: usize = memory.data(2064, 16);
const DEPTH: usize = memory.data(2064, 16);
const CENTRE: usize = memory.data(2048, 16);
const OFFSET: usize = memory.data(1056, 16);

const QUANTILE: i32 = 0;
const INVERFC: i32 = 1;

/** q of centralQuantile. */
// @ts-expect-error: decorator
@inline function centreOf(kind: i32, p: v128): v128 {
  return kind == INVERFC ? mul(all(0.5), sub(all(1), p)) : sub(p, all(0.5));
}

/** Lanes of the centre. */
// @ts-expect-error: decorator
@inline function isCentral(kind: i32, p: v128): v128 {
  if (kind == INVERFC) return f64x2.le(abs(sub(all(1), p)), all(2 * constants.AS241_CENTRAL));
  return f64x2.le(abs(sub(p, all(0.5))), all(constants.AS241_CENTRAL));
}

/** −log of the tail's probability. */
// @ts-expect-error: decorator
@inline function depthOf(kind: i32, p: v128): v128 {
  if (kind == INVERFC) {
    return sub(at(pool.LN2), logInline(select(p, sub(all(2), p), f64x2.gt(sub(all(1), p), all(0)))));
  }
  return neg(logInline(select(p, sub(all(1), p), f64x2.lt(sub(p, all(0.5)), all(0)))));
}

/** The result from |z|. */
// @ts-expect-error: decorator
@inline function finish(kind: i32, z: v128, p: v128): v128 {
  if (kind == INVERFC) {
    const value = mul(at(pool.SQRT1_2), z);
    return select(value, neg(value), f64x2.gt(sub(all(1), p), all(0)));
  }
  return select(neg(z), z, f64x2.lt(sub(p, all(0.5)), all(0)));
}

/**
 * The numbers in the tails are listed and read, all are done as those of the centre, then the listed ones again, in separate
 * passes over a block: several pairs are in flight in each, where one pass would wait for a logarithm, a root, a rational
 * and a quotient, one after the other.
 */
// @ts-expect-error: decorator
@inline function mapQuantiles(kind: i32, x: usize, out: usize, n: usize): void {
  for (const end = x + (n << 3); x < end; x += BLOCK, out += BLOCK) {
    const size = end - x < BLOCK ? end - x : BLOCK;
    let to = OFFSET;
    for (let i: usize = 0; i < size; i += 32) {
      to = listMembers(
        v128.not(isCentral(kind, v128.load(x + i))),
        v128.not(isCentral(kind, v128.load(x + i, 16))),
        i,
        to,
      );
    }
    store<u32>(to, load<u32>(to - 4));
    for (let entry = OFFSET, i: usize = 0; entry < to; entry += 8, i += 16) {
      const p = pick(x + load<u32>(entry), x + load<u32>(entry, 4));
      v128.store(ARGUMENT + i, p);
      v128.store(DEPTH + i, depthOf(kind, p));
    }
    for (let i: usize = 0; i < size; i += 16) {
      const z = centralQuantile(centreOf(kind, v128.load(x + i)));
      v128.store(out + i, kind == INVERFC ? mul(at(pool.SQRT1_2), z) : z);
    }
    for (let entry = OFFSET, i: usize = 0; entry < to; entry += 8, i += 16) {
      const value = finish(kind, tailQuantile(v128.load(DEPTH + i)), v128.load(ARGUMENT + i));
      v128.store64_lane(out + load<u32>(entry), value, 0);
      v128.store64_lane(out + load<u32>(entry, 4), value, 1);
    }
  }
}

/** z with Φ(z) = p. */
export function mapNormalQuantile(x: usize, out: usize, n: usize): void {
  requireLoop(x, out, n);
  mapQuantiles(QUANTILE, x, out, n);
}

/** z with 1 − Φ(z) = p. */
export function mapNormalQuantileUpper(x: usize, out: usize, n: usize): void {
  mapNormalQuantile(x, out, n);
  for (const end = out + (n << 3); out < end; out += 16) v128.store(out, sub(all(0), v128.load(out)));
}

/** x with erfc(x) = p. */
export function mapInverfc(x: usize, out: usize, n: usize): void {
  requireLoop(x, out, n);
  mapQuantiles(INVERFC, x, out, n);
}

/** Lanes of the centre of log Φ. */
// @ts-expect-error: decorator
@inline function isLogCentral(logP: v128): v128 {
  const lower = f64x2.lt(logP, at(pool.QUANTILE_LOG_LOWER));
  return v128.not(v128.or(lower, f64x2.gt(logP, at(pool.QUANTILE_LOG_UPPER))));
}

/** z with log Φ(z) = logP. */
export function mapNormalQuantileLog(x: usize, out: usize, n: usize): void {
  requireLoop(x, out, n);
  for (const end = x + (n << 3); x < end; x += BLOCK, out += BLOCK) {
    const size = end - x < BLOCK ? end - x : BLOCK;
    for (let i: usize = 0; i < size; i += 16) {
      const logP = v128.load(x + i);
      const upper = f64x2.gt(logP, at(pool.QUANTILE_LOG_UPPER));
      let q = all(0);
      let l = neg(logP);
      if (anyTrue(isLogCentral(logP))) {
        const sum = add(logP, at(pool.LN2));
        const lost = add(sub(at(pool.LN2), sub(sum, logP)), at(pool.LN2_LOW));
        const m = vexpm1(sum);
        q = mul(all(0.5), add(m, mul(add(m, all(1)), lost)));
      }
      if (anyTrue(upper)) l = select(neg(vlog(neg(vexpm1(logP)))), l, upper);
      v128.store(CENTRE + i, q);
      v128.store(DEPTH + i, l);
    }
    for (let i: usize = 0; i < size; i += 16) {
      const logP = v128.load(x + i);
      const z = quantileOf(v128.load(CENTRE + i), v128.load(DEPTH + i), isLogCentral(logP));
      v128.store(out + i, select(neg(z), z, f64x2.lt(logP, at(pool.QUANTILE_LOG_LOWER))));
    }
  }
}
