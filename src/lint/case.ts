import { account } from '../account/account.js';
import type { ComposedRun } from '../account/composed-run.js';
import type { Engine } from '../engine.js';
import { muOf } from '../measure/measure.js';
import type { Adjacency } from '../mechanism/adjacency.js';
import { gaussian } from '../mechanism/kinds/index.js';
import { dpSgd, type Mechanism, repeat } from '../mechanism/mechanism.js';
import { provedAdjacencies } from '../mechanism/reduce.js';
import { type Step, stepsOf } from '../mechanism/steps.js';
import type { Bracket } from '../numeric/bracket.js';
import type { RecognisedRun, RunFacts } from '../read/recognised.js';
import { USUAL_ALPHA_MIN } from '../run/window.js';
import { shortDecimal } from '../text/decimal.js';
import type { Claim } from './claim.js';

/** δ at which ε is compared where a claim has none. */
const DEFAULT_DELTA = 1e-5;

/** Something wrong with a claim. */
export interface Finding {
  /** The rule's name: stable, for machines. */
  readonly id: string;
  /** 'error': the claim does not hold; 'warning': it may hold, but the stated facts do not show that it does. */
  readonly severity: 'error' | 'warning';
  /** What is wrong, with the numbers that show it. */
  readonly sentence: string;
  /** What the run supports: the quantity and its bracket. */
  readonly evidence: { readonly quantity: string; readonly bracket: Bracket };
  /** What to do, or to publish instead. */
  readonly wayOut: string;
}

/** A rule: one thing that is wrong with published claims. */
export interface LintRule {
  readonly id: string;
  /** The facts that the rule needs, for the message if it is skipped. */
  readonly needs: string;
  /** What is wrong, or 'fine'; undefined if a fact that the rule needs is unknown. */
  check(given: Case): Wrong | 'fine' | undefined;
}

/** A finding of a rule, with what the run supports as a quantity and its bracket. */
interface Wrong extends Omit<Finding, 'id' | 'evidence'> {
  readonly shows: readonly [quantity: string, bracket: Bracket];
}

/** A claim with the run it is about. */
export class Case {
  readonly facts: RunFacts;
  readonly mechanism: Mechanism | undefined;
  readonly steps: readonly Step[];
  /** The account of `mechanism`, shared by all rules. */
  private own: ComposedRun | undefined;
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

  /** The claimed adjacency; if the steps have no theorem for it, one for which they have a theorem. */
  get adjacency(): Adjacency {
    const known = this.mechanism === undefined ? [] : provedAdjacencies(this.mechanism);
    const stated = this.claim.adjacency ?? this.facts.adjacency ?? 'add-remove';
    return known.length === 0 || known.includes(stated) ? stated : known[0];
  }

  get delta(): number {
    return this.claim.delta ?? this.facts.delta ?? DEFAULT_DELTA;
  }

  /** The name of the compared ε, in words. */
  get epsilonName(): string {
    return `epsilon(${shortDecimal(this.delta)})`;
  }

  get alphaMin(): number {
    return this.claim.alphaMin ?? USUAL_ALPHA_MIN;
  }

  samples(sampling: Step['sampling']): boolean {
    return this.steps.some((step) => step.sampling === sampling);
  }

  /** The run, or an account of another mechanism in its place. */
  run(mechanism: Mechanism = this.mechanism!): ComposedRun {
    if (mechanism !== this.mechanism) return this.accounted(mechanism);
    this.own ??= this.accounted(mechanism);
    return this.own;
  }

  private accounted(mechanism: Mechanism): ComposedRun {
    const { engine, adjacency, tolerance } = this;
    return account(engine, mechanism, { adjacency, tolerance });
  }

  epsilon(mechanism: Mechanism = this.mechanism!): Bracket {
    return this.run(mechanism).epsilon(this.delta);
  }

  mu(): Bracket {
    // kept in a field and not in an `LruCache`: while that computes a value, no limit on work applies
    this.knownMu ??= muOf(this.run(), { alphaMin: this.alphaMin });
    return this.knownMu;
  }

  /** ε of the run if it is known, else [0, ∞]. */
  epsilonOrUnknown(mechanism: Mechanism | undefined = this.mechanism): Bracket {
    return mechanism === undefined ? { lower: 0, upper: Infinity } : this.epsilon(mechanism);
  }

  /** Records in a step, all accumulated batches included, over those in the data set, from the claim or the file. */
  get expectedRate(): number | undefined {
    const batchSize = this.claim.batchSize ?? this.facts.batchSize;
    const { datasetSize } = this;
    if (batchSize === undefined || datasetSize === undefined) return undefined;
    return (batchSize * (this.claim.accumulation ?? 1)) / datasetSize;
  }

  get rates(): number[] {
    return this.steps.filter(({ sampling }) => sampling !== 'all').map(({ rate }) => rate);
  }

  get noises(): number[] {
    return this.steps.flatMap(({ mechanism }) =>
      mechanism.kind === 'gaussian' ? [mechanism.noiseMultiplier] : [],
    );
  }

  get datasetSize(): number | undefined {
    return this.claim.datasetSize ?? this.facts.datasetSize;
  }
}

/** The mechanism that the numbers of a claim describe. */
function claimedMechanism(claim: Claim): Mechanism | undefined {
  const { mechanism, noiseMultiplier, samplingRate, steps, sampling } = claim;
  if (mechanism !== undefined) return mechanism;
  if (noiseMultiplier === undefined) return undefined;
  if (sampling === 'all') return repeat(gaussian({ noiseMultiplier }), steps ?? 1);
  if (samplingRate === undefined || steps === undefined) return undefined;
  return dpSgd({ noiseMultiplier, samplingRate, steps });
}
