/**
 * Distributions ("laws") of the privacy loss random variable L = log(dQ/dP), by the moment generating function M(z) = E_P[e^{zL}]. A `Law` is that of
 * identical steps, `Exchanged` the same with P and Q exchanged, and `Composed` that of a sum of independent losses.
 */
import { logarithms } from '../sums/log-phi.js';
import { U } from '../../src/kernel/constants.js';
import { logSum } from '../sums/errors.js';
import { loadF64, storeF64 } from '../lane/memory.js';
import { countCumulant, hasRoom, mark, release, take, takeZeros } from '../lane/room.js';
import { expOf, log1pOf, logOf } from '../functions/scalar.js';
import { logMassLeft, massLeftError } from './window.js';

/**
 * The cumulant generating function log M at a real tilt c, with approximate mean and variance of the exponentially tilted loss (density e^{cL}/M(c)
 * under P).
 */
export class Cumulant {
  /** @param error Ensures: |value − log M(c)| ≤ error. Cumulants from `approximate` have error 0, which ensures nothing. */
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
  /**
   * Sets the four numbers to those of the sum of `count` independent losses with the cumulant `one`. The error includes one rounding of the product.
   */
  setTimes(one: Cumulant, count: f64): Cumulant {
    const value = count * one.value;
    return this.set(value, count * one.error + U * Math.abs(value), count * one.mean, count * one.variance);
  }
  /** Becomes an unknown cumulant: infinite value and error. */
  forget(): Cumulant {
    return this.set(Infinity, Infinity, NaN, NaN);
  }
}

/** A tilt within a rounding of c for which 1 − c is exact. Exchanged laws, whose M is M(1 − c), are asked at such tilts only. */
export function exactTilt(c: f64): f64 {
  return 1 - (1 - c);
}

export function unknownCumulant(): Cumulant {
  return new Cumulant(Infinity, Infinity, NaN, NaN);
}

/**
 * log φ(τ) at the nodes τ = kΔ, k < n, of a contour Re z = c. φ(τ) = M(c + iτ)/M(c) is the characteristic function of the tilted loss, Δ is `step`.
 * There are four rows of `room` ≥ n numbers: log|φ|, arg φ, and bounds of their rounding errors and of their quadrature errors. Where the rounding
 * error is ∞, log|φ| is only an upper bound.
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
   * Adds log φ of one more independent law, given as four rows at `own` like those of `rows`; turn = −1 adds its complex conjugate. Errors are added,
   * with a rounding of each sum. Ensures: where a rounding error is ∞, log|φ| stays an upper bound.
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

/** The law of the sum of `count` independent losses of one step. φ(τ) = M(c + iτ)/M(c) for one step at a tilt c. */
export abstract class Law {
  next: Law | null = null;
  constructor(readonly count: f64) {}
  /** The object that `cumulant` and `approximate` return. The next call overwrites it, as objects are not freed one by one. */
  protected told: Cumulant = new Cumulant(0, 0, 0, 0);
  /** Ensures: count·log M(c) lies within the error of the value. */
  abstract cumulant(c: f64): Cumulant;
  /** Heuristic: count·log M(c) to a few digits, without error bound. */
  abstract approximate(c: f64): Cumulant;
  /**
   * φ − 1 of one step at the nodes of a contour through c, to four rows of zeros at `own`. They are real part, imaginary part, and bounds of its
   * rounding and of its quadrature errors. False where that would cost too much, and for laws that add their logarithms themselves.
   */
  phiLessOne(_line: LogPhi, _c: f64, _own: usize): bool {
    return false;
  }
  /** Adds count·log φ at the nodes of a contour through c to `line`; its complex conjugate if turn = −1. False where that would cost too much. */
  addTo(line: LogPhi, c: f64, turn: f64): bool {
    if (!hasRoom(4 * <f64>line.room)) return false;
    const start = mark();
    const own = takeZeros(4 * line.room);
    const isDone = this.phiLessOne(line, c, own);
    if (isDone) this.addLogarithms(line, own, turn);
    release(start);
    return isDone;
  }
  /** Adds count·log φ, given φ − 1 of one step and its errors in four rows at `own`, which are overwritten. */
  protected addLogarithms(line: LogPhi, own: usize, turn: f64): void {
    logarithms(own, line.room, line.n, this.count, 0);
    line.include(own, turn);
  }
  /** Prepares `addDecay`, `tailLog` and `tailPower` for the tilt c. */
  abstract openDecay(c: f64): void;
  /**
   * Adds an upper bound of count·log|φ| on each of the m − 1 intervals between ascending frequencies at `taus` to the numbers at `out`. Ensures: each
   * addend is no less than count·log|φ| on its interval.
   * @param enough Bounds below this are not improved.
   * @param sharp Whether tighter, slower bounds are computed.
   */
  abstract addDecay(taus: usize, m: usize, enough: f64, sharp: bool, out: usize): void;
  /** Ensures: count·log|φ(τ)| ≤ tailLog(from) − tailPower(from)·log(τ/from) for frequencies τ ≥ from. */
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
  override addTo(line: LogPhi, c: f64, turn: f64): bool {
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
  /** log of the P-mass, and of the Q-mass, that truncation removes. Ensures: no less than it. */
  logLostP: f64 = -Infinity;
  logLostQ: f64 = -Infinity;
  /** log of the P-mass that remains after truncation; `logMassQ` of the Q-mass. */
  logMassP: f64 = 0;
  logMassQ: f64 = 0;
  /** Ensures: no less than the absolute error of `logMassP` and of `logMassQ`. */
  massError: f64 = 0;
  /** Heuristic: the largest tilt at which contours are worth trying. */
  steepest: f64 = Infinity;

  /** Adds an independent law, which is then in the list of this composition alone. */
  append(law: Law): void {
    law.next = this.first;
    this.first = law;
  }

  /**
   * Accounts for the masses e^{logLost} that truncation removes from each of `count` steps. The lost masses add up to upper bounds (union bound). The
   * remaining log mass is count·log(1 − lost), whose error comes from the relative error LOST_DIGITS of the lost mass (docs/proofs/contour.md 1, 8).
   */
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

  /**
   * Accounts for the masses e^{logP} and e^{logQ} at infinite losses of each of `count` steps. The composition describes finite losses alone. So the
   * masses are taken from the remaining mass, but not added to the lost mass, and nothing here adds them to δ.
   */
  leaveOut(logP: f64, logQ: f64, count: f64): void {
    this.logMassP += count * log1pOf(-expOf(logP));
    this.logMassQ += count * log1pOf(-expOf(logQ));
    // a mass's relative error is the absolute error of its log, below 1e-13 for logs down to −750, where masses vanish
    const most = Math.max(expOf(logP), expOf(logQ));
    const roundings = 4 * U * Math.max(Math.abs(this.logMassP), Math.abs(this.logMassQ));
    this.massError += most < 1 ? (count * 1e-13 * most) / (1 - most) + roundings : Infinity;
  }

  /**
   * Accounts for a truncation that removes at most e^{logLost} of either mass from each of `count` steps. The remaining masses are counted as 1, and
   * `massError` bounds the difference.
   */
  loseUpTo(logLost: f64, count: f64): void {
    const most = logOf(count) + logLost + 1e-12;
    this.logLostP = logSum(this.logLostP, most);
    this.logLostQ = logSum(this.logLostQ, most);
    // −log(1 − x) ≤ 1.2x for x ≤ 1/4
    this.massError += logLost < -1.5 ? 1.2 * expOf(most) : Infinity;
  }

  /** log M(c) of the composition, with mean and variance of its tilted loss: the sum over its laws. Ensures: log M(c) lies within the error. */
  cumulant(c: f64): Cumulant {
    return this.sum(c, true);
  }
  /** Heuristic: log M(c) to a few digits, without error bound. */
  approximate(c: f64): Cumulant {
    return this.sum(c, false);
  }
  /**
   * Σ log M(c) over the laws, by `cumulant` if `bounded`, else by `approximate`. Errors of the laws and of the additions are added up; value and
   * error are ∞ where a law's are.
   */
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

  /** Fills the line with log φ of the composition, the sum over its laws, whose errors it adds up. False where a law would cost too much. */
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

  /** Sets the m − 1 numbers at `out` to the sums of the laws' `addDecay`. Ensures: no less than log|φ| of the composition on each interval. */
  decay(taus: usize, m: usize, enough: f64, sharp: bool, out: usize): void {
    for (let i: usize = 0; i + 1 < m; i++) storeF64(out + (i << 3), 0);
    let law = this.first;
    while (law !== null) {
      law.addDecay(taus, m, enough, sharp, out);
      law = law.next;
    }
  }

  /** The sum of the laws' `tailLog`. Ensures: log|φ(τ)| ≤ tailLog(from) − tailPower(from)·log(τ/from) for frequencies τ ≥ from. */
  tailLog(from: f64): f64 {
    let sum: f64 = 0;
    let law = this.first;
    while (law !== null) {
      sum += law.tailLog(from);
      law = law.next;
    }
    return sum;
  }
  /** The sum of the laws' `tailPower`, the exponent in the bound of `tailLog`. */
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
