/** Capped Poisson batches of many steps: docs/proofs/capped-poisson.md. */
import { describe, expect, test } from 'vitest';
import { compareAccountants } from '../../src/accountants/compare.js';
import { account, cappedPoisson, repeat } from '../../src/index.js';
import { LONG_TESTS } from '../helpers/long.js';
import { wasm } from '../helpers/runs.js';

const ZEROED = { adjacency: 'zero-out' } as const;
const capped = (batchCap: number, steps = 1000) =>
  repeat(cappedPoisson({ noiseMultiplier: 1, rate: 600 / 60_000, datasetSize: 60_000, batchCap }), steps);

describe('caps that some batches meet', () => {
  test('a cap is never answered by far more than a published theorem, and smaller caps cost more', () => {
    let before = { lower: Infinity, upper: Infinity };
    const caps = [
      [640, 4.7],
      [650, 4.2],
      [680, 2.5],
      [700, 1.9],
    ] as const;
    for (const [cap, most] of LONG_TESTS ? caps : [caps[1], caps[3]]) {
      const found = account(wasm, capped(cap), ZEROED).epsilon(1e-5);
      expect(found.lower).toBeGreaterThan(1.8);
      expect(found.upper).toBeLessThan(Math.min(most, before.upper));
      before = found;
    }
  });

  test.runIf(LONG_TESTS)('epsilon and the comparison agree, and the published pair is above', () => {
    const { upper } = account(wasm, capped(650), ZEROED).epsilon(1e-5);
    const { exact, baselines } = compareAccountants(wasm, capped(650), { ...ZEROED, delta: 1e-5 });
    expect(Math.abs(exact.upper / upper - 1)).toBeLessThan(1e-3);
    const published = baselines.find(({ name }) => name === 'truncated Poisson, published pair')!;
    expect(published.value).toBeGreaterThan(upper);
  });

  // what another program's loss distributions of a published pair say of them
  test.each(
    [
      [30, 2.9],
      [100, 3.48],
      [300, 4.02],
      [1000, 4.77],
    ].filter(([steps]) => LONG_TESTS || steps === 100),
  )('%d steps of noise 1.1, at most 550 of 50,000: below the published pair, %f', (steps, published) => {
    const step = cappedPoisson({ noiseMultiplier: 1.1, rate: 0.01, datasetSize: 50_000, batchCap: 550 });
    const { lower, upper } = account(wasm, repeat(step, steps), ZEROED).epsilon(1e-6);
    expect(upper).toBeLessThan(published);
    expect(lower).toBeGreaterThan(0.2 * upper);
  });
});
