/** Closed forms whose exact value is a double, or lies between two neighbours: the bracket says no less than that. */
import { describe, expect, test } from 'vitest';
import { convert, probabilisticDp } from '../../src/convert/index.js';
import {
  account,
  approximateDp,
  compose,
  dpSgd,
  gaussian,
  gdp,
  laplace,
  type Mechanism,
  measure,
  pureDp,
  randomizedResponse,
  repeat,
} from '../../src/index.js';
import { neighbour } from '../../src/numeric/exact-decimal.js';
import { reference, wasm } from '../helpers/runs.js';

const run = (mechanism: Mechanism, adjacency: 'add-remove' | 'replace-one' = 'add-remove') =>
  account(wasm, mechanism, { adjacency });
const both = (x: number) => ({ lower: x, upper: x });

/** x < √(over/under), = or >, in whole numbers: x = m·2^e. */
function against(x: number, over: bigint, under: bigint): number {
  let [m, e] = [x, 0];
  for (; !Number.isInteger(m); e++) m *= 2;
  const left = BigInt(m) * BigInt(m) * under;
  const right = over << BigInt(2 * e);
  return left < right ? -1 : left > right ? 1 : 0;
}

describe('mu of plain Gaussians', () => {
  test.each<[string, Mechanism, number]>([
    ['noise multiplier 1', gaussian({ noiseMultiplier: 1 }), 1],
    ['noise multiplier 2', gaussian({ noiseMultiplier: 2 }), 0.5],
    ['0.1-GDP', gdp({ mu: 0.1 }), 0.1],
    ['nine of noise multiplier 3', repeat(gaussian({ noiseMultiplier: 3 }), 9), 1],
    ['3-GDP and 4-GDP', compose([gdp({ mu: 3 }), gdp({ mu: 4 })]), 5],
  ])('%s is exactly a double', (_, mechanism, mu) => {
    for (const engine of [wasm, reference]) {
      const found = measure(account(engine, mechanism, { adjacency: 'add-remove' }));
      expect(found.mu).toEqual(both(mu));
      expect(found.muAllRates).toEqual(both(mu));
    }
  });

  test.each([
    [3, 1],
    [7, 5],
    [9, 2],
    [1, 2],
    [11, 1000],
  ])('√T/σ of σ %d, T %d lies between neighbours', (sigma, steps) => {
    const { lower, upper } = measure(run(repeat(gaussian({ noiseMultiplier: sigma }), steps))).mu;
    expect(neighbour(lower, 1)).toBe(upper);
    expect(against(lower, BigInt(steps), BigInt(sigma * sigma))).toBe(-1);
    expect(against(upper, BigInt(steps), BigInt(sigma * sigma))).toBe(1);
  });

  test('replace-one doubles it; a sample has the same tail', () => {
    expect(measure(run(gaussian({ noiseMultiplier: 4 }), 'replace-one')).mu).toEqual(both(0.5));
    const sampled = run(dpSgd({ noiseMultiplier: 2, samplingRate: 0.01, steps: 100 }));
    expect(sampled.settings.tailMu).toEqual(both(5));
    expect(sampled.settings.muCeiling).toBe(5);
  });
});

describe('epsilon at delta 0', () => {
  test.each<[string, Mechanism, number]>([
    ['pure DP', pureDp({ epsilon: 0.1 }), 0.1],
    ['randomised response', randomizedResponse({ epsilon: 5, categories: 4 }), 5],
    ['Laplace', laplace({ scale: 4, sensitivity: 3 }), 0.75],
    ['eight answers', repeat(randomizedResponse({ epsilon: 1 }), 8), 8],
    ['unlike ones', compose([pureDp({ epsilon: 0.25 }), laplace({ scale: 2, sensitivity: 1 })]), 0.75],
  ])('of %s is what is stated', (_, mechanism, epsilon) => {
    expect(run(mechanism).epsilon(0)).toEqual(both(epsilon));
  });

  test('of what is no double lies between neighbours', () => {
    const { lower, upper } = run(laplace({ scale: 3, sensitivity: 1 })).epsilon(0);
    expect(neighbour(lower, 1)).toBe(upper);
    expect(BigInt(Math.round(lower * 2 ** 54)) * 3n).toBeLessThan(2n ** 54n);
    expect(BigInt(Math.round(upper * 2 ** 54)) * 3n).toBeGreaterThan(2n ** 54n);
    // ten times the double 0.1, which is above 1/10
    expect(run(repeat(pureDp({ epsilon: 0.1 }), 10)).epsilon(0)).toEqual({
      lower: 1,
      upper: neighbour(1, 1),
    });
  });
});

test('(epsilon, delta)-DP at its own epsilon and delta is what is stated', () => {
  const stated = run(approximateDp({ epsilon: 0.1, delta: 1e-6 }));
  expect(stated.epsilon(1e-6)).toEqual(both(0.1));
  expect(stated.delta(0.1)).toEqual(both(1e-6));
  expect(stated.delta(3)).toEqual(both(1e-6));
  expect(stated.delta(neighbour(0.1, -1)).upper).toBeGreaterThan(1e-6);
  const guarantee = probabilisticDp({ epsilon: 1, delta: 1e-6 });
  for (const target of [
    { kind: 'approximate-dp', epsilon: 1 },
    { kind: 'approximate-dp', epsilon: 2 },
    { kind: 'tabulated', epsilons: [1] },
  ] as const)
    expect(convert(wasm, guarantee, target).values).toEqual([both(1e-6)]);
  expect(convert(wasm, guarantee, { kind: 'approximate-dp', delta: 1e-6 }).values).toEqual([both(1)]);
});
