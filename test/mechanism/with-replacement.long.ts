import { expect, test } from 'vitest';
import { account, repeat, withReplacement } from '../../src/index.js';
import { wasm } from '../helpers/runs.js';

const epsilonOf = (noiseMultiplier: number, sampleSize: number, steps: number) => {
  const step = withReplacement({ noiseMultiplier, sampleSize, datasetSize: 60_000 });
  return account(wasm, repeat(step, steps), { adjacency: 'replace-one' }).epsilon(1e-5);
};

test('neighbours of 16 of 60,000, 3,750 steps, noise 1: no bracket is wide, and all fall with noise', () => {
  for (const sampleSize of [8, 16, 32]) {
    for (const steps of [1000, 3750]) {
      let before = Infinity;
      for (const noise of [0.8, 1, 1.3, 2]) {
        const { lower, upper } = epsilonOf(noise, sampleSize, steps);
        expect(upper).toBeLessThan(before);
        expect(lower).toBeGreaterThan(0.85 * upper);
        before = upper;
      }
    }
  }
});
