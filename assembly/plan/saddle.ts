/**
 * Heuristic: saddle points of M(z)e^{−(z−1)ε}/(z(z − 1)) on the real axis, right of the pole at 1 or between the poles at 0 and 1. Brackets hold for a
 * contour of any tilt.
 */
import { Composed, Cumulant } from '../law/law.js';
import { logOf } from '../functions/scalar.js';

const SQRT_2PI: f64 = 2.5066282746310002;
const MOST_STEPS = 60;
/** Tolerances of the searches: NEAR for log δ; NEAR_EPSILON for ε, in units of `Saddle.scale`. */
const NEAR: f64 = 0.2;
const NEAR_EPSILON: f64 = 0.3;
/** Excess kurtosis of the tilted loss above which losses are of several scales, so that bands suit better than one contour. */
const EXCESS: f64 = 2.9;
/** Distance of the tilts whose variances give the kurtosis, in units of 1/standard deviation. */
const NEARBY: f64 = 0.3;

/** An ε, with approximate log δ(ε). */
export class Place {
  constructor(
    public epsilon: f64,
    public logDelta: f64,
  ) {}
}

/**
 * The saddle point with tilt c = 1 + s, the ε it belongs to, and log δ(ε) by the saddle-point approximation: M(c)e^{−sε}/(|s|(1 + s)scale√2π). Between
 * the poles, s < 0, `logDelta` is log(1 − δ(ε)) instead.
 */
export class Saddle extends Place {
  readonly scale: f64;
  /**
   * Heuristic: ε = K′(c) − 1/s − 1/(1 + s) at c = 1 + s, with K = log M the cumulant generating function. The curvature of the integrand's logarithm
   * is scale² = K″(c) + 1/s² + 1/(1 + s)². They enter no bound.
   * @param s The tilt minus 1.
   * @param at The cumulant at the tilt c = 1 + s.
   */
  constructor(
    readonly s: f64,
    readonly at: Cumulant,
  ) {
    super(at.mean - 1 / s - 1 / (1 + s), 0);
    this.scale = Math.sqrt(at.variance + 1 / (s * s) + 1 / ((1 + s) * (1 + s)));
    this.logDelta = at.value - s * this.epsilon - logOf(Math.abs(s) * (1 + s)) - logOf(SQRT_2PI * this.scale);
  }
  isKnown(): bool {
    return this.logDelta > -Infinity && this.logDelta < Infinity;
  }
  /** Approximate log of the false positive rate −e^{−ε}dδ/dε at the saddle point. */
  logRate(): f64 {
    return this.logDelta - this.epsilon + logOf(Math.abs(this.s));
  }
  /** Approximate ε with log δ(ε) = logDelta near this saddle point, as d log δ/dε ≈ −s. */
  epsilonAt(logDelta: f64): f64 {
    return this.epsilon + (this.logDelta - logDelta) / this.s;
  }
}

/** The saddle point with tilt 1 + s. */
export function saddleOf(run: Composed, s: f64): Saddle {
  return new Saddle(s, run.approximate(1 + s));
}

/**
 * Heuristic: whether losses are of several scales. The excess kurtosis of the tilted loss, from second differences of its variance, exceeds EXCESS.
 */
export function areApart(run: Composed, saddle: Saddle): bool {
  const variance = saddle.at.variance;
  const h = NEARBY / Math.sqrt(variance);
  if (!(h < saddle.s)) return false;
  const after = saddleOf(run, saddle.s + h).at.variance;
  const before = saddleOf(run, saddle.s - h).at.variance;
  return after - 2 * variance + before > EXCESS * h * h * variance * variance;
}

/**
 * Heuristic: the saddle point for a contour that serves two places. Its tilt 1 + s is between those of `saddles`, and M(1 + s)e^{−sε}/δ(ε) is about
 * the same at both places.
 */
export function saddleBetween(run: Composed, saddles: Saddle[], from: Place, to: Place): Saddle {
  const chord = (from.logDelta - to.logDelta) / (to.epsilon - from.epsilon);
  // where rare large losses begin to dominate, log δ is steeper than at any saddle point: the tilt is clamped
  return saddleOf(run, Math.max(saddles[0].s, Math.min(saddles[1].s, chord)));
}

/** Heuristic: root search for a tilt within a bracket, by Newton's steps where they stay inside, else by bisection. */
class Search {
  low: f64 = 0;
  high: f64 = Infinity;
  /** The saddle point of the largest tilt found to be too small. */
  last: Saddle;
  constructor(
    private run: Composed,
    public saddle: Saddle,
  ) {
    this.last = saddle;
  }
  /**
   * Heuristic: one step of the search, given whether the present tilt is too small, to Newton's tilt or to the middle of the bracket. Returns whether
   * the search continues.
   */
  next(isLow: bool, newton: f64): bool {
    if (isLow) {
      this.low = this.saddle.s;
      this.last = this.saddle;
    } else this.high = this.saddle.s;
    if (this.high < 1.02 * this.low) {
      if (!this.saddle.isKnown()) this.saddle = this.last;
      return false;
    }
    let s = newton;
    if (!(s > this.low && s < this.high)) {
      if (this.high === Infinity) s = 2 * this.low;
      else s = this.low === 0 ? this.high / 4 : Math.sqrt(this.low * this.high);
    }
    this.saddle = saddleOf(this.run, s);
    return true;
  }
}

/** Heuristic: the saddle point with log δ within NEAR of `target`, by Newton's method within a bracket. If log δ(0) is less, the one of ε = 0. */
export function saddleFor(run: Composed, target: f64): Saddle {
  const unit = Math.sqrt(run.approximate(1).variance);
  const most = run.steepest > 1 ? 0.8 * (run.steepest - 1) : 1;
  const s = Math.min((0.9 * Math.sqrt(-2 * target)) / unit, most);
  const search = new Search(run, saddleOf(run, s));
  for (let i = 0; i < MOST_STEPS; i++) {
    const saddle = search.saddle;
    const miss = saddle.logDelta - target;
    if (saddle.isKnown() && Math.abs(miss) < NEAR) break;
    // d log δ/ds = −s·scale²
    const square = saddle.s * saddle.s + (2 * miss) / (saddle.scale * saddle.scale);
    const newton = saddle.isKnown() && square > 0 ? Math.sqrt(square) : NaN;
    if (!search.next(saddle.isKnown() && miss > 0, newton)) break;
  }
  return search.saddle.epsilonAt(target) < 0 ? saddleAt(run, 0) : search.saddle;
}

/**
 * Heuristic: the saddle point whose ε is within NEAR_EPSILON·scale of x, by Newton's method within a bracket.
 * @param near A saddle point at another ε, from which the search starts.
 */
export function saddleAt(run: Composed, x: f64, near: Saddle | null = null): Saddle {
  let s: f64 = NaN;
  if (near !== null && near.isKnown()) {
    const moved = near.s + (x - near.epsilon) / (near.scale * near.scale);
    s = moved > 0.1 * near.s ? moved : 0.1 * near.s;
  }
  if (!(s < Infinity)) {
    const here = run.approximate(1);
    s = Math.max(0.5 / Math.sqrt(here.variance), (x - here.mean) / here.variance);
  }
  const search = new Search(run, saddleOf(run, s));
  for (let i = 0; i < MOST_STEPS; i++) {
    const saddle = search.saddle;
    const miss = saddle.epsilon - x;
    if (saddle.isKnown() && Math.abs(miss) < NEAR_EPSILON * saddle.scale) break;
    const newton = saddle.isKnown() ? saddle.s - miss / (saddle.scale * saddle.scale) : NaN;
    if (!search.next(saddle.isKnown() && miss < 0, newton)) break;
  }
  return search.saddle;
}

/**
 * Heuristic: the saddle point at a larger tilt than `first` whose log false positive rate is within ½ of `target`. By Newton's method within a
 * bracket, d log FPR/ds ≈ −(1 + s)·scale².
 */
export function saddleForRate(run: Composed, first: Saddle, target: f64): Saddle {
  let low = first.s;
  let high: f64 = Infinity;
  let saddle = first;
  for (let i = 0; i < 40; i++) {
    const miss = saddle.logRate() - target;
    if (saddle.isKnown() && Math.abs(miss) < 0.5) break;
    if (saddle.isKnown() && miss > 0) low = saddle.s;
    else high = saddle.s;
    if (high < 1.02 * low) break;
    // the integral of d log FPR/ds ≈ −(1 + s)·scale² with constant scale
    const unit = 1 + saddle.s;
    const square = unit * unit + (2 * miss) / (saddle.scale * saddle.scale);
    const newton = saddle.isKnown() && square > 0 ? Math.sqrt(square) - 1 : NaN;
    const next = high < Infinity ? Math.sqrt(low * high) : 2 * low;
    saddle = saddleOf(run, newton > low && newton < high ? newton : next);
  }
  return saddle;
}

/**
 * Heuristic: the saddle point between the poles, −1 < s < 0, whose ε is within NEAR_EPSILON·scale of x, by Newton's method within a bracket. ε rises
 * with s from −∞ to ∞.
 */
function saddleBetweenPoles(run: Composed, x: f64): Saddle {
  let low: f64 = -1;
  let high: f64 = 0;
  let saddle = saddleOf(run, -0.5);
  for (let i = 0; i < MOST_STEPS && saddle.isKnown(); i++) {
    const miss = saddle.epsilon - x;
    if (Math.abs(miss) < NEAR_EPSILON * saddle.scale) break;
    if (miss < 0) low = saddle.s;
    else high = saddle.s;
    const newton = saddle.s - miss / (saddle.scale * saddle.scale);
    saddle = saddleOf(run, newton > low && newton < high ? newton : 0.5 * (low + high));
  }
  return saddle;
}

/** Where log(1 − δ) is above this, the contour is laid where the integral is δ, not 1 − δ. */
const NEAR_HALF: f64 = -0.7;

/**
 * Heuristic: a saddle point for ε = x. Where δ is near 1 it lies between the poles, where the integral is 1 − δ. Else it lies right of the pole at 1,
 * where the integral is δ.
 */
export function saddleOnEitherSide(run: Composed, x: f64): Saddle {
  // where δ is above about ½, x is below the mean loss under Q
  if (!(x < run.approximate(1).mean)) return saddleAt(run, x);
  const saddle = saddleBetweenPoles(run, x);
  return saddle.isKnown() && saddle.logDelta < NEAR_HALF ? saddle : saddleAt(run, x);
}
