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

/** Options that hold for all steps of a stream. */
export interface StreamOptions {
  /** Which data sets count as neighbours. */
  readonly adjacency: Adjacency;
  /**
   * Whether the noise, the rate or the number of later steps may depend on earlier outputs. Then a budget is required, and answers are about
   * everything that it allows. Default false: parameters are fixed in advance.
   */
  readonly adaptiveParameters?: boolean;
  /** The budget of all steps, of kind gdp or zcdp: required with `adaptiveParameters`, and only then. */
  readonly budget?: Extract<PrivacyBudget, { kind: 'gdp' | 'zcdp' }>;
}

/** A budget (ε, δ) to compare a stream with. */
export interface Budget {
  /** ε in nats, ≥ 0. */
  readonly epsilon: number;
  /** δ in [0, 1]. */
  readonly delta: number;
}

/**
 * An accountant for training that is still running. It stores each distinct step and how often it was run, and answers with the same bits as
 * `account` of all steps. So no answer depends on the order of the steps, on how they were grouped, or on earlier questions. Memory grows with the
 * number of distinct steps, some 400 bytes each. Adding a new one takes a tenth of a millisecond. A question takes as long as one of `account`:
 * milliseconds for a few distinct steps, 0.1 s to some seconds for hundreds.
 *
 * The exact composition is a theorem for parameters fixed in advance: queries may depend on earlier outputs; noise, rates and the number of steps may
 * not. With `adaptiveParameters` a budget is declared first and every step is paid from it, by Σ μ² or Σ ρ. Upper ends are then those of the whole
 * budget, lower ends those of the steps taken, as one way to use it.
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

  /** Starts an empty stream. @throws TypeError | RangeError if `adjacency` is missing or unknown, or if `budget` is given without `adaptiveParameters`, or missing with it. */
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

  /** A copy of the ledger of the budget, with `adaptiveParameters`; else undefined. */
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
    // nothing is added before all is checked
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

  /** Checks the total number of steps and of distinct steps. @throws RangeError if one is too large. */
  private requireRoom(added: readonly (readonly [string, Kept])[], steps: number): void {
    requireTotal(this.total + steps);
    const kinds = added.reduce((sum, [text]) => sum + Number(!this.kept.has(text)), this.kept.size);
    if (kinds > MOST_KINDS)
      throw wrongValue('mechanism', `one of at most ${MOST_KINDS} kinds of steps in all`, kinds);
  }

  /** Adds steps that have been checked. */
  private keep(added: readonly (readonly [string, Kept])[], steps: number): this {
    for (const [text, { mechanism, count }] of added) {
      const before = this.kept.get(text)?.count ?? 0;
      if (count > 0) this.kept.set(text, { mechanism, count: count + before });
    }
    this.total += steps;
    this.made = undefined;
    return this;
  }

  /** A copy of the ledger from which the mechanism has been paid. @throws BudgetExceeded */
  private paid(before: PrivacyLedger, mechanism: Mechanism): PrivacyLedger {
    const ledger = before.copy();
    const kind = before.budget.kind === 'gdp' ? 'gdp' : 'zcdp';
    for (const { spending, count } of chargesOf(mechanism, kind, this.adjacency)) {
      ledger.spend(spending, { count });
    }
    return ledger;
  }

  /** Adds all steps of another stream, as when shards are combined. */
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

  /** Bracket of ε(δ) of all steps added; see `ComposedRun.epsilon`. */
  epsilon(delta: number): Bracket {
    return this.asked((run) => run.epsilon(delta));
  }

  /** Bracket of δ(ε) of all steps added. */
  delta(epsilon: number): Bracket {
    return this.asked((run) => run.delta(epsilon));
  }

  /** Bracket of log δ(ε) of all steps added, also where δ is too small for a double. */
  logDelta(epsilon: number): Bracket {
    return this.asked((run) => run.logDelta(epsilon));
  }

  /** An answer about all steps added. With a budget, the end that is safe to publish is that of the whole budget, and the other end that of the steps. */
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
   * Whether all steps added, and `next` after them, exceed a budget (ε, δ). 'yes' and 'no' are certain; 'undecided' if δ lies within the bracket.
   * With adaptive parameters, 'yes' also if `next` does not fit in the declared budget.
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

  /** Bracket of the trade-off function f(α) of all steps added. */
  tradeoff(alpha: number): Bracket {
    return this.asked((run) => run.tradeoff(alpha), 'lower');
  }

  /** The answer of `measure` about all steps added; with adaptive parameters, about the budget. */
  measure(options: MeasureOptions = {}): Measurement {
    return measure(this.run, options);
  }

  /** The run whose guarantee holds, for reports, plots and certificates: of all steps added, or, with adaptive parameters, of the whole budget. */
  get run(): ComposedRun {
    return this.ledger === undefined ? this.composed() : this.allowed(this.ledger);
  }

  /** The run of all steps added. */
  private composed(): ComposedRun {
    const parts = Array.from(this.kept.values(), ({ mechanism, count }) => repeat(mechanism, count));
    this.made ??= account(this.engine, compose(parts), { adjacency: this.adjacency });
    return this.made;
  }

  /** An independent copy. */
  copy(): StreamingAccountant {
    return new StreamingAccountant(this.engine, this.adjacency, new Map(this.kept), this.ledger, this.total);
  }

  /** The state as plain JSON data, from which another process or machine may continue or merge. */
  toJSON(): object {
    const { adjacency, ledger } = this;
    const steps = [...this.kept.values()];
    return { format: FORMAT, version: VERSION, adjacency, steps, ...(ledger && { ledger: ledger.toJSON() }) };
  }

  /** The stream of such data. @throws TypeError | RangeError naming what is wrong with the data. */
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

/** Refuses `new StreamingAccountant`, as JavaScript has no private constructors. @throws InputTypeError */
function wrongConstructor(): never {
  throw new InputTypeError(
    '"new StreamingAccountant" is not for use: StreamingAccountant.start(engine, options) makes one',
  );
}

/** Returns the ledger if it is one of GDP or zCDP. @throws RangeError otherwise. */
function ledgerOf(ledger: PrivacyLedger): PrivacyLedger {
  const { kind } = ledger.budget;
  if (kind === 'gdp' || kind === 'zcdp') return ledger;
  throw wrongValue('budget.kind', 'gdp or zcdp', kind);
}

/** The guarantee of everything that a ledger can pay for, with its parameter rounded up to a double. */
function guaranteeOf({ budget }: PrivacyLedger): Mechanism {
  if (budget.kind === 'gdp') return gdp({ mu: doubleOf(exactDecimal(budget.mu)!, 'up') });
  if (budget.kind === 'zcdp') return zcdp({ rho: doubleOf(exactDecimal(budget.rho)!, 'up') });
  throw new Error(`a stream with a budget of ${budget.kind}`);
}

/** A distinct step and how often it was run. */
interface Kept {
  readonly mechanism: Mechanism;
  readonly count: number;
}

/** Largest number of distinct steps, which take some 40 MB. Memory and the time of a question grow with it. */
const MOST_KINDS = 100_000;

/** Name of the data format. */
const FORMAT = 'gdp-kernel-stream';
/** Version of the data format; other versions are refused. */
const VERSION = 5;
const FIELDS = ['format', 'version', 'adjacency', 'steps', 'ledger'];

/** The adjacency, the steps and the ledger in plain JSON data. @throws TypeError | RangeError naming what is wrong. */
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
