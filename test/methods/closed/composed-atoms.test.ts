import { describe, expect, test } from 'vitest';
import {
  account,
  approximateDp,
  certify,
  compose,
  discreteLaplace,
  type Mechanism,
  measure,
  poissonSubsampled,
  pureDp,
  randomizedResponse,
  repeat,
  verify,
} from '../../../src/index.js';
import { relativeWidth } from '../../helpers/brackets.js';
import { wasm } from '../../helpers/runs.js';

/** One step as [mass under the base, mass under the other] of each output. */
type Outputs = readonly (readonly [p: number, q: number])[];

/** δ of every sequence of outputs, one by one. */
function bruteForce(steps: readonly Outputs[], epsilon: number, remove: boolean): number {
  let delta = 0;
  const visit = (i: number, p: number, q: number): void => {
    if (i < steps.length) {
      for (const [a, b] of steps[i]) visit(i + 1, p * a, q * b);
      return;
    }
    const [base, other] = remove ? [p, q] : [q, p];
    delta += Math.max(0, other - Math.exp(epsilon) * base);
  };
  visit(0, 1, 1);
  return delta;
}

const sampled = (outputs: Outputs, rate: number): Outputs =>
  outputs.map(([p, q]) => [p, (1 - rate) * p + rate * q]);
const responses = (epsilon: number, others = 0): Outputs => {
  const unit = 1 / (Math.exp(epsilon) + 1 + others);
  const ends: Outputs = [
    [unit * Math.exp(epsilon), unit],
    [unit, unit * Math.exp(epsilon)],
  ];
  return others > 0 ? [...ends, [others * unit, others * unit]] : ends;
};

const runOf = (mechanism: Mechanism, options: object = {}) =>
  account(wasm, mechanism, { adjacency: 'add-remove', ...options });

describe('against every sequence of outputs', () => {
  const failing: Outputs = [
    [0.01, 0],
    ...responses(0.3).map(([p, q]) => [0.99 * p, 0.99 * q] as const),
    [0, 0.01],
  ];
  test.each<[string, Mechanism, Outputs[]]>([
    [
      'sampled pure DP',
      repeat(poissonSubsampled(pureDp({ epsilon: 1 }), { rate: 0.1 }), 8),
      Array.from({ length: 8 }, () => sampled(responses(1), 0.1)),
    ],
    [
      'sampled randomised response beside another rate',
      compose([
        repeat(poissonSubsampled(randomizedResponse({ epsilon: 0.7, categories: 5 }), { rate: 0.3 }), 4),
        repeat(poissonSubsampled(randomizedResponse({ epsilon: 0.7, categories: 5 }), { rate: 0.05 }), 2),
      ]),
      [
        ...Array.from({ length: 4 }, () => sampled(responses(0.7, 3), 0.3)),
        ...Array.from({ length: 2 }, () => sampled(responses(0.7, 3), 0.05)),
      ],
    ],
    [
      'sampled steps that may fail',
      repeat(poissonSubsampled(approximateDp({ epsilon: 0.3, delta: 0.01 }), { rate: 0.2 }), 5),
      Array.from({ length: 5 }, () => sampled(failing, 0.2)),
    ],
  ])('%s', (_name, mechanism, outputs) => {
    const run = runOf(mechanism);
    expect(run.method).toBe('closed-form');
    for (const epsilon of [-0.2, 0, 0.01, 0.1, 0.35, 0.6]) {
      const exact = Math.max(bruteForce(outputs, epsilon, true), bruteForce(outputs, epsilon, false));
      const { lower, upper } = run.delta(epsilon);
      expect(lower).toBeLessThanOrEqual(exact * (1 + 1e-13));
      expect(upper).toBeGreaterThanOrEqual(exact * (1 - 1e-13));
      if (exact > 0) expect(upper - lower).toBeLessThan(1e-12 * exact);
    }
  });
});

describe('long runs', () => {
  test.each<[string, Mechanism]>([
    ['pure DP', repeat(poissonSubsampled(pureDp({ epsilon: 1 }), { rate: 0.1 }), 60)],
    ['low rate', repeat(poissonSubsampled(pureDp({ epsilon: 1 }), { rate: 0.01 }), 2000)],
    [
      'four categories',
      repeat(poissonSubsampled(randomizedResponse({ epsilon: 1, categories: 4 }), { rate: 0.1 }), 40),
    ],
    [
      'geometric noise',
      repeat(poissonSubsampled(discreteLaplace({ scale: 3, sensitivity: 1 }), { rate: 0.1 }), 50),
    ],
  ])('%s: as the grid and the smoothing have it, narrower', (_name, mechanism) => {
    const run = runOf(mechanism);
    expect(run.method).toBe('closed-form');
    const others = [
      runOf(mechanism, { method: 'grid', tolerance: 1e-3 }),
      runOf(mechanism, { method: 'spectral' }),
    ];
    for (const delta of [1e-2, 1e-5, 1e-8]) {
      const epsilon = run.epsilon(delta);
      expect(relativeWidth(epsilon)).toBeLessThan(1e-10);
      for (const other of others) expect(epsilon).toOverlap(other.epsilon(delta));
    }
    expect(relativeWidth(measure(run).mu)).toBeLessThan(1e-9);
  });

  test('confirmed by the verifier', () => {
    const run = runOf(repeat(poissonSubsampled(pureDp({ epsilon: 1 }), { rate: 0.1 }), 60));
    for (const epsilon of [0.3, 1, 3]) expect(verify(certify(run, { epsilon })).verdict).toBe('confirmed');
  });

  test('deep tails whose masses are no doubles', () => {
    const run = runOf(repeat(poissonSubsampled(pureDp({ epsilon: 2 }), { rate: 0.001 }), 60_000));
    expect(run.method).toBe('closed-form');
    // 60,000 times the largest loss of a step, log(1 + 0.001(e² − 1))
    const largest = 60_000 * Math.log1p(0.001 * Math.expm1(2));
    const bracket = run.logDelta(0.95 * largest);
    expect(bracket.upper).toBeGreaterThan(-Infinity);
    expect(bracket.upper).toBeLessThan(-600);
    expect(run.logDelta(1.001 * largest)).toEqual({ lower: -Infinity, upper: -Infinity });
    expect(relativeWidth(run.epsilon(1e-10))).toBeLessThan(1e-8);
  });

  test('what would be too many losses is left to the other methods', () => {
    const many = repeat(poissonSubsampled(pureDp({ epsilon: 0.5 }), { rate: 0.01 }), 100_000);
    expect(runOf(many).method).not.toBe('closed-form');
    const wide = poissonSubsampled(discreteLaplace({ scale: 5e5, sensitivity: 1e6 }), { rate: 0.1 });
    expect(() => runOf(repeat(wide, 2), { method: 'closed-form' })).toThrow(
      '"method" must be auto, spectral or grid',
    );
  });
});

test('a lattice of losses in closed form, when asked for', () => {
  const mechanism = repeat(pureDp({ epsilon: 0.2 }), 50);
  const listed = runOf(mechanism, { method: 'closed-form' });
  expect(runOf(mechanism).method).toBe('grid');
  for (const delta of [1e-2, 1e-5, 1e-8]) {
    expect(listed.epsilon(delta)).toOverlap(runOf(mechanism).epsilon(delta));
  }
  expect(listed.epsilon(0)).toContainValue(10);
});
