/** log φ of one step along a vertical contour, φ(τ) = M(c + iτ)/M(c), with error bounds. u = 2⁻⁵³. */
import { U } from '../../src/kernel/constants.js';
import { vatan2, vlogModulus1p } from '../functions/atan.js';
import { characteristicLine } from './turning.js';
import { vlog } from '../functions/elementary.js';
import {
  abs,
  add,
  all,
  and,
  div,
  lt,
  mul,
  pair,
  pmin,
  requireBlock,
  select,
  sqrt,
  WIDTH,
} from '../lane/lanes.js';
import { load, loadF64, store } from '../lane/memory.js';

/**
 * Replaces φ − 1 by count·log φ, in four rows of `stride` numbers, the first n of each. Before, they are real and imaginary part of φ − 1, and bounds
 * of its rounding and quadrature errors. After, they are count·log|φ|, count·arg φ, and bounds of the rounding and quadrature errors of both. Where
 * only an upper bound of log|φ| is known, the rounding error is ∞.
 * @param most An upper bound of log|φ| that the caller knows by other means.
 */
export function logarithms(rows: usize, stride: usize, n: usize, count: f64, most: f64): void {
  requireBlock(rows, 4 * stride);
  const row = stride << 3;
  const last = rows + (n << 3);
  for (; rows < last; rows += WIDTH) {
    const re = load(rows);
    const im = load(rows + row);
    const wrong = load(rows + 2 * row);
    const quadratureError = load(rows + 3 * row);
    const whole = add(all(1), re);
    const square = mul(im, im);
    const modulus = sqrt(add(mul(whole, whole), square));
    const size = sqrt(add(mul(re, re), square));
    const evaluation = div(mul(all(32 * U), size), mul(modulus, modulus));
    const both = add(wrong, quadratureError);
    const relativeError = div(mul(all(1.34), both), modulus);
    const sound = and(
      lt(relativeError, all(0.33)),
      lt(mul(all(count), add(relativeError, evaluation)), all(0.4)),
    );
    const bound = add(vlog(add(add(modulus, both), all(8 * U))), all(4 * U));
    const phase = select(mul(all(count), vatan2(im, whole)), all(0), sound);
    const rounding = mul(all(count), add(div(mul(all(1.34), wrong), modulus), evaluation));
    const quadrature = div(mul(mul(all(1.34), all(count)), quadratureError), modulus);
    store(rows, mul(all(count), select(vlogModulus1p(re, im), pmin(all(most), bound), sound)));
    store(rows + row, phase);
    store(rows + 2 * row, select(add(rounding, mul(all(2 * U), abs(phase))), all(Infinity), sound));
    store(rows + 3 * row, select(quadrature, all(0), sound));
  }
}

/**
 * φ − 1 = Σ w (e^{iτy} − 1)/Σ w at τ = k·dTau, and its rounding and truncation errors. There are m losses y with weights w. Four rows of `room`
 * numbers (a multiple of 32) at `out`, zero at the start.
 *
 * @param sums Seven numbers: 1/Σ w; four sums divided by Σ w; the relative error of Σ w from its additions; and the truncation error of the losses.
 * The four are of w|y|, of w|y|e, of we, and of w times the error of y, e a weight's relative error.
 */
export function phiRows(
  loss: usize,
  weight: usize,
  m: usize,
  sums: usize,
  dTau: f64,
  out: usize,
  room: usize,
): void {
  requireBlock(out, 4 * room);
  const row = room << 3;
  characteristicLine(loss, weight, m, dTau, out, out + row, room);
  const unit = loadF64(sums);
  const size = loadF64(sums, 8);
  const massError = loadF64(sums, 24);
  // the bound of `characteristicLine`, and that of the division by Σ w
  const rounding = U * (38 + 0.03125 * <f64>m) + massError + loadF64(sums, 40);
  for (let k: usize = 0; k < row; k += WIDTH) {
    const number = pair(<f64>(k >> 3), <f64>((k >> 3) + 1));
    const tau = mul(number, all(dTau));
    const reach = pmin(all(2), mul(tau, all(size)));
    const weights = pmin(all(2 * massError), mul(tau, all(loadF64(sums, 16))));
    const angles = mul(tau, all(loadF64(sums, 32) + U * 48 * size));
    const at = out + k;
    store(at, mul(all(unit), load(at)));
    store(at + row, mul(all(unit), load(at + row)));
    store(at + 2 * row, add(add(weights, angles), mul(all(rounding), reach)));
    store(at + 3 * row, all(loadF64(sums, 48)));
  }
}
