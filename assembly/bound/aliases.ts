/** Aliasing error: a trapezoidal sum along a vertical line adds the values of the integral at x + jP, P the period (docs/proofs/contour.md 2). */
import { U } from '../../src/kernel/constants.js';
import { expm1Of, expOf, logOf } from '../functions/scalar.js';
import { logChernoff } from '../law/chernoff.js';

/**
 * Ensures: `at` is no less than the sum of all aliases on one side of the contour through `line`, over e^{base}. Chernoff's bound at the tilt c gives
 * each; log M(c) ≤ logM.
 */
export class AliasBound {
  private away: f64;
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

/** log Σ_{j≥1} e^{−bjP}. */
function logSeries(b: f64, period: f64): f64 {
  return -logOf(expm1Of(Math.min(b * period, 600))) - Math.max(0, b * period - 600);
}

/**
 * Closed form of the aliases below a contour whose bounding tilt lies left of a pole. The residues there are Q, at 1, and Pe^x, at 0: both masses are
 * known.
 */
export class KnownAliases {
  value: f64 = 0;
  /** Sum of the terms' moduli, each times one plus the sizes of its logarithms. `value` errs by at most (`relative` + 8u) times this. */
  sizes: f64 = 0;
  private beforeOne: f64;
  private beforeZero: f64;
  private between: f64;
  /** @param relative Relative error of either mass. */
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
    // log of the difference of both series in closed form, as subtraction would cancel
    this.between = this.beforeOne + logOf(expm1Of(-period) / expm1Of(-line * period));
  }
  /**
   * Sets `value`, the sum of the aliases at x that are known from the masses, over e^{base}. `sizes` is the sum of their moduli, to which rounding
   * errors are relative.
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
  /** Whether the alias that Chernoff bounds was subtracted along with the known masses. The sum may then be too small by that bound. */
  get isPartial(): bool {
    return this.point < 1 && this.point >= 0;
  }
}
