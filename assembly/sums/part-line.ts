/**
 * log N along a contour for a band of the largest loss (docs/proofs/contour.md 16). N = ∏U^T − ∏(U − R)^T over phases of T steps. U is the transform
 * M of steps below the band's upper threshold, R that of steps within the band. Both are given relative to their values at the tilt c.
 */
import { INVERSE_PI, U } from '../../src/kernel/constants.js';
import { atan2Of, cosPiOf, expm1Of, expOf, logModulus1pOf, logOf, sinPiOf } from '../functions/scalar.js';
import { loadF64, storeF64 } from '../lane/memory.js';

/**
 * Where |R/U| of a step exceeds this, the two products of N are computed separately. Below it they would cancel, and N = ∏U^T(1 − e^{−λ}) is used.
 */
const APART: f64 = 0.5;
/**
 * Bytes of a phase's numbers: its number T of steps; R(c)/U(c) and its relative error; the quadrature and truncation errors of the sums for U and R.
 */
const PART: usize = 40;

/** A complex number as log modulus, angle and relative error; where the error is ∞, the modulus is only an upper bound. */
class Factor {
  log: f64 = 0;
  angle: f64 = 0;
  error: f64 = 0;

  set(log: f64, angle: f64, error: f64): void {
    this.log = log;
    this.angle = angle;
    this.error = error;
  }

  /** Sets the number to re + i·im, which has the absolute error `wrong`. */
  setTo(re: f64, im: f64, wrong: f64): void {
    const modulus = Math.sqrt(re * re + im * im);
    if (wrong < 0.2 * modulus) this.set(logOf(modulus), atan2Of(im, re), (1.3 * wrong) / modulus + 8 * U);
    else this.set(logOf(modulus + wrong) + 8 * U, 0, Infinity);
  }

  /**
   * Multiplies the number by the power `count` of another; errors are added, and roundings. Where the error exceeds 0.4, only an upper bound of the
   * modulus is kept.
   */
  multiply(by: Factor, count: f64): void {
    const error = this.error + count * by.error;
    const height = this.log + count * by.log;
    const angle = this.angle + count * by.angle;
    if (error < 0.4) this.set(height, angle, error + 2 * U * (Math.abs(height) + Math.abs(angle)));
    else this.set(height + ifKnown(this.error) + count * ifKnown(by.error), 0, Infinity);
  }
}

/** The error of the log of a modulus; 0 for an upper bound, which already contains it. */
/* @inline */ function ifKnown(error: f64): f64 {
  return error < Infinity ? error : 0;
}

/** The part of a run in a band, at the frequencies of a contour. All rows have n numbers, rounded up to even. */
export class PartLine {
  private readonly row: usize;
  /**
   * Parts of N = ∏U^T − ∏(U − R)^T at a frequency. They are 1 − e^{−λ}, or the difference of both products; the first product; the second; and a
   * factor of one step. λ is that of `littleAt`.
   */
  private readonly rest: Factor = new Factor();
  private readonly below: Factor = new Factor();
  private readonly before: Factor = new Factor();
  private readonly own: Factor = new Factor();

  /**
   * @param rows Six for each of `count` phases: φ − 1 for U (real, imaginary part) and a bound of its error, then those for R.
   * @param parts The numbers of each phase (`PART`).
   */
  constructor(
    private readonly rows: usize,
    private readonly parts: usize,
    private readonly count: usize,
    private readonly n: usize,
  ) {
    this.row = (n + (n & 1)) << 3;
  }

  /**
   * 1 − e^{−λ(z)} at a frequency to `rest`, as log modulus, phase and relative error; λ = −Σ T log(1 − R/U) from the rows of all phases. False
   * unless all |R/U| are below APART and the errors small.
   */
  private littleAt(k: usize): bool {
    const row = this.row;
    let rows = this.rows + k;
    let parts = this.parts;
    let re: f64 = 0;
    let im: f64 = 0;
    let errorBound: f64 = 0;
    for (let p: usize = 0; p < this.count; p++, rows += 6 * row, parts += PART) {
      const times = loadF64(parts);
      const ratio = loadF64(parts, 8);
      // the step's R(z)/U(z) = ratio·(R(z)/R(c))/(U(z)/U(c)), ratio = R(c)/U(c)
      const a = 1 + loadF64(rows);
      const b = loadF64(rows + row);
      const x = 1 + loadF64(rows + 3 * row);
      const y = loadF64(rows + 4 * row);
      const norm = a * a + b * b;
      const rhoRe = (ratio * (x * a + y * b)) / norm;
      const rhoIm = (ratio * (y * a - x * b)) / norm;
      const modulus = Math.sqrt(norm);
      const rho = Math.sqrt(rhoRe * rhoRe + rhoIm * rhoIm);
      const wrongAll = (loadF64(rows + 2 * row) + loadF64(parts, 24)) / modulus;
      const wrongSome = loadF64(rows + 5 * row) + loadF64(parts, 32);
      const own = (ratio * wrongSome) / modulus + rho * (wrongAll + loadF64(parts, 16) + 8 * U);
      if (!(rho < APART && wrongAll < 0.2 && own < 0.1)) return false;
      errorBound += (1.6 * times * own) / Math.sqrt((1 - rhoRe) * (1 - rhoRe) + rhoIm * rhoIm);
      re -= times * logModulus1pOf(-rhoRe, -rhoIm);
      im -= times * atan2Of(-rhoIm, 1 - rhoRe);
    }
    if (!(errorBound < 0.5)) return false;
    const turn = im * INVERSE_PI;
    const fall = expm1Of(re > -700 ? -re : 700);
    const half = sinPiOf(turn / 2);
    const eRe = 2 * half * half * (1 + fall) - fall;
    const wrong = (1 + fall) * (1.3 * errorBound + 8 * U * (Math.abs(re) + Math.abs(im)));
    this.rest.setTo(eRe, (1 + fall) * sinPiOf(turn), wrong);
    return true;
  }

  /**
   * ∏U^T − ∏(U − R)^T over ∏U(c)^T at a frequency to `rest`: log modulus, phase and relative error. The products are over the phases with steps in
   * the band. A product of which only an upper bound is known counts as error.
   */
  private differenceAt(k: usize): void {
    const row = this.row;
    let rows = this.rows + k;
    let parts = this.parts;
    const own = this.own;
    this.below.set(0, 0, 0);
    this.before.set(0, 0, 0);
    for (let p: usize = 0; p < this.count; p++, rows += 6 * row, parts += PART) {
      const ratio = loadF64(parts, 8);
      const a = 1 + loadF64(rows);
      const b = loadF64(rows + row);
      const x = ratio * (1 + loadF64(rows + 3 * row));
      const y = ratio * loadF64(rows + 4 * row);
      const wrong = loadF64(rows + 2 * row) + loadF64(parts, 24) + U;
      const wrongSome = loadF64(rows + 5 * row) + loadF64(parts, 32);
      const also = ratio * wrongSome + Math.sqrt(x * x + y * y) * (loadF64(parts, 16) + 8 * U);
      own.setTo(a, b, wrong);
      this.below.multiply(own, loadF64(parts));
      own.setTo(a - x, b - y, wrong + also + 4 * U * Math.sqrt(a * a + b * b));
      this.before.multiply(own, loadF64(parts));
    }
    const top = Math.max(this.below.log, this.before.log);
    let re: f64 = 0;
    let im: f64 = 0;
    let wrong: f64 = 0;
    for (let side = 0; side < 2; side++) {
      const at = side === 0 ? this.below : this.before;
      const size = expOf(at.log - top);
      const error = at.error;
      const turn = at.angle * INVERSE_PI;
      if (error < Infinity) {
        const signed = side === 0 ? size : -size;
        re += signed * cosPiOf(turn);
        im += signed * sinPiOf(turn);
      }
      wrong += size * (error < Infinity ? 1.3 * error + 16 * U : 1);
    }
    this.rest.setTo(re, im, wrong);
    this.rest.log += top;
    this.rest.error += 2 * U * Math.abs(top);
  }

  /**
   * log of Σ T|R(z)|/U(c) over phases of T steps, with the errors of R added. U is M of a step below the band's upper threshold, R of one in the
   * band. Ensures: no less than log|N(z)|/∏U(c)^T.
   */
  private ceilingAt(k: usize): f64 {
    const row = this.row;
    let rows = this.rows + k;
    let parts = this.parts;
    let size: f64 = 0;
    for (let p: usize = 0; p < this.count; p++, rows += 6 * row, parts += PART) {
      const x = 1 + loadF64(rows + 3 * row);
      const y = loadF64(rows + 4 * row);
      const most = Math.sqrt(x * x + y * y) + loadF64(rows + 5 * row) + loadF64(parts, 32);
      size += loadF64(parts) * loadF64(parts, 8) * most;
    }
    return logOf(size);
  }

  /**
   * log(N(z)/N(c)) at the frequencies 1 … n − 1, to four rows at `out`: log modulus, phase, rounding and quadrature error (`LogPhi`). N = F(1 −
   * e^{−λ}), F = ∏U^T, λ as in `littleAt`; or N is a difference of two products, times the factors they share. Under a window |R(z)| may be far above
   * |U(z)|, and U has then lost its digits. The product of U then only adds to the error of the other product.
   *
   * @param shared, whole Four rows each. `shared` has the log of the factors of phases without steps in the band, `whole` log F.
   * @param logWhole log(1 − e^{−λ(c)}).
   * @param error The error of log N(c).
   */
  fill(shared: usize, whole: usize, logWhole: f64, error: f64, out: usize): void {
    const row = this.row;
    const rest = this.rest;
    for (let k: usize = 8; k < this.n << 3; k += 8) {
      const little = this.littleAt(k);
      if (!little) this.differenceAt(k);
      const before = (little ? whole : shared) + k;
      const own = loadF64(before) + rest.log - logWhole;
      const known = loadF64(before + 2 * row);
      const errorBound = known + rest.error;
      if (errorBound < Infinity) {
        storeF64(out + k, own);
        storeF64(out + row + k, loadF64(before + row) + rest.angle);
        storeF64(out + 2 * row + k, errorBound + error + 16 * U);
        storeF64(out + 3 * row + k, loadF64(before + 3 * row));
        continue;
      }
      const also = own + ifKnown(rest.error) + ifKnown(known) + loadF64(before + 3 * row) + 1e-12;
      const ceiling = this.ceilingAt(k) - logWhole + 2 * error + 1e-12;
      let most = also < ceiling ? also : ceiling;
      if (!(most < 0)) most = 0;
      storeF64(out + k, most);
      storeF64(out + row + k, 0);
      storeF64(out + 2 * row + k, Infinity);
      storeF64(out + 3 * row + k, 0);
    }
  }
}
