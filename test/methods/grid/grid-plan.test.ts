import { describe, expect, test } from 'vitest';
import { exp, log, log1p, normalCdf } from '../../../src/numeric/scalar.js';
import { relativeWidth } from '../../helpers/brackets.js';
import { LONG_TESTS } from '../../helpers/long.js';
import { runOf } from '../../helpers/runs.js';

/** δ(ε) of one step in direction 'remove': mixture against base, which is crossed at one output. */
function single(sigma: number, q: number, epsilon: number): number {
  if (epsilon <= log1p(-q)) return 1 - exp(epsilon);
  const output = 0.5 + sigma * sigma * log((exp(epsilon) - 1 + q) / q);
  const base = normalCdf(-output / sigma);
  return q * normalCdf((1 - output) / sigma) - (exp(epsilon) - 1 + q) * base;
}

/** δ(ε) of two steps, ∫ δ₁(ε − L(o)) dQ(o) by the trapezoidal rule. */
function twoSteps(sigma: number, q: number, epsilon: number): number {
  const n = 20_000;
  const [from, to] = [-14 * sigma, 1 + 14 * sigma];
  const stride = (to - from) / n;
  let sum = 0;
  for (let i = 0; i <= n; i++) {
    const o = from + stride * i;
    const ratio = 1 - q + q * exp((2 * o - 1) / (2 * sigma * sigma));
    const base = exp((-o * o) / (2 * sigma * sigma)) / (sigma * Math.sqrt(2 * Math.PI));
    sum += base * ratio * single(sigma, q, epsilon - log(ratio));
  }
  return sum * stride;
}

describe.each([
  [0.89, 0.00255, [0.028, 0.2, 2]],
  [0.8021, 0.002186, [0.0784, 1, 4]],
  [0.7343, 0.000481, [0.01, 0.5, 2.08]],
])(
  'two steps of σ %s at rate %s: rare large losses take over within a small change of tilt',
  (noiseMultiplier, samplingRate, epsilons) => {
    const exacts = epsilons.map((epsilon) => log(twoSteps(noiseMultiplier, samplingRate, epsilon)));
    // the finest cost most: of one setting, or in the long tests
    const finest = LONG_TESTS ? [1e-4, 1e-6] : noiseMultiplier === 0.89 ? [1e-4] : [];
    test.each([1e-2, 1e-3, ...finest])('tolerance %s', (tolerance) => {
      // what the mesh can have, whatever it costs
      const effort = Infinity;
      const run = runOf([[noiseMultiplier, samplingRate, 2]], { tolerance, method: 'grid', effort });
      const remove = run.directions.find(({ direction }) => direction === 'remove')!;
      epsilons.forEach((epsilon, i) => {
        const { lower, upper } = remove.logDelta(epsilon);
        const exact = exacts[i];
        expect(lower).toBeLessThanOrEqual(exact + 1e-9);
        expect(upper).toBeGreaterThanOrEqual(exact - 1e-9);
        expect(upper - lower, `ε ${epsilon}`).toBeLessThan(4 * tolerance + 5e-4);
      });
    });
  },
);

test('a finer tolerance does not widen what a coarser one can have', () => {
  const epsilonAt = (tolerance: number) =>
    runOf([[0.3, 0.01, 1000]], { tolerance, method: 'grid' }).epsilon(1e-6);
  const [coarse, fine] = [1e-5, 1e-6].map(epsilonAt);
  expect(coarse).toOverlap(fine);
  expect(relativeWidth(fine)).toBeLessThan(1.01 * relativeWidth(coarse));
});

test('where it is enough that delta is below a floor, a coarse mesh says so', () => {
  const [, add] = runOf([[1, 0.01, 1000]], { method: 'grid' }).directions;
  const fine = add.logDelta(3, 1e-6);
  const below = add.logDelta(3, 1e-6, fine.upper + 1);
  expect(below).toOverlap(fine);
  expect(below.upper).toBeLessThanOrEqual(fine.upper + 1);
  expect(below.upper - below.lower).toBeGreaterThan(1e-5);
  // a floor that lies below δ is answered as if there were none
  expect(add.logDelta(3, 1e-6, fine.lower - 1)).toEqual(fine);
});

test('deep in the tail of rare large losses', () => {
  const run = runOf([[1, 0.01, 1000]], { method: 'grid' });
  for (const epsilon of LONG_TESTS ? [18, 22, 30] : [30]) {
    const { lower, upper } = run.logDelta(epsilon);
    expect(upper - lower, `ε ${epsilon}`).toBeLessThan(0.01);
  }
});
