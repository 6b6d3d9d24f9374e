/**
 * Laws of the privacy loss random variable L by their moment generating function M(z) = E_P[e^{zL}]: single, composed, and with P and Q exchanged.
 */
import { logarithms } from '../sums/log-phi.js';
import { U } from '../../src/kernel/constants.js';
import { logSum } from '../sums/errors.js';
import { loadF64, storeF64 } from '../lane/memory.js';
import { countCumulant, take } from '../lane/room.js';
import { expOf, logOf } from '../functions/scalar.js';
import { logMassLeft, massLeftError } from './window.js';

/** log M at a real tilt c, with approximate mean and variance of the exponentially tilted loss. */
export class Cumulant {
  /** @param error Ensures: |value − log M(c)| is no larger; approximations have 0 and ensure nothing. */
  constructor(
    public value: f64,
    public error: f64,
    public mean: f64,
    public variance: f64,
  ) {
    countCumulant();
  }
  /** Ensures: no less than log M(c). */
  most(): f64 {
    return this.value + this.error;
  }
  /** Ensures: no more than log M(c). */
  least(): f64 {
    return this.value - this.error;
  }
  isKnown(): bool {
    return this.value < Infinity && this.error < Infinity;
  }
  /** Sets log M, its error, mean and variance, and returns the cumulant itself. */
  set(value: f64, error: f64, mean: f64, variance: f64): Cumulant {
    this.value = value;
    this.error = error;
    this.mean = mean;
    this.variance = variance;
    return this;
  }
  /** Sets the four numbers to those of the sum of `count` independent losses with the cumulant `one`. */
  setTimes(one: Cumulant, count: f64): Cumulant {
    const value = count * one.value;
    return this.set(value, count * one.error + U * Math.abs(value), count * one.mean, count * one.variance);
  }
  /** Becomes an unknown cumulant: infinite value and error. */
  forget(): Cumulant {
    return this.set(Infinity, Infinity, NaN, NaN);
  }
}

/** A tilt near c for which 1 − c is exact: exchanged laws are asked at such tilts only. */
export function exactTilt(c: f64): f64 {
  return 1 - (1 - c);
}

export function unknownCumulant(): Cumulant {
  return new Cumulant(Infinity, Infinity, NaN, NaN);
}

/**
 * log φ(τ) = log M(c + iτ)/M(c) at the nodes τ = kΔ, k < n, of a contour. Four rows of `room` numbers: log|φ|, arg φ, and bounds of the rounding and
 * quadrature errors of both. Where the rounding error is ∞, log|φ| is only an upper bound.
 */
export class LogPhi {
  readonly rows: usize;
  private filled: bool = false;
  constructor(
    readonly c: f64,
    readonly step: f64,
    readonly n: usize,
    readonly room: usize,
  ) {
    this.rows = take(4 * room);
  }

  /**
   * Adds the rows of one more independent law; turn = −1 takes the complex conjugate. Ensures: where a phase is unknown, log|φ| stays an upper bound.
   */
  include(own: usize, turn: f64): void {
    const row = this.room << 3;
    for (let k: usize = 0; k < row; k += 8) {
      const at = this.rows + k;
      const from = own + k;
      const log = loadF64(from);
      const phase = turn * loadF64(from + row);
      const rounding = loadF64(from + 2 * row);
      const quadrature = loadF64(from + 3 * row);
      if (!this.filled) {
        storeF64(at, log);
        storeF64(at + row, phase);
        storeF64(at + 2 * row, rounding);
        storeF64(at + 3 * row, quadrature);
        continue;
      }
      let sum = loadF64(at) + log;
      const angle = loadF64(at + row) + phase;
      const before = loadF64(at + 2 * row);
      const ruled = loadF64(at + 3 * row);
      const error = before + rounding + U * (Math.abs(sum) + Math.abs(angle));
      if (error === Infinity) {
        if (before < Infinity) sum += before + ruled;
        if (rounding < Infinity) sum += rounding + quadrature;
      }
      storeF64(at, sum);
      storeF64(at + row, angle);
      storeF64(at + 2 * row, error);
      storeF64(at + 3 * row, ruled + quadrature);
    }
    this.filled = true;
  }
}

/** The law of the sum of `count` independent losses of one step. */
export abstract class Law {
  next: Law | null = null;
  constructor(readonly count: f64) {}
  /** The object in which every answer is returned, valid until the next one: objects are not freed one by one. */
  protected told: Cumulant = new Cumulant(0, 0, 0, 0);
  /** Ensures: count·log M(c) lies within the error of the value. */
  abstract cumulant(c: f64): Cumulant;
  /** count·log M(c) to a few digits without error bound, for plans. */
  abstract approximate(c: f64): Cumulant;
  /** Adds count·log φ along the contour through c, or its conjugate; false where that would cost too much. */
  abstract addTo(line: LogPhi, c: f64, turn: f64): bool;
  /** Adds count·log φ from φ − 1 of one step and its errors, in four rows that are lost. */
  protected addLogarithms(line: LogPhi, own: usize, turn: f64): void {
    logarithms(own, line.room, line.n, this.count, 0);
    line.include(own, turn);
  }
  /** Prepares upper bounds of |φ| at a tilt. */
  abstract openDecay(c: f64): void;
  /**
   * Adds upper bounds. Ensures: no less than count·log|φ| on each of the m − 1 stretches between ascending frequencies.
   * @param enough Bounds below this are not improved.
   * @param sharp Whether tighter, slower bounds are computed.
   */
  abstract addDecay(taus: usize, m: usize, enough: f64, sharp: bool, out: usize): void;
  /** Ensures: count·log|φ(τ)| ≤ tailLog(from) − tailPower(from)·log(τ/from) for τ ≥ from. */
  abstract tailLog(from: f64): f64;
  abstract tailPower(from: f64): f64;
}

/** The law with P and Q exchanged and the loss negated: its M is M(1 − z), known where 1 − z is exact. */
export class Exchanged extends Law {
  constructor(private inner: Law) {
    super(inner.count);
  }
  private mirrored(found: Cumulant): Cumulant {
    return this.told.set(found.value, found.error, -found.mean, found.variance);
  }
  cumulant(c: f64): Cumulant {
    return c === exactTilt(c) ? this.mirrored(this.inner.cumulant(1 - c)) : this.told.forget();
  }
  approximate(c: f64): Cumulant {
    return this.mirrored(this.inner.approximate(1 - c));
  }
  addTo(line: LogPhi, c: f64, turn: f64): bool {
    return c === exactTilt(c) && this.inner.addTo(line, 1 - c, -turn);
  }
  openDecay(c: f64): void {
    this.inner.openDecay(1 - c);
  }
  addDecay(taus: usize, m: usize, enough: f64, sharp: bool, out: usize): void {
    this.inner.addDecay(taus, m, enough, sharp, out);
  }
  tailLog(from: f64): f64 {
    return this.inner.tailLog(from);
  }
  tailPower(from: f64): f64 {
    return this.inner.tailPower(from);
  }
}

/** The composition of independent truncated laws. */
export class Composed {
  first: Law | null = null;
  /** Ensures: log of no less than the P-mass and the Q-mass lost to truncation. */
  logLostP: f64 = -Infinity;
  logLostQ: f64 = -Infinity;
  /** log of the P-mass that truncation leaves; `logMassQ` of the Q-mass. */
  logMassP: f64 = 0;
  logMassQ: f64 = 0;
  /** Ensures: no less than the error of either log mass. */
  massError: f64 = 0;
  /** The largest tilt at which contours are worth trying: for plans. */
  steepest: f64 = Infinity;

  append(law: Law): void {
    law.next = this.first;
    this.first = law;
  }

  /** Accounts for the masses that the truncation of each of `count` steps loses. They are upper bounds, with LOST_DIGITS of relative error (8). */
  lose(logLostP: f64, logLostQ: f64, count: f64): void {
    const slack = 20 * U;
    const log = logOf(count);
    this.logLostP = logSum(this.logLostP, log + logLostP + slack * (1 + Math.abs(logLostP)));
    this.logLostQ = logSum(this.logLostQ, log + logLostQ + slack * (1 + Math.abs(logLostQ)));
    const leftP = count * logMassLeft(logLostP);
    const leftQ = count * logMassLeft(logLostQ);
    this.logMassP += leftP;
    this.logMassQ += leftQ;
    const errors = Math.max(massLeftError(logLostP), massLeftError(logLostQ));
    this.massError += count * errors + slack * Math.max(Math.abs(this.logMassP), Math.abs(this.logMassQ));
  }

  /** Accounts for truncation of each of `count` steps that takes at most e^{logLost} of either mass; what it leaves counts as 1. */
  loseUpTo(logLost: f64, count: f64): void {
    const most = logOf(count) + logLost + 1e-12;
    this.logLostP = logSum(this.logLostP, most);
    this.logLostQ = logSum(this.logLostQ, most);
    // −log(1 − x) ≤ 1.2x for x ≤ 1/4
    this.massError += logLost < -1.5 ? 1.2 * expOf(most) : Infinity;
  }

  /** log M(c) of the composed run, mean and variance of its tilted loss. Ensures: log M(c) within its error. */
  cumulant(c: f64): Cumulant {
    return this.sum(c, true);
  }
  /** log M(c) to a few digits without error bound, for plans. */
  approximate(c: f64): Cumulant {
    return this.sum(c, false);
  }
  /** log M(c) of the composition, mean and variance of the tilted loss: sums over the laws. Errors are added, and infinite for unknown terms. */
  private sum(c: f64, bounded: bool): Cumulant {
    const total = new Cumulant(0, 0, 0, 0);
    let law = this.first;
    while (law !== null) {
      const one = bounded ? law.cumulant(c) : law.approximate(c);
      total.value += one.value;
      total.error += one.error + U * Math.abs(total.value);
      total.mean += one.mean;
      total.variance += one.variance;
      law = law.next;
    }
    if (bounded && !(total.error < Infinity)) total.value = Infinity;
    return total;
  }

  /** log φ of the composition along a contour; false where a law would cost too much. */
  fill(line: LogPhi): bool {
    let law = this.first;
    while (law !== null) {
      if (!law.addTo(line, line.c, 1)) return false;
      law = law.next;
    }
    return true;
  }

  openDecay(c: f64): void {
    let law = this.first;
    while (law !== null) {
      law.openDecay(c);
      law = law.next;
    }
  }

  /** Ensures: no less than log|φ| on each of the m − 1 stretches between ascending frequencies. */
  decay(taus: usize, m: usize, enough: f64, sharp: bool, out: usize): void {
    for (let i: usize = 0; i + 1 < m; i++) storeF64(out + (i << 3), 0);
    let law = this.first;
    while (law !== null) {
      law.addDecay(taus, m, enough, sharp, out);
      law = law.next;
    }
  }

  /** Ensures: log|φ(τ)| ≤ tailLog(from) − tailPower(from)·log(τ/from) for τ ≥ from. */
  tailLog(from: f64): f64 {
    let sum: f64 = 0;
    let law = this.first;
    while (law !== null) {
      sum += law.tailLog(from);
      law = law.next;
    }
    return sum;
  }
  tailPower(from: f64): f64 {
    let sum: f64 = 0;
    let law = this.first;
    while (law !== null) {
      sum += law.tailPower(from);
      law = law.next;
    }
    return sum;
  }
}
