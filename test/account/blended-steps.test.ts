/** Discrete Gaussians of near-equal noise between two curves, against their own sums. */
import { describe, expect, test } from 'vitest';
import { blended } from '../../src/account/blended-steps.js';
import { account, compose, discreteGaussian, laplace, noisyMax, repeat } from '../../src/index.js';
import { pairOf } from '../../src/mechanism/pairs.js';
import { LONG_TESTS } from '../helpers/long.js';
import { seeded } from '../helpers/random.js';
import { wasm } from '../helpers/runs.js';

/** δ(ε) of noise k ∝ e^{−k²/2σ²} moved by Δ, summed outcome by outcome. */
function deltaOf(sigma: number, sensitivity: number, epsilon: number): number {
  const weight = (k: number): number => Math.exp((-k * k) / (2 * sigma * sigma));
  let [total, sum] = [0, 0];
  for (let k = -400; k <= 400; k++) {
    total += weight(k);
    const loss = (sensitivity * (2 * k - sensitivity)) / (2 * sigma * sigma);
    if (loss > epsilon) sum += weight(k - sensitivity) * -Math.expm1(epsilon - loss);
  }
  return sum / total;
}

describe('groups of discrete Gaussians', () => {
  const random = seeded(17);
  test.each([1, 2, 3])('all of them lie between the two curves, sensitivity %d', (sensitivity) => {
    for (const spread of [0.003, 0.2]) {
      const least = 0.8 + 6 * random();
      const sigmas = Array.from({ length: 9 }, () => least * (1 + spread * random()));
      const { worse, better } = blended(sigmas.map((sigma) => discreteGaussian({ sigma, sensitivity })));
      const [above, below] = [worse, better].map((each) => pairOf(each).forward);
      for (let i = 0; i < 60; i++) {
        const epsilon = (i / 60) ** 2 * ((12 * sensitivity) / least);
        for (const sigma of sigmas) {
          const exact = deltaOf(sigma, sensitivity, epsilon);
          expect(Math.exp(above.logDelta(epsilon).upper)).toBeGreaterThanOrEqual(exact * (1 - 1e-12));
          expect(Math.exp(below.logDelta(epsilon).lower)).toBeLessThanOrEqual(exact * (1 + 1e-12));
        }
        const deltas = sigmas.map((sigma) => deltaOf(sigma, sensitivity, epsilon));
        // at a place between two the chord is above
        if (spread < 0.01 && epsilon < (4 * sensitivity) / least) {
          expect(Math.exp(above.logDelta(epsilon).upper)).toBeLessThan(1.1 * Math.max(...deltas));
          expect(Math.exp(below.logDelta(epsilon).lower)).toBeGreaterThan(0.8 * Math.min(...deltas));
        }
      }
    }
  });

  test('less noise is not more privacy loss at every ε: no number orders them', () => {
    expect(deltaOf(1.05, 2, 18)).toBeGreaterThan(2 * deltaOf(1, 2, 18));
    expect(deltaOf(1.05, 2, 1)).toBeLessThan(deltaOf(1, 2, 1));
  });
});

test.each(LONG_TESTS ? [3, 8] : [3])(
  '100 unlike ones of noise about %d are as sharp as equal ones',
  (least) => {
    const noise = (sigma: number) => discreteGaussian({ sigma, sensitivity: 1 });
    const sigmas = Array.from({ length: 100 }, (_, i) => least * (1 + 3e-5 * i));
    const { lower, upper } = account(wasm, compose(sigmas.map(noise)), { adjacency: 'add-remove' }).epsilon(
      1e-5,
    );
    const [loud, quiet] = [sigmas[0], sigmas[99]].map((sigma) =>
      account(wasm, repeat(noise(sigma), 100), { adjacency: 'add-remove' }).epsilon(1e-5),
    );
    expect(lower).toBeLessThanOrEqual(loud.upper);
    expect(upper).toBeGreaterThanOrEqual(quiet.lower);
    expect(upper / lower - 1).toBeLessThan(0.01);
  },
);

test('40 unlike noisy maxima have both ends', () => {
  const parts = Array.from({ length: 40 }, (_, i) => noisyMax({ epsilon: 0.1 + 1e-5 * i }));
  const { lower, upper } = account(wasm, compose(parts), { adjacency: 'add-remove' }).epsilon(1e-5);
  // above, their pair is that of Laplace noise
  const alike = compose(parts.map(({ epsilon }) => laplace({ scale: 1 / epsilon, sensitivity: 1 })));
  const exact = account(wasm, alike, { adjacency: 'add-remove' }).epsilon(1e-5);
  expect(upper).toBeGreaterThanOrEqual(exact.lower);
  expect(lower).toBeGreaterThan(1);
  expect(upper / lower - 1).toBeLessThan(0.05);
});
