import type { Kernel } from '../../../kernel/kernel.js';
import { logSum } from '../../../numeric/log-arithmetic.js';
import { Lazy, LruCache } from '../../../numeric/lru-cache.js';
import { exp } from '../../../numeric/scalar.js';
import { type Answer, Contour, type Line, LONGEST, layOut } from './contour.js';
import type { Asked, CountedSpectrum, TruncatedLaws } from './contour-plan.js';
import type { Functional } from './line-table.js';
import type { StagedWindow } from './stage.js';
import { Stages } from './stages.js';
import type { Approximated, Guessed } from './threshold-guess.js';

/** Nodes of one line for all steps that differ. */
const MAX_NODES = 2 ** 23;
/** Lines kept; only speed and memory hang on it. */
const MAX_KEPT = 96;
/** Target relative accuracies, as powers of ten. A tolerance t takes the first level with 10^(level+1) ≤ t^1.5, or ≤ t where such lines are too long. */
const LEVELS = [-4, -6, -8, -10, -12, -14] as const;
const FINE = leastWidths(1.5);
export const COARSE: readonly number[] = leastWidths(1);
/** No finer than this for the sake of a small x. */
const RATES = -10;
/** Losses below this share of their deviation count as that. Only speed and width hang on it. */
const SMALL = 0.1;
/** The two rates of a test, which may draw its threshold near x. */
export interface TestAnswer {
  readonly falsePositive: Answer;
  readonly power: Answer;
  /** About what the power lacks, relatively, to that of the best test of the same FPR: a guide. */
  readonly windowError: number;
  /** One unit of x: the deviation of the line's tilted law. */
  readonly scale: number;
}

/** Width of the wider rate, and the windowError. */
export function doubtOf({ falsePositive: fpr, power: tpr, windowError }: TestAnswer): number {
  return Math.max(fpr.upper - fpr.lower, tpr.upper - tpr.lower) + windowError;
}

/** Answers at losses x ≥ 0 for one orientation of the pair. */
export interface LineSource {
  /** A bracket of log δ, of width `width` if that can be had. */
  delta(x: number, width: number): Answer | undefined;
  test(x: number, width: number): TestAnswer | undefined;
  /** An upper bound of log δ for the price of a few real values of M: any that is no larger than `floor` will do. */
  bound(x: number, width: number, floor?: number): number;
  /** The x where δ or the FPR passes e^{target}, roughly. */
  guess(functional: 'delta' | 'falsePositive', target: number, width: number): number | undefined;
}

/**
 * The lines of a run. The level follows from the width asked for, and the window from x. Everything else of a line follows from the run and these
 * two alone. So no answer depends on what was asked before.
 */
export class Lines implements LineSource {
  private readonly stages: Stages;
  /** The deviation of the run's losses. */
  private readonly unit = new Lazy(() => this.stages.deviation);
  private readonly longest: number;
  private readonly lines = new LruCache<string, Line | undefined>(MAX_KEPT);

  constructor(
    private readonly kernel: Kernel,
    laws: readonly CountedSpectrum[],
    /** The width that most is asked for: wider questions are answered by its lines. */
    private readonly usual: number,
    longest: number = LONGEST,
    /** Whether shorter lines, which serve fewer x's, are tried where one would be too long. */
    private readonly shorter: boolean = false,
  ) {
    this.stages = new Stages(kernel, laws);
    this.longest = Math.min(longest, MAX_NODES / laws.length);
  }

  /** @param widths The least ones of each level. */
  delta(x: number, width: number, widths: readonly number[] = FINE): Answer | undefined {
    const found = this.lineAt(x, this.levelFor(width, widths), 'delta');
    return found && charged(found.line.answer('delta', x), found.run.logLostQ);
  }

  /** @param offset The false positive rate is taken this far before x, the power this far behind it. */
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

  /** A bracket of one rate at x itself: where lines have windows, of the mean after x and the mean before it. */
  rate(functional: 'falsePositive' | 'power', x: number, width: number): Answer | undefined {
    const found = this.lineAt(x, this.levelFor(width), 'test');
    if (found === undefined) return undefined;
    const { line, run } = found;
    const at = (y: number): Answer =>
      charged(line.answer(functional, y), functional === 'power' ? run.logLostQ : run.logLostP);
    if (line.window === 0) return at(x);
    const half = (line.window / 2) * (1 + 1e-9);
    const [before, after] = [at(x - half), at(x + half)];
    return { ...before, lower: Math.min(after.lower, before.upper) };
  }

  bound(x: number, width: number, floor: number = -Infinity, functional: Functional = 'delta'): number {
    return this.stages.bound(functional, x, this.levelFor(width), floor);
  }

  /** log of δ or the FPR at x, roughly; −∞ where nothing is known. */
  near(functional: Approximated, x: number): number {
    return this.stages.near(functional, x, this.levelFor(this.usual));
  }

  guess(functional: Approximated, target: number, width: number): number | undefined {
    return this.guessed(functional, target, width)?.x;
  }

  guessed(functional: Approximated, target: number, width: number): Guessed | undefined {
    return this.stages.guess(functional, target, this.levelFor(width));
  }

  private lineAt(x: number, level: number, asked: Asked): { line: Line; run: TruncatedLaws } | undefined {
    const found = this.lineOf(this.stages.at(x, level, asked));
    return found ?? (this.shorter ? this.lineOf(this.stages.at(x, level, asked, true)) : undefined);
  }

  private lineOf(window: StagedWindow | undefined): { line: Line; run: TruncatedLaws } | undefined {
    if (window === undefined) return undefined;
    const { stage, plan, spacing } = window;
    const line = this.lines.of(window.key, () => {
      const layout = layOut(this.kernel, stage.laws, plan, spacing(), this.longest);
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

/** The least widths that each level serves but the last, which serves all. */
function leastWidths(power: number): readonly number[] {
  return LEVELS.slice(0, -1).map((level) => exp(((level + 1) * Math.LN10) / power));
}

/** The level for a width, as a power of ten. */
function levelOf(width: number, least: readonly number[]): number {
  for (let i = 0; i < least.length; i++) if (width >= least[i]) return LEVELS[i];
  return LEVELS[LEVELS.length - 1];
}

/** Shares below this count as they are. Width alone hangs on it. */
const SMALL_SHARE = 1e-7;

/** An answer about a run without its largest outputs as one about the run: the mass they may have counts in the upper end. */
export function charged(answer: Answer, logLost: number): Answer {
  if (logLost === -Infinity) return answer;
  const share = exp(Math.min(0, logLost - answer.lower));
  // of the sum, which is relative where the answer is near 1, and of the share's own exponential
  const slack = 1e-15 * Math.abs(answer.upper) + 1e-12 * share;
  // log(1 + x) is at most x, and little less where that is small
  const upper = share < SMALL_SHARE ? answer.upper + share : logSum(answer.upper, logLost);
  const { truncation, roundOff } = answer.budget;
  const budget = { ...answer.budget, truncation: truncation + share, roundOff: roundOff + slack };
  return { ...answer, upper: upper + slack, budget };
}
