/** The power of the most powerful test at a given false positive rate, bracketed from certified values of δ alone (docs/proofs/regret.md 4). */
import { FourPoints, logLineAt, logPowerOf, muBeside } from '../bound/lines-below.js';
import { Curve } from './curve.js';
import { spend } from '../lane/room.js';
import { expm1Of, logOf, normalQuantileLogOf } from '../functions/scalar.js';

/** Distance of the four ε at which δ is taken, in units of `scale` (see `find`). */
const APART: f64 = 0.03;
/** Ratio of the distances of the four ε in two consecutive tries. */
const SHORTER: f64 = 0.25;
/** Greatest number of tries. */
const MOST_TRIES = 7;
/** No further try follows one that raises the lower end of the log power by no more than this. */
const WORTH: f64 = 1e-13;
/**
 * The middle of the four ε moves only where two slopes of δ as a function of e^ε differ by less, in logarithms. One is between the first two ε, the
 * other between the last two.
 */
const UNEVEN: f64 = 3;
/** Largest ε that is tried: beyond, e^{2ε} would overflow. */
const LARGEST: f64 = 300;

/** Brackets of log power for one run. */
export class BestTests {
  /** Bracket of the log of the power at the last rate asked for; −∞ where there is no lower bound. */
  lower: f64 = -Infinity;
  upper: f64 = 0;
  /** Approximate ε at which the trade-off function f has the slope −e^ε at that rate. */
  place: f64 = 0;
  private readonly four: FourPoints = new FourPoints();

  constructor(private curve: Curve) {}

  /**
   * Heuristic: the ε at which the trade-off function f has the slope −e^ε at α = e^{logAlpha}. This α is below the false positive rate at ε = 0. The
   * secant method solves for −Φ⁻¹(FPR(ε)), which is nearly linear in ε. NaN where no root is found.
   * @param mu An approximate μ of the run.
   */
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

  /**
   * Stores δ at the k-th of the four ε for `FourPoints`. Lowers `upper` to the log power at α that the supporting line of this ε allows. Returns
   * whether δ has a bracket there.
   */
  private look(k: usize, x: f64, logAlpha: f64): bool {
    const curve = this.curve;
    if (!curve.at(x)) return false;
    this.four.set(k, x, curve.lower, curve.upper, logAlpha);
    this.upper = Math.min(this.upper, logLineAt(x, curve.upper, logAlpha));
    return true;
  }

  /** `look` at all four ε around `at`. Returns false where δ is unknown at one of them. With shorter distances all four may lie where δ is known. */
  private lookAround(at: f64, apart: f64, logAlpha: f64): bool {
    for (let k: usize = 0; k < 4; k++)
      if (!this.look(k, Math.max(0, at + (<f64>k - 1.5) * apart), logAlpha)) return false;
    return true;
  }

  /**
   * Sets [lower, upper], a bracket of log(1 − f(α)), f the trade-off function. 1 − f(α) is the infimum of δ(log a) + aα over a ≥ 0 (regret.md 4).
   * `upper` comes from the least of the lines δ(ε) + e^ε α over the ε tried. `lower` follows from four values of δ by convexity (`FourPoints`).
   * Ensures: the log of the power of the best test at α lies in the bracket. `near` = 0 is valid only if α is at most the fixed point of f.
   * @param near Approximate ε where f has the slope −e^ε at α.
   * @param scale Distance of ε over which the slope of f changes.
   */
  find(logAlpha: f64, near: f64, scale: f64): void {
    this.lower = -Infinity;
    this.upper = 0;
    this.place = near;
    const isCorner = near === 0;
    let at = near;
    let apart = APART * scale;
    for (let i = 0; i < MOST_TRIES; i++, apart *= SHORTER) {
      // where f has a corner at its fixed point (ε = 0), the first and the second of the four ε are 0
      if (isCorner) at = 0.5 * apart;
      if (!(apart > 0 && (isCorner || at - 1.5 * apart > 0) && at + 1.5 * apart < LARGEST)) break;
      if (!this.lookAround(at, apart, logAlpha)) continue;
      const power = logPowerOf(this.four.leastAround(at, apart, isCorner), logAlpha);
      const gained = power - this.lower;
      if (gained > 0) this.lower = power;
      if (gained >= 0 && gained <= WORTH) break;
      if (isCorner) continue;
      // moves to the ε where the tangent of δ as a function of e^ε passes through (1, α)
      const first = this.four.logSlope(0);
      const last = this.four.logSlope(2);
      const turn = (2 * apart) / (first - last);
      if (first - last < UNEVEN)
        at += Math.max(-2 * apart, Math.min(2 * apart, this.four.logSlope(1) * turn));
      this.place = at;
    }
    this.lower = Math.min(this.lower, this.upper);
  }

  /**
   * Sets the bracket of the log power at the false positive rate α = e^{logAlpha}, without a guess of ε (regret.md 4). Returns false beyond the fixed
   * point of f, or where no lower bound is found. Ensures: the log power lies in the bracket.
   */
  at(logAlpha: f64): bool {
    const curve = this.curve;
    if (!curve.at(0)) return false;
    if (!(logOf(-expm1Of(curve.upper) / 2) > logAlpha)) return false;
    const mu = muBeside(0, curve.lower, -1);
    // an α of at least the false positive rate at ε = 0 lies on the segment of slope −1, around the fixed point
    const near = curve.logFpr > logAlpha ? this.slopeAt(logAlpha, mu) : 0;
    if (!(near >= 0)) return false;
    this.find(logAlpha, near, near > 0 ? near : mu);
    if (!curve.at(near)) return false;
    this.upper = Math.min(this.upper, logLineAt(near, curve.upper, logAlpha));
    return this.lower > -Infinity;
  }
}
