import { type Bracket, bracket, ordered, overlap } from '../numeric/bracket.js';
import { complementTimes, logComplement, logSum, outward, sumAbove } from '../numeric/log-arithmetic.js';
import { probabilityOf } from '../numeric/log-probability.js';
import { FEW_ROUNDINGS, ROUNDING, TO_12_DIGITS } from '../numeric/rounding.js';
import { exp, expm1, log, log1p } from '../numeric/scalar.js';
import { crossing } from '../numeric/solve.js';
import type { CertifiedTest, DirectedRun } from './directed-run.js';
import { LARGEST_EPSILON } from './epsilon.js';
import { hullRun } from './hull-run.js';

/** Width of tests that only decide which part of the curve a rate lies in. */
const ROUGH = 0.1;
/** Distance of a log rate from that of the test at ω = 0, from which on such a test decides. Only speed and width depend on it. */
const FAR = 1;

/** One value of a trade-off curve, from both ends: log(1 − f(α)) and log f(α). */
export interface CurveValue {
  readonly logTpr: Bracket;
  readonly logFnr: Bracket;
}

/**
 * A trade-off function f = T(P, Q) with its bounds:
 * - From below, supporting lines f(α) ≥ 1 − δ(ε) − e^ε α. Slopes steeper than −1 come from the pair (P, Q) itself. Flatter
 *   ones are mirror images, at the diagonal, of lines of (Q, P).
 * - From above, tests, f(FPR) ≤ 1 − TPR, their mirror images, and mixtures of neighbouring ones.
 *
 * No small probability is ever computed as 1 minus a large one.
 */
export class TradeoffCurve {
  /** @param backward The exchanged pair, (Q, P); the same as `forward` for symmetric curves. */
  constructor(
    readonly forward: DirectedRun,
    readonly backward: DirectedRun = forward,
  ) {}

  /**
   * The curve of a mechanism whose neighbouring data sets may be exchanged: the convex hull of the lower
   * envelope of all directions' curves. Its δ is the largest at every ε ≥ 0 (Dong, Roth, Su 2022, proposition 2.4).
   */
  static symmetric(directions: readonly DirectedRun[]): TradeoffCurve {
    return new TradeoffCurve(hullRun(directions));
  }

  get isSymmetric(): boolean {
    return this.forward === this.backward;
  }

  /**
   * Bracket of log δ(ε), any real ε.
   *
   * Ensures: log δ(ε) lies in the bracket.
   */
  logDelta(epsilon: number, width?: number): Bracket {
    if (epsilon >= 0) return this.forward.logDelta(epsilon, width);
    return complementTimes(epsilon, this.backward.logDelta(-epsilon, width));
  }

  /** A certified test near the one that rejects when L > ω, any real ω. Ensures: some test has at most this FPR and at least this TPR. */
  test(omega: number, width?: number): CertifiedTest {
    if (omega >= 0) return this.forward.test(omega, width);
    // reject everything, including outputs that only P gives
    if (omega === -Infinity) return { logFpr: 0, logTpr: 0 };
    const { logFpr, logTpr } = this.backward.test(-omega, width);
    return { logFpr: outward(logComplement(logTpr), 1), logTpr: outward(logComplement(logFpr), -1) };
  }

  /** log(1 − f(α)) for log α ≤ 0; see `at`. Ensures: it lies in the bracket. */
  logTpr(logAlpha: number): Bracket {
    return this.at(logAlpha).logTpr;
  }

  /**
   * f(α) for log α ≤ 0, as its logarithm and that of 1 − f(α). The smaller of the two numbers has a small relative error. An α near 1
   * is given by log α = log1p(α − 1), which keeps the digits of 1 − α.
   *
   * Ensures: log f(α) and log(1 − f(α)) lie in their brackets.
   */
  at(logAlpha: number): CurveValue {
    if (logAlpha === -Infinity) return fromTpr(this.forward.logInfinity);
    if (logAlpha === 0) return fromFnr(bracket(-Infinity, -Infinity));
    const logPower = logComplement(logAlpha);
    let value: CurveValue;
    // The lines and tests of either part are valid at every α. So away from slope −1 a test of low accuracy may decide which part is used.
    if (logAlpha <= this.forward.test(0, ROUGH).logFpr - FAR) value = this.steep(logAlpha);
    else if (logPower <= this.backward.test(0, ROUGH).logTpr - FAR) value = this.flat(logPower);
    else if (logAlpha <= this.forward.test(0).logFpr) value = this.steep(logAlpha);
    else if (logPower <= this.backward.test(0).logTpr) value = this.flat(logPower);
    else value = this.middle(logAlpha, logPower);
    // no curve is above 1 − α
    return intersection(value, {
      logTpr: bracket(outward(logAlpha, -1), 0),
      logFnr: bracket(-Infinity, outward(logPower, 1)),
    });
  }

  /** 1 − f(α), α ∈ [0, 1]. */
  tpr(alpha: number): Bracket {
    return probabilityOf(this.at(log(alpha)).logTpr);
  }

  /** f(α), α ∈ [0, 1]. */
  fnr(alpha: number): Bracket {
    return probabilityOf(this.at(alpha > 0.5 ? log1p(alpha - 1) : log(alpha)).logFnr);
  }

  /** The thresholds between which the tests' false positive rate passes e^{logAlpha}: FPR(low) ≥ α ≥ FPR(high), low ≥ 0 or −∞. */
  omegaAtFpr(logAlpha: number): { low: number; high: number } {
    const { forward } = this;
    return this.turn(forward.guessOmega(logAlpha), (omega) => forward.test(omega).logFpr - logAlpha);
  }

  /** The thresholds between which the power of the exchanged pair's tests passes e^{logPower} = 1 − α: TPR(low) ≥ 1 − α ≥ TPR(high). */
  omegaAtPower(logPower: number): { low: number; high: number } {
    const { backward } = this;
    return this.turn(backward.guessEpsilon(logPower), (omega) => backward.test(omega).logTpr - logPower);
  }

  private turn(guess: number, excess: (omega: number) => number): { low: number; high: number } {
    const start = Math.max(0, guess);
    return crossing(excess, {
      guess: start,
      reach: 1e-3 * (start + 0.1),
      ceiling: LARGEST_EPSILON,
      relative: TO_12_DIGITS,
      absolute: TO_12_DIGITS,
    });
  }

  /** log f(α) and log(1 − f(α)) at an α where the slope of f is below −1, by supporting lines and by mixtures of tests. */
  private steep(logAlpha: number): CurveValue {
    const { forward } = this;
    const omega = this.omegaAtFpr(logAlpha);
    let logTprUpper = 0;
    let fnrLower = 0;
    for (const epsilon of slopesAt(omega)) {
      const logDelta = forward.logDelta(epsilon).upper;
      const logLine = epsilon + logAlpha;
      logTprUpper = Math.min(logTprUpper, sumAbove(logDelta, logLine));
      const line = exp(logLine) * (1 + ROUNDING * (1 + Math.abs(epsilon) + Math.abs(logAlpha)));
      fnrLower = Math.max(fnrLower, -expm1(logDelta) * (1 - ROUNDING) - line);
    }
    const mixed = mixture(forward, logAlpha, omega);
    const logFnrLower = fnrLower > 0 ? outward(log(fnrLower), -1) : -Infinity;
    return intersection(fromTpr(ordered(mixed.logTpr, logTprUpper)), {
      logTpr: bracket(-Infinity, 0),
      logFnr: ordered(logFnrLower, mixed.logFnr),
    });
  }

  /** log f(α) and log(1 − f(α)) at an α where the slope of f is above −1. There f(α) = β is the false positive rate of the exchanged pair's test of power 1 − α. */
  private flat(logPower: number): CurveValue {
    const { backward } = this;
    const omega = this.omegaAtPower(logPower);
    let lower = -Infinity;
    for (const epsilon of slopesAt(omega)) {
      // the supporting line f(α) ≥ e^{−ε}(1 − α − δ(ε)), δ that of the exchanged pair
      const logDelta = backward.logDelta(epsilon).upper;
      const size = 1 + Math.abs(logPower) + Math.abs(epsilon);
      const rest = -expm1(logDelta - logPower) - ROUNDING * (1 + Math.abs(logPower));
      if (rest > 0) lower = Math.max(lower, logPower - epsilon + log(rest) - ROUNDING * size);
    }
    return fromFnr(ordered(lower, mixedLogFpr(backward, logPower, omega)));
  }

  /** log f(α) and log(1 − f(α)) between the tests of both pairs that reject where L > 0. There the convex hull has the slope −1. */
  private middle(logAlpha: number, logPower: number): CurveValue {
    const a = this.forward.test(0);
    const b = this.backward.test(0);
    const start = exp(a.logFpr);
    const alpha = exp(logAlpha);
    const end = -expm1(b.logTpr);
    const from = -expm1(a.logTpr);
    const to = exp(b.logFpr);
    const share = end > start ? Math.min(1, Math.max(0, (end - alpha) / (end - start))) : 1;
    const upper = (share * from + (1 - share) * to + FEW_ROUNDINGS) * (1 + 2 * ROUNDING);
    const logDelta = this.forward.logDelta(0).upper;
    const lower = exp(logPower) * -expm1(logDelta - logPower) - 2 * ROUNDING;
    return fromFnr(ordered(lower > 0 ? log(lower) - ROUNDING : -Infinity, Math.min(0, log(upper))));
  }
}

/** The ε ≥ 0 of the supporting lines at two thresholds; ε = 0, of slope −1, stands for an infinite one. */
const slopesAt = ({ low, high }: { low: number; high: number }): number[] =>
  [low, high < Infinity ? high : 0].filter((epsilon) => epsilon >= 0);

/** A curve value known by log(1 − f(α)). */
export function fromTpr(logTpr: Bracket): CurveValue {
  const lower = outward(logComplement(logTpr.upper), -1);
  return { logTpr, logFnr: bracket(lower, outward(logComplement(logTpr.lower), 1)) };
}

function fromFnr(logFnr: Bracket): CurveValue {
  const lower = outward(logComplement(logFnr.upper), -1);
  return { logFnr, logTpr: bracket(lower, outward(logComplement(logFnr.lower), 1)) };
}

/** The intersection of two brackets of one value. */
export function intersection(a: CurveValue, b: CurveValue): CurveValue {
  return { logTpr: overlap(a.logTpr, b.logTpr), logFnr: overlap(a.logFnr, b.logFnr) };
}

/**
 * The mixture of the two neighbouring tests that has FPR exactly α.
 *
 * Ensures: a lower bound of its log TPR and an upper bound of its log FNR.
 */
function mixture(
  run: DirectedRun,
  logAlpha: number,
  omega: { low: number; high: number },
): { logTpr: number; logFnr: number } {
  if (!(omega.high < Infinity)) return { logTpr: -Infinity, logFnr: 0 };
  const strict = run.test(omega.high);
  // when the allowance of work is spent, the run may return another test for the same threshold
  if (strict.logFpr > logAlpha) return { logTpr: -Infinity, logFnr: 0 };
  const loose = omega.low === -Infinity ? strict : run.test(omega.low);
  const logW = logMixingWeight(strict.logFpr, loose.logFpr, logAlpha);
  if (logW === -Infinity) return { logTpr: strict.logTpr, logFnr: outward(logComplement(strict.logTpr), 1) };
  const w = exp(logW);
  const mix = logSum(logComplement(logW) + strict.logTpr, logW + loose.logTpr);
  const fnr = (1 - w) * -expm1(strict.logTpr) + w * -expm1(loose.logTpr);
  return {
    logTpr: mix === -Infinity ? mix : mix - ROUNDING * (1 + Math.abs(mix) / 8),
    logFnr: fnr > 0 ? Math.min(0, log(fnr) + ROUNDING) : -Infinity,
  };
}

/** Upper bound of the log FPR of the mixture of two tests whose power is e^{logPower}. */
function mixedLogFpr(run: DirectedRun, logPower: number, omega: { low: number; high: number }): number {
  if (omega.low === -Infinity) return 0;
  const loose = run.test(omega.low);
  if (loose.logTpr < logPower) return 0;
  let mix = loose.logFpr;
  if (omega.high < Infinity) {
    const strict = run.test(omega.high);
    const logW = logMixingWeight(strict.logTpr, loose.logTpr, logPower);
    mix = logSum(logComplement(logW) + strict.logFpr, logW + loose.logFpr);
  }
  return mix === -Infinity ? mix : Math.min(0, mix + 2 * ROUNDING * (1 + Math.abs(mix) + Math.abs(logPower)));
}

/** log of w with (1−w)e^a + w e^b = e^x, a ≤ x ≤ b, rounded down; −∞ where a and b coincide. */
function logMixingWeight(a: number, b: number, x: number): number {
  if (!(b > a) || x <= a) return -Infinity;
  const share = a === -Infinity ? 0 : log(-expm1(a - x)) - log(-expm1(a - b));
  return Math.min(0, x - b + share - ROUNDING * (1 + (Math.abs(x) + Math.abs(b)) / 8));
}
