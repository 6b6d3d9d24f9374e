/** Saddle points of M(z)e^{−(z−1)ε}/(z(z − 1)) right of the pole at 1. Plans: only the tilt is used in brackets, and any tilt is valid. */
import { Composed, Cumulant } from '../law/law.js';
import { logOf } from '../functions/scalar.js';

const SQRT_2PI: f64 = 2.5066282746310002;
const MOST_STEPS = 60;
/** Tolerances of the search: in log δ, and in units of the saddle point's width. */
const NEAR: f64 = 0.2;
const NEAR_EPSILON: f64 = 0.3;
/** The excess kurtosis of the tilted loss above which losses are of several scales. */
const EXCESS: f64 = 2.9;
/** Distance of the tilts whose variances give it, in units of 1/standard deviation. */
const NEARBY: f64 = 0.3;

/** An ε, with approximate log δ(ε). */
export class Place {
  constructor(
    public epsilon: f64,
    public logDelta: f64,
  ) {}
}

export class Saddle extends Place {
  readonly scale: f64;
  /**
   * @param s c − 1.
   * @param at The cumulant at c.
   */
  constructor(
    readonly s: f64,
    readonly at: Cumulant,
  ) {
    super(at.mean - 1 / s - 1 / (1 + s), 0);
    this.scale = Math.sqrt(at.variance + 1 / (s * s) + 1 / ((1 + s) * (1 + s)));
    this.logDelta = at.value - s * this.epsilon - logOf(s * (1 + s)) - logOf(SQRT_2PI * this.scale);
  }
  isKnown(): bool {
    return this.logDelta > -Infinity && this.logDelta < Infinity;
  }
  /** Approximate ε with log δ(ε) = logDelta, near the saddle point's own. */
  epsilonAt(logDelta: f64): f64 {
    return this.epsilon + (this.logDelta - logDelta) / this.s;
  }
}

/** The saddle point whose tilt is 1 + s. */
export function saddleOf(run: Composed, s: f64): Saddle {
  return new Saddle(s, run.approximate(1 + s));
}

/** Whether losses are of several scales: the tilted loss has much excess kurtosis, by second differences of its variance. */
export function areApart(run: Composed, saddle: Saddle): bool {
  const variance = saddle.at.variance;
  const h = NEARBY / Math.sqrt(variance);
  if (!(h < saddle.s)) return false;
  const after = saddleOf(run, saddle.s + h).at.variance;
  const before = saddleOf(run, saddle.s - h).at.variance;
  return after - 2 * variance + before > EXCESS * h * h * variance * variance;
}

/** A tilt between saddle points for a contour that serves two places: M(1 + s)e^{−sε}/δ is the same at both. */
export function saddleBetween(run: Composed, saddles: Saddle[], from: Place, to: Place): Saddle {
  const chord = (from.logDelta - to.logDelta) / (to.epsilon - from.epsilon);
  // where rare losses come in, log δ is convex and steeper than at any saddle point
  return saddleOf(run, Math.max(saddles[0].s, Math.min(saddles[1].s, chord)));
}

/** Root search for a tilt within a bracket: Newton's steps where they stay inside, else bisection. */
class Search {
  low: f64 = 0;
  high: f64 = Infinity;
  /** The largest saddle point found whose tilt is too small. */
  last: Saddle;
  constructor(
    private run: Composed,
    public saddle: Saddle,
  ) {
    this.last = saddle;
  }
  /** Goes on from a saddle point, too low or not, to Newton's tilt or to the middle. Returns whether the search continues. Heuristic. */
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

/** The saddle point with log δ about `target`, to NEAR of it, by Newton's method within a bracket. If log δ(0) is less, the one of ε = 0. Heuristic. */
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
 * The saddle point whose ε is about x, to NEAR_EPSILON of its scale, by Newton's method within a bracket. Heuristic.
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
