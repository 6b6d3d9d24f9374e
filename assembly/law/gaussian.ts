/** The law of an unsampled Gaussian release: log M(z) = μ²z(z − 1)/2, a closed form. */
import { INVERSE_PI, U } from '../../src/kernel/constants.js';
import { cosPiOf, expm1Of, sinPiOf } from '../functions/scalar.js';
import { loadF64, storeF64 } from '../lane/memory.js';
import { mark, release, spend, take } from '../lane/room.js';
import { Cumulant, Law, LogPhi } from './law.js';

export class Gaussian extends Law {
  /**
   * @param square μ² = Σ 1/σ², with at most 8 roundings. Two come from 1/σ, which is squared, one from the square, and one from the sum. Two more
   * come from a root that is squared again, and two from products with the count.
   */
  constructor(private square: f64) {
    super(1);
  }
  cumulant(c: f64): Cumulant {
    const square = this.square;
    const value = 0.5 * square * c * (c - 1);
    // 8 roundings of `square`, three products, and one rounding of c − 1 relative to itself and to c
    const error = 16 * U * (Math.abs(value) + square * Math.abs(c));
    return this.told.set(value, error, square * (c - 0.5), square);
  }
  approximate(c: f64): Cumulant {
    return this.cumulant(c);
  }
  /** Adds log φ(τ) = −μ²τ²/2 + iμ²τ(c − ½) at the line's nodes, its conjugate for turn = −1. The error is 16 roundings of each term. */
  override addTo(line: LogPhi, c: f64, turn: f64): bool {
    const square = this.square;
    const row = line.room << 3;
    const start = mark();
    const own = take(4 * line.room);
    for (let k: usize = 0; k < row; k += 8) {
      const tau = <f64>(k >> 3) * line.step;
      const log = -0.5 * square * tau * tau;
      storeF64(own + k, log);
      storeF64(own + row + k, square * tau * (c - 0.5));
      storeF64(own + 2 * row + k, 16 * U * (Math.abs(log) + square * tau * (Math.abs(c) + 1)));
      storeF64(own + 3 * row + k, 0);
    }
    line.include(own, turn);
    release(start);
    return true;
  }
  /**
   * φ − 1 = (e^l − 1)cos θ − 2 sin²(θ/2) + i e^l sin θ, l = −μ²τ²/2, θ = μ²τ(c − ½). Ensures: it is within its rounding error, which is that of `addTo`
   * and a few roundings.
   */
  override phiLessOne(line: LogPhi, c: f64, own: usize): bool {
    spend(60 * <f64>line.n);
    const square = this.square;
    const row = line.room << 3;
    for (let k: usize = 0; k < line.n; k++) {
      const tau = <f64>k * line.step;
      const log = -0.5 * square * tau * tau;
      const turn = square * tau * (c - 0.5) * INVERSE_PI;
      const fall = expm1Of(log);
      const half = sinPiOf(turn / 2);
      const re = fall * cosPiOf(turn) - 2 * half * half;
      const im = (1 + fall) * sinPiOf(turn);
      // twice the error of l + iθ, with that of the angle's reduction
      const off = 40 * U * (Math.abs(log) + square * tau * (Math.abs(c) + 1));
      const at = own + (k << 3);
      storeF64(at, re);
      storeF64(at + row, im);
      const ofPower = off < 1 ? off * (1 + fall) : 2;
      storeF64(at + 2 * row, ofPower + 32 * U * (Math.abs(re) + Math.abs(im)));
    }
    return true;
  }
  openDecay(_c: f64): void {}
  /** μ²from², rounded down. */
  private power(from: f64): f64 {
    return this.square * from * from * (1 - 1e-14);
  }
  addDecay(taus: usize, m: usize, _enough: f64, _sharp: bool, out: usize): void {
    for (let i: usize = 0; i + 1 < m; i++) {
      const at = out + (i << 3);
      storeF64(at, loadF64(at) - 0.5 * this.power(loadF64(taus + (i << 3))));
    }
  }
  /** log|φ(τ)| = −μ²τ²/2 ≤ −μ²from²/2·(1 + 2 log(τ/from)) for τ ≥ from, as t² ≥ 1 + 2 log t for t = τ/from. */
  tailLog(from: f64): f64 {
    return -0.5 * this.power(from);
  }
  tailPower(from: f64): f64 {
    return this.power(from);
  }
}
