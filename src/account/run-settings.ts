import type { Engine } from '../engine.js';
import type { Adjacency } from '../mechanism/adjacency.js';
import type { Mechanism } from '../mechanism/mechanism.js';
import { kindOf } from '../mechanism/pairs.js';
import type { Step } from '../mechanism/steps.js';
import type { WholeAnswers } from '../methods/contour/answered.js';
import type { Bracket } from '../numeric/bracket.js';
import type { AccountOptions } from './options.js';

/** What is known about a run's μ without computing its trade-off curve. */
export interface Limits {
  /**
   * The tail limit μ_t (Liu et al. 2022, §3): no μ below it holds for all error rates. μ over a window of error rates tends to at least μ_t as the window
   * grows.
   */
  readonly tailMu: Bracket;
  /** A μ for which the run is μ-GDP at all error rates; ∞ where none is known. */
  readonly muCeiling: number;
  /** Whether the run is exactly one Gaussian release of μ = μ_t, or releases nothing. */
  readonly gaussian: boolean;
}

/** The mechanism, the options and the engine of a run, and what is known without computation. */
export interface RunSettings extends Limits {
  readonly mechanism: Mechanism;
  readonly adjacency: Adjacency;
  readonly tolerance: number;
  /** The tolerance that the caller stated, if it is finer than `tolerance`: the bounds of some kinds of mechanism lie further apart than that. */
  readonly finer?: number | undefined;
  readonly engine: 'wasm' | 'reference';
  /** ε at δ = 0, the sum of the ε of all steps, where each states a pure-DP guarantee that it attains; undefined otherwise. */
  readonly pureEpsilon?: Bracket | undefined;
  /** Answers about both directions from one or two kernel calls; undefined where they do not apply (`whole-answers.ts`). */
  readonly whole?: WholeAnswers | undefined;
  /** How much work a question may cost: see `AccountOptions.effort`. */
  readonly effort: number;
}

/** The tolerance at which a run is answered: the given one, or the largest gap between the bounds of a step's kind (`Kind.width`). */
export function widthFor(steps: readonly Step[], tolerance: number): number {
  return steps.reduce(
    (width, { mechanism: release }) => Math.max(width, kindOf(release).width?.(release) ?? 0),
    tolerance,
  );
}

/** The settings of a run that is answered at `tolerance`, which may be coarser than the one in the options. */
export function aboutOf(
  { kernel }: Engine,
  mechanism: Mechanism,
  { adjacency, effort, tolerance: asked }: Required<AccountOptions>,
  tolerance: number,
): Pick<RunSettings, 'mechanism' | 'adjacency' | 'tolerance' | 'finer' | 'effort' | 'engine'> {
  const finer = tolerance > asked ? asked : undefined;
  return { mechanism, adjacency, tolerance, finer, effort, engine: kernel.name };
}
