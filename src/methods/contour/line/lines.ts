import type { Kernel } from '../../../kernel/kernel.js';
import { logSum } from '../../../numeric/log-arithmetic.js';
import { Lazy, LruCache } from '../../../numeric/lru-cache.js';
import { FEW_ROUNDINGS, LONG_SUM } from '../../../numeric/rounding.js';
import { exp } from '../../../numeric/scalar.js';
import { type Answer, Contour, type Line, LONGEST, layOut } from './contour.js';
import type { Asked, CountedSpectrum, TruncatedLaws } from './contour-plan.js';
import { Stages } from './stages.js';
import type { Approximated } from './threshold-guess.js';

/** Nodes of one contour, summed over distinct steps, at most. */
const MAX_NODES = 2 ** 23;
/** Contours cached; only speed and memory depend on it. */
const MAX_KEPT = 96;
/** Target relative accuracies, as powers of ten. A tolerance t takes the first level with 10^(level+1) ≤ t^1.5, or ≤ t where such lines are too long. */
const LEVELS = [-4, -6, -8, -10, -12, -14] as const;
const FINE = leastWidths(1.5);
export const COARSE: readonly number[] = leastWidths(1);
/** The finest level that is chosen because x is small. */
const RATES = -10;
/** Losses below this fraction of their standard deviation count as that. Only speed and width depend on it. */
const SMALL = 0.1;
/** FPR and TPR of a test, possibly with a randomised threshold near x. */
export interface TestAnswer {
  readonly falsePositive: Answer;
  readonly power: Answer;
  /** Approximate relative loss of power against the best test of the same FPR. */
  readonly windowError: number;
  /** Standard deviation of the contour's tilted loss. */
  readonly scale: number;
}

/** Width of the wider rate's bracket, plus `windowError`. */
export function errorOf({ falsePositive: fpr, power: tpr, windowError }: TestAnswer): number {
  return Math.max(fpr.upper - fpr.lower, tpr.upper - tpr.lower) + windowError;
}

/** Answers at losses x ≥ 0 for one orientation of the pair. */
export interface LineSource {
  /** A bracket of log δ, of width `width` if possible. */
  delta(x: number, width: number): Answer | undefined;
  test(x: number, width: number): TestAnswer | undefined;
  /** An upper bound of log δ from a few real values of M; the search ends at any bound below `floor`. */
  bound(x: number, width: number, floor?: number): number;
  /** The x where δ or the FPR passes e^{target}, approximately. */
  guess(functional: Approximated, target: number, width: number): number | undefined;
}

/**
 * The contours of a run. The width asked for decides the accuracy level. x decides the window, an interval of x that one contour serves. A contour
 * depends on the run and these two alone, so no answer depends on earlier questions.
 */
export class Lines implements LineSource {
  private readonly stages: Stages;
  /** The standard deviation of the run's loss. */
  private readonly unit = new Lazy(() => this.stages.deviation);
  private readonly lines = new LruCache<string, Line | undefined>(MAX_KEPT);

  constructor(
    private readonly kernel: Kernel,
    private readonly laws: readonly CountedSpectrum[],
    /** The width that is usually asked for: wider questions are answered by its contours. */
    private readonly usual: number,
  ) {
    this.stages = new Stages(kernel, laws);
  }

  /** @param widths The least width of each level. */
  delta(x: number, width: number, widths: readonly number[] = FINE): Answer | undefined {
    const found = this.lineAt(x, this.levelFor(width, widths), 'delta');
    return found && charged(found.line.answer('delta', x), found.run.logLostQ);
  }

  /**
   * Brackets of log FPR and log TPR at x by one contour, masses lost to truncation included; undefined where no contour is laid. Ensures: both rates
   * lie in their brackets.
   * @param offset The FPR is taken at x − offset, the power at x + offset.
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
   * The contour that answers `asked` at x with the relative accuracy 10^level, and the truncated run that it belongs to. Contours are cached by
   * window. Undefined if no stage reaches x, or the contour would have too many nodes. Errors are those of the contour; masses lost to truncation are
   * not in them.
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

  /** For small x the rates differ by a factor e^x only, so their relative error must be below x. Losses far below those of the run are exempt. */
  private levelOfRates(x: number, width: number): number {
    const unit = this.unit.value;
    const least = unit < Infinity ? Math.min(1, SMALL * unit) : 0;
    return Math.max(RATES, levelOf(width * Math.max(x, least), COARSE));
  }

  private levelFor(width: number, widths: readonly number[] = FINE): number {
    return levelOf(Math.min(width, this.usual), widths);
  }
}

/** The least widths of log δ that each level of accuracy serves; the last level serves all widths. */
function leastWidths(power: number): readonly number[] {
  return LEVELS.slice(0, -1).map((level) => exp(((level + 1) * Math.LN10) / power));
}

/** The level for a width, as a power of ten. */
function levelOf(width: number, least: readonly number[]): number {
  for (let i = 0; i < least.length; i++) if (width >= least[i]) return LEVELS[i];
  return LEVELS[LEVELS.length - 1];
}

/** For smaller shares log(1 + share) is bounded by the share itself. Only width depends on it. */
const SMALL_SHARE = 1e-7;

/**
 * Turns a bracket for a truncated run, of log δ or of log of a rate, into one for the run. The upper end gains the mass lost, e^{logLost}. Ensures:
 * it lies in the bracket.
 */
export function charged(answer: Answer, logLost: number): Answer {
  if (logLost === -Infinity) return answer;
  const share = exp(Math.min(0, logLost - answer.lower));
  // rounding of the sum, which is relative where the answer is near 1, and of the share's exponential
  const slack = FEW_ROUNDINGS * Math.abs(answer.upper) + LONG_SUM * share;
  // log(1 + x) ≤ x, and close to it for small x
  const upper = share < SMALL_SHARE ? answer.upper + share : logSum(answer.upper, logLost);
  const { truncation, roundOff } = answer.budget;
  const budget = { ...answer.budget, truncation: truncation + share, roundOff: roundOff + slack };
  return { ...answer, upper: upper + slack, budget };
}
