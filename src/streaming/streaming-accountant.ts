import { account } from '../account/account.js';
import type { ComposedRun } from '../account/composed-run.js';
import { chargesOf } from '../budget/charges.js';
import { BudgetExceeded, type PrivacyBudget, PrivacyLedger } from '../budget/index.js';
import { type Engine, requireEngine } from '../engine.js';
import {
  InputTypeError,
  placed,
  requireBoolean,
  requireCount,
  requireFields,
  requireList,
  requireNumber,
  requireOneOf,
  requireOptions,
  requireProbability,
  wrongType,
  wrongValue,
} from '../errors.js';
import { type MeasureOptions, measure } from '../measure/measure.js';
import type { Measurement } from '../measure/measurement.js';
import { type Adjacency, requireAdjacency } from '../mechanism/adjacency.js';
import { requireTotal } from '../mechanism/checks.js';
import { gdp, zcdp } from '../mechanism/kinds/index.js';
import { compose, type Mechanism, repeat } from '../mechanism/mechanism.js';
import { parseMechanism } from '../mechanism/parse.js';
import { countsOf, stepsOf } from '../mechanism/steps.js';
import { type Bracket, bracket } from '../numeric/bracket.js';
import { doubleOf, exactDecimal } from '../numeric/exact-decimal.js';

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
 * An accountant for training as it goes. It keeps the kinds of steps that were added and how often each was run. It answers what
 * `account` answers about all of them, bit for bit. So no answer depends on the order of the steps, on how they were grouped, or
 * on what was asked before. Memory grows with the kinds of steps, not with their number: some 400 bytes for each. Adding a step
 * of a new kind takes a tenth of a millisecond. A question takes as long as one of `account`: milliseconds for a few kinds, .1 s
 * to some seconds for hundreds.
 *
 * The full law of the losses is a theorem for parameters fixed in advance. Queries may depend on the past; noise, rates and the
 * number of steps may not. With `adaptiveParameters` a budget is declared first and every step is paid from it, by Σ μ² or Σ ρ;
 * upper ends are then those of the whole budget, lower ends those of the steps taken, as one way to use it.
 *
 * @example
 * const stream = StreamingAccountant.start(engine, { adjacency: 'add-remove' });
 * stream.add(poissonSubsampled(gaussian({ noiseMultiplier: 1 }), { rate: 0.01 }), 1000);
 * stream.epsilon(1e-5).upper; // 1.82824
 */
export class StreamingAccountant {
  private made: ComposedRun | undefined;

  private constructor(
    private readonly engine: Engine,
    private readonly adjacency: Adjacency,
    private readonly kept: Map<string, Kept> = wrongConstructor(),
    private ledger?: PrivacyLedger,
    private total = 0,
  ) {}

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
    const ledger = options.budget === undefined ? undefined : ledgerOf(PrivacyLedger.open(options.budget));
    return new StreamingAccountant(engine, adjacency, new Map(), ledger);
  }

  /** What is spent and left of the budget, with `adaptiveParameters`. */
  get spent(): PrivacyLedger | undefined {
    return this.ledger?.copy();
  }

  /** Number of steps added. */
  get steps(): number {
    return this.total;
  }

  /**
   * Adds `count` runs of a mechanism.
   *
   * @throws TypeError | RangeError for a wrong count, a total of 2⁵³ steps or more, or more than 100,000 kinds of steps; for a
   *   mechanism that `account` refuses; BudgetExceeded, with nothing added, if the budget of adaptive parameters does not cover
   *   it.
   */
  add(mechanism: Mechanism, count = 1): this {
    const more = repeat(mechanism, count);
    // all is checked before anything is added
    account(this.engine, more, { adjacency: this.adjacency });
    const added = [...countsOf(more)].map(([part, times]): [string, Kept] => {
      const text = JSON.stringify(part);
      // a copy, so that later changes of the caller's object do not matter
      const mechanism = this.kept.get(text)?.mechanism ?? parseMechanism(JSON.parse(text));
      return [text, { mechanism, count: times }];
    });
    const steps = stepsOf(more).reduce((sum, step) => sum + step.count, 0);
    this.requireRoom(added, steps);
    this.ledger &&= this.paid(this.ledger, more);
    return this.keep(added, steps);
  }

  private requireRoom(added: readonly (readonly [string, Kept])[], steps: number): void {
    requireTotal(this.total + steps);
    const kinds = added.reduce((sum, [text]) => sum + Number(!this.kept.has(text)), this.kept.size);
    if (kinds > MOST_KINDS)
      throw wrongValue('mechanism', `one of at most ${MOST_KINDS} kinds of steps in all`, kinds);
  }

  private keep(added: readonly (readonly [string, Kept])[], steps: number): this {
    for (const [text, { mechanism, count }] of added) {
      const before = this.kept.get(text)?.count ?? 0;
      if (count > 0) this.kept.set(text, { mechanism, count: count + before });
    }
    this.total += steps;
    this.made = undefined;
    return this;
  }

  private paid(before: PrivacyLedger, mechanism: Mechanism): PrivacyLedger {
    const ledger = before.copy();
    const kind = before.budget.kind === 'gdp' ? 'gdp' : 'zcdp';
    for (const { spending, count } of chargesOf(mechanism, kind, this.adjacency)) {
      ledger.spend(spending, { count });
    }
    return ledger;
  }

  /**
   * Adds everything another stream holds, as when shards come together.
   *
   * @throws RangeError if the other counts neighbours differently, or one of them has a budget of its own.
   */
  merge(other: StreamingAccountant): this {
    if (!(other instanceof StreamingAccountant)) throw wrongType('other', 'a stream', other);
    if (this.ledger !== undefined || other.ledger !== undefined) {
      throw wrongValue('other', 'a stream of parameters fixed in advance, as this one has to be', other);
    }
    if (other.adjacency !== this.adjacency) {
      throw wrongValue('other', `a stream under ${this.adjacency} adjacency`, other.adjacency);
    }
    const added = [...other.kept];
    this.requireRoom(added, other.total);
    return this.keep(added, other.total);
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

  /** With a budget: the safe end is that of the whole budget, the other end that of the steps taken. */
  private asked(ask: (run: ComposedRun) => Bracket, safe: 'lower' | 'upper' = 'upper'): Bracket {
    const taken = ask(this.composed());
    const { ledger } = this;
    if (ledger === undefined) return taken;
    const allowed = ask(this.allowed(ledger));
    return safe === 'upper' ? bracket(taken.lower, allowed.upper) : bracket(allowed.lower, taken.upper);
  }

  /** The run of the whole budget. */
  private allowed(ledger: PrivacyLedger): ComposedRun {
    this.whole ??= account(this.engine, guaranteeOf(ledger), { adjacency: this.adjacency });
    return this.whole;
  }

  private whole: ComposedRun | undefined;

  /**
   * Whether all that was added, and `next` with it, exceeds the budget. 'yes' and 'no' are certain; 'undecided' means that the
   * budget lies within the bracket. With adaptive parameters 'yes' is also what does not fit in the budget declared.
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
    return this.asked((run) => run.tradeoff(alpha), 'lower');
  }

  /** μ, its window and its regret; see `measure`. With adaptive parameters those of the budget. */
  measure(options: MeasureOptions = {}): Measurement {
    return measure(this.run, options);
  }

  /** What is guaranteed, for reports, plots and certificates: the run of all that was added, or with adaptive parameters that of the whole budget. */
  get run(): ComposedRun {
    return this.ledger === undefined ? this.composed() : this.allowed(this.ledger);
  }

  private composed(): ComposedRun {
    const parts = Array.from(this.kept.values(), ({ mechanism, count }) => repeat(mechanism, count));
    this.made ??= account(this.engine, compose(parts), { adjacency: this.adjacency });
    return this.made;
  }

  /** An independent copy. */
  copy(): StreamingAccountant {
    return new StreamingAccountant(this.engine, this.adjacency, new Map(this.kept), this.ledger, this.total);
  }

  /** The state as plain JSON data, for another process or machine to go on from or merge. */
  toJSON(): object {
    const { adjacency, ledger } = this;
    const steps = [...this.kept.values()];
    return { format: FORMAT, version: VERSION, adjacency, steps, ...(ledger && { ledger: ledger.toJSON() }) };
  }

  /** @throws TypeError | RangeError naming what is wrong with the data. */
  static fromJSON(engine: Engine, data: unknown): StreamingAccountant {
    requireEngine(engine);
    const { adjacency, steps, ledger } = historyFromJson(data);
    const known = ledger === undefined ? undefined : ledgerOf(PrivacyLedger.fromJSON(ledger));
    const stream = new StreamingAccountant(engine, adjacency, new Map());
    for (const { mechanism, count } of steps) stream.add(mechanism, count);
    stream.ledger = known;
    return stream;
  }
}

/** JavaScript has no private constructors. */
function wrongConstructor(): never {
  throw new InputTypeError(
    '"new StreamingAccountant" is not for use: StreamingAccountant.start(engine, options) makes one',
  );
}

/** The ledgers that a stream can pay from: GDP and zCDP. */
function ledgerOf(ledger: PrivacyLedger): PrivacyLedger {
  const { kind } = ledger.budget;
  if (kind === 'gdp' || kind === 'zcdp') return ledger;
  throw wrongValue('budget.kind', 'gdp or zcdp', kind);
}

/** The guarantee of everything that can be paid from a ledger, its parameter rounded up to a double. */
function guaranteeOf({ budget }: PrivacyLedger): Mechanism {
  if (budget.kind === 'gdp') return gdp({ mu: doubleOf(exactDecimal(budget.mu)!, 'up') });
  if (budget.kind === 'zcdp') return zcdp({ rho: doubleOf(exactDecimal(budget.rho)!, 'up') });
  throw new Error(`a stream with a budget of ${budget.kind}`);
}

interface Kept {
  readonly mechanism: Mechanism;
  readonly count: number;
}

/** Greatest number of kinds of steps, for which some 40 MB are needed. Memory and time of a question grow with it. */
const MOST_KINDS = 100_000;

const FORMAT = 'gdp-kernel-stream';
/** Version of the data format; others are refused. */
const VERSION = 5;
const FIELDS = ['format', 'version', 'adjacency', 'steps', 'ledger'];

/**
 * The steps in plain JSON data.
 * @throws TypeError | RangeError naming what is wrong.
 */
function historyFromJson(data: unknown) {
  requireFields('stream', data, FIELDS);
  const { format, version, adjacency, steps, ledger } = data as Record<string, unknown>;
  requireOneOf('format', format, [FORMAT] as const);
  if (version !== VERSION) throw wrongValue('version', String(VERSION), version);
  return {
    adjacency: requireAdjacency(adjacency),
    steps: requireList('steps', steps, 'steps', 0, MOST_KINDS).map((step, i) => {
      const place = `steps[${i}]`;
      requireFields(place, step, ['count', 'mechanism']);
      const { count, mechanism } = step as Record<string, unknown>;
      try {
        return { count: requireCount('count', count), mechanism: parseMechanism(mechanism) };
      } catch (error) {
        throw placed(error, place);
      }
    }),
    ledger,
  };
}
