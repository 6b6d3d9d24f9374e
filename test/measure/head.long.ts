import { expect, test } from 'vitest';
import { account, laplace, measureHead } from '../../src/index.js';
import { wasm } from '../helpers/runs.js';

const laplaceOf = (epsilon0: number) => laplace({ scale: 1 / epsilon0, sensitivity: 1 });
const addRemove = { adjacency: 'add-remove' } as const;

test('1.5 million breakpoints, each visited', () => {
  const run = account(wasm, laplaceOf(0.2), addRemove);
  const options = { epsilonHead: 0.3, resolution: 1e6 };
  const all = measureHead(wasm, run, { ...options, exhaustive: true });
  expect(all.cells).toBe(1503977);
  expect(all.tests).toBeGreaterThanOrEqual(2 * all.cells);
  expect(all.inversions).toBeLessThan(100);
  expect(all.headMu).toContainValue(0.23910558373651383);
  expect(all.headMu.upper - all.headMu.lower).toBeLessThanOrEqual(1e-6);
  const skipping = measureHead(wasm, run, options);
  expect(skipping.headMu).toEqual(all.headMu);
  expect(skipping.tests).toBeLessThan(all.tests / 20);
});
