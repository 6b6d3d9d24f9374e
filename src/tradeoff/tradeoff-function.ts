import type { Limits } from '../account/run-settings.js';
import { requireNumber, requireProbability, wrongType } from '../errors.js';
import { pureMu } from '../law/exponential-pair.js';
import type { LossLaw } from '../law/loss-law.js';
import { type Bracket, type Brackets, bracket } from '../numeric/bracket.js';
import { probabilityOf } from '../numeric/log-probability.js';
import type { Allowance } from '../numeric/meter.js';
import { A_ROUNDING, down, ROUNDING, ROUNDINGS, up } from '../numeric/rounding.js';
import { expm1, log, log1p } from '../numeric/scalar.js';
import { epsilonOf } from '../run/epsilon.js';
import { bracketsOf } from '../run/log-deltas.js';
import type { CurveValue, TradeoffCurve } from '../run/tradeoff-curve.js';

/** One pair of a product, in both directions, and its count. */
export interface Factor {
  /** Loss law of the pair. */
  readonly forward: LossLaw;
  /** Loss law of the exchanged pair. */
  readonly backward: LossLaw;
  /** A whole number ≥ 1. */
  readonly count: number;
  /** μ_t of the pair (`PairBase.tailMu`), if known. */
  readonly tailMu?: number;
  /** μ, if the pair is exactly Gaussian. */
  readonly gaussianMu?: number;
  /** δ, if the function is f_{0,δ}: everything is revealed with probability δ, and nothing otherwise. */
  readonly revealed?: number;
}

/** Relative width of ε aimed at. */
const TOLERANCE = 1e-6;

/** @throws TypeError naming the argument that is no trade-off function. */
export function requireTradeoff(f: unknown, option: string): void {
  if (!(f instanceof TradeoffFunction)) throw wrongType(option, 'a trade-off function', f);
}

/**
 * A trade-off function f = T(P, Q), convex, decreasing and at most 1 − α (GDP def. 2.1). f(α) is the smallest false negative rate
 * of a test between P and Q with false positive rate α. Constructors such as `gaussianTradeoff` make one, and operations such as `tensor` combine them.
 * Every answer is a bracket.
 *
 * @example
 * const f = gaussianTradeoff(1);
 * f.fnr(0.05).lower; // 0.740488
 * f.epsilon(1e-5).upper; // 4.37718
 */
export class TradeoffFunction {
  /** Use the constructors, as `gaussianTradeoff`, to make one. */
  constructor(
    /** In the field's notation: 'G_1', 'f_{0.5, 1e-5}'. */
    readonly name: string,
    readonly curve: TradeoffCurve,
    /** Factors of the product, if known exactly. */
    readonly factors?: readonly Factor[] | undefined,
    private readonly known?: Limits,
    /** The allowance of work for a question, of the run that it is made from. */
    readonly allowance?: Allowance | undefined,
  ) {}

  /** Bounds of μ for f and f⁻¹ that are known without computation. */
  get limits(): Limits {
    return this.known ?? limitsOf(this);
  }

  /** Whether f = f⁻¹, by construction. */
  get isSymmetric(): boolean {
    return this.curve.isSymmetric;
  }

  /** Asks one question, at the cost of the allowance if there is one. */
  private one<T>(ask: () => T): T {
    return this.allowance === undefined ? ask() : this.allowance.askOne(ask);
  }

  /** f(α), α ∈ [0, 1]. @throws TypeError | RangeError if `alpha` is not in [0, 1]. */
  fnr(alpha: number): Bracket {
    requireProbability('alpha', alpha);
    return this.one(() => this.curve.fnr(alpha));
  }

  /** 1 − f(α): the true positive rate of the best test, with relative accuracy where it is small. */
  tpr(alpha: number): Bracket {
    requireProbability('alpha', alpha);
    return this.one(() => this.curve.tpr(alpha));
  }

  /** log f(α) and log(1 − f(α)) at log α ≤ 0: for rates below the smallest double. */
  at(logAlpha: number): CurveValue {
    requireNumber('logAlpha', logAlpha, 'a number <= 0', (x) => x <= 0);
    return this.one(() => this.curve.at(logAlpha));
  }

  /**
   * f at many points: log f(α) and log(1 − f(α)) for each log α.
   *
   * @throws TypeError | RangeError if `logAlphas` is not a sequence of numbers ≤ 0.
   */
  atAll(logAlphas: ArrayLike<number>): { logFnr: Brackets; logTpr: Brackets } {
    if (typeof logAlphas?.length !== 'number')
      throw wrongType('logAlphas', 'a sequence of numbers', logAlphas);
    const values = Array.from(logAlphas, (logAlpha) => this.at(logAlpha));
    const all = (of: keyof CurveValue): Brackets => bracketsOf(values.length, (i) => values[i][of]);
    return { logFnr: all('logFnr'), logTpr: all('logTpr') };
  }

  /** log δ(ε), δ(ε) = 1 + f*(−e^ε), f* the convex conjugate, at any real ε (GDP prop. 2.12). */
  logDelta(epsilon: number): Bracket {
    requireNumber('epsilon', epsilon, 'a number', () => true);
    if (epsilon === -Infinity) return bracket(0, 0);
    return this.one(() => this.curve.logDelta(epsilon));
  }

  /** δ(ε); see `logDelta`, which also resolves values below 1e-308. */
  delta(epsilon: number): Bracket {
    return probabilityOf(this.logDelta(epsilon));
  }

  /**
   * The smallest ε ≥ 0 with δ(ε) ≤ delta.
   *
   * @throws TypeError | RangeError if `delta` is not in [0, 1].
   */
  epsilon(delta: number): Bracket {
    const logDelta = log(requireProbability('delta', delta));
    return this.one(() => epsilonOf(this.curve.forward, logDelta, TOLERANCE));
  }

  /** max(1 − α − f(α)) = δ(0), the advantage of the best attack. */
  advantage(): Bracket {
    return this.delta(0);
  }

  /**
   * The error of the best guess between P and Q when P is the truth with probability `prior`. It is the minimum over α of prior·α
   * + (1 − prior)·f(α), which is (1 − prior)(1 − δ(log(prior/(1 − prior)))).
   *
   * @throws TypeError | RangeError if `prior` is not in [0, 1].
   */
  bayesError(prior: number): Bracket {
    requireProbability('prior', prior);
    if (prior === 0 || prior === 1) return bracket(0, 0);
    const logs = this.logDelta(log(prior) - log1p(-prior));
    const rest = 1 - prior;
    const slack = ROUNDING;
    const largest = Math.min(prior, rest);
    const lower = rest * -expm1(logs.upper) * (1 - slack) - slack * largest;
    const upper = Math.min(largest, rest * -expm1(logs.lower) * (1 + slack) + slack * largest);
    return bracket(Math.max(0, Math.min(lower, upper)), upper);
  }

  /**
   * Largest probability of reconstructing (or naming) the record from the output, if it would be guessed with probability
   * `baseline` without. It is sup{Q(E): P(E) ≤ baseline} = 1 − f(baseline) (Hayes, Mahloujifar, Balle 2023, thm 2). Guessing one
   * of n equally likely records: baseline 1/n.
   *
   * @throws TypeError | RangeError if `baseline` is not in [0, 1].
   */
  reconstruction(baseline: number): Bracket {
    return this.tpr(requireProbability('baseline', baseline));
  }
}

/**
 * Bounds of μ of a function: for a product √Σ count·μ² of its factors, rounded outward. If its factors are not known, by its losses: μ_t is ∞ if one is
 * infinite, and 0 if all are bounded.
 */
function limitsOf({ factors, curve }: TradeoffFunction): Limits {
  const gaussian = factors?.every(({ gaussianMu }) => gaussianMu !== undefined) ?? false;
  if (factors?.every(({ tailMu }) => tailMu !== undefined)) {
    let [tail, ceiling] = [0, 0];
    for (const { tailMu = 0, gaussianMu, forward, backward, count } of factors) {
      const most = gaussianMu ?? Math.max(forward.gdpMu, backward.gdpMu);
      tail += count * tailMu * tailMu;
      ceiling += count * most * most;
    }
    const mu = Math.sqrt(tail);
    const relative =
      factors.length === 1 && factors[0].count === 1 ? 0 : ROUNDINGS + A_ROUNDING * factors.length;
    const tailMu = mu === Infinity ? bracket(mu, mu) : bracket(down(mu, relative), up(mu, relative));
    return { tailMu, muCeiling: up(Math.sqrt(ceiling), relative), gaussian };
  }
  const sides = [curve.forward, curve.backward];
  if (sides.some((side) => side.logInfinity.lower > -Infinity))
    return { tailMu: bracket(Infinity, Infinity), muCeiling: Infinity, gaussian: false };
  const largest = Math.max(...sides.map((side) => side.largestLoss?.upper ?? Infinity));
  if (largest === Infinity || sides.some((side) => side.logInfinity.upper > -Infinity))
    return { tailMu: bracket(0, Infinity), muCeiling: Infinity, gaussian: false };
  return { tailMu: bracket(0, 0), muCeiling: pureMu(Math.max(0, largest)), gaussian: false };
}
