import { type Bracket, bracket } from '../bracket.js';
import type { CertifiedTest, DirectedRun } from '../run/directed-run.js';
import { LARGEST_EPSILON } from '../run/epsilon.js';
import { turningPoint } from '../run/solve.js';
import { exp, expm1, log, log1p } from '../scalar.js';

/** Slack of the few roundings with which δ and tests are put together here. */
const ROUNDING = 4e-15;

/**
 * The trade-off curve f of a run whose neighbouring data sets may be exchanged: the convex hull of the
 * lower envelope of the two directions' curves (GDP prop. 2.12 and §2.2; MATH: δ of the hull is the
 * larger δ at every ε ≥ 0). It is enclosed
 * - from below by supporting lines: f(α) ≥ 1 − δ(ε) − e^ε α and its mirror image, for any ε ≥ 0;
 * - from above by tests: f(FPR) ≤ 1 − TPR, their mirror images, and mixtures of both.
 */
export class SymmetricCurve {
  constructor(readonly directions: readonly DirectedRun[]) {}

  /** Upper bound of log δ(ε), the larger of the directions. */
  upperLogDelta(epsilon: number): number {
    return Math.max(...this.directions.map((run) => run.logDelta(epsilon).upper));
  }

  lowerLogDelta(epsilon: number): number {
    return Math.max(...this.directions.map((run) => run.logDelta(epsilon).lower));
  }

  /**
   * log(1 − f(α)) for log α ≤ 0: relative accuracy of the power however small, and of the miss rate
   * −log(1 − f) where the power is near 1.
   */
  logTpr(logAlpha: number): Bracket {
    if (logAlpha === -Infinity) return bracket(-Infinity, this.logMassAtInfinity());
    let lower = logAlpha;
    let upper = Math.min(0, this.upperLogTpr(logAlpha, 0));
    for (const run of this.directions) {
      const omega = this.omegaAtFpr(run, logAlpha);
      upper = Math.min(upper, this.upperLogTpr(logAlpha, Math.max(0, omega.high)));
      lower = Math.max(lower, mixedLogTpr(run, logAlpha, omega));
    }
    return bracket(Math.min(lower, upper), upper);
  }

  /** An upper bound of log(1 − f(α)) from the supporting line at ε. */
  upperLogTpr(logAlpha: number, epsilon: number): number {
    return logSum(this.upperLogDelta(epsilon), epsilon + logAlpha) + ROUNDING;
  }

  /** Where a direction's tests pass the false positive rate e^{logAlpha}: FPR(low) ≥ α ≥ FPR(high), low ≥ 0 or −∞. */
  omegaAtFpr(run: DirectedRun, logAlpha: number): { low: number; high: number } {
    const guess = Math.max(0, run.guessOmega(logAlpha));
    return turningPoint((omega) => run.test(omega).logFpr <= logAlpha, {
      guess,
      reach: 1e-3 * (guess + 0.1),
      floor: 0,
      ceiling: LARGEST_EPSILON,
      relative: 1e-12,
      absolute: 1e-12,
    });
  }

  tpr(alpha: number): Bracket {
    const direct = this.logTpr(log(alpha));
    const fnr = this.fnr(alpha);
    return bracket(
      Math.max(exp(direct.lower) * (1 - 1e-15), 1 - fnr.upper - 1e-16, 0),
      Math.min(exp(direct.upper) * (1 + 1e-15), 1 - fnr.lower + 1e-16, 1),
    );
  }

  /** f(α), α ∈ [0, 1]. */
  fnr(alpha: number): Bracket {
    if (alpha === 0) return bracket(-expm1(this.logMassAtInfinity()), 1);
    if (alpha === 1) return bracket(0, 0);
    const direct = this.logTpr(log(alpha));
    const mirror = this.mirrored(alpha);
    const chord = this.chord(alpha);
    const upper = Math.min(-expm1(direct.lower) * (1 + 1e-15), mirror.upper, chord, 1 - alpha + 1e-16);
    const lower = Math.max(-expm1(direct.upper) * (1 - 1e-15), mirror.lower, 0);
    return bracket(Math.min(lower, upper), upper);
  }

  /** f(α) as the false positive rate β with f(β) = α: relative accuracy of f where it is small. */
  private mirrored(alpha: number): Bracket {
    const logPower = log1p(-alpha);
    let upper = 1;
    let lower = 0;
    for (const run of this.directions) {
      const guess = Math.max(0, run.guessEpsilon(logPower));
      const omega = turningPoint((w) => run.test(w).logTpr <= logPower, {
        guess,
        reach: 1e-3 * (guess + 0.1),
        floor: 0,
        ceiling: LARGEST_EPSILON,
        relative: 1e-12,
        absolute: 1e-12,
      });
      if (omega.low >= 0) upper = Math.min(upper, mixedFpr(run, logPower, omega));
      for (const epsilon of [omega.low, omega.high]) {
        if (!(epsilon >= 0 && epsilon < Infinity)) continue;
        // e^{−ε}(1 − δ − α), with 1 − α the power
        const rest = exp(logPower) * (1 - ROUNDING) - exp(this.upperLogDelta(epsilon)) * (1 + ROUNDING);
        lower = Math.max(lower, exp(-epsilon) * rest * (1 - ROUNDING));
      }
    }
    return bracket(Math.min(lower, upper), upper);
  }

  /** Upper bound of f(α) between a direction's test at ω = 0 and its mirror image: the hull's segment of slope −1. */
  private chord(alpha: number): number {
    let best = 1;
    for (const run of this.directions) {
      const { logFpr, logTpr } = run.test(0);
      const fpr = exp(logFpr) * (1 + ROUNDING);
      const fnr = -expm1(logTpr) * (1 + ROUNDING);
      if (fpr <= alpha && alpha <= fnr) best = Math.min(best, (fpr + fnr - alpha) * (1 + ROUNDING));
    }
    return best;
  }

  private logMassAtInfinity(): number {
    return Math.max(...this.directions.map((run) => run.logInfinity.upper));
  }
}

function logSum(a: number, b: number): number {
  const top = Math.max(a, b);
  return top === -Infinity ? top : top + log1p(exp(Math.min(a, b) - top));
}

/** log TPR of the mixture of the two neighbouring tests that has FPR exactly α: linear between them. */
function mixedLogTpr(run: DirectedRun, logAlpha: number, omega: { low: number; high: number }): number {
  if (!(omega.high < Infinity)) return -Infinity;
  const strict = run.test(omega.high);
  if (omega.low === -Infinity) return strict.logTpr;
  const loose = run.test(omega.low);
  const weight = mixingWeight(strict.logFpr, loose.logFpr, logAlpha);
  if (!(weight > 0)) return strict.logTpr;
  const base = Math.max(strict.logTpr, loose.logTpr);
  if (base === -Infinity) return base;
  return Math.min(
    0,
    base +
      log((1 - weight) * exp(strict.logTpr - base) + weight * exp(loose.logTpr - base)) -
      ROUNDING * (1 + Math.abs(base) / 8),
  );
}

/** FPR of the mixture of two tests whose power is e^{logPower}. */
function mixedFpr(run: DirectedRun, logPower: number, omega: { low: number; high: number }): number {
  const loose: CertifiedTest = run.test(omega.low);
  if (!(omega.high < Infinity)) return exp(loose.logFpr) * (1 + ROUNDING);
  const strict = run.test(omega.high);
  const weight = mixingWeight(strict.logTpr, loose.logTpr, logPower);
  const clamped = Math.min(1, Math.max(0, weight + ROUNDING));
  return ((1 - clamped) * exp(strict.logFpr) + clamped * exp(loose.logFpr)) * (1 + ROUNDING);
}

/** w with (1−w)e^a + w e^b = e^x, a ≤ x ≤ b, rounded down; 0 where a and b coincide. */
function mixingWeight(a: number, b: number, x: number): number {
  if (!(b > a) || x <= a) return 0;
  if (a === -Infinity) return Math.min(1, exp(x - b) * (1 - ROUNDING));
  return Math.min(1, (expm1(x - a) / expm1(b - a)) * (1 - ROUNDING));
}
