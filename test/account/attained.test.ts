import { expect, test } from 'vitest';
import {
  account,
  boundedRange,
  compose,
  gaussian,
  type Mechanism,
  poissonSubsampled,
  randomizedResponse,
  rdp,
  repeat,
  zcdp,
} from '../../src/index.js';
import { LONG_TESTS } from '../helpers/long.js';
import { wasm } from '../helpers/runs.js';

const addRemove = { adjacency: 'add-remove' } as const;
const run = (mechanism: Mechanism) => account(wasm, mechanism, addRemove);

/** δ(ε) of the worst adaptive sequence of bounded-range mechanisms, by its own recursion over the losses t and t − ε₀ (Dong, Durfee, Rogers 2020). */
function adaptive(epsilon0: number, count: number, epsilon: number): number {
  if (count === 0) return Math.max(0, -Math.expm1(epsilon));
  let best = 0;
  const at = (t: number): number => {
    const power = (Math.exp(t) * -Math.expm1(t - epsilon0)) / (Math.exp(t) - Math.exp(t - epsilon0));
    return (
      power * adaptive(epsilon0, count - 1, epsilon - t) +
      (1 - power) * adaptive(epsilon0, count - 1, epsilon - t + epsilon0)
    );
  };
  const cells = 400;
  for (let i = 0; i <= cells; i++) best = Math.max(best, at((epsilon0 * i) / cells));
  return best;
}

test('bounded range: the adaptive worst case of two releases lies in the bracket', () => {
  const known = adaptive(1, 2, 0);
  expect(known).toBeCloseTo(0.303365, 5);
  for (const epsilon0 of [0.3, 1, 2]) {
    const two = run(repeat(boundedRange({ epsilon: epsilon0 }), 2));
    const one = run(boundedRange({ epsilon: epsilon0 }));
    for (const share of [0, 0.2, 0.6, 1, 1.4]) {
      const epsilon = share * epsilon0;
      const worst = adaptive(epsilon0, 2, epsilon);
      const { lower, upper } = two.delta(epsilon);
      expect(lower).toBeLessThanOrEqual(worst * (1 + 1e-12) + 1e-15);
      expect(upper).toBeGreaterThanOrEqual(worst * (1 - 1e-12));
      // one release is exact
      const alone = one.delta(epsilon);
      expect(alone.upper).toBeGreaterThanOrEqual(adaptive(epsilon0, 1, epsilon) * (1 - 1e-12));
      expect(alone.upper).toBeLessThan(adaptive(epsilon0, 1, epsilon) * (1 + 1e-4) + 1e-9);
    }
  }
});

test('many releases of bounded range are also concentrated, ε²/8 each', () => {
  const many = run(repeat(boundedRange({ epsilon: 0.5 }), 200));
  const stated = run(zcdp({ rho: (200 * 0.5 ** 2) / 8 }));
  for (const epsilon of [0, 5, 10, 20]) {
    expect(many.logDelta(epsilon).upper).toBeLessThanOrEqual(stated.logDelta(epsilon).upper + 1e-9);
  }
});

test.each<[string, Mechanism, Mechanism]>([
  ['zCDP', repeat(zcdp({ rho: 0.1 }), 5), repeat(gaussian({ noiseMultiplier: 1 / Math.sqrt(0.2) }), 5)],
  [
    'RDP',
    repeat(rdp({ points: [{ order: 3, epsilon: 0.3 }] }), 2),
    repeat(gaussian({ noiseMultiplier: 1 / Math.sqrt(0.2) }), 2),
  ],
  [
    'bounded range beside a Gaussian',
    compose([boundedRange({ epsilon: 1 }), gaussian({ noiseMultiplier: 2 })]),
    compose([randomizedResponse({ epsilon: 0.5 }), gaussian({ noiseMultiplier: 2 })]),
  ],
  [
    'zCDP beside a Gaussian',
    compose([zcdp({ rho: 0.1 }), gaussian({ noiseMultiplier: 2 })]),
    gaussian({ noiseMultiplier: 1 / Math.sqrt(0.2 + 0.25) }),
  ],
  [
    'sampled zCDP',
    repeat(poissonSubsampled(zcdp({ rho: 0.5 }), { rate: 0.1 }), 20),
    repeat(poissonSubsampled(gaussian({ noiseMultiplier: 1 }), { rate: 0.1 }), 20),
  ],
  [
    'sampled bounded range',
    repeat(poissonSubsampled(boundedRange({ epsilon: 1 }), { rate: 0.2 }), 10),
    repeat(poissonSubsampled(randomizedResponse({ epsilon: 0.5 }), { rate: 0.2 }), 10),
  ],
])(
  '%s: a mechanism that meets the guarantee lies under the upper end, and the lower end under it',
  (_, guarantee, one) => {
    const [stated, met] = [run(guarantee), run(one)];
    for (const epsilon of LONG_TESTS ? [0, 0.2, 1, 2] : [0, 1]) {
      const worst = stated.delta(epsilon);
      const attained = met.delta(epsilon);
      expect(worst.upper).toBeGreaterThanOrEqual(attained.lower);
      expect(worst.lower).toBeLessThanOrEqual(attained.upper * (1 + 1e-9));
      expect(worst.lower).toBeGreaterThan(attained.lower * (1 - 1e-4) - 1e-12);
    }
    for (const alpha of [1e-3, 0.1, 0.5]) {
      const worst = stated.tradeoff(alpha);
      expect(worst.lower).toBeLessThanOrEqual(met.tradeoff(alpha).upper);
      expect(worst.upper).toBeGreaterThanOrEqual(met.tradeoff(alpha).lower - 1e-9);
    }
  },
);

test('one release on a sample is exact in both directions', () => {
  for (const mechanism of [zcdp({ rho: 0.5 }), rdp({ points: [{ order: 2, epsilon: 0.2 }] })]) {
    const sampled = run(poissonSubsampled(mechanism, { rate: 0.1 }));
    for (const epsilon of [0, 0.1, 0.5]) {
      const { lower, upper } = sampled.delta(epsilon);
      expect(upper - lower).toBeLessThan(1e-8 * upper);
    }
  }
});

test('the order and grouping of guarantees do not change a bit', () => {
  const a = run(
    compose([zcdp({ rho: 0.1 }), repeat(zcdp({ rho: 0.2 }), 2), gaussian({ noiseMultiplier: 3 })]),
  );
  const b = run(
    compose([gaussian({ noiseMultiplier: 3 }), zcdp({ rho: 0.2 }), zcdp({ rho: 0.1 }), zcdp({ rho: 0.2 })]),
  );
  for (const epsilon of [0, 1, 3]) expect(a.delta(epsilon)).toEqual(b.delta(epsilon));
});
