import type { Side } from '../../kernel/questions.js';
import { aroundRelative, type Bracket, bracket, ordered } from '../../numeric/bracket.js';
import { U } from '../../numeric/constants.js';
import { complementTimes, logComplement } from '../../numeric/log-arithmetic.js';
import { padLogProbability } from '../../numeric/log-probability.js';
import { FEW_ROUNDINGS } from '../../numeric/rounding.js';
import { exp, log, log1p } from '../../numeric/scalar.js';
import type { CertifiedTest, DirectedRun } from '../../run/directed-run.js';
import { gain } from '../../run/hull-run.js';
import type { ErrorBudget } from '../../run/method.js';
import { profileTest } from '../../run/profile-test.js';
import type { ChoosyRun, Judged } from '../first-within.js';
import { type SideAnswers, widthOf } from './run-contours.js';

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
  /** log of the P-mass of finite losses, and the number of distinct steps whose roundings it has. */
  readonly logMassP: number;
  readonly steps: number;
  /** Whether no loss is ±∞ in either direction. */
  readonly areFinite: boolean;
}

/** Bracket of log δ at ε beyond the largest loss, where the finite losses contribute 0. */
const NOTHING = { lower: -Infinity, upper: -Infinity };
/**
 * `testOfProfile` makes a test of δ at three ε. LEAST_GAP is the least distance of these ε; LEAST_WIDTH is the least width of log δ from which the
 * distance is computed. Only sharpness depends on them.
 */
const [LEAST_GAP, LEAST_WIDTH] = [1e-9, 1e-14];
/** `guessEpsilon` bisects in HALVINGS steps, with brackets of log δ of width ROUGH, where log δ is above FAINT. Only speed depends on them. */
const [HALVINGS, ROUGH, FAINT] = [12, 0.1, -75];

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
 * Composition by contour integrals of M(z) = ∏ M_j(z)^{T_j}. M_j(z) = E_P[e^{zL_j}] is the moment generating function of the loss of step j, which
 * occurs T_j times. δ is known to a relative error at any depth, at a cost that does not depend on T_j. A bracket that cannot be as narrow as
 * wanted is returned wide. The formula and its error bounds are those of assembly/bound/contour.ts (docs/proofs/contour.md 2, 10).
 */
export class SpectralRun implements ChoosyRun {
  readonly method = 'spectral';
  readonly direction: DirectedRun['direction'];
  readonly logInfinity: Bracket;
  readonly largestLoss: Bracket | undefined;
  /** Whether losses have atoms, so that contours of the run itself may not answer and smoothing noise is tried; `alone` if they certainly do not. */
  readonly haveAtoms: SideAnswers['haveAtoms'];
  /** The kernel's number for the direction of (P, Q), and that for the exchanged pair (Q, P). */
  private readonly forward: Side;
  private readonly backward: Side;
  /** The pair that answers at ε = 0, where (P, Q) and (Q, P) have the same δ. */
  private readonly balanced: Side;

  /** The run in one direction; `contours` answers for both directions. Ensures: brackets of δ hold for the run. */
  constructor(
    private readonly contours: SideAnswers,
    private readonly options: SpectralOptions,
  ) {
    this.direction = options.direction;
    this.logInfinity = options.logInfinity;
    this.largestLoss = options.largestLoss;
    this.haveAtoms = contours.haveAtoms;
    this.forward = options.direction === 'add' ? 1 : 0;
    this.backward = options.direction === 'add' ? 0 : 1;
    // δ(0) is the total variation, the same for (P, Q) and (Q, P). A test's complement is a test of the exchanged pair. So one pair answers for
    // both.
    this.balanced = options.areFinite ? 0 : this.forward;
  }

  /**
   * log δ(ε) by a contour integral; for ε < 0 from δ_{PQ}(ε) = 1 − e^ε + e^ε·δ_{QP}(−ε). The mass at loss +∞ is added. Where an upper bound below
   * e^{floor} suffices, it is Chernoff's bound. Ensures: log δ lies in the bracket.
   */
  logDelta(epsilon: number, width = this.options.width, floor = -Infinity): Bracket {
    if (epsilon === Infinity || epsilon > this.top) return this.logInfinity;
    const side = epsilon === 0 ? this.balanced : epsilon > 0 ? this.forward : this.backward;
    const enough = epsilon >= 0 && this.logInfinity.upper === -Infinity ? floor : -Infinity;
    const isBeyond = -epsilon > this.bottom;
    const found = isBeyond ? NOTHING : this.contours.delta(side, Math.abs(epsilon), width, enough);
    const { lower, upper } = found;
    if (epsilon >= 0) {
      const { logInfinity } = this;
      return ordered(logSum(lower, logInfinity.lower, -1), Math.min(0, logSum(upper, logInfinity.upper, 1)));
    }
    // `lower` and `upper` are those of δ(−ε) of the exchanged pair, over its finite losses
    const mass = aroundRelative(this.options.logMassP, (8 + this.options.steps) * U);
    return complementTimes(epsilon, bracket(lower, Math.min(0, upper)), mass);
  }

  test(omega: number, width = this.options.width, floor = -Infinity): CertifiedTest {
    const asked = floor > -Infinity && omega >= 0 && omega <= this.top;
    // the caller needs no sharp test where δ is below the floor
    if (asked && this.contours.delta(this.forward, omega, width, floor).upper <= floor)
      return { logFpr: 0, logTpr: 0 };
    const { test, errorBound } = this.testWithError(omega, width);
    if (errorBound <= width) return test;
    const other = this.testOfProfile(omega, width);
    return gain(other, omega) > gain(test, omega) ? other : test;
  }

  /** A test near the one that rejects where L > ω, by δ at three ε (`profileTest`). Ensures: log FPR rounded up, log TPR down. */
  private testOfProfile(omega: number, width: number): CertifiedTest {
    const { lower, upper } = this.logDelta(omega, width);
    if (!(lower > -Infinity)) return { logFpr: 0, logTpr: 0 };
    // with the inverse slope of log δ as the unit of ε, the errors are about gap² and width/gap
    const share = exp(log(Math.max(LEAST_WIDTH, upper - lower)) / 3);
    const gap = Math.max(LEAST_GAP, share * Math.abs(omega / (1 + Math.abs(upper))));
    return profileTest((epsilon) => this.logDelta(epsilon, width), omega - gap, gap);
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
    // every loss exceeds ω: the test always rejects
    if (-omega > this.bottom) return { test: { logFpr: 0, logTpr: 0 }, errorBound: 0 };
    const rates = this.contours.test(direct ? this.forward : this.backward, Math.abs(omega), width);
    if (rates === undefined) return { test: { logFpr: 0, logTpr: 0 }, errorBound: Infinity };
    const { falsePositive: fpr, power: tpr } = rates;
    const errorBound = widthOf(rates);
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
    const { logMassP, steps } = this.options;
    const share = logPower - logMassP - (8 + steps) * U * (Math.abs(logPower) + Math.abs(logMassP));
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
    for (let i = 0; i < HALVINGS && epsilon > 0 && logDelta > FAINT; i++) {
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
    return this.contours.guess(this.forward, functional, target);
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
    const side = epsilon >= 0 ? this.forward : this.backward;
    const { isAnswered, budget } = this.contours.delta(side, Math.abs(epsilon), width);
    return isAnswered ? budget : undefined;
  }
}
