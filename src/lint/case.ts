import { account } from '../account/account.js';
import type { ComposedRun } from '../account/composed-run.js';
import type { Engine } from '../engine.js';
import { muOf } from '../measure/measure.js';
import { ADJACENCIES, type Adjacency } from '../mechanism/adjacency.js';
import { gaussian } from '../mechanism/kinds/index.js';
import { dpSgd, type Mechanism, repeat } from '../mechanism/mechanism.js';
import { provedAdjacencies } from '../mechanism/reduce.js';
import { type Step, stepsOf } from '../mechanism/steps.js';
import { type Bracket, exactly } from '../numeric/bracket.js';
import type { RecognisedRun, RunFacts } from '../read/recognised.js';
import type { Claim } from './claim.js';
import type { Finding } from './finding.js';

/** δ at which ε is compared where a claim has none. */
const DEFAULT_DELTA = 1e-5;
const DEFAULT_WINDOW = 1e-10;

/** A rule: one thing that is wrong with published claims. */
export interface Rule {
  readonly id: string;
  /** What a rule that was skipped needs to know. */
  readonly needs: string;
  applies(given: Case): boolean;
  check(given: Case): Omit<Finding, 'id'> | undefined;
}

/** A claim beside the run it is about, accounted once. */
export class Case {
  readonly facts: RunFacts;
  readonly mechanism: Mechanism | undefined;
  readonly steps: readonly Step[];
  private readonly runs = new Map<Mechanism, ComposedRun>();
  private knownMu: Bracket | undefined;

  constructor(
    private readonly engine: Engine,
    readonly claim: Claim,
    run: RecognisedRun | undefined,
    private readonly tolerance: number,
  ) {
    this.facts = run?.facts ?? {};
    this.mechanism = run?.mechanism ?? claimedMechanism(claim);
    this.steps = this.mechanism === undefined ? [] : stepsOf(this.mechanism);
  }

  /** The adjacency that the steps have a theorem for, else the one claimed. */
  get adjacency(): Adjacency {
    const known = this.known;
    const stated = this.claim.adjacency ?? this.facts.adjacency ?? 'add-remove';
    return known.length === 0 || known.includes(stated) ? stated : known[0];
  }

  /** The adjacencies that all steps have a theorem for. */
  private get known(): Adjacency[] {
    return this.mechanism === undefined ? [...ADJACENCIES] : provedAdjacencies(this.mechanism);
  }

  get delta(): number {
    return this.claim.delta ?? this.facts.delta ?? DEFAULT_DELTA;
  }

  get alphaMin(): number {
    return this.claim.alphaMin ?? DEFAULT_WINDOW;
  }

  samples(sampling: Step['sampling']): boolean {
    return this.steps.some((step) => step.sampling === sampling);
  }

  /** The run, or another in its place. */
  run(mechanism: Mechanism = this.mechanism!): ComposedRun {
    let run = this.runs.get(mechanism);
    if (run === undefined) {
      run = account(this.engine, mechanism, { adjacency: this.adjacency, tolerance: this.tolerance });
      this.runs.set(mechanism, run);
    }
    return run;
  }

  epsilon(mechanism: Mechanism = this.mechanism!): Bracket {
    return this.run(mechanism).epsilon(this.delta);
  }

  mu(): Bracket {
    this.knownMu ??= muOf(this.run(), { alphaMin: this.alphaMin });
    return this.knownMu;
  }

  /** ε where the run is known, else nothing but what a privacy loss can be. */
  epsilonOrUnknown(): Bracket {
    return this.mechanism === undefined ? { lower: 0, upper: Infinity } : this.epsilon();
  }

  /** Records per step over records, as the claim or the file has them. */
  expectedRate(): Bracket | undefined {
    const batchSize = this.claim.batchSize ?? this.facts.batchSize;
    const datasetSize = this.datasetSize;
    if (batchSize === undefined || datasetSize === undefined) return undefined;
    return exactly((batchSize * (this.claim.accumulation ?? 1)) / datasetSize);
  }

  get datasetSize(): number | undefined {
    return this.claim.datasetSize ?? this.facts.datasetSize;
  }
}

/** The run that a claim describes by itself. */
function claimedMechanism(claim: Claim): Mechanism | undefined {
  const { mechanism, noiseMultiplier, samplingRate, steps, sampling } = claim;
  if (mechanism !== undefined) return mechanism;
  if (noiseMultiplier === undefined) return undefined;
  if (sampling === 'all') return repeat(gaussian({ noiseMultiplier }), steps ?? 1);
  if (samplingRate === undefined || steps === undefined) return undefined;
  return dpSgd({ noiseMultiplier, samplingRate, steps });
}
