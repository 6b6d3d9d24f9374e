/** log Γ of complex numbers, digamma and trigamma of real ones. */
import { HALF_LOG_2PI, U } from '../../src/kernel/constants.js';
import { atan2Of, logOf } from './scalar.js';

const LARGE: f64 = 16;
/** Upper bound of the truncation error of Stirling's series for log Γ(w) at |w| ≥ 16, with a factor of ten to spare. */
const OF_SERIES: f64 = 1e-17;

/**
 * log Γ(x + iy), x ≥ 1, on the branch that is real for y = 0.
 *
 * Stirling's series at |w| ≥ 16, reached by Γ(w + 1) = wΓ(w). With 8 terms its truncation error is at most 0.18·2⁹/|w|¹⁷ < 1e-18 (DLMF 5.11(ii), Re w
 * > 0).
 */
export class LogGamma {
  re: f64 = 0;
  im: f64 = 0;
  /** Ensures: no less than the absolute error of either part. */
  error: f64 = 0;
  /** w^{1−2k} for the next k of `series`, and w^{−2}; w is the argument of log Γ. */
  private x: f64 = 0;
  private y: f64 = 0;
  private squareX: f64 = 0;
  private squareY: f64 = 0;

  /** Sets `re` and `im` to log Γ(x + iy), and `error` by counting roundings. Ensures: both parts are within `error`. */
  at(x: f64, y: f64): LogGamma {
    this.re = 0;
    this.im = 0;
    let size: f64 = 0;
    let a = x;
    for (; a * a + y * y < LARGE * LARGE; a += 1) {
      const modulus = 0.5 * logOf(a * a + y * y);
      this.re -= modulus;
      this.im -= atan2Of(y, a);
      size += Math.abs(modulus) + 2;
    }
    const square = a * a + y * y;
    const modulus = 0.5 * logOf(square);
    const angle = atan2Of(y, a);
    this.re += (a - 0.5) * modulus - y * angle - a + HALF_LOG_2PI;
    this.im += (a - 0.5) * angle + y * modulus - y;
    size += (a + Math.abs(y)) * (2 + Math.abs(modulus) + Math.abs(angle));
    this.x = a / square;
    this.y = -y / square;
    this.squareX = this.x * this.x - this.y * this.y;
    this.squareY = 2 * this.x * this.y;
    this.series();
    this.error = 4 * U * size + OF_SERIES;
    return this;
  }

  /**
   * Adds Stirling's series Σ B_{2k}/(2k(2k − 1))·w^{1−2k}, k = 1 … 8, B_{2k} the Bernoulli numbers. `at` bounds its truncation and rounding errors.
   */
  private series(): void {
    this.term(1.0 / 12);
    this.term(-1.0 / 360);
    this.term(1.0 / 1260);
    this.term(-1.0 / 1680);
    this.term(1.0 / 1188);
    this.term(-691.0 / 360360);
    this.term(1.0 / 156);
    this.term(-3617.0 / 122400);
  }
  /** Adds a coefficient times the power of w, and goes on to the next power. */
  private term(coefficient: f64): void {
    this.re += coefficient * this.x;
    this.im += coefficient * this.y;
    const before = this.x;
    this.x = before * this.squareX - this.y * this.squareY;
    this.y = before * this.squareY + this.y * this.squareX;
  }
}

/** Heuristic: digamma ψ(x), x > 0, with an error of about 1e-12, for approximate means. */
export function digamma(x: f64): f64 {
  let sum: f64 = 0;
  for (; x < 12; x += 1) sum -= 1 / x;
  const s = 1 / (x * x);
  return sum + logOf(x) - 0.5 / x - s * (1.0 / 12 - s * (1.0 / 120 - s * (1.0 / 252 - s / 240)));
}

/** Heuristic: trigamma ψ′(x), x > 0, with an error of about 1e-12, for approximate variances. */
export function trigamma(x: f64): f64 {
  let sum: f64 = 0;
  for (; x < 12; x += 1) sum += 1 / (x * x);
  const s = 1 / (x * x);
  return sum + 1 / x + 0.5 * s + (s / x) * (1.0 / 6 - s * (1.0 / 30 - s * (1.0 / 42 - s / 30)));
}
