/** Pairs whose losses are listed on first use: what is known before is what the list says. */
import { describe, expect, test } from 'vitest';
import { binomial, discreteGaussian, skellam } from '../../src/index.js';
import { atomicPair, discreteGaussianAtoms } from '../../src/law/atomic-pair.js';
import { binomialAtoms, skellamAtoms } from '../../src/law/integer-noise.js';
import { type Atoms, lossesOf } from '../../src/law/pair.js';
import { type Basic, pairOf } from '../../src/mechanism/pairs.js';

const CASES: readonly [string, object, Atoms][] = [
  ['discrete Gaussian', discreteGaussian({ sigma: 3, sensitivity: 2 }), discreteGaussianAtoms(3, 2)],
  ['discrete Gaussian, odd', discreteGaussian({ sigma: 0.4, sensitivity: 1 }), discreteGaussianAtoms(0.4, 1)],
  ['Skellam', skellam({ variance: 40, sensitivity: 3 }), skellamAtoms(40, 3)],
  ['many coins', binomial({ trials: 100_000, sensitivity: 2 }), binomialAtoms(100_000, 2)],
  ['some coins', binomial({ trials: 1200, sensitivity: 2 }), binomialAtoms(1200, 2)],
  ['few coins', binomial({ trials: 20, sensitivity: 2 }), binomialAtoms(20, 2)],
];

describe('before its losses are listed a pair has the limits of the list', () => {
  test.each(CASES)('%s', (_, mechanism, atoms) => {
    const pair = pairOf(mechanism as Basic);
    const listed = atomicPair(atoms);
    for (const limit of ['gdpMu', 'tailMu', 'smallest', 'largest', 'infinity', 'lattice'] as const)
      expect([limit, pair[limit]]).toEqual([limit, listed[limit]]);
    expect(lossesOf(pair) / atoms.loss.length).toBeGreaterThan(0.5);
    expect(lossesOf(pair) / atoms.loss.length).toBeLessThan(2);
    expect(pair.forward.logDelta(0.3)).toEqual(listed.forward.logDelta(0.3));
    expect(pair.backward.test(0.3)).toEqual(listed.backward.test(0.3));
  });
});
