/** Ledgers of unlike guarantees against the list of all outcomes of their dominating pairs. */
import { describe, expect, test } from 'vitest';
import {
  account,
  approximateDp,
  compose,
  discreteGaussian,
  discreteLaplace,
  dpSgd,
  gdp,
  laplace,
  type Mechanism,
  pureDp,
  randomizedResponse,
  rdp,
  repeat,
  zcdp,
} from '../../src/index.js';
import { LONG_TESTS } from '../helpers/long.js';
import { seeded } from '../helpers/random.js';
import { reference, wasm } from '../helpers/runs.js';

interface Outcome {
  loss: number;
  q: number;
}

/** Losses with their chances in the world that has the losses, one by one. */
const response = (epsilon: number, categories = 2): Outcome[] => {
  const all = Math.exp(epsilon) + categories - 1;
  return [
    { loss: epsilon, q: Math.exp(epsilon) / all },
    { loss: -epsilon, q: 1 / all },
    ...(categories > 2 ? [{ loss: 0, q: (categories - 2) / all }] : []),
  ];
};
const failing = (epsilon: number, delta: number): Outcome[] => [
  { loss: Infinity, q: delta },
  ...response(epsilon).map(({ loss, q }) => ({ loss, q: q * (1 - delta) })),
];
const geometric = (scale: number): Outcome[] => {
  const a = Math.exp(-1 / scale);
  return [
    { loss: 1 / scale, q: 1 / (1 + a) },
    { loss: -1 / scale, q: a / (1 + a) },
  ];
};

/** Σ q (1 − e^{ε − L})⁺ over all outcomes, each step splitting those of the ones before. */
function deltaOf(steps: readonly Outcome[][], epsilon: number): number {
  let sums: Outcome[] = [{ loss: 0, q: 1 }];
  for (const step of steps)
    sums = sums.flatMap((sum) => step.map(({ loss, q }) => ({ loss: sum.loss + loss, q: sum.q * q })));
  return sums.reduce(
    (total, { loss, q }) => total + (loss > epsilon ? q * -Math.expm1(epsilon - loss) : 0),
    0,
  );
}

const random = seeded(61);
const epsilons = (n: number): number[] => Array.from({ length: n }, () => 0.02 + 0.48 * random());

const LEDGERS: [string, Mechanism, Outcome[][]][] = [
  [
    'three geometric noises and two guarantees',
    compose([
      repeat(discreteLaplace({ scale: 1.362893228504, sensitivity: 1 }), 3),
      repeat(pureDp({ epsilon: 1.430402775853 }), 2),
    ]),
    [...Array(3).fill(geometric(1.362893228504)), ...Array(2).fill(response(1.430402775853))],
  ],
  ...[5, 12, 18].map((n): [string, Mechanism, Outcome[][]] => {
    const each = epsilons(n);
    return [
      `${n} guarantees`,
      compose(each.map((epsilon) => pureDp({ epsilon }))),
      each.map((epsilon) => response(epsilon)),
    ];
  }),
  ...[4, 10].map((n): [string, Mechanism, Outcome[][]] => {
    const each = epsilons(n);
    return [
      `${n} answers of three`,
      compose(each.map((epsilon) => randomizedResponse({ epsilon, categories: 3 }))),
      each.map((epsilon) => response(epsilon, 3)),
    ];
  }),
  ...[6, 11].map((n): [string, Mechanism, Outcome[][]] => {
    const each = epsilons(n);
    return [
      `${n} with a δ`,
      compose(each.map((epsilon, i) => approximateDp({ epsilon, delta: 1e-8 * (1 + (i % 3)) }))),
      each.map((epsilon, i) => failing(epsilon, 1e-8 * (1 + (i % 3)))),
    ];
  }),
];

describe('unlike guarantees', () => {
  test.each(LEDGERS)('%s: δ is that of all outcomes', (_, mechanism, steps) => {
    const total = steps.reduce(
      (sum, [first, second]) => sum + Math.abs(first.loss < Infinity ? first.loss : second.loss),
      0,
    );
    const runs = [wasm, reference].map((engine) => account(engine, mechanism, { adjacency: 'add-remove' }));
    for (const share of [0.3, 0.6, 0.85]) {
      const exact = deltaOf(steps, share * total);
      for (const run of runs) {
        const { lower, upper } = run.delta(share * total);
        expect(lower).toBeLessThanOrEqual(exact * (1 + 1e-12));
        expect(upper).toBeGreaterThanOrEqual(exact * (1 - 1e-12));
        expect(upper / lower - 1).toBeLessThan(1e-4);
      }
    }
  });

  test.each([
    [20, 1e-6],
    [40, 1e-6],
  ])('%d of them: ε is sharp, and below their sum', (n, delta) => {
    const each = epsilons(n);
    for (const kind of n === 20 || LONG_TESTS ? ['pure', 'failing', 'answers'] : ['failing']) {
      const parts = each.map((epsilon) =>
        kind === 'pure'
          ? pureDp({ epsilon })
          : kind === 'failing'
            ? approximateDp({ epsilon, delta: delta / (2 * n) })
            : randomizedResponse({ epsilon, categories: 4 }),
      );
      const { lower, upper } = account(wasm, compose(parts), { adjacency: 'add-remove' }).epsilon(delta);
      expect(upper).toBeLessThan(each.reduce((sum, epsilon) => sum + epsilon, 0));
      expect(upper / lower - 1).toBeLessThan(1e-4);
    }
  });
});

describe('concentrated guarantees beside others', () => {
  const rest = [
    laplace({ scale: 5, sensitivity: 1 }),
    laplace({ scale: 7.3, sensitivity: 1 }),
    randomizedResponse({ epsilon: 0.3, categories: 4 }),
    dpSgd({ noiseMultiplier: 2, samplingRate: 0.01, steps: 500 }),
    discreteGaussian({ sigma: 4, sensitivity: 1 }),
    approximateDp({ epsilon: 0.1, delta: 1e-8 }),
  ];
  const table = [2, 4, 8, 16, 32, 64].map((order) => ({ order, epsilon: 0.022 * order }));
  test.each<[string, Mechanism]>([
    ['zCDP', zcdp({ rho: 0.1 })],
    ['Rényi', rdp({ points: table })],
    ['GDP', gdp({ mu: 0.4 })],
  ])('%s: ε is below every split of δ in two', (_, guarantee) => {
    const epsilon = (mechanism: Mechanism, delta: number) =>
      account(wasm, mechanism, { adjacency: 'add-remove' }).epsilon(delta);
    for (const n of LONG_TESTS ? [2, 4, 6] : [4]) {
      const others = compose(rest.slice(0, n));
      const { lower, upper } = epsilon(compose([guarantee, others]), 1e-6);
      for (const share of [0.1, 0.5, 0.9])
        expect(upper).toBeLessThan(
          epsilon(guarantee, share * 1e-6).upper + epsilon(others, (1 - share) * 1e-6).upper,
        );
      expect(lower).toBeGreaterThan(epsilon(others, 1e-6).lower);
    }
  });

  test('300 Rényi tables whose orders differ: the divergence of a higher order bounds that of a lower one', () => {
    const tables = Array.from({ length: 300 }, (_, r) =>
      rdp({
        points: [2, 8, 32].map((order) => ({ order: order + r / 300, epsilon: 5e-5 * (order + r / 300) })),
      }),
    );
    // by hand, at the order 32
    const divergence = tables.reduce((sum, { points }) => sum + points[2].epsilon, 0);
    const byHand = divergence + Math.log1p(-1 / 32) - (Math.log(1e-5) + Math.log(32)) / 31;
    expect(byHand).toBeLessThan(0.76);
    const { upper } = account(wasm, compose(tables), { adjacency: 'add-remove' }).epsilon(1e-5);
    expect(upper).toBeLessThanOrEqual(byHand * (1 + 1e-12));
  });
});
