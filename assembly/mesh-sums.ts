/** Sums of exponentials over outputs: mirror of src/reference/mesh-sums.ts, where order and error bounds are stated. */
import { INVERSE_PI } from '../src/kernel/constants';
import { requireBlock } from './checks';
import { expBlock } from './elementary';
import { abs, add, all, anyTrue, at, lane0, mul, select, stepAt, sub } from './lanes';
import * as pool from './pool';
import { sinCosPi } from './trig';

// @ts-expect-error: decorator
@inline const BLOCK: usize = 256;
/** Exponents of a block, and their exponentials. */
const EXPONENTS: usize = memory.data(256, 16);
const POWERS: usize = memory.data(256, 16);
const TURN: usize = memory.data(32, 16);

// @ts-expect-error: decorator
@inline function join(x: v128): f64 {
  return lane0(x) + f64x2.extract_lane(x, 1);
}

/** Fills what `expBlock` takes beyond `bytes` of exponents with zeros; returns the end. */
// @ts-expect-error: decorator
@inline function padded(bytes: usize): usize {
  const end = (bytes + 63) & ~63;
  for (let k = bytes; k < end; k += 16) v128.store(EXPONENTS + k, all(0));
  return EXPONENTS + end;
}

/** e^t − 1 − t for small t. */
// @ts-expect-error: decorator
@inline function excess(t: v128): v128 {
  const t2 = mul(t, t);
  const t4 = mul(t2, t2);
  const a = add(
    stepAt(pool.EXCESS_0, t, at(pool.EXCESS_1)),
    mul(t2, stepAt(pool.EXCESS_2, t, at(pool.EXCESS_3))),
  );
  const b = add(
    stepAt(pool.EXCESS_4, t, at(pool.EXCESS_5)),
    mul(t2, stepAt(pool.EXCESS_6, t, at(pool.EXCESS_7))),
  );
  const c = add(
    stepAt(pool.EXCESS_8, t, at(pool.EXCESS_9)),
    mul(t2, stepAt(pool.EXCESS_10, t, at(pool.EXCESS_11))),
  );
  const d = add(
    stepAt(pool.EXCESS_12, t, at(pool.EXCESS_13)),
    mul(t2, stepAt(pool.EXCESS_14, t, at(pool.EXCESS_15))),
  );
  return mul(t2, add(add(a, mul(t4, b)), mul(mul(t4, t4), add(c, mul(t4, d)))));
}

/** Six sums for each of m tilts at `c`, to `out`, over the outputs from … to − 1 of five rows of `stride` (all three even) at `mesh`. */
export function cumulantSums(
  mesh: usize,
  stride: usize,
  from: usize,
  to: usize,
  c: usize,
  m: usize,
  out: usize,
): void {
  requireBlock(mesh, 5 * stride);
  requireBlock(c, m);
  requireBlock(out, 6 * m);
  const row = stride << 3;
  const last = mesh + (to << 3);
  for (const end = c + (m << 3); c < end; c += 8, out += 48) {
    const C = all(load<f64>(c));
    let sum0 = all(0);
    let sum1 = all(0);
    let sum2 = all(0);
    let sum3 = all(0);
    let sum4 = all(0);
    let sum5 = all(0);
    for (let start = mesh + (from << 3); start < last; start += BLOCK) {
      const bytes = last - start < BLOCK ? last - start : BLOCK;
      for (let k: usize = 0; k < bytes; k += 16)
        v128.store(EXPONENTS + k, mul(C, v128.load(start + row + k)));
      expBlock(EXPONENTS, POWERS, padded(bytes));
      let mass = all(0);
      let first = all(0);
      let second = all(0);
      let rise = all(0);
      let size = all(0);
      let shift = all(0);
      for (let k: usize = 0; k < bytes; k += 16) {
        const j = start + k;
        const p = v128.load(j);
        const y = v128.load(j + row);
        const t = v128.load(EXPONENTS + k);
        const e = v128.load(POWERS + k);
        const f = mul(p, e);
        const fy = mul(f, y);
        mass = add(mass, f);
        first = add(first, fy);
        second = add(second, mul(fy, y));
        const near = f64x2.lt(abs(t), at(pool.EXCESS_NEAR));
        const g = select(excess(t), sub(sub(e, all(1)), t), near);
        const straight = mul(C, v128.load(j + 2 * row));
        rise = add(rise, mul(p, add(g, straight)));
        size = add(size, mul(mul(p, v128.load(j + 3 * row)), add(g, abs(straight))));
        shift = add(shift, mul(f, v128.load(j + 4 * row)));
      }
      sum0 = add(sum0, mass);
      sum1 = add(sum1, first);
      sum2 = add(sum2, second);
      sum3 = add(sum3, rise);
      sum4 = add(sum4, size);
      sum5 = add(sum5, shift);
    }
    store<f64>(out, join(sum0));
    store<f64>(out, join(sum1), 8);
    store<f64>(out, join(sum2), 16);
    store<f64>(out, join(sum3), 24);
    store<f64>(out, join(sum4), 32);
    store<f64>(out, join(sum5), 40);
  }
}

/** Σ e^{size − τ·slope} over exponents above `floor`, for each of m τ at `tau`, to `out`; two rows of n (even) at `table`: size, slope. */
export function modulusSums(table: usize, n: usize, tau: usize, m: usize, floor: f64, out: usize): void {
  requireBlock(table, 2 * n);
  requireBlock(tau, m);
  requireBlock(out, m);
  const row = n << 3;
  const last = table + row;
  for (const end = tau + (m << 3); tau < end; tau += 8, out += 8) {
    const T = all(load<f64>(tau));
    let total = all(0);
    for (let start = table; start < last; start += BLOCK) {
      const bytes = last - start < BLOCK ? last - start : BLOCK;
      let counts = all(0);
      for (let k: usize = 0; k < bytes; k += 16) {
        const height = sub(v128.load(start + k), mul(T, v128.load(start + row + k)));
        const left = f64x2.le(height, all(floor));
        counts = v128.or(counts, v128.not(left));
        // what is left out is told below by its exponent, the floor
        v128.store(EXPONENTS + k, select(all(floor), height, left));
      }
      if (!anyTrue(counts)) continue;
      expBlock(EXPONENTS, POWERS, padded(bytes));
      let sum = all(0);
      for (let k: usize = 0; k < bytes; k += 16)
        sum = add(sum, v128.andnot(v128.load(POWERS + k), f64x2.le(v128.load(EXPONENTS + k), all(floor))));
      total = add(total, sum);
    }
    store<f64>(out, join(total));
  }
}

/**
 * Three sums over a path at each of m points, to `out`; six rows of n (even) at `table`: loss, angle, size, turn and two errors; four of m at `points`:
 * tilt, τ, unit and an error that all terms have.
 */
export function pathPoints(table: usize, n: usize, points: usize, m: usize, floor: f64, out: usize): void {
  requireBlock(table, 6 * n);
  requireBlock(points, 4 * m);
  requireBlock(out, 3 * m);
  const row = n << 3;
  const next = m << 3;
  const last = table + row;
  for (const end = points + next; points < end; points += 8, out += 24) {
    const C = all(load<f64>(points));
    const T = all(load<f64>(points + next));
    const unit = all(load<f64>(points + 2 * next));
    const base = all(load<f64>(points + 3 * next));
    const slide = add(abs(C), T);
    let re = all(0);
    let im = all(0);
    let wrong = all(0);
    for (let start = table; start < last; start += BLOCK) {
      const bytes = last - start < BLOCK ? last - start : BLOCK;
      let counts = all(0);
      for (let k: usize = 0; k < bytes; k += 16) {
        const j = start + k;
        const tilted = add(v128.load(j + 2 * row), mul(C, v128.load(j)));
        const height = sub(sub(tilted, mul(T, v128.load(j + row))), unit);
        const left = f64x2.le(height, all(floor));
        counts = v128.or(counts, v128.not(left));
        v128.store(EXPONENTS + k, select(all(floor), height, left));
      }
      if (!anyTrue(counts)) continue;
      expBlock(EXPONENTS, POWERS, padded(bytes));
      let partRe = all(0);
      let partIm = all(0);
      let part = all(0);
      for (let k: usize = 0; k < bytes; k += 16) {
        const j = start + k;
        const size = v128.andnot(v128.load(POWERS + k), f64x2.le(v128.load(EXPONENTS + k), all(floor)));
        const turned = add(v128.load(j + 3 * row), mul(C, v128.load(j + row)));
        sinCosPi(mul(add(turned, mul(T, v128.load(j))), all(INVERSE_PI)), TURN);
        partRe = add(partRe, mul(size, v128.load(TURN, 16)));
        partIm = add(partIm, mul(size, v128.load(TURN)));
        const errors = add(add(base, v128.load(j + 4 * row)), mul(slide, v128.load(j + 5 * row)));
        part = add(part, mul(size, errors));
      }
      re = add(re, partRe);
      im = add(im, partIm);
      wrong = add(wrong, part);
    }
    store<f64>(out, join(re));
    store<f64>(out, join(im), 8);
    store<f64>(out, join(wrong), 16);
  }
}
