/** log φ of one step along a vertical line, with bounds of its errors. u = 2⁻⁵³. */
import { U } from '../src/kernel/constants.js';
import { vatan2, vlogModulus1p } from './atan.js';
import { characteristicLine } from './turning.js';
import { vlog } from './elementary.js';
import { abs, add, all, and, div, lt, mul, pair, pmin, requireBlock, select, sqrt, WIDTH } from './lanes.js';
import { load, store } from './memory.js';

/**
 * count·log φ in place of φ − 1, in four rows of `stride` numbers, the first n of each: before, the real and imaginary part of φ − 1 and bounds of its errors from
 * rounding and from quadrature; after, log|φ|^count, its phase, and bounds of the errors of both from rounding (∞ where only |φ|^count ≤ e^{the first row} is
 * known) and from quadrature. `most`: a bound of log|φ| that is known anyway.
 */
export function logarithms(rows: usize, stride: usize, n: usize, count: f64, most: f64): void {
  requireBlock(rows, 4 * stride);
  const row = stride << 3;
  const last = rows + (n << 3);
  for (; rows < last; rows += WIDTH) {
    const re = load(rows);
    const im = load(rows + row);
    const wrong = load(rows + 2 * row);
    const lacking = load(rows + 3 * row);
    const whole = add(all(1), re);
    const square = mul(im, im);
    const modulus = sqrt(add(mul(whole, whole), square));
    const size = sqrt(add(mul(re, re), square));
    const evaluation = div(mul(all(32 * U), size), mul(modulus, modulus));
    const both = add(wrong, lacking);
    const doubt = div(mul(all(1.34), both), modulus);
    const sound = and(lt(doubt, all(0.33)), lt(mul(all(count), add(doubt, evaluation)), all(0.4)));
    const bound = add(vlog(add(add(modulus, both), all(8 * U))), all(4 * U));
    const phase = select(mul(all(count), vatan2(im, whole)), all(0), sound);
    const rounding = mul(all(count), add(div(mul(all(1.34), wrong), modulus), evaluation));
    const quadrature = div(mul(mul(all(1.34), all(count)), lacking), modulus);
    store(rows, mul(all(count), select(vlogModulus1p(re, im), pmin(all(most), bound), sound)));
    store(rows + row, phase);
    store(rows + 2 * row, select(add(rounding, mul(all(2 * U), abs(phase))), all(Infinity), sound));
    store(rows + 3 * row, select(quadrature, all(0), sound));
  }
}

/**
 * `logarithms` of φ − 1 = Σ w (e^{iτy} − 1)/Σ w at τ = k·dTau, k < n, over m losses, to four rows of `room` (a multiple of 32, n or more) at `out`, zero at the
 * start. `unit` is 1/Σ w; `size`, `sizeError`, `massError` and `shift` are the sums of w|y|, w|y|e, we and w times the error of y over Σ w, e the relative error of a weight;
 * `adding` is the relative error of 1/Σ w, and `missing` bounds what the losses leave out.
 */
export function logPhi(
  loss: usize,
  weight: usize,
  m: usize,
  dTau: f64,
  n: usize,
  unit: f64,
  size: f64,
  sizeError: f64,
  massError: f64,
  shift: f64,
  adding: f64,
  missing: f64,
  count: f64,
  out: usize,
  room: usize,
): void {
  requireBlock(out, 4 * room);
  const row = room << 3;
  characteristicLine(loss, weight, m, dTau, out, out + row, room);
  // the kernel's own bound, and the division by the sum of the weights
  const sums = U * (38 + 0.03125 * <f64>m) + massError + adding;
  for (let k: usize = 0; k < row; k += WIDTH) {
    const number = pair(<f64>(k >> 3), <f64>((k >> 3) + 1));
    const tau = mul(number, all(dTau));
    const reach = pmin(all(2), mul(tau, all(size)));
    const weights = pmin(all(2 * massError), mul(tau, all(sizeError)));
    const angles = mul(tau, all(shift + U * 48 * size));
    const at = out + k;
    store(at, mul(all(unit), load(at)));
    store(at + row, mul(all(unit), load(at + row)));
    store(at + 2 * row, add(add(weights, angles), mul(all(sums), reach)));
    store(at + 3 * row, all(missing));
  }
  logarithms(out, room, n, count, 0);
}
