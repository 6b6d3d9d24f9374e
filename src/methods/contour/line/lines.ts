import type { Kernel } from '../../../kernel/kernel.js';
import { logSum } from '../../../numeric/log-arithmetic.js';
import { Lazy, LruCache } from '../../../numeric/lru-cache.js';
import { FEW_ROUNDINGS, LONG_SUM } from '../../../numeric/rounding.js';
import { exp } from '../../../numeric/scalar.js';
import { type Answer, Contour, type Line, LONGEST, layOut } from './contour.js';
import type { Asked, CountedSpectrum, TruncatedLaws } from './contour-plan.js';
import { Stages } from './stages.js';
import type { Approximated } from './threshold-guess.js';

/** Largest number of nodes of one contour times the number of distinct steps. Only speed and width depend on it. */
const MAX_NODES = 2 ** 23;
/** Number of contours cached. Only speed and memory depend on it. */
const MAX_KEPT = 96;
/**
 * log₁₀ of the relative accuracies that contours are planned for. A width t takes the first level with 10^(level+1) ≤ t^1.5 (`FINE`), or ≤ t where
 * such contours are too long (`COARSE`).
 */
const LEVELS = [-4, -6, -8, -10, -12, -14] as const;
const FINE = leastWidths(1.5);
export const COARSE: readonly number[] = leastWidths(1);
/** The finest accuracy of rates (log₁₀) that a small x alone can require. Only width depends on it. */
const RATES = -10;
/**
 * In the choice of an accuracy, a smaller x than this fraction of the loss's standard deviation counts as that fraction. Only speed and width depend
 * on it.
 */
const SMALL = 0.1;

/** Brackets of log FPR and log TPR of the test that rejects where L > x. Its threshold may be drawn from an interval around x. */
export interface TestAnswer {
  readonly falsePositive: Answer;
  readonly power: Answer;
  /** Approximate relative loss of power against the best test of the same FPR, which has a fixed threshold. It enters no bound. */
  readonly windowError: number;
  /** Approximate standard deviation of the loss under the contour's exponential tilting. */
  readonly scale: number;
}

/** Width of the wider of both brackets, plus `windowError`. */
export function errorOf({ falsePositive: fpr, power: tpr, windowError }: TestAnswer): number {
  return Math.max(fpr.upper - fpr.lower, tpr.upper - tpr.lower) + windowError;
}

/** A source of answers at losses x ≥ 0 for one order of the pair, (P, Q) or (Q, P). */
export interface LineSource {
  /** A bracket of log δ(x) over finite losses, of width `width` if possible; undefined where no contour serves x. */
  delta(x: number, width: number): Answer | undefined;
  test(x: number, width: number): TestAnswer | undefined;
  /**
   * Chernoff's bound of log δ(x) from M at a few real tilts. Ensures: no less than log δ(x). The search ends at any bound below `floor`, a log δ
   * below which no more accuracy is wanted.
   */
  bound(x: number, width: number, floor?: number): number;
  /** Heuristic: the approximate x where log δ(x) or log FPR is `target`. It enters no bound. */
  guess(functional: Approximated, target: number, width: number): number | undefined;
}

/**
 * The contours of a run. The width asked for decides the accuracy, a level of LEVELS, and x the interval of losses that one contour serves. A contour
 * depends on the run and these two alone, so no answer depends on earlier questions.
 */
export class Lines implements LineSource {
  private readonly stages: Stages;
  /** Approximate standard deviation of the run's loss under Q. */
  private readonly unit = new Lazy(() => this.stages.deviation);
  private readonly lines = new LruCache<string, Line | undefined>(MAX_KEPT);

  /** Prepares truncation levels of the laws. Contours are computed when needed; their error bounds are those of `Contour`. */
  constructor(
    private readonly kernel: Kernel,
    private readonly laws: readonly CountedSpectrum[],
    /** The width that is usually asked for: wider questions are answered by its contours. */
    private readonly usual: number,
  ) {
    this.stages = new Stages(kernel, laws);
  }

  /**
   * log δ(x) over finite losses by one contour, with the mass that truncation removes added; undefined where no contour is laid out. Ensures: it
   * lies in the bracket.
   * @param widths The least width that each level serves.
   */
  delta(x: number, width: number, widths: readonly number[] = FINE): Answer | undefined {
    const found = this.lineAt(x, this.levelFor(width, widths), 'delta');
    return found && charged(found.line.answer('delta', x), found.run.logLostQ);
  }

  /**
   * Brackets of log FPR and log TPR at x by one contour, with the masses that truncation removes added; undefined where no contour is laid out.
   * Ensures: both rates lie in their brackets.
   * @param offset The FPR is taken at x − offset, the power at x + offset.
   * @param widths The least width that each level serves.
   */
  test(x: number, width: number, offset = 0, widths: readonly number[] = FINE): TestAnswer | undefined {
    const level = Math.min(this.levelFor(width, widths), this.levelOfRates(x, width));
    const found = this.lineAt(x, level, 'test');
    if (found === undefined) return undefined;
    const { line, run } = found;
    return {
      falsePositive: charged(line.answer('falsePositive', x - offset), run.logLostP),
      power: charged(line.answer('power', x + offset), run.logLostQ),
      windowError: (line.window / line.saddle.scale) ** 2,
      scale: line.saddle.scale,
    };
  }

  bound(x: number, width: number, floor: number = -Infinity): number {
    return this.stages.bound(x, this.levelFor(width), floor);
  }

  guess(functional: Approximated, target: number, width: number): number | undefined {
    return this.stages.guess(functional, target, this.levelFor(width));
  }
  /**
   * The contour that answers `asked` at x with the relative accuracy 10^level, and the truncated run that it belongs to. Contours are cached.
   * Undefined if no truncation level reaches x, or if the contour would have too many nodes. The contour's own error bounds do not include the
   * masses that truncation removes; `charged` adds them.
   */
  private lineAt(x: number, level: number, asked: Asked): { line: Line; run: TruncatedLaws } | undefined {
    const window = this.stages.at(x, level, asked);
    if (window === undefined) return undefined;
    const { stage, plan, spacing } = window;
    const line = this.lines.of(window.key, () => {
      const longest = Math.min(LONGEST, MAX_NODES / this.laws.length);
      const layout = layOut(this.kernel, stage.laws, plan, spacing(), longest);
      return layout && Contour.on(this.kernel, stage.laws, stage.axis, plan, layout);
    });
    return line && { line, run: stage };
  }

  /**
   * Heuristic: the level (log₁₀ of the relative accuracy) for rates at a small x. TPR and FPR then differ by about a factor e^x only, so their
   * relative error should be below width·x, or width·SMALL·(standard deviation of the loss). It enters no bound.
   */
  private levelOfRates(x: number, width: number): number {
    const unit = this.unit.value;
    const least = unit < Infinity ? Math.min(1, SMALL * unit) : 0;
    return Math.max(RATES, levelOf(width * Math.max(x, least), COARSE));
  }

  private levelFor(width: number, widths: readonly number[] = FINE): number {
    return levelOf(Math.min(width, this.usual), widths);
  }
}

/** The least width that each of LEVELS serves, 10^{(level+1)/power}; the last level, which has no entry, serves all widths. */
function leastWidths(power: number): readonly number[] {
  return LEVELS.slice(0, -1).map((level) => exp(((level + 1) * Math.LN10) / power));
}

/** log₁₀ of the accuracy for a width, given the least width that each of LEVELS serves. */
function levelOf(width: number, least: readonly number[]): number {
  for (let i = 0; i < least.length; i++) if (width >= least[i]) return LEVELS[i];
  return LEVELS[LEVELS.length - 1];
}

/** Below this, log(1 + share) is bounded by share itself. Only width depends on it. */
const SMALL_SHARE = 1e-7;

/**
 * Turns a bracket of log δ, or of the log of a rate, for a truncated run into one for the run. Its upper end becomes log(e^{upper} + e^{logLost}),
 * where e^{logLost} bounds the mass removed (contour.md 1). Ensures: the run's value lies in the bracket, roundings included.
 */
export function charged(answer: Answer, logLost: number): Answer {
  if (logLost === -Infinity) return answer;
  const share = exp(Math.min(0, logLost - answer.lower));
  // rounding errors: of the sum of logarithms, relative to its size, and of the exponential in `share`
  const slack = FEW_ROUNDINGS * Math.abs(answer.upper) + LONG_SUM * share;
  // log(1 + x) ≤ x, and close to it for small x
  const upper = share < SMALL_SHARE ? answer.upper + share : logSum(answer.upper, logLost);
  const { truncation, roundOff } = answer.budget;
  const budget = { ...answer.budget, truncation: truncation + share, roundOff: roundOff + slack };
  return { ...answer, upper: upper + slack, budget };
}
