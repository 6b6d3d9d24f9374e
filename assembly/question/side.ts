/**
 * One call answers one question about a run in one direction, removing or adding a record. It is about δ(x), or about the rates of the test that
 * rejects where the loss exceeds x. Answers leave out the masses at losses ±∞. Unlike the questions of run.ts, the worse direction is not sought.
 */
import { LN10 } from '../../src/kernel/constants.js';
import { Bands } from '../bound/bands.js';
import { chernoffBound } from '../law/chernoff.js';
import { Contour, storedContour } from '../bound/contour.js';
import { Directions, Phases, untruncated, WIDEST } from '../law/directions.js';
import { Composed } from '../law/law.js';
import { logOf, normalQuantileLogOf } from '../functions/scalar.js';
import { storeF64 } from '../lane/memory.js';
import {
  countCumulant,
  isSpent,
  mark,
  release,
  roomLeft,
  take,
  workCharged,
  workDone,
} from '../lane/room.js';
import { Layout, levelFor } from '../plan/layout.js';
import { Place, Saddle, saddleAt, saddleFor, saddleForRate, saddleOnEitherSide } from '../plan/saddle.js';
import { DELTA, FALSE_POSITIVE, POWER } from '../sums/functionals.js';
import { askAlone, beginWhereCrowded, endOf } from './opened.js';
import { bandsAt } from './run.js';

/** The log δ for which laws are truncated first, and the greatest number of truncations. */
const FIRST: f64 = -20;
const ROUNDS = 12;
/** A truncation is deep enough if the mass that it removes is at most e^SHARE times the tolerated error. */
const SHARE: f64 = -1;
/** Least factor of the log δ for which laws are truncated next, and the factor where a contour shows that δ is less than expected. */
const DEEPER: f64 = 1.25;
const MUCH_DEEPER: f64 = 2;
/** log₁₀ of the coarsest relative error of contours, and that of truncations for guesses. */
const COARSE: f64 = -4;
/**
 * SHORTER is how many shorter contours are tried where M(z) is not known up to the last nodes. Each has SHORTENED times the nodes of the one before.
 */
const SHORTER = 6;
const SHORTENED: f64 = 0.9;
/** −log of the relative accuracy of integrals for moments, before it is raised for many steps and large tilts. */
const DIGITS: f64 = 42;
/** Limit of the number of nodes. */
const LONGEST: f64 = 131072;
/**
 * Upper bound of the doubles of memory that a contour takes per node, if it has a thousand nodes or more. Its weights with their stored copy take no
 * more.
 */
const NUMBERS_OF_NODE: f64 = 22;
/** Memory of the objects of a stored contour, counted in cumulants. */
const OBJECTS = 6;
/** Bands are asked where Chernoff's bound of log δ is above this, as they cost much. Only speed and width depend on it. */
const FAINTEST: f64 = -75;
/** Below this log δ, by Chernoff's bound, no contour is laid that serves many losses: near the largest loss each has its own. Only speed depends on it. */
const SHARED: f64 = -200;
/** No contour is laid where log δ is below this. Only width and speed depend on it. */
const OUT_OF_REACH: f64 = -1e7;
/** See `widthOfRates`. */
const SMALL: f64 = 0.1;
const LEAST_WIDTH: f64 = 1e-8;
/** Above this log δ the ε with that δ is approximated by a normal loss. */
const NEAR_ONE: f64 = -0.5;

/** A question about one direction of a run. */
class SideQuestion {
  /** The contour that answers; null for none. */
  line: Contour | null = null;
  /** The bracket of log δ at the middle of the losses that a contour serves. Chernoff's bound lowers the upper end, even without a contour. */
  lower: f64 = -Infinity;
  upper: f64 = 0;
  private depth: f64 = FIRST;
  /** The losses that a contour serves, and the width wanted. */
  private from: f64 = 0;
  private to: f64 = 0;
  private width: f64 = 1;

  /**
   * @param areRates Whether the rates of a test are asked for, instead of δ.
   * @param floor A log δ below which no contour is wanted.
   */
  constructor(
    readonly phases: Phases,
    private isAdding: bool,
    private areRates: bool,
    private floor: f64 = -Infinity,
  ) {}

  /** Truncates the laws such that δ = e^{depth} changes by less than about 10^level of itself. */
  private truncate(depth: f64, level: f64, edge: f64): Composed {
    const both = new Directions(this.phases, depth, level, edge);
    return this.isAdding ? both.adding : both.removing;
  }

  /**
   * Heuristic: whether the truncation is deep enough for the saddle point's δ, or 1 − δ, and for the false positive rate. If not, `depth` is set for
   * the next one.
   */
  private isDeep(run: Composed, saddle: Saddle, level: f64): bool {
    const share = LN10 * level + SHARE;
    const rate = saddle.logRate();
    const isDeep =
      run.logLostQ <= saddle.logDelta + share && (!this.areRates || run.logLostP <= rate + share);
    const least = this.areRates ? Math.min(saddle.logDelta, rate) : saddle.logDelta;
    if (!isDeep) this.depth = Math.min(DEEPER * this.depth, Math.max(least, 4 * this.depth));
    return isDeep;
  }

  /**
   * Lays the contour that answers from `from` to `to`, through the saddle point of the middle x. It lies on the side of the pole at 1 where the
   * integral is smaller: δ on the right, 1 − δ on the left. Laws are truncated for ever smaller δ until the truncation is deep enough. `line` is null
   * where there is none, or where Chernoff's bound is at most `floor`. Heuristic: brackets hold for any contour.
   * @param width The width wanted of the logs that are asked for.
   * @param skip How many widths of the truncation's edges are left out.
   */
  lay(from: f64, to: f64, width: f64, skip: i32): void {
    const start = mark();
    this.line = null;
    this.from = from;
    this.to = to;
    this.width = width;
    const x = 0.5 * (from + to);
    if (!(isValid(this.phases) && from >= 0 && x < Infinity && width > 0)) return;
    const level = levelFor(this.areRates ? this.widthOfRates(width) : width);
    release(start);
    for (let round = 1; round <= ROUNDS; round++) {
      const depth = this.depth;
      let edge = WIDEST;
      for (let k = 0; k < this.phases.widths && this.depth === depth; k++, edge /= 2) {
        if (k < skip) continue;
        release(start);
        const run = this.truncate(depth, level, edge);
        const saddle = saddleOnEitherSide(run, x);
        if (isSpent()) return;
        if (!saddle.isKnown() || (!this.isDeep(run, saddle, level) && round < ROUNDS)) continue;
        if (saddle.s > 0) this.upper = Math.min(this.upper, chernoffBound(run, saddle.s, x));
        if (this.upper <= Math.max(this.floor, OUT_OF_REACH)) return;
        const line = this.lineOf(run, saddle, level);
        if (!line.isGood) continue;
        if (round < ROUNDS && !this.isDeepFor(line, run)) continue;
        // no memory of the line is released any more
        this.line = line;
        return;
      }
      if (this.depth === depth) return;
    }
  }

  /**
   * Heuristic: whether the truncation is deep enough for δ at the middle x of a contour. Where rare large losses dominate, the saddle-point approximation
   * is too large, and the contour shows it. If not, `depth` is set for the next truncation.
   */
  private isDeepFor(line: Contour, run: Composed): bool {
    if (run.logLostQ === -Infinity) return true;
    line.answer(0.5 * (this.from + this.to));
    if (line.upper - line.lower <= this.width || run.logLostQ <= line.lower + SHARE) return true;
    this.depth *= MUCH_DEEPER;
    return false;
  }

  /**
   * A contour that serves `from` to `to`, with a relative error of about 10^level. The error may grow to a hundredth of the width wanted. That is
   * where the contour would be too long, or M(z) is unknown at its last nodes.
   */
  private lineOf(run: Composed, saddle: Saddle, level: f64): Contour {
    const coarsest = Math.max(level, Math.min(COARSE, logOf(this.width) / LN10 - 2));
    let line = this.lineWithin(run, saddle, level, coarsest, Math.min(LONGEST, roomLeft() / NUMBERS_OF_NODE));
    for (let i = 0; i < SHORTER && !(line.isGood || line.isLong || isSpent()); i++) {
      level = Math.min(coarsest, level + 1);
      line = this.lineWithin(run, saddle, level, coarsest, SHORTENED * line.nodes());
    }
    return line;
  }
  private lineWithin(run: Composed, saddle: Saddle, level: f64, coarsest: f64, longest: f64): Contour {
    const from = this.placeAt(this.from, saddle);
    const to = this.placeAt(this.to, saddle);
    const layout = new Layout(run, saddle, level, from, to, this.areRates);
    layout.longest = longest;
    layout.logLoosest = LN10 * coarsest;
    return new Contour(run, layout, this.areRates ? 1 : 2);
  }

  /**
   * Heuristic: log δ at x, or the log of the smaller rate of the test, which is about |s| times δ. Near the saddle point, log δ is approximated by a
   * parabola.
   */
  private placeAt(x: f64, saddle: Saddle): Place {
    const share = this.areRates ? Math.min(0, logOf(Math.abs(saddle.s))) : 0;
    const away = (x - saddle.epsilon) / saddle.scale;
    const fall = saddle.s * (x - saddle.epsilon) + 0.5 * away * away;
    return new Place(x, saddle.logDelta + share - fall);
  }

  /**
   * Heuristic: the width wanted of logs of rates. δ is about 1/s of the power, s about the threshold in units of the loss's variance. So the width is
   * multiplied by SMALL times the standard deviation of the loss, if that product is below 1. This does not make the width less than LEAST_WIDTH.
   */
  private widthOfRates(width: f64): f64 {
    const variance = this.truncate(FIRST, COARSE, WIDEST).approximate(1).variance;
    const share = Math.min(1, SMALL * Math.sqrt(variance));
    return share < 1 ? Math.min(width, Math.max(LEAST_WIDTH, width * share)) : width;
  }

  /** Joins the bracket with that of log δ(x) by a contour. Its error bounds go to `out`. Ensures: log δ lies in the bracket. */
  deltaByLine(x: f64, width: f64, skip: i32, out: usize): void {
    this.lay(x, x, width, skip);
    const line = this.line;
    if (line === null) return;
    line.answer(x);
    this.lower = Math.max(this.lower, line.lower);
    this.upper = Math.min(this.upper, line.upper);
    storeF64(out, line.errors.rounding, 24);
    storeF64(out, line.errors.quadrature, 32);
    storeF64(out, line.errors.truncation, 40);
    storeF64(out, line.aliasing, 48);
    storeF64(out, line.nodes(), 56);
  }
  /** Joins the bracket with that of log δ(x) by contours of bands. Ensures: log δ lies in the bracket. */
  deltaByBands(x: f64, width: f64): void {
    const bands = bandsAt(this.phases, x, width, Bands.areLoud(this.phases));
    if (bands === null || !(bands.lower > -Infinity)) return;
    this.lower = Math.max(this.lower, bands.lower);
    this.upper = Math.min(this.upper, bands.upper);
  }
  /** Heuristic: whether a narrower bracket is wanted, and work is left. */
  isOpen(width: f64): bool {
    const isEnough = this.upper <= Math.max(this.floor, FAINTEST) || this.upper - this.lower <= width;
    return !isEnough && !isSpent();
  }

  /** Whether laws may be split in another way, so that a second contour may be more accurate: those of balls-and-bins epochs. */
  mayRetry(): bool {
    return this.phases.haveBins && !isSpent();
  }

  /**
   * Heuristic: an ε with about log δ(ε) = target, or, if `areRates`, a threshold with about that log false positive rate. It comes from a saddle
   * point; where δ is near 1, from a normal loss. It goes to `out`, and behind it the variance of the loss under Q.
   */
  guess(target: f64, out: usize): void {
    const run = this.truncate(Math.min(FIRST, target), COARSE, WIDEST);
    const at = run.approximate(1);
    const variance = at.variance;
    storeF64(out, at.mean - Math.sqrt(variance) * normalQuantileLogOf(target));
    storeF64(out, variance, 8);
    if (target > NEAR_ONE && !this.areRates) return;
    const saddle = this.areRates ? saddleForRate(run, saddleAt(run, 0), target) : saddleFor(run, target);
    // d log FPR/dε ≈ −(1 + s)
    const ofRate = saddle.epsilon + (saddle.logRate() - target) / (1 + saddle.s);
    if (saddle.isKnown()) storeF64(out, this.areRates ? ofRate : saddle.epsilonAt(target));
  }
}

/** Whether the open run's numbers are valid; a run may be of an unsampled Gaussian alone. */
function isValid(phases: Phases): bool {
  return phases.many > 0 ? phases.isRun() : phases.square > 0 && phases.square < Infinity;
}

/** Begins a question about the open run in one direction. */
function ask(isAdding: f64, areRates: bool, floor: f64, allowance: f64): SideQuestion {
  return new SideQuestion(askAlone(allowance).phases, isAdding !== 0, areRates, floor);
}

/**
 * log δ(x), x ≥ 0, of the open run's finite losses in one direction, in a bracket of about this width. Both ends and the units of work go to `out`,
 * then rounding, quadrature, truncation and aliasing error of the contour, and its number of nodes. Without a contour the upper end is Chernoff's
 * bound. Where that bound is at most `floor`, no contour is laid. Ensures: log δ(x) lies in the bracket.
 * @param isAdding 0 for removing a record, 1 for adding one.
 * @returns 0 where a contour answers or none is needed, 1 where there is none, 2 where the allowance is spent.
 */
export function sideDelta(isAdding: f64, x: f64, width: f64, floor: f64, allowance: f64, out: usize): f64 {
  const question = ask(isAdding, false, floor, allowance);
  for (let i: usize = 24; i < 64; i += 8) storeF64(out + i, 0);
  const start = mark();
  question.deltaByLine(x, width, 0, out);
  if (question.mayRetry() && question.isOpen(width)) question.deltaByLine(x, width, 1, out);
  const phases = question.phases;
  if (isAdding === 0 && phases.areBanded && phases.many > 0 && question.isOpen(width)) {
    release(start);
    question.deltaByBands(x, width);
  }
  const isAnswered = question.lower > -Infinity || question.upper <= floor;
  storeF64(out, question.lower);
  storeF64(out, question.upper, 8);
  storeF64(out, workCharged(isAnswered), 16);
  return endOf(isAnswered);
}

/**
 * Lays a contour of the open run in one direction that serves all losses x from `from` to `to`. Its brackets are of about this width, of log δ, or of
 * the logs of a test's rates unless areRates is 0. It is stored as numbers, which `lineAnswer` reads (`Contour.store`). Their address and how many they
 * are go to `out`, then the units of work. The address is valid until the next question.
 * @returns 0 where there is a contour, 1 where there is none, 2 where the allowance is spent.
 */
export function sideLine(
  isAdding: f64,
  from: f64,
  to: f64,
  width: f64,
  areRates: f64,
  allowance: f64,
  out: usize,
): f64 {
  const question = ask(isAdding, areRates !== 0, areRates !== 0 ? -Infinity : SHARED, allowance);
  question.lay(from, to, width, 0);
  if (question.line === null && question.mayRetry()) question.lay(from, to, width, 1);
  const line = question.line;
  let length: usize = 0;
  if (line !== null) {
    length = line.length();
    const at = take(length);
    line.store(at);
    storeF64(out, <f64>at);
  }
  storeF64(out, <f64>length, 8);
  storeF64(out, workCharged(length > 0), 16);
  return endOf(length > 0);
}

/**
 * Brackets of logarithms over the finite losses, by the stored contour at `line`. If offset is negative, they are of log δ(x). Else they are of the
 * log power at the threshold x + offset, and of the log false positive rate at x − offset. Ends of δ go to `out`, then of power and rate. Rounding,
 * quadrature, truncation and aliasing error of δ and the number of nodes follow. Nothing is written unless the contour was laid for what is asked.
 * Ensures: each logarithm lies in its bracket.
 */
export function lineAnswer(line: usize, x: f64, offset: f64, out: usize): f64 {
  beginWhereCrowded();
  for (let i = 0; i < OBJECTS; i++) countCumulant();
  const contour = storedContour(line);
  if (contour.isOfRates() !== offset >= 0) return 1;
  if (offset >= 0) {
    contour.answerOf(FALSE_POSITIVE, x - offset);
    storeF64(out, contour.lower, 32);
    storeF64(out, contour.upper, 40);
    contour.answerOf(POWER, x + offset);
    storeF64(out, contour.lower, 16);
    storeF64(out, contour.upper, 24);
    return 0;
  }
  contour.answerOf(DELTA, x);
  storeF64(out, contour.lower);
  storeF64(out, contour.upper, 8);
  storeF64(out, contour.errors.rounding, 48);
  storeF64(out, contour.errors.quadrature, 56);
  storeF64(out, contour.errors.truncation, 64);
  storeF64(out, contour.aliasing, 72);
  storeF64(out, contour.nodes(), 80);
  return 0;
}

/**
 * Heuristic: an ε with about log δ(ε) = target, or, unless areRates is 0, a threshold with about that log false positive rate. It goes to `out`, then
 * the variance of the loss under Q, and the units of work. They enter no bound.
 */
export function sideGuess(isAdding: f64, target: f64, areRates: f64, allowance: f64, out: usize): f64 {
  ask(isAdding, areRates !== 0, -Infinity, allowance).guess(target, out);
  storeF64(out, workDone(), 16);
  return 0;
}

/**
 * An upper bound of log M(c) of the open run's phases at a real tilt c. M(z) = E_P[e^{zL}] is the moment generating function of the loss under removal.
 * It goes to `out`, ∞ where none is known, then the units of work. Ensures: no less than log M(c).
 */
export function runMoment(c: f64, allowance: f64, out: usize): f64 {
  const phases = askAlone(allowance).phases;
  const depth = DIGITS + logOf(phases.steps()) + logOf(2 + Math.abs(c));
  const found = untruncated(phases, depth).cumulant(c);
  storeF64(out, found.isKnown() && !isSpent() ? found.most() : Infinity);
  storeF64(out, workDone(), 8);
  return 0;
}
