import { describe, expect, test } from 'vitest';
import {
  account,
  approximateDp,
  boundedRange,
  compose,
  discreteGaussian,
  discreteLaplace,
  dpSgd,
  gaussian,
  laplace,
  type Mechanism,
  poissonSubsampled,
  pureDp,
  randomizedResponse,
  rdp,
  repeat,
  tabulated,
  withoutReplacement,
} from '../../src/index.js';
import { boundingRun } from '../../src/methods/closed/bounding-run.js';
import type { Bracket } from '../../src/numeric/bracket.js';
import { certainRun } from '../../src/run/changed-run.js';
import { epsilonOf } from '../../src/run/epsilon.js';
import { hullRun } from '../../src/run/hull-run.js';
import { seeded } from '../helpers/random.js';
import { reference, wasm } from '../helpers/runs.js';

const at0 = (mechanism: Mechanism, adjacency: 'add-remove' | 'replace-one' = 'add-remove') =>
  account(wasm, mechanism, { adjacency }).epsilon(0);

function expectTight({ lower, upper }: Bracket, exact: number, relative = 1e-12): void {
  expect(lower).toBeLessThanOrEqual(exact);
  expect(upper).toBeGreaterThanOrEqual(exact);
  expect(upper - lower).toBeLessThanOrEqual(exact * relative);
}

const lap = laplace({ scale: 5, sensitivity: 1 });
const answer = randomizedResponse({ epsilon: 0.5, categories: 3 });

test('ε at δ = 0 of several bounded ranges is at most the sum, and held by the bracket', () => {
  const found = at0(repeat(boundedRange({ epsilon: 0.25 }), 4));
  expect(found).toContainValue(1);
  expect(found.upper).toBeLessThanOrEqual(1 + 1e-12);
});

test('a sum of many unlike quotients lies between neighbouring doubles, as the exact one does', () => {
  const random = seeded(3);
  for (const n of [3, 60, 200, 400]) {
    const scales = Array.from({ length: n }, () => 2 + 50 * random());
    const { lower, upper } = at0(compose(scales.map((scale) => laplace({ scale, sensitivity: 1 }))));
    // each quotient to 2^−1300, from below, at 2^1300 times its size; a scale is a whole multiple of 2^−52
    const sum = scales.map((scale) => (1n << 1352n) / BigInt(scale * 2 ** 52)).reduce((a, b) => a + b, 0n);
    const fixed = (x: number): bigint => BigInt(x * 2 ** 60) << 1240n;
    expect(fixed(lower) <= sum + BigInt(n)).toBe(true);
    expect(fixed(upper) >= sum).toBe(true);
    expect(upper - lower).toBeLessThanOrEqual(upper * 2 ** -52);
  }
});

// host logarithms are right to an ulp or two: inside the brackets
describe('ε at δ = 0 is the sum of the largest losses', () => {
  test.each<[string, Mechanism, number]>([
    ['one Laplace', lap, 0.2],
    ['50 Laplace', repeat(lap, 50), 10],
    ['one answer', answer, 0.5],
    ['8 answers', repeat(answer, 8), 4],
    ['pure DP', pureDp({ epsilon: 3 }), 3],
    ['bounded range', boundedRange({ epsilon: 0.25 }), 0.25],
    ['discrete Laplace', discreteLaplace({ scale: 4, sensitivity: 3 }), 0.75],
    ['unlike ones', compose([repeat(lap, 5), repeat(answer, 2), pureDp({ epsilon: 0.125 })]), 2.125],
    [
      'a table that ends',
      tabulated({
        points: [
          { epsilon: 0.5, delta: 0.1 },
          { epsilon: 2, delta: 0 },
        ],
      }),
      2,
    ],
  ])('%s', (_, mechanism, exact) => {
    expectTight(at0(mechanism), exact);
    expectTight(account(reference, mechanism, { adjacency: 'add-remove' }).epsilon(0), exact);
  });

  test.each([1e-9, 1e-3, 0.3, 1])('sampled, at rate %s', (rate) => {
    for (const epsilon of [1e-3, 0.5, 8, 40]) {
      const one = poissonSubsampled(pureDp({ epsilon }), { rate });
      const remove = Math.log1p(rate * Math.expm1(epsilon));
      expectTight(at0(one), remove, 1e-11);
      expectTight(at0(repeat(one, 7)), 7 * remove, 1e-11);
    }
  });

  test('replace-one doubles the sensitivity; without replacement as sampled', () => {
    expectTight(at0(repeat(lap, 3), 'replace-one'), 1.2);
    const drawn = withoutReplacement(pureDp({ epsilon: 1 }), { sampleSize: 1, datasetSize: 8 });
    expectTight(at0(repeat(drawn, 2), 'replace-one'), 2 * Math.log1p(Math.expm1(1) / 8));
  });

  test('of Gaussian noise sampled and seen by adding the record alone: −log(1 − q)', () => {
    const noise = poissonSubsampled(gaussian({ noiseMultiplier: 1 }), { rate: 0.25 });
    for (const count of [1, 6]) {
      const { directions } = account(wasm, repeat(noise, count), { adjacency: 'add-remove' });
      const add = directions.find(({ direction }) => direction === 'add')!;
      expectTight(epsilonOf(add, -Infinity, 1e-5), -count * Math.log1p(-0.25));
    }
  });

  test('of wrapped runs', () => {
    const [one] = account(wasm, lap, { adjacency: 'add-remove' }).directions;
    const [other] = account(wasm, answer, { adjacency: 'add-remove' }).directions;
    expectTight(epsilonOf(hullRun([one!, other!]), -Infinity, 1e-5), 0.5);
    expectTight(epsilonOf(certainRun(one!, 0), -Infinity, 1e-5), 0.2);
    expect(epsilonOf(certainRun(one!, -1e-3), -Infinity, 1e-5).lower).toBe(Infinity);
    expect(epsilonOf(boundingRun([]), -Infinity, 1e-5)).toEqual({ lower: 0, upper: 0 });
  });
});

test('just below it δ is above 0', () => {
  for (const mechanism of [lap, repeat(lap, 4), answer, repeat(answer, 3)]) {
    const run = account(wasm, mechanism, { adjacency: 'add-remove' });
    const { lower, upper } = run.epsilon(0);
    expect(run.logDelta(lower * (1 - 1e-6)).lower).toBeGreaterThan(-Infinity);
    expect(run.logDelta(upper * (1 + 1e-12)).upper).toBe(-Infinity);
  }
});

describe('it is infinite', () => {
  test.each<[string, Mechanism]>([
    ['Gaussian noise', gaussian({ noiseMultiplier: 1 })],
    ['more of it', repeat(gaussian({ noiseMultiplier: 1 }), 3)],
    ['sampled', repeat(poissonSubsampled(gaussian({ noiseMultiplier: 1 }), { rate: 0.1 }), 3)],
    ['discrete Gaussian noise', repeat(discreteGaussian({ sigma: 2, sensitivity: 1 }), 2)],
    ['beside bounded losses', compose([lap, gaussian({ noiseMultiplier: 1 })])],
    ['outputs that identify the record', repeat(approximateDp({ epsilon: 0.1, delta: 1e-8 }), 3)],
  ])('%s', (_, mechanism) => {
    expect(at0(mechanism)).toEqual({ lower: Infinity, upper: Infinity });
  });
});

test('a Rényi divergence of 0 is no loss at all', () => {
  expect(
    at0(
      rdp({
        points: [
          { order: 2, epsilon: 0 },
          { order: 8, epsilon: 1 },
        ],
      }),
    ),
  ).toEqual({ lower: 0, upper: 0 });
});

test('(epsilon, delta)-DP at its own delta is epsilon', () => {
  for (const [epsilon, delta] of [
    [1, 1e-6],
    [0.1, 3e-9],
    [4, 0.2],
  ]) {
    const run = account(wasm, approximateDp({ epsilon, delta }), { adjacency: 'add-remove' });
    const found = run.epsilon(delta);
    expect(found).toContainValue(epsilon);
    expect(found.upper).toBeLessThan(epsilon * (1 + 1e-14));
    expect(run.epsilon(delta * (1 - 1e-12)).lower).toBe(Infinity);
  }
});

// a double of this size is a whole number of the smallest ones, and log(1 + x) is x but for x²
const LEAST = Number.MIN_VALUE;
const RARE = [
  [6, 1],
  [1, 3],
  [1, 1000],
  [2024, 1000],
] as const;
const RARE_RELEASES = [
  laplace({ scale: 1, sensitivity: 1 }),
  randomizedResponse({ epsilon: 1, categories: 2 }),
  discreteLaplace({ scale: 1, sensitivity: 1 }),
  boundedRange({ epsilon: 1 }),
];

test.each(RARE)('ε at δ = 0, sampled at %d times the smallest number, %d steps', (rate, steps) => {
  for (const release of RARE_RELEASES)
    for (const engine of [wasm, reference]) {
      const rare = repeat(poissonSubsampled(release, { rate: rate * LEAST }), steps);
      const { lower, upper } = account(engine, rare, { adjacency: 'add-remove' }).epsilon(0);
      expect(lower / LEAST).toBeLessThanOrEqual(steps * rate * Math.expm1(1));
      expect(upper / LEAST).toBeGreaterThanOrEqual(steps * rate * Math.expm1(1));
    }
});

test.each(RARE)('δ of adding a record, sampled at %d times the smallest number, %d steps', (rate, steps) => {
  const rare = dpSgd({ noiseMultiplier: 1, samplingRate: rate * LEAST, steps });
  const [, add] = account(wasm, rare, { adjacency: 'add-remove' }).directions;
  // the largest loss, −T log(1 − q), is Tq + Tq²/2 and more: above Tq
  expect(add.logDelta(steps * rate * LEAST).upper).toBeGreaterThan(-Infinity);
  expect(add.largestLoss?.upper).toBeGreaterThan(steps * rate * LEAST);
});
