import { wrongValue } from '../../errors.js';
import type { Pair } from '../../law/pair.js';
import { requireMechanisms } from '../checks.js';
import { built, type Kind } from '../kind.js';
import type { Mechanism } from '../mechanism.js';
import type { Parallel } from '../pairs.js';
import { describeStep, stepsOf } from '../steps.js';

/**
 * Mechanisms on disjoint parts of the data. A rule that looks at a record alone puts it into one part, and each part has a run of its own. The rule is fixed before any
 * output is seen. The guarantee of a record is that of the run on its part, so δ(ε) is the largest over parts (docs/proofs/parallel.md).
 *
 * @param options `parts`: the runs, one a part, at least one. None of them may be put on a sample from outside: each draws its own.
 * @throws TypeError | RangeError if `parts` is not an array of mechanisms, or is empty.
 * @example
 * const counts = parallel({ parts: [gaussian({ noiseMultiplier: 2 }), laplace({ scale: 1.5, sensitivity: 1 })] });
 * account(engine, counts, { adjacency: 'add-remove' }).epsilon(1e-5).upper; // 1.9931
 */
export function parallel(options: Omit<Parallel, 'kind'>): Parallel {
  const mechanism = built(PARALLEL_KIND, options);
  if (mechanism.parts.length === 0) throw wrongValue('parts', 'one mechanism or more', mechanism.parts);
  return mechanism;
}

/** Largest number of parts that a description lists. */
const MOST_SHOWN = 4;

export const PARALLEL_KIND: Kind<Parallel> = {
  name: 'parallel',
  title: 'Disjoint parts of the data (parallel composition)',
  standing: 'inner',
  adjacency: 'one that all parts share',
  tail: 'the largest of the parts',
  source: 'McSherry 2009, thm 4; docs/proofs/parallel.md',
  families: [],
  fields: { parts: requireMechanisms },
  build: parallel,
  describe: ({ parts }) => {
    const shown = parts.slice(0, MOST_SHOWN).map(
      (part) =>
        `(${stepsOf(part as Mechanism)
          .map(describeStep)
          .join('; ')})`,
    );
    const more = parts.length - MOST_SHOWN;
    return `on disjoint parts: ${shown.join(' or ')}${more > 0 ? ` or one of ${more} more` : ''}`;
  },
  pair: (): Pair => {
    throw wrongValue('mechanism', 'free of disjoint parts here: account answers those', 'parallel');
  },
};
