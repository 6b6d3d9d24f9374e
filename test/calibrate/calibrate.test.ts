import { describe, expect, test } from 'vitest';
import { type Calibrated, calibrate, type Target } from '../../src/calibrate/calibrate.js';
import type { Unknown } from '../../src/calibrate/goal.js';
import { optimalSigma } from '../../src/gaussian-mechanism/gaussian-noise.js';
import {
  account,
  discreteGaussian,
  gaussian,
  laplace,
  measure,
  poissonSubsampled,
  randomizedResponse,
  repeat,
  tabulated,
  tradeoffPoints,
  unknownOf,
} from '../../src/index.js';
import { deltaGdp } from '../../src/numeric/scalar.js';
import { taskOf } from '../helpers/calibration-tasks.js';
import { LONG_TESTS } from '../helpers/long.js';
import { seeded } from '../helpers/random.js';
import { reference, wasm } from '../helpers/runs.js';
import { noiseUnknown, rateUnknown, scaleUnknown, stepsUnknown } from '../helpers/unknowns.js';

const ADD_REMOVE = { adjacency: 'add-remove' } as const;

/** Discrete Gaussian noise of sensitivity 1. */
function discreteGaussianUnknown(least: number, most: number): Unknown {
  return {
    name: 'sigma',
    least,
    most,
    larger: 'more-private',
    mechanismAt: (sigma) => discreteGaussian({ sigma, sensitivity: 1 }),
  };
}

function reached(unknown: Unknown, target: Target, options: { tolerance?: number } = {}): Calibrated {
  const answer = calibrate(wasm, unknown, target, { ...ADD_REMOVE, ...options });
  if (!answer.reached) throw new Error(answer.reason);
  return answer;
}

/** Met from the safe side, within `relative` of the target in δ or in ε. */
function expectMet(answer: Calibrated, epsilon: number, delta: number, relative = 1e-6): void {
  const run = account(wasm, answer.mechanism, { ...ADD_REMOVE, tolerance: answer.accountTolerance });
  const at = run.delta(epsilon);
  expect(at.upper).toBeLessThanOrEqual(delta);
  const closeInDelta = at.lower >= delta * (1 - 1.5 * relative);
  const closeInEpsilon = run.delta(epsilon * (1 - 1.5 * relative)).lower > delta;
  expect(closeInDelta || closeInEpsilon, `ε ${epsilon} δ ${delta}: δ in [${at.lower}, ${at.upper}]`).toBe(
    true,
  );
}

describe('plain Gaussian noise', () => {
  test('is the optimal σ, for random targets', () => {
    const random = seeded(77);
    for (let i = 0; i < (LONG_TESTS ? 1000 : 300); i++) {
      const epsilon = 10 ** (-3 + 6 * random());
      const delta = 10 ** (-0.3 - 60 * random());
      const answer = reached(noiseUnknown(), { epsilon, delta });
      const exact = optimalSigma({ epsilon, delta });
      expect(answer.value).toBeGreaterThanOrEqual(exact.lower);
      expect(answer.value / exact.upper).toBeLessThanOrEqual(1 + 1e-6);
      expectMet(answer, epsilon, delta);
    }
  });

  test.each([
    [0.001, 1e-30],
    [50, 1e-5],
    [50, 1e-30],
    [5000, 1e-6],
    [1e-3, 1e-300],
    [0, 1e-3],
    [1e5, 0.3],
  ])('ε %s, δ %s', (epsilon, delta) => {
    expectMet(reached(noiseUnknown(), { epsilon, delta }), epsilon, delta);
  });

  test('steps: the largest number that fits, by the closed form', () => {
    const random = seeded(3);
    for (let i = 0; i < 100; i++) {
      const noiseMultiplier = 10 ** (0.5 + 2 * random());
      const target = { epsilon: 10 ** (2 * random() - 1), delta: 1e-6 };
      const answer = calibrate(wasm, stepsUnknown({ noiseMultiplier }), target, ADD_REMOVE);
      const delta = (steps: number) => deltaGdp(Math.sqrt(steps) / noiseMultiplier, target.epsilon);
      if (!answer.reached) {
        expect(delta(1)).toBeGreaterThan(target.delta);
        continue;
      }
      expect(delta(answer.value)).toBeLessThanOrEqual(target.delta);
      if (answer.value < 1e5) expect(delta(answer.value + 1)).toBeGreaterThan(target.delta);
    }
  });
});

describe('DP-SGD', () => {
  test('σ, q and T each for the others, fed back through the accountant', () => {
    const [epsilon, delta] = [2, 1e-5];
    const sigma = reached(noiseUnknown({ samplingRate: 0.02, steps: 500 }), { epsilon, delta });
    expectMet(sigma, epsilon, delta);
    const rate = reached(rateUnknown({ noiseMultiplier: sigma.value, steps: 500 }), { epsilon, delta });
    expectMet(rate, epsilon, delta);
    expect(rate.value / 0.02).toBeCloseTo(1, 5);
    const steps = reached(stepsUnknown({ noiseMultiplier: sigma.value * (1 + 1e-7), samplingRate: 0.02 }), {
      epsilon,
      delta,
    });
    expect(steps.value).toBe(500);
  });

  test('random unknowns and targets: the first of the long test', () => {
    const random = seeded(2024);
    for (let i = 0; i < 10; i++) {
      const { unknown, epsilon, delta } = taskOf(i, random);
      const answer = calibrate(wasm, unknown, { epsilon, delta }, { ...ADD_REMOVE, tolerance: 1e-4 });
      if (answer.reached) expectMet(answer, epsilon, delta, 1e-4);
      else expect(answer.achieved['delta']!.upper).toBeGreaterThan(delta);
    }
  });

  test('is monotone in every unknown', () => {
    const sigma = (samplingRate: number, steps: number, epsilon: number, delta = 1e-5) =>
      reached(noiseUnknown({ samplingRate, steps }), { epsilon, delta }, { tolerance: 1e-4 }).value;
    const base = sigma(0.1, 100, 2);
    expect(sigma(0.11, 100, 2)).toBeGreaterThan(base);
    expect(sigma(0.1, 110, 2)).toBeGreaterThan(base);
    expect(sigma(0.1, 100, 1.9)).toBeGreaterThan(base);
    expect(sigma(0.1, 100, 2, 1e-6)).toBeGreaterThan(base);
  });

  test.each([
    ['advantage', { advantage: 0.1 }],
    ['true positive rate', { truePositiveRate: 0.02, falsePositiveRate: 0.01 }],
    ['mu', { mu: 0.5, alphaMin: 1e-6 }],
  ] as const)('to a target %s', (_, target) => {
    const answer = reached(noiseUnknown({ samplingRate: 0.1, steps: 50 }), target, {
      tolerance: 1e-4,
    });
    const [name, most] = Object.entries(target)[0]!;
    const achieved = answer.achieved[name]!;
    expect(achieved.upper).toBeLessThanOrEqual(most);
    expect(achieved.lower).toBeGreaterThan(most * (1 - 3e-4));
    if (name !== 'mu') return;
    const run = account(wasm, answer.mechanism, { ...ADD_REMOVE, tolerance: answer.accountTolerance });
    expect(measure(run, { alphaMin: 1e-6 }).mu).toEqual(achieved);
  });
});

describe('the search', () => {
  test.each([
    ['many small losses', { samplingRate: 0.01, steps: 5000 }],
    ['few large ones', { samplingRate: 0.0004, steps: 900 }],
  ])('takes few accounts and one for what is achieved: %s', (_, { samplingRate, steps }) => {
    const target = { epsilon: 2, delta: 1e-5 };
    const asked: number[] = [];
    const counted = (unknown: Unknown): Unknown => ({
      ...unknown,
      mechanismAt: (value) => {
        asked.push(value);
        return unknown.mechanismAt(value);
      },
    });
    const sigma = reached(counted(noiseUnknown({ samplingRate, steps })), target);
    expectMet(sigma, 2, 1e-5);
    expect(asked.length).toBeLessThanOrEqual(6);
    asked.length = 0;
    const most = reached(counted(stepsUnknown({ noiseMultiplier: sigma.value, samplingRate })), target);
    expect(most.value).toBe(steps);
    expect(asked.length).toBeLessThanOrEqual(6);
    asked.length = 0;
    const rate = reached(counted(rateUnknown({ noiseMultiplier: sigma.value, steps })), target);
    expect(Math.abs(rate.value / samplingRate - 1)).toBeLessThan(3e-6);
    expect(asked.length).toBeLessThanOrEqual(6);
  });
});

/** log δ falls there by a third or less of what it falls by in the 1 % before. */
test('targets just above a multiple of the least loss, where δ(ε) has a corner', () => {
  const scale = 100;
  for (const count of [12, 36])
    for (const multiple of [0.8 * count, 0.9 * count].map((each) => 2 * Math.round(each / 2)))
      for (const beyond of [1.001, 1.003]) {
        const epsilon = (beyond * multiple) / scale;
        const { upper } = account(wasm, repeat(laplace({ scale, sensitivity: 1 }), count), ADD_REMOVE).delta(
          epsilon,
        );
        const answer = reached(scaleUnknown({ sensitivity: 1, count }), { epsilon, delta: upper });
        expectMet(answer, epsilon, upper);
      }
});

describe('other targets and mechanisms', () => {
  test('zCDP and Rényi', () => {
    const rho = reached(noiseUnknown({ steps: 10 }), { rho: 0.5 });
    expect(rho.value).toBeCloseTo(Math.sqrt(10), 5);
    expect(rho.achieved['rho']!.upper).toBeLessThanOrEqual(0.5);
    const renyi = reached(noiseUnknown({ steps: 4 }), { renyi: 3, order: 6 });
    expect(renyi.value).toBeCloseTo(2, 5);
    const sampled = reached(noiseUnknown({ samplingRate: 0.01, steps: 100 }), {
      renyi: 0.1,
      order: 8,
    });
    expect(sampled.achieved['renyi']!.upper).toBeLessThanOrEqual(0.1);
    expect(sampled.achieved['renyi']!.upper).toBeGreaterThan(0.1 * (1 - 2e-6));
  });

  test('Laplace to a ρ: ε − 1 + e^{−ε}, its divergence of order 1, which no less does for', () => {
    for (const [rho, count] of [
      [0.5, 1],
      [2, 10],
      [1e-4, 3],
    ] as const) {
      const { value, achieved } = reached(scaleUnknown({ sensitivity: 2, count }), { rho });
      const first = (scale: number): number => count * (2 / scale + Math.expm1(-2 / scale));
      expect(first(value)).toBeLessThanOrEqual(rho * (1 + 1e-9));
      expect(first(value)).toBeGreaterThan(rho * (1 - 3e-6));
      const met = achieved['rho']!;
      expect(met.upper).toBeLessThanOrEqual(rho);
      expect(Math.abs(met.lower / first(value) - 1)).toBeLessThan(1e-9);
    }
  });

  /** Σ q(i)·(p(i)/q(i))^α of two laws on the whole numbers, as a divergence. */
  const divergence = (p: readonly number[], q: readonly number[], order: number): number =>
    Math.log(p.reduce((sum, x, i) => sum + q[i] * (x / q[i]) ** order, 0)) / (order - 1);

  test('what is only bounded has the loss itself in its bracket: k-ary randomised response to a ρ', () => {
    const answers = (epsilon: number): readonly number[] => {
      const all = Math.exp(epsilon) + 4;
      return [Math.exp(epsilon) / all, 1 / all, 1 / all, 1 / all, 1 / all];
    };
    const unknown: Unknown = {
      name: 'spread',
      least: 0.01,
      most: 100,
      larger: 'more-private',
      mechanismAt: (spread) => randomizedResponse({ epsilon: 1 / spread, categories: 5 }),
    };
    const { value, achieved } = reached(unknown, { rho: 0.5 });
    const [p, [first, second, ...rest]] = [answers(1 / value), answers(1 / value)];
    const orders = Array.from({ length: 2000 }, (_, i) => 1 + 1.005 ** (i + 1) / 1e3);
    const rho = Math.max(...orders.map((order) => divergence(p, [second, first, ...rest], order) / order));
    expect(achieved['rho']!.lower).toBeLessThanOrEqual(rho);
    expect(achieved['rho']!.upper).toBeGreaterThanOrEqual(rho);
  });

  test('… and discrete Gaussian noise to a divergence of an order that is not whole', () => {
    const unknown = discreteGaussianUnknown(0.3, 100);
    const { value, achieved } = reached(unknown, { renyi: 4, order: 2.5 });
    const masses = (centre: number): number[] => {
      const weights = Array.from({ length: 33 }, (_, i) =>
        Math.exp(-((i - 16 - centre) ** 2) / (2 * value ** 2)),
      );
      const sum = weights.reduce((a, b) => a + b, 0);
      return weights.map((weight) => weight / sum);
    };
    const exact = divergence(masses(1), masses(0), 2.5);
    expect(achieved['renyi']!.lower).toBeLessThanOrEqual(exact);
    expect(achieved['renyi']!.upper).toBeGreaterThanOrEqual(exact);
  });

  test.each([
    // 1 − β at α = 0.1 is 0.1e
    [
      'breakpoints',
      (x: number) => tradeoffPoints({ points: [{ alpha: 0.1, beta: 0.9 - 0.5 / (1 + x) }] }),
      0.5 / (0.1 * (Math.E - 1)) - 1,
    ],
    // log(1 + (e^{1/x} − 1)/10) = 1
    [
      'a table on a sample',
      (x: number) => poissonSubsampled(tabulated({ points: [{ epsilon: 1 / x, delta: 0 }] }), { rate: 0.1 }),
      1 / Math.log(10 * Math.E - 9),
    ],
  ])('pure DP of what states its losses by other means: %s', (_, mechanismAt, exact) => {
    const unknown: Unknown = { name: 'x', least: 0.01, most: 100, larger: 'more-private', mechanismAt };
    const { value, achieved } = reached(unknown, { epsilon: 1, delta: 0 });
    expect(value).toBeGreaterThanOrEqual(exact * (1 - 1e-9));
    expect(value).toBeLessThan(exact * (1 + 1e-5));
    expect(achieved['epsilon']!.upper).toBeLessThanOrEqual(1);
  });

  test('Laplace: pure DP, (ε, δ)-DP by its closed form', () => {
    const pure = reached(scaleUnknown({ sensitivity: 3 }), { epsilon: 0.5, delta: 0 });
    expect(pure.value).toBeCloseTo(6, 4);
    expect(pure.achieved['epsilon']!.upper).toBeLessThanOrEqual(0.5);
    // δ = 1 − e^{(ε − Δ/b)/2}
    const [epsilon, delta] = [0.5, 1e-3];
    const approximate = reached(scaleUnknown({ sensitivity: 3 }), { epsilon, delta });
    expect(approximate.value / (3 / (epsilon - 2 * Math.log1p(-delta)))).toBeCloseTo(1, 6);
    expectMet(approximate, epsilon, delta);
  });

  test('a target that is met exactly: twenty queries of 0.05 spend 1', () => {
    const count = unknownOf('count', (queries) => repeat(laplace({ scale: 20, sensitivity: 1 }), queries));
    expect(reached(count, { epsilon: 1, delta: 0 }).value).toBe(20);
  });

  test('replace-one needs twice the noise', () => {
    const target = { epsilon: 1, delta: 1e-6 };
    const one = calibrate(reference, noiseUnknown(), target, { adjacency: 'replace-one' });
    const two = calibrate(reference, noiseUnknown(), target, ADD_REMOVE);
    expect(one.value / two.value).toBeCloseTo(2, 6);
  });

  test('any mechanism by a unknown of one’s own', () => {
    const unknown = discreteGaussianUnknown(0.1, 1e4);
    const answer = reached(unknown, { epsilon: 4.49959098, delta: 1e-6 });
    expect(answer.value).toBeCloseTo(1, 7);
  });
});

describe('edges', () => {
  test('out of reach, with the reason', () => {
    const answer = calibrate(
      wasm,
      rateUnknown({ noiseMultiplier: 1, steps: 10 }),
      { epsilon: 1, delta: 0 },
      ADD_REMOVE,
    );
    expect(answer.reached).toBe(false);
    if (!answer.reached)
      expect(answer.reason).toMatch(
        /^epsilon is infinite whatever the sampling rate: Gaussian noise never gives delta 0/,
      );
    const tooMuch = calibrate(
      wasm,
      stepsUnknown({ noiseMultiplier: 0.1 }),
      { epsilon: 1, delta: 1e-5 },
      ADD_REMOVE,
    );
    expect(tooMuch).toMatchObject({ reached: false, value: 1 });
  });

  test('a target met over the whole range says so', () => {
    const all = reached(rateUnknown({ noiseMultiplier: 100, steps: 1 }), { epsilon: 1, delta: 1e-5 });
    expect(all).toMatchObject({ value: 1, atLimit: true });
    const free = reached(noiseUnknown({ samplingRate: 0 }), { epsilon: 1, delta: 1e-5 });
    expect(free).toMatchObject({ value: 1e-9, atLimit: true });
    expect(
      reached(stepsUnknown({ noiseMultiplier: 1, samplingRate: 0 }), { epsilon: 1, delta: 1e-5 }).atLimit,
    ).toBe(true);
  });

  test('roots below 0.05 and above 1e4', () => {
    const closed = reached(noiseUnknown({ samplingRate: 0.3 }), { epsilon: 3000, delta: 1e-5 });
    expect(closed.value).toBeLessThan(0.05);
    expectMet(closed, 3000, 1e-5);
    const large = reached(noiseUnknown({ steps: 10000 }), { epsilon: 0.01, delta: 1e-9 });
    expect(large.value).toBeGreaterThan(1e4);
    expectMet(large, 0.01, 1e-9);
  });

  test('refuses what is wrong, by name', () => {
    const unknown = noiseUnknown();
    const with_ =
      (target: unknown, options: object = {}) =>
      () =>
        calibrate(wasm, unknown, target as Target, { ...ADD_REMOVE, ...options });
    expect(with_({ epsilon: -1, delta: 1e-5 })).toThrow(
      /"epsilon" must be a number in \[0, 1000000\], got -1/,
    );
    expect(with_({ epsilon: 1 })).toThrow(/"target" must be one of/);
    expect(with_({ epsilon: 1, delta: 1e-5, mu: 1 })).toThrow(TypeError);
    expect(with_({ epsilon: 1, delta: 1 })).toThrow(/"delta"/);
    expect(with_({ truePositiveRate: 0.1, falsePositiveRate: 0.2 })).toThrow(/"falsePositiveRate"/);
    expect(with_({ mu: 1 }, { tolerance: 1 })).toThrow(/"tolerance"/);
    expect(with_({ mu: 1 }, { adjacency: 'both' })).toThrow(/"adjacency"/);
    expect(() => calibrate(wasm, {} as Unknown, { mu: 1 }, ADD_REMOVE)).toThrow(/"unknown"/);
    expect(() => noiseUnknown({ steps: 1.5 })).toThrow(/"steps"/);
    expect(() => rateUnknown({ noiseMultiplier: -1 })).toThrow(/"noiseMultiplier"/);
    expect(() => scaleUnknown({ sensitivity: 0 })).toThrow(/"sensitivity"/);
    expect(() => calibrate(wasm, { ...unknown, least: 0 }, { mu: 1 }, ADD_REMOVE)).toThrow(/"unknown.least"/);
  });

  test('a mechanism that does not depend on the unknown ends', () => {
    const unknown: Unknown = {
      name: 'nothing',
      least: 1,
      most: 10,
      larger: 'more-private',
      mechanismAt: () => repeat(gaussian({ noiseMultiplier: 1 }), 3),
    };
    expect(calibrate(wasm, unknown, { epsilon: 1, delta: 1e-5 }, ADD_REMOVE).reached).toBe(false);
    expect(calibrate(wasm, unknown, { epsilon: 100, delta: 1e-5 }, ADD_REMOVE)).toMatchObject({
      value: 1,
      atLimit: true,
    });
  });
});
