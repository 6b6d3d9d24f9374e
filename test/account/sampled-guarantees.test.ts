import { expect, test } from 'vitest';
import { logMomentFromSample, renyiDivergence } from '../../src/bounds/renyi.js';
import { account, poissonSubsampled, rdp, repeat, tcdp, zcdp } from '../../src/index.js';
import { seeded } from '../helpers/random.js';
import { wasm } from '../helpers/runs.js';

/** log E_P[(Q/P)^α]/(α − 1) of finite laws. */
function divergence(q: readonly number[], p: readonly number[], order: number): number {
  return Math.log(q.reduce((sum, mass, i) => sum + mass ** order * p[i] ** (1 - order), 0)) / (order - 1);
}

const ORDERS = [1.25, 2, 2.5, 3, 4, 7, 16];

/** Random pairs of laws of three outputs, a rate, and the law of the sample. */
function pairs(count: number): { p: number[]; q: number[]; rate: number; sampled: number[] }[] {
  const random = seeded(41);
  const law = (): number[] => {
    const masses = [0, 1, 2].map(() => random() ** 3 + 1e-3);
    const sum = masses.reduce((a, b) => a + b);
    return masses.map((mass) => mass / sum);
  };
  return Array.from({ length: count }, () => {
    const [p, q, rate] = [law(), law(), random() ** 2];
    return { p, q, rate, sampled: p.map((mass, k) => (1 - rate) * mass + rate * q[k]) };
  });
}

test('divergences of random pairs on a Poisson sample, in both directions', () => {
  let tightest = 0;
  for (const { p, q, rate, sampled } of pairs(200)) {
    const points = [...ORDERS, 5, 6, 8, 9, 10, 11, 12, 13, 14, 15].sort((a, b) => a - b);
    const both = (order: number): number => Math.max(divergence(q, p, order), divergence(p, q, order));
    const stated = rdp({ points: points.map((order) => ({ order, epsilon: both(order) * (1 + 1e-12) })) });
    for (const order of ORDERS) {
      const bound = renyiDivergence(poissonSubsampled(stated, { rate }), order, 'add-remove');
      const found = [divergence(sampled, p, order), divergence(p, sampled, order)];
      for (const one of found) expect(one, `order ${order}`).toBeLessThanOrEqual(bound * (1 + 1e-9) + 1e-15);
      tightest = Math.max(tightest, ...found.map((one) => one / bound));
    }
  }
  expect(tightest).toBeGreaterThan(0.99);
});

test('the divergence from the sample, by the second order of the whole release alone', () => {
  let tightest = 0;
  for (const { p, q, rate, sampled } of pairs(400))
    for (const order of ORDERS) {
      const bound = logMomentFromSample(rate, order - 1, divergence(q, p, 2));
      const found = divergence(p, sampled, order) * (order - 1);
      expect(found, `order ${order}`).toBeLessThanOrEqual(bound * (1 + 1e-9) + 1e-15);
      tightest = Math.max(tightest, found / bound);
    }
  expect(tightest).toBeGreaterThan(0.9);
});

test.each([
  [zcdp({ rho: 0.1 }), 0.01, 1000],
  [tcdp({ rho: 0.05, omega: 50 }), 0.02, 500],
])('zCDP on a Poisson sample: the upper end is near the sampled Gaussian', (inner, rate, steps) => {
  const run = account(wasm, repeat(poissonSubsampled(inner, { rate }), steps), { adjacency: 'add-remove' });
  const { lower, upper } = run.epsilon(1e-5);
  expect(lower).toBeGreaterThan(0.5);
  expect(upper).toBeLessThan(1.19 * lower);
});
