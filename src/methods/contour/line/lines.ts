import type { Kernel } from '../../../kernel/kernel.js';
import { logSum } from '../../../numeric/log-arithmetic.js';
import { Recent } from '../../../numeric/recent.js';
import { exp, log } from '../../../numeric/scalar.js';
import { type Answer, Contour, type Line, LONGEST, layOut } from './contour.js';
import { type Asked, boundOnLadder, type CountedSpectrum, type CutLaws } from './contour-plan.js';
import { Narrowest } from './narrowest.js';
import { PanelLine } from './panel-line.js';
import { type Place, panelPlanFor, planFor, type Window, Windows } from './windows.js';

/** Nodes of one line for all steps that differ. */
const MAX_NODES = 2 ** 23;
/** Runs of so few steps take panels first, and those of more have no use for them. Speed alone hangs on it. */
const FEW_STEPS = 24;
/** Nodes of lines of stages that are tried before longer ones. Speed alone hangs on it. */
const STAGED = 2048;
/** Lines kept; only speed and memory hang on it. */
const MAX_KEPT = 96;
/** Levels are even powers of ten between these, and follow the width asked for to this power: finer ones cost little where it is small. */
const TIGHTEST = -14;
const LOOSEST = -4;
/** No finer than this for the sake of a small x. */
const RATES = -10;
/** Losses below this share of their deviation count as that. Only speed and width hang on it. */
const SMALL = 0.1;
const POWER = 1.5;
/** Tests are taken at once where their doubt is no more than this share of the width: what is made of them is larger. */
const SHARP = 1 / 128;
/** The two rates of a test, which may draw its threshold near x. */
export interface TestAnswer {
  readonly falsePositive: Answer;
  readonly power: Answer;
  /** About what the power lacks, relatively, to that of the best test of the same FPR: a guide. */
  readonly blur: number;
  /** One unit of x: the deviation of the line's tilted law. */
  readonly scale: number;
}

/** Width of the wider rate, and the blur. */
export function doubtOf({ falsePositive: fpr, power: tpr, blur }: TestAnswer): number {
  return Math.max(fpr.upper - fpr.lower, tpr.upper - tpr.lower) + blur;
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
  /** The same of δ where rare large losses rule, below an x where δ is less. */
  guessApart?(target: number, below: number): number;
}

/**
 * The lines of a run: the level follows from the width asked for, the window from x, and everything else of a line from the run and these
 * two alone. So no answer depends on what was asked before.
 */
export class Lines implements LineSource {
  private readonly windows: Windows;
  /** The deviation of the run's losses. */
  private unit: number | undefined;
  private readonly lines = new Recent<string, Line | undefined>(MAX_KEPT);

  constructor(
    private readonly kernel: Kernel,
    private readonly laws: readonly CountedSpectrum[],
    /** The width that most is asked for: wider questions are answered by its lines. */
    private readonly usual: number,
    private readonly longest = LONGEST,
  ) {
    this.windows = new Windows(kernel, laws);
    const steps = laws.reduce((sum, { count }) => sum + count, 0);
    const { staged, panels, long } = this;
    this.kinds = steps > FEW_STEPS ? [staged, long] : [staged, panels, long];
  }

  delta(x: number, width: number): Answer | undefined {
    return this.narrowest(
      { x, width, asked: 'delta' },
      ({ line, run }) => charged(line.answer('delta', x), run.logLostQ),
      ({ lower, upper }) => upper - lower,
    );
  }

  /** @param offset The false positive rate is taken this far before x, the power this far behind it. */
  test(x: number, width: number, offset = 0): TestAnswer | undefined {
    return this.narrowest(
      { x, width, asked: 'test' },
      ({ line, run }) => ({
        falsePositive: charged(line.answer('falsePositive', x - offset), run.logLostP),
        power: charged(line.answer('power', x + offset), run.logLostQ),
        blur: (line.window / line.saddle.scale) ** 2,
        scale: line.saddle.scale,
      }),
      doubtOf,
    );
  }

  bound(x: number, width: number, floor = -Infinity): number {
    const level = this.levelFor(width);
    const staged = this.windows.bound(x, level, floor);
    if (staged !== undefined) return staged;
    const { axis, logLostQ } = this.windows.shallowest(level);
    const { bound: best, reached } = boundOnLadder(axis, x);
    // where the cut is most of the bound, or x is out of its reach, the whole run may say more
    const whole = best < logLostQ || !reached ? boundOnLadder(this.windows.uncut, x).bound : Infinity;
    return Math.min(0, whole, logSum(best, logLostQ) + 1e-15);
  }

  guess(functional: 'delta' | 'falsePositive', target: number, width: number): number | undefined {
    return this.windows.guess(functional, target, this.levelFor(width));
  }

  /** The first answer as narrow as asked for, of lines of stages, panels and long lines; the narrowest where none is. */
  private narrowest<T>(
    { x, width, asked }: { x: number; width: number; asked: Asked },
    ask: (found: { line: Line; run: CutLaws }) => T,
    doubtOf: (answer: T) => number,
  ): T | undefined {
    const usual = this.levelFor(width);
    const level = asked === 'test' ? Math.min(usual, this.levelOfRates(x, width)) : usual;
    const answers = new Narrowest(doubtOf, asked === 'test' ? SHARP * width : width);
    const place = this.windows.at(x, level, asked);
    this.kinds.some((make) => {
      const line = make(place, level);
      return answers.takes(line && ask(line));
    });
    return answers.found;
  }

  /** Rates near 0 differ by little more than e^x: where x is small they are to be known better, whatever their width, but for what is far below a run's losses. */
  private levelOfRates(x: number, width: number): number {
    this.unit ??= Math.sqrt(this.windows.uncut.near(1).variance);
    const least = this.unit < Infinity ? Math.min(1, SMALL * this.unit) : 0;
    return Math.max(RATES, evenBelow(log(width * Math.max(x, least)) / Math.LN10));
  }

  private levelFor(width: number): number {
    return levelOf(Math.min(width, this.usual));
  }

  /** Ways to lay a line, the cheapest first. */
  private readonly kinds: readonly Kind[];

  private readonly staged: Kind = (place) => {
    const window = place.staged();
    if (window === undefined) return undefined;
    const { stage, plan, spacing } = window;
    const line = this.lines.of(window.key, () => {
      const layout = layOut(stage.laws, stage.axis, plan, Math.min(STAGED, this.longest), spacing);
      // thresholds are drawn from windows on the right of the pole alone
      if (layout === undefined || (plan.saddle.s < 0 && layout.window > 0)) return undefined;
      return Contour.on(this.kernel, stage.laws, stage.axis, plan, layout);
    });
    return line && { line, run: stage };
  };

  private readonly panels: Kind = (place, level) => {
    const rung = place.rung();
    if (rung === undefined) return undefined;
    const { run } = rung;
    const line = this.lines.of(rung.key, () => {
      const plan = panelPlanFor(rung, level);
      return plan && PanelLine.on(this.kernel, run.laws, run.axis, plan);
    });
    return line && { line, run };
  };

  private readonly long: Kind = (place, level) => {
    const window = place.window();
    const longest = Math.min(this.longest, MAX_NODES / this.laws.length);
    const line = window && this.lines.of(window.key, () => this.uniform(window, level, longest));
    return line && { line, run: window.run };
  };

  private uniform(window: Window, level: number, longest: number): Line | undefined {
    const { run } = window;
    const plan = planFor(window, level);
    const layout = layOut(run.laws, run.axis, plan, longest);
    return layout && Contour.on(this.kernel, run.laws, run.axis, plan, layout);
  }
}

/** A way to lay a line where x lies. */
type Kind = (place: Place, level: number) => { line: Line; run: CutLaws } | undefined;

/** The level for a width, as a power of ten. */
export function levelOf(width: number): number {
  return Math.min(LOOSEST, Math.max(TIGHTEST, evenBelow((POWER * log(width)) / Math.LN10)));
}

/** The even number at least one below. */
function evenBelow(power: number): number {
  return 2 * Math.floor(power / 2 - 0.5);
}

/** An answer about a run without its largest outputs as one about the run: the mass they may have counts in the upper end. */
function charged(answer: Answer, logLost: number): Answer {
  if (logLost === -Infinity) return answer;
  const share = exp(Math.min(0, logLost - answer.lower));
  // of the sum, which is relative where the answer is near 1, and of the share's own exponential
  const slack = 1e-15 * Math.abs(answer.upper) + 1e-12 * share;
  const { truncation, roundOff } = answer.budget;
  const budget = { ...answer.budget, truncation: truncation + share, roundOff: roundOff + slack };
  return { ...answer, upper: logSum(answer.upper, logLost) + slack, budget };
}
