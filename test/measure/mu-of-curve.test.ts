import { describe, expect, test } from 'vitest';
import {
  account,
  discreteGaussian,
  dpSgd,
  laplace,
  type Mechanism,
  measure,
  poissonSubsampled,
  pureDp,
  repeat,
  select,
} from '../../src/index.js';
import { muOfCurve } from '../../src/measure/mu-of-curve.js';
import { logDeltaGdp } from '../../src/numeric/scalar.js';
import { wasm } from '../helpers/runs.js';

describe.each([1e-4, 1e-10])('window from %f', (alphaMin) => {
  test.each([0.02, 1, 7])('the curve of a Gaussian of μ = %f gives little more', (mu) => {
    const found = muOfCurve((epsilon) => logDeltaGdp(mu, epsilon), Math.log(alphaMin));
    expect(found).toBeGreaterThanOrEqual(mu);
    expect(found).toBeLessThan(1.1 * mu);
  });

  test.each<[string, Mechanism]>([
    ['Laplace noise', laplace({ scale: 0.7, sensitivity: 1 })],
    ['pure DP', pureDp({ epsilon: 1.3 })],
    ['rare losses', dpSgd({ noiseMultiplier: 0.6, samplingRate: 1e-3, steps: 10 })],
    ['a long run', dpSgd({ noiseMultiplier: 1, samplingRate: 0.01, steps: 1000 })],
  ])('%s: never below its μ, and near it', (_, mechanism) => {
    const run = account(wasm, mechanism);
    const { mu } = measure(run, { alphaMin });
    const found = muOfCurve((epsilon) => run.logDelta(epsilon, 1e-3).upper, Math.log(alphaMin));
    expect(found).toBeGreaterThanOrEqual(mu.lower);
    expect(found).toBeLessThan(1.3 * mu.upper);
  });
});

test('a search over samples of discrete Gaussian noise has a μ', () => {
  const inner = repeat(
    poissonSubsampled(discreteGaussian({ sigma: 3, sensitivity: 1 }), { rate: 0.01 }),
    1000,
  );
  const search = select({ runs: { kind: 'poisson', mean: 10 }, inner });
  const { mu } = measure(account(wasm, search, { tolerance: 0.1, effort: 0.3 }));
  expect(mu.upper).toBeLessThan(1);
});
