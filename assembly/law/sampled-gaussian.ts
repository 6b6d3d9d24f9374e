/** The law of the loss of Poisson-subsampled Gaussian steps under a window. Numbers in parentheses are sections of docs/proofs/contour.md. */
import { U } from '../../src/kernel/constants.js';
import { Errors, stripError } from '../bound/errors.js';
import { logPhi } from '../log-phi.js';
import { even } from '../loss-mesh.js';
import { loadF64, memory, storeF64 } from '../memory.js';
import { tiltedLaw } from '../mesh-sums.js';
import { countCumulant, hasRoom, isSpent, mark, release, spend, take, takeZeros } from '../room.js';
import { expOf, log1pOf, logOf } from '../scalar.js';
import { AxisDecay } from './axis-decay.js';
import { Cumulant, Law, LogPhi, unknownCumulant } from './law.js';
import { Outputs } from './outputs.js';
import { Paths } from './paths.js';
import { SampledStep } from './sampled-step.js';
import { LOST_DIGITS, logMassLeft, massLeftError } from './window.js';

const TWO_PI: f64 = 6.283185307179586;
const OUT: usize = memory.data(64, 16);
/** Contours with more nodes are summed along a path off the axis. */
const LONG: usize = 1024;
/** M − 1 is summed directly only if the window takes no more than this (8). */
const MOST_LOST: f64 = 1e-8;
/** log M is summed from M − 1 if M is above this and below MOST_MASS; otherwise by log-sum-exp. */
const LEAST_MASS: f64 = 1e-3;
const MOST_MASS: f64 = 1e13;
/** Outputs × frequencies of a contour summed on the axis, at most. */
const MOST_TERMS: f64 = 6e6;
const MOST_OUTPUTS: f64 = 16384;
/** Number of tilts whose cumulants are cached: those of a contour, and of its alias bounds. */
const KEPT = 4;

export class SampledGaussian extends Law {
  private grades: Array<Outputs> = new Array<Outputs>();
  private lostP: f64;
  private lostQ: f64;
  /** Tilts whose log M is cached in `found`. */
  private tilts: Array<f64> = new Array<f64>(KEPT);
  private found: Array<Cumulant> = new Array<Cumulant>(KEPT);
  private asked: i32 = 0;
  private about: Cumulant = new Cumulant(0, 0, 0, 0);
  private decay: AxisDecay | null = null;
  private paths: Paths | null = null;
  /** Ensures: log|φ| is no larger at all frequencies that are still to be asked. */
  private least: f64 = 0;
  /** Largest tilts at which M is accurate, and contours are worth trying: for plans. */
  private largest: f64;
  readonly steepest: f64;
  /** −log of the truncation error at the ends of the outputs. */
  endDepth: f64;

  /** @param depth −log of the relative accuracy of integrals over outputs. */
  constructor(
    readonly step: SampledStep,
    private depth: f64,
    count: f64,
  ) {
    super(count);
    // counted as four objects of a cumulant's size, with step and window
    for (let i = 0; i < 4; i++) countCumulant();
    this.lostP = expOf(step.window.logLostP);
    this.lostQ = expOf(step.window.logLostQ);
    this.largest = step.window.largestTilt(step.mu, step.q, 8);
    this.steepest = step.window.largestTilt(step.mu, step.q, depth);
    this.endDepth = depth;
  }

  /** The quadrature nodes for a tilt c, made once for all tilts of its grade, an interval of tilts (`Outputs`). */
  private outputsFor(c: f64): Outputs {
    // without a window the range of outputs grows with the tilt
    const isWhole = this.step.window.isWhole && c > 0;
    let far: f64 = c < 0 ? this.step.mildest : isWhole ? 1 : 16;
    const first = far;
    while (c < 0 ? far > c : far < c) far *= isWhole ? 1.25 : 2;
    for (let i = 0; i < this.grades.length; i++) if (this.grades[i].far === far) return this.grades[i];
    const made = new Outputs(this.step, far, far === first ? 0 : far / 2, this.depth, this.endDepth);
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
    const logLost = c === 0 ? this.step.window.logLostP : this.step.window.logLostQ;
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

  /** The quadrature off the axis at a tilt; null where M is unknown. */
  pathsAt(c: f64): Paths | null {
    const one = this.moments(c);
    return one.isKnown() ? new Paths(this.step, c, one) : null;
  }

  addTo(line: LogPhi, c: f64, turn: f64): bool {
    const one = this.moments(c);
    if (!one.isKnown()) return false;
    if (line.n <= LONG && this.addOnAxis(line, c, turn)) return true;
    if (isSpent()) return false;
    return new Paths(this.step, c, one).addTo(line, this.count, this.depth, turn);
  }

  /**
   * Adds count·log φ at a contour's nodes by sums on the axis, with the quadrature error rounded up. The spacing is halved until that error on the
   * contour is small enough (4, 5, 14). False if it never is.
   */
  private addOnAxis(line: LogPhi, c: f64, turn: f64): bool {
    const outputs = this.outputsFor(c);
    const step = this.step;
    const logM = this.moments(c).value;
    const tau = line.step * <f64>line.n;
    const whole = outputs.y;
    const half = 0.5 * whole;
    const sharp = step.window.sharpness / 2;
    const growthWhole = sharp * whole * whole + step.logStrip(c, whole, tau) - logM;
    const growthHalf = sharp * half * half + step.logStrip(c, half, tau) - logM;
    const finest: f64 = this.count > 1e5 ? 16 : 4;
    for (let parts: f64 = 1; parts <= finest; parts *= 2) {
      const h = outputs.h / parts;
      const one = this.lineRule(c, tau, h, whole, growthWhole, logM);
      const other = this.lineRule(c, tau, h, half, growthHalf, logM);
      const rule = Math.min(one, other);
      if (rule < expOf(-this.depth)) return this.addOn(line, c, turn, parts, rule);
    }
    return false;
  }

  /** Ensures: no less than the quadrature error of spacing h for φWu^{c + iτ}, |τ| ≤ tau, relative to M. */
  private lineRule(c: f64, tau: f64, h: f64, y: f64, growth: f64, logM: f64): f64 {
    const end = this.step.logAtEnd(c, tau, h, this.step.reachOf(h, y), y);
    return stripError(growth, (TWO_PI * y) / h) + expOf(end - logM);
  }

  /**
   * Adds count·log φ by nodes `parts` times as dense, with errors of roundings, of omitted nodes and of the rule; `rule` is its quadrature error
   * relative to M. False where it would cost too much.
   */
  private addOn(line: LogPhi, c: f64, turn: f64, parts: f64, rule: f64): bool {
    const outputs = this.outputsFor(c);
    const h = outputs.h / parts;
    const first = parts * outputs.first;
    const many = parts * (<f64>outputs.n - 1) + 1;
    if (many * <f64>line.n > MOST_TERMS || many > MOST_OUTPUTS) return false;
    if (!hasRoom(16 * many + 4 * <f64>line.room)) return false;
    const n = <usize>many;
    const start = mark();
    const mesh = parts === 1 ? outputs.mesh : this.step.mesh(h, first, n);
    // φ is a quotient of two sums, each with these errors (4)
    const missing = 2.1 * (rule + this.step.beyond(h, first, many, c, 0, this.moments(c).value));
    const stride = even(n);
    const weight = take(2 * stride);
    spend(6 * many + 1.7 * (many + 20) * <f64>line.n);
    tiltedLaw(mesh, stride, c, weight, weight + (stride << 3), OUT);
    const unit = 1 / loadF64(OUT, 8);
    const own = takeZeros(4 * line.room);
    logPhi(
      mesh + (stride << 3),
      weight,
      n,
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

  /** Bounds of |φ| at a tilt from outputs on the axis; null where M is unknown. */
  axisDecay(c: f64): AxisDecay | null {
    const one = this.moments(c);
    const outputs = this.outputsFor(c);
    if (!one.isKnown() || !outputs.isKnown || !hasRoom(32 * <f64>outputs.n + 16384)) return null;
    return new AxisDecay(this.step, outputs, c, one);
  }

  openDecay(c: f64): void {
    this.least = 0;
    this.decay = this.axisDecay(c);
    this.paths = this.decay === null ? null : this.pathsAt(c);
  }

  /**
   * Adds upper bounds of count·log|φ| on the m − 1 stretches between frequencies to `out`. They come from cells of losses and, if `sharp`, from
   * paths. Ensures: no less than log|φ| there.
   */
  addDecay(taus: usize, m: usize, enough: f64, sharp: bool, out: usize): void {
    const decay = this.decay;
    const paths = this.paths;
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
    const decay = this.decay;
    return decay === null ? 0 : this.count * decay.tailLog(from);
  }
  tailPower(from: f64): f64 {
    const decay = this.decay;
    return decay === null ? 0 : this.count * decay.tailPower(from);
  }
}
