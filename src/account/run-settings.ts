import type { Engine } from '../engine.js';
import type { Adjacency } from '../mechanism/adjacency.js';
import type { Mechanism } from '../mechanism/mechanism.js';
import { kindOf } from '../mechanism/pairs.js';
import type { Step } from '../mechanism/steps.js';
import type { WholeAnswers } from '../methods/contour/answered.js';
import type { Bracket } from '../numeric/bracket.js';
import type { AccountOptions } from './options.js';

/** What is known of a run's μ before anything is computed. */
export interface Limits {
  /** μ_t: what μ cannot stay below as its window opens (IAM §3). */
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
  /** What was asked for, where that is finer than what the kind of mechanism is answered to. */
  readonly finer?: number | undefined;
  readonly engine: 'wasm' | 'reference';
  /** The largest loss of the whole run, where all that is stated of it is pure DP. */
  readonly pureEpsilon?: Bracket | undefined;
  /** Both directions in one call, where the run is such. */
  readonly whole?: WholeAnswers | undefined;
  /** How much work a question may cost: see `AccountOptions`. */
  readonly effort: number;
}

/** The width that steps are asked for: some kinds are answered no finer. */
export function widthFor(steps: readonly Step[], tolerance: number): number {
  return steps.reduce(
    (width, { mechanism: release }) => Math.max(width, kindOf(release).width?.(release) ?? 0),
    tolerance,
  );
}

/** What a run answered to a width is about. */
export function aboutOf(
  { kernel }: Engine,
  mechanism: Mechanism,
  { adjacency, effort, tolerance: asked }: Required<AccountOptions>,
  tolerance: number,
): Pick<RunSettings, 'mechanism' | 'adjacency' | 'tolerance' | 'finer' | 'effort' | 'engine'> {
  const finer = tolerance > asked ? asked : undefined;
  return { mechanism, adjacency, tolerance, finer, effort, engine: kernel.name };
}
