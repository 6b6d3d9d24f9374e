import { account } from '../account/account.js';
import { ComposedRun } from '../account/composed-run.js';
import { chargesOf } from '../budget/charges.js';
import { BudgetExceeded, type PrivacyBudget, PrivacyLedger } from '../budget/index.js';
import type { Engine } from '../engine.js';
import { requireEngine } from '../engine.js';
import {
  InputTypeError,
  requireBoolean,
  requireCount,
  requireNumber,
  requireOptions,
  requireProbability,
  wrongType,
  wrongValue,
} from '../errors.js';
import { type MeasureOptions, measure } from '../measure/measure.js';
import type { Measurement } from '../measure/measurement.js';
import type { Adjacency } from '../mechanism/adjacency.js';
import { requireAdjacency } from '../mechanism/adjacency.js';
import { attained } from '../mechanism/attained.js';
import { gdp, zcdp } from '../mechanism/kinds/index.js';
import { type Mechanism, repeat } from '../mechanism/mechanism.js';
import { gaussianMuOf, pairOf } from '../mechanism/pairs.js';
import { attackedSteps, reduceSteps } from '../mechanism/reduce.js';
import { seen } from '../mechanism/seen.js';
import { type Step, stepsOf } from '../mechanism/steps.js';
import { pairSpectra, spectraOf } from '../methods/contour/step/spectrum-of.js';
import { aroundRelative, type Bracket, bracket, exactly } from '../numeric/bracket.js';
import { doubleOf, exactDecimal } from '../numeric/exact-decimal.js';
import { Heavy } from '../numeric/recent.js';
import type { DirectedRun } from '../run/directed-run.js';
import { enclosedRun } from '../run/enclosed-run.js';
import { gaussianRun } from '../run/gaussian-run.js';
import { nothingRun } from '../run/trivial-runs.js';
import { SIDES, streamRuns } from './stream-run.js';
import { type StreamState, streamFromJson, streamToJson } from './stream-state.js';
import { type Contribution, contributionOf, StreamSums } from './stream-sums.js';

/** Steps remembered (kind and count), of at most 0.3 MB each: 40 MB for the streams that are copies of one another. */
const REMEMBERED = 128;

/** What a step adds to a stream. */
interface Part {
  /** In each direction. */
  readonly sums: readonly Contribution[];
  readonly tailSquare: number;
  readonly ceilingSquare: number;
}

function plus(directions: readonly StreamSums[], { sums }: Part): StreamSums[] {
  return directions.map((each, i) => each.plus(sums[i]));
}

/** What holds for all steps of a stream. */
export interface StreamOptions {
  /** Which data sets count as neighbours. */
  readonly adjacency: Adjacency;
  /**
   * Whether the noise, the rate or the number of the steps to come may depend on what earlier steps gave out. Then there has to be
   * a budget, and answers are about everything it allows. Default false: parameters fixed in advance.
   */
  readonly adaptiveParameters?: boolean;
  /** What may be spent in all, of kind gdp or zcdp; with `adaptiveParameters` alone. */
  readonly budget?: Extract<PrivacyBudget, { kind: 'gdp' | 'zcdp' }>;
}

/** A privacy budget: (ε, δ)-DP. */
export interface Budget {
  /** ε, in nats, above 0. */
  readonly epsilon: number;
  /** δ, in (0, 1). */
  readonly delta: number;
}

/**
 * An accountant for training as it goes: its state is log M on a fixed set of lines. A step is one vector addition, and shards
 * are merged by adding their states. Memory depends neither on the number of steps nor on how many of them differ. A
 * step that is not among the last 128 kinds is worked out for the lines that an answer asks for, in some milliseconds. It is
 * worked out for all others once 32 steps wait for it or the state is written down, in some 10 to 30 ms. Answers are brackets: for composed losses between 1/32 and 30 wide and δ down to
 * 1e-10 usually 1e-8 wide or less (relative), wider elsewhere (a few steps at a low rate, say), never wrong.
 *
 * The full law of the losses is a theorem for parameters fixed in advance (queries may depend on the past, noise, rates and
 * the number of steps may not). With `adaptiveParameters` a budget is declared first and every step is paid from it, by Σ μ² or
 * Σ ρ; upper ends are then those of the whole budget, lower ends those of the steps taken, as one way to use it.
 *
 * @example
 * const stream = StreamingAccountant.start(engine, { adjacency: 'add-remove' });
 * stream.add(poissonSubsampled(gaussian({ noiseMultiplier: 1 }), { rate: 0.01 }), 1000);
 * stream.epsilon(1e-5).upper; // 1.82824
 */
export class StreamingAccountant {
  private run: ComposedRun | undefined;

  /** @param recent What the steps added last add: to add one again is one vector addition. */
  private constructor(
    private readonly engine: Engine,
    private state: StreamState,
    private ledger?: PrivacyLedger,
    private readonly recent = new Heavy<string, Part>(REMEMBERED, () => 1),
  ) {
    // JavaScript knows no private constructor
    if (state === undefined)
      throw new InputTypeError(
        '"new StreamingAccountant" is not for use: StreamingAccountant.start(engine, options) makes one',
      );
  }

  /** @throws TypeError | RangeError if `adjacency` is missing or unknown, or `budget` is not there exactly with `adaptiveParameters`. */
  static start(engine: Engine, options: StreamOptions): StreamingAccountant {
    requireEngine(engine);
    requireOptions('StreamingAccountant.start', options, ['adjacency', 'adaptiveParameters', 'budget']);
    const adjacency = requireAdjacency(options?.adjacency);
    const adaptive = requireBoolean('adaptiveParameters', options.adaptiveParameters ?? false);
    if (adaptive !== (options.budget !== undefined)) {
      throw new InputTypeError(
        '"budget" must be given with "adaptiveParameters": true, and only then: a guarantee for parameters that depend on the past is that of a budget declared before them',
      );
    }
    const directions = SIDES.map(() => new StreamSums());
    const state = { adjacency, steps: 0, tailSquare: 0, ceilingSquare: 0, gaussian: true, directions };
    return new StreamingAccountant(
      engine,
      state,
      options.budget === undefined ? undefined : ledgerOf(PrivacyLedger.open(options.budget)),
    );
  }

  /** What is spent and left of the budget, with `adaptiveParameters`. */
  get spent(): PrivacyLedger | undefined {
    return this.ledger?.copy();
  }

  /** Number of steps added. */
  get steps(): number {
    return this.state.steps;
  }

  /**
   * Adds `count` runs of a mechanism: Gaussians, plain or Poisson-subsampled, and whatever else has a spectrum.
   *
   * @throws TypeError | RangeError for a wrong count, a total of 2⁵³ steps or more, or a mechanism without a spectrum;
   * BudgetExceeded, with nothing added, if the budget of adaptive parameters does not cover it.
   */
  add(mechanism: Mechanism, count = 1): this {
    requireCount('count', count);
    const { adjacency } = this.state;
    const raw = stepsOf(repeat(mechanism, count));
    const total = raw.reduce((sum, step) => sum + step.count, this.state.steps);
    if (!Number.isSafeInteger(total)) throw wrongValue('count', 'a total below 2^53 steps', total);
    const steps = reduceSteps(raw, adjacency);
    if (attackedSteps(raw, adjacency).length > 0)
      throw wrongValue(
        'mechanism',
        'without shuffled or capped batches, a matrix mechanism, or other steps that are known between bounds (account answers those)',
        mechanism.kind,
      );
    // everything is checked before anything is added
    const state = steps.reduce((all, step) => this.with(all, step, mechanism.kind), this.state);
    this.ledger &&= this.paid(this.ledger, repeat(mechanism, count));
    return this.become({ ...state, steps: total });
  }

  private paid(before: PrivacyLedger, mechanism: Mechanism): PrivacyLedger {
    const ledger = before.copy();
    const kind = before.budget.kind === 'gdp' ? 'gdp' : 'zcdp';
    for (const { spending, count } of chargesOf(mechanism, kind, this.state.adjacency)) {
      ledger.spend(spending, { count });
    }
    return ledger;
  }

  private become(state: StreamState): this {
    this.state = state;
    this.run = undefined;
    return this;
  }

  private with(state: StreamState, step: Step, kind: string): StreamState {
    const { directions, attained: met } = state;
    const [allowed] = attained([step]);
    const stated = allowed.mechanism === step.mechanism;
    const part = this.partOf(step, kind);
    return {
      ...state,
      tailSquare: state.tailSquare + part.tailSquare,
      ceilingSquare: state.ceilingSquare + part.ceilingSquare,
      directions: plus(directions, part),
      gaussian:
        state.gaussian === true && step.sampling === 'all' && gaussianMuOf(step.mechanism) !== undefined,
      attained: met || !stated ? plus(met ?? directions, this.partOf(allowed, kind)) : undefined,
    };
  }

  /** @throws RangeError if the step has no M(z), or losses that are infinite. */
  private partOf(step: Step, kind: string): Part {
    return this.recent.of(JSON.stringify(step), () => {
      const { count } = step;
      const one = [seen(step)];
      const pairs = pairSpectra(this.engine.kernel, one);
      const { tailMu, gdpMu } = pairOf(step.mechanism);
      const sums = SIDES.map((side) => {
        const each = pairs && spectraOf(one, pairs, side);
        if (each?.logInfinity.upper !== -Infinity || gdpMu === Infinity) {
          throw wrongValue(
            'mechanism',
            'made of steps whose losses are finite and known in full (see account for the others)',
            kind,
          );
        }
        return contributionOf(this.engine.kernel, each.laws[0].law, count);
      });
      return { sums, tailSquare: count * tailMu ** 2, ceilingSquare: count * gdpMu ** 2 };
    });
  }

  /**
   * Adds everything another stream holds, as when shards come together.
   *
   * @throws RangeError if the other counts neighbours differently, or one of them has a budget of its own.
   */
  merge(other: StreamingAccountant): this {
    if (!(other instanceof StreamingAccountant)) throw wrongType('other', 'a stream', other);
    const [own, their] = [this.state, other.state];
    if (this.ledger !== undefined || other.ledger !== undefined) {
      throw wrongValue('other', 'a stream of parameters fixed in advance, as this one has to be', other);
    }
    if (their.adjacency !== own.adjacency) {
      throw wrongValue('other', `a stream under ${own.adjacency} adjacency`, their.adjacency);
    }
    const steps = own.steps + their.steps;
    if (!Number.isSafeInteger(steps)) throw wrongValue('other', 'a total below 2^53 steps', steps);
    const merged = (of: (state: StreamState) => readonly StreamSums[]): StreamSums[] =>
      of(own).map((sums, i) => sums.merged(of(their)[i]));
    const met = own.attained ?? their.attained;
    return this.become({
      ...own,
      steps,
      tailSquare: own.tailSquare + their.tailSquare,
      ceilingSquare: own.ceilingSquare + their.ceilingSquare,
      directions: merged(({ directions }) => directions),
      gaussian: own.gaussian === true && their.gaussian === true,
      attained: met && merged(({ directions, attained: below = directions }) => below),
    });
  }

  /** ε(δ) of all that was added; see `ComposedRun.epsilon`. */
  epsilon(delta: number): Bracket {
    return this.asked((run) => run.epsilon(delta));
  }

  /** δ(ε) of all that was added. */
  delta(epsilon: number): Bracket {
    return this.asked((run) => run.delta(epsilon));
  }

  /** Bracket of log δ(ε) of the steps so far, where δ itself is too small for a double. */
  logDelta(epsilon: number): Bracket {
    return this.asked((run) => run.logDelta(epsilon));
  }

  /** With a budget: the lower end of the steps taken, the upper end of all that it allows. */
  private asked(ask: (run: ComposedRun) => Bracket): Bracket {
    const taken = ask(this.composed());
    const { ledger } = this;
    return ledger === undefined ? taken : bracket(taken.lower, ask(this.allowed(ledger)).upper);
  }

  /** The guarantee of the whole budget. */
  private allowed(ledger: PrivacyLedger): ComposedRun {
    this.whole ??= account(this.engine, guaranteeOf(ledger), { adjacency: this.state.adjacency });
    return this.whole;
  }

  private whole: ComposedRun | undefined;

  /**
   * Whether all that was added, and `next` with it, is more than the budget: 'yes' and 'no' are certain,
   * 'undecided' means that the budget lies within the bracket. With adaptive parameters 'yes' is also what does not fit in
   * the budget declared.
   *
   * @throws TypeError | RangeError for a budget with ε < 0 or δ outside [0, 1].
   */
  wouldExceed(budget: Budget, next?: Mechanism): 'yes' | 'no' | 'undecided' {
    requireOptions('a budget', budget, ['epsilon', 'delta']);
    const epsilon = requireNumber('epsilon', budget?.epsilon, 'a number >= 0');
    const limit = requireProbability('delta', budget.delta);
    const ahead = this.copy();
    try {
      if (next !== undefined) ahead.add(next);
    } catch (error) {
      if (error instanceof BudgetExceeded) return 'yes';
      throw error;
    }
    const { lower, upper } = (next === undefined ? this : ahead).delta(epsilon);
    if (upper <= limit) return 'no';
    return lower > limit ? 'yes' : 'undecided';
  }

  /** f(α) of all that was added. */
  tradeoff(alpha: number): Bracket {
    const taken = this.composed().tradeoff(alpha);
    const { ledger } = this;
    return ledger === undefined ? taken : bracket(this.allowed(ledger).tradeoff(alpha).lower, taken.upper);
  }

  /** μ, its window and its regret; see `measure`. With adaptive parameters those of the budget. */
  measure(options: MeasureOptions = {}): Measurement {
    return measure(this.ledger === undefined ? this.composed() : this.allowed(this.ledger), options);
  }

  private composed(): ComposedRun {
    this.run ??= this.build();
    return this.run;
  }

  private build(): ComposedRun {
    const { adjacency, steps, tailSquare, ceilingSquare, directions, attained, gaussian } = this.state;
    const relative = 1e-14 + 4e-16 * Math.min(steps, 1e9);
    const mu = Math.sqrt(tailSquare);
    const muCeiling = Math.sqrt(ceilingSquare) * (1 + relative);
    const runsOf = (each: readonly StreamSums[]): DirectedRun[] =>
      streamRuns(this.engine.kernel, each, muCeiling);
    const tailMu = mu === 0 || mu === Infinity ? exactly(mu) : aroundRelative(mu, relative);
    const above =
      ceilingSquare === 0
        ? [nothingRun]
        : gaussian
          ? [enclosedRun(gaussianRun(tailMu.upper), gaussianRun(tailMu.lower))]
          : runsOf(directions);
    const below = ceilingSquare > 0 && steps > 1 && attained ? runsOf(attained) : undefined;
    const runs = below === undefined ? above : above.map((run, i) => enclosedRun(run, below[i]));
    const run = new ComposedRun(runs, {
      get mechanism(): Mechanism {
        throw wrongValue(
          'run',
          'made by account: a stream does not remember which steps it is made of',
          'a stream',
        );
      },
      adjacency,
      tolerance: 1e-6,
      effort: 1,
      engine: this.engine.kernel.name,
      tailMu,
      muCeiling,
      gaussian: gaussian === true && ceilingSquare > 0,
    });
    return run.metered(this.engine.kernel);
  }

  /** An independent copy. */
  copy(): StreamingAccountant {
    const { engine, state, ledger, recent } = this;
    return new StreamingAccountant(engine, state, ledger, recent);
  }

  /** The state as plain JSON data, for another process or machine to go on from or merge. */
  toJSON(): object {
    return { ...streamToJson(this.state), ...(this.ledger && { ledger: this.ledger.toJSON() }) };
  }

  /** @throws TypeError | RangeError naming what is wrong with the data. */
  static fromJSON(engine: Engine, data: unknown): StreamingAccountant {
    requireEngine(engine);
    const state = streamFromJson(data);
    const { ledger } = data as { ledger?: unknown };
    const known = ledger === undefined ? undefined : ledgerOf(PrivacyLedger.fromJSON(ledger));
    return new StreamingAccountant(engine, state, known);
  }
}

/** The budgets that a stream can pay from. */
function ledgerOf(ledger: PrivacyLedger): PrivacyLedger {
  const { kind } = ledger.budget;
  if (kind === 'gdp' || kind === 'zcdp') return ledger;
  throw wrongValue('budget.kind', 'gdp or zcdp', kind);
}

/** What everything paid from a ledger satisfies; its number rounded up to a double. */
function guaranteeOf({ budget }: PrivacyLedger): Mechanism {
  if (budget.kind === 'gdp') return gdp({ mu: doubleOf(exactDecimal(budget.mu)!, 'up') });
  if (budget.kind === 'zcdp') return zcdp({ rho: doubleOf(exactDecimal(budget.rho)!, 'up') });
  throw new Error(`a stream with a budget of ${budget.kind}`);
}
