/**
 * Heuristic: the layout of a contour. It is the tilt, two tilts whose Chernoff bounds bound the aliases on either side, and the rule's period
 * 2π/spacing. Error bounds hold for any layout.
 */
import { LN10 } from '../../src/kernel/constants.js';
import { logChernoff } from '../law/chernoff.js';
import { Composed, exactTilt } from '../law/law.js';
import { logOf } from '../functions/scalar.js';
import { Place, Saddle } from './saddle.js';

/** log₁₀ of the relative errors of δ that are aimed at: the coarsest and the finest. Every other power of 10 is used. */
const COARSEST: f64 = -4;
const FINEST: f64 = -14;
/** The least relative error of the masses of P and Q that the layout allows for. */
const LEAST_ERROR: f64 = 1e-15;

/** log₁₀ of the relative error of δ to aim at, from COARSEST to FINEST, for a bracket of log δ of this width. Heuristic. */
export function levelFor(width: f64): f64 {
  const log = logOf(Math.max(1e-13, width)) / LN10;
  let level = COARSEST;
  while (level > FINEST && log < (level + 1) / 1.5) level -= 2;
  return level;
}

/** Heuristic: a tilt c on one side of a contour. With at least this period, Chernoff's bound at c makes the aliases on that side small enough. */
export class AliasPoint {
  constructor(
    readonly c: f64,
    readonly period: f64,
  ) {}
}

/** A layout for brackets of δ at ε in an interval. */
export class Layout {
  /** log of the relative error of δ tolerated from aliasing, and of that from truncation. */
  logLevel: f64;
  /** log of the relative error that is tolerated from truncation where there would be more than `longest` nodes. */
  logLoosest: f64 = -Infinity;
  above: AliasPoint = new AliasPoint(NaN, Infinity);
  below: AliasPoint = new AliasPoint(NaN, Infinity);
  /** The period 2π/h of the aliases, h the spacing of nodes. */
  period: f64 = Infinity;
  /** Limit of the number of nodes. */
  longest: f64 = 65536;

  /**
   * @param saddle The saddle point through which the contour goes.
   * @param level log₁₀ of the tolerated relative error of δ, −4 or less.
   * @param from, to The smallest and the largest ε that are asked for: errors are relative to δ there.
   * @param areRates Whether error rates of tests are asked for. Chernoff's bounds of rates have the factor 1.
   */
  constructor(
    private run: Composed,
    readonly saddle: Saddle,
    level: f64,
    private from: Place = saddle,
    private to: Place = saddle,
    private areRates: bool = false,
  ) {
    this.logLevel = LN10 * level - 3;
    this.above = this.pointOn(1);
    this.below = this.pointOn(-1);
    this.period = Math.max(this.above.period, this.below.period) * (1 + 1e-9);
  }

  /**
   * Heuristic: the alias point at the tilt c. At its period, Chernoff's bound of the aliases is at most about e^{−3} times the tolerated error at
   * `from` and `to`. That bound falls as e^{−|c − c₀|·period}, c₀ the contour's tilt.
   */
  private pointAt(c: f64): AliasPoint {
    c = exactTilt(c);
    const logM = this.run.approximate(c).value;
    if (!(logM < Infinity)) return new AliasPoint(c, Infinity);
    const over = Math.max(this.over(this.from, c), this.over(this.to, c));
    const factor = this.areRates ? 0 : logChernoff(c);
    const excess = logM + factor + over + 3 - this.logLevel;
    const s = this.saddle.s;
    const period = Math.max(1, excess) / Math.abs(c - 1 - s);
    if (s > 0 ? c < 1 : c > 1) return new AliasPoint(c, Math.max(period, this.periodOfMasses(Math.abs(s))));
    return new AliasPoint(c, s < 0 && c < 0 ? Math.max(period, this.periodOfMasses(1 + s)) : period);
  }
  /**
   * Heuristic: the least period at which errors of the known aliases are small beside δ. Known aliases are geometric series of the masses of P and Q,
   * and are subtracted from the sum.
   * @param away Distance of the contour's tilt to the pole.
   */
  private periodOfMasses(away: f64): f64 {
    const run = this.run;
    const errors = run.logMassQ + logOf(Math.max(run.massError, LEAST_ERROR));
    return (errors + 3 - this.logLevel - Math.min(this.from.logDelta, this.to.logDelta)) / away;
  }
  /** log of e^{−(c−1)ε}/δ(ε), by which M(c) and Chernoff's factor are multiplied. */
  private over(end: Place, c: f64): f64 {
    return -(c - 1) * end.epsilon - end.logDelta;
  }

  /** Approximate log of the least δ asked for, relative to M(c)e^{−(c−1)ε}. */
  edge(): f64 {
    return Math.min(this.shareAt(this.from), this.shareAt(this.to));
  }
  private shareAt(end: Place): f64 {
    return end.logDelta - (this.saddle.at.value - this.saddle.s * end.epsilon);
  }

  /**
   * Heuristic: the alias point on one side (1 above, −1 below) of the saddle point with about the least period. A search by steps of a constant
   * factor, from the distance that suits a normal loss.
   */
  private pointOn(side: f64): AliasPoint {
    const c = 1 + this.saddle.s;
    let away = side * Math.sqrt((2 * (3 - this.logLevel)) / this.saddle.at.variance);
    let best = this.pointAt(c + away);
    for (let i = 0; i < 40 && !(best.period < Infinity); i++) {
      away /= 2;
      best = this.pointAt(c + away);
    }
    let moved = false;
    for (let factor: f64 = 1.4; factor > 0.5 && !moved; factor = factor > 1 ? 1 / factor : 0) {
      for (let i = 0; i < 12; i++) {
        const next = this.pointAt(c + away * factor);
        if (!(next.period < 0.98 * best.period)) break;
        best = next;
        away *= factor;
        moved = true;
      }
    }
    // nearer tilts, until the error of M is known
    for (let i = 0; i < 24 && !(best.period < Infinity && this.run.cumulant(best.c).isKnown()); i++)
      best = this.pointAt(c + 0.7 * (best.c - c));
    return best;
  }
}
