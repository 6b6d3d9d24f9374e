/**
 * The regret Δ(f, G_μ) of summarising a run by a Gaussian, f its symmetric trade-off function. It compares least weighted errors of tests
 * (docs/proofs/regret.md 1, 8).
 */
import { ROUNDINGS } from '../bound/lines-below.js';
import { AT, LOWER, NEXT, OWN, Points, UPPER } from './points.js';
import { isSpent, spend } from '../lane/room.js';
import { expm1Of, expOf, logOf, oneMinusDeltaGdpOf } from '../functions/scalar.js';

const ENOUGH: f64 = 2e-9;
const MOST_PASSES = 14;
/** Rounding error of weights and least errors: a few roundings of numbers below 1. */
const SLACK: f64 = 4e-15;
/** Where the tail behind the last ε matters, the next ε is larger by this factor. */
const FURTHER: f64 = 1.15;
/** Chords to points up to this many places away are considered: for near ones the error of δ dominates. */
const FURTHEST: usize = 64;

/** The weight w = 1/(1 + e^ε) of false positives whose least weighted error is attained at ε. */
function weightOf(epsilon: f64): f64 {
  const decay = expOf(-epsilon);
  return decay / (1 + decay);
}

export class Regret {
  /** Bracket of the largest regret over μ in [least, most]. */
  lower: f64 = 0;
  upper: f64 = 1;

  constructor(
    private points: Points,
    private least: f64,
    private most: f64,
  ) {}

  /** Lower and upper bound of the least error c_f at a point. */
  private lowAt(i: usize): f64 {
    return weightOf(this.points.get(AT, i)) * -expm1Of(this.points.get(UPPER, i)) - SLACK;
  }
  private highAt(i: usize): f64 {
    return weightOf(this.points.get(AT, i)) * -expm1Of(this.points.get(LOWER, i)) + SLACK;
  }
  /** The least error c of G_μ at an ε. */
  private gaussianAt(mu: f64, epsilon: f64): f64 {
    return weightOf(epsilon) * oneMinusDeltaGdpOf(mu, epsilon);
  }

  /**
   * Sets the bracket of the regret Δ(f, G_μ), μ anywhere in its bracket. Between the points chords of concave functions bound it (8); points are
   * added until the bracket is narrow. False where the allowance is spent. Ensures: the regret lies between `lower` and `upper`.
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
        // the error of a gap is quadratic in its length
        if (points.part(i - 1, own > reached + 4 * ENOUGH ? 4 : 2)) more = true;
      }
      this.upper = Math.min(1, Math.max(0, most) + ROUNDINGS);
      this.lower = Math.min(this.upper, Math.max(0, reached - ROUNDINGS));
      if (!more) return true;
    }
    return true;
  }

  /**
   * The steepest chord of c_f that ends at the i-th point from before. As c_f is concave, it lies below the continued chord. Before ε = 0 it is
   * mirrored. Ensures: no more than the slope of c_f there, roundings aside.
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
      most = Math.max(most, (high - this.lowAt(j)) / (other - weight));
    }
    return most;
  }

  /**
   * The flattest chord of c_f between the i-th point, at its upper bound `low`, and points behind it at their lower bounds; c_f(0) = 0 is one. c_f lies
   * below it continued (regret.md 8). Ensures: no less than the slope of c_f there, roundings aside.
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

  /** Upper bound of c_f − c_g between two neighbouring points. Ensures: no less than it, as c_f is concave and lies below continued chords (8). */
  private between(i: usize): f64 {
    spend(900);
    const points = this.points;
    const from = weightOf(points.get(AT, i));
    // between w = 0 and the last point, c_f ≤ w
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
