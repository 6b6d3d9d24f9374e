import { expect, test } from 'vitest';
import { account, repeat, withReplacement } from '../../src/index.js';
import { wasm } from '../helpers/runs.js';

const epsilonOf = (noiseMultiplier: number, sampleSize: number, steps: number) => {
  const step = withReplacement({ noiseMultiplier, sampleSize, datasetSize: 60_000 });
  return account(wasm, repeat(step, steps), { adjacency: 'replace-one' }).epsilon(1e-5);
};

/** How far the two theorems are apart at most: losses of worlds to either side of the others are twice as large, where noise is large. */
const APART = 2.5;
const NOISES = [0.8, 1, 1.3, 2, 4, 8, 16];

test.each([2, 8, 16, 32])(
  '%i of 60,000: no bracket is wide, and all fall with noise and rise with steps',
  (sampleSize) => {
    let fewer = NOISES.map(() => 0);
    for (const steps of [1000, 3750]) {
      let before = Infinity;
      fewer = NOISES.map((noise, i) => {
        const { lower, upper } = epsilonOf(noise, sampleSize, steps);
        expect(upper).toBeLessThan(before);
        expect(upper).toBeGreaterThan(fewer[i]!);
        // near 0 epsilon falls faster than its noise rises
        if (upper > 1e-3) expect(lower).toBeGreaterThan(upper / APART);
        // with little noise what is rare decides, which is the same in both
        if (noise <= 1.3 && sampleSize >= 8) expect(lower).toBeGreaterThan(0.85 * upper);
        before = upper;
        return upper;
      });
    }
  },
);
