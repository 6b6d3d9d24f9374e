import { describe, expect, it } from 'vitest';
import { account, gaussian, laplace, type Mechanism, measure, randomizedResponse } from '../../src/index.js';
import { runOf, wasm } from '../helpers/runs.js';

const regretOf = (mechanism: Mechanism) =>
  measure(account(wasm, mechanism, { adjacency: 'add-remove' })).regret;

/**
 * Regret is sup over ε of (δ_μ(ε) − δ(ε))/(1 + e^ε), the distance of parallel lines of support along the
 * diagonal. Goldens: test/golden/make-regret.py.
 */
describe('regret', () => {
  it.each([
    [0.2, 0.014951600581369265626, 0.013346405765062450535],
    [1, 0.057546396050093387249, 0.037016111322171354162],
    [2, 0.056269232004463150399, 0.030162534760689542124],
    [5, 0.0059671168760358972741, 0.0041101887101201994319],
  ])('of randomised response and Laplace noise, epsilon %f, is exact', (epsilon, response, noise) => {
    const found = [
      [regretOf(randomizedResponse({ epsilon })), response],
      [regretOf(laplace({ scale: 1, sensitivity: epsilon })), noise],
    ] as const;
    for (const [{ lower, upper }, exact] of found) {
      expect(lower).toBeLessThanOrEqual(exact * (1 + 1e-12));
      expect(upper).toBeGreaterThanOrEqual(exact * (1 - 1e-12));
      expect(upper - lower).toBeLessThan(1e-6);
    }
  });

  it('of a Gaussian is nothing', () => {
    expect(regretOf(gaussian({ noiseMultiplier: 0.8 }))).toEqual({ lower: 0, upper: 0 });
  });

  it('of the CIFAR-10 run is known to 1e-6, its tests meeting at the diagonal', () => {
    const { lower, upper } = measure(runOf([[9.4, 16384 / 50000, 2000]])).regret;
    expect(lower).toBeGreaterThan(0.001);
    expect(upper - lower).toBeLessThan(1e-6);
  });
});
