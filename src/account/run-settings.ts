import type { Engine } from '../engine.js';
import type { Adjacency } from '../mechanism/adjacency.js';
import type { Mechanism } from '../mechanism/mechanism.js';
import { kindOf } from '../mechanism/pairs.js';
import type { Step } from '../mechanism/steps.js';
import type { WholeAnswers } from '../methods/contour/answered.js';
import type { Bracket } from '../numeric/bracket.js';
import type { AccountOptions } from './options.js';

/** Facts about a run's μ that are known without computation. */
export interface Limits {
  /** μ_t: lower bound of μ as its window opens (IAM §3). */
  readonly tailMu: Bracket;
  /** A μ that holds without any window; ∞ where none is known. */
  readonly muCeiling: number;
  /** The run is exactly one Gaussian (or nothing), with μ = μ_t. */
  readonly gaussian: boolean;
}

/** What a run is about, as `account` was told it. */
export interface RunSettings extends Limits {
  readonly mechanism: Mechanism;
  readonly adjacency: Adjacency;
  readonly tolerance: number;
  /** The tolerance asked for, if the kind of mechanism is only answered to a coarser one. */
  readonly finer?: number | undefined;
  readonly engine: 'wasm' | 'reference';
  /** The largest loss of the whole run, if only pure DP is stated of it. */
  readonly pureEpsilon?: Bracket | undefined;
  /** Answers for both directions from one or two kernel calls; undefined unless all steps are Gaussian, each Poisson-sampled or unsampled. */
  readonly whole?: WholeAnswers | undefined;
  /** How much work a question may cost: see `AccountOptions`. */
  readonly effort: number;
}

/** The tolerance that steps are asked for: the given one, or the coarser one of a kind whose bounds are further apart. */
export function widthFor(steps: readonly Step[], tolerance: number): number {
  return steps.reduce(
    (width, { mechanism: release }) => Math.max(width, kindOf(release).width?.(release) ?? 0),
    tolerance,
  );
}

/** The settings of a run answered at a tolerance. */
export function aboutOf(
  { kernel }: Engine,
  mechanism: Mechanism,
  { adjacency, effort, tolerance: asked }: Required<AccountOptions>,
  tolerance: number,
): Pick<RunSettings, 'mechanism' | 'adjacency' | 'tolerance' | 'finer' | 'effort' | 'engine'> {
  const finer = tolerance > asked ? asked : undefined;
  return { mechanism, adjacency, tolerance, finer, effort, engine: kernel.name };
}
