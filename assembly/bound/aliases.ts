/**
 * Aliasing error. By Poisson summation, a trapezoidal sum along a vertical contour for x is the integral plus its aliases. These are multiples of the
 * integrals for x + jP, j ≠ 0 a whole number, P = 2π/spacing the period (docs/proofs/contour.md 2).
 */
import { U } from '../../src/kernel/constants.js';
import { expm1Of, expOf, logOf } from '../functions/scalar.js';
import { logChernoff } from '../law/chernoff.js';

/**
 * Bound of the sum of all aliases on one side of the contour with tilt c₀ = `line`, relative to e^{base} = M(c₀)e^{−(c₀−1)x}. Chernoff's bound at the
 * tilt c bounds each alias; they form a geometric series of ratio e^{−|c − line|P}. Ensures: `at` is no less than that sum, given log M(c) ≤ logM.
 */
export class AliasBound {
  private away: f64;
  /**
   * @param c The tilt of Chernoff's bound.
   * @param logM No less than log M(c).
   * @param line The contour's tilt.
   */
  constructor(
    readonly c: f64,
    private logM: f64,
    line: f64,
    period: f64,
  ) {
    this.away = Math.abs(c - line) * period;
  }
  at(x: f64, base: f64): f64 {
    const drift = (this.c - 1) * x;
    const exponent = this.logM - drift + logChernoff(this.c) - base - this.away;
    const rounding = U * 8 * (Math.abs(this.logM) + Math.abs(drift) + Math.abs(base) + this.away);
    return (expOf(exponent + rounding) / -expm1Of(-this.away)) * (1 + 1e-12);
  }
}

/** log Σ_{j≥1} e^{−bjP} = −log(e^{bP} − 1), P the period. */
function logSeries(b: f64, period: f64): f64 {
  return -logOf(expm1Of(Math.min(b * period, 600))) - Math.max(0, b * period - 600);
}

/**
 * The known part of the aliases at x − jP, j ≥ 1 and P the period, in closed form. There is one if the tilt `point` that bounds these aliases lies
 * left of a pole. The residue of the integrand at the pole 1 is the mass of Q; at the pole 0 it is e^x times the mass of P (contour.md 10).
 */
export class KnownAliases {
  value: f64 = 0;
  /** Sum of the terms' moduli, each times 1 + the sizes of its logs. `value` has an error of at most (`relative` + 8 roundings) times this. */
  sizes: f64 = 0;
  private beforeOne: f64;
  private beforeZero: f64;
  private between: f64;
  /**
   * @param point The tilt that bounds the aliases which are not known; masses are used if it is below 1, and that of P if below 0.
   * @param line The contour's tilt.
   * @param relative Relative error of either mass.
   */
  constructor(
    private point: f64,
    line: f64,
    period: f64,
    private logMassP: f64,
    private logMassQ: f64,
    readonly relative: f64,
  ) {
    this.beforeOne = logSeries(line - 1, period);
    this.beforeZero = logSeries(line, period);
    // log of the difference of the series beforeOne and beforeZero, in closed form, as subtraction would cancel
    this.between = this.beforeOne + logOf(expm1Of(-period) / expm1Of(-line * period));
  }
  /**
   * Sets `value`, the sum of the known aliases for x over e^{base} (see `AliasBound`), and `sizes`, to which its rounding error is relative. If
   * `point` is in [0, 1), each alias is the mass of Q less a remainder. If it is negative, each is the mass of Q less e^y times that of P, plus a
   * remainder; y is the alias's x − j·period (contour.md 10).
   */
  set(x: f64, base: f64): void {
    this.value = 0;
    this.sizes = 0;
    if (this.point >= 1) return;
    const series = 1 + Math.abs(this.beforeOne) + Math.abs(this.beforeZero) + Math.abs(this.logMassQ);
    if (this.point >= 0) {
      this.value = expOf(this.logMassQ + this.beforeOne - base);
      this.sizes = this.value * series;
      return;
    }
    const plus = expOf(this.logMassQ + this.between - base);
    const ofP = expOf(this.logMassP + this.beforeZero - base + x);
    const other = ofP * expm1Of(this.logMassQ - this.logMassP - x);
    const logs = Math.abs(this.logMassP) + Math.abs(this.logMassQ) + Math.abs(x);
    this.value = plus + other;
    this.sizes = (plus + Math.abs(other)) * series + ofP * (2 + logs);
  }
  /** Whether `value` exceeds the true aliases by up to the part that Chernoff's bound covers, so that this part is added to upper ends. */
  get isPartial(): bool {
    return this.point < 1 && this.point >= 0;
  }
}
