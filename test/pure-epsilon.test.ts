import { expect, test } from 'vitest';
import { account, approximateDp, gaussian, laplace, randomizedResponse, repeat } from '../src/index.js';
import { wasm } from './helpers/runs.js';

const at0 = (mechanism: Parameters<typeof account>[1]) =>
  account(wasm, mechanism, { adjacency: 'add-remove' }).epsilon(0);

test('ε at δ = 0 is the sum of the largest losses', () => {
  for (const [mechanism, exact] of [
    [repeat(laplace({ scale: 5, sensitivity: 1 }), 50), 10],
    [repeat(randomizedResponse({ epsilon: 0.5, categories: 2 }), 8), 4],
  ] as const) {
    const { lower, upper } = at0(mechanism);
    expect(lower).toBeLessThanOrEqual(exact);
    expect(upper).toBeGreaterThanOrEqual(exact);
    expect(upper).toBeLessThan(exact * (1 + 1e-9));
    expect(lower).toBeGreaterThan(0);
  }
});

test('it is infinite where losses are unbounded or outputs identify the record', () => {
  expect(at0(repeat(gaussian({ noiseMultiplier: 1 }), 3)).upper).toBe(Infinity);
  const revealed = at0(repeat(approximateDp({ epsilon: 0.1, delta: 1e-8 }), 3));
  expect(revealed).toEqual({ lower: Infinity, upper: Infinity });
});
