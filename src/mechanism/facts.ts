import { requireOneOf } from '../errors.js';
import { type MechanismFacts, PLACES } from './kind.js';
import { ALL_KINDS, MECHANISM_KINDS } from './parse.js';

export type { MechanismFacts } from './kind.js';

const COMBINED: Readonly<Record<string, MechanismFacts>> = {
  'dp-sgd': {
    title: 'DP-SGD',
    standing: 'exact',
    adjacency: 'add-remove and zero-out; replace-one by a pair of its own, for one record a person',
    tail: 'Gaussian, mu_t = sqrt(steps)/noiseMultiplier',
    source: 'Abadi et al. 2016',
  },
  'fixed-batches': {
    title: 'Epoch in a fixed order',
    standing: 'exact',
    adjacency: PLACES,
    tail: 'Gaussian, mu_t = 1/noiseMultiplier',
    source: 'docs/proofs/sampling.md, 10',
  },
  'band-mf': {
    title: 'Banded matrix factorisation, cyclic Poisson samples',
    standing: 'exact',
    adjacency: `zero-out; add-remove where "places" are "kept"; replace-one by a pair of its own`,
    tail: 'Gaussian, mu_t = sqrt(steps/bands)/noiseMultiplier, rounded up',
    source: 'Choquette-Choo et al. 2023; docs/proofs/sampling.md',
  },
  'tree-aggregation': {
    title: 'Tree aggregation',
    standing: 'exact',
    adjacency: PLACES,
    tail: 'Gaussian, mu_t = sqrt(depth)/noiseMultiplier',
    source: 'Kairouz et al. 2021, app. D',
  },
  'poisson-subsampled': {
    title: 'Poisson sample',
    standing: 'inner',
    adjacency: 'add-remove and zero-out; replace-one for Gaussian noise',
    tail: 'that of the inner mechanism, in the direction of removal',
    source: 'Balle, Barthe, Gaboardi 2018, thm 8',
  },
  'without-replacement': {
    title: 'Sample without replacement',
    standing: 'inner',
    adjacency: 'replace-one',
    tail: 'that of the inner mechanism',
    source: 'Balle, Barthe, Gaboardi 2018',
  },
  repeat: {
    title: 'Repetition',
    standing: 'inner',
    adjacency: 'that of the inner mechanism',
    tail: 'mu_t = sqrt(count) times that of the inner mechanism',
    source: 'Dong, Roth, Su 2022, cor. 3.3',
  },
  compose: {
    title: 'Composition',
    standing: 'inner',
    adjacency: 'one that all parts share',
    tail: 'mu_t^2 is the sum of those of the parts',
    source: 'Dong, Roth, Su 2022, cor. 3.3',
  },
};

/**
 * The adjacency, the tail, the standing and the source of a kind of mechanism.
 *
 * @throws TypeError | RangeError if `kind` is not one of `MECHANISM_KINDS`.
 * @example
 * factsOf('laplace').title; // 'Laplace noise'
 */
export function factsOf(kind: string): MechanismFacts {
  const known = requireOneOf('kind', kind, MECHANISM_KINDS);
  return COMBINED[known] ?? ALL_KINDS.find(({ name }) => name === known)!.facts;
}
