import { wholeDivisors } from '../mechanism/kinds/divided-sgd.js';
import { bracket } from '../numeric/bracket.js';
import type { Case, Rule } from './case.js';

/** A divisor that one record changes: docs/proofs/sampling.md, 12. */
export const divisorCut: Rule = {
  id: 'divisor-cut',
  needs: 'datasetSize, add-remove adjacency and a checkpoint of Opacus with Poisson samples',
  applies: (given) =>
    given.facts.divisor === 'expected-whole' &&
    given.datasetSize !== undefined &&
    adjacencyOf(given) === 'add-remove' &&
    given.samples('poisson'),
  check({ steps, datasetSize }) {
    for (const { sampling, rate } of steps) {
      if (sampling !== 'poisson') continue;
      const [less, own, more] = wholeDivisors(rate, datasetSize!);
      if (less === more) continue;
      const [other, change] = less === own ? [more, 'more'] : [less, 'fewer'];
      return {
        severity: 'warning',
        sentence: `Opacus divides by expected_batch_size, q n cut to a whole number: ${own}, but ${other} with one record ${change}. The numbers do not count what that tells`,
        evidence: { quantity: 'expected_batch_size, by one record', bracket: bracket(less, more) },
        wayOut:
          'divide by a public constant, or state zero-out neighbours, or account with --divisor expected-whole --parameters D',
      };
    }
    return undefined;
  },
};

/** What is claimed; where nothing is, what the file says. */
function adjacencyOf({ claim, adjacency }: Case): string {
  return claim.adjacency ?? adjacency;
}
