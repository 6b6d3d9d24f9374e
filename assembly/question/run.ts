/**
 * One call answers one question about a run: ε at a δ, or log δ at an ε. The worse of adding and removing a record counts. A run has phases of steps
 * and an unsampled Gaussian.
 *
 * The steps: truncate the laws; find the saddle point; lay out one contour for removing a record; answer by it; check whether adding one is worse.
 * Where one contour is too long or inaccurate, the run is split into bands by its largest loss (bound/bands.ts).
 */
import { LN10, U } from '../../src/kernel/constants.js';
import { AddingBound } from '../bound/adding.js';
import { Bands, FEW_PHASES } from '../bound/bands.js';
import { Brackets } from '../bound/brackets.js';
import { chernoffBound } from '../law/chernoff.js';
import { Contour } from '../bound/contour.js';
import { SingleStep } from '../bound/single.js';
import { Directions, Phases, TAKEN, WIDEST } from '../law/directions.js';
import { Composed } from '../law/law.js';
import { storeF64 } from '../lane/memory.js';
import { askAlone, endOf } from './opened.js';
import { Layout, levelFor } from '../plan/layout.js';
import { Saddle, saddleAt, saddleFor } from '../plan/saddle.js';
import { isSpent, mark, release, workCharged } from '../lane/room.js';

/** log₁₀ of the relative error of δ by the contour that is tried first, and of the finest one. */
const USUAL: f64 = -10;
const FINEST: f64 = -14;
const ROUNDS = 3;
/** Limit of the nodes of a contour of the whole run, before bands are tried. */
const MODEST: f64 = 24576;
/** As MODEST, for runs with other steps than sampled Gaussians, whose contours cost more. */
const MODEST_OF_MIXTURES: f64 = 2048;
/** Limit of the nodes of a contour of the whole run, once bands have been tried. */
const LONGEST: f64 = 65536;
/** Limit of the number of phases up to which bands are tried before a long contour: for more, bands need more memory than there is. */
const MANY_PHASES: usize = 256;
/** Factor of the log δ for which the laws are truncated, where bands are inaccurate. */
const DEEPER: f64 = 1.3;
/** Contours of bands that give no upper end of ε are laid anew, at an ε where log δ is less by about this. */
const AWAY: f64 = 0.3;
/** Where ε is below FLOOR and ε·s below SMALLEST, −s the slope of log δ, an absolute width of ε is aimed at. */
const FLOOR: f64 = 1e-6;
const SMALLEST: f64 = 1e-4;
/** The width wanted of log δ(0) where δ under addition is bounded by a chord from ε = 0 (`AddingBound`). */
const NARROW: f64 = 1e-7;
/** A chord of δ from ε = 0 may end at this many times the ε asked for. */
const FURTHER: f64 = 64;

/**
 * logDelta, lowered by the rounding error that it has as the log of a double δ. That logarithm has an error of at most 2 roundings, and the product
 * computed here has another. Ensures: no more than the log δ of which `logDelta` is the rounding.
 */
function below(logDelta: f64): f64 {
  return logDelta * (1 + 4 * U);
}
/** logDelta rounded up by its own rounding error. Ensures: no less than the log δ of which `logDelta` is the rounding. */
function above(logDelta: f64): f64 {
  return logDelta * (1 - 4 * U);
}

/** Heuristic: the width of log δ that corresponds to a relative width of ε, where log δ has the slope −s. */
function widthOf(epsilon: f64, s: f64, tolerance: f64): f64 {
  return tolerance * Math.max(epsilon * s, Math.min(FLOOR * s, SMALLEST));
}

/**
 * Contours of bands that answer log δ(epsilon) for removing a record; null where the allowance is spent. Laws are truncated for ever smaller δ until
 * the truncation suits δ(epsilon). Ensures: log δ lies in the bracket, if `lower` is above −∞.
 */
export function bandsAt(phases: Phases, epsilon: f64, width: f64, isOnce: bool): Bands | null {
  const share = LN10 * levelFor(width) + TAKEN;
  const start = mark();
  let depth: f64 = -20;
  for (let round = 1; round <= 2 * ROUNDS && !isSpent(); round++) {
    release(start);
    const bands = Bands.of(phases, depth, share, isOnce);
    bands.near(epsilon);
    if (bands.value < depth - 1) {
      depth = bands.value > 3 * depth ? 1.02 * bands.value : 2.5 * depth;
      continue;
    }
    bands.openAt(epsilon, width);
    bands.answer(epsilon);
    const isNarrow = bands.upper - bands.lower <= width;
    if (!(bands.lower > -Infinity) || isNarrow || round === 2 * ROUNDS) return bands;
    // laws truncated further out allow larger tilts
    depth *= DEEPER;
  }
  return null;
}

/** One question about a run, and its answer so far: a bracket of ε or of log δ. */
class Question {
  lower: f64 = 0;
  upper: f64 = Infinity;
  isAnswered: bool = false;
  /** The contour of the last answer. */
  line: Contour | null = null;
  /** The bracket that `keep` stored, with which `join` intersects the next one. */
  private least: f64 = 0;
  private most: f64 = Infinity;
  private removing: Composed = new Composed();
  private adding: Composed = new Composed();
  /** Limit of the nodes of a contour of the whole run. */
  private longest: f64 = LONGEST;
  /** Whether a contour of the whole run needed more nodes than `longest`. */
  private isLong: bool = false;
  /**
   * The index of the first width of the truncation's edges that is tried. 0 splits the loss of balls-and-bins epochs into a Gaussian and an
   * independent residual.
   */
  private firstWidth: i32 = 0;

  constructor(readonly phases: Phases) {}

  /**
   * Heuristic: the first width of the truncation's edges; and how many widths are tried. Only one is tried while the loss of balls-and-bins epochs is
   * split into a Gaussian and a residual.
   */
  private widest(): f64 {
    return this.firstWidth === 0 ? WIDEST : WIDEST / 2;
  }
  private widths(): i32 {
    return this.phases.haveBins && this.firstWidth === 0 ? 1 : this.phases.widths;
  }

  /** Truncates the laws of both directions such that δ = e^{logDelta} changes by less than about 10^level of itself. */
  private truncate(logDelta: f64, level: f64, width: f64): void {
    const both = new Directions(this.phases, logDelta, level, width);
    this.removing = both.removing;
    this.adding = both.adding;
  }

  /** A contour of one direction through a saddle point, with a relative error of δ of about 10^level. */
  private lineOf(run: Composed, saddle: Saddle, level: f64): Contour {
    const layout = new Layout(run, saddle, level);
    layout.longest = this.longest;
    const line = new Contour(run, layout);
    this.isLong = this.isLong || line.isLong;
    return line;
  }

  /** A contour for removing a record; null where it is too long and contours of bands are to be tried first. */
  private lineOfRemoving(saddle: Saddle, level: f64): Contour | null {
    const line = this.lineOf(this.removing, saddle, level);
    const isPutOff = line.isLong && this.longest < LONGEST && this.phases.many <= MANY_PHASES;
    return isPutOff ? null : line;
  }

  /** Limit of the nodes of a contour of the whole run, before bands are tried. */
  private modest(): f64 {
    return this.phases.areSampled ? MODEST : MODEST_OF_MIXTURES;
  }

  /** Stores the present bracket for `join`. */
  private keep(): void {
    this.least = this.lower;
    this.most = this.upper;
    this.isAnswered = false;
  }
  /** Intersects the bracket with the one that `keep` stored, or takes that one where there is no new answer. Ensures: it holds if both do. */
  private join(): void {
    if (this.isAnswered) {
      this.lower = Math.max(this.lower, this.least);
      this.upper = Math.min(this.upper, this.most);
    } else {
      this.lower = this.least;
      this.upper = this.most;
    }
    this.isAnswered = true;
  }

  /**
   * Sets a bracket of the smallest ε ≥ 0 with δ(ε) ≤ e^{logDelta}, for the worse direction. It uses the closed form of one step, one contour of the
   * run, or contours of bands. Ensures: that ε lies in it if `isAnswered`.
   * @param tolerance The relative width aimed at.
   */
  epsilon(logDelta: f64, tolerance: f64): void {
    if (SingleStep.is(this.phases)) {
      const step = new SingleStep(this.phases);
      const near = step.near(logDelta);
      this.isAnswered = this.solve(step, near, step.slope(near), logDelta, tolerance);
      return;
    }
    if (!this.phases.areBanded) {
      this.bothWays(logDelta, tolerance, true);
      return;
    }
    const start = mark();
    if (Bands.areLoud(this.phases)) {
      this.byBands(logDelta, tolerance, true);
      if (this.isNarrow(tolerance)) return;
      release(start);
    }
    this.longest = this.modest();
    this.byOneLine(logDelta, tolerance);
    release(start);
    const isKnown = this.isAnswered;
    if (this.isNarrow(tolerance)) return;
    if (isKnown) this.keep();
    if (!isSpent()) this.byBands(logDelta, tolerance, false);
    if (isKnown) this.join();
    if (this.isAnswered || !this.isLong || isSpent()) return;
    release(start);
    this.longest = LONGEST;
    this.byOneLine(logDelta, tolerance);
  }

  /**
   * A bracket of ε or of log δ by one contour of the whole run. The loss of balls-and-bins epochs is first split into a Gaussian and an independent
   * residual. Where the bracket is not narrow enough, their loss is not split. Ensures: the bracket holds if `isAnswered`.
   */
  private bothWays(x: f64, width: f64, isOfEpsilon: bool): void {
    this.oneLineOf(x, width, isOfEpsilon);
    if (!this.phases.haveBins || isSpent()) return;
    const isKnown = this.isAnswered;
    if (isKnown && (isOfEpsilon ? this.isWithin(width) : this.upper - this.lower <= width)) return;
    if (isKnown) this.keep();
    this.firstWidth = 1;
    this.oneLineOf(x, width, isOfEpsilon);
    if (isKnown) this.join();
  }
  private oneLineOf(x: f64, width: f64, isOfEpsilon: bool): void {
    const start = mark();
    if (isOfEpsilon) this.byOneLine(x, width);
    else this.deltaByOneLine(x, width);
    release(start);
  }

  private isNarrow(tolerance: f64): bool {
    return this.isAnswered && this.isWithin(tolerance);
  }
  private isWithin(tolerance: f64): bool {
    return this.upper - this.lower <= tolerance * this.upper;
  }

  /**
   * A bracket of ε by contours of bands, the run split by its largest loss; `isOnce` for a split at one threshold. Contours are laid again at a
   * better ε until the bracket is narrow. Sets `isAnswered` if it holds for the worse direction. Ensures: then the worse direction's ε lies in the
   * bracket.
   */
  private byBands(logDelta: f64, tolerance: f64, isOnce: bool): void {
    const share = LN10 * (tolerance < 1e-7 ? FINEST : USUAL) + TAKEN;
    const start = mark();
    let bands = Bands.of(this.phases, logDelta, share, isOnce);
    bands.find(0, logDelta, 0);
    const near = bands.x;
    const width = widthOf(near, bands.s, tolerance);
    if (this.phases.many > FEW_PHASES) {
      // frees the memory that the search for `near` took
      release(start);
      bands = Bands.of(this.phases, logDelta, share, isOnce);
    }
    bands.openAt(near, width);
    let isFound = this.solve(bands, bands.x, bands.s, logDelta, tolerance);
    // a contour is inaccurate far from the ε it was laid for
    for (let i = 0; i < ROUNDS && !(isFound && this.isWithin(tolerance)); i++) {
      if (isSpent()) return;
      const x = this.upper < Infinity ? this.upper : bands.x + Math.max(0.1 * bands.x, AWAY / bands.s);
      bands.openAt(x, widthOf(x, bands.s, tolerance));
      isFound = this.solve(bands, bands.x, bands.s, logDelta, tolerance);
    }
    this.line = bands.largest;
    if (!isFound) return;
    this.isAnswered =
      this.upper === 0 ||
      this.isAddingLess(bands, this.lower, below(logDelta)) ||
      this.addingByOneLine(logDelta, tolerance);
  }

  /**
   * Whether log δ(x) under addition is certainly at most `most`, by the upper bound `AddingBound`, without contours of that direction. If not at
   * first, contours of the bands are laid anew, at ε = 0.
   */
  private isAddingLess(bands: Bands, x: f64, most: f64): bool {
    if (this.phases.areSymmetric) return true;
    // `AddingBound` needs inverse moments, for which mixtures have no closed-form bound
    if (!this.phases.areSampled) return false;
    const bound = new AddingBound(this.phases);
    if (bound.at(x) <= most) return true;
    if (!(x < bound.largest) || isSpent()) return false;
    bands.openAt(0, NARROW);
    bands.answer(0);
    bound.beginAt(bands.upper, FURTHER * x);
    return bound.at(x) <= most;
  }

  /** `worseAdding`, with the laws truncated anew. */
  private addingByOneLine(logDelta: f64, tolerance: f64): bool {
    this.truncate(logDelta, USUAL, WIDEST);
    return this.worseAdding(logDelta, USUAL, tolerance);
  }

  /**
   * A bracket of ε by one contour of the whole run, through the saddle point of logDelta. Where that fails, the truncation's edges get narrower, or
   * the relative error smaller. Sets `isAnswered` if it holds for the worse direction. Ensures: then the worse direction's ε lies in the bracket.
   */
  private byOneLine(logDelta: f64, tolerance: f64): void {
    const start = mark();
    let level = USUAL;
    for (let round = 0; round < ROUNDS; round++) {
      let width = this.widest();
      let finer = level;
      for (let k = this.firstWidth; k < this.widths() && finer === level; k++, width /= 2) {
        release(start);
        this.truncate(logDelta, level, width);
        const saddle = saddleFor(this.removing, logDelta);
        if (isSpent()) return;
        if (!saddle.isKnown() || (k < this.widths() - 1 && saddle.logDelta > logDelta + 1)) continue;
        const wanted = levelFor(0.5 * widthOf(saddle.epsilon, saddle.s, tolerance));
        if (wanted < level) {
          finer = wanted;
          break;
        }
        // δ(0), the total variation distance, is the same in both directions
        if (
          !(saddle.epsilonAt(logDelta) > 0) &&
          chernoffBound(this.removing, saddle.s, 0) <= below(logDelta)
        ) {
          this.upper = 0;
          this.isAnswered = true;
          return;
        }
        const line = this.lineOfRemoving(saddle, wanted);
        if (line === null) return;
        if (!line.isGood) continue;
        this.line = line;
        this.isAnswered = this.solve(line, saddle.epsilonAt(logDelta), saddle.s, logDelta, tolerance);
        if (this.isAnswered && this.upper > 0)
          this.isAnswered = this.worseAdding(logDelta, wanted, tolerance);
        return;
      }
      if (finer === level) return;
      level = finer;
    }
  }

  /**
   * Sets the bracket of ε for one direction by brackets of log δ, by the secant method from `near`. Ensures: log δ is above `above(logDelta)` at
   * `lower`, unless that is 0, and no more than `below(logDelta)` at `upper`. The slope of log δ at `near` is about −s. False if no certified end is
   * found in 30 steps.
   */
  private solve(line: Brackets, near: f64, s: f64, logDelta: f64, tolerance: f64): bool {
    this.upper = Infinity;
    const target = below(logDelta);
    const close = Math.max(1e-14, Math.min(1e-12, 1e-4 * tolerance));
    let x = Math.max(0, near);
    let slope = -s;
    let lastX: f64 = NaN;
    let last: f64 = NaN;
    line.answer(x);
    for (let i = 0; i < 30; i++) {
      const value = line.upper - target;
      if (!(Math.abs(value) < 1e300)) return false;
      if (x === 0 && value <= 0) break;
      const chord = (value - last) / (x - lastX);
      if (chord < 0 && x !== lastX) slope = chord;
      if (value <= 0 && value > slope * close * Math.max(x, 1e-300)) break;
      lastX = x;
      last = value;
      // a little beyond the root, so that the upper end is certified
      const next = Math.max(0, x - value / slope + 0.5 * close * x);
      if (next === x) break;
      x = next;
      line.answer(x);
    }
    if (!(line.upper <= target)) return false;
    this.upper = x;
    this.lower = 0;
    return x === 0 || this.solveBelow(line, x, slope, above(logDelta), close);
  }

  /**
   * Sets `lower` to an ε below x at which the lower end of log δ is above `target`; steps follow the slope. Returns false if there is none. Ensures:
   * log δ is above `target` at `lower`.
   */
  private solveBelow(line: Brackets, x: f64, slope: f64, target: f64, close: f64): bool {
    let away = Math.max((line.upper - line.lower) / -slope, close * x) * 1.0001;
    for (let i = 0; i < 60; i++) {
      const at = Math.max(0, x - away);
      line.answer(at);
      if (line.lower > target) {
        this.lower = at;
        return true;
      }
      if (at === 0 || !(line.lower > -Infinity)) return false;
      away += Math.max((target - line.lower) / -slope, 0) * 1.01 + close * x;
    }
    return false;
  }

  /**
   * Turns the bracket for removing a record into that of the worse direction, by Chernoff's bound or a contour for adding one. False if adding is not
   * bounded. Ensures: where true, the larger ε of both directions lies in the bracket.
   */
  private worseAdding(logDelta: f64, level: f64, tolerance: f64): bool {
    if (this.phases.areSymmetric) return true;
    const run = this.adding;
    const saddle = saddleFor(run, logDelta);
    if (!saddle.isKnown() || isSpent()) return false;
    const lower = this.lower;
    const upper = this.upper;
    if (chernoffBound(run, saddle.s, lower) <= below(logDelta)) return true;
    const line = this.lineOf(run, saddle, level);
    if (!line.isGood) return false;
    line.answer(lower);
    if (line.upper <= below(logDelta)) return true;
    if (!this.solve(line, saddle.epsilonAt(logDelta), saddle.s, logDelta, tolerance)) return false;
    this.lower = Math.max(lower, this.lower);
    this.upper = Math.max(upper, this.upper);
    return true;
  }

  /**
   * Sets a bracket of log δ(epsilon), of about this width, for the worse direction. It uses the closed form of one step, one contour of the run, or
   * contours of bands. Ensures: log δ lies in it if `isAnswered`.
   */
  delta(epsilon: f64, width: f64): void {
    if (SingleStep.is(this.phases)) {
      const step = new SingleStep(this.phases);
      step.answer(epsilon);
      this.lower = step.lower;
      this.upper = step.upper;
      this.isAnswered = true;
      return;
    }
    if (!this.phases.areBanded) {
      this.bothWays(epsilon, width, false);
      return;
    }
    const start = mark();
    if (Bands.areLoud(this.phases)) {
      this.deltaByBands(epsilon, width, true);
      if (this.isAnswered && this.upper - this.lower <= width) return;
      release(start);
    }
    this.longest = this.modest();
    this.deltaByOneLine(epsilon, width);
    release(start);
    const isKnown = this.isAnswered;
    if (isKnown && this.upper - this.lower <= width) return;
    if (isKnown) this.keep();
    if (!isSpent()) this.deltaByBands(epsilon, width, false);
    if (isKnown) this.join();
    if (this.isAnswered || !this.isLong || isSpent()) return;
    release(start);
    this.longest = LONGEST;
    this.deltaByOneLine(epsilon, width);
  }

  /**
   * A bracket of log δ(epsilon) by contours of bands (`bandsAt`). Sets `isAnswered` if it holds for the worse direction. Ensures: then log δ lies in it.
   */
  private deltaByBands(epsilon: f64, width: f64, isOnce: bool): void {
    const bands = bandsAt(this.phases, epsilon, width, isOnce);
    if (bands === null) return;
    this.lower = bands.lower;
    this.upper = bands.upper;
    this.line = bands.largest;
    if (!(this.lower > -Infinity)) return;
    this.isAnswered = epsilon === 0 || this.isAddingLess(bands, epsilon, this.lower);
    if (this.isAnswered || isSpent()) return;
    const level = levelFor(width);
    this.truncate(this.lower, level, WIDEST);
    this.isAnswered = this.deltaAdding(epsilon, level);
  }

  /**
   * A bracket of log δ(epsilon) by one contour of the whole run, the laws truncated for ever smaller δ until the truncation suits δ(epsilon). Sets
   * `isAnswered` if it holds for the worse direction. Ensures: then log δ lies in it.
   */
  private deltaByOneLine(epsilon: f64, width: f64): void {
    const start = mark();
    const level = levelFor(width);
    // the first truncation uses a guess of log δ; its contour then shows the size of δ
    let depth: f64 = -20;
    for (let round = 0; round < ROUNDS; round++, depth *= 2.5) {
      let wide = this.widest();
      for (let k = this.firstWidth; k < this.widths(); k++, wide /= 2) {
        release(start);
        this.truncate(depth, level, wide);
        const saddle = saddleAt(this.removing, epsilon);
        if (isSpent()) return;
        if (!saddle.isKnown()) continue;
        if (saddle.logDelta < depth - 1) break;
        const line = this.lineOfRemoving(saddle, level);
        if (line === null) return;
        if (!line.isGood) continue;
        this.line = line;
        line.answer(epsilon);
        this.lower = line.lower;
        this.upper = line.upper;
        // the truncation was meant for a larger δ
        if (this.lower < depth - 1 && round + 1 < ROUNDS) break;
        // δ(0), the total variation distance, is the same in both directions
        this.isAnswered = epsilon === 0 || this.deltaAdding(epsilon, level);
        return;
      }
    }
  }

  /**
   * Turns the bracket of log δ(epsilon) for removing a record into that of the worse direction, unless Chernoff's bound for adding one is below
   * `lower`. False if δ under addition is not bounded. Ensures: where true, the bracket holds for the worse direction.
   */
  private deltaAdding(epsilon: f64, level: f64): bool {
    if (this.phases.areSymmetric) return true;
    const run = this.adding;
    const saddle = saddleAt(run, epsilon);
    if (!saddle.isKnown() || isSpent()) return false;
    // if epsilon is above the largest loss there is no optimal tilt, and M is known at smaller tilts only
    let s = saddle.s;
    for (let i = 0; i < 6; i++, s /= 6) {
      const bound = chernoffBound(run, s, epsilon);
      if (bound <= this.lower) return true;
      if (bound < Infinity) break;
    }
    const line = this.lineOf(run, saddle, level);
    if (!line.isGood) return false;
    line.answer(epsilon);
    this.lower = Math.max(this.lower, line.lower);
    this.upper = Math.max(this.upper, line.upper);
    return true;
  }
}

/**
 * Writes eight numbers to `out`: both ends of the bracket; units of work; rounding, quadrature, truncation and aliasing error of the last contour,
 * relative to its δ; and its number of nodes. Returns how the question ended (`endOf`).
 */
function told(question: Question, out: usize): f64 {
  storeF64(out, question.lower);
  storeF64(out, question.upper, 8);
  storeF64(out, workCharged(question.isAnswered), 16);
  for (let i: usize = 24; i < 64; i += 8) storeF64(out + i, 0);
  const line = question.line;
  if (line !== null) {
    storeF64(out, line.errors.rounding, 24);
    storeF64(out, line.errors.quadrature, 32);
    storeF64(out, line.errors.truncation, 40);
    storeF64(out, line.aliasing, 48);
    storeF64(out, line.nodes(), 56);
  }
  return endOf(question.isAnswered);
}

/**
 * Answers one question about the open run, for the worse direction. If isDelta, it brackets log δ(ε) at ε = at ≥ 0, to about the given width. Else it
 * brackets the smallest ε ≥ 0 with δ(ε) ≤ e^at, to about the given relative width. Eight numbers go to `out` (`told`). There is no answer where an
 * argument or the run is invalid. Ensures: the value lies in the bracket where 0 is returned.
 * @param allowance Units of work that it may cost.
 * @returns 0 where the bracket holds, 1 where there is none, 2 where the allowance is spent.
 */
export function runBracket(isDelta: bool, at: f64, width: f64, allowance: f64, out: usize): f64 {
  const question = new Question(askAlone(allowance).phases);
  const isValid = isDelta ? at >= 0 && at < Infinity : at < 0 && at > -Infinity;
  if (question.phases.isRun() && isValid && width > 0) {
    if (isDelta) question.delta(at, width);
    else question.epsilon(at, width);
  }
  return told(question, out);
}
