/**
 * δ of a run at many ε ≥ 0, of the worse direction. Lines lie on a ladder of depths below δ(0), one in each direction for each rung, and are laid where a point falls: what is
 * said of an ε hangs on the run and that ε alone.
 */
import { Contour } from './bound/contour.js';
import { Directions, Phases } from './law/directions.js';
import { Composed } from './law/law.js';
import { Layout } from './plan/layout.js';
import { Saddle, saddleAt, saddleFor } from './plan/saddle.js';
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
} from './room.js';
import { logOf } from './scalar.js';

/** The k-th rung of lines ends about where the false positive rate is e to this, times k²; where a line would be too long or too coarse, half as far, and so on. */
const RATE: f64 = -25.5;
const MOST_PARTS: f64 = 0.2;
const LONGEST: f64 = 4096;
const COARSE: f64 = 3e-6;
const HALVINGS = 10;
const FAR: f64 = 0.05;
/** A rung that is begun this near to the end of the usual one goes on to the next. */
const LITTLE: f64 = 5;
const MOST_RUNGS = 12;
/** Of the lines' errors, as a power of 10. */
const LEVEL: f64 = -10;
/** A depth that is enough for most. */
const USUAL: f64 = -30;
/** Windows of these widths are tried, each half as wide as the one before: narrow ones reach steeper tilts. */
const WIDEST: f64 = 0.5;
const WIDTHS = 5;
const ROUNDS = 4;
/** Adding a record is asked for so much deeper, as a logarithm. */
const DEEPER: f64 = 2;

function saddleOf(run: Composed, s: f64): Saddle {
  return new Saddle(s, run.approximate(1 + s));
}

/** About log of the false positive rate at a saddle: −e^{−ε} of the slope of δ. */
function logRateOf(saddle: Saddle): f64 {
  return saddle.logDelta - saddle.epsilon + logOf(saddle.s);
}

/** The saddle behind another whose rate is about e^{target}. */
function saddleForRate(run: Composed, first: Saddle, target: f64): Saddle {
  let low = first.s;
  let high: f64 = Infinity;
  let saddle = first;
  for (let i = 0; i < 40; i++) {
    const miss = logRateOf(saddle) - target;
    if (saddle.isKnown() && Math.abs(miss) < 0.5) break;
    if (saddle.isKnown() && miss > 0) low = saddle.s;
    else high = saddle.s;
    if (high < 1.02 * low) break;
    // d log FPR/ds = −(1 + s)·scale², about
    const unit = 1 + saddle.s;
    const square = unit * unit + (2 * miss) / (saddle.scale * saddle.scale);
    const newton = saddle.isKnown() && square > 0 ? Math.sqrt(square) - 1 : NaN;
    const next = high < Infinity ? Math.sqrt(low * high) : 2 * low;
    saddle = saddleOf(run, newton > low && newton < high ? newton : next);
  }
  return saddle;
}

/** Lines of both directions that serve ε from one end to another. */
export class Rung {
  removing: Contour | null = null;
  adding: Contour | null = null;
  /** The largest ε; and that of adding a record, from which on δ of that is no larger than there. */
  end: f64 = 0;
  endAdding: f64 = 0;
  /** Ensures: no less than log δ of adding a record there. */
  most: f64 = Infinity;
  /** About log δ at the end. */
  depth: f64 = USUAL;
  /** What it cost to be laid: units, and cumulants made. */
  cost: f64 = 0;
  made: i32 = 0;
  /** Bracket of log δ at the last ε asked for, and about log of the false positive rate of the best test there. */
  lower: f64 = -Infinity;
  upper: f64 = 0;
  logFpr: f64 = 0;

  constructor(private from: f64) {}

  /** Whether there are lines. @param depth About log δ that is reached at least. */
  lay(phases: Phases, depth: f64): bool {
    const start = mark();
    for (let part: f64 = 1; part > MOST_PARTS; part *= 0.5) {
      let target = depth;
      let width = WIDEST;
      for (let i = 0; i < WIDTHS; i++, width /= 2) {
        for (let round = 0; round < ROUNDS; round++) {
          release(start);
          const both = new Directions(phases, target, LEVEL, width);
          const first = saddleAt(both.removing, this.from);
          const last = this.lastOf(both.removing, first, part);
          if (isSpent()) return false;
          if (last === null) break;
          // where it is cut too early the law says nothing of what lies deeper
          if (last.logDelta < target && round + 1 < ROUNDS) {
            target = 1.05 * last.logDelta;
            continue;
          }
          const line = this.lineFor(both.removing, first, last);
          this.removing = line;
          this.end = last.epsilon;
          this.depth = last.logDelta;
          if (line !== null && line.isGood && this.layAdding(both.adding, line) && this.isFine()) return true;
          // what lies nearer has longer lines, and narrower windows make none shorter
          if (isSpent() || (line !== null && !line.isGood)) return false;
          if (line !== null) i = WIDTHS;
          break;
        }
      }
    }
    return false;
  }

  /** The saddle of the largest ε. */
  private lastOf(run: Composed, first: Saddle, part: f64): Saddle | null {
    if (!first.isKnown() || isSpent()) return null;
    const rate = logRateOf(first);
    if (!(rate <= 0 && rate > -1e9)) return null;
    const k = Math.max(1, Math.ceil(Math.sqrt((rate - LITTLE) / RATE)));
    const last = saddleForRate(run, first, rate + part * (RATE * k * k - rate));
    return last.isKnown() && last.epsilon > this.from && last.epsilon > first.epsilon ? last : null;
  }

  /** The line for what lies between two saddles: where M(1 + s)e^{−sε} is larger than δ by the same at both. */
  private lineFor(run: Composed, first: Saddle, last: Saddle): Contour | null {
    const chord = (first.logDelta - last.logDelta) / (last.epsilon - first.epsilon);
    // where rare losses come in log δ is convex, and steeper than a saddle anywhere
    const s = Math.max(first.s, Math.min(last.s, chord));
    if (!(s > 0) || isSpent()) return null;
    const layout = new Layout(run, saddleOf(run, s), LEVEL, first, last);
    layout.longest = LONGEST;
    return new Contour(run, layout);
  }

  /** Whether it says enough up to an end: that is drawn in to where it does, if that is far enough. */
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

  /** Ensures: log δ(x) of the worse direction lies between `lower` and `upper`, from ≤ x ≤ end. */
  answer(x: f64): void {
    const removing = this.removing;
    const adding = this.adding;
    this.lower = -Infinity;
    this.upper = 0;
    if (removing === null || adding === null) return;
    removing.answer(x);
    this.lower = removing.lower;
    this.upper = removing.upper;
    this.logFpr = removing.logFpr;
    // total variation is the same in both directions
    if (x === 0) return;
    if (x > this.endAdding) {
      this.upper = Math.max(this.upper, this.most);
      return;
    }
    adding.answer(x);
    if (adding.lower > this.lower) this.logFpr = adding.logFpr;
    this.lower = Math.max(this.lower, adding.lower);
    this.upper = Math.max(this.upper, adding.upper);
  }

  private layAdding(run: Composed, line: Contour): bool {
    line.answer(this.end);
    if (!(line.lower > -Infinity)) return false;
    const last = saddleFor(run, line.lower - DEEPER);
    const first = saddleAt(run, this.from);
    if (!last.isKnown() || !first.isKnown() || !(last.epsilon > this.from)) return false;
    const adding = this.lineFor(run, first, last);
    if (adding === null || !adding.isGood) return false;
    this.adding = adding;
    this.endAdding = Math.min(last.epsilon, this.end);
    adding.answer(this.endAdding);
    this.most = adding.upper;
    return true;
  }
}

export class Curve {
  /** Rungs that may be looked at. */
  most: i32 = MOST_RUNGS;
  /** Bracket of log δ at the last ε asked for. */
  lower: f64 = -Infinity;
  upper: f64 = 0;
  /** About log of the false positive rate of the best test there. */
  logFpr: f64 = 0;
  private rungs: Rung[] = [];
  /** The rung that could not be laid behind the last, for what it cost. */
  private failed: Rung | null = null;
  /** With so many units left the one behind the last could not be laid. */
  private tooFew: f64 = -1;
  /** Rungs that the question has paid for. */
  private paid: i32 = 0;

  constructor(private phases: Phases) {}

  /** A question begins: it pays for what it looks at, whether that is there or not. */
  ask(most: i32 = MOST_RUNGS): void {
    this.paid = 0;
    this.most = most;
  }

  /** Whether there is an answer at x ≥ 0: sets it. Ensures: log δ(x) of the worse direction lies between `lower` and `upper`. */
  at(x: f64): bool {
    let k = 0;
    while (k < this.most && this.hasRung(k)) {
      const rung = this.rungs[k];
      if (x <= rung.end) {
        rung.answer(x);
        this.lower = rung.lower;
        this.upper = rung.upper;
        this.logFpr = rung.logFpr;
        return this.lower > -Infinity && !isSpent();
      }
      k++;
    }
    return false;
  }

  /** Whether there is a k-th rung, which the question can pay for. */
  private hasRung(k: i32): bool {
    if (k < this.paid) return true;
    if (k < this.rungs.length) {
      this.paid = k + 1;
      spendAgain(this.rungs[k].cost, this.rungs[k].made);
      return !isSpent();
    }
    const failed = this.failed;
    if (failed !== null) {
      spendAgain(failed.cost, failed.made);
      return false;
    }
    if (isSpent()) return false;
    if (workLeft() > this.tooFew) return this.lay(k);
    spend(workLeft() + 1);
    return false;
  }

  private lay(k: i32): bool {
    const start = mark();
    const left = workLeft();
    const before = workDone();
    const made = cumulantsMade();
    const next = new Rung(k > 0 ? this.rungs[k - 1].end : 0);
    const depth = k > 0 ? 2 * this.rungs[k - 1].depth : USUAL;
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
      this.tooFew = -1;
      this.paid = k + 1;
      return !isSpent();
    }
    release(start);
    this.failed = next;
    return false;
  }
}
