import { describe, expect, test } from 'vitest';
import {
  account,
  calibrate,
  dpSgd,
  gaussian,
  laplace,
  measure,
  randomizedResponse,
} from '../../src/index.js';
import { normalQuantile } from '../../src/numeric/scalar.js';
import { wasm } from '../helpers/runs.js';
import { noiseUnknown } from '../helpers/unknowns.js';

// Configurations and expected values of the public unit tests of gdpnum (test_converter, test_dpsgd) and riskcal (test_blackbox,
// test_conversions), with the tolerance of each. Tests of theirs that state no number (deprecations, names) have nothing to compare.
const measured = (mechanism: Parameters<typeof account>[1]) =>
  measure(account(wasm, mechanism, { adjacency: 'add-remove' }));

describe('gdpnum', () => {
  test.each([0.5, 1, 2, 2.5])('a Gaussian of mu %f has it, within 1e-4, and no regret above 1e-4', (mu) => {
    const found = measured(gaussian({ noiseMultiplier: 1 / mu }));
    expect(Math.abs(found.mu.upper - mu)).toBeLessThan(1e-4);
    expect(found.regret.upper).toBeLessThan(1e-4);
  });

  test.each([1, 1.25, 1.5, 2])('Laplace noise of scale %f has a regret above 0.01', (scale) => {
    expect(measured(laplace({ scale, sensitivity: 1 })).regret.lower).toBeGreaterThan(0.01);
  });

  test.each([0.75, 1, 1.5, 2])(
    'randomised response of epsilon %f: mu is -2 Phi^-1(1/(e^eps + 1)), within 1e-6 of it',
    (epsilon) => {
      const { mu, regret } = measured(randomizedResponse({ epsilon }));
      const stated = -2 * normalQuantile(1 / (Math.exp(epsilon) + 1));
      expect(Math.abs(mu.upper / stated - 1)).toBeLessThan(1e-6);
      expect(regret.lower).toBeGreaterThan(0.01);
    },
  );

  test('DP-SGD of noise 9.4, rate 2^14/50000, 2000 steps: mu 1.567013, regret at most 0.01, both within 0.01', () => {
    const { mu, regret } = measured(
      dpSgd({ noiseMultiplier: 9.4, samplingRate: 2 ** 14 / 50_000, steps: 2000 }),
    );
    // theirs is on a grid of 1e-4, an upper end: nearer than their own tolerance by far, and not below ours
    expect(Math.abs(mu.upper - 1.567013)).toBeLessThan(1e-4);
    expect(mu.upper).toBeLessThan(1.567013);
    expect(regret.upper).toBeLessThan(0.01);
  });
});

describe('riskcal', () => {
  test.each([0.25, 0.5, 0.75])(
    'noise for alpha 0.1 and beta %f: 1/(q(1 - alpha) - q(beta)), within 0.01',
    (beta) => {
      const found = calibrate(
        wasm,
        noiseUnknown(),
        { truePositiveRate: 1 - beta, falsePositiveRate: 0.1 },
        { adjacency: 'add-remove' },
      );
      const exact = 1 / (normalQuantile(0.9) - normalQuantile(beta));
      expect(Math.abs(found.value - exact)).toBeLessThan(1e-5 * exact);
    },
  );

  test.each([
    [0.01, 1, 1],
    [0.1, 1, 1],
    [0.25, 1, 1],
    [0.01, 0.01, 100],
    [0.1, 0.01, 100],
    [0.25, 0.01, 100],
  ])(
    'noise for an advantage of %f, rate %f, %i steps: (1e-4, advantage)-DP is met',
    (advantage, samplingRate, steps) => {
      const unknown = noiseUnknown({ samplingRate, steps });
      const found = calibrate(wasm, unknown, { advantage }, { adjacency: 'add-remove' });
      if (!found.reached) throw new Error(found.reason);
      const run = account(wasm, found.mechanism, { adjacency: 'add-remove' });
      expect(run.delta(0).upper).toBeLessThanOrEqual(advantage * (1 + 1e-9));
      expect(run.epsilon(advantage).upper).toBeLessThan(1e-4);
    },
  );

  test.each([0.1, 0.2, 0.3])(
    'mu 2 at alpha %f: beta and advantage are those of the formulas, within 1e-4',
    (alpha) => {
      const mu = 2;
      const run = account(wasm, gaussian({ noiseMultiplier: 1 / mu }), { adjacency: 'add-remove' });
      const cdf = (x: number) => 1 - tail(x);
      const beta = cdf(normalQuantile(1 - alpha) - mu);
      expect(Math.abs((1 - run.truePositiveRate(alpha).upper) / beta - 1)).toBeLessThan(1e-4);
      expect(Math.abs(run.advantage().upper / (2 * cdf(mu / 2) - 1) - 1)).toBeLessThan(1e-4);
    },
  );
});

/** P[Z > x] by a sum: no function of the library. */
function tail(x: number): number {
  const h = 1e-4;
  let sum = 0;
  for (let z = x + h / 2; z < 12; z += h) sum += h * Math.exp(-0.5 * z * z);
  return sum / Math.sqrt(2 * Math.PI);
}
