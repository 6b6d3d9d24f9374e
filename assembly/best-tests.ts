/** What the best tests of a run reach, by δ alone: the power at a false positive rate, from both ends (docs/proofs/regret.md 4). */
import {
  leastByFour,
  logLineAt,
  logPowerOf,
  logSlopeOfFour,
  muBeside,
  setFour,
} from './bound/lines-below.js';
import { Curve } from './curve.js';
import { spend } from './room.js';
import { expm1Of, logOf, normalQuantileLogOf } from './scalar.js';

/** Distances of four ε's, in units of the first and ever shorter; how many are tried, and what a shorter distance gains at least. */
const APART: f64 = 0.03;
const SHORTER: f64 = 0.25;
const MOST_TRIES = 7;
const WORTH: f64 = 1e-13;
/** Slopes that differ by more than this factor, as a logarithm, do not tell where one lies between them; and where e^ε is too large to be squared. */
const UNEVEN: f64 = 3;
const LARGEST: f64 = 300;

export class BestTests {
  /** Bracket of log of the power at the last rate asked for; −∞ where nothing is known from below. */
  lower: f64 = -Infinity;
  upper: f64 = 0;
  /** About where f has the slope −e^ε at that rate. */
  place: f64 = 0;

  constructor(private curve: Curve) {}

  /** About where f has the slope −e^ε at α, below what the test at 0 has. It takes steps of the secant of −Φ⁻¹(FPR), which is nearly straight. NaN where it is not found. @param mu About the run's μ. */
  slopeAt(logAlpha: f64, mu: f64): f64 {
    const target = -normalQuantileLogOf(logAlpha);
    let last: f64 = 0;
    let lastValue = -normalQuantileLogOf(this.curve.logFpr) - target;
    const guess = mu * target - 0.5 * mu * mu;
    let x = guess > 0 ? guess : 0.5 * mu;
    for (let i = 0; i < 40; i++) {
      spend(350);
      if (!this.curve.at(x)) return NaN;
      const value = -normalQuantileLogOf(this.curve.logFpr) - target;
      const slope = (value - lastValue) / (x - last);
      if (!(slope > 0)) return NaN;
      last = x;
      lastValue = value;
      const next = x - value / slope;
      if (Math.abs(next - x) <= 1e-12 * x) return x;
      x = next > 0.1 * x ? Math.min(next, 3 * x) : 0.1 * x;
    }
    return NaN;
  }

  /** One of four ε's. Returns whether δ is known there. */
  private look(k: usize, x: f64, logAlpha: f64): bool {
    const curve = this.curve;
    if (!curve.at(x)) return false;
    setFour(k, x, curve.lower, curve.upper, logAlpha);
    this.upper = Math.min(this.upper, logLineAt(x, curve.upper, logAlpha));
    return true;
  }

  /** All four: beside the end of what is known closer ones may be. */
  private lookAround(at: f64, apart: f64, logAlpha: f64): bool {
    for (let k: usize = 0; k < 4; k++)
      if (!this.look(k, Math.max(0, at + (<f64>k - 1.5) * apart), logAlpha)) return false;
    return true;
  }

  /**
   * Sets the bracket. Ensures: log of the power of the best test at α lies in it; where `near` is 0 that holds up to the fixed point of f.
   *
   * @param near About where f has the slope −e^ε.
   * @param scale A distance of ε's at which f bends.
   */
  find(logAlpha: f64, near: f64, scale: f64): void {
    this.lower = -Infinity;
    this.upper = 0;
    this.place = near;
    const isCorner = near === 0;
    let at = near;
    let apart = APART * scale;
    for (let i = 0; i < MOST_TRIES; i++, apart *= SHORTER) {
      // the second of four lies at a corner, and the first there too
      if (isCorner) at = 0.5 * apart;
      if (!(apart > 0 && (isCorner || at - 1.5 * apart > 0) && at + 1.5 * apart < LARGEST)) break;
      if (!this.lookAround(at, apart, logAlpha)) continue;
      const power = logPowerOf(leastByFour(at, apart, isCorner), logAlpha);
      const gained = power - this.lower;
      if (gained > 0) this.lower = power;
      if (gained >= 0 && gained <= WORTH) break;
      if (isCorner) continue;
      // to where the slope in e^ε is that of the line through (1, α)
      const first = logSlopeOfFour(0);
      const last = logSlopeOfFour(2);
      const turn = (2 * apart) / (first - last);
      if (first - last < UNEVEN) at += Math.max(-2 * apart, Math.min(2 * apart, logSlopeOfFour(1) * turn));
      this.place = at;
    }
    this.lower = Math.min(this.lower, this.upper);
  }

  /** Sets the bracket at a rate of which nothing is known. Returns whether it is narrow: no rate beyond the fixed point of f has one. */
  at(logAlpha: f64): bool {
    const curve = this.curve;
    if (!curve.at(0)) return false;
    if (!(logOf(-expm1Of(curve.upper) / 2) > logAlpha)) return false;
    const mu = muBeside(0, curve.lower, -1);
    // what is less steep than −1 on both sides has its slope there
    const near = curve.logFpr > logAlpha ? this.slopeAt(logAlpha, mu) : 0;
    if (!(near >= 0)) return false;
    this.find(logAlpha, near, near > 0 ? near : mu);
    if (!curve.at(near)) return false;
    this.upper = Math.min(this.upper, logLineAt(near, curve.upper, logAlpha));
    return this.lower > -Infinity;
  }
}
