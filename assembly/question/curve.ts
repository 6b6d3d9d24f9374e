/**
 * Brackets of δ of a run at many ε ≥ 0, for the worse direction. A rung is an interval of ε that one contour in each direction serves. Rungs follow
 * each other from ε = 0 up, and one is laid when it is first needed. So the answer for an ε depends on the run and that ε alone.
 */
import { LN10 } from '../../src/kernel/constants.js';
import { AddingBound } from '../bound/adding.js';
import { Bands, FEW_PHASES } from '../bound/bands.js';
import { chernoffBound } from '../law/chernoff.js';
import { Brackets } from '../bound/brackets.js';
import { Contour } from '../bound/contour.js';
import { SingleStep } from '../bound/single.js';
import { Directions, Phases, TAKEN, WIDEST } from '../law/directions.js';
import { Composed } from '../law/law.js';
import { Layout } from '../plan/layout.js';
import {
  areApart,
  Place,
  Saddle,
  saddleAt,
  saddleBetween,
  saddleFor,
  saddleForRate,
} from '../plan/saddle.js';
import {
  cumulantsMade,
  isOverdrawn,
  isSpent,
  mark,
  release,
  spend,
  spendAgain,
  workDone,
  workLeft,
} from '../lane/room.js';

/** The k-th rung (an interval of ε with a contour of its own) ends where the log of the false positive rate is about RATE·k². */
const RATE: f64 = -25.5;
/**
 * An interval of ε whose contour is too long or inaccurate is halved, as measured by the fall of the log false positive rate. Halving stops at this
 * share of the usual fall, or less.
 */
const MOST_PARTS: f64 = 0.2;
/** Limit of the nodes of a contour of the whole run. */
const LONGEST: f64 = 4096;
/** Limit of the nodes of a contour for one band, a part of the run by its largest loss (bound/bands.ts). */
const LONGEST_OF_BANDS: f64 = 65536;
/** Brackets of log δ wider than this are too inaccurate for a contour that serves an interval of ε. */
const COARSE: f64 = 3e-7;
/** Least share of the wanted fall of the log false positive rate that an interval of ε has to reach. */
const REACHED: f64 = 0.5;
/** Where log δ is below its saddle-point approximation by more than this, losses are taken to be of several scales. */
const LOWER: f64 = 2;
/** log δ at the largest ε of a contour may be this much below the log δ for which the laws were truncated. */
const BEHIND: f64 = 2;
/** Bisection steps in search of the largest ε up to which a contour is accurate. */
const HALVINGS = 10;
/** An interval of ε whose end is moved towards its beginning keeps more than this share of its length. */
const FAR: f64 = 0.05;
/** An interval of ε that begins nearer than this, in the log false positive rate, to the end RATE·k² goes on to RATE·(k + 1)². */
const LITTLE: f64 = 5;
const MOST_RUNGS = 12;
/** Number of ε at which both directions are compared, before a contour for adding a record is laid. */
const PLACES: f64 = 16;
/** For the comparison near ε = 0, ε decreases by the factor CLOSER, down to NEAREST times the interval's end. */
const CLOSER: f64 = 3;
const NEAREST: f64 = 1e-4;
/** log₁₀ of the relative error of δ by contours. */
const LEVEL: f64 = -10;
/** Initial guess of log δ at the end of the first interval of ε. */
const USUAL: f64 = -30;
const ROUNDS = 4;
/** The contour for adding a record reaches down to a log δ this much below that for removing one. */
const DEEPER: f64 = 2;

/** The log false positive rate RATE·k² at the end of the interval of ε that begins at the log rate `rate`; NaN if there is none. */
function rateAfter(rate: f64): f64 {
  if (!(rate <= 0 && rate > -1e9)) return NaN;
  const k = Math.max(1, Math.ceil(Math.sqrt((rate - LITTLE) / RATE)));
  return RATE * k * k;
}

/** Heuristic: a contour for all ε between two places, with errors that are small relative to δ at both; null where there is no tilt for it. */
function lineBetween(run: Composed, saddles: Saddle[], from: Place, to: Place): Contour | null {
  const saddle = saddleBetween(run, saddles, from, to);
  if (!(saddle.s > 0) || isSpent()) return null;
  const layout = new Layout(run, saddle, LEVEL, from, to);
  layout.longest = LONGEST;
  return new Contour(run, layout);
}

/** A rung: contours of both directions that serve an interval of ε. */
export class Rung extends Brackets {
  removing: Brackets | null = null;
  adding: Brackets | null = null;
  /** The largest ε. */
  end: f64 = 0;
  /** The largest ε of the contour for adding a record. For larger ε, δ under addition is bounded by its value at this ε. */
  endAdding: f64 = 0;
  /** Whether both directions have the same privacy profile. */
  private isSymmetric: bool = false;
  /** Ensures: no less than log δ under addition from the rung's first ε on. */
  private mostAdding: f64 = 0;
  /** Approximate log δ at the end. */
  depth: f64 = USUAL;
  /** The cost of laying the contours in units of work; and the number of cumulants computed for them. */
  cost: f64 = 0;
  made: i32 = 0;

  /**
   * @param from The smallest ε, where the previous rung ends.
   * @param bound The bound of δ under addition that needs no contour.
   * @param isApart Whether losses are known to be of several scales: then bands are tried first.
   */
  constructor(
    private from: f64,
    private bound: AddingBound,
    public isApart: bool,
  ) {
    super();
  }

  /**
   * Lays the contours of the rung, one of the whole run or one for each band, and sets its end. Returns whether there are any. Heuristic: brackets
   * hold for any layout.
   * @param depth Approximate log δ to be reached at least.
   */
  lay(phases: Phases, depth: f64): bool {
    this.isSymmetric = phases.areSymmetric;
    if (!phases.areBanded) return this.byOneLine(phases, depth, false) && !isSpent();
    const start = mark();
    if (!this.isApart && this.byOneLine(phases, depth, true)) return true;
    release(start);
    if (isSpent() || this.byBands(phases, depth)) return !isSpent();
    release(start);
    return this.isApart && !isSpent() && this.byOneLine(phases, depth, false);
  }

  /**
   * Lays one contour of the whole run for the rung. Where that fails, it narrows the edges of the laws' truncation, or lowers the rung's largest ε.
   * Returns whether its brackets are accurate. Heuristic: brackets hold for any layout.
   * @param isChoosy Whether a contour is rejected if it shows losses of several scales. Contours of bands have fewer nodes for such losses.
   */
  private byOneLine(phases: Phases, depth: f64, isChoosy: bool): bool {
    const start = mark();
    for (let part: f64 = 1; part > MOST_PARTS; part *= 0.5) {
      let target = depth;
      let width = WIDEST;
      for (let i = 0; i < phases.widths; i++, width /= 2) {
        for (let round = 0; round < ROUNDS; round++) {
          release(start);
          const both = new Directions(phases, target, LEVEL, width);
          const first = saddleAt(both.removing, this.from);
          const last = this.lastOf(both.removing, first, part);
          if (isSpent()) return false;
          if (last === null) break;
          // laws truncated for a larger δ do not resolve this one
          if (last.logDelta < target - BEHIND && round + 1 < ROUNDS) {
            target = 1.05 * last.logDelta;
            continue;
          }
          this.end = last.epsilon;
          this.depth = last.logDelta;
          if (isChoosy && areApart(both.removing, first) && areApart(both.removing, last)) {
            this.isApart = true;
            return false;
          }
          const line = lineBetween(both.removing, [first, last], first, last);
          this.removing = line;
          if (isChoosy && line !== null && line.isGood && this.isMuchLess(line)) {
            this.isApart = true;
            return false;
          }
          if (line !== null && line.isGood && this.layAdding(both.adding, line) && this.isFine()) return true;
          // a smaller largest ε only makes the contour longer, and narrower edges of the truncation do not shorten it. For balls-and-bins epochs one
          // more width is tried, at which their loss is not split into a Gaussian and a residual.
          const isLast = line !== null && (i > 0 || !phases.haveBins);
          if (isSpent() || (isLast && line !== null && !line.isGood)) return false;
          if (isLast) i = phases.widths;
          break;
        }
      }
    }
    return false;
  }

  /** Heuristic: whether log δ at the end is much less than the saddle-point approximation, and its bracket wide. */
  private isMuchLess(line: Contour): bool {
    line.answer(this.end);
    return line.lower < this.depth - LOWER && !(line.upper - line.lower <= COARSE);
  }

  /** Heuristic: `bandsTo` for ever shorter intervals of ε, until its brackets are accurate. Returns whether they are. */
  private byBands(phases: Phases, depth: f64): bool {
    const start = mark();
    for (let part: f64 = 1; part > MOST_PARTS && !isSpent(); part *= 0.5) {
      release(start);
      if (this.bandsTo(phases, depth, part)) return true;
    }
    return false;
  }

  /**
   * Lays contours of bands for a rung that ends after a share `part` of the usual fall of the log false positive rate. `depth` is the log δ for which
   * the laws are truncated at first. Returns whether the brackets are accurate. Heuristic: brackets hold for any layout.
   */
  private bandsTo(phases: Phases, depth: f64, part: f64): bool {
    const start = mark();
    const share = LN10 * LEVEL + TAKEN;
    let target = depth;
    for (let round = 0; round < ROUNDS && !isSpent(); round++) {
      release(start);
      let bands = Bands.of(phases, target, share, false);
      bands.near(this.from);
      const rate = bands.logRate();
      const after = rateAfter(rate);
      if (!(after < 0)) return false;
      bands.find(this.from, rate + part * (after - rate), 1);
      if (!(bands.value > -Infinity)) return false;
      if (bands.value < target - BEHIND && round + 1 < ROUNDS) {
        target = 1.05 * bands.value;
        continue;
      }
      this.end = bands.x;
      this.depth = bands.value;
      if (phases.many > FEW_PHASES) {
        // frees the memory that the search for the end took
        release(start);
        bands = Bands.of(phases, target, share, false);
        bands.near(this.end);
      }
      bands.over(this.from, LEVEL, LONGEST_OF_BANDS);
      this.removing = bands;
      const both = new Directions(phases, target, LEVEL, WIDEST);
      return this.end > this.from && this.layAdding(both.adding, bands) && this.isFine();
    }
    return false;
  }

  /**
   * Heuristic: the saddle point of the rung's largest ε, after a share `part` of the usual fall of the log false positive rate. Null if it is not far
   * enough.
   */
  private lastOf(run: Composed, first: Saddle, part: f64): Saddle | null {
    if (!first.isKnown() || isSpent()) return null;
    const rate = first.logRate();
    const after = rateAfter(rate);
    if (!(after < 0)) return null;
    const last = saddleForRate(run, first, rate + part * (after - rate));
    // truncation may end the interval earlier; intervals that are too short would be too many
    const isFar = last.logRate() <= rate + REACHED * part * (after - rate);
    return last.isKnown() && isFar && last.epsilon > this.from && last.epsilon > first.epsilon ? last : null;
  }

  /**
   * Heuristic: whether brackets are accurate up to the rung's largest ε. If not, that ε is lowered until they are, if it then is still large enough.
   * Brackets hold anywhere, accurate or not.
   */
  private isFine(): bool {
    if (!this.isFineAt(this.from)) return false;
    if (this.isFineAt(this.end) && this.isFineAt(0.5 * (this.from + this.end))) return true;
    let low = this.from;
    let high = this.end;
    for (let i = 0; i < HALVINGS; i++) {
      const middle = 0.5 * (low + high);
      if (this.isFineAt(middle)) low = middle;
      else high = middle;
    }
    const isFar = low - this.from > FAR * (this.end - this.from);
    this.end = low;
    return isFar;
  }

  private isFineAt(x: f64): bool {
    this.answer(x);
    return this.upper - this.lower <= COARSE;
  }

  /**
   * The bracket of log δ(x), from ≤ x ≤ end, for the worse direction. Removing a record is answered by its contour. Adding one is bounded by
   * `AddingBound`, by `mostAdding` and by its contour. Ensures: log δ(x) of the worse direction lies between `lower` and `upper`.
   */
  answer(x: f64): void {
    const removing = this.removing;
    this.lower = -Infinity;
    this.upper = 0;
    if (removing === null) return;
    removing.answer(x);
    this.lower = removing.lower;
    this.upper = removing.upper;
    this.logFpr = removing.logFpr;
    // δ(0), the total variation distance, is the same in both directions
    if (x === 0 || this.isSymmetric) return;
    let most = Math.min(this.mostAdding, this.bound.at(x));
    const adding = this.adding;
    if (most > this.lower && adding !== null) {
      adding.answer(Math.min(x, this.endAdding));
      most = Math.min(most, adding.upper);
      if (x <= this.endAdding && adding.lower > this.lower) {
        this.lower = adding.lower;
        this.logFpr = adding.logFpr;
      }
    }
    this.upper = Math.max(this.upper, most);
  }

  /**
   * Lays a contour for adding a record, unless Chernoff's bound or a chord of δ shows that δ under addition is smaller (contour.md 16, 17). False if
   * δ under addition is not bounded. Ensures: where true, `answer` covers addition.
   */
  private layAdding(run: Composed, line: Brackets): bool {
    // the memory of contours of an earlier attempt has been freed
    this.adding = null;
    this.endAdding = 0;
    line.answer(this.end);
    const deepest = line.lower;
    if (!(deepest > -Infinity)) return false;
    if (this.isSymmetric) return true;
    if (this.from === 0) {
      line.answer(0);
      this.bound.beginAt(line.upper, this.end);
    }
    const isLess = this.isAddingLess(line);
    if (isLess && this.isLessNearZero(line)) return true;
    const last = saddleFor(run, deepest - DEEPER);
    if (!last.isKnown()) return isLess;
    if (!(last.epsilon > this.from)) {
      this.mostAdding = Math.min(0, chernoffBound(run, last.s, this.from));
      return isLess || this.mostAdding <= deepest;
    }
    const first = saddleAt(run, this.from);
    if (!first.isKnown()) return isLess;
    this.endAdding = Math.min(last.epsilon, this.end);
    line.answer(this.endAdding);
    const to = new Place(this.endAdding, line.upper);
    line.answer(this.from);
    const adding = lineBetween(run, [first, last], new Place(this.from, line.upper), to);
    if (adding === null || !adding.isGood) return isLess;
    this.adding = adding;
    return true;
  }

  /** Heuristic: whether the bound of δ under addition is at most δ under removal at PLACES ε of the rung. */
  private isAddingLess(line: Brackets): bool {
    for (let k: f64 = 0; k < PLACES; k++) {
      const x = this.from + ((this.end - this.from) * k) / PLACES;
      if (x === 0) continue;
      line.answer(x);
      if (!(this.bound.at(x) <= line.lower)) return false;
    }
    return true;
  }

  /** Heuristic: whether, near ε = 0, the bound of δ under addition is at most δ under removal, up to COARSE. Both directions agree at ε = 0. */
  private isLessNearZero(line: Brackets): bool {
    for (let x = this.end / PLACES; this.from === 0 && x > NEAREST * this.end; x /= CLOSER) {
      line.answer(x);
      if (!(this.bound.at(x) <= line.upper + COARSE)) return false;
    }
    return true;
  }
}

/** All rungs (intervals of ε with their contours) of one run, laid when needed. */
export class Curve {
  /** Largest number of rungs of the curve. */
  most: i32 = MOST_RUNGS;
  /** Bracket of log δ at the last ε asked for. */
  lower: f64 = -Infinity;
  upper: f64 = 0;
  /** Approximate log of the false positive rate of the likelihood-ratio test at the ε last answered. */
  logFpr: f64 = 0;
  private rungs: Rung[] = [];
  /** The cost, and the number of cumulants, of the attempt to lay contours beyond the last rung, if that failed; −1 if it did not. */
  failed: f64 = -1;
  failedMade: i32 = 0;
  /** With this much work left, or less, contours beyond the last rung could not be laid. */
  tooFew: f64 = -1;
  /** Number of rungs (intervals of ε) whose cost the present question has been charged. */
  private paid: i32 = 0;

  private bound: AddingBound | null = null;
  /** Closed form of a single step. */
  private single: SingleStep | null = null;

  constructor(private phases: Phases) {}

  /** Takes over a bracket; returns whether it has a lower end and the allowance is not spent. */
  private of(brackets: Brackets): bool {
    this.lower = brackets.lower;
    this.upper = brackets.upper;
    this.logFpr = brackets.logFpr;
    return this.lower > -Infinity && !isSpent();
  }

  /** Whether any contour was laid. */
  hasLines(): bool {
    return this.rungs.length > 0;
  }

  /**
   * Begins a question, which is charged the cost of the rungs it uses, whether they were laid before or not.
   * @param most Limit of the number of rungs (intervals of ε).
   */
  ask(most: i32 = MOST_RUNGS): void {
    this.paid = 0;
    this.most = most;
  }

  /**
   * Sets the bracket of log δ(x), x ≥ 0, by the closed form of one step or the contours that serve x; returns whether there are any. Ensures: log
   * δ(x) of the worse direction lies between `lower` and `upper`.
   */
  at(x: f64): bool {
    if (SingleStep.is(this.phases)) {
      let single = this.single;
      if (single === null) {
        single = new SingleStep(this.phases);
        this.single = single;
      }
      single.answer(x);
      return this.of(single);
    }
    let k = 0;
    while (k < this.most && this.hasRung(k)) {
      const rung = this.rungs[k];
      if (x <= rung.end) {
        rung.answer(x);
        return this.of(rung);
      }
      k++;
    }
    return false;
  }

  /**
   * Whether the question's allowance pays for the k-th interval's contours, which are laid if need be. Contours that were laid for another question
   * cost the same. It enters no bound.
   */
  private hasRung(k: i32): bool {
    if (k < this.paid) return true;
    if (k < this.rungs.length) {
      this.paid = k + 1;
      spendAgain(this.rungs[k].cost, this.rungs[k].made);
      return !isSpent();
    }
    if (this.failed >= 0) {
      spendAgain(this.failed, this.failedMade);
      return false;
    }
    if (isSpent()) return false;
    if (workLeft() > this.tooFew) return this.lay(k);
    spend(workLeft() + 1);
    return false;
  }

  /**
   * Lays the contours of the k-th interval and stores their cost, which enters no bound. False if that fails, or if the allowance is overdrawn; then
   * they are removed.
   */
  private lay(k: i32): bool {
    const start = mark();
    const left = workLeft();
    const before = workDone();
    const made = cumulantsMade();
    // the bound of δ under addition is part of the first interval's cost
    const known = this.bound;
    const bound = known !== null ? known : new AddingBound(this.phases);
    const next = new Rung(k > 0 ? this.rungs[k - 1].end : 0, bound, k > 0 && this.rungs[k - 1].isApart);
    const depth = k > 0 ? Math.min(USUAL, 2 * this.rungs[k - 1].depth) : USUAL;
    const isLaid = next.lay(this.phases, depth);
    if (isOverdrawn()) {
      release(start);
      this.tooFew = left;
      return false;
    }
    next.cost = workDone() - before;
    next.made = cumulantsMade() - made;
    if (isLaid) {
      this.rungs.push(next);
      this.bound = bound;
      this.tooFew = -1;
      this.paid = k + 1;
      return !isSpent();
    }
    release(start);
    this.failed = next.cost;
    this.failedMade = next.made;
    return false;
  }
}
