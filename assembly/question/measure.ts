/**
 * The μ of a run, and the regret of publishing it (docs/proofs/regret.md 4 and 6 to 8). That μ is the smallest whose Gaussian trade-off function G_μ
 * is at most the run's trade-off function f. Only error rates in a window count: those of at least a given rate. Both numbers come from supporting
 * lines of f. The number of lines grows until the bracket is narrow.
 */
import { BestTests } from './best-tests.js';
import { logFprBelow, muAtCorner, muAtEdge, muBeside, muBetween } from '../bound/lines-below.js';
import { Curve } from './curve.js';
import { storeF64 } from '../lane/memory.js';
import { askOpen, endOf } from './opened.js';
import { AT, LOWER, NEXT, OWN, Points, UPPER } from './points.js';
import { Regret } from './regret.js';
import { isSpent, workCharged } from '../lane/room.js';
import { expm1Of, logOf } from '../functions/scalar.js';

/** Number of ε at first. */
const FIRST: usize = 8;
/** An interval between two neighbouring ε is divided into at most this many parts. */
const MOST_PARTS: f64 = 8;
const MOST_PASSES = 14;
/** Limit of the number of ε: with more, the error of δ dominates that of μ. */
const MANY: usize = 800;
/** An interval of ε is not split if at least this share of its error of μ comes from the brackets of δ. */
const BY_WIDTH: f64 = 0.9;
/** Intervals of ε are split until their error of μ is below this share of the tolerance. */
const AIM: f64 = 2e-4;
/** The fixed point of f has to exceed the smallest rate of the window by a factor e^{INSIDE}. */
const INSIDE: f64 = 0.05;

/** The bracket of μ for one question. */
export class Measure {
  /** Bracket of μ. */
  lower: f64 = 0;
  upper: f64 = Infinity;
  /** Approximate ε of the supporting line that touches f at the smallest rate of the window. */
  head: f64 = 0;
  private tests: BestTests;

  /**
   * @param logAlpha log of the smallest error rate of the window.
   * @param tolerance The relative width of μ aimed at.
   */
  constructor(
    curve: Curve,
    readonly points: Points,
    private logAlpha: f64,
    private tolerance: f64,
  ) {
    this.tests = new BestTests(curve);
  }

  /**
   * Sets the bracket of the smallest μ with f ≥ G_μ, the Gaussian trade-off function, where α and f(α) are at least e^{logAlpha}. Returns whether
   * there is one: not if the window may contain no such rates. Ensures: that μ lies in the bracket (regret.md 4, 6, 7).
   */
  find(): bool {
    const points = this.points;
    if (!points.insert(0, 0)) return false;
    // (1 − δ(0))/2 is the fixed point of f: it has to lie in the window for certain
    if (!(logOf(-expm1Of(points.get(UPPER, 0)) / 2) > this.logAlpha + INSIDE)) return false;
    this.lower = muBeside(0, points.get(LOWER, 0), -1);
    this.head = this.tests.slopeAt(this.logAlpha, this.lower);
    if (!(this.head > 0)) return false;
    this.tests.find(this.logAlpha, this.head, this.head);
    this.head = this.tests.place;
    for (let i: usize = 1; i <= FIRST; i++)
      if (!points.insert(i, (this.head * <f64>i) / <f64>FIRST)) return false;
    const edge = muAtEdge(this.head, points.get(UPPER, FIRST), this.logAlpha);
    this.raise(muBetween(this.logAlpha, this.tests.lower, -1));
    for (let pass = 0; pass < MOST_PASSES && !isSpent(); pass++) {
      this.lookAt();
      this.upper = Math.max(Math.max(edge, this.lower), this.worst());
      if (!this.refine()) break;
    }
    return this.upper < Infinity && !isSpent();
  }

  private raise(mu: f64): void {
    if (mu > this.lower) this.lower = mu;
  }

  /**
   * Raises the lower end of μ to the μ with δ_μ(ε) = δ, rounded down. δ is the lower end at a point's ε, δ_μ the profile of N(0, 1) and N(μ, 1). This
   * holds if the false positive rate there is certainly at least e^{logAlpha} (regret.md 6). The row OWN gets that μ, or NaN where the rate is not
   * certain. Ensures: `lower` is no more than μ.
   */
  private lookAt(): void {
    const points = this.points;
    for (let i: usize = 0; i + 1 < points.n; i++) {
      if (points.get(OWN, i) === points.get(OWN, i)) continue;
      const x = points.get(AT, i);
      const low = points.get(LOWER, i);
      const own = muBeside(x, low, -1);
      points.set(OWN, i, own);
      if (!(own > this.lower)) continue;
      const rate = logFprBelow(x, low, points.get(AT, i + 1), points.get(UPPER, i + 1));
      if (rate >= this.logAlpha) this.raise(own);
      else points.set(OWN, i, NaN);
    }
  }

  /**
   * The upper end of μ: the largest μ of the Gaussian trade-off functions through the intersections of neighbouring supporting lines (regret.md 7).
   * Ensures: no less than the μ that f needs where its slope is between those of the first and the last line.
   */
  private worst(): f64 {
    const points = this.points;
    let most: f64 = 0;
    for (let i: usize = 0; i + 1 < points.n; i++) {
      let mu = points.get(NEXT, i);
      if (!(mu === mu)) {
        mu = muAtCorner(
          points.get(AT, i),
          points.get(UPPER, i),
          points.get(AT, i + 1),
          points.get(UPPER, i + 1),
        );
        points.set(NEXT, i, mu);
      }
      most = Math.max(most, mu);
    }
    return most;
  }

  /**
   * Heuristic: splits the intervals between neighbouring ε whose error of μ, which is quadratic in their length, exceeds the wanted one. Returns
   * whether any was split.
   */
  private refine(): bool {
    const points = this.points;
    if (points.n > MANY) return false;
    const wanted = this.lower * (1 + AIM * this.tolerance);
    let more = false;
    for (let i = points.n - 1; i > 0; i--) {
      const mu = points.get(NEXT, i - 1);
      if (!(mu > wanted) || mu - this.leastAt(i - 1) > BY_WIDTH * (mu - this.lower)) continue;
      const own = this.ownOf(i - 1);
      const next = i + 1 < points.n ? this.ownOf(i) : own;
      const room = Math.max(wanted - Math.max(own, next), 0.5 * (wanted - this.lower));
      const parts = Math.ceil(1.1 * Math.sqrt((mu - 0.5 * (own + next)) / room));
      if (points.part(i - 1, Math.max(2, Math.min(MOST_PARTS, parts)))) more = true;
    }
    return more;
  }

  /** Heuristic: the μ of two neighbouring supporting lines if δ were at its lower ends. */
  private leastAt(i: usize): f64 {
    const points = this.points;
    const from = points.get(AT, i);
    return muAtCorner(from, points.get(LOWER, i), points.get(AT, i + 1), points.get(LOWER, i + 1));
  }

  /** The μ of the i-th point, or the lower end where it is not known. */
  private ownOf(i: usize): f64 {
    const own = this.points.get(OWN, i);
    return own === own ? own : this.lower;
  }
}

/**
 * The bracket of μ of the open run where both error rates are at least e^{logAlpha} (`Measure.find`, regret.md 4, 6, 7). Also that of the regret of
 * publishing it if `withRegret` (regret.md 8), else [0, 1]. Eight numbers go to `out`: the bracket of μ, units of work, and the bracket of the regret.
 * Then come the approximate ε of the window's smallest rate, the number of points, and 0. Ensures: both brackets hold where 0 is returned.
 * @param tolerance The relative width of μ aimed at.
 * @param allowance Units of work that it may cost.
 * @returns 0 where the brackets hold, 1 where there are none, 2 where the allowance is spent.
 */
export function runMeasure(logAlpha: f64, tolerance: f64, allowance: f64, withRegret: bool, out: usize): f64 {
  const run = askOpen(allowance);
  const measure = new Measure(run.curve, run.points, logAlpha, tolerance);
  const isAsked = run.isRun() && logAlpha < 0 && logAlpha > -Infinity && tolerance > 0;
  let isAnswered = isAsked && measure.find();
  const regret = new Regret(measure.points, measure.lower, measure.upper);
  if (isAnswered && withRegret) isAnswered = regret.find();
  storeF64(out, measure.lower);
  storeF64(out, measure.upper, 8);
  storeF64(out, workCharged(isAnswered), 16);
  storeF64(out, regret.lower, 24);
  storeF64(out, regret.upper, 32);
  storeF64(out, measure.head, 40);
  storeF64(out, <f64>measure.points.n, 48);
  storeF64(out, 0, 56);
  return endOf(isAnswered);
}
