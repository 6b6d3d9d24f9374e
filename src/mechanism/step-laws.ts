import { cellLaw } from '../law/lattice/cell-law.js';
import type { CountedLaw } from '../law/loss-law.js';
import { withoutReplacementLaw } from '../law/symmetric-law.js';
import { pairOf } from './pairs.js';
import type { Step } from './steps.js';

export type Side = 'remove' | 'add';

/** Each distinct step as a law in one direction. */
export function lawsOf(steps: readonly Step[], direction: Side): CountedLaw[] {
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
