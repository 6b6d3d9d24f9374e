import { describe, expect, test } from 'vitest';
import { keptOf } from '../../src/bounds/kept-moments.js';
import { epsilonFromDivergences, logDeltaFromDivergences } from '../../src/bounds/renyi-accountant.js';
import {
  account,
  approximateDp,
  compose,
  discreteGaussian,
  discreteLaplace,
  dividedSgd,
  dpSgd,
  joint,
  type Mechanism,
  poissonSubsampled,
  pureDp,
  repeat,
  select,
  tabulated,
  tradeoffPoints,
} from '../../src/index.js';
import { atomsOf } from '../../src/law/pair.js';
import { type Basic, pairOf } from '../../src/mechanism/pairs.js';
import { type Step, stepsOf } from '../../src/mechanism/steps.js';
import type { Tries } from '../../src/mechanism/tries.js';
import { wasm } from '../helpers/runs.js';

/** Masses of an output: without the record, and with it. */
type Output = readonly [p: number, q: number];

/** Outputs of a step, by the definition of a Poisson sample. */
function outputsOf({ mechanism, sampling, rate: drawn }: Step): Output[] {
  const { p, q, infinity, minusInfinity, beyond = 0 } = atomsOf(pairOf(mechanism))!;
  const rate = sampling === 'poisson' ? drawn : 1;
  const plain: Output[] = Array.from(p, (mass, i) => [mass, q[i]]);
  // what is beyond those listed is taken to tell all
  const whole: Output[] = [...plain, [0, infinity + beyond], [minusInfinity + beyond, 0]];
  return whole.map(([a, b]) => [a, (1 - rate) * a + rate * b]);
}

/** δ(ε) of all steps together, by all their outputs, in the direction where it is the larger. */
function deltaOf(steps: readonly Step[], epsilon: number): number {
  const all = steps.flatMap((step) => Array.from({ length: step.count }, () => outputsOf(step)));
  let whole: Output[] = [[1, 1]];
  for (const outputs of all)
    whole = whole.flatMap(([a, b]) => outputs.map(([p, q]): Output => [a * p, b * q]));
  const sum = (gain: (output: Output) => number): number =>
    whole.reduce((total, output) => total + Math.max(0, gain(output)), 0);
  const factor = Math.exp(epsilon);
  return Math.max(
    sum(([p, q]) => q - factor * p),
    sum(([p, q]) => p - factor * q),
  );
}

const sampled = (inner: Parameters<typeof poissonSubsampled>[0], rate: number): Mechanism =>
  poissonSubsampled(inner, { rate });
const noise = discreteGaussian({ sigma: 0.4, sensitivity: 1 });
const table = tabulated({
  points: [
    { epsilon: 0.3, delta: 0.05 },
    { epsilon: 1.2, delta: 0.004 },
  ],
});
const polygon = tradeoffPoints({ points: [{ alpha: 0.1, beta: 0.55 }] });

test.each<[string, Mechanism]>([
  ['tables', repeat(table, 3)],
  ['sampled tables', repeat(sampled(table, 0.2), 3)],
  ['polygons', repeat(polygon, 4)],
  [
    'sampled polygons, of a mass at ∞',
    repeat(sampled(tradeoffPoints({ points: [{ alpha: 0, beta: 0.9 }] }), 0.3), 3),
  ],
  ['(ε, δ)', repeat(approximateDp({ epsilon: 0.5, delta: 0.02 }), 3)],
  ['sampled (ε, δ)', repeat(sampled(approximateDp({ epsilon: 1.5, delta: 0.02 }), 0.1), 3)],
  ['sampled discrete noise', repeat(sampled(noise, 0.1), 2)],
  [
    'unlike ones',
    compose([
      sampled(
        joint({ parts: [discreteLaplace({ scale: 1.09, sensitivity: 1 }), pureDp({ epsilon: 0.4 })] }),
        0.3,
      ),
      approximateDp({ epsilon: 0.5, delta: 0.02 }),
      sampled(noise, 0.4),
    ]),
  ],
])('%s: what divergences prove is never below the composition, and near it', (_, mechanism) => {
  const steps = stepsOf(mechanism);
  const { divergence, lost } = keptOf(steps, 'add-remove');
  for (const epsilon of [0, 0.3, 1, 2, 4, 7]) {
    const exact = deltaOf(steps, epsilon);
    const bound = Math.exp(logDeltaFromDivergences(divergence, epsilon, 'tight').value) + lost;
    expect(bound).toBeGreaterThanOrEqual(exact * (1 - 1e-12));
    expect(bound).toBeLessThan(20 * exact + 1e-12);
  }
});

test.each(['forward', 'backward'] as const)(
  'of a pair that is not its own mirror image both directions count: %s',
  (role) => {
    // of a scale alone, which tells more in one direction
    const run = {
      noiseMultiplier: 1,
      samplingRate: 0.2,
      steps: 1,
      divisor: 'expected',
      parameters: 500,
      datasetSize: 40,
    } as const;
    const mechanism = { ...dividedSgd(run), attack: 'scale' } as Basic;
    const { divergence, lost } = keptOf([{ mechanism, sampling: 'all', rate: 1, count: 1 }], 'add-remove');
    for (const epsilon of [0.1, 1, 3, 5]) {
      const { value } = logDeltaFromDivergences(divergence, epsilon, 'tight');
      const exact = pairOf(mechanism)[role].logDelta(epsilon).lower;
      expect(Math.log(Math.exp(value) + lost)).toBeGreaterThanOrEqual(exact);
    }
  },
);

test.each([0.1, 1e-6])(
  'a run of many unlike lattices has an end where effort is spent, at tolerance %d',
  (tolerance) => {
    const parts = Array.from({ length: 6 }, (_, i) =>
      repeat(
        sampled(joint({ parts: [discreteGaussian({ sigma: 0.9 + i / 97, sensitivity: 2 }), table] }), 0.02),
        40 + i,
      ),
    );
    const { upper } = account(wasm, compose(parts), { effort: 0.05, tolerance }).epsilon(0.5);
    expect(upper).toBeLessThan(4);
  },
);

/** Orders of a list, all of them. */
function ordersOf<T>(list: readonly T[]): T[][] {
  if (list.length < 2) return [[...list]];
  return list.flatMap((first, i) => ordersOf(list.filter((_, k) => k !== i)).map((rest) => [first, ...rest]));
}

/** φ of each law of the number of tries. */
const TRIES: readonly (readonly [Tries, (s: number) => number])[] = [
  [{ kind: 'negative-binomial', eta: 1, gamma: 0.1 }, (s) => (0.1 * s) / (1 - 0.9 * s)],
  [{ kind: 'negative-binomial', eta: 0, gamma: 0.05 }, (s) => Math.log(1 - 0.95 * s) / Math.log(0.05)],
  [
    { kind: 'negative-binomial', eta: 2.5, gamma: 0.3 },
    (s) => ((1 - 0.7 * s) ** -2.5 - 1) / (0.3 ** -2.5 - 1),
  ],
  [{ kind: 'poisson', mean: 6 }, (s) => Math.exp(6 * (s - 1))],
  [{ kind: 'poisson', mean: 0.4 }, (s) => Math.exp(0.4 * (s - 1))],
  [{ kind: 'binomial', trials: 9, probability: 0.4 }, (s) => (0.6 + 0.4 * s) ** 9],
  [{ kind: 'fixed', count: 4 }, (s) => s ** 4],
  [{ kind: 'table', probabilities: [0.25, 0.25, 0, 0.5] }, (s) => 0.25 + 0.25 * s + 0.5 * s ** 3],
];

describe.each(TRIES)('tries %o', (runs, phi) => {
  /** The law of what is published, "nothing" among it, where the outputs have those masses from the worst score to the best. */
  const publishedOf = (masses: readonly number[]): number[] => {
    let below = 0;
    const chances = masses.map((mass) => {
      const before = phi(below);
      below = Math.min(1, below + mass);
      return phi(below) - before;
    });
    return [phi(0), ...chances];
  };

  test.each<[string, Mechanism]>([
    [
      'four outputs',
      tabulated({
        points: [
          { epsilon: 0.4, delta: 0.08 },
          { epsilon: 1.1, delta: 0 },
        ],
      }),
    ],
    ['a sample', sampled(pureDp({ epsilon: 1.6 }), 0.2)],
    ['little noise', joint({ parts: [pureDp({ epsilon: 2 }), pureDp({ epsilon: 0.7 })] })],
  ])('%s: no order of the outputs publishes a law of larger divergence, in either direction', (_, inner) => {
    const outputs = outputsOf(stepsOf(inner)[0]).filter(([p, q]) => p + q > 0);
    const { divergence, lost } = keptOf(stepsOf(select({ runs, inner: inner as never })), 'add-remove');
    expect(lost).toBe(0);
    for (const order of [1.2, 2, 5, 30]) {
      const bound = divergence(order);
      for (const scores of ordersOf(outputs)) {
        const [a, b] = [0, 1].map((i) => publishedOf(scores.map((output) => output[i])));
        const moment = (from: number[], to: number[]): number =>
          from.reduce((sum, mass, i) => sum + (mass > 0 ? mass ** order * to[i] ** (1 - order) : 0), 0);
        for (const exact of [moment(a, b), moment(b, a)])
          expect(bound).toBeGreaterThanOrEqual(Math.log(exact) / (order - 1) - 1e-9);
      }
      expect(bound).toBeLessThan(Infinity);
    }
  });
});

test.each([
  ['geometric', { kind: 'negative-binomial', eta: 1, mean: 10 } as Tries, 0.685, 0.391],
  ['Poisson', { kind: 'poisson', mean: 10 } as Tries, 0.99, 0.57],
])(
  '%s tries of DP-SGD: below what Papernot and Steinke 2022 prove of geometric ones, or near it',
  (_, runs, at3, at5) => {
    for (const [noiseMultiplier, most] of [
      [3, at3],
      [5, at5],
    ]) {
      const inner = dpSgd({ noiseMultiplier, samplingRate: 0.01, steps: 1000 });
      const { divergence } = keptOf(stepsOf(select({ runs, inner })), 'add-remove');
      expect(epsilonFromDivergences(divergence, Math.log(1e-5), 'tight').value).toBeLessThan(most);
    }
  },
);

test('ten searches one after the other have an upper end', () => {
  const inner = dpSgd({ noiseMultiplier: 5, samplingRate: 0.01, steps: 1000 });
  const ten = repeat(select({ runs: { kind: 'poisson', mean: 10 }, inner }), 10);
  // that of one is 0.57
  expect(account(wasm, ten, { tolerance: 0.1, effort: 0.2 }).epsilon(1e-5).upper).toBeLessThan(3.5);
});
