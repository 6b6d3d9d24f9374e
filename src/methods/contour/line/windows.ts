import type { Kernel } from '../../../kernel/kernel.js';
import { logSum } from '../../../numeric/log-arithmetic.js';
import { Recent } from '../../../numeric/recent.js';
import { exp, log } from '../../../numeric/scalar.js';
import { firstWhere } from '../../../numeric/solve.js';
import { wholePower } from '../../../numeric/whole-power.js';
import {
  type Asked,
  type CountedSpectrum,
  type CutLaws,
  cutLaws,
  endOf,
  type LinePlan,
  logDeltaNear,
  logFprNear,
  RealAxis,
  type Saddle,
  saddleAt,
  saddleFor,
  saddleReaching,
  takesLittle,
  type WindowEnd,
} from './contour-plan.js';
import { type StagedWindow, Stages } from './stages.js';

// Plans: nothing here enters a bracket. Each window follows from the run, the level and its number alone.

/** Windows of one cut, at most; none narrower than this share of its tilt. */
const MAX_WINDOWS = 4096;
const NARROWEST = 1e-5;
/** How much narrower than others a window may be. */
const NARROWER = 64;
/** Tilts beyond this are not asked for. */
const LARGEST_TILT = 1e9;
/** A cut takes at most this share (a logarithm) of the level of what it changes. */
const CUT_SHARE = -2;
/** The same where lines of panels, which leave a leg of the outputs' path out, are to begin far from the pole. */
const PANEL_SHARE = -8;
/** Cut masses: the least that a level allows, and this much deeper (as a logarithm) each time; none beyond the deepest. */
const DEEPER = 1.3;
const DEEPEST = -4e6;
/** A question takes the first cut that serves its x, or one of this many deeper ones where that has a window for it. */
const DEEPER_TRIED = 2;
/** Panels serve x's up to this times the smallest, on one ladder that begins here. */
const RATIO = 2.5;
const LOG_RATIO = log(RATIO);
/** A saddle further from x than this many of its units says nothing about it. */
const NEAR = 4;
const FIRST_RUNG = 1e-9;
const LAST_RUNG = 1e9;
const MAX_RUNGS = 512;
/** Windows span this many deviations: sums at their ends cancel by about e^{span²/8}, so the finest levels take narrower ones. */
const SPAN = 3.5;
const NARROW_SPAN = 1.75;
const NARROW_LEVEL = -12.5;

/** A stretch of losses that one line serves, between two saddles of a cut run. */
export interface Window {
  readonly run: CutRun;
  /** Its name among the windows of a run and a level. */
  readonly key: string;
  readonly low: Saddle;
  readonly high: Saddle;
}

/** The line that serves a window. */
export function planFor({ run, low, high }: Window, level: number): LinePlan {
  const saddle = saddleAt(run.axis, Math.sqrt(low.s * high.s));
  return { saddle, level: exp(Math.LN10 * level), ends: [low, high].map(endOf) };
}

/** The ends of windows, and whether there are no more. */
interface Edges {
  readonly saddles: Saddle[];
  ended: boolean;
}

/** A run without its largest outputs, and the windows of x ≥ 0 for which the cut is deep enough. */
class CutRun implements CutLaws {
  private readonly edges = new Map<Asked, Edges>();
  readonly laws: readonly CountedSpectrum[];
  readonly logLostP: number;
  readonly logLostQ: number;

  constructor(
    cut: CutLaws,
    readonly axis: RealAxis,
    private readonly name: string,
    private readonly level: number,
  ) {
    this.laws = cut.laws;
    this.logLostP = cut.logLostP;
    this.logLostQ = cut.logLostQ;
  }

  private edgesFor(asked: Asked): Edges {
    let edges = this.edges.get(asked);
    if (edges === undefined) {
      const first = saddleFor(this.axis, 0);
      edges = { saddles: first ? [first] : [], ended: first === undefined };
      this.edges.set(asked, edges);
    }
    return edges;
  }

  /** The window that x lies in. */
  windowAt(x: number, asked: Asked): Window | undefined {
    const edges = this.edgesFor(asked);
    const { saddles } = edges;
    const reached = (edge: Saddle): boolean => edge.epsilon >= x;
    while (!edges.ended && !(saddles.length > 1 && reached(saddles[saddles.length - 1]))) this.extend(asked);
    const high = firstWhere(saddles.length, (i) => i > 0 && reached(saddles[i]));
    if (high >= saddles.length) return undefined;
    return { run: this, key: `${asked}/${this.name}/${high}`, low: saddles[high - 1], high: saddles[high] };
  }

  /** One window more, a span of deviations at either end wide at most, and less where the cut is not deep enough for its far end. */
  private extend(asked: Asked): void {
    const { axis, level } = this;
    const edges = this.edgesFor(asked);
    const { saddles } = edges;
    const last = saddles[saddles.length - 1];
    const span = level < NARROW_LEVEL ? NARROW_SPAN : SPAN;
    const spare = level * Math.LN10 + CUT_SHARE;
    let next: Saddle | undefined;
    for (let step = span / last.scale; step > NARROWEST * last.s; step /= 2) {
      const tried = saddleAt(axis, last.s + step);
      const known = tried.cumulant.value < Infinity && tried.epsilon > last.epsilon;
      if (known && takesLittle(this, asked, endOf(tried), spare) && step * tried.scale <= 1.3 * span) {
        next = tried;
        break;
      }
      if (step * last.scale < span / NARROWER) break;
    }
    if (next === undefined) edges.ended = true;
    else {
      saddles.push(next);
      edges.ended = next.s > LARGEST_TILT || saddles.length > MAX_WINDOWS;
    }
  }
}

/** log of what the i-th cut of a level may take. */
function massAt(i: number, level: number): number {
  return (level * Math.LN10 + CUT_SHARE) * wholePower(DEEPER, i);
}

/** A cut that is deep enough for what is asked; that of a test serves δ as well where it is hardly deeper. */
interface DeepEnough {
  readonly run: CutRun;
  readonly cut: number;
  readonly serves: Asked;
}

/** A stretch of x on one ladder for all runs, and the first cut that is deep enough for it. */
interface Rung extends DeepEnough {
  readonly key: string;
  readonly low: number;
  readonly high: number;
}

/** Where x lies: in a stage, on a rung, in a window; each found when it is asked for, and any may be missing near the largest loss. */
export interface Place {
  readonly staged: () => StagedWindow | undefined;
  readonly rung: () => Rung | undefined;
  readonly window: () => Window | undefined;
}

/** The line of panels that serves a rung. */
export function panelPlanFor({ run, low, high }: Rung, level: number): LinePlan | undefined {
  const saddle = saddleFor(run.axis, (low + high) / 2);
  const ends = [low, high].map((x) => endNear(run.axis, x)).filter((end) => end !== undefined);
  if (saddle === undefined || ends.length < 2) return undefined;
  return { saddle, level: exp(Math.LN10 * level), ends };
}

/** δ and the FPR at x, guessed from the saddle near it. */
function endNear(axis: RealAxis, x: number): WindowEnd | undefined {
  const saddle = saddleFor(axis, x);
  if (saddle === undefined || !(saddle.cumulant.value < Infinity)) return undefined;
  // x is out of reach
  if (Math.abs(saddle.epsilon - x) > NEAR * saddle.scale) return undefined;
  const logDelta = logDeltaNear(saddle) + saddle.s * (saddle.epsilon - x);
  return { x, logDelta: Math.min(0, logDelta), logFpr: Math.min(0, logDelta - x + log(saddle.s)) };
}

/** The windows of a run: for each level a ladder of cuts, each with the windows that it is the first to serve. */
export class Windows {
  private readonly cuts = new Map<number, CutRun[]>();
  private readonly rungs = new Recent<string, Rung | undefined>(MAX_RUNGS);
  private readonly logCount: number;
  private readonly stages: Stages;
  private readonly whole: boolean;
  /** The run with all of its outputs. */
  readonly uncut: RealAxis;

  constructor(
    private readonly kernel: Kernel,
    private readonly laws: readonly CountedSpectrum[],
  ) {
    this.uncut = new RealAxis(laws);
    this.stages = new Stages(kernel, laws);
    this.logCount = log(laws.reduce((sum, { count }) => sum + count, 1));
    this.whole = !laws.some(({ law }) => law.cut);
  }

  /** Where x lies. */
  at(x: number, level: number, asked: Asked): Place {
    return {
      staged: () => this.stages.at(x, level, asked),
      rung: () => this.rungAt(x, level, 'test') ?? this.rungAt(x, level, asked),
      window: () => {
        const found = this.rungAt(x, level, asked) ?? this.deepEnough(x, level, asked);
        return found && this.windowAt(x, level, found);
      },
    };
  }

  /** The window for x of one of few cuts from one on. */
  private windowAt(x: number, level: number, { cut, serves }: DeepEnough): Window | undefined {
    for (let i = cut; i <= cut + DEEPER_TRIED; i++) {
      const run = this.cutAt(i, level);
      const window = run?.windowAt(x, serves);
      if (window !== undefined || run?.logLostQ === -Infinity) return window;
    }
    return undefined;
  }

  /** The x where δ or the FPR passes e^{target}, roughly. */
  guess(functional: 'delta' | 'falsePositive', target: number, level: number): number | undefined {
    const staged = this.stages.guess(functional, target, level);
    if (staged !== undefined) return staged;
    const near = functional === 'delta' ? logDeltaNear : logFprNear;
    const depth = Math.min(0, target) + level * Math.LN10 + CUT_SHARE;
    for (let i = 0; ; i++) {
      const run = this.cutAt(i, level);
      if (run === undefined) return undefined;
      const lost = functional === 'delta' ? run.logLostQ : run.logLostP;
      if (lost <= depth || this.whole) return saddleReaching(run.axis, target, near)?.epsilon;
    }
  }

  private rungAt(x: number, level: number, asked: Asked): Rung | undefined {
    if (!(x <= LAST_RUNG)) return undefined;
    const number = x <= FIRST_RUNG ? 0 : Math.ceil(log(x / FIRST_RUNG) / LOG_RATIO - 1e-9);
    return this.rungs.of(`${asked}/${level}/x${number}`, () => this.rung(number, level, asked));
  }

  private rung(number: number, level: number, asked: Asked): Rung | undefined {
    const high = FIRST_RUNG * wholePower(RATIO, number) * (1 + 1e-8);
    const low = number === 0 ? 0 : (high / RATIO) * (1 - 1e-7);
    const found = this.deepEnough(high, level, asked);
    return found && { ...found, key: `${found.serves}/${level}/x${number}`, low, high };
  }

  /** The first cut that takes little enough of what is asked at x. */
  private deepEnough(x: number, level: number, asked: Asked): DeepEnough | undefined {
    const spare = level * Math.LN10 + PANEL_SHARE;
    let outside = 0;
    /** The first cut that is deep enough for δ. */
    let first: DeepEnough | undefined;
    for (let cut = 0; ; ) {
      const run = this.cutAt(cut, level);
      // nothing is left to cut
      if (run === undefined || run.logLostQ === -Infinity) return run && { run, cut, serves: 'test' };
      const far = endNear(run.axis, x);
      if (far && takesLittle(run, 'test', far, spare)) return { run, cut, serves: 'test' };
      if (far && takesLittle(run, 'delta', far, spare)) first ??= { run, cut, serves: 'delta' };
      if (first !== undefined && asked === 'delta' && cut >= first.cut + DEEPER_TRIED) return first;
      if (first !== undefined && cut < first.cut + DEEPER_TRIED) cut++;
      else if (far === undefined) {
        // x is out of reach of what is left: ever longer steps
        outside++;
        cut += Math.ceil(outside / 2);
      } else {
        // what the cut hides may be much of δ: no more than half of the way at once
        const wanted = (first ? far.logFpr : far.logDelta) / 2 + spare;
        do cut++;
        while (massAt(cut, level) > wanted && massAt(cut, level) > DEEPEST);
      }
    }
  }

  /** Chernoff's bound of log δ at x from the first stage that takes less than that, or shows that it is no larger than `floor`; undefined where there is none. */
  bound(x: number, level: number, floor: number): number | undefined {
    for (let i = 0; ; i++) {
      const stage = this.stages.stageAt(i, level);
      if (stage === undefined) return undefined;
      const { bound, reached } = stage.bound(x, floor);
      const whole = Math.min(0, logSum(bound, stage.logLostQ) + 1e-15);
      if (whole <= floor || (reached && bound > stage.logLostQ)) return whole;
    }
  }

  /** The first cut of a level. */
  shallowest(level: number): CutRun {
    return this.cutAt(0, level) as CutRun;
  }

  private cutAt(i: number, level: number): CutRun | undefined {
    let runs = this.cuts.get(level);
    if (runs === undefined) {
      runs = [];
      this.cuts.set(level, runs);
    }
    const known = runs[i];
    if (known !== undefined) return known;
    const logMass = massAt(i, level);
    if (logMass < DEEPEST || (this.whole && i > 0)) return undefined;
    const made = this.cut(logMass, level, `${level}/${i}`);
    runs[i] = made;
    return made;
  }

  /** The run without outputs of at most e^{logMass} of P and of Q. */
  private cut(logMass: number, level: number, name: string): CutRun {
    const cut = cutLaws(this.kernel, this.laws, logMass - this.logCount, level, this.logCount);
    const axis = cut.logLostQ === -Infinity ? this.uncut : new RealAxis(cut.laws);
    return new CutRun(cut, axis, name, level);
  }
}
