/** Trapezoidal sums over the nodes of a contour. Even and odd nodes have separate partial sums, which are added at the end. u = 2⁻⁵³. */
import { INVERSE_PI } from '../../src/kernel/constants.js';
import { sinCosPi } from '../functions/trig.js';
import { add, all, join, mul, pair, requireBlock, requireNumbers, sub, WIDTH } from '../lane/lanes.js';
import { load, loadF64 } from '../lane/memory.js';
import { borrow, giveBack } from '../lane/scratch.js';

/** Bytes of nodes per partial sum. Each begins with a newly computed sine and cosine, so that errors of rotations do not accumulate. */
/* @inline */ const BLOCK: usize = 256;
/** re·c + im·s, for vectors of real parts at `re` and of imaginary parts `row` bytes further. */
/* @inline */ function turned(re: usize, row: usize, c: v128, s: v128): v128 {
  return add(mul(load(re), c), mul(load(re + row), s));
}

/**
 * Three sums Σ_k (a_k cos kα + b_k sin kα), α = dTau·x, for each of m x at `x`, to `out`. Their rows a and b alternate in the six rows of n, a
 * multiple of 4, at `table`. Cosines and sines follow by rotations by 4α. Each lane has two chains of rotations, and each chain has at most seven
 * from a newly computed angle.
 *
 * Error, with u = 2⁻⁵³: an angle of k·dTau·x is off by 4u of itself, rotated or not; a cosine and sine by 2.2u, a rotation rounds by √5·u (Brent,
 * Percival and Zimmermann, Math. Comp. 76 (2007) 1469–1481) and takes over the step's 2.2u: 34u in all. Then 3u for a term, and as many u as
 * additions.
 */
export function contourSumsUniform(dTau: f64, table: usize, n: usize, x: usize, m: usize, out: usize): void {
  requireBlock(table, 6 * n);
  requireNumbers(x, m);
  requireNumbers(out, 3 * m);
  // sines and cosines of three vectors of angles
  const turns = borrow(96);
  for (const end = x + (m << 3); x < end; x += 8, out += 24) {
    const turn = dTau * loadF64(x) * INVERSE_PI;
    sinCosPi(all(4 * turn), turns + 64);
    for (let lane: usize = 0; lane < 16; lane += WIDTH) addTurning(table, n, turn, lane, out, turns);
  }
  giveBack(turns);
}

/**
 * One pass of `contourSumsUniform`: adds Σ (a_k cos kα + b_k sin kα), α = dTau·x, for each of three pairs of rows a, b. Without SIMD a vector has one
 * lane, and `lane` says whether this pass adds the even or the odd nodes. `turns` has room for four vectors, then the sine and cosine of 4α. Its
 * error is that of `contourSumsUniform`.
 */
function addTurning(table: usize, n: usize, turn: f64, lane: usize, out: usize, turns: usize): void {
  const row = n << 3;
  let sum0 = all(0);
  let sum1 = all(0);
  let sum2 = all(0);
  for (let from: usize = 0; from < n; from += BLOCK >> 3) {
    const k = <f64>(from + (lane >> 3));
    sinCosPi(mul(pair(k, k + 1), all(turn)), turns);
    sinCosPi(mul(pair(k + 2, k + 3), all(turn)), turns + 32);
    let sa = load(turns);
    let ca = load(turns, 16);
    let sb = load(turns, 32);
    let cb = load(turns, 48);
    const stepS = load(turns, 64);
    const stepC = load(turns, 80);
    let a0 = all(0);
    let a1 = all(0);
    let a2 = all(0);
    const start = table + (from << 3) + lane;
    const end = table + row;
    const to = start + BLOCK < end ? start + BLOCK : end;
    for (let p = start; p < to; p += 32) {
      a0 = add(a0, turned(p, row, ca, sa));
      a1 = add(a1, turned(p + 2 * row, row, ca, sa));
      a2 = add(a2, turned(p + 4 * row, row, ca, sa));
      a0 = add(a0, turned(p + 16, row, cb, sb));
      a1 = add(a1, turned(p + 2 * row + 16, row, cb, sb));
      a2 = add(a2, turned(p + 4 * row + 16, row, cb, sb));
      const nextA = sub(mul(ca, stepC), mul(sa, stepS));
      sa = add(mul(ca, stepS), mul(sa, stepC));
      ca = nextA;
      const nextB = sub(mul(cb, stepC), mul(sb, stepS));
      sb = add(mul(cb, stepS), mul(sb, stepC));
      cb = nextB;
    }
    sum0 = add(sum0, a0);
    sum1 = add(sum1, a1);
    sum2 = add(sum2, a2);
  }
  join(sum0, out, lane);
  join(sum1, out + 8, lane);
  join(sum2, out + 16, lane);
}
