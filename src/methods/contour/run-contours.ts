import type { Kernel } from '../../kernel/kernel.js';
import type { LineAnswer, RunQuestions, SampledRun, Side, Told } from '../../kernel/questions.js';
import type { Bracket } from '../../numeric/bracket.js';
import { LruCache } from '../../numeric/lru-cache.js';
import { charge, remaining, runOut } from '../../numeric/meter.js';
import { FEW_ROUNDINGS, FUNCTION_ERROR } from '../../numeric/rounding.js';
import { exp, log } from '../../numeric/scalar.js';
import type { ErrorBudget } from '../../run/method.js';

/** A bracket of log δ over finite losses, and error bounds by cause. Without an answer, `lower` is −∞ and `upper` Chernoff's bound. */
export interface DeltaAnswer extends Bracket {
  readonly isAnswered: boolean;
  readonly budget: ErrorBudget;
}

/** Brackets of log FPR and log TPR of a test over finite losses. */
export interface TestAnswer {
  readonly falsePositive: Bracket;
  readonly power: Bracket;
  /** Approximate relative loss of power against the best test of the same FPR, whose threshold has no noise. It enters no bound. */
  readonly smoothing: number;
}

/** What is known of the finite losses of a run in each direction, at losses x ≥ 0. */
export type SideAnswers = Pick<RunContours, 'haveAtoms' | 'delta' | 'test' | 'guess'>;

/** Width of the wider of both brackets, plus `smoothing`. */
export function widthOf({ falsePositive: fpr, power: tpr, smoothing }: TestAnswer): number {
  return Math.max(fpr.upper - fpr.lower, tpr.upper - tpr.lower) + smoothing;
}

/** An approximate x, and the variance of the loss. They enter no bound. */
interface Guessed {
  readonly at: number;
  readonly variance: number;
}

/**
 * Standard deviations of the smoothing noise, in units of the `eta` given, that are tried in order if the usual width is at least `least`. A larger
 * one needs fewer nodes and gives a wider bracket. Only speed and width depend on them.
 */
const NOISE_SIZES = [
  { least: 0.1, shares: [8] },
  { least: 0.01, shares: [2] },
  { least: 0, shares: [0.25, 1] },
] as const;
/**
 * Standard deviations of the smoothing noise, in units of `eta`, that are tried where an answer is too wide. The width is about quadratic in them. So
 * the largest one is taken that is expected to make the bracket at most SPARE of the wanted width. Only speed and width depend on them.
 */
const [FINER, SPARE] = [[1, 0.5, 0.25, 0.125, 0.0625, 0.03125, 0.015625], 0.95] as const;
/**
 * The standard deviation η of the smoothing noise is such that a contour has about NODES nodes. From the frequency DEPTH/η on, e^{−τ²η²/2} is
 * negligible; the contour's period is about PERIOD standard deviations of the loss. Only speed and width depend on them.
 */
const [NODES, DEPTH, PERIOD] = [2 ** 13, 9, 24];

/** The width from which smoothing noise is tried first. Only speed and width depend on it. */
const WIDE = 0.01;
/** Number of contours cached, and of the stretches of losses for which they are laid. Only speed and width depend on them. */
const [MAX_KEPT, MOST_STRETCHES] = [96, 2 ** 40];
/** An answer by a contour is charged ANSWER units of work, and A_NODE for each number of the stored contour, twice that for rates. */
const [ANSWER, A_NODE] = [1000, 0.8];
/** A log δ near the mean of the loss, where its standard deviation is asked for. Only speed and width depend on it. */
const MIDDLE = -0.7;
/** Least size of a target from which the spacing of guesses is set; smaller targets have the spacing of this one. */
const LEAST_TARGET = 1e-12;
/** Units of work that a contour may cost at most. */
const MOST_OF_LINE = 2e8;

const widthOfLogs = ({ lower, upper }: Bracket): number => upper - lower;

/** Error bounds of a contour by cause. */
function budgetOf(found: Partial<Pick<Told, 'errors' | 'aliasing' | 'nodes'>> = {}): ErrorBudget {
  const { errors, aliasing = 0, nodes = 0 } = found;
  const { rounding = 0, quadrature = 0, truncation = 0 } = errors ?? {};
  return { aliasing, truncation, quadrature, roundOff: rounding, smoothing: 0, nodes };
}

/**
 * Contours of a run in each direction, by calls of the kernel (assembly/question/side.ts). Answers are those of the finite losses, at losses x ≥ 0.
 *
 * Where |φ(τ)| = |M(c + iτ)|/M(c) does not decay, as losses have atoms, no contour answers. Then the run is composed with one more mechanism that is
 * η-GDP. The loss W of that mechanism is N(η²/2, η²) under Q and N(−η²/2, η²) under P, independent of the run's loss L. A test of the run alone may
 * draw N ∼ N(0, η²) and reject when L + N > t. Its FPR is P(L + W > t − η²/2), its power Q(L + W > t + η²/2). Both are rates of the composed pair. Hence
 *   δ(ε) ≤ δ_g(ε), that of the composed pair, as composing can only leak more;
 *   δ(ε) ≥ TPR(t) − e^ε FPR(t) of that test at t = ε.
 * Both differ from δ(ε) by O(η²) (docs/proofs/exponential.md 4).
 */
export class RunContours {
  /** Contours, which serve stretches of losses of the length of a standard deviation. */
  private readonly lines = new LruCache<string, Float64Array | undefined>(MAX_KEPT);
  private readonly guesses = new LruCache<string, Guessed>(MAX_KEPT);

  /**
   * @param haveAtoms Whether |φ| may not decay, so that smoothing is tried; `alone` if it certainly does not.
   * @param usual The width that is usually asked for.
   */
  constructor(
    private readonly kernel: Kernel,
    private readonly run: SampledRun,
    readonly haveAtoms: boolean | 'alone',
    private readonly usual: number,
  ) {}

  /** Asks the kernel with what remains of the allowance of work, at most MOST_OF_LINE, and charges what it cost. Throws where less remained and did not suffice. */
  private ask<T extends Pick<Told, 'work'> & { readonly end?: Told['end'] }>(
    question: (kernel: RunQuestions, allowance: number) => T,
  ): T | undefined {
    const { questions } = this.kernel;
    const left = remaining();
    const told = questions && question(questions, Math.min(MOST_OF_LINE, left));
    charge(told?.work ?? 0);
    if (told?.end === 'limited' && left < MOST_OF_LINE) runOut();
    return told;
  }

  /** The run composed with a mechanism that is η-GDP. */
  private withNoise(eta: number): SampledRun {
    return eta === 0 ? this.run : { ...this.run, square: this.run.square + eta * eta };
  }

  private about(side: Side, target: number, of: 'delta' | 'falsePositive'): Guessed {
    return this.guesses.of(`${side}/${of}/${target}`, () => {
      const told = this.ask((kernel, allowance) => kernel.sideGuess(this.run, side, target, of, allowance));
      return told ?? { at: 1, variance: NaN };
    });
  }

  /**
   * Heuristic: the approximate x ≥ 0 where log δ(x) or log FPR is `target`. It is interpolated between few targets. It enters no bound.
   */
  guess(side: Side, of: 'delta' | 'falsePositive', target: number): number {
    const digits = Math.floor(log(Math.max(LEAST_TARGET, -target)) / Math.LN10);
    const unit = exp(digits * Math.LN10) / 16;
    const k = Math.floor(target / unit);
    const [low, high] = [k, k + 1].map((n) => this.about(side, Math.min(n, -0.5) * unit, of).at);
    const at = low + (target / unit - k) * (high - low);
    return at < Infinity ? Math.max(0, at) : 1;
  }

  /**
   * log δ(x) by a contour of the run, or of the run with smoothing noise, whichever comes first. Where Chernoff's bound is at most `floor`, it suffices.
   * Ensures: it lies in the bracket.
   */
  delta(side: Side, x: number, width: number, floor: number = -Infinity): DeltaAnswer {
    const smoothed = (): DeltaAnswer | undefined =>
      this.first((eta) => this.smoothedDelta(eta, side, x, width), width, widthOfLogs);
    const early = this.isSmoothedFirst(width) ? smoothed() : undefined;
    if (early !== undefined) return early;
    const plain = this.deltaWith(0, side, x, width, floor);
    if (plain.isAnswered || !this.haveAtoms || this.isSmoothedFirst(width)) return plain;
    return smoothed() ?? plain;
  }

  /**
   * Whether contours with smoothing noise are tried first. They are if |φ| certainly does not decay, or if it may not and `width` is large enough for
   * them. They have fewer nodes.
   */
  private isSmoothedFirst(width: number): boolean {
    return this.haveAtoms === 'alone' || (this.haveAtoms && width >= WIDE);
  }

  /**
   * The contour that serves the losses from `from` to `to`, of the run composed with an η-GDP mechanism. It is laid once. Undefined where there is none.
   */
  private lineOf(
    eta: number,
    side: Side,
    [from, to]: readonly [from: number, to: number],
    width: number,
    areRates: boolean,
  ): Float64Array | undefined {
    return this.lines.of(`${eta}/${side}/${from}/${to}/${width}/${areRates}`, () => {
      const run = this.withNoise(eta);
      const ask = (kernel: RunQuestions, allowance: number) =>
        kernel.sideLine(run, side, { from, to, width, areRates }, allowance);
      return this.ask(ask)?.line;
    });
  }

  /**
   * The answers at x by the contour for the stretch of losses that x lies in. A stretch extends from one multiple of the loss's standard deviation to
   * the next. Where that contour cannot be laid for rates, one for x alone is. The power is that at x + η²/2, the false positive rate that at x −
   * η²/2.
   */
  private lineAnswer(
    eta: number,
    side: Side,
    x: number,
    width: number,
    areRates: boolean,
  ): LineAnswer | undefined {
    const unit = Math.sqrt(this.about(side, MIDDLE, 'delta').variance);
    const k = Math.floor(x / unit);
    const isInStretch = unit > 0 && k < MOST_STRETCHES;
    const line =
      (isInStretch ? this.lineOf(eta, side, [k * unit, (k + 1) * unit], width, areRates) : undefined) ??
      (areRates ? this.lineOf(eta, side, [x, x], width, areRates) : undefined);
    if (line === undefined) return undefined;
    charge(ANSWER + (areRates ? 2 : 1) * A_NODE * line.length);
    return this.kernel.questions?.lineAnswer(line, x, areRates ? (eta * eta) / 2 : -1);
  }

  /** log δ(x) of the run composed with an η-GDP mechanism. Ensures: it lies in the bracket. */
  private deltaWith(eta: number, side: Side, x: number, width: number, floor = -Infinity): DeltaAnswer {
    const wanted = Math.min(width, this.usual);
    const found = this.lineAnswer(eta, side, x, wanted, false);
    if (found !== undefined && widthOfLogs(found.delta) <= wanted) {
      const { lower, upper } = found.delta;
      return { lower, upper, isAnswered: true, budget: budgetOf(found) };
    }
    const told = this.ask((kernel, allowance) =>
      kernel.sideDelta(this.withNoise(eta), side, x, wanted, floor, allowance),
    );
    return {
      lower: Math.max(told?.lower ?? -Infinity, found?.delta.lower ?? -Infinity),
      upper: Math.min(told?.upper ?? 0, found?.delta.upper ?? 0),
      isAnswered: told?.end === 'answered',
      budget: budgetOf(told),
    };
  }

  /**
   * log δ(x) of the run by contours with smoothing noise. The upper end is log δ of the run composed with an η-GDP mechanism. The lower end is log(TPR −
   * e^x·FPR) of the test that rejects when the loss plus N(0, η²) exceeds x. Ensures: it lies in the bracket.
   */
  private smoothedDelta(eta: number, side: Side, x: number, width: number): DeltaAnswer | undefined {
    const here = this.deltaWith(eta, side, x, width);
    const test = here.isAnswered ? this.testWith(eta, side, x, width) : undefined;
    if (test === undefined) return undefined;
    const { falsePositive, power } = test;
    const share = exp(Math.min(1, x + falsePositive.upper - power.lower));
    const gain =
      share < 1
        ? power.lower + log(1 - share) - (FEW_ROUNDINGS + FUNCTION_ERROR * (1 + x)) / (1 - share)
        : -Infinity;
    const lower = Math.min(here.upper, gain);
    return { ...here, lower, budget: { ...here.budget, smoothing: Math.max(0, here.upper - lower) } };
  }

  /**
   * Brackets of the logs of the rates of the test that rejects when the loss exceeds x, or of one near it. Undefined where no contour answers. Ensures:
   * both rates lie in their brackets.
   */
  test(side: Side, x: number, width: number): TestAnswer | undefined {
    const plain = this.isSmoothedFirst(width) ? undefined : this.testWith(0, side, x, width);
    if (plain !== undefined || !this.haveAtoms) return plain;
    const ask = (eta: number, unit: number): TestAnswer | undefined => {
      const found = this.testWith(eta, side, x, width);
      const loss = eta / unit;
      return found && { ...found, smoothing: loss * loss };
    };
    return this.first(ask, width, widthOf);
  }

  /** The rates of the test that rejects when the loss plus N(0, η²) exceeds x. Ensures: both lie in their brackets. */
  private testWith(eta: number, side: Side, x: number, width: number): TestAnswer | undefined {
    const found = this.lineAnswer(eta, side, x, Math.min(width, this.usual), true);
    if (found === undefined) return undefined;
    const { falsePositive, power } = found;
    return { falsePositive, power, smoothing: 0 };
  }

  /**
   * The answer of the first contours with smoothing noise that have one. If it is wider than asked for, contours with less noise are asked. The first
   * asked have the largest noise that is expected to suffice. Heuristic: each answer is certified, whichever is returned.
   */
  private first<T>(
    ask: (eta: number, unit: number) => T | undefined,
    width: number,
    sizeOf: (answer: T) => number,
  ): T | undefined {
    const { variance } = this.about(0, MIDDLE, 'delta');
    const unit = Math.sqrt(variance);
    const eta = (DEPTH * PERIOD * unit) / (6.28 * NODES);
    const { shares } = NOISE_SIZES.find(({ least }) => this.usual >= least) ?? NOISE_SIZES[2];
    for (const share of shares) {
      const answer = ask(share * eta, unit);
      if (answer === undefined) continue;
      const most = share * Math.sqrt((SPARE * width) / sizeOf(answer));
      if (most >= share) return answer;
      const finer = FINER.filter((each) => each < share);
      const from = finer.findIndex((each) => each <= most);
      for (let i = from < 0 ? finer.length - 1 : from; i >= 0; i--) {
        const found = ask(finer[i] * eta, unit);
        if (found !== undefined) return found;
      }
      return answer;
    }
    return undefined;
  }
}
