import { expect, test } from 'vitest';
import {
  account,
  cappedPoisson,
  compose,
  discreteGaussian,
  discreteLaplace,
  gaussian,
  laplace,
  type Mechanism,
  poissonSubsampled,
  withoutReplacement,
} from '../../src/index.js';
import { report } from '../../src/report/index.js';
import { reference, wasm } from '../helpers/runs.js';

const KINDS = [
  laplace({ scale: 0, sensitivity: 2 }),
  discreteLaplace({ scale: 0, sensitivity: 3 }),
  discreteGaussian({ sigma: 0, sensitivity: 1 }),
  gaussian({ noiseMultiplier: 0 }),
] as const;

test.each(KINDS.map((kind) => [kind.kind, kind] as const))(
  '%s without noise gives the record away',
  (_, kind) => {
    for (const engine of [wasm, reference])
      for (const adjacency of ['add-remove', 'replace-one'] as const) {
        const run = account(engine, kind, { adjacency });
        expect({ ...run.epsilon(1e-5) }).toEqual({ lower: Infinity, upper: Infinity });
        expect(run.delta(100)).toContainValue(1);
      }
    const together = account(wasm, compose([kind, gaussian({ noiseMultiplier: 5 })]));
    expect(together.epsilon(0.5).lower).toBe(Infinity);
    expect(report(account(wasm, kind)).tier).toBeDefined();
  },
);

test.each<[string, Mechanism, 'add-remove' | 'replace-one' | 'zero-out', number]>([
  ['Poisson', poissonSubsampled(KINDS[0], { rate: 0.25 }), 'add-remove', 0.25],
  [
    'without replacement',
    withoutReplacement(KINDS[0], { sampleSize: 1, datasetSize: 4 }),
    'replace-one',
    0.25,
  ],
  // of Bin(3, 1/2) records one is kept: P[the record is it] = (1 − 2⁻³)/3
  [
    'capped',
    cappedPoisson({ noiseMultiplier: 0, rate: 0.5, datasetSize: 3, batchCap: 1 }),
    'zero-out',
    7 / 24,
  ],
])('on a %s sample it is given away as often as it is drawn', (_, mechanism, adjacency, chance) => {
  const { lower, upper } = account(wasm, mechanism, { adjacency }).delta(40);
  expect(lower).toBeLessThanOrEqual(chance);
  expect(lower).toBeCloseTo(chance, 11);
  expect(upper).toBe(1);
  expect(account(wasm, mechanism, { adjacency }).epsilon(0.01).upper).toBe(Infinity);
});
