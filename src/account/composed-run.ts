import { requireNumber, requirePositive, requireProbability, wrongType } from '../errors.js';
import type { Kernel } from '../kernel/kernel.js';
import type { Adjacency } from '../mechanism/adjacency.js';
import type { Mechanism } from '../mechanism/mechanism.js';
import { type Bracket, bracket, exactly, maxBracket, ordered } from '../numeric/bracket.js';
import { complementOf, probabilityOf } from '../numeric/log-probability.js';
import { Allowance } from '../numeric/meter.js';
import { ALLOWANCE } from '../numeric/prices.js';
import { exp, log, log1p } from '../numeric/scalar.js';
import type { DirectedRun } from '../run/directed-run.js';
import { epsilonOf } from '../run/epsilon.js';
import { type Deadline, meteredDirections } from '../run/metered-run.js';
import type { ErrorBudget, Method } from '../run/method.js';
import { TradeoffCurve } from '../run/tradeoff-curve.js';

/** What is known of a run's μ before anything is computed. */
export interface Limits {
  /** μ_t: what μ cannot stay below as its window opens (IAM §3). */
  readonly tailMu: Bracket;
  /** A μ that holds without any window; ∞ where none is known. */
  readonly muCeiling: number;
  /** The run is exactly one Gaussian (or nothing), with μ = μ_t. */
  readonly gaussian: boolean;
}

/** Parts of ε whose δ is asked where that of ε itself is not to be had. */
const EARLIER = [0.9, 0.75, 0.5] as const;
/** Width that tells whether such a part is worth more digits. */
const ROUGH = 0.1;

/** Below e to this there is no double but 0. */
const LOG_NOTHING = -746;

/** Below it 1 − e^ε ≤ δ(ε) ≤ 1 (as δ = 1 − ∫ min(q, e^ε p)) says all that log δ can show: it is within 2e-16 of 0. */
const FAR_BELOW = -37;

/** What a run is about, as `account` was told it. */
interface RunSettings extends Limits {
  readonly mechanism: Mechanism;
  readonly adjacency: Adjacency;
  readonly tolerance: number;
  readonly engine: 'wasm' | 'reference';
  /** The largest loss of the whole run, where all that is stated of it is pure DP. */
  readonly pureEpsilon?: Bracket | undefined;
  /** How much work a question may cost: see `AccountOptions`. */
  readonly effort: number;
}

/**
 * A composed run: answers every question about its guarantee by a bracket that contains the exact
 * value. Both adjacency directions are kept apart until the answer.
 */
export class ComposedRun {
  /** f of the run: the convex hull of both directions' trade-off curves. */
  readonly curve: TradeoffCurve;

  /** Use `account` to make one. */
  constructor(
    readonly directions: readonly DirectedRun[],
    readonly settings: RunSettings,
    /** What questions may cost, and how long they may take; parts of another account have no limits of their own. */
    readonly allowance?: Allowance,
    readonly deadline?: Deadline,
  ) {
    this.curve = TradeoffCurve.symmetric(directions);
    // what `console.log` of Node prints
    Object.defineProperty(this, Symbol.for('nodejs.util.inspect.custom'), { value: () => this.toJSON() });
  }

  /** What was run and how it is accounted, in place of the tables that answer. */
  toJSON(): object {
    const { mechanism, adjacency, tolerance, engine } = this.settings;
    return { kind: 'composed-run', mechanism, adjacency, method: this.method, tolerance, engine };
  }

  /** The same run, whose questions may cost what its effort allows, and may take until a deadline. */
  metered({ scalars }: Kernel, deadline?: Deadline): ComposedRun {
    const { directions, settings } = this;
    const allowance = new Allowance(ALLOWANCE * settings.effort, deadline, scalars);
    const metered = meteredDirections(directions, allowance, settings.muCeiling);
    return new ComposedRun(metered, settings, allowance, deadline);
  }

  /** Whether `maxTime` was over before all that was asked: then some answers are wider than asked for. */
  get timedOut(): boolean {
    return this.deadline?.late ?? false;
  }

  /** Whether the last question spent what it may cost, so that the answer may be wider than asked for; more `effort` may narrow it. */
  get limited(): boolean {
    return this.allowance?.limited ?? false;
  }

  /** Whether any question so far did. */
  get everLimited(): boolean {
    return this.allowance?.everLimited ?? false;
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

  private one<T>(ask: () => T): T {
    return this.allowance === undefined ? ask() : this.allowance.askOne(ask);
  }

  /** What is asked first: a closed form, the spectral method or the grid. See `methodAt` for what answered. */
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
    const { tolerance } = this.settings;
    return this.one(() => {
      let { found, worst } = { found: exactly(-Infinity), worst: this.directions[0] };
      for (const run of this.directions) {
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

  /** log δ(ε), no better known than that where it is not above `floor`. */
  private logDeltaAbove(epsilon: number, floor: number, tolerance: number): Bracket {
    requireNumber('epsilon', epsilon, 'a number', () => true);
    if (epsilon === -Infinity) return bracket(0, 0);
    if (epsilon < FAR_BELOW) return bracket(log1p(-exp(epsilon)) * (1 + 1e-15) - Number.MIN_VALUE, 0);
    let worst = exactly(-Infinity);
    const each = this.directions.map((run) => {
      const own = run.logDelta(epsilon, tolerance, Math.max(floor, worst.lower));
      worst = maxBracket(worst, own);
      return own;
    });
    if (!(epsilon > 0 && epsilon < Infinity) || worst.upper - worst.lower <= tolerance) return worst;
    // where no direction is known from below no bound of another comes near it
    if (worst.upper <= floor || worst.lower === -Infinity) return worst;
    const uppers = each.map(({ upper }) => upper);
    // the largest of them alone counts, until another is the largest
    for (;;) {
      const top = uppers.indexOf(Math.max(...uppers));
      const upper = this.loweredBy(top, epsilon, { upper: uppers[top], least: worst.lower, tolerance });
      if (!(upper < uppers[top])) return ordered(worst.lower, upper);
      uppers[top] = upper;
    }
  }

  /**
   * δ falls with ε, so that of an earlier ε bounds it: near the largest loss of a direction its δ falls out of every method's reach, and is
   * far below the other's long before. A few digits tell where more are worth asking for.
   */
  private loweredBy(
    i: number,
    epsilon: number,
    { upper, least, tolerance }: Readonly<Record<'upper' | 'least' | 'tolerance', number>>,
  ): number {
    let lowest = upper;
    for (const part of EARLIER) {
      if (lowest <= least + tolerance) break;
      const rough = this.directions[i].logDelta(part * epsilon, ROUGH);
      lowest = Math.min(lowest, rough.upper);
      if (rough.upper < lowest + ROUGH && rough.lower < least + tolerance)
        lowest = Math.min(lowest, this.directions[i].logDelta(part * epsilon, tolerance).upper);
    }
    return lowest;
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

  /** As `epsilon`, looked for around a guess: speed and the last digits hang on it. */
  epsilonNear(delta: number, guess: number): Bracket {
    const logDelta = log(requireProbability('delta', delta));
    requireNumber('guess', guess, 'a number >= 0', (x) => x >= 0 && x < Infinity);
    return this.largestEpsilon(logDelta, delta, guess);
  }

  /** As `epsilon`, at δ = e^{logDelta}: for δ below the smallest double. */
  epsilonAtLog(logDelta: number): Bracket {
    requireNumber('logDelta', logDelta, 'a number <= 0', (x) => x <= 0);
    return this.largestEpsilon(logDelta);
  }

  /** The largest ε of all directions. One whose δ is no larger than the target at an ε that another is known to reach is asked no further. */
  private largestEpsilon(logDelta: number, delta?: number, guess?: number): Bracket {
    const { tolerance } = this.settings;
    return this.one(() => {
      let largest: Bracket | undefined;
      for (const run of this.directions) {
        const reached = largest?.lower ?? 0;
        const asked = reached > 0 && reached < Infinity;
        if (asked && run.logDelta(reached, tolerance, logDelta).upper <= logDelta) continue;
        const found = epsilonOf(run, logDelta, tolerance, guess);
        const own = delta === undefined ? found : withinInfinity(run, delta, found);
        largest = largest === undefined ? own : maxBracket(largest, own);
      }
      return largest as Bracket;
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
    return this.one(() => this.curve.fnr(alpha));
  }

  /** 1 − f(α): the true positive rate of the best test, with relative accuracy where it is small. */
  truePositiveRate(alpha: number): Bracket {
    requireProbability('alpha', alpha);
    return this.one(() => this.curve.tpr(alpha));
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

/** @throws TypeError for anything that `account` did not make. */
export function requireRun(run: unknown): void {
  if (!(run instanceof ComposedRun)) throw wrongType('run', 'a run composed by account', run);
}

/** δ(ε) from the largest finite loss of all directions on, where δ(∞) is a double that is stated. */
function exactInfinity(directions: readonly DirectedRun[], epsilon: number): Bracket | undefined {
  let largest = 0;
  for (const run of directions) {
    const { infinity } = run;
    if (infinity === undefined || !(epsilon >= (run.largestLoss?.upper ?? Infinity))) return undefined;
    largest = Math.max(largest, infinity);
  }
  return exactly(largest);
}

/** Beyond the largest loss δ is δ(∞), and before it more: enough for a δ that is no smaller, which rounded logarithms cannot tell. */
function withinInfinity(run: DirectedRun, delta: number, found: Bracket): Bracket {
  if (found.upper === 0) return found;
  const { infinity } = run;
  if (infinity === undefined || delta < infinity || (found.upper < Infinity && delta > infinity))
    return found;
  const { largestLoss } = run;
  if (largestLoss === undefined) return found;
  const upper = Math.max(0, largestLoss.upper);
  return bracket(Math.min(delta === infinity ? Math.max(0, largestLoss.lower) : found.lower, upper), upper);
}
