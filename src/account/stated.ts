import type { Mechanism } from '../mechanism/mechanism.js';
import type { Accounting } from '../mechanism/search/searched-run.js';
import type { Step } from '../mechanism/steps.js';

/** What is accounted for, as a candidate sees it. */
export interface Stated extends Accounting {
  readonly mechanism: Mechanism;
  /** As stated, and in units of the adjacency: reduced, merged, and dominating together with what `isWhole` says. */
  readonly raw: readonly Step[];
  readonly steps: readonly Step[];
  /** Whether `steps` dominate the run by themselves: no chain of worlds and nothing that is lost beside them. */
  readonly isWhole: boolean;
}

/** Bounds of a run that hold whatever its methods find: each end for itself, left out where nothing is said. */
export interface Bounds {
  /** ε ≥ 0 at which δ(ε) ≤ e^{logDelta} for certain, and one at which it is not. */
  readonly epsilonAbove?: ((logDelta: number) => number) | undefined;
  readonly epsilonBelow?: ((logDelta: number) => number) | undefined;
  /** log δ(ε), ε ≥ 0, from above and from below. */
  readonly logDeltaAbove?: ((epsilon: number) => number) | undefined;
  readonly logDeltaBelow?: ((epsilon: number) => number) | undefined;
  /** `logDeltaAbove` for many ε: the first costs as much, each a formula, and they are a little wider. */
  readonly curveAbove?: ((epsilon: number) => number) | undefined;
}

/** Every end: what says nothing where nothing is known. */
export type AllBounds = { readonly [K in keyof Bounds]-?: NonNullable<Bounds[K]> };

export const NO_BOUNDS: AllBounds = {
  epsilonAbove: () => Infinity,
  epsilonBelow: () => 0,
  logDeltaAbove: () => 0,
  logDeltaBelow: () => -Infinity,
  curveAbove: () => 0,
};

/**
 * Bounds of a run that is the worst of several, of which each has bounds of its own.
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
