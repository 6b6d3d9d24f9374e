import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { renyiDivergence } from '../../src/accountants/index.js';
import {
  account,
  discreteLaplace,
  gaussian,
  gaussianMixture,
  laplace,
  type Mechanism,
  poissonSubsampled,
  repeat,
} from '../../src/index.js';
import { reference, wasm } from '../helpers/runs.js';

type Row = readonly [
  law: 'laplace' | 'gaussian' | 'discrete-laplace' | 'mixture',
  noise: number,
  sensitivity: number | readonly number[],
  rate: number | readonly number[],
  adjacency: 'add' | 'remove' | 'replace-one',
  epsilon: number,
  delta: number,
];

const { rows, tolerance } = JSON.parse(readFileSync('test/golden/peers-dp-accounting.json', 'utf8')) as {
  rows: readonly Row[];
  tolerance: number;
};

/** What a row of their tests is about. They state discrete Laplace noise by the reciprocal of its scale. */
function mechanismOf([law, noise, sensitivity, rate]: Row): Mechanism {
  if (law === 'mixture')
    return gaussianMixture({
      noiseMultiplier: noise,
      sensitivities: sensitivity as readonly number[],
      probabilities: rate as readonly number[],
    });
  const size = sensitivity as number;
  const release =
    law === 'laplace'
      ? laplace({ scale: noise, sensitivity: size })
      : law === 'gaussian'
        ? gaussian({ noiseMultiplier: noise / size })
        : discreteLaplace({ scale: 1 / noise, sensitivity: size });
  return rate === 1 ? release : poissonSubsampled(release, { rate: rate as number });
}

test('delta of single releases, as the unit tests of dp_accounting have it', () => {
  expect(rows.length).toBe(193);
  for (const engine of [wasm, reference]) {
    for (const row of rows) {
      const [, , , , side, epsilon, delta] = row;
      const adjacency = side === 'replace-one' ? side : 'add-remove';
      const { directions } = account(engine, mechanismOf(row), { adjacency });
      const run = directions.find(({ direction }) => direction === side) ?? directions[0]!;
      const { lower, upper } = run.logDelta(epsilon);
      const place = JSON.stringify(row);
      expect(Math.exp(lower), place).toBeLessThan(delta + tolerance);
      expect(Math.exp(upper), place).toBeGreaterThan(delta - tolerance);
      expect(Math.exp(upper) - Math.exp(lower), place).toBeLessThan(tolerance);
    }
  }
});

// their test of tempered Gaussian steps states 7 digits and is a safe bound; mpmath's quad of E[(1 - q + q e^L)^1.5] is below it by 3.1 %
test('Renyi divergence of order 1.5: ours is the exact value, and theirs is above it', () => {
  const [theirs, exact] = [6.70579741e-4, 6.5007089718803970577e-4];
  const run = repeat(poissonSubsampled(gaussian({ noiseMultiplier: 2.5 }), { rate: 0.01 }), 50);
  const ours = renyiDivergence(run, 1.5, 'add-remove');
  expect(ours).toBeGreaterThanOrEqual(exact);
  expect(ours / exact - 1).toBeLessThan(1e-9);
  expect(ours).toBeLessThan(theirs);
});
