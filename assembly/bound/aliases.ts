/** What a trapezoidal sum along a vertical line has too much of: values of δ at x + jP, P the period (docs/proofs/contour.md 2). */
import { U } from '../../src/kernel/constants.js';
import { expm1Of, expOf, logOf } from '../scalar.js';
import { logChernoff } from './chernoff.js';

/** Ensures: no less than all aliases on the side of a point c of the line through `line`, over e^{base}; log M(c) ≤ logM. */
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

/** The known parts of the aliases below a line, where the point that bounds the rest lies left of a pole. They are Q, or Q − Pe^x, whose masses are known. */
export class KnownAliases {
  value: f64 = 0;
  /** Sizes of its terms: all that it is made of is known to `relative` of them, and to 8 roundings. */
  sizes: f64 = 0;
  private beforeOne: f64;
  private beforeZero: f64;
  private between: f64;
  /** @param relative The error of either mass. */
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
    // log of the difference of both series, whose digits would be lost in it
    this.between = this.beforeOne + logOf(expm1Of(-period) / expm1Of(-line * period));
  }
  /** Sets both at x, over e^{base}. */
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
  /** Whether what is bounded below the line was subtracted with what is known: then the sum may be too small by it. */
  get isPartial(): bool {
    return this.point < 1 && this.point >= 0;
  }
}
