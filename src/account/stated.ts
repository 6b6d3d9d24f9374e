import type { Mechanism } from '../mechanism/mechanism.js';
import type { Accounting } from '../mechanism/search/searched-run.js';
import type { Step } from '../mechanism/steps.js';

/** A mechanism, its steps and the options of its account: what the theorems of `candidates.ts` look at. */
export interface Stated extends Accounting {
  readonly mechanism: Mechanism;
  /** The steps as stated. */
  readonly raw: readonly Step[];
  /** The steps in units of added and removed records, with those merged that compose exactly. They dominate the run if `isWhole`. */
  readonly steps: readonly Step[];
  /** Whether the composition of `steps` dominates the run. False if the run is only (ε, δ)-close to it, or if its pairs omit outputs of small probability. */
  readonly isWhole: boolean;
}

/** Bounds of δ(ε), the larger of both directions, by theorems; a function is absent where no theorem gives that bound. They need not come from one theorem. */
export interface Bounds {
  /** An ε ≥ 0 at which δ(ε) ≤ e^{logDelta}. It is no less than the smallest such ε. */
  readonly epsilonAbove?: ((logDelta: number) => number) | undefined;
  /** A lower bound of the smallest ε ≥ 0 with δ(ε) ≤ e^{logDelta}. */
  readonly epsilonBelow?: ((logDelta: number) => number) | undefined;
  /** An upper bound of log δ(ε), ε ≥ 0. */
  readonly logDeltaAbove?: ((epsilon: number) => number) | undefined;
  /** A lower bound of log δ(ε), ε ≥ 0. */
  readonly logDeltaBelow?: ((epsilon: number) => number) | undefined;
  /** Makes an upper bound of log δ(ε) like that of `logDeltaAbove`, for many ε: each costs a formula. It may be slightly wider. */
  readonly curveAbove?: (() => (epsilon: number) => number) | undefined;
}

/** Bounds of a run with every function present: where no theorem is known it returns the trivial bound. */
export type AllBounds = { readonly [K in keyof Bounds]-?: NonNullable<Bounds[K]> };

/** The trivial bounds: 0 ≤ ε ≤ ∞ and 0 ≤ δ ≤ 1. */
export const NO_BOUNDS: AllBounds = {
  epsilonAbove: () => Infinity,
  epsilonBelow: () => 0,
  logDeltaAbove: () => 0,
  logDeltaBelow: () => -Infinity,
  curveAbove: () => () => 0,
};

/**
 * Bounds of the largest δ(ε) of several runs: the pointwise maximum of their bounds.
 *
 * Ensures: upper bounds are no less, and lower bounds no more, than the largest exact value of the runs.
 */
export function worstOf(each: readonly AllBounds[]): AllBounds {
  const most =
    (ends: readonly ((at: number) => number)[]) =>
    (at: number): number =>
      ends.reduce((found, end) => Math.max(found, end(at)), -Infinity);
  return {
    epsilonAbove: most(each.map(({ epsilonAbove }) => epsilonAbove)),
    epsilonBelow: most(each.map(({ epsilonBelow }) => epsilonBelow)),
    logDeltaAbove: most(each.map(({ logDeltaAbove }) => logDeltaAbove)),
    logDeltaBelow: most(each.map(({ logDeltaBelow }) => logDeltaBelow)),
    curveAbove: () => most(each.map(({ curveAbove }) => curveAbove())),
  };
}
