import { withoutReplacementLaw } from '../law/joined-laws.js';
import { cellLaw } from '../law/lattice/cell-law.js';
import type { CountedLaw } from '../law/loss-law.js';
import type { SeenStep } from '../methods/contour/step/spectrum-of.js';
import type { Family } from '../methods/families/family.js';
import { type Basic, kindOf, pairOf } from './pairs.js';
import type { Step } from './steps.js';

/** The family of a release's pair, which says how methods treat it. */
export function familyOf(mechanism: Basic): Family {
  const { families } = kindOf(mechanism);
  // with a single family the pair need not be made
  if (families.length === 1) return families[0] as Family;
  const { family } = pairOf(mechanism);
  const found = families.find(({ name }) => name === family);
  if (found === undefined) throw new Error(`the kind ${mechanism.kind} does not name the family ${family}`);
  return found;
}

/** A step as methods see it: its pair, sampling, rate and count, and the moment generating function M(z). */
export function seen({ mechanism, sampling, rate, count }: Step): SeenStep {
  const pair = pairOf(mechanism);
  const family = familyOf(mechanism);
  return {
    pair,
    sampling,
    rate,
    count,
    spectrum: (kernel) =>
      sampling === 'without-replacement' ? undefined : family.spectrum(pair, { sampling, rate }, kernel),
  };
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
