/** Rates within rounding of 1: losses of outputs where both terms of u are small are known well enough. */
import { expect, it } from 'vitest';
import { account, dpSgd } from '../../../src/index.js';
import { wasm } from '../../helpers/runs.js';

// the first by a double trapezoidal sum over outputs, steps 1/32 and 1/64; the others are brackets of the grid
it.each([
  [3, 62.791495571641875, -3.4022604e-7, -3.40226e-7],
  [5, 138.19660112501052, -3.7235882e-7, -3.7200745e-7],
  [5, 160.5572809000084, -3.8940707129e-5, -3.894022578e-5],
  [10, 373.5088935932648, -3.651131703e-5, -3.651050645e-5],
])('log delta of %d steps at %d', (steps, epsilon, low, high) => {
  const mechanism = dpSgd({ noiseMultiplier: 0.1, samplingRate: 1 - 1e-9, steps });
  const { directions } = account(wasm, mechanism, { adjacency: 'add-remove' });
  const { lower, upper } = directions.find(({ direction }) => direction === 'remove')!.logDelta(epsilon);
  expect(lower).toBeLessThanOrEqual(high);
  expect(upper).toBeGreaterThanOrEqual(low);
  expect(upper - lower).toBeLessThan(1e-8);
});
