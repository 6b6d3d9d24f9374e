/** Runs that tell next to nothing: mu keeps its digits where 1/2 - alpha has none. */
import { expect, it } from 'vitest';
import { account, dpSgd, measure } from '../../src/index.js';
import { deltaGdp } from '../../src/numeric/scalar.js';
import { reference, wasm } from '../helpers/runs.js';

it.each([
  [8.0138, 1.8e-9],
  [5, 7e-10],
  [2, 3.3e-8],
  [1.5, 1.7e-11],
])(
  'one step of noise %d and rate %d, on a window next to the fixed point',
  (noiseMultiplier, samplingRate) => {
    // one step: delta(0) = q delta_{1/sigma}(0), and delta_mu(0) = mu / sqrt(2 pi) (1 - mu^2/24 + ...)
    const fixed = samplingRate * deltaGdp(1 / noiseMultiplier, 0) * Math.sqrt(2 * Math.PI);
    for (const engine of [wasm, reference]) {
      const run = account(engine, dpSgd({ noiseMultiplier, samplingRate, steps: 1 }), {
        adjacency: 'add-remove',
      });
      const { lower, upper } = measure(run, { alphaMin: 0.4999999 }).mu;
      // on [1/2 - 1e-7, 1/2] mu grows by less than 1e-9 of it
      expect(lower).toBeLessThanOrEqual(fixed * (1 + 1e-9));
      expect(lower).toBeGreaterThanOrEqual(fixed * (1 - 1e-10));
      expect(upper).toBeGreaterThanOrEqual(fixed * (1 - 1e-10));
    }
  },
);
