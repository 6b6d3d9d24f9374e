/** Sums over the nodes of a contour: mirror of src/reference/contour-sums.ts, where order and error bounds are stated. */
import { INVERSE_PI } from '../src/kernel/constants';
import { requireBlock } from './checks';
import { add, all, lane0, mul, sub } from './lanes';
import { sinCosPi } from './trig';

// @ts-expect-error: decorator
@inline const BLOCK: usize = 256;
/** Sine and cosine of three pairs of angles. */
const TURNS: usize = memory.data(96, 16);

// @ts-expect-error: decorator
@inline function join(x: v128): f64 {
  return lane0(x) + f64x2.extract_lane(x, 1);
}

/** re·c + im·s of the pairs at `re` and `rows` further. */
// @ts-expect-error: decorator
@inline function turned(re: usize, row: usize, c: v128, s: v128): v128 {
  return add(mul(v128.load(re), c), mul(v128.load(re + row), s));
}

/** Three sums for each of m x at `x`, to `out`; seven rows of n (even) at `table`: τ/π, then weights. */
export function contourSums(table: usize, n: usize, x: usize, m: usize, out: usize): void {
  requireBlock(table, 7 * n);
  requireBlock(x, m);
  requireBlock(out, 3 * m);
  const row = n << 3;
  for (const end = x + (m << 3); x < end; x += 8, out += 24) {
    const X = all(load<f64>(x));
    let sum0 = all(0);
    let sum1 = all(0);
    let sum2 = all(0);
    for (let from: usize = 0; from < row; from += BLOCK) {
      let a0 = all(0);
      let a1 = all(0);
      let a2 = all(0);
      const to = table + (from + BLOCK < row ? from + BLOCK : row);
      for (let p = table + from; p < to; p += 16) {
        sinCosPi(mul(v128.load(p), X), TURNS);
        const s = v128.load(TURNS);
        const c = v128.load(TURNS, 16);
        a0 = add(a0, turned(p + row, row, c, s));
        a1 = add(a1, turned(p + 3 * row, row, c, s));
        a2 = add(a2, turned(p + 5 * row, row, c, s));
      }
      sum0 = add(sum0, a0);
      sum1 = add(sum1, a1);
      sum2 = add(sum2, a2);
    }
    store<f64>(out, join(sum0));
    store<f64>(out, join(sum1), 8);
    store<f64>(out, join(sum2), 16);
  }
}

/** The same for nodes k·dTau, by rotation: six rows of n, a multiple of 4, at `table`. */
export function contourSumsUniform(dTau: f64, table: usize, n: usize, x: usize, m: usize, out: usize): void {
  requireBlock(table, 6 * n);
  requireBlock(x, m);
  requireBlock(out, 3 * m);
  const row = n << 3;
  for (const end = x + (m << 3); x < end; x += 8, out += 24) {
    const turn = dTau * load<f64>(x) * INVERSE_PI;
    sinCosPi(all(4 * turn), TURNS + 64);
    let sum0 = all(0);
    let sum1 = all(0);
    let sum2 = all(0);
    for (let from: usize = 0; from < n; from += BLOCK >> 3) {
      const k = <f64>from;
      sinCosPi(mul(f64x2(k, k + 1), all(turn)), TURNS);
      sinCosPi(mul(f64x2(k + 2, k + 3), all(turn)), TURNS + 32);
      let sa = v128.load(TURNS);
      let ca = v128.load(TURNS, 16);
      let sb = v128.load(TURNS, 32);
      let cb = v128.load(TURNS, 48);
      const stepS = v128.load(TURNS, 64);
      const stepC = v128.load(TURNS, 80);
      let a0 = all(0);
      let a1 = all(0);
      let a2 = all(0);
      const start = table + (from << 3);
      const to = start + BLOCK < table + row ? start + BLOCK : table + row;
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
    store<f64>(out, join(sum0));
    store<f64>(out, join(sum1), 8);
    store<f64>(out, join(sum2), 16);
  }
}
