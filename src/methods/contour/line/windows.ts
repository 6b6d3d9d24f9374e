import { logSum } from '../../../numeric/log-arithmetic.js';
import { exp, log } from '../../../numeric/scalar.js';
import {
  type CountedSpectrum,
  type LinePlan,
  logDeltaNear,
  logFprNear,
  RealAxis,
  type Saddle,
  saddleAt,
  saddleFor,
  saddleReaching,
  type WindowEnd,
} from './contour-plan.js';

// Plans: nothing here enters a bracket. Each window follows from the run, the level and its number alone.

/** Windows of one cut, at most; none narrower than this share of its tilt. */
const MAX_WINDOWS = 4096;
const NARROWEST = 1e-5;
/** Tilts beyond this are not asked for. */
const LARGEST_TILT = 1e9;
/** A cut takes at most this share (a logarithm) of the level of what it changes. */
const CUT_SHARE = -2;
/** The same where lines of panels, which leave a leg of the outputs' path out, are to begin far from the pole. */
const PANEL_SHARE = -8;
/** Cut masses: the least that a level allows, and this much deeper (as a logarithm) each time; none beyond the deepest. */
const DEEPER = 1.15;
const DEEPEST = -4e6;
/** Digits of integrals over outputs beyond the level, in logarithms. */
const SPARE_DIGITS = 10;
/** A question takes the first cut that serves its x, or one of this many deeper ones where that has a window for it. */
const DEEPER_TRIED = 4;
/** Panels serve x's up to this times the smallest, on one ladder that begins here. */
const RATIO = 1.25;
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
const LOG_10 = 2.302585092994046;

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
  const ends = [low, high].map((end) => ({
    x: Math.max(0, end.epsilon),
    logDelta: logDeltaNear(end),
    logFpr: logFprNear(end),
  }));
  const saddle = saddleAt(run.axis, Math.sqrt(low.s * high.s));
  return { saddle, level: exp(LOG_10 * level), ends };
}

/** A run without its largest outputs, and the windows of x ≥ 0 for which the cut is deep enough. */
export class CutRun {
  private readonly edges: Saddle[] = [];
  private ended = false;

  constructor(
    readonly laws: readonly CountedSpectrum[],
    readonly axis: RealAxis,
    /** log of what the cut takes from P and Q, at most. */
    readonly logLostP: number,
    readonly logLostQ: number,
    private readonly name: string,
    private readonly level: number,
  ) {
    const first = saddleFor(axis, 0);
    if (first) this.edges.push(first);
    else this.ended = true;
  }

  /** The window that x lies in. */
  windowAt(x: number): Window | undefined {
    return this.windowWhere((edge) => edge.epsilon >= x);
  }

  /** The first window at whose far end `reached` holds, of a condition that goes on to hold. */
  windowWhere(reached: (edge: Saddle) => boolean): Window | undefined {
    const { edges } = this;
    while (!this.ended && !(edges.length > 1 && reached(edges[edges.length - 1]))) this.extend();
    let low = 0;
    let high = edges.length - 1;
    if (high < 1 || !reached(edges[high])) return undefined;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (reached(edges[middle])) high = middle;
      else low = middle;
    }
    return { run: this, key: `${this.name}/${high}`, low: edges[high - 1], high: edges[high] };
  }

  /** One window more, a span of deviations at either end wide at most. */
  private extend(): void {
    const { edges, axis, level } = this;
    const last = edges[edges.length - 1];
    const span = level < NARROW_LEVEL ? NARROW_SPAN : SPAN;
    let next: Saddle | undefined;
    for (let step = span / last.scale; step > NARROWEST * last.s; step /= 2) {
      const tried = saddleAt(axis, last.s + step);
      if (tried.cumulant.value < Infinity && step * tried.scale <= 1.3 * span) {
        next = tried;
        break;
      }
    }
    const spare = level * LOG_10 + CUT_SHARE;
    const deep =
      next !== undefined &&
      logDeltaNear(next) + spare >= this.logLostQ &&
      logFprNear(next) + spare >= this.logLostP;
    if (next === undefined || !deep || !(next.epsilon > last.epsilon)) this.ended = true;
    else {
      edges.push(next);
      this.ended = next.s > LARGEST_TILT || edges.length > MAX_WINDOWS;
    }
  }
}

/** log of what the i-th cut of a level may take. */
function massAt(i: number, level: number): number {
  return (level * LOG_10 + CUT_SHARE) * DEEPER ** i;
}

/** A stretch of x on one ladder for all runs, and the first cut that is deep enough for it. */
export interface Rung {
  readonly run: CutRun;
  readonly cut: number;
  readonly key: string;
  readonly low: number;
  readonly high: number;
}

/** Where x lies: its rung, and how its window is found if there is one. */
export interface Place {
  readonly rung: Rung;
  readonly window: () => Window | undefined;
}

/** The line of panels that serves a rung. */
export function panelPlanFor({ run, low, high }: Rung, level: number): LinePlan | undefined {
  const saddle = saddleFor(run.axis, (low + high) / 2);
  const ends = [low, high].map((x) => endAt(run.axis, x)).filter((end) => end !== undefined);
  if (saddle === undefined || ends.length < 2) return undefined;
  return { saddle, level: exp(LOG_10 * level), ends };
}

/** δ and the FPR at x, guessed from the saddle near it. */
function endAt(axis: RealAxis, x: number): WindowEnd | undefined {
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
  private readonly rungs = new Map<string, Rung | undefined>();
  private readonly logCount: number;
  private readonly whole: boolean;

  constructor(private readonly laws: readonly CountedSpectrum[]) {
    this.logCount = log(laws.reduce((sum, { count }) => sum + count, 1));
    this.whole = !laws.some(({ law }) => law.cut);
  }

  /** Where x lies: its rung, with the first cut that is deep enough for it. */
  at(x: number, level: number): Place | undefined {
    const rung = this.rungAt(x, level);
    return rung && { rung, window: () => this.windowAt(x, level, rung.cut) };
  }

  /** The window for x of one of few cuts from one on. */
  private windowAt(x: number, level: number, from: number): Window | undefined {
    for (let i = from; i <= from + DEEPER_TRIED; i++) {
      const window = this.cutAt(i, level)?.windowAt(x);
      if (window !== undefined) return window;
    }
    return undefined;
  }

  /** The x where δ or the FPR passes e^{target}, roughly. */
  guess(functional: 'delta' | 'falsePositive', target: number, level: number): number | undefined {
    const near = functional === 'delta' ? logDeltaNear : logFprNear;
    const depth = Math.min(0, target) + level * LOG_10 + CUT_SHARE;
    for (let i = 0; ; i++) {
      const run = this.cutAt(i, level);
      if (run === undefined) return undefined;
      const lost = functional === 'delta' ? run.logLostQ : run.logLostP;
      if (lost <= depth || this.whole) return saddleReaching(run.axis, target, near)?.epsilon;
    }
  }

  private rungAt(x: number, level: number): Rung | undefined {
    if (!(x <= LAST_RUNG)) return undefined;
    const number = x <= FIRST_RUNG ? 0 : Math.ceil(log(x / FIRST_RUNG) / LOG_RATIO - 1e-9);
    const key = `${level}/x${number}`;
    let rung = this.rungs.get(key);
    if (rung === undefined && !this.rungs.has(key)) {
      if (this.rungs.size >= MAX_RUNGS) this.rungs.clear();
      rung = this.rung(number, level, key);
      this.rungs.set(key, rung);
    }
    return rung;
  }

  private rung(number: number, level: number, key: string): Rung | undefined {
    const high = FIRST_RUNG * RATIO ** number * (1 + 1e-8);
    const low = number === 0 ? 0 : (high / RATIO) * (1 - 1e-7);
    const spare = level * LOG_10 + PANEL_SHARE;
    for (let cut = 0; ; ) {
      const run = this.cutAt(cut, level);
      if (run === undefined) return undefined;
      const far = endAt(run.axis, high);
      if (far && far.logDelta + spare >= run.logLostQ && far.logFpr + spare >= run.logLostP)
        return { run, cut, key, low, high };
      // what the cut hides may be much of δ: no more than half of the way at once
      const wanted = (far ? Math.min(far.logDelta, far.logFpr) / 2 : 0) + spare;
      do cut++;
      while (massAt(cut, level) > wanted && massAt(cut, level) > DEEPEST);
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
    const digits = SPARE_DIGITS - level * LOG_10 + this.logCount;
    let logLostP = -Infinity;
    let logLostQ = -Infinity;
    const laws = this.laws.map(({ law, count }) => {
      const cut = law.cut?.(logMass - this.logCount, digits);
      if (cut === undefined) return { law, count };
      logLostP = logSum(logLostP, log(count) + cut.logLostP);
      logLostQ = logSum(logLostQ, log(count) + cut.logLostQ);
      return { law: cut.law, count };
    });
    return new CutRun(laws, new RealAxis(laws), logLostP, logLostQ, name, level);
  }
}
