import { requireNumber, requirePositive, requireProbability, wrongType } from '../errors.js';
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

/** For ε below this, log δ(ε) is within 2e-16 of 0, as 1 − e^ε ≤ δ(ε) ≤ 1. */
const FAR_BELOW = -37;

/** For ε < 0: a log δ above this counts as near 0. Then the bracket of a single kernel call is not accepted, as contours bound 1 − δ more accurately. */
export const NEAR_CERTAIN = -0.01;

/** The trivial bracket of log δ. */
export const ANY_DELTA: Bracket = bracket(-Infinity, 0);

/** FLOOR_WIDTH: relative distance of ε to the least loss within which no contour is asked. BESIDE: relative distance of the neighbours whose δ bounds δ(ε) then. Only width and speed depend on them. */
const [FLOOR_WIDTH, BESIDE] = [1e-9, 1e-8];

interface Climbed<T> {
  readonly ask: (run: ComposedRun) => T;
  readonly join: (a: T, b: T) => T;
  /** Called with an upper bound of log δ(ε) by theorems (`Bounds.curveAbove`), if the first answer is wider than the tolerance. */
  readonly told?: (curveAbove: (epsilon: number) => number) => void;
  /** Width of an answer, which is compared with the tolerance; `finest` tells whether the run at the tolerance itself has been asked. */
  readonly open: (found: T, finest: boolean) => number;
}

/** A composed run: answers each question about its guarantee by a bracket that contains the exact value. The directions of adding and removing a record are kept apart until the worse one is chosen. */
export class ComposedRun {
  private readonly rungs: readonly Rung[];
  /** The directions whose answers are refined from tolerance to tolerance, each on its own. */
  private readonly climbing: Rung;
  private hull: TradeoffCurve | undefined;

  /** Made by `account`. Answers are those of `ladder`, the runs at several tolerances; work is charged to the allowance. */
  constructor(
    readonly ladder: Ladder,
    readonly settings: RunSettings,
    /** The allowance of work of each question; undefined for a run that is part of another one. */
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

  /** The run in each direction: 'remove' and 'add', or one for both. */
  get directions(): readonly DirectedRun[] {
    return this.climbing.directions;
  }

  /** The trade-off function f of the run: the convex hull of both directions' trade-off curves. */
  get curve(): TradeoffCurve {
    this.hull ??= free(() => TradeoffCurve.symmetric(this.directions));
    return this.hull;
  }

  /** The mechanism and the settings of its account, without computed tables. */
  toJSON(): object {
    const { mechanism, adjacency, tolerance, engine } = this.settings;
    return { kind: 'composed-run', mechanism, adjacency, method: this.method, tolerance, engine };
  }

  /** This run with the allowance of work for each question that its effort sets, and with a deadline if one is given. */
  metered(deadline?: Deadline): ComposedRun {
    const allowance = new Allowance(ALLOWANCE * this.settings.effort, deadline);
    return new ComposedRun(this.ladder, this.settings, allowance, deadline);
  }

  /** Whether `maxTime` was over before all was answered, so that some answers are wider than asked for. */
  get timedOut(): boolean {
    return this.deadline?.late ?? false;
  }

  /** What limits the last answer. `'tolerance'`: it is as narrow as asked for. `'effort'`: the allowed work is spent, and more may narrow the bracket. `'theory'`: no theorem known here decides between its ends. */
  get limitedBy(): LimitedBy {
    return this.allowance?.limitedBy ?? 'tolerance';
  }

  /** The reason why the widest of all answers so far is no narrower. */
  get everLimitedBy(): LimitedBy {
    return this.allowance?.everLimitedBy ?? 'tolerance';
  }

  /** Units of work that the last question cost, the same in every engine: a unit takes about a nanosecond on an ordinary machine. */
  get cost(): number {
    return this.allowance?.cost ?? 0;
  }

  /** Asks several things of the run as one question. @param times Multiple of one question's allowance that it may cost. @throws TypeError | RangeError if `ask` is not a function or `times` not positive. */
  question<T>(ask: () => T, times: number = 1): T {
    if (typeof ask !== 'function') throw wrongType('ask', 'a function', ask);
    requireNumber('times', times, 'a positive number', (x) => x > 0);
    return this.allowance === undefined ? ask() : this.allowance.ask(ask, false, times);
  }

  /**
   * An answer of several numbers, such as a curve, refined from tolerance to tolerance by `climb` or `descend`. It holds what the answers of `ask`
   * hold.
   *
   * @param how.ask The answer of the run at one tolerance.
   * @param how.told Called with an upper bound of log δ(ε).
   * @param how.join Combines two answers.
   * @param how.open Width of an answer, which is compared with the tolerance.
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
        told: () => told?.(curveAbove()),
      });
    }
    // losses on a lattice: the curve has corners, which coarse supporting lines miss, so the finest tolerance is asked first
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
        told?.(curveAbove());
        return known;
      },
      open: (known) => (known === undefined ? Infinity : open(known, finest)),
      // with corners in the curve, coarse supporting lines may give no bound
      patience: Infinity,
    });
    // no tolerance could be answered within the allowance
    return found ?? ask(runs[0].make());
  }

  /** The run at its tolerance alone, without coarser ones before: for questions about many values at once. Its answers are as valid. */
  get atTolerance(): ComposedRun {
    const { ladder, settings, allowance, deadline } = this;
    const { directions, tolerance } = ladder.rungs[this.isDirect ? 0 : ladder.rungs.length - 1];
    return new ComposedRun(oneRung(directions, tolerance), settings, allowance, deadline);
  }

  /** Whether the run's own tolerance is asked first. Answers of several numbers are then asked at coarser ones only if that fails. */
  private get isDirect(): boolean {
    const { rungs } = this.ladder;
    return rungs.length === 1 || rungs[0].share !== undefined;
  }

  /** The tolerance the caller stated, which may be finer than that at which the steps are answered. */
  get asked(): number {
    return this.settings.finer ?? this.settings.tolerance;
  }

  /** `ask` as one question with an allowance of its own. */
  private one<T>(ask: () => T): T {
    return this.allowance === undefined ? ask() : this.allowance.askOne(ask);
  }

  /** Number of groups into which similar steps are merged; undefined where all are composed one by one. */
  get groups(): number | undefined {
    return (this.settings.whole ?? this.directions[0]).groups;
  }

  /** The method that is asked first. See `methodAt` for the one that answered. */
  get method(): Method {
    return this.directions[0].method;
  }

  /**
   * The method with the narrowest bracket of δ(ε) at the first tolerance asked, in the direction where δ(ε) is the larger. At finer tolerances another
   * method may answer.
   *
   * @param epsilon Any finite real number, or ±∞.
   * @throws TypeError | RangeError if `epsilon` is not a number.
   * @example
   * account(engine, gaussian({ noiseMultiplier: 2 }), { adjacency: 'add-remove' }).methodAt(1); // 'closed-form'
   */
  methodAt(epsilon: number): Method {
    requireNumber('epsilon', epsilon, 'a number', () => true);
    // at the first of the tolerances that are asked: a finer one may spend the whole allowance
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
   * @param width Width of the bracket aimed at in place of the run's tolerance: a positive number.
   * @throws TypeError | RangeError if `epsilon` is not a number, or `width` not a positive one.
   */
  logDelta(epsilon: number, width: number = this.settings.tolerance): Bracket {
    requirePositive('width', width);
    return this.one(() => this.logDeltaAbove(epsilon, -Infinity, width));
  }

  /** log δ(ε) of the direction where it is larger; a coarse bracket suffices where it is not above `floor`. Ensures: log δ(ε) lies in the bracket. */
  private logDeltaAbove(epsilon: number, floor: number, tolerance: number): Bracket {
    requireNumber('epsilon', epsilon, 'a number', () => true);
    if (epsilon === -Infinity) return bracket(0, 0);
    if (epsilon < FAR_BELOW) return bracket(log1p(-exp(epsilon)) * (1 + FEW_ROUNDINGS) - Number.MIN_VALUE, 0);
    const { whole } = this.settings;
    const known = whole?.logDelta(epsilon, tolerance) ?? ANY_DELTA;
    // for ε < 0 and δ near 1, contours bound 1 − δ more accurately than the one call does
    const isKnown = epsilon >= 0 || known.upper < NEAR_CERTAIN;
    const narrow = isKnown && absoluteWidth(known) <= enoughOf(whole, tolerance, 'log');
    if (narrow || known.upper <= floor) return known;
    if (this.isFloor(epsilon)) {
      // δ decreases with ε, so its values at two neighbours, where contours converge, bound it
      const [before, behind] = [-1, 1].map((side) =>
        this.logDeltaAbove(epsilon + side * BESIDE * Math.abs(epsilon), floor, tolerance),
      );
      return overlap(known, ordered(behind.lower, before.upper));
    }
    return this.logDeltaClimbed(epsilon, floor, tolerance, known);
  }

  /** Whether ε < 0 is within FLOOR_WIDTH of the least finite loss of a direction, which is minus the largest loss of the exchanged pair. No saddle point exists there. */
  private isFloor(epsilon: number): boolean {
    // asked for ε < 0 alone, as the largest losses may require methods to be built
    if (epsilon >= 0) return false;
    const most = this.directions.map(({ largestLoss }) => largestLoss?.upper ?? Infinity);
    return most.some((y) => y < Infinity && Math.abs(epsilon + y) <= FLOOR_WIDTH * y);
  }

  /** log δ(ε), refined from tolerance to tolerance by `climb`, with bounds by theorems. Ensures: log δ(ε) lies in the bracket. */
  private logDeltaClimbed(epsilon: number, floor: number, tolerance: number, known = ANY_DELTA): Bracket {
    const { candidates, patience } = this.ladder;
    const ask = (): Bracket =>
      climb(rungsTo(this.rungs, tolerance), tolerance, {
        known,
        ask: (rung, known) => overlap(known, largestLogDelta(rung, epsilon, Math.max(floor, known.lower))),
        // for smaller δ, Rényi divergences at high orders cost more than they gain
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

  /** δ(ε), the larger of the two directions; `logDelta` also resolves values below 1e-308. */
  delta(epsilon: number): Bracket {
    return this.one(
      () =>
        exactInfinity(this.directions, epsilon) ??
        probabilityOf(this.logDeltaAbove(epsilon, LOG_NOTHING, this.settings.tolerance)),
    );
  }

  /** The smallest ε ≥ 0 with δ(ε) ≤ delta. @param delta In [0, 1]. At 0 the answer is the ε of pure DP, ∞ for Gaussian noise. @throws TypeError | RangeError if `delta` is not in [0, 1]. */
  epsilon(delta: number): Bracket {
    const logDelta = log(requireProbability('delta', delta));
    if (delta === 0 && this.settings.pureEpsilon !== undefined) return this.settings.pureEpsilon;
    return this.largestEpsilon(logDelta, delta);
  }

  /** `epsilon(delta)`, searched from a guess of it: only speed and the last digits depend on the guess. */
  epsilonNear(delta: number, guess: number): Bracket {
    const logDelta = log(requireProbability('delta', delta));
    requireNumber('guess', guess, 'a number >= 0', (x) => x >= 0 && x < Infinity);
    return this.largestEpsilon(logDelta, delta, guess);
  }

  /** The smallest ε ≥ 0 with log δ(ε) ≤ logDelta: for δ below the smallest double. */
  epsilonAtLog(logDelta: number): Bracket {
    requireNumber('logDelta', logDelta, 'a number <= 0', (x) => x <= 0);
    return this.largestEpsilon(logDelta);
  }

  /** The largest, over the directions, of the smallest ε ≥ 0 with δ(ε) ≤ e^{logDelta}. It is from one kernel call if narrow enough, else refined from tolerance to tolerance. Ensures: it lies in the bracket. */
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

  /** Bounds of each error of δ(ε), by cause, in each direction; undefined where the spectral method does not answer. @throws TypeError | RangeError if `epsilon` is not a finite number. */
  explain(epsilon: number): (ErrorBudget | undefined)[] {
    requireNumber('epsilon', epsilon, 'a finite number', (x) => Number.isFinite(x));
    return this.one(() => this.directions.map((run) => run.explain?.(epsilon, this.settings.tolerance)));
  }

  /** f(α): the least false negative rate of all tests of false positive rate α ∈ [0, 1]. */
  tradeoff(alpha: number): Bracket {
    requireProbability('alpha', alpha);
    return this.one(() => probabilityOf(this.rateAt(alpha).logFnr));
  }

  /** 1 − f(α): the largest true positive rate at false positive rate α ∈ [0, 1], with relative accuracy where it is small. */
  truePositiveRate(alpha: number): Bracket {
    requireProbability('alpha', alpha);
    return this.one(() => probabilityOf(this.rateAt(alpha).logTpr));
  }

  /** log(1 − f(α)) and log f(α): from one kernel call if that is as narrow as the tolerance, else from the trade-off curve. Ensures: each lies in its bracket. */
  private rateAt(alpha: number): CurveValue {
    const { tolerance, whole } = this.settings;
    const logAlpha = alpha > 0.5 ? log1p(alpha - 1) : log(alpha);
    const known = alpha > 0 && alpha < 0.5 ? whole?.logPower(logAlpha) : undefined;
    const value = known === undefined || known.lower === -Infinity ? undefined : fromTpr(known);
    const open = ({ logTpr, logFnr }: CurveValue): number =>
      Math.max(absoluteWidth(logTpr), absoluteWidth(logFnr));
    if (value !== undefined && open(value) <= enoughOf(whole, tolerance, 'log')) return value;
    const ask = ({ curve }: ComposedRun): CurveValue => curve.at(logAlpha);
    // if the own tolerance is asked first, its curve is known or other tolerances cost too much
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

/** Throws unless `run` was made by `account`. @throws TypeError */
export function requireRun(run: unknown): void {
  if (!(run instanceof ComposedRun)) throw wrongType('run', 'a run composed by account', run);
}
