import { withoutReplacementLaw } from '../law/joined-laws.js';
import { cellLaw } from '../law/lattice/cell-law.js';
import type { CountedLaw } from '../law/loss-law.js';
import type { Pair } from '../law/pair.js';
import type { SeenStep } from '../methods/contour/seen-step.js';
import { type Basic, kindOf, pairOf } from './pairs.js';
import type { Step } from './steps.js';

/** The family of a release's pair, which says how methods treat it. */
export function familyOf(mechanism: Basic): Pair['family'] {
  const { families } = kindOf(mechanism);
  // with a single family the pair need not be made
  return families.length === 1 ? families[0] : pairOf(mechanism).family;
}

/** A step as methods see it: its pair, sampling, rate and count. */
export function seen({ mechanism, sampling, rate, count }: Step): SeenStep {
  return { pair: pairOf(mechanism), sampling, rate, count };
}

export type SeenDirection = 'remove' | 'add';

/** The law of the loss of each distinct step in one direction. */
export function lawsOf(steps: readonly Step[], direction: SeenDirection): CountedLaw[] {
  return steps.map(({ mechanism, sampling, rate, count }) => {
    const inner = pairOf(mechanism);
    if (inner.family === 'branched') return { law: inner.law(direction), count };
    const law =
      sampling === 'without-replacement'
        ? withoutReplacementLaw(inner, rate)
        : cellLaw(inner, rate, direction);
    return { law, count };
  });
}
