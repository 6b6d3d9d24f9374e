/**
 * The regret Δ(f, G_μ) of summarising a run by a Gaussian trade-off function G_μ. f is the run's own trade-off function, which is symmetric. The
 * regret is the largest difference c_f − c_G of least weighted errors of tests. The least weighted error is c_f(w) = min over α of (1 − w)α + w f(α)
 * (docs/proofs/regret.md 1, 8).
 */
import { ROUNDINGS } from '../bound/lines-below.js';
import { AT, LOWER, NEXT, OWN, Points, UPPER } from './points.js';
import { isSpent, spend } from '../lane/room.js';
import { expm1Of, expOf, logOf, oneMinusDeltaGdpOf } from '../functions/scalar.js';

/** Intervals between points are split where they may raise the regret by more than this. */
const ENOUGH: f64 = 2e-9;
const MOST_PASSES = 14;
/** Rounding error of weights and least errors: a few roundings of numbers below 1. */
const SLACK: f64 = 4e-15;
/** Where weights below that of the last ε matter, an ε larger by this factor is added. */
const FURTHER: f64 = 1.15;
/** Chords to points up to this many places away are tried; chords to near points suffer from the error of δ. */
const FURTHEST: usize = 64;

/** The weight w = 1/(1 + e^ε) for which c_f(w) is attained at ε: c_f(w) = w(1 − δ(ε)). A few roundings. */
function weightOf(epsilon: f64): f64 {
  const decay = expOf(-epsilon);
  return decay / (1 + decay);
}

export class Regret {
  /** Bracket of the largest regret over μ in [least, most]. */
  lower: f64 = 0;
  upper: f64 = 1;

  /**
   * @param points Brackets of δ of the run.
   * @param least, most The bracket of μ.
   */
  constructor(
    private points: Points,
    private least: f64,
    private most: f64,
  ) {}

  /** Lower and upper bound of the least weighted error c_f = w(1 − δ(ε)) at a point. */
  private lowAt(i: usize): f64 {
    return weightOf(this.points.get(AT, i)) * -expm1Of(this.points.get(UPPER, i)) - SLACK;
  }
  private highAt(i: usize): f64 {
    return weightOf(this.points.get(AT, i)) * -expm1Of(this.points.get(LOWER, i)) + SLACK;
  }
  /** The least weighted error w(1 − δ_μ(ε)) of the Gaussian trade-off function G_μ at the weight w of an ε; δ_μ is its profile. */
  private gaussianAt(mu: f64, epsilon: f64): f64 {
    return weightOf(epsilon) * oneMinusDeltaGdpOf(mu, epsilon);
  }

  /**
   * Sets the bracket of the regret Δ(f, G_μ), for every μ in its bracket. Between the points, continued chords bound the concave c_f, the least
   * weighted error of f (regret.md 8). Points are added until the bracket is narrow. False where the allowance is spent. Ensures: the regret lies
   * between `lower` and `upper`.
   */
  find(): bool {
    const points = this.points;
    points.forget();
    let reached: f64 = 0;
    for (let pass = 0; pass < MOST_PASSES; pass++) {
      for (let i: usize = 0; i < points.n; i++) {
        if (points.get(OWN, i) === points.get(OWN, i)) continue;
        spend(1500);
        points.set(OWN, i, this.gaussianAt(this.most, points.get(AT, i)));
        const other = this.gaussianAt(this.least, points.get(AT, i)) + SLACK;
        reached = Math.max(reached, this.lowAt(i) - other);
        if (i > 0) points.set(NEXT, i - 1, NaN);
      }
      if (isSpent()) return false;
      const behind = this.between(points.n - 1);
      const end = points.get(AT, points.n - 1);
      let most = behind;
      let more = behind > reached + ENOUGH && points.insert(points.n, FURTHER * end);
      for (let i = points.n - (more ? 2 : 1); i > 0; i--) {
        const own = this.between(i - 1);
        most = Math.max(most, own);
        if (!(own > reached + ENOUGH)) continue;
        // what an interval may add to the regret is quadratic in its length
        if (points.part(i - 1, own > reached + 4 * ENOUGH ? 4 : 2)) more = true;
      }
      this.upper = Math.min(1, Math.max(0, most) + ROUNDINGS);
      this.lower = Math.min(this.upper, Math.max(0, reached - ROUNDINGS));
      if (!more) break;
    }
    return !isSpent();
  }

  /**
   * The largest slope of chords of c_f between the i-th point and points before it. Points before ε = 0 are mirror images at w = ½. As c_f is
   * concave, it lies below the continued chord (regret.md 8). Ensures: no more than the slope of c_f there, roundings aside.
   */
  private riseBefore(i: usize, weight: f64, high: f64): f64 {
    const points = this.points;
    let most: f64 = -1;
    for (let away: usize = 1; away <= FURTHEST; away *= 2) {
      const j = away <= i ? i - away : away - i;
      if (j >= points.n) break;
      spend(80);
      const own = weightOf(points.get(AT, j));
      const other = away <= i ? own : 1 - own;
      most = Math.max(most, (this.lowAt(j) - high) / (other - weight));
    }
    return most;
  }

  /**
   * The least slope of chords of c_f between the i-th point and points behind it. The chord begins at the upper bound of c_f at the i-th point,
   * `low`. It ends at the lower bound of c_f at the other point. The point c_f(0) = 0 is one of these. c_f lies below the continued chord (regret.md
   * 8). Ensures: no less than the slope of c_f there, roundings aside.
   */
  private fallBehind(i: usize, weight: f64, low: f64): f64 {
    const points = this.points;
    let least = low / weight;
    for (let away: usize = 1; away <= FURTHEST && i + away < points.n; away *= 2) {
      spend(80);
      least = Math.min(least, (low - this.lowAt(i + away)) / (weight - weightOf(points.get(AT, i + away))));
    }
    return least;
  }

  /**
   * Upper bound of c_f − c_G between the weights of two neighbouring points. c_f lies below the continued chords on both sides, and the difference is
   * largest at an end or where the chords meet (regret.md 8). Ensures: no less than it.
   */
  private between(i: usize): f64 {
    spend(900);
    const points = this.points;
    const from = weightOf(points.get(AT, i));
    // between w = 0 and the weight of the last point, c_f ≤ w
    const isLast = i + 1 >= points.n;
    const to = isLast ? 0 : weightOf(points.get(AT, i + 1));
    const high = this.highAt(i);
    const low = isLast ? SLACK : this.highAt(i + 1);
    const other = isLast ? 0 : points.get(OWN, i + 1);
    const rise = this.riseBefore(i, from, high);
    const fall = isLast ? 1 : this.fallBehind(i + 1, to, low);
    const atFrom = high - points.get(OWN, i) + SLACK;
    const atTo = low - other + SLACK;
    const meeting = (low - high + rise * from - fall * to) / (rise - fall);
    if (meeting > to && meeting < from) {
      const epsilon = logOf((1 - meeting) / meeting);
      const weight = weightOf(epsilon);
      const most = Math.max(high + rise * (weight - from), low + fall * (weight - to));
      const there = most - this.gaussianAt(this.most, epsilon) + SLACK;
      return Math.max(Math.max(atFrom, atTo), there);
    }
    const first = Math.max(atFrom, high + rise * (to - from) - other + SLACK);
    const second = Math.max(atTo, low + fall * (from - to) - points.get(OWN, i) + SLACK);
    return Math.min(first, second);
  }
}
