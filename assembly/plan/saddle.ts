/** Saddle points of M(z)e^{−(z−1)ε}/(z(z − 1)) right of the pole at 1. Plans: nothing of them enters a bracket but the tilt. */
import { Composed, Cumulant } from '../law/law.js';
import { logOf } from '../scalar.js';

const SQRT_2PI: f64 = 2.5066282746310002;
const MOST_STEPS = 60;
/** How near, in log δ or in units of the saddle's own width, a saddle is near enough. */
const NEAR: f64 = 0.2;
const NEAR_EPSILON: f64 = 0.3;

/** About log δ at an ε. */
export class Place {
  constructor(
    public epsilon: f64,
    public logDelta: f64,
  ) {}
}

export class Saddle extends Place {
  readonly scale: f64;
  /** @param s c − 1. @param at The cumulant at c. */
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
  /** About the ε where log δ is this. */
  epsilonAt(logDelta: f64): f64 {
    return this.epsilon + (this.logDelta - logDelta) / this.s;
  }
}

/** The saddle at a tilt of 1 + s. */
export function saddleOf(run: Composed, s: f64): Saddle {
  return new Saddle(s, run.approximate(1 + s));
}

/** The saddle between two at which M(1 + s)e^{−sε} is larger than δ by the same at two places. */
export function saddleBetween(run: Composed, saddles: Saddle[], from: Place, to: Place): Saddle {
  const chord = (from.logDelta - to.logDelta) / (to.epsilon - from.epsilon);
  // where rare losses come in log δ is convex, and steeper than a saddle anywhere
  return saddleOf(run, Math.max(saddles[0].s, Math.min(saddles[1].s, chord)));
}

/** A search for a tilt between two, by Newton's steps where these stay between. */
class Search {
  low: f64 = 0;
  high: f64 = Infinity;
  /** The furthest saddle found whose tilt is too small. */
  last: Saddle;
  constructor(
    private run: Composed,
    public saddle: Saddle,
  ) {
    this.last = saddle;
  }
  /** Goes on from a saddle that is known to lie too low, or not, to the tilt that Newton's method says. Returns whether there is more to look for. */
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

/** The saddle whose δ is about e^{target}; where δ(0) is less, that of ε = 0. */
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

/** The saddle whose ε is about x. @param near One of another ε, from which the search begins. */
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
