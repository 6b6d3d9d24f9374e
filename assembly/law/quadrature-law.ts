/**
 * Laws of steps whose integrals over outputs are trapezoidal sums: log M from them, and log φ along contours. Numbers in parentheses are sections of
 * docs/proofs/contour.md.
 */
import { U } from '../../src/kernel/constants.js';
import { Errors } from '../bound/errors.js';
import { logPhi } from '../log-phi.js';
import { even } from '../loss-mesh.js';
import { loadF64, memory, storeF64 } from '../memory.js';
import { tiltedLaw } from '../mesh-sums.js';
import { countCumulant, hasRoom, isSpent, mark, release, spend, take, takeZeros } from '../room.js';
import { expOf, log1pOf, logOf } from '../scalar.js';
import { Cumulant, Law, LogPhi, unknownCumulant } from './law.js';
import { Outputs } from './outputs.js';
import { LOST_DIGITS, logMassLeft, massLeftError, Window } from './window.js';

const OUT: usize = memory.data(64, 16);
/** M − 1 is summed directly only if the window takes no more than this (8). */
const MOST_LOST: f64 = 1e-8;
/** log M is summed from M − 1 if M is above this and below MOST_MASS; otherwise by log-sum-exp. */
const LEAST_MASS: f64 = 1e-3;
const MOST_MASS: f64 = 1e13;
/** Outputs at both ends that are below e^{−depth−FAINT} of the heaviest are left out of sums along a contour, and charged. */
const FAINT: f64 = 12;
/** Number of tilts whose cumulants are cached: those of a contour, and of its alias bounds. */
const KEPT = 4;

/** A bound of |φ| of one step at a tilt, from the masses and the density of its losses. */
export abstract class TiltDecay {
  /** V with |φ(τ)| ≤ V/|τ|. */
  variation: f64 = Infinity;
  /** Ensures: log|φ| on each of the m − 1 stretches is no more than what goes to `out`. */
  abstract bounds(taus: usize, m: usize, enough: f64, out: usize): void;
  /** Bound of log|φ| far out, t. Ensures: log|φ(τ)| ≤ t − tailPower·log(τ/from) for τ ≥ from. */
  tailLog(from: f64): f64 {
    return this.variation < from ? Math.min(0, logOf(this.variation / from)) + 1e-12 : 0;
  }
  tailPower(from: f64): f64 {
    return this.variation < from ? 1 : 0;
  }
}

/** A tighter, slower bound of |φ| at a tilt, by sums along paths off the axis. */
export abstract class FarDecay {
  /** Ensures: no less than log|φ| at τ and beyond. */
  abstract logBound(tau: f64): f64;
}

/** `count` identical steps whose outputs are integrated by the trapezoidal rule, under a window. */
export abstract class QuadratureLaw extends Law {
  protected grades: Array<Outputs> = new Array<Outputs>();
  private lostP: f64;
  private lostQ: f64;
  /** Tilts whose log M is cached in `found`. */
  private tilts: Array<f64> = new Array<f64>(KEPT);
  private found: Array<Cumulant> = new Array<Cumulant>(KEPT);
  private asked: i32 = 0;
  private about: Cumulant = new Cumulant(0, 0, 0, 0);
  private near: TiltDecay | null = null;
  private far: FarDecay | null = null;
  /** Ensures: log|φ| is no larger at all frequencies that are still to be asked. */
  private least: f64 = 0;

  /**
   * @param depth −log of the relative accuracy of integrals over outputs.
   * @param largest, steepest Largest tilts at which M is accurate, and contours are worth trying: for plans.
   */
  constructor(
    readonly window: Window,
    protected depth: f64,
    count: f64,
    private largest: f64,
    readonly steepest: f64,
  ) {
    super(count);
    // counted as four objects of a cumulant's size, with step and window
    for (let i = 0; i < 4; i++) countCumulant();
    this.lostP = expOf(window.logLostP);
    this.lostQ = expOf(window.logLostQ);
  }

  /** A plan: whether the range of outputs grows so much with tilts above 0 that their grades are short. */
  protected abstract isFine(): bool;
  /** The first tilt below 0 of a grade's end: see `outputsFor`. */
  protected abstract mildest(): f64;
  /** Nodes that serve the tilts between two ends. */
  protected abstract outputsBetween(far: f64, near: f64): Outputs;
  /** Table of nodes h·first, …, in the rows of `axisMesh`. */
  protected abstract meshOf(h: f64, first: f64, n: usize): usize;
  /** Prepares `lineError` for φWu^{c + iτ}, |τ| ≤ tau. */
  protected abstract openLine(c: f64, tau: f64): void;
  /** Ensures: no less than the quadrature error at the spacing h, relative to M. */
  protected abstract lineError(h: f64): f64;
  /** A plan: the spacing of outputs for the line, where that for M is `h`. */
  protected abstract lineSpacing(h: f64): f64;
  /** Nodes of a contour at most, outputs, and products of both, for sums on the axis. */
  protected abstract longestOnAxis(): usize;
  protected abstract mostOutputs(): f64;
  protected abstract mostTerms(): f64;
  /** Bounds of |φ| at a tilt; null where M is unknown. */
  abstract decayAt(c: f64): TiltDecay | null;
  abstract farAt(c: f64): FarDecay | null;
  /** `addTo` by sums off the axis; false where there are none, or they would cost too much. */
  protected abstract addOffAxis(line: LogPhi, c: f64, turn: f64, one: Cumulant): bool;

  /** The quadrature nodes for a tilt c, made once for all tilts of its grade, an interval of tilts (`Outputs`). */
  protected outputsFor(c: f64): Outputs {
    const isFine = c >= 0 && this.isFine();
    let far: f64 = c < 0 ? this.mildest() : isFine ? 1 : 16;
    const first = far;
    while (c < 0 ? far > c : far < c) far *= isFine ? 1.25 : 2;
    for (let i = 0; i < this.grades.length; i++) if (this.grades[i].far === far) return this.grades[i];
    const made = this.outputsBetween(far, far === first ? 0 : far / 2);
    this.grades.push(made);
    return made;
  }

  /** log M(c) of one step, its error bound, mean and variance of the tilted loss. The last KEPT tilts asked are remembered. */
  moments(c: f64): Cumulant {
    const known = Math.min(KEPT, this.asked);
    for (let i = 0; i < known; i++) if (this.tilts[i] === c) return this.found[i];
    const made = this.summed(c);
    const at = this.asked % KEPT;
    this.tilts[at] = c;
    this.found[at] = made;
    this.asked++;
    return made;
  }

  /**
   * log M(c) by sums over outputs, from M − 1 where that is more accurate; M(0) and M(1) are 1 less the lost masses (8). Ensures: within the error
   * stated.
   */
  private summed(c: f64): Cumulant {
    if (isSpent()) return unknownCumulant();
    const outputs = this.outputsFor(c);
    if (!outputs.isKnown) return unknownCumulant();
    const excess = this.fromExcess(outputs, c);
    const found = excess.isKnown() ? excess : this.fromLogarithms(outputs, c);
    if (c !== 0 && c !== 1) return found;
    // M(0) and M(1) are the masses that remain, known without a sum (8)
    const logLost = c === 0 ? this.window.logLostP : this.window.logLostQ;
    const error = massLeftError(logLost);
    if (!(error < found.error)) return found;
    return new Cumulant(logMassLeft(logLost), error, found.mean, found.variance);
  }

  /** M − 1 = Σ (u^c − 1 − c(u − 1)) + c(E[u] − 1), without cancellation (8). */
  private mMinusOne(excess: f64, c: f64): f64 {
    return excess - this.lostP - c * (this.lostQ - this.lostP);
  }

  /** log M from M − 1, with an error relative to M − 1 (8); unknown where M is too large or too small for it, or log M is as accurate. */
  private fromExcess(outputs: Outputs, c: f64): Cumulant {
    const p = this.lostP;
    const q = this.lostQ;
    if (!(Math.max(p, q) < MOST_LOST && outputs.isModerate(c))) return unknownCumulant();
    outputs.sums(c, OUT);
    const mass = loadF64(OUT);
    if (!(mass < MOST_MASS && mass > LEAST_MASS)) return unknownCumulant();
    const mean = loadF64(OUT, 8) / mass;
    const second = loadF64(OUT, 16) / mass;
    const rest = this.mMinusOne(loadF64(OUT, 24), c);
    const size = Math.abs(c);
    const taken = LOST_DIGITS * (p * (1 + size) + q * size);
    if (taken > 1e-14 * (1 + rest)) return unknownCumulant();
    const errors = new Errors();
    // relative errors of weights are at least 24u each
    const terms = loadF64(OUT, 32) * (1 + (50 + <f64>outputs.n / 32) / 24);
    const moved = 1.5 * size * Math.max(1, Math.abs(c - 1)) * (loadF64(OUT, 40) + outputs.shift);
    errors.rounding = terms + moved + taken;
    errors.truncation = outputs.leftOut(c, 0) + (1 + size) * outputs.ends;
    errors.quadrature = mass * outputs.ruleError(c, logOf(mass)) + (1 + 2 * size) * outputs.plain;
    const error = errors.sum();
    if (!(error < 1e-3 * (1 + rest))) return unknownCumulant();
    const value = log1pOf(rest);
    const relative = (1.002 * error) / (1 + rest) + 6 * U * Math.abs(value);
    return new Cumulant(value, relative, mean, Math.max(0, second - mean * mean));
  }

  /** log M from the logarithms of all terms (log-sum-exp). Ensures: within the error stated: rounding, truncation and quadrature. */
  private fromLogarithms(outputs: Outputs, c: f64): Cumulant {
    const start = mark();
    const weight = take(2 * outputs.stride);
    spend(6 * <f64>outputs.n);
    tiltedLaw(outputs.mesh, outputs.stride, c, weight, weight + (outputs.stride << 3), OUT);
    release(start);
    const most = loadF64(OUT);
    const mass = loadF64(OUT, 8);
    const mean = loadF64(OUT, 16) / mass;
    const second = loadF64(OUT, 24) / mass;
    const errors = new Errors();
    errors.rounding = loadF64(OUT, 32) / mass + (32 + <f64>outputs.n / 32) * U;
    const value = most + outputs.logOfSum(mass);
    errors.truncation = outputs.leftOut(c, value);
    errors.quadrature = outputs.ruleError(c, value);
    const relative = errors.sum();
    if (!(relative < 1e-3)) return unknownCumulant();
    const error = 1.002 * relative + 4 * U * Math.abs(most);
    return new Cumulant(value, error, mean, Math.max(0, second - mean * mean));
  }

  cumulant(c: f64): Cumulant {
    return this.told.setTimes(this.moments(c), this.count);
  }

  approximate(c: f64): Cumulant {
    return this.told.setTimes(this.approximateMoments(c), this.count);
  }

  /** A plan: log M(c) of one step to a few digits. */
  approximateMoments(c: f64): Cumulant {
    if (c > this.largest || isSpent()) return this.about.forget();
    const outputs = this.outputsFor(c);
    if (!outputs.isKnown) return this.about.forget();
    if (outputs.isModerate(c)) {
      outputs.sums(c, OUT);
      const mass = loadF64(OUT);
      const mean = loadF64(OUT, 8) / mass;
      const variance = loadF64(OUT, 16) / mass - mean * mean;
      if (mass > 1e-250 && mass < MOST_MASS && variance > 0) {
        const near = Math.max(this.lostP, this.lostQ) < MOST_LOST && mass > LEAST_MASS;
        const value = near ? log1pOf(this.mMinusOne(loadF64(OUT, 24), c)) : logOf(mass);
        return this.about.set(value, 0, mean, variance);
      }
    }
    return this.moments(c);
  }

  addTo(line: LogPhi, c: f64, turn: f64): bool {
    const one = this.moments(c);
    if (!one.isKnown()) return false;
    if (line.n <= this.longestOnAxis() && this.addOnAxis(line, c, turn)) return true;
    return !isSpent() && this.addOffAxis(line, c, turn, one);
  }

  /**
   * Adds count·log φ at a contour's nodes by sums on the axis, with the quadrature error rounded up. The spacing is such that this error is
   * small enough on the contour (4, 5, 14). False if none is.
   */
  private addOnAxis(line: LogPhi, c: f64, turn: f64): bool {
    const outputs = this.outputsFor(c);
    this.openLine(c, line.step * <f64>line.n);
    const h = this.lineSpacing(outputs.h);
    const rule = this.lineError(h);
    return rule < expOf(-this.depth) && this.addOn(line, c, turn, h, rule);
  }

  /**
   * Adds count·log φ by nodes h apart, with errors of roundings, of omitted nodes and of the rule; `rule` is its quadrature error relative to M. False
   * where it would cost too much.
   */
  private addOn(line: LogPhi, c: f64, turn: f64, h: f64, rule: f64): bool {
    const outputs = this.outputsFor(c);
    const parts = outputs.h / h;
    const first = Math.floor(parts * outputs.first);
    const many = Math.ceil(parts * (outputs.first + <f64>outputs.n - 1)) - first + 1;
    if (many > this.mostOutputs()) return false;
    if (!hasRoom(16 * many + 4 * <f64>line.room)) return false;
    const n = <usize>many;
    const start = mark();
    const mesh = h === outputs.h ? outputs.mesh : this.meshOf(h, first, n);
    const stride = even(n);
    const weight = take(2 * stride);
    spend(6 * many);
    tiltedLaw(mesh, stride, c, weight, weight + (stride << 3), OUT);
    const unit = 1 / loadF64(OUT, 8);
    // outputs at both ends that hardly count are left out
    const faint = expOf(-this.depth - FAINT);
    let from: usize = 0;
    let to = stride;
    while (to > 2 && loadF64(weight + ((to - 1) << 3)) < faint && loadF64(weight + ((to - 2) << 3)) < faint)
      to -= 2;
    while (from + 2 < to && loadF64(weight + (from << 3)) < faint && loadF64(weight + (from << 3), 8) < faint)
      from += 2;
    const kept = <f64>(to - from);
    if (kept * <f64>line.n > this.mostTerms()) {
      release(start);
      return false;
    }
    spend(1.7 * (kept + 20) * <f64>line.n);
    // φ is a quotient of two sums, each with these errors (4)
    const left = (many - kept + 1) * faint * unit;
    const missing = 2.1 * (rule + left + outputs.beyond(h, many, c, this.moments(c).value));
    const own = takeZeros(4 * line.room);
    logPhi(
      mesh + ((stride + from) << 3),
      weight + (from << 3),
      to - from,
      line.step,
      line.n,
      unit,
      loadF64(OUT, 40) * unit,
      loadF64(OUT, 48) * unit,
      loadF64(OUT, 32) * unit,
      loadF64(OUT, 56) * unit,
      many * U,
      missing,
      this.count,
      own,
      line.room,
    );
    line.include(own, turn);
    release(start);
    return true;
  }

  openDecay(c: f64): void {
    this.least = 0;
    this.near = this.decayAt(c);
    this.far = this.near === null ? null : this.farAt(c);
  }

  /**
   * Adds upper bounds of count·log|φ| on the m − 1 stretches between frequencies to `out`. They come from cells of losses and, if `sharp`, from
   * paths. Ensures: no less than log|φ| there.
   */
  addDecay(taus: usize, m: usize, enough: f64, sharp: bool, out: usize): void {
    const decay = this.near;
    const paths = this.far;
    if (decay === null || paths === null) return;
    const own = take(m);
    const count = this.count;
    decay.bounds(taus, m, enough / count, own);
    for (let i: usize = 0; i + 1 < m; i++) {
      const at = i << 3;
      // a bound along a path holds for all larger frequencies too
      if (sharp && count * this.least > enough / 12)
        this.least = Math.min(this.least, paths.logBound(loadF64(taus + at)));
      storeF64(out + at, loadF64(out + at) + count * Math.min(this.least, loadF64(own + at)));
    }
  }

  tailLog(from: f64): f64 {
    const decay = this.near;
    return decay === null ? 0 : this.count * decay.tailLog(from);
  }
  tailPower(from: f64): f64 {
    const decay = this.near;
    return decay === null ? 0 : this.count * decay.tailPower(from);
  }
}
