import { expect, test } from 'vitest';
import {
  account,
  cappedPoisson,
  compose,
  gaussian,
  type Mechanism,
  repeat,
  shuffled,
  shuffleModel,
  withoutReplacement,
  withReplacement,
  zcdp,
} from '../../src/index.js';
import { wasm } from '../helpers/runs.js';

const REPLACED = 'replace-one';
const GIVEN: readonly (readonly [string, Mechanism, 'replace-one' | 'zero-out'])[] = [
  ['with replacement', withReplacement({ noiseMultiplier: 1, datasetSize: 3, sampleSize: 3 }), REPLACED],
  [
    'fixed size',
    repeat(withoutReplacement(gaussian({ noiseMultiplier: 1 }), { sampleSize: 5, datasetSize: 10 }), 3),
    REPLACED,
  ],
  ['shuffle model', shuffleModel({ epsilon: 1, users: 1000 }), REPLACED],
  ['shuffled', repeat(shuffled({ noiseMultiplier: 2, bins: 10 }), 2), 'zero-out'],
  [
    'capped',
    repeat(cappedPoisson({ noiseMultiplier: 1, rate: 0.1, datasetSize: 100, batchCap: 12 }), 3),
    'zero-out',
  ],
];

test.each(GIVEN)(
  '%s beside a guarantee that is nearly nothing: no lower end above what it has alone',
  (_, own, adjacency) => {
    // its advantage is at most √(ρ/2) < 1e-6
    const beside = account(wasm, compose([own, zcdp({ rho: 1e-12 })]), { adjacency });
    const alone = account(wasm, own, { adjacency });
    for (const epsilon of [0, 1])
      expect(beside.delta(epsilon).lower).toBeLessThanOrEqual(alone.delta(epsilon).upper + 1e-5);
    // δ is above that of the release alone
    expect(beside.delta(1).upper).toBeGreaterThanOrEqual(alone.delta(1).lower * (1 - 1e-9));
  },
);
