import { requireNumber, requirePositive, requireProbability, wrongType } from '../errors.js';
import type { Kernel } from '../kernel/kernel.js';
import { enoughOf } from '../methods/contour/answered.js';
import { OUT_OF_REACH } from '../methods/first-within.js';
import {
  absoluteWidth,
  type Bracket,
  bracket,
  exactly,
  ordered,
  overlap,
  relativeWidth,
} from '../numeric/bracket.js';
import { judged } from '../numeric/judged.js';
import type { LimitedBy } from '../numeric/limited-by.js';
import { complementOf, probabilityOf } from '../numeric/log-probability.js';
import { Allowance, free } from '../numeric/meter.js';
import { ALLOWANCE } from '../numeric/prices.js';
import { FEW_ROUNDINGS } from '../numeric/rounding.js';
import { exp, log, log1p } from '../numeric/scalar.js';
import type { DirectedRun } from '../run/directed-run.js';
import { type Deadline, meteredDirections } from '../run/metered-run.js';
import type { ErrorBudget, Method } from '../run/method.js';
import { type CurveValue, fromTpr, intersection, TradeoffCurve } from '../run/tradeoff-curve.js';
import { exactInfinity, largestLogDelta } from './at-one-rung.js';
import { climb, descend } from './climb.js';
import { climbingRuns, type Ladder, laterRung, oneRung, type Rung, rungsTo } from './climbing-run.js';
import { largestEpsilon } from './largest-epsilon.js';
import type { RunSettings } from './run-settings.js';

/** e^LOG_NOTHING and less round to the double 0. */
const LOG_NOTHING = -746;

/** For smaller ε, log δ is within 2e-16 of 0. Indeed 1 − e^ε ≤ δ(ε) ≤ 1, as δ = 1 − ∫ min(q, e^ε p). */
const FAR_BELOW = -37;

/** log δ above which δ counts as near 1, for ε < 0. */
const NEAR_CERTAIN = -0.01;

/** The trivial bracket of log δ. */
const ANY_DELTA = bracket(-Infinity, 0);

/** Relative distance to the least loss within which no contour is asked, and that of neighbours whose δ bounds δ there. Only width and speed depend on them. */
const [FLOOR_WIDTH, BESIDE] = [1e-9, 1e-8];

interface Climbed<T> {
  readonly ask: (run: ComposedRun) => T;
  readonly join: (a: T, b: T) => T;
  /** Called with an upper bound of the curve by theorems, as `Bounds.curveAbove`, if the first rung is wider than the tolerance. */
  readonly told?: (curveAbove: (epsilon: number) => number) => void;
  /** Width of an answer, as the tolerance measures it; `finest` if the run at the tolerance itself has been asked. */
  readonly open: (found: T, finest: boolean) => number;
}

/** A composed run: answers every question about its guarantee by a bracket that contains the exact value. The two adjacency directions are separate up to the answer. */
export class ComposedRun {
  private readonly rungs: readonly Rung[];
  /** The rung from which each direction is refined up the ladder on its own. */
  private readonly climbing: Rung;
  private hull: TradeoffCurve | undefined;

  /** Made by `account`: meters the questions of all rungs. Answers are those of the ladder. */
  constructor(
    readonly ladder: Ladder,
    readonly settings: RunSettings,
    /** Work and time that questions may take; a part of another account has no limits of its own. */
    readonly allowance?: Allowance,
    readonly deadline?: Deadline,
  ) {
    const { rungs, patience } = ladder;
    const metered = (rung: Rung): Rung =>
      allowance
        ? laterRung(rung, () => meteredDirections(rung.directions, allowance, settings.muCeiling))
        : rung;
    this.rungs = rungs.map(metered);
    const climbing = laterRung(rungs[0], () => climbingRuns(rungs, patience));
    this.climbing = this.isDirect ? this.rungs[0] : metered(climbing);
    // what `console.log` of Node prints
    Object.defineProperty(this, Symbol.for('nodejs.util.inspect.custom'), { value: () => this.toJSON() });
  }

  /** Each direction; its answers are refined separately. */
  get directions(): readonly DirectedRun[] {
    return this.climbing.directions;
  }

  /** f of the run: the convex hull of both directions' trade-off curves. */
  get curve(): TradeoffCurve {
    this.hull ??= free(() => TradeoffCurve.symmetric(this.directions));
    return this.hull;
  }

  /** What was run and how it is accounted, without the tables that answer. */
  toJSON(): object {
    const { mechanism, adjacency, tolerance, engine } = this.settings;
    return { kind: 'composed-run', mechanism, adjacency, method: this.method, tolerance, engine };
  }

  /** This run with an allowance of work for each question by its effort, and perhaps a deadline. */
  metered({ scalars }: Kernel, deadline?: Deadline): ComposedRun {
    const allowance = new Allowance(ALLOWANCE * this.settings.effort, deadline, scalars);
    return new ComposedRun(this.ladder, this.settings, allowance, deadline);
  }

  /** Whether `maxTime` was over before everything was answered: then some answers are wider than asked for. */
  get timedOut(): boolean {
    return this.deadline?.late ?? false;
  }

  /**
   * What limits the last answer. `'tolerance'`: it is as narrow as asked for. `'effort'`: the allowed work is spent, and more may narrow the bracket.
   * `'theory'`: no theorem known here decides between its ends.
   */
  get limitedBy(): LimitedBy {
    return this.allowance?.limitedBy ?? 'tolerance';
  }

  /** The reason why the widest of all answers so far is no narrower. */
  get everLimitedBy(): LimitedBy {
    return this.allowance?.everLimitedBy ?? 'tolerance';
  }

  /** Units of work that the last question cost: about a nanosecond each, on the usual machine and in this engine or the other. */
  get cost(): number {
    return this.allowance?.cost ?? 0;
  }

  /** Asks several things of the run as one question. @param times How often as much it may cost as one. @throws TypeError | RangeError if `ask` is not a function or `times` not positive. */
  question<T>(ask: () => T, times: number = 1): T {
    if (typeof ask !== 'function') throw wrongType('ask', 'a function', ask);
    requireNumber('times', times, 'a positive number', (x) => x > 0);
    return this.allowance === undefined ? ask() : this.allowance.ask(ask, false, times);
  }

  /**
   * An answer of several numbers, refined from tolerance to tolerance: see `climb`.
   *
   * @param how.ask The answer of the run at one tolerance.
   * @param how.told Called with an upper bound of the curve.
   * @param how.join Combines two answers.
   * @param how.open Width of an answer, as the tolerance measures it.
   */
  climbed<T>({ ask, join, told, open }: Climbed<T>): T {
    const { settings, deadline, isDirect } = this;
    const { curveAbove } = this.ladder.candidates;
    const runs = this.rungs.map(({ directions, tolerance }, i) => ({
      tolerance,
      make: () =>
        isDirect && i === 0
          ? this
          : new ComposedRun(oneRung(directions, tolerance), { ...settings, tolerance }, undefined, deadline),
    }));
    if (isDirect) {
      const [first, ...coarser] = runs;
      return descend([first, ...coarser.reverse()], {
        ask: ({ make }) => ask(make()),
        join,
        open: (found) => open(found, true),
        told: () => told?.(curveAbove),
      });
    }
    // supporting lines at the corners of a lattice are as accurate as its mesh, and coarse ones are useless
    if (this.directions[0].lattice !== undefined) runs.unshift(runs.pop() as (typeof runs)[number]);
    let finest = false;
    const found = climb<(typeof runs)[number], T | undefined>(runs, settings.tolerance, {
      known: undefined,
      ask: ({ make, tolerance }, known) => {
        finest ||= tolerance === settings.tolerance;
        const own = ask(make());
        return known === undefined ? own : join(known, own);
      },
      candidates: (known) => {
        told?.(curveAbove);
        return known;
      },
      open: (known) => (known === undefined ? Infinity : open(known, finest)),
      // with corners in the curve, coarse supporting lines may give no bound
      patience: Infinity,
    });
    // no rung was affordable
    return found ?? ask(runs[0].make());
  }

  /** The run at its tolerance alone, without coarser ones before: for questions about many values at once. */
  get atTolerance(): ComposedRun {
    const { ladder, settings, allowance, deadline } = this;
    const { directions, tolerance } = ladder.rungs[this.isDirect ? 0 : ladder.rungs.length - 1];
    return new ComposedRun(oneRung(directions, tolerance), settings, allowance, deadline);
  }

  /** Whether the wanted tolerance is asked first: then answers of several numbers are asked at no other. */
  private get isDirect(): boolean {
    const { rungs } = this.ladder;
    return rungs.length === 1 || rungs[0].share !== undefined;
  }

  /** The tolerance asked for, which may be finer than the one the steps are answered to. */
  get asked(): number {
    return this.settings.finer ?? this.settings.tolerance;
  }

  private one<T>(ask: () => T): T {
    return this.allowance === undefined ? ask() : this.allowance.askOne(ask);
  }

  /** Number of groups in which similar steps are merged, if there are too many to be composed one by one. */
  get groups(): number | undefined {
    return (this.settings.whole ?? this.directions[0]).groups;
  }

  /** The method that is asked first: a closed form, the spectral method or the grid. See `methodAt` for the one that answered. */
  get method(): Method {
    return this.directions[0].method;
  }

  /**
   * The method whose bracket of δ(ε) is the narrowest, in the direction where δ(ε) is the larger.
   *
   * @param epsilon Any finite real number, or ±∞.
   * @throws TypeError | RangeError if `epsilon` is not a number.
   * @example
   * account(engine, gaussian({ noiseMultiplier: 2 }), { adjacency: 'add-remove' }).methodAt(1); // 'closed-form'
   */
  methodAt(epsilon: number): Method {
    requireNumber('epsilon', epsilon, 'a number', () => true);
    // of the first rung: a finer one may spend the whole allowance
    const [{ directions, tolerance }] = this.rungs;
    return this.one(() => {
      let { found, worst } = { found: exactly(-Infinity), worst: directions[0] };
      for (const run of directions) {
        const own = run.logDelta(epsilon, tolerance, found.lower);
        if (own.upper > found.upper) [found, worst] = [own, run];
      }
      return worst.methodAt?.(epsilon, tolerance) ?? worst.method;
    });
  }

  /**
   * log δ(ε), the larger of the two directions.
   *
   * @param epsilon Any finite real number, or ±∞.
   * @param width Aimed at in place of the run's tolerance: a positive number.
   * @throws TypeError | RangeError if `epsilon` is not a number, or `width` not a positive one.
   */
  logDelta(epsilon: number, width: number = this.settings.tolerance): Bracket {
    requirePositive('width', width);
    return this.one(() => this.logDeltaAbove(epsilon, -Infinity, width));
  }

  /** log δ(ε) of the worst direction; where it is not above `floor` a coarse bracket suffices. Ensures: it lies in the bracket. */
  private logDeltaAbove(epsilon: number, floor: number, tolerance: number): Bracket {
    requireNumber('epsilon', epsilon, 'a number', () => true);
    if (epsilon === -Infinity) return bracket(0, 0);
    if (epsilon < FAR_BELOW) return bracket(log1p(-exp(epsilon)) * (1 + FEW_ROUNDINGS) - Number.MIN_VALUE, 0);
    const { whole } = this.settings;
    const known = whole?.logDelta(epsilon, tolerance) ?? ANY_DELTA;
    // near 0, contours know 1 − δ accurately
    const isKnown = epsilon >= 0 || known.upper < NEAR_CERTAIN;
    const narrow = isKnown && absoluteWidth(known) <= enoughOf(whole, tolerance, 'log');
    if (narrow || known.upper <= floor) return known;
    if (this.isFloor(epsilon)) {
      // δ decreases with ε: its neighbours, where contours are easy, bound it
      const [before, behind] = [-1, 1].map((side) =>
        this.logDeltaAbove(epsilon + side * BESIDE * Math.abs(epsilon), floor, tolerance),
      );
      return overlap(known, ordered(behind.lower, before.upper));
    }
    return this.logDeltaClimbed(epsilon, floor, tolerance, known);
  }

  /** Whether ε is the least loss of a direction (minus the largest of the exchanged one), to a few roundings. No contour gives the mass below it. */
  private isFloor(epsilon: number): boolean {
    // only then: methods may have to be made to tell the largest loss
    if (epsilon >= 0) return false;
    const most = this.directions.map(({ largestLoss }) => largestLoss?.upper ?? Infinity);
    return most.some((y) => y < Infinity && Math.abs(epsilon + y) <= FLOOR_WIDTH * y);
  }

  /** log δ(ε) from rung to rung (`climb`), with the bounds of theorems. Ensures: it lies in the bracket. */
  private logDeltaClimbed(epsilon: number, floor: number, tolerance: number, known = ANY_DELTA): Bracket {
    const { candidates, patience } = this.ladder;
    const ask = (): Bracket =>
      climb(rungsTo(this.rungs, tolerance), tolerance, {
        known,
        ask: (rung, known) => overlap(known, largestLogDelta(rung, epsilon, Math.max(floor, known.lower))),
        // for so small δ, Rényi divergences at high orders cost more than they gain
        candidates: (known) =>
          epsilon >= 0 && epsilon < Infinity && known.upper >= OUT_OF_REACH
            ? overlap(known, ordered(candidates.logDeltaBelow(epsilon), candidates.logDeltaAbove(epsilon)))
            : known,
        open: absoluteWidth,
        patience,
        enough: ({ upper }) => upper <= floor,
      });
    const width = tolerance === this.settings.tolerance ? this.asked : tolerance;
    return judged(ask, width, (found) => (found.upper <= floor ? 0 : absoluteWidth(found))).found;
  }

  /** δ(ε); see `logDelta`, which also resolves values below 1e-308. */
  delta(epsilon: number): Bracket {
    return this.one(
      () =>
        exactInfinity(this.directions, epsilon) ??
        probabilityOf(this.logDeltaAbove(epsilon, LOG_NOTHING, this.settings.tolerance)),
    );
  }

  /**
   * The smallest ε ≥ 0 with δ(ε) ≤ delta.
   *
   * @param delta In [0, 1]. At 0 the answer is what pure DP gives, ∞ for Gaussian noise.
   * @throws TypeError | RangeError if `delta` is not in [0, 1].
   */
  epsilon(delta: number): Bracket {
    const logDelta = log(requireProbability('delta', delta));
    if (delta === 0 && this.settings.pureEpsilon !== undefined) return this.settings.pureEpsilon;
    return this.largestEpsilon(logDelta, delta);
  }

  /** `epsilon`, searched from a guess on: only speed and the last digits depend on it. */
  epsilonNear(delta: number, guess: number): Bracket {
    const logDelta = log(requireProbability('delta', delta));
    requireNumber('guess', guess, 'a number >= 0', (x) => x >= 0 && x < Infinity);
    return this.largestEpsilon(logDelta, delta, guess);
  }

  /** `epsilon` at δ = e^{logDelta}: for δ below the smallest double. */
  epsilonAtLog(logDelta: number): Bracket {
    requireNumber('logDelta', logDelta, 'a number <= 0', (x) => x <= 0);
    return this.largestEpsilon(logDelta);
  }

  /** The largest ε of all directions at e^{logDelta}. A direction known to be below another is asked no further. Ensures: it lies in the bracket. */
  private largestEpsilon(logDelta: number, delta?: number, guess?: number): Bracket {
    if (logDelta >= 0) return exactly(0);
    const { tolerance, whole } = this.settings;
    return this.one(() => {
      const known = whole?.epsilon(logDelta, tolerance) ?? bracket(0, Infinity);
      if (relativeWidth(known) <= enoughOf(whole, tolerance)) return known;
      const { ladder, rungs, asked } = this;
      return largestEpsilon({ ...ladder, rungs }, known, { logDelta, delta, guess, tolerance, asked });
    });
  }

  /**
   * The error budget of δ(ε) in each direction, in the order of `directions`; undefined where the answer there is not
   * the spectral method's.
   *
   * @throws TypeError | RangeError if `epsilon` is not a finite number.
   */
  explain(epsilon: number): (ErrorBudget | undefined)[] {
    requireNumber('epsilon', epsilon, 'a finite number', (x) => Number.isFinite(x));
    return this.one(() => this.directions.map((run) => run.explain?.(epsilon, this.settings.tolerance)));
  }

  /** f(α), the false negative rate of the best test at false positive rate α ∈ [0, 1]. */
  tradeoff(alpha: number): Bracket {
    requireProbability('alpha', alpha);
    return this.one(() => probabilityOf(this.rateAt(alpha).logFnr));
  }

  /** 1 − f(α): the true positive rate of the best test, with relative accuracy where it is small. */
  truePositiveRate(alpha: number): Bracket {
    requireProbability('alpha', alpha);
    return this.one(() => probabilityOf(this.rateAt(alpha).logTpr));
  }

  /** log TPR and log FNR, both sides of f at α: from one kernel call if that is as narrow as the tolerance. Ensures: each lies in its bracket. */
  private rateAt(alpha: number): CurveValue {
    const { tolerance, whole } = this.settings;
    const logAlpha = alpha > 0.5 ? log1p(alpha - 1) : log(alpha);
    const known = alpha > 0 && alpha < 0.5 ? whole?.logPower(logAlpha) : undefined;
    const value = known === undefined || known.lower === -Infinity ? undefined : fromTpr(known);
    const open = ({ logTpr, logFnr }: CurveValue): number =>
      Math.max(absoluteWidth(logTpr), absoluteWidth(logFnr));
    if (value !== undefined && open(value) <= enoughOf(whole, tolerance, 'log')) return value;
    const ask = ({ curve }: ComposedRun): CurveValue => curve.at(logAlpha);
    // a run that asks the wanted tolerance first has it, or costs too much at others
    const own = (): CurveValue =>
      this.isDirect ? ask(this) : this.climbed({ ask, join: intersection, open });
    const all = (): CurveValue => (value === undefined ? own() : intersection(value, own()));
    return judged(all, this.asked, open).found;
  }

  /** max(1 − α − f(α)) = δ(0): the membership advantage. */
  advantage(): Bracket {
    return this.delta(0);
  }

  /** 1 − δ(0), with relative accuracy when the advantage is near 1. */
  oneMinusAdvantage(): Bracket {
    return complementOf(this.logDelta(0));
  }
}

/** @throws TypeError for anything not made by `account`. */
export function requireRun(run: unknown): void {
  if (!(run instanceof ComposedRun)) throw wrongType('run', 'a run composed by account', run);
}
