import type { Mechanism } from '../mechanism/mechanism.js';
import type { Accounting } from '../mechanism/search/searched-run.js';
import type { Step } from '../mechanism/steps.js';

/** What is accounted for, as the theorem-based bounds see it. */
export interface Stated extends Accounting {
  readonly mechanism: Mechanism;
  /** The steps as stated; and in units of the adjacency: reduced, merged, and dominating the run if `isWhole`. */
  readonly raw: readonly Step[];
  readonly steps: readonly Step[];
  /** Whether `steps` dominate the run by themselves, without closeness or probability neglected. */
  readonly isWhole: boolean;
}

/** Bounds of a run by theorems, each end separately; absent where nothing is known. */
export interface Bounds {
  /** ε ≥ 0 with δ(ε) ≤ e^{logDelta} for certain, and one where it is certainly larger. */
  readonly epsilonAbove?: ((logDelta: number) => number) | undefined;
  readonly epsilonBelow?: ((logDelta: number) => number) | undefined;
  /** Upper and lower bound of log δ(ε), ε ≥ 0. */
  readonly logDeltaAbove?: ((epsilon: number) => number) | undefined;
  readonly logDeltaBelow?: ((epsilon: number) => number) | undefined;
  /** `logDeltaAbove` for many ε: the first costs as much, further ones a formula each; slightly wider. */
  readonly curveAbove?: ((epsilon: number) => number) | undefined;
}

/** All ends, with trivial bounds where nothing is known. */
export type AllBounds = { readonly [K in keyof Bounds]-?: NonNullable<Bounds[K]> };

export const NO_BOUNDS: AllBounds = {
  epsilonAbove: () => Infinity,
  epsilonBelow: () => 0,
  logDeltaAbove: () => 0,
  logDeltaBelow: () => -Infinity,
  curveAbove: () => 0,
};

/**
 * Bounds of a run that is the worst of several, each with bounds of its own.
 *
 * Ensures: each end is on its side of the truth of the worst of them.
 */
export function worstOf(each: readonly AllBounds[]): AllBounds {
  const most =
    <K extends keyof AllBounds>(end: K) =>
    (at: number): number =>
      each.reduce((found, bounds) => Math.max(found, bounds[end](at)), -Infinity);
  return {
    epsilonAbove: most('epsilonAbove'),
    epsilonBelow: most('epsilonBelow'),
    logDeltaAbove: most('logDeltaAbove'),
    logDeltaBelow: most('logDeltaBelow'),
    curveAbove: most('curveAbove'),
  };
}
