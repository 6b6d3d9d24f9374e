import type { Shape } from '../../law/pair.js';
import { aroundRelative, type Bracket, bracket, exactly } from '../../numeric/bracket.js';
import { U } from '../../numeric/constants.js';
import { logComplement, logSum, outward } from '../../numeric/log-arithmetic.js';
import { padLogProbability } from '../../numeric/log-probability.js';
import { FEW_ROUNDINGS, ROUNDINGS } from '../../numeric/rounding.js';
import { exp, expm1, log } from '../../numeric/scalar.js';
import { firstWhere } from '../../numeric/solve.js';
import type { CertifiedTest, DirectedRun } from '../../run/directed-run.js';
import { BoxSum, UNDERFLOW } from './box-sum.js';

/** Largest number of multiplications to prepare a run, about 0.1 s. Only speed depends on it. */
const MAX_WORK = 5e7;
/** Largest sum of the ε₀ of all steps: beyond, e^{y/2} could overflow for losses y. */
const MAX_LOSS = 500;

/**
 * A run of n = `count` releases of Laplace noise, or of a bounded-range mechanism, of one ε₀. It has closed forms by B-splines. One loss y has
 * P-density w e^{−y/2} and Q-density w e^{y/2} on (−ε₀, ε₀), and atoms at both ends. So S = e^{y/2}P = e^{−y/2}Q is one symmetric measure: constant
 * inside, with two equal atoms, of total mass s. For the composition
 *   δ(ε) = s^n e^{ε/2} E[2 sinh((y − ε)/2)⁺],  FPR(ω) = s^n E[e^{−y/2}; y > ω],  TPR(ω) = s^n E[e^{y/2}; y > ω],
 * where y has the n-fold convolution S^{*n}/s^n, which `BoxSum` evaluates.
 *
 * Ensures: each bracket holds the answer, roundings of the splines included.
 *
 * @returns undefined where that would take more than `MAX_WORK`.
 */
export function splineRun(shape: Shape, count: number): DirectedRun | undefined {
  const { range, weight, atom } = shape;
  const ends = atom * exp(-range / 2);
  const odds = atom === 0 ? Infinity : (weight * range) / ends;
  if (!(count * range <= MAX_LOSS && range >= 1e-290)) return undefined;
  if (!(BoxSum.work(count, range, odds) <= MAX_WORK)) return undefined;
  // total mass s = 2(wε₀ + a e^{−ε₀/2}), a the atom's mass at −ε₀ under P
  return new SplineRun(
    range,
    count,
    new BoxSum(count, range, odds),
    count * log(2 * (weight * range + ends)),
  );
}

/** The end of a bracket that is computed: lower (−1) or upper (1). */
type Side = 1 | -1;

class SplineRun implements DirectedRun {
  readonly direction = 'both';
  readonly method = 'closed-form';
  readonly logInfinity = exactly(-Infinity);
  readonly largestLoss: Bracket;
  private readonly top: number;
  private readonly logError: number;
  private readonly knots: Float64Array;

  /**
   * Prepares the knots (2i − n)ε₀ and `logError`, a bound of the rounding errors that all answers share.
   * @param logMass log s^n, the log of the total mass of S^{*n} (`splineRun`).
   */
  constructor(
    private readonly range: number,
    private readonly count: number,
    private readonly sum: BoxSum,
    private readonly logMass: number,
  ) {
    this.top = count * range;
    this.largestLoss = aroundRelative(this.top, 8 * U);
    this.logError = ROUNDINGS + sum.error + U * (8 * Math.abs(logMass) + 12 * this.top + 8 * count);
    this.knots = Float64Array.from({ length: count + 1 }, (_, i) => (2 * i - count) * range);
  }

  /**
   * log δ(ε) = log(s^n e^{ε/2} E[2 sinh((y − ε)/2)⁺]) by B-splines (`splineRun`); near δ = 1 also as log of 1 minus 1 − δ. Ensures: it lies in the
   * bracket.
   */
  logDelta(epsilon: number): Bracket {
    const { top } = this;
    if (epsilon > top * (1 + 8 * U)) return exactly(-Infinity);
    if (epsilon < -top) return padLogProbability(logComplement(epsilon));
    const upper = Math.min(0, this.logExcess(epsilon, 1));
    const lower = Math.min(upper, this.logExcess(epsilon, -1));
    if (lower < -0.1) return bracket(lower, upper);
    // 1 − δ = E_Q[min(1, e^{ε−L})] = s^n e^{ε/2}(E[e^{−(y+ε)/2}; y ≥ −ε] + E[e^{−(y−ε)/2}; y > ε])
    const rest = (side: Side): number =>
      epsilon / 2 + logSum(this.logDecline(-epsilon, side), this.logDecline(epsilon, side)) + side * U * 8;
    const least = outward(logComplement(Math.min(0, rest(1))), -1);
    return bracket(Math.max(lower, least), Math.min(upper, outward(logComplement(rest(-1)), 1)));
  }

  /** The test that rejects where the loss L exceeds ω, its rates by B-splines (`splineRun`). Ensures: log TPR rounded down, log FPR up. */
  test(omega: number): CertifiedTest {
    const { top, sum } = this;
    if (omega > top * (1 + 8 * U)) return { logFpr: -Infinity, logTpr: -Infinity };
    if (omega < -top * (1 + 8 * U)) return { logFpr: 0, logTpr: 0 };
    // within rounding of an atom the threshold is put just above it, so that the test accepts there
    const atom = this.knots[Math.round((Math.min(top, Math.max(-top, omega)) / this.range + this.count) / 2)];
    const reach = 2 * this.reach(omega);
    const x = Math.abs(omega - atom) <= reach ? atom + reach : omega;
    const logFpr = Math.min(0, this.logDecline(x, 1) - x / 2 + U * (2 + Math.abs(x)));
    // Q(L ≤ x) = E[e^{−y/2}; y ≥ −x] s^n
    const logFnr = this.logDecline(-x, 1) + x / 2 + U * (2 + Math.abs(x));
    if (logFnr < -1) return { logFpr, logTpr: outward(logComplement(logFnr), -1) };
    const high = x + this.reach(x);
    if (high >= top) return { logFpr, logTpr: -Infinity };
    const { i, t } = this.place(high);
    const tpr = log(Math.max(0, sum.rise(i, t) - UNDERFLOW * exp((top - x) / 2)));
    const slack = this.logError + U * (4 * Math.abs(tpr) + 4 * Math.abs(x) + 4);
    return { logFpr, logTpr: Math.min(0, tpr + x / 2 + this.logMass - slack) };
  }

  guessEpsilon(target: number): number {
    return this.guess(target, (i) => log(this.sum.excessAtKnot(i)) + this.logMass + this.knots[i] / 2);
  }

  guessOmega(target: number): number {
    return this.guess(target, (i) => log(this.sum.declineAtKnot(i)) + this.logMass - this.knots[i] / 2);
  }

  /** Bound of the error of a position x from roundings of ε₀, x and the place in a cell between knots. */
  private reach(x: number): number {
    return FEW_ROUNDINGS * (Math.abs(x) + this.top);
  }

  /** The knot i at or below x, and the fraction t of the cell of length 2ε₀ between it and x. */
  private place(x: number): { i: number; t: number } {
    const cells = (x / this.range + this.count) / 2;
    const i = Math.min(this.count - 1, Math.floor(cells));
    return { i, t: Math.min(cells - i, 1 - U) };
  }

  /** E[2 sinh((y − x)/2)⁺], rounded up (side 1) or down (−1), truncation error included. */
  private excess(x: number, side: Side): number {
    if (x >= this.top) return 0;
    const { i, t } = this.place(x);
    const lost = UNDERFLOW * exp((this.top - x) / 2);
    return Math.max(0, this.sum.excess(i, t) + side * lost) * (side > 0 ? 1 + this.sum.omitted : 1);
  }

  /** log(s^n e^{x/2} E[2 sinh((y − x)/2)⁺]). Ensures: no less (side 1) or no more (−1) than it. */
  private logExcess(x: number, side: Side): number {
    const value = log(this.excess(x - side * this.reach(x), side));
    return (
      value + this.logMass + x / 2 + side * (this.logError + U * (4 * Math.abs(value) + 4 * Math.abs(x)))
    );
  }

  /**
   * log(s^n E[e^{−(y − x)/2}; y > x]) by B-splines, the event y ≥ x for side 1. Ensures: no less (side 1) or no more (−1) than it, truncation error
   * included.
   */
  private logDecline(x: number, side: Side): number {
    const from = x - side * this.reach(x);
    if (from >= this.top) return -Infinity;
    const low = Math.max(-this.top, from);
    const { i, t } = this.place(low);
    let share = this.sum.decline(i, t) + side * UNDERFLOW;
    if (side > 0) {
      // truncation error: e^{−(y−x)/2} 1{y ≥ x} ≤ sinh((y − x + 2ε₀)/2)⁺/sinh(ε₀), which is convex in y as `BoxSum.omitted` requires
      const wider = this.excess(Math.max(-this.top, low - 2 * this.range), 1);
      share += (this.sum.omitted * wider) / (expm1(this.range) - expm1(-this.range));
    }
    const logShare = log(Math.max(0, share));
    const slack = this.logError + U * (4 * Math.abs(logShare) + 4 * Math.abs(x) + 4);
    return logShare + (x - low) / 2 + this.logMass + side * slack;
  }

  /**
   * Heuristic: approximate x where a decreasing function, given by its logarithm at the knots, reaches e^{target}; linear interpolation. It enters
   * no bound.
   */
  private guess(target: number, logValue: (i: number) => number): number {
    const high = Math.max(
      1,
      firstWhere(this.count, (i) => !(logValue(i) > target)),
    );
    const low = high - 1;
    const [from, to] = [logValue(low), logValue(high)];
    const share = to > -Infinity ? (from - target) / (from - to) : 0.5;
    return Math.max(0, this.knots[low] + 2 * this.range * Math.min(1, Math.max(0, share)));
  }
}
