/**
 * Trapezoidal quadrature of δ(x) = (1/2πi)∫M(z)e^{−(z−1)x}/(z(z − 1))dz along one vertical contour through a saddle point, x an ε. It gives brackets
 * of log δ (docs/proofs/contour.md 1, 2).
 */
import { U } from '../../src/kernel/constants.js';
import { contourSumsUniform } from '../sums/contour-sums.js';
import { contourWeights } from '../sums/contour-weights.js';
import { Composed, exactTilt, LogPhi } from '../law/law.js';
import { loadF64, storeF64 } from '../lane/memory.js';
import { borrow, giveBack } from '../lane/scratch.js';
import { Layout } from '../plan/layout.js';
import { hasRoom, isSpent, mark, release, spend, take } from '../lane/room.js';
import { expm1Of, expOf, logOf } from '../functions/scalar.js';
import { AliasBound, KnownAliases } from './aliases.js';
import { Brackets } from './brackets.js';
import { Errors, logSum } from '../sums/errors.js';
import { LineEnd } from './truncation.js';

/** Above this many nodes the tighter, slower bounds of |M(c + iτ)|/M(c) are tried for the truncation error. */
const WORTH: f64 = 256;
/** Limit of |x| times the largest frequency times its rounding error: larger angles of rotation are too inaccurate, and there is no bracket. */
const REACH: f64 = 0.1;

/** A contour and its brackets of log δ. They hold for any layout; the layout decides how wide they are. */
export class Contour extends Brackets {
  /** Whether it gives brackets. It does not where M is unknown at its tilt or an alias bound's, or it has too many nodes or costs too much. */
  isGood: bool = false;
  /** Whether the contour would have more nodes than allowed. */
  isLong: bool = false;
  /** Rounding, quadrature, truncation and aliasing error of the last δ answered, relative to δ. */
  readonly errors: Errors = new Errors();
  aliasing: f64 = 0;
  private c: f64;
  private step: f64 = 0;
  private n: usize = 0;
  private room: usize = 0;
  private weights: usize = 0;
  private logM: f64 = 0;
  private logMError: f64 = 0;
  private truncation: f64 = 0;
  private rounding: f64 = 0;
  private roundingByX: f64 = 0;
  private quadrature: f64 = 0;
  private above: AliasBound | null = null;
  private below: AliasBound | null = null;
  private known: KnownAliases | null = null;

  /** Computes the contour through the layout's saddle point, with its error bounds (`build`). Its tilt c is stored exactly. */
  constructor(
    private run: Composed,
    layout: Layout,
  ) {
    super();
    // for doubles 1 ≤ c < 2^53, c − 1 is exact
    this.c = 1 + layout.saddle.s;
    this.isGood = this.build(layout);
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
    this.above = new AliasBound(aboveAt, above.most(), c, period);
    this.below = new AliasBound(belowAt, below.most(), c, period);
    this.known = new KnownAliases(belowAt, c, period, run.logMassP, run.logMassQ, run.massError);
    this.logM = here.value;
    this.logMError = here.error;
    this.step = (2 * 3.141592653589793) / period;
    const nodes = this.end(layout);
    this.isLong = nodes > layout.longest;
    if (this.isLong || !hasRoom(20 * nodes + 1024) || isSpent()) return false;
    this.n = <usize>nodes;
    return this.fill();
  }

  /**
   * The number of nodes whose truncation error is small enough for the layout, by `LineEnd`. The bound of the error, relative to M(c), goes to
   * `truncation`.
   */
  private end(layout: Layout): f64 {
    const saddle = layout.saddle;
    const logLevel = layout.logLevel;
    const depth = 40 - logLevel + Math.abs(logOf(saddle.s)) + Math.abs(logOf(this.c * saddle.scale));
    const start = 1.5 / Math.sqrt(saddle.at.variance);
    this.run.openDecay(this.c);
    const end = new LineEnd(this.run, this.step, expOf(logLevel + layout.edge()), depth);
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
   * Computes log φ(τ) = log(M(c + iτ)/M(c)) at the nodes, and from it the nodes' weights by `contourWeights`. The errors of a sum over nodes are at
   * most `rounding` + |x|·`roundingByX`, and `quadrature`.
   */
  private fill(): bool {
    const n = this.n;
    this.room = (n + 3) & ~3;
    this.weights = take(6 * this.room);
    const start = mark();
    const line = new LogPhi(this.c, this.step, n, (n + 31) & ~31);
    if (!this.run.fill(line)) return false;
    spend(60 * <f64>n);
    const bounds = take(9);
    contourWeights(line.rows, line.room, n, this.step, this.c, 0, this.weights, bounds);
    this.rounding = loadF64(bounds);
    this.roundingByX = loadF64(bounds, 8);
    this.quadrature = loadF64(bounds, 16);
    release(start);
    return true;
  }

  /**
   * The bracket of log δ(x), x any ε. It is the trapezoidal sum less the known aliases, widened by rounding, quadrature, truncation and aliasing
   * errors (contour.md 1, 2). Ensures: log δ(x) lies between `lower` and `upper`.
   */
  answer(x: f64): void {
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
    const sum = loadF64(at, 16);
    this.logFpr = this.logM - this.c * x + logOf(Math.max(loadF64(at, 32), 1e-300));
    const s = this.c - 1;
    const base = this.logM - s * x;
    const terms = 3 * Math.abs(this.logM) + 4 * Math.abs(s * x) + 2 * Math.abs(base) + 8;
    const baseError = this.logMError + U * terms;
    known.set(x, base);
    const sizes = known.sizes;
    const isNear = Math.abs(x) <= REACH / (6 * U * <f64>this.n * this.step);
    const ofSum = isNear ? this.rounding + Math.abs(x) * this.roundingByX : Infinity;
    const rounding =
      ofSum + U * 8 * (Math.abs(sum) + sizes) + sizes * (8 * U + 1.1 * expm1Of(baseError + known.relative));
    const error = rounding + this.quadrature + this.truncation;
    const aliasAbove = above.at(x, base);
    const aliasBelow = below.at(x, base);
    const value = sum - known.value;
    const most = value + error + (known.isPartial ? aliasBelow : 0);
    const least = value - error - aliasAbove - (known.isPartial ? 0 : aliasBelow);
    const upper = most > 0 && baseError < Infinity ? base + logOf(most) + baseError : Infinity;
    const lower = least > 0 ? base + logOf(least) - baseError : -Infinity;
    const size = Math.max(least, 1e-300);
    this.errors.rounding = rounding / size + baseError;
    this.errors.quadrature = this.quadrature / size;
    this.errors.truncation = this.truncation / size;
    this.aliasing = (aliasAbove + aliasBelow) / size;
    this.set(Math.min(lower, upper), upper);
  }

  /**
   * Sets the bracket, after adding the Q-mass that the truncation of the laws removed to the upper end (contour.md 1). Ensures: `upper` is no less
   * than log of the sum.
   */
  private set(lower: f64, upper: f64): void {
    this.lower = lower;
    const lost = this.run.logLostQ;
    if (lost > -Infinity && upper < Infinity) {
      // log(e^upper + e^lost) ≤ upper + e^{lost − lower}
      const share = expOf(Math.min(0, lost - lower));
      const slack = 1e-15 * Math.abs(upper) + 1e-12 * share;
      upper = (share < 1e-7 ? upper + share : logSum(upper, lost)) + slack;
    }
    this.upper = Math.min(0, upper);
    // δ ≤ 1
    this.lower = Math.min(lower, this.upper);
  }
}
