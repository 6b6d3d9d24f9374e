import type { Kernel } from '../../../kernel/kernel.js';
import { logSum } from '../../../numeric/log-arithmetic.js';
import { exp, log } from '../../../numeric/scalar.js';
import { type Answer, Contour, type LineLayout, LONGEST, layOut } from './contour.js';
import {
  type CountedSpectrum,
  chernoffAt,
  type LinePlan,
  logDeltaNear,
  logFprNear,
  RealAxis,
  type Saddle,
  saddleFor,
  saddleReaching,
} from './contour-plan.js';

/** Nodes of one line for all steps that differ. */
const MAX_NODES = 2 ** 19;
/** Lines, plans and cut runs kept: beyond that all are dropped and made again as they are needed. */
const MAX_KEPT = 96;
/** Levels are even powers of ten between these, and follow the width asked for to this power: finer ones cost little where it is small. */
const TIGHTEST = -14;
const LOOSEST = -4;
const POWER = 1.5;
/**
 * Lines serve windows of log δ from −r²w²/2 to −(r + 1)²w²/2, w in deviations of a Gaussian: sums at the window's ends cancel by about
 * e^{w²/8}, so finer levels take narrower ones, and so do runs whose few large losses make lines for wide ones long.
 */
const SPANS = [7, 3.5, 1.75] as const;
const NARROW_LEVEL = -10.5;
const NARROWEST_LEVEL = -12.5;
/** Nodes of a line that is taken without a look at narrower windows. */
const SHORT = 512;
/** Windows beyond this are not asked for. */
const LAST_RUNG = 2 ** 12;
/** Cut masses come in powers of e^{−2}; a cut takes at most this (a logarithm) of the level of what it changes. */
const CUT_UNIT = 2;
const CUT_SHARE = -2;
/** Digits of integrals over outputs beyond the level, in logarithms. */
const SPARE = 10;
/** How much finer the level is at which an answer that is wider than asked for is asked for again. */
const FINER = 2;
const LOG_10 = 2.302585092994046;

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
  /** An upper bound of log δ for the price of a few real values of M. */
  bound(x: number, width: number): number;
  /** The x where δ or the FPR passes e^{target}, roughly. */
  guess(functional: 'delta' | 'falsePositive', target: number, width: number): number | undefined;
}

/** A run without its largest outputs. */
interface CutRun {
  readonly laws: readonly CountedSpectrum[];
  readonly axis: RealAxis;
  /** log of what the cut takes from P and Q, at most. */
  readonly logLostP: number;
  readonly logLostQ: number;
}

/** One window of a level: the run it sees, and the saddle at its far end. */
interface Window {
  readonly run: CutRun;
  readonly high: Saddle | undefined;
}

interface Rung {
  readonly run: CutRun;
  readonly plan: LinePlan;
  readonly layout: LineLayout | undefined;
}

/**
 * The lines of a run, on a ladder: the level follows from the width asked for, the window from x, and everything else of a line from the run and these
 * two alone. So no answer depends on what was asked before.
 */
export class Lines implements LineSource {
  private readonly logCount: number;
  private readonly cuts = new Map<string, CutRun>();
  private readonly windows = new Map<string, Window>();
  private readonly plans = new Map<string, { run: CutRun; saddles: Saddle[]; plan?: LinePlan }>();
  private readonly rungs = new Map<string, Rung | undefined>();
  private readonly lines = new Map<string, Contour | undefined>();

  constructor(
    private readonly kernel: Kernel,
    private readonly laws: readonly CountedSpectrum[],
    /** The width that most is asked for: wider questions are answered by its lines. */
    private readonly usual: number,
    private readonly longest = LONGEST,
  ) {
    this.logCount = log(laws.reduce((sum, { count }) => sum + count, 1));
  }

  delta(x: number, width: number): Answer | undefined {
    return this.finest(width, (level) => {
      const found = this.lineFor(x, level);
      return found && charged(found.line.answer('delta', x), found.run.logLostQ);
    });
  }

  /** @param offset The false positive rate is taken this far before x, the power this far behind it. */
  test(x: number, width: number, offset = 0): TestAnswer | undefined {
    const found = this.lineFor(x, this.levelFor(width));
    if (found === undefined) return undefined;
    const { line, run } = found;
    return {
      falsePositive: charged(line.answer('falsePositive', x - offset), run.logLostP),
      power: charged(line.answer('power', x + offset), run.logLostQ),
      blur: (line.window / line.saddle.scale) ** 2,
      scale: line.saddle.scale,
    };
  }

  bound(x: number, width: number): number {
    const level = this.levelFor(width);
    const [span] = this.spansFor(level);
    const { run, saddles } = this.planAt(this.windowOf(x, level, span), level, span);
    let best = chernoffAt(run.axis, 'delta', 1, x);
    for (const { s } of saddles) best = Math.min(best, chernoffAt(run.axis, 'delta', 1 + s, x));
    return Math.min(0, logSum(best, run.logLostQ) + 1e-15);
  }

  guess(functional: 'delta' | 'falsePositive', target: number, width: number): number | undefined {
    const level = this.levelFor(width);
    const near = functional === 'delta' ? logDeltaNear : logFprNear;
    const [span] = this.spansFor(level);
    let r = Math.min(LAST_RUNG, Math.floor(Math.sqrt(-2 * Math.min(0, target)) / span));
    if (functional === 'falsePositive') {
      // δ > FPR: the window may be an earlier one
      while (r > 0 && !(fprAt(this.windowAt(r - 1, level, span).high) > target)) r--;
    }
    return saddleReaching(this.windowAt(r, level, span).run.axis, target, near)?.epsilon;
  }

  /** The answer at the level of a width, or at a finer one where the bounds turn out to be loose. */
  private finest(width: number, ask: (level: number) => Answer | undefined): Answer | undefined {
    const level = this.levelFor(width);
    const first = ask(level);
    if (first === undefined || first.upper - first.lower <= width) return first;
    const finer = Math.max(TIGHTEST, level - FINER);
    const second = finer < level ? ask(finer) : undefined;
    return second !== undefined && second.upper - second.lower < first.upper - first.lower ? second : first;
  }

  /** Spans of windows, the widest first. Laws that are not cut here are those of losses without rare large ones: theirs is the accuracy of narrow windows. */
  private spansFor(level: number): readonly number[] {
    const whole = !this.laws.some(({ law }) => law.cut);
    return SPANS.slice(level < NARROWEST_LEVEL ? 2 : level < NARROW_LEVEL || whole ? 1 : 0);
  }

  private levelFor(width: number): number {
    return levelOf(Math.min(width, this.usual));
  }

  private lineFor(x: number, level: number): { line: Contour; run: CutRun } | undefined {
    let best: { rung: Rung; key: string; n: number } | undefined;
    for (const span of this.spansFor(level)) {
      const r = this.windowOf(x, level, span);
      const rung = this.rungAt(r, level, span);
      const n = rung?.layout?.n ?? Infinity;
      if (rung !== undefined && n < (best?.n ?? Infinity)) best = { rung, key: `${r}/${level}/${span}`, n };
      if (n <= SHORT) break;
    }
    if (best === undefined) return undefined;
    const { run, plan, layout } = best.rung;
    const line = kept(this.lines, best.key, () =>
      Contour.on(this.kernel, run.laws, run.axis, plan, layout as LineLayout),
    );
    return line && { line, run };
  }

  /** The number of the window that x lies in. */
  private windowOf(x: number, level: number, span: number): number {
    const reaches = (r: number): boolean => {
      const { high } = this.windowAt(r, level, span);
      return high === undefined || high.epsilon >= x;
    };
    let low = -1;
    let high = 0;
    while (high < LAST_RUNG && !reaches(high)) [low, high] = [high, 2 * high + 1];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (reaches(middle)) high = middle;
      else low = middle;
    }
    return high;
  }

  private windowAt(r: number, level: number, span: number): Window {
    return kept(this.windows, `${r}/${level}/${span}`, () => {
      const depth = (span * (r + 1)) ** 2 / 2;
      const spare = level * LOG_10 + CUT_SHARE;
      let run = this.cutAt(-depth + spare, level);
      let high = saddleReaching(run.axis, -depth, logDeltaNear);
      const wanted = high ? logFprNear(high) + spare : 0;
      if (high && run.logLostP > wanted) {
        run = this.cutAt(wanted, level);
        high = saddleReaching(run.axis, -depth, logDeltaNear);
      }
      return { run, high };
    });
  }

  private planAt(
    r: number,
    level: number,
    span: number,
  ): { run: CutRun; saddles: Saddle[]; plan?: LinePlan } {
    return kept(this.plans, `${r}/${level}/${span}`, () => {
      const { run, high } = this.windowAt(r, level, span);
      const { axis } = run;
      const nearest = (r * span) ** 2 / 2;
      const zero = saddleFor(axis, 0);
      const low =
        zero && r > 0 && -logDeltaNear(zero) < nearest ? saddleReaching(axis, -nearest, logDeltaNear) : zero;
      if (low === undefined || high === undefined)
        return { run, saddles: [low, high].filter((end) => end !== undefined) };
      const [from, to] = [low, high].map((end) => Math.sqrt(2 * Math.max(0, -logDeltaNear(end))));
      const saddle = saddleReaching(axis, -((from + to) ** 2) / 8, logDeltaNear);
      if (saddle === undefined) return { run, saddles: [low, high] };
      const ends = [low, high].map((end) => ({
        x: Math.max(0, end.epsilon),
        logDelta: logDeltaNear(end),
        logFpr: logFprNear(end),
      }));
      return { run, saddles: [low, saddle, high], plan: { saddle, level: exp(LOG_10 * level), ends } };
    });
  }

  private rungAt(r: number, level: number, span: number): Rung | undefined {
    return kept(this.rungs, `${r}/${level}/${span}`, () => {
      const { run, plan } = this.planAt(r, level, span);
      const longest = Math.min(this.longest, MAX_NODES / this.laws.length);
      return plan && { run, plan, layout: layOut(run.laws, run.axis, plan, longest) };
    });
  }

  /** The run without outputs of at most e^{logMass} of P and of Q. */
  private cutAt(logMass: number, level: number): CutRun {
    const mass = CUT_UNIT * Math.floor(logMass / CUT_UNIT);
    const digits = SPARE - level * LOG_10 + this.logCount;
    return kept(this.cuts, this.laws.some(({ law }) => law.cut) ? `${mass}/${level}` : '', () => {
      let logLostP = -Infinity;
      let logLostQ = -Infinity;
      const laws = this.laws.map(({ law, count }) => {
        const cut = law.cut?.(mass - this.logCount, digits);
        if (cut === undefined) return { law, count };
        logLostP = logSum(logLostP, log(count) + cut.logLostP);
        logLostQ = logSum(logLostQ, log(count) + cut.logLostQ);
        return { law: cut.law, count };
      });
      return { laws, axis: new RealAxis(laws), logLostP, logLostQ };
    });
  }
}

/** What a map holds under a key, made where it is missing. */
function kept<V>(map: Map<string, V>, key: string, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined || map.has(key)) return known as V;
  const made = make();
  if (map.size >= MAX_KEPT) map.clear();
  map.set(key, made);
  return made;
}

function fprAt(saddle: Saddle | undefined): number {
  return saddle === undefined ? -Infinity : logFprNear(saddle);
}

/** The level for a width, as a power of ten. */
export function levelOf(width: number): number {
  const wanted = 2 * Math.floor((POWER * log(width)) / LOG_10 / 2 - 0.5);
  return Math.min(LOOSEST, Math.max(TIGHTEST, wanted));
}

/** An answer about a run without its largest outputs as one about the run: the mass they may have counts in the upper end. */
function charged(answer: Answer, logLost: number): Answer {
  if (logLost === -Infinity) return answer;
  const slack = 1e-15 * (1 + Math.abs(answer.upper));
  const share = exp(Math.min(0, logLost - answer.lower));
  const { truncation, roundOff } = answer.budget;
  const budget = { ...answer.budget, truncation: truncation + share, roundOff: roundOff + slack };
  return { ...answer, upper: logSum(answer.upper, logLost) + slack, budget };
}
