/**
 * Aliasing error. By Poisson summation, a trapezoidal sum along a vertical contour for x is the integral plus its aliases. These are multiples of the
 * integrals for x + jP, j ≠ 0 a whole number, P = 2π/spacing the period (docs/proofs/contour.md 2).
 */
import { U } from '../../src/kernel/constants.js';
import { expm1Of, expOf, logOf } from '../functions/scalar.js';
import { logChernoff } from '../law/chernoff.js';
import { DELTA, FALSE_POSITIVE, poleOf } from '../sums/functionals.js';

/**
 * Bound of the sum of all aliases on one side of the contour with tilt c₀ = `line`. It is relative to e^{base} = M(c₀)e^{−(c₀−a)x}, a the functional's
 * pole. Chernoff's bound at the tilt c bounds each alias, for rates with the factor 1 in place of `logChernoff`. They form a geometric series of ratio
 * e^{−|c − line|P}. Ensures: `at` is no less than that sum, given log M(c) ≤ logM.
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
    readonly logM: f64,
    line: f64,
    period: f64,
  ) {
    this.away = Math.abs(c - line) * period;
  }
  at(functional: i32, x: f64, base: f64): f64 {
    const drift = (this.c - poleOf(functional)) * x;
    const factor = functional === DELTA ? logChernoff(this.c) : 0;
    const exponent = this.logM - drift + factor - base - this.away;
    const rounding = U * 8 * (Math.abs(this.logM) + Math.abs(drift) + Math.abs(base) + this.away);
    return (expOf(exponent + rounding) / -expm1Of(-this.away)) * (1 + 1e-12);
  }
}

/** log Σ_{j≥1} e^{−bjP} = −log(e^{bP} − 1), P the period. */
function logSeries(b: f64, period: f64): f64 {
  return -logOf(expm1Of(Math.min(b * period, 600))) - Math.max(0, b * period - 600);
}

/**
 * The known parts of aliases, in closed form. They are residues of the integrand at poles between the contour and a tilt that bounds aliases. The
 * residue at the pole 1 is the mass of Q. At the pole 0 it is e^x times the mass of P for δ, and that mass for the false positive rate (contour.md 10).
 */
export class KnownAliases {
  value: f64 = 0;
  /** Sum of the terms' moduli, each times 1 + the sizes of its logs. `value` has an error of at most (`relative` + 8 roundings) times this. */
  sizes: f64 = 0;
  /**
   * Whether `value` may exceed the true aliases above x (x + jP), by at most Chernoff's bound. That bound is then added to upper ends.
   * `isPartialBelow` says so of those below x (x − jP).
   */
  isPartialAbove: bool = false;
  isPartialBelow: bool = false;
  private beforeOne: f64;
  private beforeZero: f64;
  private between: f64;
  /**
   * @param above, point The tilts that bound the aliases at x + jP and at x − jP, j ≥ 1 and P the period. Masses are used for poles that they pass.
   * @param line The contour's tilt.
   * @param relative Relative error of either mass.
   */
  constructor(
    private above: f64,
    private point: f64,
    private line: f64,
    period: f64,
    private logMassP: f64,
    private logMassQ: f64,
    readonly relative: f64,
  ) {
    this.beforeOne = logSeries(Math.abs(line - 1), period);
    this.beforeZero = logSeries(line, period);
    // log of the difference of the series beforeOne and beforeZero, in closed form, as subtraction would cancel
    this.between = this.beforeOne + logOf(expm1Of(-period) / expm1Of(-line * period));
  }
  /**
   * Sets `value`, the sum of the known aliases for x over e^{base} (see `AliasBound`), and `sizes`, to which its rounding error is relative. Between
   * the poles 0 and 1 the integral is δ − Q, or the power less Q; here Q stands for its mass. The sum is negated there, so the aliases are those of
   * Q − δ, or of Q less the power (contour.md 10).
   */
  set(functional: i32, x: f64, base: f64): void {
    this.value = 0;
    this.sizes = 0;
    this.isPartialAbove = false;
    this.isPartialBelow = false;
    if (functional === FALSE_POSITIVE) this.setFalsePositive(base);
    else if (this.line < 1) this.setComplement(functional, x, base);
    else if (functional === DELTA && this.point < 0) this.setBoth(x, base);
    else if (this.point < 1) {
      this.isPartialBelow = true;
      this.add(expOf(this.logMassQ + this.beforeOne - base), this.logMassQ);
    }
  }
  /** Adds a positive known part. `logMass` is one of the logs of its factors, which bound its rounding error. */
  private add(part: f64, logMass: f64): void {
    this.value += part;
    this.sizes += part * (1 + Math.abs(this.beforeOne) + Math.abs(this.beforeZero) + Math.abs(logMass));
  }
  private setFalsePositive(base: f64): void {
    if (!(this.point < 0)) return;
    this.isPartialBelow = true;
    this.add(expOf(this.logMassP + this.beforeZero - base), this.logMassP);
  }
  /**
   * Adds the known aliases of Q − δ, or of Q less the power. Each alias above x has the mass of Q, if the tilt `above` exceeds 1. For δ, each alias y
   * below x has e^y times the mass of P, if the tilt `point` is negative.
   */
  private setComplement(functional: i32, x: f64, base: f64): void {
    this.isPartialAbove = this.above > 1;
    if (this.isPartialAbove) this.add(expOf(this.logMassQ + this.beforeOne - base), this.logMassQ);
    this.isPartialBelow = functional === DELTA && this.point < 0;
    if (!this.isPartialBelow) return;
    this.add(expOf(this.logMassP + this.beforeZero - base + x), Math.abs(this.logMassP) + Math.abs(x));
  }
  /**
   * Sets the known aliases of δ where the tilt `point` is negative. Each alias y below x is the mass of Q less e^y times that of P, plus a remainder.
   */
  private setBoth(x: f64, base: f64): void {
    const series = 1 + Math.abs(this.beforeOne) + Math.abs(this.beforeZero) + Math.abs(this.logMassQ);
    const plus = expOf(this.logMassQ + this.between - base);
    const ofP = expOf(this.logMassP + this.beforeZero - base + x);
    const other = ofP * expm1Of(this.logMassQ - this.logMassP - x);
    const logs = Math.abs(this.logMassP) + Math.abs(this.logMassQ) + Math.abs(x);
    this.value = plus + other;
    this.sizes = (plus + Math.abs(other)) * series + ofP * (2 + logs);
  }
}
