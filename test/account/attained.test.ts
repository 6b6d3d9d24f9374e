import { expect, test } from 'vitest';
import { dominatingRuns } from '../../src/account/run-of-mechanism.js';
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

/** Steps on samples. */
const SAMPLES = LONG_TESTS ? 20 : 6;

const addRemove = { adjacency: 'add-remove' } as const;
const run = (mechanism: Mechanism) => account(wasm, mechanism, addRemove);

/**
 * δ(ε) of the worst adaptive sequence of bounded-range mechanisms, by its own recursion over the losses t and t − ε₀ (Dong, Durfee, Rogers
 * 2020), t and ε multiples of ε₀/200: what a sequence reaches, and the supremum but for the square of the step.
 */
function adaptive(epsilon0: number, count: number): (epsilon: number) => number {
  const cells = 200;
  const step = epsilon0 / cells;
  const reach = (count + 1) * cells;
  const certain = Float64Array.from({ length: 2 * reach + 1 }, (_, i) =>
    Math.max(0, -Math.expm1((i - reach) * step)),
  );
  let worst = certain;
  const at = (i: number): number => (i < 0 ? -Math.expm1((i - reach) * step) : i > 2 * reach ? 0 : worst[i]);
  for (let left = count; left > 0; left--) {
    const next = Float64Array.from(certain);
    for (let k = 1; k < cells; k++) {
      const power = -Math.expm1(k * step - epsilon0) / -Math.expm1(-epsilon0);
      for (let i = 0; i < next.length; i++)
        next[i] = Math.max(next[i], power * at(i - k) + (1 - power) * at(i - k + cells));
    }
    worst = next;
  }
  return (epsilon) => worst[Math.round(epsilon / step) + reach];
}

test('bounded range: the adaptive worst case of several releases lies in the bracket', () => {
  expect(adaptive(1, 2)(0)).toBeCloseTo(0.303365, 5);
  for (const [epsilon0, count] of [
    [0.3, 1],
    [1, 1],
    [2, 1],
    [0.3, 2],
    [1, 2],
    [2, 2],
    [1, 4],
    [0.5, 6],
  ]) {
    const worst = adaptive(epsilon0, count);
    const stated = run(repeat(boundedRange({ epsilon: epsilon0 }), count));
    for (const share of [0, 0.2, 0.6, 1, 1.4]) {
      const exact = worst(share * epsilon0);
      const { lower, upper } = stated.delta(share * epsilon0);
      expect(upper).toBeGreaterThanOrEqual(exact * (1 - 1e-12));
      expect(lower).toBeLessThanOrEqual(exact * (1 + 1e-4) + 1e-15);
      // one release is exact
      if (count === 1) expect(upper - lower).toBeLessThan(1e-9);
      if (count === 1) expect(upper).toBeLessThan(exact * (1 + 1e-4) + 1e-9);
    }
  }
});

test('bounded range: the pair that dominates one release composes to more than any sequence reaches', () => {
  const six = repeat(boundedRange({ epsilon: 0.5 }), 6);
  const [one] = dominatingRuns(wasm, six, addRemove);
  const exact = adaptive(0.5, 6)(0);
  expect(exact).toBeCloseTo(0.25158, 4);
  expect(Math.exp(one.logDelta(0).lower)).toBeGreaterThan(1.1 * exact);
});

test('many releases of bounded range are also concentrated, ε²/8 each', () => {
  const many = run(repeat(boundedRange({ epsilon: 0.5 }), 200));
  const stated = run(zcdp({ rho: (200 * 0.5 ** 2) / 8 }));
  for (const epsilon of [0, 5, 10, 20]) {
    expect(many.logDelta(epsilon).upper).toBeLessThanOrEqual(stated.logDelta(epsilon).upper + 1e-9);
  }
  // responses of half the range have it
  const responses = run(repeat(randomizedResponse({ epsilon: 0.25 }), 200));
  for (const epsilon of [0, 5, 10, 20, 30])
    expect(many.logDelta(epsilon).upper).toBeGreaterThanOrEqual(responses.logDelta(epsilon).lower);
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
    repeat(poissonSubsampled(zcdp({ rho: 0.5 }), { rate: 0.1 }), SAMPLES),
    repeat(poissonSubsampled(gaussian({ noiseMultiplier: 1 }), { rate: 0.1 }), SAMPLES),
  ],
])(
  '%s: a mechanism that meets the guarantee lies under the upper end, and the lower end is no less than its own',
  (_, guarantee, one) => {
    const [stated, met] = [run(guarantee), run(one)];
    for (const epsilon of LONG_TESTS ? [0, 0.2, 1, 2] : [0, 1]) {
      const worst = stated.delta(epsilon);
      const attained = met.delta(epsilon);
      expect(worst.upper).toBeGreaterThanOrEqual(attained.lower);
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

test('one release under a method that meshes its table: the exact value is in the bracket', () => {
  const points = [{ order: 2, epsilon: 0.1 }];
  for (const mechanism of [zcdp({ rho: 0.5 }), rdp({ points }), boundedRange({ epsilon: 1 })]) {
    const meshed = account(wasm, mechanism, { adjacency: 'add-remove', method: 'grid' });
    for (const epsilon of [0, 0.3, 1, 2]) {
      const exact = run(mechanism).delta(epsilon);
      expect(meshed.delta(epsilon).lower).toBeLessThanOrEqual(exact.upper);
      expect(meshed.delta(epsilon).upper).toBeGreaterThanOrEqual(exact.lower);
    }
    expect(meshed.method).toBe('grid');
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
