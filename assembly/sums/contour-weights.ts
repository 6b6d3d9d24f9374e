/**
 * The weights of a contour's nodes for three functionals: δ, power and false positive rate. With them come the factors of their sums' error bounds. u
 * = 2⁻⁵³.
 */
import { vexp } from '../functions/elementary.js';
import { INVERSE_PI, U } from '../../src/kernel/constants.js';
import { sinCosPi } from '../functions/trig.js';
import {
  abs,
  add,
  all,
  and,
  div,
  gt,
  join,
  keep,
  lt,
  mul,
  pair,
  requireBlock,
  requireNumbers,
  select,
  sqrt,
  sub,
  WIDTH,
} from '../lane/lanes.js';
import { load, store } from '../lane/memory.js';
import { borrow, giveBack } from '../lane/scratch.js';

// Working memory. It begins with six vectors about the weights of nodes, without the factor of a functional. They are the modulus, and the cosine and
// sine of the phase. Then come the relative rounding error, its increase per unit of x, and the quadrature error. Behind them is room for the sine
// and cosine of an angle.
/* @inline */ const TURN: usize = 96;
/** Sums of the nodes' three error bounds, for δ, power and false positive rate. */
/* @inline */ const SUMS: usize = TURN + 32;
/** Bytes of the working memory. */
/* @inline */ const ROWS: usize = SUMS + 144;

/**
 * Stores a node's weight for the i-th functional: that of the node times the functional's factor re − i·im, of modulus at most `size`. The real part
 * goes to the functional's first row at `out`, the imaginary part to the second. Adds the weight's error bounds to the functional's sums.
 */
function place(rows: usize, i: usize, out: usize, row: usize, re: v128, im: v128, size: v128): void {
  const weight = load(rows);
  const cos = load(rows, 16);
  const sin = load(rows, 32);
  const to = out + 2 * i * row;
  store(to, mul(weight, add(mul(re, cos), mul(im, sin))));
  store(to + row, mul(weight, sub(mul(re, sin), mul(im, cos))));
  const magnitude = mul(weight, size);
  const sums = rows + SUMS + 48 * i;
  store(sums, add(load(sums), mul(magnitude, load(rows, 48))));
  store(sums, add(load(sums, 16), mul(magnitude, load(rows, 64))), 16);
  store(sums, add(load(sums, 32), mul(magnitude, load(rows, 80))), 32);
}

/** `place` for the factor 1/z, z = re + iτ. */
function placePole(rows: usize, i: usize, out: usize, row: usize, re: f64, tau: v128): void {
  const norm = div(all(1), add(all(re * re), mul(tau, tau)));
  place(rows, i, out, row, mul(norm, all(re)), mul(norm, tau), sqrt(norm));
}

/**
 * The weights of n nodes z = c + i·k·dTau, from four rows of n numbers at `line`, `stride` numbers apart. These are log|φ|, arg φ and their rounding
 * and quadrature errors. Six rows of n numbers, rounded up to a multiple of 4, go to `out`. They are real and imaginary part for each of δ, power and
 * false positive rate. The factors of these three functionals are 1/(z(z − 1)), 1/(z − 1) and 1/z.
 *
 * `bounds` receives three numbers for each functional. The rounding error of a sum at x is at most the first and |x| times the second; its quadrature
 * error is at most the third.
 */
export function contourWeights(
  line: usize,
  stride: usize,
  n: usize,
  dTau: f64,
  c: f64,
  out: usize,
  bounds: usize,
): void {
  const row = ((n + 3) & ~3) << 3;
  requireBlock(out, 6 * (row >> 3));
  requireNumbers(bounds, 9);
  const apart = stride << 3;
  const s = c - 1;
  const rotation = U * (<f64>n + 108);
  const rows = borrow(ROWS);
  const turns = rows + TURN;
  for (let lane: usize = 0; lane < 16; lane += WIDTH) {
    for (let i: usize = 0; i < 144; i += WIDTH) store(rows + SUMS + i, all(0));
    for (let k = lane; k < row; k += 16) {
      const number = pair(<f64>(k >> 3), <f64>((k >> 3) + 1));
      const tau = mul(number, all(dTau));
      const height = load(line + k);
      const turn = load(line + apart + k);
      const quadratureError = load(line + 3 * apart + k);
      const unit = mul(all(dTau * INVERSE_PI), select(all(0.5), all(1), lt(number, all(0.5))));
      const weight = mul(unit, vexp(height));
      // nodes from the n-th on have no weight
      const counts = and(lt(number, all(<f64>n)), gt(weight, all(0)));
      const rounded = add(add(all(60), abs(height)), mul(all(3), abs(turn)));
      const own = add(load(line + 2 * apart + k), mul(all(U), rounded));
      const both = add(own, quadratureError);
      // e^x − 1 ≤ 1.23x for x ≤ 0.4: the factor 1.3 leaves 5 % for rounding
      const sound = lt(both, all(0.4));
      const loose = select(add(all(1), vexp(both)), all(2.1), lt(own, all(Infinity)));
      const roundingError = select(mul(all(1.3), own), loose, sound);
      sinCosPi(mul(turn, all(INVERSE_PI)), turns);
      store(rows, keep(weight, counts));
      store(rows, keep(load(turns, 16), counts), 16);
      store(rows, keep(load(turns), counts), 32);
      store(rows, keep(add(roundingError, all(rotation)), counts), 48);
      store(rows, mul(all(8 * U), tau), 64);
      store(rows, keep(mul(all(1.3), quadratureError), and(counts, sound)), 80);
      const re = sub(all(c * s), mul(tau, tau));
      const im = mul(tau, all(c + s));
      const norm = div(all(1), add(mul(re, re), mul(im, im)));
      place(rows, 0, out + k, row, mul(norm, re), mul(norm, im), sqrt(norm));
      placePole(rows, 1, out + k, row, s, tau);
      placePole(rows, 2, out + k, row, c, tau);
    }
    for (let i: usize = 0; i < 9; i++) join(load(rows + SUMS + (i << 4)), bounds + (i << 3), lane);
  }
  giveBack(rows);
}
