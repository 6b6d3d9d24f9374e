import { LARGEST_LOGIT, logLowerTail, logProbability, logUpperTail } from '../../numeric/binomial.js';
import { type Bracket, bracket, exactly } from '../../numeric/bracket.js';
import { U } from '../../numeric/constants.js';
import { logComplement, logSum, outward } from '../../numeric/log-arithmetic.js';
import { padLogProbability } from '../../numeric/log-probability.js';
import { ROUNDINGS } from '../../numeric/rounding.js';
import { exp, log, log1p, logDeltaGdp, logNormalCdf } from '../../numeric/scalar.js';
import { crossing, firstWhere } from '../../numeric/solve.js';
import type { CertifiedTest } from '../../run/directed-run.js';
import { gaussianRun } from '../../run/gaussian-run.js';
import { gain } from '../../run/hull-run.js';
import type { ChoosyRun, Judged } from '../first-within.js';

/** `count` identical Poisson-sampled Gaussian steps. */
interface Phase {
  readonly mu: number;
  readonly rate: number;
  readonly count: number;
}

/** Heuristic parameters of the sums over patterns. Only width and speed depend on them. */
interface Plan {
  /**
   * Largest Σ Tᵢeᵢ (`Patterns.logMistaken`) for which the sums are used. It bounds the probability that the best guess of the steps that drew the
   * record is wrong.
   */
  readonly mistaken: number;
  /** λ of the upper bound (little-noise.md 3) is this multiple of the bound Σ Tᵢeᵢ, and at least `LEAST_SHARE`. */
  readonly share: number;
  /** A sum that is expected to be at least e^{level} leaves out binomial tails of mass e^{level − below}. Upper bounds add that mass. */
  readonly below: number;
}

const PLAN: Plan = { mistaken: 0.01, share: 30, below: 36 };
/** Least sampling rate: for smaller ones ratios of binomial probabilities would overflow. Correctness depends on it. */
const LEAST_RATE = 1e-290;
/** Least λ of the upper bound (little-noise.md 3). Only width depends on it. */
const LEAST_SHARE = 1e-13;
/** Largest number of steps, and of terms of a sum. Only speed and width depend on them. */
const MOST_STEPS = 1e5;
const MOST_TERMS = 8192;
/**
 * Values of `level` (see `Plan.below`) that are tried: the first, the factor from each to the next, and the last. Only speed and width depend on
 * them.
 */
const [LEVEL, DEEPER, DEEPEST] = [-40, 4, -1e7];

/**
 * Runs in both directions for Poisson-sampled Gaussian steps, with plain Gaussian steps beside them. A pattern S is the set of steps that draw the
 * record. It has a weight w_S, and given S the outputs are Gaussian. With little noise an output almost determines S, so that δ(ε) is nearly Σ_S
 * w_S·H_{γ/w_S}. γ = e^ε, and H is the hockey-stick divergence of two Gaussians. The error is bounded by Σ Tᵢeᵢ, which bounds the probability of a
 * mistaken S (docs/proofs/little-noise.md).
 *
 * Ensures: each bracket holds the exact answer.
 *
 * @param phases At least one.
 * @param plainMu μ of all plain Gaussians together; 0 where there is none.
 * @returns A run for 'remove' and one for 'add'; undefined where the steps are too many, or too noisy for the bounds to be narrow.
 */
export function patternRuns(
  phases: readonly Phase[],
  plainMu: number,
  plan: Plan = PLAN,
): readonly ChoosyRun[] | undefined {
  if (phases.some(({ rate }) => rate < LEAST_RATE)) return undefined;
  const patterns = new Patterns(phases, plainMu, plan);
  if (!(patterns.steps <= MOST_STEPS && patterns.logMistaken <= log(plan.mistaken))) return undefined;
  return [new Removing(patterns), new Adding(patterns)];
}

/** The numbers k of steps that draw the record, from `low` to `high`, and an upper bound of the log probability of all other k. */
interface Window {
  readonly low: number;
  readonly high: number;
  readonly logRest: number;
}

/**
 * All patterns with the same number of steps of each phase: the log of their total probability, with an error bound. Then the log weight of one
 * pattern, and the squared distance of its Gaussian from N(0, 1).
 */
interface Term {
  readonly logMass: number;
  readonly error: number;
  readonly logWeight: number;
  readonly square: number;
}

/** Sums over all patterns, the sets of steps that draw the record, for both directions. */
class Patterns {
  readonly steps: number;
  /**
   * Upper bound of log Σ Tᵢeᵢ over phases of Tᵢ steps. eᵢ = ∫ min((1 − q)ϕ, qϕ_μ), ϕ and ϕ_μ the densities of N(0, 1) and N(μ, 1). eᵢ is the error
   * probability of the best guess whether step i draws the record.
   */
  readonly logMistaken: number;
  /** log of the weight of the empty pattern, in which no step draws the record. */
  readonly logNever: number;

  /** Adds up Σ Tᵢeᵢ, rounded up, and log ∏(1 − qᵢ)^{Tᵢ}, to a few roundings. */
  constructor(
    readonly phases: readonly Phase[],
    readonly plainMu: number,
    readonly plan: Plan,
  ) {
    this.steps = phases.reduce((sum, { count }) => sum + count, 0);
    this.logNever = phases.reduce((sum, { rate, count }) => sum + count * log1p(-rate), 0);
    this.logMistaken = phases.reduce(
      (sum, phase) => logSum(sum, log(phase.count) + mistaken(phase)),
      -Infinity,
    );
  }

  /**
   * log Σ mass·e^{term} over the numbers of steps of each phase that draw the record, `term` a logarithm. Undefined where there are too many terms.
   * Ensures: no less (side 1) or no more (−1) than the sum. From above, truncated numbers count with term 0, e^{term} = 1.
   */
  sum(level: number, side: 1 | -1, term: (of: Term) => number): number | undefined {
    const windows = this.phases.map((phase) => windowOf(phase, level - this.plan.below));
    const terms = windows.reduce((all, { low, high }) => all * (high - low + 1), 1);
    if (!(terms <= MOST_TERMS)) return undefined;
    let [top, sum] = [-Infinity, 0];
    // adds the terms of all patterns whose numbers of steps in the first i phases have been chosen
    const visit = (i: number, { logMass, error, logWeight, square }: Term): void => {
      if (i === this.phases.length) {
        const value = logMass + side * error + term({ logMass, error, logWeight, square });
        if (value > top) [top, sum] = [value, sum * exp(top - value) + 1];
        else if (value > -Infinity) sum += exp(value - top);
        return;
      }
      const { mu, rate, count } = this.phases[i];
      for (let k = windows[i].low; k <= windows[i].high; k++) {
        const own = massOf(this.phases[i], k);
        visit(i + 1, {
          logMass: logMass + own.value,
          error: error + own.error,
          logWeight: logWeight + k * log(rate) + (count - k) * log1p(-rate),
          square: square + k * mu * mu,
        });
      }
    };
    visit(0, { logMass: 0, error: 0, logWeight: 0, square: this.plainMu * this.plainMu });
    const rounded =
      top === -Infinity ? top : top + log(sum) + side * (ROUNDINGS + 8 * U * (terms + Math.abs(top)));
    return side < 0 ? rounded : windows.reduce((all, { logRest }) => logSum(all, logRest), rounded);
  }

  /** `sum`, with the truncation deepened until e^{level} is no more than the sum. Ensures: what `sum` does. */
  deepSum(side: 1 | -1, term: (of: Term) => number): number | undefined {
    for (let level = LEVEL; ; level *= DEEPER) {
      const found = this.sum(level, side, term);
      if (found === undefined || found >= level || level < DEEPEST) return found;
    }
  }
}

/**
 * Upper bound of log e, e = ∫ min((1 − q)ϕ, qϕ_μ) the error probability of the best guess whether an output was sampled. It is qΦ(x − μ) + (1 −
 * q)Φ(−x), where x is the output at which both densities are equal. Ensures: rounded up.
 */
function mistaken({ mu, rate }: Phase): number {
  const edge = (log1p(-rate) - log(rate)) / mu;
  const missed = log(rate) + padLogProbability(logNormalCdf(edge - mu / 2)).upper;
  const extra = log1p(-rate) + padLogProbability(logNormalCdf(-edge - mu / 2)).upper;
  const both = logSum(missed, extra);
  // a rounded x is that of another guess, whose error probability is no less than e
  return both + ROUNDINGS * (1 + Math.abs(both));
}

/** log P[Bin(T, q) = k], T = `count`, q = `rate`, and a bound of its absolute error. */
function massOf({ rate, count }: Phase, k: number): { readonly value: number; readonly error: number } {
  if (k === 0 || k === count) {
    const value = count * (k === 0 ? log1p(-rate) : log(rate));
    return { value, error: 8 * U * Math.abs(value) };
  }
  return logProbability(count, k, { logit: log(rate) - log1p(-rate), p: rate, q: 1 - rate });
}

/**
 * The interval of numbers k outside of which Bin(count, rate) has at most e^{least} on either side. Ensures: `logRest` is no less than the log of
 * that probability.
 */
function windowOf({ rate, count }: Phase, least: number): Window {
  const logit = Math.max(-LARGEST_LOGIT, log(rate) - log1p(-rate));
  const off = 8 * U * (1 + Math.abs(logit));
  const above = (k: number): number => logUpperTail(count, k + 1, logit + off).upper;
  const below = (k: number): number => logLowerTail(count, k - 1, logit - off).upper;
  const high = firstWhere(count, (k) => above(k) <= least);
  const low = Math.max(0, firstWhere(high, (k) => below(k) > least) - 1);
  return { low, high, logRest: logSum(above(high), below(low)) };
}

/**
 * log H_γ, the hockey-stick divergence δ(x) at x = log γ of two Gaussians √square apart. The given x has an error of at most `slack`. Ensures: no
 * less (side 1) or no more (−1) than it.
 */
function logGaussian(square: number, x: number, slack: number, side: 1 | -1): number {
  const at = x - side * slack;
  if (square === 0) return at < 0 ? outward(logComplement(at), side) : -Infinity;
  const value = logDeltaGdp(Math.sqrt(square) * (1 + side * 8 * U), at);
  const { lower, upper } = padLogProbability(Math.min(value, -Number.MIN_VALUE));
  return side < 0 ? lower : upper;
}

/** Bound of the rounding error of ε less the log of a pattern's weight. */
function slackOf(epsilon: number, logWeight: number): number {
  return 16 * U * (1 + Math.abs(epsilon) + Math.abs(logWeight));
}

/** A run in one direction by sums over patterns, the sets of steps that draw the record (docs/proofs/little-noise.md). */
abstract class PatternRun implements ChoosyRun {
  abstract readonly direction: 'remove' | 'add';
  readonly method = 'closed-form';
  readonly logInfinity: Bracket = exactly(-Infinity);
  abstract readonly largestLoss: Bracket;

  constructor(protected readonly patterns: Patterns) {}

  abstract logDelta(epsilon: number): Bracket;
  abstract test(omega: number): CertifiedTest;
  abstract guessEpsilon(logDelta: number): number;
  abstract guessOmega(logFpr: number): number;

  testWithin(omega: number, width: number = 0): Judged {
    const test = this.test(omega);
    return { test, sharp: this.logDelta(omega).upper - gain(test, omega) <= width };
  }
}

/** The direction 'remove': Q is the mixture Σ_S w_S ϕ_S over patterns S, of weights w_S and Gaussian densities ϕ_S. P is N(0, 1) for every step. */
class Removing extends PatternRun {
  readonly direction = 'remove';
  readonly largestLoss: Bracket = exactly(Infinity);

  logDelta(epsilon: number): Bracket {
    if (epsilon === Infinity) return exactly(-Infinity);
    const upper = this.above(epsilon);
    const lower = this.apart(epsilon, -1) ?? -Infinity;
    return bracket(Math.min(lower, upper), upper);
  }

  /**
   * log Σ_S w_S·H_{γ/w_S}, H the Gaussians' hockey-stick divergence, γ = e^ε. It is a lower bound of log δ, exact if no output were possible under
   * two patterns S (little-noise.md 1). Ensures: rounded to `side`. Undefined where there are too many terms.
   */
  private apart(epsilon: number, side: 1 | -1): number | undefined {
    return this.patterns.deepSum(side, ({ logWeight, square }) =>
      logGaussian(square, epsilon - logWeight, slackOf(epsilon, logWeight), side),
    );
  }

  /** log Σ_S w_S·H_γ, γ = e^ε: log δ if the pattern S were published too (little-noise.md 2). Ensures: no less than log δ. */
  private published(epsilon: number): number {
    const sum = this.patterns.deepSum(1, ({ square }) =>
      logGaussian(square, epsilon, slackOf(epsilon, 0), 1),
    );
    return Math.min(0, sum ?? 0);
  }

  /**
   * The smaller of two upper bounds of log δ: `published`, and log(Σ_S w_S·H_{(1−λ)γ/w_S} + (Σ Tᵢeᵢ)·R). R is e^{published} at λγ/N in place of γ =
   * e^ε, N the number of steps (little-noise.md 2, 3). Ensures: no less than log δ.
   */
  private above(epsilon: number): number {
    const { logMistaken, steps, plan } = this.patterns;
    const share = Math.min(0.5, Math.max(LEAST_SHARE, plan.share * exp(logMistaken)));
    const slack = slackOf(epsilon, log(share) - log(steps));
    const apart = this.apart(epsilon + log1p(-share) - slack, 1) ?? 0;
    const overlap = logMistaken + this.published(epsilon + log(share) - log(steps) - slack);
    const both = Math.min(0, logSum(apart, overlap) + ROUNDINGS);
    return overlap < apart - plan.below ? both : Math.min(both, this.published(epsilon));
  }

  /**
   * The test that rejects where w_S ϕ_S > e^ω ϕ for some pattern S. TPR: at least Σ_S w_S·P_S[that event for S]. FPR: at most the sum of the
   * events' probabilities without the record (little-noise.md 5). Ensures: log TPR rounded down, log FPR up.
   */
  test(omega: number): CertifiedTest {
    // log P_S[w_S ϕ_S > e^ω ϕ], rounded down (side −1); log P[that event] − log w_S, rounded up (1)
    const outputs = ({ logWeight, square }: Term, side: 1 | -1): number => {
      const x = omega - logWeight;
      // the empty pattern's event is certain or impossible
      if (square === 0) return x >= 0 ? -Infinity : side < 0 ? 0 : -logWeight;
      const mu = Math.sqrt(square);
      const z = x / mu;
      const slack = (slackOf(omega, logWeight) + 8 * U * square) / mu;
      const own = padLogProbability(logNormalCdf((side < 0 ? mu / 2 : -mu / 2) - z + side * slack));
      return side < 0 ? own.lower : own.upper - logWeight + slackOf(0, logWeight);
    };
    const logTpr = this.patterns.deepSum(-1, (term) => outputs(term, -1)) ?? -Infinity;
    return {
      logFpr: Math.min(
        0,
        this.rejected(omega, logTpr, (term) => outputs(term, 1)),
      ),
      logTpr: Math.min(0, logTpr),
    };
  }

  /**
   * Upper bound of log FPR. Where w_S ϕ_S > e^ω ϕ, ϕ < e^{−ω}w_S ϕ_S. So this event has at most e^{−ω}w_S times the probability without the record
   * that it has under S. Truncated patterns S count as e^{−ω}w_S.
   */
  private rejected(omega: number, logTpr: number, term: (of: Term) => number): number {
    const sum = this.patterns.deepSum(1, (of) => Math.min(0, term(of) + omega));
    return sum === undefined || logTpr === -Infinity ? 0 : sum - omega + ROUNDINGS * (1 + Math.abs(omega));
  }

  guessEpsilon(logDelta: number): number {
    return this.guess((epsilon) => (this.apart(epsilon, -1) ?? 0) - logDelta, logDelta);
  }

  guessOmega(logFpr: number): number {
    return this.guess((omega) => this.test(omega).logFpr - logFpr, logFpr);
  }

  /**
   * Heuristic: approximate root of a decreasing function of ε, to 1e-4 of itself. The search starts at the loss where about k steps draw the record.
   * In each phase k is the quantile that more steps exceed with probability e^{rare}. It enters no bound.
   */
  private guess(value: (x: number) => number, rare: number): number {
    let start = this.patterns.plainMu ** 2 / 2;
    for (const { mu, rate, count } of this.patterns.phases) {
      const k = firstWhere(count, (i) => logUpperTail(count, i + 1, log(rate) - log1p(-rate)).upper <= rare);
      start += (k * mu * mu) / 2;
    }
    const { low, high } = crossing(value, {
      guess: start,
      reach: 0.1 * start,
      ceiling: 1e36,
      relative: 1e-4,
    });
    return high < Infinity ? high : low;
  }
}

/** The direction 'add': Q is N(0, 1) for every step, P the mixture over patterns (docs/proofs/little-noise.md 4). */
class Adding extends PatternRun {
  readonly direction = 'add';
  readonly largestLoss: Bracket;

  /** The largest loss: −log of the empty pattern's weight without plain Gaussians, else ∞. Ensures: it lies in its bracket. */
  constructor(patterns: Patterns) {
    super(patterns);
    const most = -patterns.logNever;
    this.largestLoss =
      patterns.plainMu > 0
        ? exactly(Infinity)
        : bracket(most * (1 - 64 * U), most * (1 + 64 * U) + Number.MIN_VALUE);
  }

  /**
   * log δ(ε). Upper: H_{γw}, γ = e^ε, w the weight of the empty pattern, of the plain Gaussians alone. Lower: log(TPR − γ·FPR) of `test`
   * (little-noise.md 4). Ensures: it lies in the bracket.
   */
  logDelta(epsilon: number): Bracket {
    if (epsilon === Infinity) return exactly(-Infinity);
    const { plainMu, logNever } = this.patterns;
    const slack = slackOf(epsilon, logNever);
    const upper = logGaussian(plainMu * plainMu, epsilon + logNever, slack, 1);
    const shown = gain(this.test(epsilon), epsilon + slack);
    return bracket(Math.min(shown - ROUNDINGS * (1 + Math.abs(shown)), upper), upper);
  }

  /**
   * The test that rejects where every step's output is likelier unsampled and −log(wg) exceeds ω. w is the weight of the empty pattern, g the
   * likelihood ratio of the plain Gaussians. Both rates are products over independent steps, by Φ (little-noise.md 4). Ensures: log TPR rounded
   * down, log FPR up.
   */
  test(omega: number): CertifiedTest {
    const { phases, plainMu, logNever } = this.patterns;
    const left = omega + logNever;
    if (plainMu === 0 && left >= 0) return { logFpr: -Infinity, logTpr: -Infinity };
    const edge = plainMu === 0 ? Infinity : plainMu / 2 - left / plainMu;
    let [fpr, tpr] = [logNever, 0];
    for (const { mu, rate, count } of phases) {
      const place = mu / 2 + (log1p(-rate) - log(rate)) / mu;
      const missed = log(rate) - log1p(-rate) + padLogProbability(logNormalCdf(place - mu)).upper;
      tpr += count * padLogProbability(logNormalCdf(place)).lower;
      fpr += count * logSum(padLogProbability(logNormalCdf(place)).upper, missed);
    }
    if (plainMu > 0) {
      tpr += padLogProbability(logNormalCdf(edge)).lower;
      fpr += padLogProbability(logNormalCdf(edge - plainMu)).upper;
    }
    const slack = slackOf(fpr, tpr);
    return { logFpr: Math.min(0, fpr + slack), logTpr: tpr - slack };
  }

  guessEpsilon(logDelta: number): number {
    const { plainMu, logNever } = this.patterns;
    const own = plainMu > 0 ? gaussianRun(plainMu).guessEpsilon(logDelta) : logComplement(logDelta);
    return own - logNever;
  }

  guessOmega(logFpr: number): number {
    const { plainMu, logNever } = this.patterns;
    return (plainMu > 0 ? gaussianRun(plainMu).guessOmega(Math.min(0, logFpr - logNever)) : -1e-3) - logNever;
  }
}
