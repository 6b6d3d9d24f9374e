/**
 * One Poisson-subsampled Gaussian step, for which removal is the worse direction. In closed form δ(ε) = q·δ_μ(log(1 + (e^ε − 1)/q)), δ_μ that of the
 * Gaussian mechanism (docs/proofs/contour.md 18).
 */
import { U } from '../../src/kernel/constants.js';
import { Phases } from '../law/directions.js';
import { loadF64 } from '../lane/memory.js';
import { spend } from '../lane/room.js';
import { expm1Of, log1pOf, logDeltaGdpOf, logOf } from '../functions/scalar.js';
import { Brackets } from './brackets.js';

/** For larger ε, e^ε would overflow; 1 − q is negligible beside it. */
const LARGEST: f64 = 700;
/** Relative error of log δ_μ, the profile of the Gaussian mechanism (assembly/functions/gdp.ts). */
const SLACK: f64 = 2e-15;
const HALF_ROOT_2PI: f64 = 1.2533141373155003;
const EIGHT_BY_PI: f64 = 2.546479089470325;

export class SingleStep extends Brackets {
  private mu: f64;
  private q: f64;
  private logQ: f64;
  constructor(phases: Phases) {
    super();
    this.mu = loadF64(phases.at);
    this.q = loadF64(phases.at, 8);
    this.logQ = logOf(this.q);
  }

  /** Whether a run consists of one sampled Gaussian step. */
  static is(phases: Phases): bool {
    return phases.areSampled && phases.many === 1 && phases.square === 0 && loadF64(phases.at, 16) === 1;
  }

  /** The ε at which the profile δ_μ of the unsampled Gaussian is taken, log(1 + (e^x − 1)/q). */
  private inner(x: f64): f64 {
    return x < LARGEST ? log1pOf(expm1Of(x) / this.q) : x - this.logQ;
  }

  /**
   * The bracket of log δ(x) by the closed form, x ≥ 0 (contour.md 18). Ensures: log δ(x) lies between `lower` and `upper`. `logFpr`, log of the false
   * positive rate, is good to about one percent.
   */
  answer(x: f64): void {
    spend(1500);
    const inner = this.inner(x);
    // the relative error of a log1p is no more than that of its argument, and roundings
    const away = 8 * U * (inner + (x < LARGEST ? 0 : x));
    const slack = 4 * U * Math.abs(this.logQ);
    const most = logDeltaGdpOf(this.mu, Math.max(0, inner - away));
    const least = logDeltaGdpOf(this.mu, inner + away);
    const upper = most * (1 - SLACK) + this.logQ + slack;
    const lower = least * (1 + SLACK) + this.logQ - slack;
    this.upper = upper + U * Math.abs(upper);
    this.lower = lower - U * Math.abs(lower);
    if (!(this.lower <= this.upper)) {
      // log δ is below all doubles
      this.lower = -Infinity;
      this.upper = 0;
    }
    // Φ(−z) to about one percent, for the false positive rate
    const z = inner / this.mu + this.mu / 2;
    this.logFpr = -0.5 * z * z - logOf(HALF_ROOT_2PI * (z + Math.sqrt(z * z + EIGHT_BY_PI)));
  }

  /** Heuristic: an ε ≥ 0 with log δ(ε) about logDelta, by doubling and bisection to 1e-9 of itself. */
  near(logDelta: f64): f64 {
    let low: f64 = 0;
    let high: f64 = 1;
    for (this.answer(high); this.upper > logDelta && high < 1e300; this.answer(high)) {
      low = high;
      high *= 2;
    }
    while (high - low > 1e-9 * high && high > 1e-300) {
      const middle = 0.5 * (low + high);
      this.answer(middle);
      if (this.upper > logDelta) low = middle;
      else high = middle;
    }
    return high;
  }

  /** Heuristic: −d log δ/dε at x by a difference quotient, at least 1e-9. */
  slope(x: f64): f64 {
    const apart = 1e-4 * Math.max(x, 1e-9);
    this.answer(x);
    const before = this.upper;
    this.answer(x + apart);
    return Math.max(1e-9, (before - this.upper) / apart);
  }
}
