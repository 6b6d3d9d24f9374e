/**
 * Trapezoidal quadrature of δ(x) = (1/2πi)∫M(z)e^{−(z−1)x}/(z(z − 1))dz along one vertical contour through a saddle point, x an ε. It gives brackets
 * of log δ. With the factors 1/(z − 1) and 1/z it gives those of the logs of a test's rates; the test rejects where the loss exceeds x. The bounds are
 * those of docs/proofs/contour.md 1, 2, 10.
 */
import { U } from '../../src/kernel/constants.js';
import { contourSumsUniform } from '../sums/contour-sums.js';
import { contourWeights } from '../sums/contour-weights.js';
import { Composed, exactTilt, LogPhi } from '../law/law.js';
import { loadF64, storeF64 } from '../lane/memory.js';
import { borrow, giveBack } from '../lane/scratch.js';
import { Layout } from '../plan/layout.js';
import { copyNumbers, hasRoom, isSpent, mark, release, spend, take } from '../lane/room.js';
import { expm1Of, expOf, log1pOf, logOf } from '../functions/scalar.js';
import { AliasBound, KnownAliases } from './aliases.js';
import { Brackets } from './brackets.js';
import { Errors, logSum } from '../sums/errors.js';
import { DELTA, FALSE_POSITIVE, poleOf } from '../sums/functionals.js';
import { LineEnd } from './truncation.js';

/** Above this many nodes the tighter, slower bounds of |M(c + iτ)|/M(c) are tried for the truncation error. */
const WORTH: f64 = 256;
/** Limit of |x| times the largest frequency times its rounding error: larger angles of rotation are too inaccurate, and there is no bracket. */
const REACH: f64 = 0.1;
/** Upper bound of the rounding error of log(1 − e^x), relative to its size, as e^x is off by |x| roundings. */
const ROUNDINGS: f64 = 1e-13;
/** A Q-mass of finite losses above e^{−FAINT} counts as 1 in upper bounds: its logarithm may have few digits. */
const FAINT: f64 = 1e-280;
/** The least positive number: an addend for results that may underflow. */
const LEAST: f64 = 5e-324;

/** How many numbers precede the weights of a stored contour, a multiple of 2. */
const HEAD: usize = 26;

/** log(1 − e^x), x < 0, with a few roundings. */
function logComplement(x: f64): f64 {
  return x > -0.7 ? logOf(-expm1Of(x)) : log1pOf(-expOf(x));
}

/** A contour and its brackets of log δ. They hold for any layout; the layout decides how wide they are. */
export class Contour extends Brackets {
  /** Whether it gives brackets. It does not where M is unknown at its tilt or an alias bound's, or it has too many nodes or costs too much. */
  isGood: bool = false;
  /** Whether the contour would have more nodes than allowed. */
  isLong: bool = false;
  /** Rounding, quadrature, truncation and aliasing error of the last δ answered, relative to δ. */
  readonly errors: Errors = new Errors();
  aliasing: f64 = 0;
  private c: f64 = NaN;
  private period: f64 = 0;
  private step: f64 = 0;
  private n: usize = 0;
  private room: usize = 0;
  private weights: usize = 0;
  private logM: f64 = 0;
  private logMError: f64 = 0;
  private truncation: f64 = 0;
  /** Nine numbers: for δ, power and false positive rate the rounding error of a sum, that per unit of |x|, and the quadrature error. */
  private bounds: usize = 0;
  private above: AliasBound | null = null;
  private below: AliasBound | null = null;
  private known: KnownAliases | null = null;

  /**
   * Computes the contour through the layout's saddle point, with its error bounds (`build`). Its tilt c is stored exactly. Without a layout nothing is
   * computed.
   * @param order The order of the truncation error: 2 if δ alone is asked for, 1 if rates are.
   */
  constructor(
    private run: Composed,
    layout: Layout | null,
    private order: f64 = 2,
  ) {
    super();
    if (layout !== null) {
      // c − 1 is exact
      this.c = exactTilt(1 + layout.saddle.s);
      this.isGood = this.build(layout);
    }
  }

  /**
   * Computes the contour at tilt c: its alias bounds, the known aliases, log M(c), the number of nodes and their weights, each with error bounds.
   * False if something is unknown, too long or too expensive.
   */
  private build(layout: Layout): bool {
    const run = this.run;
    const c = this.c;
    const period = layout.period;
    if (!(period > 0 && period < Infinity)) return false;
    const aboveAt = exactTilt(layout.above.c);
    const belowAt = exactTilt(layout.below.c);
    if (!(aboveAt > c && belowAt < c)) return false;
    const above = run.cumulant(aboveAt);
    const below = run.cumulant(belowAt);
    const here = run.cumulant(c);
    if (!(above.isKnown() && below.isKnown() && here.isKnown()) || isSpent()) return false;
    this.boundAliases(period, aboveAt, above.most(), belowAt, below.most());
    this.logM = here.value;
    this.logMError = here.error;
    const nodes = this.end(layout);
    this.isLong = nodes > layout.longest;
    if (this.isLong || !hasRoom(20 * nodes + 1024) || isSpent()) return false;
    this.n = <usize>nodes;
    return this.fill();
  }

  /**
   * Sets the period of the aliases, and with it the spacing of nodes. The aliases are bounded at two tilts c₂ > c and c₃ < c, with upper bounds of log M
   * there.
   */
  private boundAliases(period: f64, above: f64, logAbove: f64, below: f64, logBelow: f64): void {
    const run = this.run;
    this.period = period;
    this.above = new AliasBound(above, logAbove, this.c, period);
    this.below = new AliasBound(below, logBelow, this.c, period);
    this.known = new KnownAliases(above, below, this.c, period, run.logMassP, run.logMassQ, run.massError);
    this.step = (2 * 3.141592653589793) / period;
  }

  /** How many numbers `store` writes; 0 for a contour that gives no brackets. */
  length(): usize {
    return this.isGood ? HEAD + 6 * this.room : 0;
  }

  /** Writes all that answers depend on, as numbers that `storedContour` reads. */
  store(at: usize): void {
    const above = this.above;
    const below = this.below;
    if (above === null || below === null) return;
    const run = this.run;
    storeF64(at, <f64>this.n);
    storeF64(at, this.c, 8);
    storeF64(at, this.period, 16);
    storeF64(at, this.logM, 24);
    storeF64(at, this.logMError, 32);
    storeF64(at, this.truncation, 40);
    storeF64(at, above.c, 48);
    storeF64(at, above.logM, 56);
    storeF64(at, below.c, 64);
    storeF64(at, below.logM, 72);
    storeF64(at, run.logMassP, 80);
    storeF64(at, run.logMassQ, 88);
    storeF64(at, run.massError, 96);
    storeF64(at, run.logLostP, 104);
    storeF64(at, run.logLostQ, 112);
    copyNumbers(this.bounds, at + 120, 9);
    storeF64(at, this.order, 192);
    copyNumbers(this.weights, at + (HEAD << 3), 6 * this.room);
  }

  /** Becomes the contour that `store` wrote to the address, whose weights stay there. */
  load(at: usize): void {
    const run = this.run;
    run.logMassP = loadF64(at, 80);
    run.logMassQ = loadF64(at, 88);
    run.massError = loadF64(at, 96);
    run.logLostP = loadF64(at, 104);
    run.logLostQ = loadF64(at, 112);
    this.n = <usize>loadF64(at);
    this.room = (this.n + 3) & ~3;
    this.c = loadF64(at, 8);
    this.logM = loadF64(at, 24);
    this.logMError = loadF64(at, 32);
    this.truncation = loadF64(at, 40);
    this.order = loadF64(at, 192);
    this.boundAliases(loadF64(at, 16), loadF64(at, 48), loadF64(at, 56), loadF64(at, 64), loadF64(at, 72));
    this.bounds = at + 120;
    this.weights = at + (HEAD << 3);
    this.isGood = true;
  }

  /**
   * The number of nodes whose truncation error is small enough for the layout, by `LineEnd`. The bound of the error, relative to M(c), goes to
   * `truncation`.
   */
  private end(layout: Layout): f64 {
    const saddle = layout.saddle;
    const logLevel = layout.logLevel;
    const depth =
      40 - logLevel + Math.abs(logOf(Math.abs(saddle.s))) + Math.abs(logOf(this.c * saddle.scale));
    const start = 1.5 / Math.sqrt(saddle.at.variance);
    this.run.openDecay(this.c);
    const wanted = expOf(logLevel + layout.edge());
    const loosest = expOf(layout.logLoosest + layout.edge());
    const end = new LineEnd(this.run, this.step, wanted, depth, this.order, loosest, layout.longest);
    end.find(start, false);
    const nodes = end.nodes;
    this.truncation = end.truncation;
    if (nodes <= WORTH) return nodes;
    end.find(start, true);
    if (!(end.nodes <= nodes)) return nodes;
    this.truncation = end.truncation;
    return end.nodes;
  }

  /**
   * Computes log φ(τ) = log(M(c + iτ)/M(c)) at the nodes, and from it the nodes' weights and the `bounds` of errors by `contourWeights`.
   */
  private fill(): bool {
    const n = this.n;
    this.room = (n + 3) & ~3;
    this.weights = take(6 * this.room);
    this.bounds = take(9);
    const start = mark();
    const line = new LogPhi(this.c, this.step, n, (n + 31) & ~31);
    if (!this.run.fill(line)) return false;
    spend(60 * <f64>n);
    contourWeights(line.rows, line.room, n, this.step, this.c, this.weights, this.bounds);
    release(start);
    return true;
  }

  /** Whether the truncation error was bounded for rates; if not, it was bounded for δ alone. */
  isOfRates(): bool {
    return this.order === 1;
  }
  nodes(): f64 {
    return <f64>this.n;
  }

  /** The bracket of log δ(x), x any ε. Ensures: log δ(x) lies between `lower` and `upper`. */
  answer(x: f64): void {
    this.answerOf(DELTA, x);
  }

  /**
   * The bracket of log δ(x), or of the log of the power or of the false positive rate at the threshold x. It is the trapezoidal sum less the known
   * aliases, widened by rounding, quadrature, truncation and aliasing errors (contour.md 1, 2, 10). For 0 < c < 1, Q − δ or Q less the power is
   * bracketed first, Q the mass of finite losses. Ensures: the logarithm lies between `lower` and `upper`.
   */
  answerOf(functional: i32, x: f64): void {
    const above = this.above;
    const below = this.below;
    const known = this.known;
    this.lower = -Infinity;
    this.upper = Infinity;
    if (!this.isGood || above === null || below === null || known === null) return;
    spend(3.6 * <f64>this.room);
    const at = borrow(48);
    storeF64(at, x);
    contourSumsUniform(this.step, this.weights, this.room, at, 1, at + 16);
    giveBack(at);
    const own = (<usize>functional) << 3;
    const isComplement = functional !== FALSE_POSITIVE && this.c < 1;
    const sum = isComplement ? -loadF64(at + 16 + own) : loadF64(at + 16 + own);
    if (functional === DELTA) this.logFpr = this.logM - this.c * x + logOf(Math.max(loadF64(at, 32), 1e-300));
    const s = this.c - poleOf(functional);
    const base = this.logM - s * x;
    const terms = 3 * Math.abs(this.logM) + 4 * Math.abs(s * x) + 2 * Math.abs(base) + 8;
    const baseError = this.logMError + U * terms;
    known.set(functional, x, base);
    const sizes = known.sizes;
    const bounds = this.bounds + 3 * own;
    const quadrature = loadF64(bounds, 16);
    const isNear = Math.abs(x) <= REACH / (6 * U * <f64>this.n * this.step);
    const ofSum = isNear ? loadF64(bounds) + Math.abs(x) * loadF64(bounds, 8) : Infinity;
    const rounding =
      ofSum + U * 8 * (Math.abs(sum) + sizes) + sizes * (8 * U + 1.1 * expm1Of(baseError + known.relative));
    const error = rounding + quadrature + this.truncation;
    const aliasAbove = above.at(functional, x, base);
    const aliasBelow = below.at(functional, x, base);
    const value = sum - known.value;
    const most =
      value + error + (known.isPartialBelow ? aliasBelow : 0) + (known.isPartialAbove ? aliasAbove : 0);
    const least =
      value - error - (known.isPartialAbove ? 0 : aliasAbove) - (known.isPartialBelow ? 0 : aliasBelow);
    const upper = most > 0 && baseError < Infinity ? base + logOf(most) + baseError : Infinity;
    const lower = least > 0 ? base + logOf(least) - baseError : -Infinity;
    const size = Math.max(least, 1e-300);
    this.errors.rounding = rounding / size + baseError;
    this.errors.quadrature = quadrature / size;
    this.errors.truncation = this.truncation / size;
    this.aliasing = (aliasAbove + aliasBelow) / size;
    const lost = functional === FALSE_POSITIVE ? this.run.logLostP : this.run.logLostQ;
    if (isComplement) this.set(this.massLess(upper, -1), this.massLess(Math.min(lower, upper), 1), lost);
    else this.set(Math.min(lower, upper), upper, lost);
  }

  /**
   * log(Q − e^v), Q the mass of finite losses, rounded up (side 1) or down (−1). In upper bounds a Q within FAINT of 1 counts as 1. −∞ where e^v is not
   * below Q. Ensures: no more than the exact value; or no less, once the mass that truncation removed is added (contour.md 10).
   */
  private massLess(v: f64, side: f64): f64 {
    const run = this.run;
    const isWhole = side > 0 && run.logMassQ > -FAINT;
    const mass = isWhole ? 0 : Math.min(0, run.logMassQ + side * run.massError);
    if (!(v < mass)) return -Infinity;
    const rest = mass + logComplement(v - mass);
    return rest + side * (ROUNDINGS * Math.abs(rest) + LEAST);
  }

  /**
   * Sets the bracket, after adding the mass that the truncation of the laws removed, e^{lost}, to the upper end (contour.md 1). Ensures: `upper` is no
   * less than log of the sum.
   */
  private set(lower: f64, upper: f64, lost: f64): void {
    this.lower = lower;
    if (lost > -Infinity && upper < Infinity) {
      // log(e^upper + e^lost) ≤ upper + e^{lost − lower}
      const share = expOf(Math.min(0, lost - lower));
      const slack = 1e-15 * Math.abs(upper) + 1e-12 * share;
      upper = (share < 1e-7 ? upper + share : logSum(upper, lost)) + slack;
      this.errors.truncation += share;
      this.errors.rounding += slack;
    }
    this.upper = Math.min(0, upper);
    // probabilities are at most 1
    this.lower = Math.min(lower, this.upper);
  }
}

/** The contour that `Contour.store` wrote to an address, a multiple of 16. */
export function storedContour(at: usize): Contour {
  const contour = new Contour(new Composed(), null);
  contour.load(at);
  return contour;
}
