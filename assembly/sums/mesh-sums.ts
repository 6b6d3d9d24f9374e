/** Sums of exponentials over the nodes of a step. Even and odd nodes have separate partial sums, which are added at the end. */
import { U } from '../../src/kernel/constants.js';
import { expVectors } from '../functions/elementary.js';
import * as pool from '../lane/pool.js';
import {
  abs,
  add,
  all,
  anyTrue,
  at,
  drop,
  join,
  le,
  lt,
  mul,
  not,
  or,
  pmax,
  requireBlock,
  requireNumbers,
  select,
  stepAt,
  sub,
  WIDTH,
} from '../lane/lanes.js';
import { load, loadF64, store, storeF64 } from '../lane/memory.js';
import { borrow, giveBack } from '../lane/scratch.js';

/** Bytes of terms per partial sum. */
/* @inline */ const BLOCK: usize = 256;

/** e^t − 1 − t, |t| < EXCESS_NEAR, by its Taylor polynomial in Estrin's scheme: a few roundings of itself. */
/* @inline */ function excess(t: v128): v128 {
  const t2 = mul(t, t);
  const t4 = mul(t2, t2);
  const a = add(stepAt(pool.EXP_2, t, at(pool.EXP_3)), mul(t2, stepAt(pool.EXP_4, t, at(pool.EXP_5))));
  const b = add(stepAt(pool.EXP_6, t, at(pool.EXP_7)), mul(t2, stepAt(pool.EXP_8, t, at(pool.EXP_9))));
  const c = add(stepAt(pool.EXP_10, t, at(pool.EXP_11)), mul(t2, stepAt(pool.EXP_12, t, at(pool.EXP_13))));
  const d = add(stepAt(pool.EXP_14, t, at(pool.EXP_15)), mul(t2, stepAt(pool.EXP_16, t, at(pool.EXP_17))));
  return mul(t2, add(add(a, mul(t4, b)), mul(mul(t4, t4), add(c, mul(t4, d)))));
}

/**
 * Six sums over the nodes `from` … `to` − 1 of an `axisMesh` table, for each of m tilts at `c`. The weights w and losses y = log u are its first
 * rows. The sums are Σwe^{cy}, Σwye^{cy}, Σwy²e^{cy}, Σw(e^{cy} − 1 − c(u − 1)), and two error bounds. The fifth sum bounds the error of the fourth
 * from the errors of log w, the sixth is Σwe^{cy}|y|·(error of y). `stride`, `from` and `to` are even.
 */
export function cumulantSums(
  mesh: usize,
  stride: usize,
  from: usize,
  to: usize,
  c: usize,
  m: usize,
  out: usize,
): void {
  requireBlock(mesh, 8 * stride);
  requireNumbers(c, m);
  requireNumbers(out, 6 * m);
  const row = stride << 3;
  const last = mesh + (to << 3);
  const exponents = borrow(2 * BLOCK);
  const powers = exponents + BLOCK;
  for (const end = c + (m << 3); c < end; c += 8, out += 48) {
    const C = all(loadF64(c));
    for (let lane: usize = 0; lane < 16; lane += WIDTH) {
      let sum0 = all(0);
      let sum1 = all(0);
      let sum2 = all(0);
      let sum3 = all(0);
      let sum4 = all(0);
      let sum5 = all(0);
      for (let start = mesh + (from << 3) + lane; start < last; start += BLOCK) {
        const bytes = last - start < BLOCK ? last - start : BLOCK;
        for (let k: usize = 0; k < bytes; k += 16) store(exponents + k, mul(C, load(start + row + k)));
        expVectors(exponents, powers, bytes);
        let mass = all(0);
        let first = all(0);
        let second = all(0);
        let rise = all(0);
        let size = all(0);
        let shift = all(0);
        for (let k: usize = 0; k < bytes; k += 16) {
          const j = start + k;
          const p = load(j);
          const y = load(j + row);
          const t = load(exponents + k);
          const e = load(powers + k);
          const f = mul(p, e);
          const fy = mul(f, y);
          mass = add(mass, f);
          first = add(first, fy);
          second = add(second, mul(fy, y));
          const near = lt(abs(t), at(pool.EXCESS_NEAR));
          const g = select(excess(t), sub(sub(e, all(1)), t), near);
          const straight = mul(C, load(j + 2 * row));
          rise = add(rise, mul(p, add(g, straight)));
          size = add(size, mul(mul(p, load(j + 3 * row)), add(g, abs(straight))));
          shift = add(shift, mul(f, load(j + 4 * row)));
        }
        sum0 = add(sum0, mass);
        sum1 = add(sum1, first);
        sum2 = add(sum2, second);
        sum3 = add(sum3, rise);
        sum4 = add(sum4, size);
        sum5 = add(sum5, shift);
      }
      join(sum0, out, lane);
      join(sum1, out + 8, lane);
      join(sum2, out + 16, lane);
      join(sum3, out + 24, lane);
      join(sum4, out + 32, lane);
      join(sum5, out + 40, lane);
    }
  }
  giveBack(exponents);
}

/**
 * The exponentially tilted law, from the eight rows of `axisMesh`, of `stride` (even) numbers, at `mesh`. Weights e^{cy + height − top} of all nodes
 * go to `weight`, their relative errors to `errors`. y is a loss, `height` its log weight, and `top` the largest exponent. Eight numbers go to `out`:
 * top, and the sums of the weights times 1, y, y², error, |y|, |y|·error and the errors of y.
 */
export function tiltedLaw(
  mesh: usize,
  stride: usize,
  c: f64,
  weight: usize,
  errors: usize,
  out: usize,
): void {
  requireBlock(mesh, 8 * stride);
  requireBlock(weight, stride);
  requireBlock(errors, stride);
  requireNumbers(out, 8);
  const row = stride << 3;
  const last = mesh + row;
  const exponents = borrow(2 * BLOCK);
  const powers = exponents + BLOCK;
  const C = all(c);
  const size = abs(C);
  for (let lane: usize = 0; lane < 16; lane += WIDTH) {
    let most = all(-Infinity);
    for (let j = mesh + lane; j < last; j += 16)
      most = pmax(most, add(mul(C, load(j + row)), load(j + 5 * row)));
    store(exponents + lane, most);
  }
  const most = loadF64(exponents);
  const other = loadF64(exponents + 8);
  const top = most < other ? other : most;
  storeF64(out, top);
  // errors of log weights contain 16·2⁻⁵³ for an exponential, which this one replaces
  const far = all((top < 0 ? -top : top) - 12);
  for (let lane: usize = 0; lane < 16; lane += WIDTH) {
    let sum1 = all(0);
    let sum2 = all(0);
    let sum3 = all(0);
    let sum4 = all(0);
    let sum5 = all(0);
    let sum6 = all(0);
    let sum7 = all(0);
    for (let start = mesh + lane; start < last; start += BLOCK) {
      const bytes = last - start < BLOCK ? last - start : BLOCK;
      const place = start - mesh;
      for (let k: usize = 0; k < bytes; k += 16) {
        const j = start + k;
        store(exponents + k, sub(add(mul(C, load(j + row)), load(j + 5 * row)), all(top)));
      }
      expVectors(exponents, powers, bytes);
      let mass = all(0);
      let first = all(0);
      let second = all(0);
      let wrong = all(0);
      let length = all(0);
      let lengthWrong = all(0);
      let moved = all(0);
      for (let k: usize = 0; k < bytes; k += 16) {
        const j = start + k;
        const f = load(powers + k);
        const y = load(j + row);
        const off = load(j + 6 * row);
        const own = abs(y);
        const scaled = mul(size, own);
        const rounding = mul(all(U), add(far, add(scaled, add(scaled, scaled))));
        const relative = add(add(load(j + 3 * row), mul(size, off)), rounding);
        store(weight + place + k, f);
        store(errors + place + k, relative);
        const fy = mul(f, y);
        const fl = mul(f, own);
        mass = add(mass, f);
        first = add(first, fy);
        second = add(second, mul(fy, y));
        wrong = add(wrong, mul(f, relative));
        length = add(length, fl);
        lengthWrong = add(lengthWrong, mul(fl, relative));
        moved = add(moved, mul(f, off));
      }
      sum1 = add(sum1, mass);
      sum2 = add(sum2, first);
      sum3 = add(sum3, second);
      sum4 = add(sum4, wrong);
      sum5 = add(sum5, length);
      sum6 = add(sum6, lengthWrong);
      sum7 = add(sum7, moved);
    }
    join(sum1, out + 8, lane);
    join(sum2, out + 16, lane);
    join(sum3, out + 24, lane);
    join(sum4, out + 32, lane);
    join(sum5, out + 40, lane);
    join(sum6, out + 48, lane);
    join(sum7, out + 56, lane);
  }
  giveBack(exponents);
}

/**
 * Σ e^{size − τ·slope} over exponents above `floor`, for each of m τ at `tau`, to `out`. The rows `size` and `slope` of n (even) numbers are at
 * `table`. Terms up to the floor are left out; the caller bounds them. The relative error is of a few roundings for each term, and n/32 for
 * additions.
 */
export function modulusSums(table: usize, n: usize, tau: usize, m: usize, floor: f64, out: usize): void {
  requireBlock(table, 2 * n);
  requireNumbers(tau, m);
  requireNumbers(out, m);
  const row = n << 3;
  const last = table + row;
  const exponents = borrow(2 * BLOCK);
  const powers = exponents + BLOCK;
  for (const end = tau + (m << 3); tau < end; tau += 8, out += 8) {
    const T = all(loadF64(tau));
    for (let lane: usize = 0; lane < 16; lane += WIDTH) {
      let total = all(0);
      for (let start = table + lane; start < last; start += BLOCK) {
        const bytes = last - start < BLOCK ? last - start : BLOCK;
        let counts = all(0);
        for (let k: usize = 0; k < bytes; k += 16) {
          const height = sub(load(start + k), mul(T, load(start + row + k)));
          const left = le(height, all(floor));
          counts = or(counts, not(left));
          // terms below the floor are replaced by the floor
          store(exponents + k, select(all(floor), height, left));
        }
        if (!anyTrue(counts)) continue;
        expVectors(exponents, powers, bytes);
        let sum = all(0);
        for (let k: usize = 0; k < bytes; k += 16)
          sum = add(sum, drop(load(powers + k), le(load(exponents + k), all(floor))));
        total = add(total, sum);
      }
      join(total, out, lane);
    }
  }
  giveBack(exponents);
}
