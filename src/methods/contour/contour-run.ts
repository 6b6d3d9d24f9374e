import type { Kernel } from '../../kernel/kernel.js';
import { aroundRelative, type Bracket, bracket, ordered } from '../../numeric/bracket.js';
import { U } from '../../numeric/constants.js';
import { complementTimes, logComplement } from '../../numeric/log-arithmetic.js';
import { padLogProbability } from '../../numeric/log-probability.js';
import { FEW_ROUNDINGS } from '../../numeric/rounding.js';
import { exp, log1p } from '../../numeric/scalar.js';
import type { CertifiedTest, DirectedRun } from '../../run/directed-run.js';
import type { ErrorBudget } from '../../run/method.js';
import type { ChoosyRun, Judged } from '../first-within.js';
import type { CountedSpectrum } from './line/contour-plan.js';
import { errorOf, type LineSource, Lines } from './line/lines.js';
import { SmoothableLines } from './line/smoothed.js';
import { exchanged } from './step/spectral-law.js';

export interface SpectralOptions {
  /** Width of the bracket of log δ that is wanted where a question names none. */
  readonly width: number;
  readonly direction: DirectedRun['direction'];
  /** log of the Q-mass at loss +∞, in a bracket. */
  readonly logInfinity: Bracket;
  /** Bracket of the largest finite loss; ∞ if absent. */
  readonly largestLoss?: Bracket;
  /** Bracket of the largest finite loss of the exchanged pair (Q, P); ∞ if absent. */
  readonly largestMirrored?: Bracket;
  /**
   * Standard deviation η of the smoothing Gaussian, for runs whose |φ(τ)| = |M(c + iτ)|/M(c) does not decay in τ; M is the loss's moment generating
   * function. Without it such runs get no answers from contours.
   */
  readonly smoothing?: number;
  /** The run in the other direction: its contours for (Q, P) are this run's for (P, Q), and are shared. */
  readonly mirror?: SpectralRun | undefined;
}

/** Bracket of log δ at ε beyond the largest loss, where the finite losses contribute 0. */
const NOTHING = { lower: -Infinity, upper: -Infinity };
/** Steps of the bisection for an approximate ε, and width of the brackets of log δ it uses. Only speed depends on them. */
const [HALVINGS, ROUGH] = [12, 0.1];

/**
 * log(e^a + e^b) in floating point, with its rounding error added (side 1) or subtracted (side −1). Ensures: no less, or no more, than the exact
 * value.
 */
function logSum(a: number, b: number, side: 1 | -1): number {
  const top = Math.max(a, b);
  const low = Math.min(a, b);
  return low === -Infinity
    ? top
    : top + log1p(exp(low - top)) * (1 + side * FEW_ROUNDINGS) + side * FEW_ROUNDINGS;
}

/**
 * The sources of contours for the pair (P, Q), and for the exchanged pair (Q, P). With `smoothing` they also answer for losses with atoms. Their
 * answers are certified, whichever source is chosen.
 */
function sourcesOf(
  kernel: Kernel,
  laws: readonly CountedSpectrum[],
  { smoothing, width }: SpectralOptions,
): readonly [LineSource, LineSource] {
  const mirrored = laws.map(({ law, count }) => ({ law: exchanged(law), count }));
  const source = (of: readonly CountedSpectrum[]): LineSource =>
    smoothing === undefined
      ? new Lines(kernel, of, width)
      : new SmoothableLines(kernel, of, smoothing, width);
  return [source(laws), source(mirrored)];
}

/**
 * Composition by contour integrals of M(z) = ∏ M_j(z)^{T_j}. M_j(z) = E_P[e^{zL_j}] is the moment generating function of the loss of step j, which
 * occurs T_j times. δ is known to a relative error at any depth, at a cost that does not depend on T_j. A bracket that cannot be as narrow as
 * wanted is returned wide. The formula and its error bounds are those of `line/contour.ts` (docs/proofs/contour.md 2).
 */
export class SpectralRun implements ChoosyRun {
  readonly method = 'spectral';
  readonly direction: DirectedRun['direction'];
  readonly logInfinity: Bracket;
  readonly largestLoss: Bracket | undefined;
  private readonly forward: LineSource;
  private readonly backward: LineSource;
  /** The contours that answer at ε = 0, where (P, Q) and (Q, P) have the same δ. */
  private readonly balanced: LineSource;
  /** log of the P-mass of finite losses. */
  private readonly logMassP: number;
  private readonly laws: number;

  /**
   * Makes the sources of contours for the pair (`forward`) and for the exchanged pair (`backward`), or shares those of the mirrored run. Ensures:
   * brackets of δ hold for the run.
   */
  constructor(
    kernel: Kernel,
    laws: readonly CountedSpectrum[],
    private readonly options: SpectralOptions,
  ) {
    this.direction = options.direction;
    this.logInfinity = options.logInfinity;
    this.largestLoss = options.largestLoss;
    const { mirror } = options;
    const shared = mirror && [mirror.backward, mirror.forward];
    [this.forward, this.backward] = shared ?? sourcesOf(kernel, laws, options);
    // δ(0) is the total variation, the same for (P, Q) and (Q, P). A test's complement is a test of the exchanged pair. So one pair answers for
    // both.
    const finite = Math.max(this.logInfinity.upper, mirror?.logInfinity.upper ?? Infinity) === -Infinity;
    this.balanced = finite ? this.backward : this.forward;
    this.laws = laws.length;
    this.logMassP = laws.reduce((sum, { law, count }) => sum + count * law.logMassP, 0);
  }

  /**
   * log δ(ε) by a contour integral; for ε < 0 from δ_{PQ}(ε) = 1 − e^ε + e^ε·δ_{QP}(−ε). The mass at loss +∞ is added. Where an upper bound below
   * e^{floor} suffices, it is Chernoff's bound. Ensures: log δ lies in the bracket.
   */
  logDelta(epsilon: number, width = this.options.width, floor = -Infinity): Bracket {
    if (epsilon === Infinity || epsilon > this.top) return this.logInfinity;
    const lines = epsilon === 0 ? this.balanced : epsilon > 0 ? this.forward : this.backward;
    const most = floor > -Infinity && epsilon >= 0 ? lines.bound(epsilon, width, floor) : Infinity;
    // Chernoff's bound is below the floor: no narrower bracket is wanted
    const settled = most <= floor && this.logInfinity.upper === -Infinity;
    const beyond = -epsilon > this.bottom;
    const known = beyond ? NOTHING : settled ? undefined : lines.delta(Math.abs(epsilon), width);
    const { lower, upper } = known ?? {
      lower: -Infinity,
      upper: settled ? most : lines.bound(Math.abs(epsilon), width),
    };
    if (epsilon >= 0) {
      const { logInfinity } = this;
      return ordered(logSum(lower, logInfinity.lower, -1), Math.min(0, logSum(upper, logInfinity.upper, 1)));
    }
    // `lower` and `upper` are those of δ(−ε) of the exchanged pair, over its finite losses
    const mass = aroundRelative(this.logMassP, (8 + this.laws) * U);
    return complementTimes(epsilon, bracket(lower, Math.min(0, upper)), mass);
  }

  test(omega: number, width = this.options.width, floor = -Infinity): CertifiedTest {
    const asked = floor > -Infinity && omega >= 0 && omega <= this.top;
    if (asked && this.forward.bound(omega, width, floor) <= floor) return { logFpr: 0, logTpr: 0 };
    return this.testWithError(omega, width).test;
  }

  testWithin(omega: number, width = this.options.width): Judged {
    const { test, errorBound } = this.testWithError(omega, width);
    return { test, sharp: errorBound <= width };
  }

  /** An upper bound of all losses. */
  private get top(): number {
    return this.largestLoss?.upper ?? Infinity;
  }

  /** An upper bound of all losses of the exchanged pair. */
  private get bottom(): number {
    return this.options.largestMirrored?.upper ?? Infinity;
  }

  /**
   * The test that rejects where L > ω: its rates by a contour integral, and a bound of their relative error. For ω < 0 it is the complement of the
   * test that the exchanged pair has at −ω. Ensures: log TPR rounded down, log FPR up.
   */
  private testWithError(omega: number, width: number): { test: CertifiedTest; errorBound: number } {
    if (omega > this.top) {
      const { lower, upper } = this.logInfinity;
      return { test: { logFpr: -Infinity, logTpr: lower }, errorBound: upper === lower ? 0 : upper - lower };
    }
    // P(L > ω) = 1 − P(−L ≥ −ω), and −L is the loss of the exchanged pair, in which P and Q change places
    const direct = omega > 0 || (omega === 0 && this.balanced === this.forward);
    const lines = direct ? this.forward : this.backward;
    // every loss exceeds ω: the test always rejects
    if (-omega > this.bottom) return { test: { logFpr: 0, logTpr: 0 }, errorBound: 0 };
    const rates = lines.test(Math.abs(omega), width);
    if (rates === undefined) return { test: { logFpr: 0, logTpr: 0 }, errorBound: Infinity };
    const { falsePositive: fpr, power: tpr } = rates;
    const errorBound = errorOf(rates);
    if (direct) {
      const logTpr = Math.min(0, logSum(tpr.lower, this.logInfinity.lower, -1));
      return { test: { logFpr: Math.min(0, fpr.upper), logTpr }, errorBound };
    }
    return {
      test: {
        logFpr: padLogProbability(this.acceptedAt(tpr.lower)).upper,
        logTpr: padLogProbability(fpr.upper >= 0 ? -Infinity : logComplement(fpr.upper)).lower,
      },
      errorBound,
    };
  }

  /**
   * log(P − e^{logPower}), P the P-mass of finite losses: the mass that a test of the exchanged pair with at least this power accepts. Computed
   * without cancellation. Ensures: rounded up.
   */
  private acceptedAt(logPower: number): number {
    const { logMassP } = this;
    const share = logPower - logMassP - 4 * U * (Math.abs(logPower) + Math.abs(logMassP));
    return share < 0 ? logMassP + logComplement(share) : -Infinity;
  }

  /**
   * Heuristic: the approximate ε with log δ(ε) = logDelta. It is first interpolated between saddle points. Where rare large losses make that too
   * large, wide brackets of log δ bisect [0, ε]. It only chooses where methods are asked; it enters no bound.
   */
  guessEpsilon(logDelta: number): number {
    let epsilon = this.guessFrom('delta', logDelta);
    // where large losses are rare, the saddle-point approximation of δ is far too large
    let least = 0;
    for (let i = 0; i < HALVINGS && epsilon > 0; i++) {
      if (this.logDelta(epsilon, ROUGH).upper > logDelta - 1) break;
      const middle = (least + epsilon) / 2;
      if (this.logDelta(middle, ROUGH).lower > logDelta + 1) least = middle;
      else epsilon = middle;
    }
    return epsilon;
  }

  guessOmega(logFpr: number): number {
    return this.guessFrom('falsePositive', logFpr);
  }

  private guessFrom(functional: 'delta' | 'falsePositive', target: number): number {
    return Math.max(0, this.forward.guess(functional, target, this.options.width) ?? 1);
  }

  /**
   * Width of the bracket of log δ at the approximate ε with δ(ε) = e^{logDelta}, if `width` is asked for. Only the choice of a method depends on
   * it.
   */
  widthNear(logDelta: number, width: number): number {
    const { lower, upper } = this.logDelta(this.guessEpsilon(logDelta), width);
    return upper - lower;
  }

  explain(epsilon: number, width = this.options.width): ErrorBudget | undefined {
    const lines = epsilon >= 0 ? this.forward : this.backward;
    return lines.delta(Math.abs(epsilon), width)?.budget;
  }
}
