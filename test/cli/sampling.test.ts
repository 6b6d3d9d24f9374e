import { expect, test } from 'vitest';
import { gdp } from './harness.js';

const NOISE = ['--noise-multiplier', '1', '--delta', '1e-5', '--json'];

test('balls-and-bins epochs by their numbers', async () => {
  const { code, stdout } = await gdp([
    'epsilon',
    ...['--sampling', 'balls-and-bins', '--bins', '100', '--epochs', '10'],
    ...NOISE,
  ]);
  expect(code).toBe(0);
  const { epsilon } = JSON.parse(stdout);
  expect(epsilon.lower).toBeLessThan(1.701498436);
  expect(epsilon.upper).toBeGreaterThan(1.7014984357);
  expect(epsilon.upper - epsilon.lower).toBeLessThan(1e-8);
});

test('a person of two records', async () => {
  const phase = ['--sampling-rate', '.01', '--steps', '1000', '--records-per-person', '2'];
  const { code, stdout } = await gdp(['epsilon', ...phase, ...NOISE]);
  expect(code).toBe(0);
  const { epsilon } = JSON.parse(stdout);
  expect(epsilon.lower).toBeLessThan(3.9790857632);
  expect(epsilon.upper).toBeGreaterThan(3.979085763);
});

test.each([
  [['--sampling', 'balls-and-bins'], '"--bins" is missing'],
  [
    ['--sampling', 'balls-and-bins', '--bins', '4', '--steps', '3'],
    '"--steps" does not go with --sampling balls-and-bins',
  ],
  [['--sampling', 'shuffled', '--bins', '4'], 'poisson, balls-and-bins'],
  [['--sampling', 'balls-and-bins', '--bins', '1.5'], '"--bins"'],
  [
    ['--sampling-rate', '.1', '--steps', '3', '--epochs', '3'],
    '"--epochs" does not go with --sampling poisson',
  ],
])('%j', async (flags, message) => {
  const { code, stderr } = await gdp(['epsilon', ...flags, ...NOISE]);
  expect(code).toBe(2);
  expect(stderr).toContain(message);
});
