/**
 * One call answers one question about a run of Poisson-subsampled Gaussian steps in phases, with an unsampled Gaussian, under addition or removal of
 * a record.
 *
 * The plan of a question: truncate the laws; find the saddle point; lay out one contour; answer by it; see whether the other direction needs more.
 */
import { U } from '../../src/kernel/constants.js';
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

const LN10: f64 = 2.302585092994046;
/** log₁₀ of the relative error of the contour that is tried first. */
const USUAL: f64 = -10;
const FINEST: f64 = -14;
const ROUNDS = 3;
/** Nodes of a contour of the whole run at most, before bands are tried. */
const MODEST: f64 = 24576;
/** As `MODEST`, for mixtures, whose contours cost more. */
const MODEST_OF_MIXTURES: f64 = 2048;
/** Nodes of a contour of the whole run at most, after bands. */
const LONGEST: f64 = 65536;
/** Phases up to which bands are tried where a contour of the whole run is long. For more, bands need more memory than there is. */
const MANY_PHASES: usize = 256;
/** Factor by which the truncation is deepened where bands are inaccurate. */
const DEEPER: f64 = 1.3;
/** Where a contour gives no bracket, the next is tried this far on, in log δ. */
const AWAY: f64 = 0.3;
/** Least ε, and least ε·slope, at which a relative width is aimed at; below, an absolute one. */
const FLOOR: f64 = 1e-6;
const SMALLEST: f64 = 1e-4;
/** The width wanted of log δ(0) where a chord of δ begins at ε = 0. */
const NARROW: f64 = 1e-7;
/** A chord from ε = 0 may end at this many times the ε asked for. */
const FURTHER: f64 = 64;

/**
 * Ensures: no more than log δ, where `logDelta` is its rounding. log errs by at most one unit in the last place, 2U of itself; this product by
 * another U.
 */
function below(logDelta: f64): f64 {
  return logDelta * (1 + 4 * U);
}
/** logDelta rounded up by its own rounding error. Ensures: no less than the log δ of which `logDelta` is the rounding. */
function above(logDelta: f64): f64 {
  return logDelta * (1 - 4 * U);
}

/** The width of log δ that corresponds to a relative width of ε, at a slope s: a plan. ε below FLOOR counts as FLOOR. */
function widthOf(epsilon: f64, s: f64, tolerance: f64): f64 {
  return tolerance * Math.max(epsilon * s, Math.min(FLOOR * s, SMALLEST));
}

class Question {
  lower: f64 = 0;
  upper: f64 = Infinity;
  isAnswered: bool = false;
  /** The contour of the last answer. */
  line: Contour | null = null;
  /** A bracket found before, with which results are intersected. */
  private least: f64 = 0;
  private most: f64 = Infinity;
  private removing: Composed = new Composed();
  private adding: Composed = new Composed();
  /** Nodes of a contour of the whole run at most. */
  private longest: f64 = LONGEST;
  /** Whether a contour of the whole run needed more nodes than these. */
  private isLong: bool = false;
  /** The first of the widths of windows that are tried. */
  private firstWidth: i32 = 0;

  constructor(readonly phases: Phases) {}

  /** Heuristic: the first width of windows, and how many are tried; of epochs as a Gaussian and a rest one alone. */
  private widest(): f64 {
    return this.firstWidth === 0 ? WIDEST : WIDEST / 2;
  }
  private widths(): i32 {
    return this.phases.haveBins && this.firstWidth === 0 ? 1 : this.phases.widths;
  }

  /** Truncates both directions such that δ = e^{logDelta} changes by less than 10^level of itself. */
  private truncate(logDelta: f64, level: f64, width: f64): void {
    const both = new Directions(this.phases, logDelta, level, width);
    this.removing = both.removing;
    this.adding = both.adding;
  }

  private lineOf(run: Composed, saddle: Saddle, level: f64): Contour {
    const layout = new Layout(run, saddle, level);
    layout.longest = this.longest;
    const line = new Contour(run, layout);
    this.isLong = this.isLong || line.isLong;
    return line;
  }

  /** A contour of removal of a record; null where bands are to be tried before. */
  private lineOfRemoving(saddle: Saddle, level: f64): Contour | null {
    const line = this.lineOf(this.removing, saddle, level);
    const isPutOff = line.isLong && this.longest < LONGEST && this.phases.many <= MANY_PHASES;
    return isPutOff ? null : line;
  }

  /** Nodes of a contour of the whole run at most, before bands are tried. */
  private modest(): f64 {
    return this.phases.areSampled ? MODEST : MODEST_OF_MIXTURES;
  }

  /** Stores the current bracket: what is found from now on is intersected with it. */
  private keep(): void {
    this.least = this.lower;
    this.most = this.upper;
    this.isAnswered = false;
  }
  /** Intersects the bracket with the one kept before, or takes that one where there is no new answer. Ensures: it holds if both do. */
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
   * Sets a bracket of the smallest ε ≥ 0 with δ(ε) ≤ e^{logDelta}.
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

  /** By one contour of the whole run, of ε or of δ. Epochs of balls and bins are a Gaussian and a rest there, then whole where that is not narrow. */
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
   * A bracket of ε by the contours of bands: the run split by its largest loss. `isOnce` for a split at one threshold. Sets `isAnswered` if it holds
   * for the worse direction. Ensures: then the worse direction's ε lies in the bracket.
   */
  private byBands(logDelta: f64, tolerance: f64, isOnce: bool): void {
    const share = LN10 * (tolerance < 1e-7 ? FINEST : USUAL) + TAKEN;
    const start = mark();
    let bands = Bands.of(this.phases, logDelta, share, isOnce);
    bands.find(0, logDelta, 0);
    const near = bands.x;
    const width = widthOf(near, bands.s, tolerance);
    if (this.phases.many > FEW_PHASES) {
      // frees the memory of the search
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

  /** Whether log δ(x) under addition is at most `most`, shown without contours of that direction. If so, the bands are those of ε = 0. */
  private isAddingLess(bands: Bands, x: f64, most: f64): bool {
    if (this.phases.areSymmetric) return true;
    // nothing is known of the inverse moments of mixtures
    if (!this.phases.areSampled) return false;
    const bound = new AddingBound(this.phases);
    if (bound.at(x) <= most) return true;
    if (!(x < bound.largest) || isSpent()) return false;
    bands.openAt(0, NARROW);
    bands.answer(0);
    bound.beginAt(bands.upper, FURTHER * x);
    return bound.at(x) <= most;
  }

  private addingByOneLine(logDelta: f64, tolerance: f64): bool {
    this.truncate(logDelta, USUAL, WIDEST);
    return this.worseAdding(logDelta, USUAL, tolerance);
  }

  /**
   * A bracket of ε by one contour of the whole run, through the saddle point of logDelta. Where that fails, windows get narrower, or the level
   * finer. Sets `isAnswered` if it holds for the worse direction. Ensures: then the worse direction's ε lies in the bracket.
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
   * Sets the bracket of ε by a contour's brackets of log δ. Ensures: log δ of its direction is above `above(logDelta)` at `lower`, unless that is 0,
   * and no more than `below(logDelta)` at `upper`.
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
   * Sets `lower` to an ε below x at which the lower bound of log δ is above `target`. Steps follow the slope. Returns false if there is none.
   * Ensures: log δ is above `target` at `lower`.
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
   * Accounts for addition of a record: the bracket becomes that of the worse direction. False if it is not known. Ensures: where true, the larger ε
   * of both directions lies in the bracket.
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
   * Sets a bracket of log δ(epsilon), of about this width, for the worse direction. By the closed form of one step, else by bands or one contour.
   * Ensures: log δ lies in it if `isAnswered`.
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
   * A bracket of log δ(epsilon) by the contours of bands, with truncations for ever smaller δ until they suit. Sets `isAnswered` if it holds for the
   * worse direction. Ensures: then log δ lies in it.
   */
  private deltaByBands(epsilon: f64, width: f64, isOnce: bool): void {
    const level = levelFor(width);
    const start = mark();
    let depth: f64 = -20;
    for (let round = 0; round < 2 * ROUNDS && !isSpent(); round++) {
      release(start);
      const bands = Bands.of(this.phases, depth, LN10 * level + TAKEN, isOnce);
      bands.near(epsilon);
      if (bands.value < depth - 1) {
        depth = bands.value > 3 * depth ? 1.02 * bands.value : 2.5 * depth;
        continue;
      }
      bands.openAt(epsilon, width);
      bands.answer(epsilon);
      this.lower = bands.lower;
      this.upper = bands.upper;
      this.line = bands.largest;
      if (!(this.lower > -Infinity)) return;
      if (!(this.upper - this.lower <= width) && round + 1 < 2 * ROUNDS) {
        // windows that end further out allow larger tilts
        depth *= DEEPER;
        continue;
      }
      this.isAnswered = epsilon === 0 || this.isAddingLess(bands, epsilon, this.lower);
      if (this.isAnswered || isSpent()) return;
      this.truncate(this.lower, level, WIDEST);
      this.isAnswered = this.deltaAdding(epsilon, level);
      return;
    }
  }

  /**
   * A bracket of log δ(epsilon) by one contour of the whole run. Sets `isAnswered` if it holds for the worse direction. Ensures: then log δ lies in
   * it.
   */
  private deltaByOneLine(epsilon: f64, width: f64): void {
    const start = mark();
    const level = levelFor(width);
    // a first truncation by a guess shows the size of δ
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
   * Raises the bracket of log δ(epsilon) to that under addition, by a contour, unless Chernoff's bound there is below `lower`. False if δ under
   * addition is not bounded. Ensures: where true, the bracket holds for the worse direction.
   */
  private deltaAdding(epsilon: f64, level: f64): bool {
    if (this.phases.areSymmetric) return true;
    const run = this.adding;
    const saddle = saddleAt(run, epsilon);
    if (!saddle.isKnown() || isSpent()) return false;
    // beyond the largest loss there is no optimal tilt, and M is known at smaller tilts only
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
 * Writes eight numbers: both ends; units of work; rounding, quadrature, truncation and aliasing error of the last contour, relative to its answer;
 * and 0. Returns how the question ended.
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
  }
  return endOf(question.isAnswered);
}

/**
 * The smallest ε ≥ 0 with δ(ε) ≤ e^{logDelta} of the open run, for the worse direction, in a bracket of about this relative width. Eight numbers to
 * `out` (`told`). Without answer where an argument or the run is invalid.
 * @param allowance Units of work that it may cost.
 * @returns 0 where the bracket holds, 1 where there is none, 2 where the allowance is spent.
 */
export function runEpsilon(logDelta: f64, tolerance: f64, allowance: f64, out: usize): f64 {
  const question = new Question(askAlone(allowance).phases);
  if (question.phases.isRun() && logDelta < 0 && logDelta > -Infinity && tolerance > 0)
    question.epsilon(logDelta, tolerance);
  return told(question, out);
}

/** `runEpsilon` for log δ(epsilon), epsilon ≥ 0, in a bracket of about this width. */
export function runDelta(epsilon: f64, width: f64, allowance: f64, out: usize): f64 {
  const question = new Question(askAlone(allowance).phases);
  if (question.phases.isRun() && epsilon >= 0 && epsilon < Infinity && width > 0)
    question.delta(epsilon, width);
  return told(question, out);
}
