/** Many unlike steps of lattice noise, of which no sum is on a lattice: by contours through all of them, or between groups. */
import { describe, expect, test } from 'vitest';
import { Composition } from '../../src/account/composition.js';
import {
  account,
  binomial,
  compose,
  discreteGaussian,
  gaussianMixture,
  gdp,
  laplace,
  type Mechanism,
  measure,
  poissonSubsampled,
  randomizedResponse,
} from '../../src/index.js';
import { reduceSteps } from '../../src/mechanism/reduce.js';
import { stepsOf } from '../../src/mechanism/steps.js';
import { type Bracket, relativeWidth } from '../../src/numeric/bracket.js';
import { wasm } from '../helpers/runs.js';

const unlike = (count: number, of: (i: number) => Mechanism): Mechanism =>
  compose(Array.from({ length: count }, (_, i) => of(i)));

/** Whether a bracket is narrow, and overlaps one that was found elsewhere. */
function isNear({ lower, upper }: Bracket, [least, most]: readonly [number, number], width: number): void {
  expect(lower).toBeLessThanOrEqual(most);
  expect(upper).toBeGreaterThanOrEqual(least);
  expect(relativeWidth({ lower, upper })).toBeLessThan(width);
}

test('30 samples of discrete Gaussians of other noise, sensitivity and rate', () => {
  const steps = unlike(30, (i) =>
    poissonSubsampled(discreteGaussian({ sigma: 1 + 0.05 * i, sensitivity: 1 + (i % 4) }), {
      rate: 0.01 + 0.001 * i,
    }),
  );
  const run = account(wasm, steps, { adjacency: 'add-remove', tolerance: 0.01 });
  // numpy: FFT of the losses, rounded down and up to multiples of 2e-5
  isNear(run.epsilon(1e-5), [12.871866, 12.872423], 1e-4);
  isNear(run.delta(1), [0.035068353, 0.035084886], 2e-3);
});

describe('mu is as near as the deltas that it is made of', () => {
  // numpy: the largest z of FPR less z of power of 70 sums, losses rounded down and up to multiples of 2e-6
  test('70 unlike randomised responses', () => {
    const steps = unlike(70, (i) =>
      randomizedResponse({ epsilon: 0.05 * (1 + 0.5 * Math.sin(i)), categories: 2 + (i % 9) }),
    );
    const run = account(wasm, steps, { adjacency: 'add-remove', tolerance: 1e-3 });
    isNear(measure(run).mu, [0.2969578, 0.2970266], 1e-3);
  });

  test('a coarse answer costs a fraction of a fine one', () => {
    const steps = unlike(40, (i) => laplace({ scale: 10 * (1 + 0.02 * i), sensitivity: 1 }));
    const run = account(wasm, steps, { adjacency: 'add-remove', tolerance: 0.1 });
    expect(relativeWidth(measure(run).mu)).toBeLessThan(0.1);
    expect(run.limitedBy).toBe('tolerance');
    expect(run.cost).toBeLessThan(5e8);
  });
});

test('1,000 unlike discrete Gaussians lie between Gaussians, whose losses have no end', () => {
  const sigma = (i: number): number => 30 * (1 + i / 1000);
  const run = account(
    wasm,
    unlike(1000, (i) => discreteGaussian({ sigma: sigma(i), sensitivity: 1 + (i % 3) })),
    { adjacency: 'add-remove', tolerance: 0.01 },
  );
  const square = Array.from({ length: 1000 }, (_, i) => ((1 + (i % 3)) / sigma(i)) ** 2);
  const mu = Math.sqrt(square.reduce((sum, each) => sum + each, 0));
  // a Gaussian of that μ is within 1/σ² of it
  isNear(measure(run).mu, [mu * (1 - 1e-3), mu * (1 + 1e-3)], 1e-2);
  expect(relativeWidth(run.delta(1))).toBeLessThan(1e-2);
});

test('200 unlike sums of thousands of coins: more than three groups', () => {
  const trials = (i: number): number => 40_000 + 400 * i;
  const run = account(
    wasm,
    unlike(200, (i) => binomial({ trials: trials(i), sensitivity: 1 })),
    { adjacency: 'add-remove', tolerance: 0.1 },
  );
  const mu = Math.sqrt(Array.from({ length: 200 }, (_, i) => 4 / trials(i)).reduce((a, b) => a + b, 0));
  // near a Gaussian of the same variance
  const near = account(wasm, gdp({ mu }), { adjacency: 'add-remove' }).epsilon(1e-5).upper;
  isNear(run.epsilon(1e-5), [near * 0.99, near * 1.01], 0.1);
});

test('200 unlike mixtures of Gaussians of small losses: 64 groups', () => {
  const run = account(
    wasm,
    unlike(200, (i) =>
      gaussianMixture({
        noiseMultiplier: 30 * (1 + i / 200),
        sensitivities: [0, 1, 2],
        probabilities: [0.5, 0.3, 0.2],
      }),
    ),
    { adjacency: 'add-remove', tolerance: 0.1 },
  );
  expect(relativeWidth(run.epsilon(1e-5))).toBeLessThan(0.04);
});

test('whether steps have a lattice in common is what their laws say', () => {
  const noise = (sigma: number) => discreteGaussian({ sigma, sensitivity: 1 });
  const lattice = (mechanism: Mechanism): boolean => {
    const options = { tolerance: 1e-6, maxGridLength: 2 ** 20 };
    return new Composition(wasm, reduceSteps(stepsOf(mechanism), 'add-remove'), options).onLattice;
  };
  expect(lattice(compose([noise(2), noise(4)]))).toBe(true);
  expect(lattice(compose([noise(2), noise(Math.sqrt(7) + 0.01)]))).toBe(false);
  expect(lattice(compose([noise(2), poissonSubsampled(noise(4), { rate: 0.5 })]))).toBe(false);
  expect(lattice(compose([noise(2), laplace({ scale: 2, sensitivity: 1 })]))).toBe(false);
});
