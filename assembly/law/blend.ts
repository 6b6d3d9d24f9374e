/**
 * The law of a step that draws one of several branches with known probabilities w_i, and publishes which one: M(z) = Σ w_i M_i(z). Numbers after
 * capped-poisson.md are sections of docs/proofs/capped-poisson.md.
 */
import { MIXTURE, U } from '../../src/kernel/constants.js';
import { expm1Of, expOf, log1pOf, logOf } from '../functions/scalar.js';
import { abs, add, all, mul, WIDTH } from '../lane/lanes.js';
import { load, loadF64, store, storeF64 } from '../lane/memory.js';
import { countCumulant, hasRoom, mark, release, spend, take, takeZeros } from '../lane/room.js';
import { logSum } from '../sums/errors.js';
import { Gaussian } from './gaussian.js';
import { Cumulant, Law, LogPhi } from './law.js';
import { Sides } from './mixture-step.js';
import { PhaseStep, Truncation } from './phase-step.js';

/** The largest log M_i(c) at which Σ w_i(M_i − 1) is summed, to keep the digits of M near 1. Only the tightness of error bounds depends on it. */
const HIGHEST: f64 = 30;
/** Errors of log M_i above this leave M unknown. */
const ROUGH: f64 = 0.01;
/** Upper bound of the rounding error of the log of a sum of a few positive terms. */
const SUMMED: f64 = 1e-13;
/** A branch's share below this may have underflowed, so this is added to the error of φ. */
const FAINTEST: f64 = 1e-290;

/** Address of the three numbers of the i-th branch, of the parameters at `at`. */
function branchAt(at: usize, i: usize): usize {
  return at + 16 + 24 * i;
}
/** Address of the numbers of the `Sides` of a branch, which has the kind MIXTURE. */
function sidesOf(at: usize, branch: usize): usize {
  return at + ((<usize>loadF64(branch, 16)) << 3);
}

/** Whether each branch is its own mirror image: an unsampled Gaussian, or two equal mixtures. */
export function areMirrored(at: usize): bool {
  for (let i: usize = 0; i < <usize>loadF64(at); i++) {
    const branch = branchAt(at, i);
    const isMixture = loadF64(branch, 8) === MIXTURE;
    if (isMixture ? !new Sides(sidesOf(at, branch)).isSymmetric() : loadF64(branch, 16) < 1) return false;
  }
  return true;
}

/** The law of `count` steps, each of which draws one of several branches. Each branch is truncated by a window of its own, or not at all. */
export class Blend extends Law {
  /** Ensures: logs of no less than the P-mass and the Q-mass that the windows remove from one step (capped-poisson.md 8). */
  logLostP: f64 = -Infinity;
  logLostQ: f64 = -Infinity;
  /** Heuristic: the largest tilt at which contours are worth trying. */
  steepest: f64 = Infinity;
  private branches: Array<Law> = new Array<Law>();
  private many: usize;
  /** Bound of the relative error of the weights w_i. */
  private relative: f64;
  /** Rows over the branches: value, error, mean and variance of their cumulants at the tilt of `mix`, and their shares w_i M_i/M. */
  private rows: usize;
  /** The tilt for which the rows hold, NaN where M is unknown; and a bound of the relative errors of the shares. */
  private c: f64 = NaN;
  private sharesError: f64 = Infinity;
  /** Whether `openDecay` has prepared bounds of |φ|. */
  private isOpen: bool = false;
  /** Logs of the branches' shares w_i M_i/M at the tilt of `openDecay`, rounded up. */
  private logShares: usize;

  /**
   * @param at Address of the law's numbers: how many branches there are; a bound of the relative errors of their weights, at most 1e-12; three
   * numbers for each branch; the `Sides` of branches that are mixtures. The three are the weight w_i > 0, and μ and rate of a Gaussian, which is
   * unsampled at rate 1; or the constant MIXTURE, and the index of its numbers, counted from the address. At most 16 branches are sampled or
   * mixtures.
   * @param truncation Gives the windows that truncate the branches that are sampled or mixtures.
   * @param depth −log of the relative accuracy of integrals over outputs.
   */
  constructor(
    private at: usize,
    truncation: Truncation,
    depth: f64,
    count: f64,
  ) {
    super(count);
    this.many = <usize>loadF64(at);
    this.relative = loadF64(at, 8);
    this.rows = take(5 * this.many);
    this.logShares = take(this.many);
    // memory of objects is counted in cumulants
    for (let i: usize = 0; i < 2 + this.many; i++) countCumulant();
    for (let i: usize = 0; i < this.many; i++) this.append(branchAt(at, i), truncation, depth);
  }

  /** Appends the law of a branch, and adds the masses that its window removes: Σ w_i·(mass removed from branch i), rounded up. */
  private append(branch: usize, truncation: Truncation, depth: f64): void {
    const mu = loadF64(branch, 8);
    const rate = loadF64(branch, 16);
    if (mu > 0 && rate === 1) {
      this.branches.push(new Gaussian(mu * mu));
      return;
    }
    const step = new PhaseStep(mu, rate, sidesOf(this.at, branch));
    const window = truncation.windowOf(step);
    const law = step.law(window, depth, 1);
    this.branches.push(law);
    this.steepest = Math.min(this.steepest, law.steepest);
    this.logLostP = this.withLost(this.logLostP, loadF64(branch), window.logLostP);
    this.logLostQ = this.withLost(this.logLostQ, loadF64(branch), window.logLostQ);
  }
  private withLost(sum: f64, weight: f64, logLost: f64): f64 {
    if (logLost === -Infinity) return sum;
    const own = logOf(weight) + logLost;
    return Math.min(0, logSum(sum, own + this.relative + 8 * U * (1 - own)));
  }

  private weightOf(i: usize): f64 {
    return loadF64(branchAt(this.at, i));
  }

  /**
   * Sets the rows to the cumulants of the branches at a tilt and returns the largest log M_i(c); ∞ where some M_i is unknown, or too inaccurate.
   * `sharesError` gets the largest error, with that of the weights.
   */
  private open(c: f64, isBounded: bool): f64 {
    let top: f64 = -Infinity;
    let worst: f64 = 0;
    for (let i: usize = 0; i < this.many; i++) {
      const law = this.branches[<i32>i];
      const one = isBounded ? law.cumulant(c) : law.approximate(c);
      const row = this.rows + 40 * i;
      storeF64(row, one.value);
      storeF64(row, one.error, 8);
      storeF64(row, one.mean, 16);
      storeF64(row, one.variance, 24);
      top = Math.max(top, one.value);
      worst = Math.max(worst, one.error);
    }
    this.sharesError = worst + this.relative;
    return this.sharesError < ROUGH ? top : Infinity;
  }

  /**
   * log M(c) of one step and its error in `told`, with mean and variance of the tilted loss. It is log1p(Σ w_i(M_i(c) − 1)) where M is near 1, else
   * log Σ w_i M_i(c). Sets the shares and `sharesError` for this tilt. Ensures: log M(c) lies within the error, if `isBounded`; each share
   * within the relative error.
   */
  private mix(c: f64, isBounded: bool): Cumulant {
    this.c = NaN;
    const top = this.open(c, isBounded);
    if (!(top < Infinity)) return this.told.forget();
    const scale = top > HIGHEST ? top : 0;
    let sum: f64 = 0;
    let rise: f64 = 0;
    let rises: f64 = 0;
    let moved: f64 = 0;
    let mean: f64 = 0;
    let square: f64 = 0;
    let far: f64 = 0;
    for (let i: usize = 0; i < this.many; i++) {
      const row = this.rows + 40 * i;
      const weight = this.weightOf(i);
      const value = loadF64(row);
      const own = loadF64(row, 16);
      const mass = weight * expOf(value - scale);
      const change = weight * expm1Of(Math.min(HIGHEST, value));
      storeF64(row, mass, 32);
      sum += mass;
      rise += change;
      rises += Math.abs(change);
      // the error of the mass, from that of log M_i
      moved += mass * 1.01 * loadF64(row, 8);
      mean += mass * own;
      square += mass * (loadF64(row, 24) + own * own);
      far = Math.max(far, Math.abs(value - scale));
    }
    for (let i: usize = 0; i < this.many; i++) {
      const share = this.rows + 40 * i + 32;
      storeF64(share, loadF64(share) / sum);
    }
    mean /= sum;
    const terms = <f64>this.many;
    const isLarge = scale > 0 || rise < -0.5;
    const value = isLarge ? scale + logOf(sum) : log1pOf(rise);
    const ofSum = moved / sum + 1.01 * this.relative + U * (16 + terms + 2 * far + 8 * scale);
    const ofRise = (moved + rises * (this.relative + (12 + terms) * U)) / (1 + rise);
    const error = 1.01 * (isLarge ? ofSum : ofRise) + 8 * U * Math.abs(value);
    this.c = c;
    this.sharesError = 2.1 * this.sharesError + U * (32 + 2 * terms + 4 * far);
    return this.told.set(value, error, mean, Math.max(1e-300, square / sum - mean * mean));
  }

  cumulant(c: f64): Cumulant {
    return this.told.setTimes(this.mix(c, true), this.count);
  }
  approximate(c: f64): Cumulant {
    return this.told.setTimes(this.mix(c, false), this.count);
  }

  override addTo(line: LogPhi, c: f64, turn: f64): bool {
    return this.cumulant(c).isKnown() && super.addTo(line, c, turn);
  }
  /** φ − 1 = Σ p_i(φ_i − 1), p_i the shares of the branches at the tilt, which `addTo` has set (capped-poisson.md 8). Ensures: within its errors. */
  override phiLessOne(line: LogPhi, c: f64, own: usize): bool {
    if (this.c !== c || !hasRoom(4 * <f64>line.room)) return false;
    spend(6 * <f64>line.n * <f64>this.many);
    const row = line.room << 3;
    const faintest = all(FAINTEST);
    for (let k: usize = 0; k < row; k += WIDTH) store(own + 2 * row + k, faintest);
    let isDone = true;
    for (let i: usize = 0; i < this.many && isDone; i++) {
      const start = mark();
      const part = takeZeros(4 * line.room);
      isDone = this.branches[<i32>i].phiLessOne(line, c, part);
      if (isDone) this.include(part, loadF64(this.rows + 40 * i, 32), own, row);
      release(start);
    }
    return isDone;
  }
  /** Adds a branch's φ_i − 1, times its share, to the rows at `own`, and its errors with that of the share. */
  private include(part: usize, share: f64, own: usize, row: usize): void {
    const p = all(share);
    const most = all(share * (1 + 2 * ROUGH + this.sharesError));
    const off = all(this.sharesError + U * (8 + <f64>this.many));
    for (let k: usize = 0; k < row; k += WIDTH) {
      const at = own + k;
      const from = part + k;
      const re = load(from);
      const im = load(from + row);
      const wrong = add(load(from + 2 * row), mul(off, add(abs(re), abs(im))));
      store(at, add(load(at), mul(p, re)));
      store(at + row, add(load(at + row), mul(p, im)));
      store(at + 2 * row, add(load(at + 2 * row), mul(most, wrong)));
      store(at + 3 * row, add(load(at + 3 * row), mul(most, load(from + 3 * row))));
    }
  }

  /** Prepares bounds of |φ| at a tilt, with logs of the shares, log w_i + log M_i − log M. Ensures: these are rounded up. */
  openDecay(c: f64): void {
    const one = this.mix(c, true);
    this.isOpen = one.isKnown();
    if (!this.isOpen) return;
    for (let i: usize = 0; i < this.many; i++) {
      const log = logOf(this.weightOf(i));
      const value = loadF64(this.rows + 40 * i);
      const slack = this.sharesError + 4 * U * (1 - log + Math.abs(value) + Math.abs(one.value));
      storeF64(this.logShares + (i << 3), log + value - one.value + slack);
      this.branches[<i32>i].openDecay(c);
    }
  }
  private logShare(i: usize): f64 {
    return loadF64(this.logShares + (i << 3));
  }
  /** log|φ| ≤ log Σ p_i|φ_i|, from bounds of each log|φ_i| (capped-poisson.md 8). */
  addDecay(taus: usize, m: usize, enough: f64, sharp: bool, out: usize): void {
    if (!this.isOpen) return;
    const row = m << 3;
    const sums = take(m);
    for (let k: usize = 0; k < row; k += 8) storeF64(sums + k, -Infinity);
    for (let i: usize = 0; i < this.many; i++) {
      const own = takeZeros(m);
      const share = this.logShare(i);
      this.branches[<i32>i].addDecay(taus, m, enough / this.count - share, sharp, own);
      for (let k: usize = 0; k < row - 8; k += 8)
        storeF64(sums + k, logSum(loadF64(sums + k), share + loadF64(own + k)));
    }
    for (let k: usize = 0; k < row - 8; k += 8)
      storeF64(out + k, loadF64(out + k) + this.count * Math.min(0, loadF64(sums + k) + SUMMED));
  }
  tailLog(from: f64): f64 {
    if (!this.isOpen) return 0;
    let sum: f64 = -Infinity;
    for (let i: usize = 0; i < this.many; i++)
      sum = logSum(sum, this.logShare(i) + this.branches[<i32>i].tailLog(from));
    return this.count * Math.min(0, sum + SUMMED);
  }
  /**
   * The least power of the branches. Each |φ_i| decays at least that fast. Where `tailLog` is 0, this still bounds Σ p_i|φ_i|, as the shares p_i sum
   * to 1.
   */
  tailPower(from: f64): f64 {
    if (!this.isOpen) return 0;
    let least: f64 = Infinity;
    for (let i = 0; i < this.branches.length; i++) least = Math.min(least, this.branches[i].tailPower(from));
    return this.count * least;
  }
}
