import { ComposedRun } from '../account/composed-run.js';
import type { Engine } from '../engine.js';
import { requireEngine } from '../engine.js';
import { requireCount, requireNumber, requireOptions, requireProbability, wrongValue } from '../errors.js';
import { type MeasureOptions, measure } from '../measure/measure.js';
import type { Measurement } from '../measure/measurement.js';
import type { Adjacency } from '../mechanism/adjacency.js';
import { requireAdjacency } from '../mechanism/adjacency.js';
import { pairOf } from '../mechanism/basic.js';
import { compose, type Mechanism, repeat } from '../mechanism/mechanism.js';
import { reduceSteps } from '../mechanism/reduce.js';
import { type Step, stepsOf } from '../mechanism/steps.js';
import type { SpectralLaw } from '../methods/contour/step/spectral-law.js';
import { pairSpectra, spectraOf } from '../methods/contour/step/spectrum-of.js';
import { aroundRelative, type Bracket, exactly } from '../numeric/bracket.js';
import { nothingRun } from '../run/trivial-runs.js';
import { addSums, contributionOf, emptySums } from './stream-lines.js';
import { streamRun } from './stream-run.js';
import { type StreamDirection, type StreamState, streamFromJson, streamToJson } from './stream-state.js';

export interface StreamOptions {
  readonly adjacency: Adjacency;
}

/** A privacy budget: (ε, δ)-DP. */
export interface Budget {
  readonly epsilon: number;
  readonly delta: number;
}

/**
 * An accountant for training as it goes: its state is log M on a fixed set of lines, so a step is one vector
 * addition (one that is not among the last 128 kinds has to be worked out first, some 10 to 30 ms), shards are merged by adding their states, and
 * memory depends neither on the number of steps nor on how many of them differ. Answers are brackets: for composed losses between 1/32 and 30 wide and δ down to
 * 1e-10 usually 1e-8 wide or less (relative), wider elsewhere (a few steps at a low rate, say), never wrong.
 *
 * @example
 * const stream = StreamingAccountant.start(engine, { adjacency: 'add-remove' });
 * stream.add(poissonSubsampled(gaussian({ noiseMultiplier: 1 }), { rate: 0.01 }), 1000);
 * stream.epsilon(1e-5);
 */
export class StreamingAccountant {
  private run: ComposedRun | undefined;

  /** @param recent The steps added last, the latest at the end: to add one again is one vector addition. */
  private constructor(
    private readonly engine: Engine,
    private readonly state: StreamState,
    private readonly recent = new Map<string, Part>(),
  ) {}

  /** @throws TypeError | RangeError if `adjacency` is missing or unknown. */
  static start(engine: Engine, options: StreamOptions): StreamingAccountant {
    requireEngine(engine);
    requireOptions('StreamingAccountant.start', options, ['adjacency']);
    const adjacency = requireAdjacency(options?.adjacency);
    return new StreamingAccountant(engine, {
      adjacency,
      steps: 0,
      tailSquare: 0,
      ceilingSquare: 0,
      directions: [emptyDirection(), emptyDirection()],
    });
  }

  /** Number of steps added. */
  get steps(): number {
    return this.state.steps;
  }

  /**
   * Adds `count` runs of a mechanism: Gaussians, plain or Poisson-subsampled, and whatever else has a spectrum.
   *
   * @throws TypeError | RangeError for a wrong count, a total of 2⁵³ steps or more, or a mechanism without a spectrum.
   */
  add(mechanism: Mechanism, count = 1): this {
    requireCount('count', count);
    const { state } = this;
    const raw = stepsOf(repeat(mechanism, count));
    const total = raw.reduce((sum, step) => sum + step.count, state.steps);
    if (!Number.isSafeInteger(total)) throw wrongValue('count', 'a total below 2^53 steps', total);
    const steps = reduceSteps(raw, state.adjacency);
    // everything is checked before anything is added
    if (steps.length > 1) for (const step of steps) lawsOf(step, mechanism.kind);
    for (const step of steps) addParts(state, this.partOf(step, mechanism.kind));
    state.steps = total;
    this.run = undefined;
    return this;
  }

  /** What a step adds: remembered from the last kinds, or worked out. */
  private partOf(step: Step, kind: string): Part {
    const { recent } = this;
    const key = JSON.stringify(step);
    const part = recent.get(key) ?? partOf(this.engine, this.state, step, kind);
    recent.delete(key);
    recent.set(key, part);
    for (const oldest of recent.keys()) {
      if (recent.size <= REMEMBERED) break;
      recent.delete(oldest);
    }
    return part;
  }

  /**
   * Adds everything another stream holds, as when shards come together.
   *
   * @throws RangeError if the other counts neighbours differently.
   */
  merge(other: StreamingAccountant): this {
    const { state } = this;
    if (other.state.adjacency !== state.adjacency) {
      throw wrongValue('other', `a stream under ${state.adjacency} adjacency`, other.state.adjacency);
    }
    const total = state.steps + other.state.steps;
    if (!Number.isSafeInteger(total)) throw wrongValue('other', 'a total below 2^53 steps', total);
    addParts(state, other.state);
    state.steps = total;
    this.run = undefined;
    return this;
  }

  /** ε(δ) of all that was added; see `ComposedRun.epsilon`. */
  epsilon(delta: number): Bracket {
    return this.composed().epsilon(delta);
  }

  /** δ(ε) of all that was added. */
  delta(epsilon: number): Bracket {
    return this.composed().delta(epsilon);
  }

  logDelta(epsilon: number): Bracket {
    return this.composed().logDelta(epsilon);
  }

  /**
   * Whether all that was added, and `next` with it, is more than the budget: 'yes' and 'no' are certain,
   * 'undecided' means that the budget lies within the bracket.
   *
   * @throws TypeError | RangeError for a budget with ε < 0 or δ outside [0, 1].
   */
  wouldExceed(budget: Budget, next?: Mechanism): 'yes' | 'no' | 'undecided' {
    requireOptions('a budget', budget, ['epsilon', 'delta']);
    const epsilon = requireNumber('epsilon', budget?.epsilon, 'a number >= 0', (x) => x >= 0);
    const limit = requireProbability('delta', budget.delta);
    const ahead = next === undefined ? this : this.ahead(next);
    const { lower, upper } = ahead.delta(epsilon);
    if (upper <= limit) return 'no';
    return lower > limit ? 'yes' : 'undecided';
  }

  /** This stream and one step more; what that adds is remembered here, too. */
  private ahead(next: Mechanism): StreamingAccountant {
    return new StreamingAccountant(this.engine, structuredClone(this.state), this.recent).add(next);
  }

  /** f(α) of all that was added. */
  tradeoff(alpha: number): Bracket {
    return this.composed().tradeoff(alpha);
  }

  /** μ, its window and its regret; see `measure`. */
  measure(options: MeasureOptions = {}): Measurement {
    return measure(this.composed(), options);
  }

  private composed(): ComposedRun {
    this.run ??= this.build();
    return this.run;
  }

  private build(): ComposedRun {
    const { adjacency, steps, tailSquare, ceilingSquare, directions } = this.state;
    const relative = 1e-14 + 4e-16 * Math.min(steps, 1e9);
    const mu = Math.sqrt(tailSquare);
    const muCeiling = Math.sqrt(ceilingSquare) * (1 + relative);
    const runs =
      ceilingSquare === 0
        ? [nothingRun]
        : directions.map(({ sums, logMassP, logMassQ }, i) =>
            streamRun({ direction: SIDES[i], sums, logMassP, logMassQ, muCeiling }),
          );
    return new ComposedRun(runs, {
      // the state does not remember which steps made it
      mechanism: compose([]),
      adjacency,
      tolerance: 1e-6,
      engine: this.engine.kernel.name,
      tailMu: mu === 0 || mu === Infinity ? exactly(mu) : aroundRelative(mu, relative),
      muCeiling,
      gaussian: false,
    });
  }

  /** An independent copy. */
  copy(): StreamingAccountant {
    return new StreamingAccountant(this.engine, structuredClone(this.state), new Map(this.recent));
  }

  /** The state as plain JSON data, for another process or machine to go on from or merge. */
  toJSON(): object {
    return streamToJson(this.state);
  }

  /** @throws TypeError | RangeError naming what is wrong with the data. */
  static fromJSON(engine: Engine, data: unknown): StreamingAccountant {
    requireEngine(engine);
    return new StreamingAccountant(engine, streamFromJson(data));
  }
}

/** What one step, or a whole stream, adds to another. */
type Part = Pick<StreamState, 'directions' | 'tailSquare' | 'ceilingSquare'>;

/** Steps remembered (kind and count), of at most 0.3 MB each: 40 MB for the streams that are copies of one another. */
const REMEMBERED = 128;

function addParts(state: StreamState, part: Part): void {
  state.directions.forEach((direction, i) => {
    const { sums, logMassP, logMassQ } = part.directions[i];
    addSums(direction.sums, sums);
    direction.logMassP += logMassP;
    direction.logMassQ += logMassQ;
  });
  state.tailSquare += part.tailSquare;
  state.ceilingSquare += part.ceilingSquare;
}

/** The step's M(z) in both directions. @throws RangeError if it has none, or losses that are infinite. */
function lawsOf(step: Step, kind: string): readonly SpectralLaw[] {
  const pairs = pairSpectra([step], MESHES);
  const { gdpMu } = pairOf(step.mechanism);
  return SIDES.map((side) => {
    const each = pairs && spectraOf([step], pairs, side);
    if (each?.logInfinity.upper !== -Infinity || gdpMu === Infinity) {
      throw wrongValue(
        'mechanism',
        'made of steps whose losses are finite and known in full (see account for the others)',
        kind,
      );
    }
    return each.laws[0].law;
  });
}

/** Made for the lines that the stream keeps; it keeps no others later. */
function partOf(engine: Engine, state: StreamState, step: Step, kind: string): Part {
  const { count } = step;
  const { tailMu, gdpMu } = pairOf(step.mechanism);
  const directions = lawsOf(step, kind).map((law, i) => ({
    sums: contributionOf(engine.kernel, state.directions[i].sums, law, count),
    logMassP: count * law.logMassP,
    logMassQ: count * law.logMassQ,
  }));
  return { directions, tailSquare: count * tailMu ** 2, ceilingSquare: count * gdpMu ** 2 };
}

/** Meshes of outputs kept while a step is added to all lines, both directions. */
const MESHES = 32;

const SIDES = ['remove', 'add'] as const;

function emptyDirection(): StreamDirection {
  return {
    sums: emptySums(),
    logMassP: 0,
    logMassQ: 0,
  };
}
