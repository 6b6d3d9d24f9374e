import { describe, expect, test } from 'vitest';
import {
  account,
  gaussian,
  gdp,
  poissonSubsampled,
  pureDp,
  selectBest,
  type Tries,
} from '../../src/index.js';
import { normalCdf } from '../../src/numeric/scalar.js';
import { seeded } from '../helpers/random.js';
import { reference, wasm } from '../helpers/runs.js';

const base = (mu: number, engine = wasm) => account(engine, gdp({ mu }), { adjacency: 'add-remove' });
const geometric = (mean: number): Tries => ({ kind: 'negative-binomial', eta: 1, gamma: 1 / mean });
const logarithmic: Tries = { kind: 'negative-binomial', eta: 0, gamma: 0.0269182596 };

describe.each([wasm, reference])('Gaussian base', (engine) => {
  // c to 30 digits, and the ends that orders of the outputs reach, by mpmath
  test.each<[number, Tries, number, number, number]>([
    [0.5, logarithmic, 0.683523003, 2.937607653, 2.83429],
    [0.5, { kind: 'poisson', mean: 10 }, 1.974126513658474, 4.228211, 3.81104],
    [1, logarithmic, 1.32654995, 6.213104066, 6.0659],
    [1, geometric(10), 1.73096583, 6.617519947, 6.40312],
    [1, geometric(40), 2.70316596, 7.873156849, 7.58602],
    [1, { kind: 'poisson', mean: 40 }, 15.316997, 20.486988, 17.67089],
  ])('mu %f, %j', (mu, tries, c, upper, reached) => {
    const selection = selectBest(base(mu, engine), { tries });
    expect(Math.abs(selection.costs[0] / c - 1)).toBeLessThan(1e-7);
    const epsilon = selection.epsilon(1e-5);
    expect(Math.abs(epsilon.upper / upper - 1)).toBeLessThan(1e-6);
    expect(epsilon.upper).toBeGreaterThan(reached);
    expect(epsilon.lower).toBeLessThan(reached);
    expect(epsilon.lower).toBeGreaterThan(0.99 * base(mu).epsilon(1e-5).lower);
  });
});

test('one try gives the bits of the base', () => {
  const run = base(1);
  const { costs, epsilon } = selectBest(run, { tries: { kind: 'negative-binomial', eta: 1, gamma: 1 } });
  expect(costs).toEqual([0]);
  expect(epsilon(1e-5)).toEqual(run.epsilon(1e-5));
});

test('a pure base costs 3 epsilon at eta = 1 as gamma goes to 0, and no more', () => {
  const run = account(wasm, pureDp({ epsilon: 0.5 }), { adjacency: 'add-remove' });
  const { costs } = selectBest(run, { tries: { kind: 'negative-binomial', eta: 1, gamma: 1e-9 } });
  expect(costs[0]).toBeGreaterThan(2 * 0.5 * (1 - 1e-6));
  expect(costs[0]).toBeLessThan(2 * 0.5 * (1 + 1e-7));
});

test('Poisson: the constant is the mean times the advantage', () => {
  const run = base(0.8);
  const { costs } = selectBest(run, { tries: { kind: 'poisson', mean: 7 } });
  expect(costs[0]).toBeGreaterThanOrEqual(7 * run.advantage().lower);
  expect(costs[0]).toBeLessThan(7 * run.advantage().upper * (1 + 1e-7));
});

test('monotone in tries, and the directions are told apart', () => {
  const run = account(wasm, poissonSubsampled(gaussian({ noiseMultiplier: 1 }), { rate: 0.05 }), {
    adjacency: 'add-remove',
  });
  const many = [2, 5, 20, 100].map((mean) => selectBest(run, { tries: geometric(mean) }));
  for (const { costs } of many) expect(Math.abs(costs[0] / costs[1] - 1)).toBeGreaterThan(1e-3);
  const ends = many.map((each) => each.epsilon(1e-5));
  for (const [i, { lower, upper }] of ends.entries()) {
    expect(lower).toBeLessThanOrEqual(upper);
    if (i > 0) expect(upper).toBeGreaterThan(ends[i - 1].upper);
  }
});

test('bad tries are refused by name', () => {
  for (const [tries, message] of [
    [undefined, '"tries" must be an object'],
    [{ kind: 'fixed' }, '"tries.kind" must be one of'],
    [{ kind: 'poisson', mean: 0 }, '"tries.mean" must be'],
    [{ kind: 'negative-binomial', eta: -1, gamma: 0.1 }, '"tries.eta" must be'],
    [{ kind: 'negative-binomial', eta: 1, gamma: 0 }, '"tries.gamma" must be'],
  ] as const)
    expect(() => selectBest(base(1), { tries: tries as Tries })).toThrow(message);
});

/** Generating functions of the numbers of tries, with φ(0) = P[no try]. */
const generating = (tries: Tries) => (s: number) => {
  if (tries.kind === 'poisson') return Math.exp(tries.mean * (s - 1));
  const rest = 1 - tries.gamma;
  if (tries.eta === 0) return Math.log(1 - rest * s) / Math.log(tries.gamma);
  return ((1 - rest * s) ** -tries.eta - 1) / (tries.gamma ** -tries.eta - 1);
};

test('no score on cells of the output gets beyond the upper end, in any order of them', () => {
  const random = seeded(5);
  let closest = 0;
  for (const mu of [0.5, 1]) {
    for (const tries of [logarithmic, geometric(10), { kind: 'poisson', mean: 4 } as Tries]) {
      const phi = generating(tries);
      const selection = selectBest(base(mu), { tries });
      for (let round = 0; round < 400; round++) {
        const delta = 10 ** (-1 - 3 * random());
        const cuts = Array.from({ length: 2 + Math.floor(4 * random()) }, () => 8 * random() - 3.5);
        const edges = [-Infinity, ...cuts.sort((a, b) => a - b), Infinity];
        const mass = (shift: number) =>
          edges.slice(1).map((edge, i) => normalCdf(edge - shift) - normalCdf(edges[i] - shift));
        const worlds = random() < 0.5 ? [mass(mu), mass(0)] : [mass(0), mass(mu)];
        const order = worlds[0].map((_, i) => [random(), i] as const).sort(([a], [b]) => a - b);
        // cells from the worst score to the best
        const published = worlds.map((masses) => {
          let below = 0;
          return order.map(([, i]) => {
            const before = phi(below);
            below = Math.min(1, below + masses[i]);
            return phi(below) - before;
          });
        });
        const { lower, upper } = selection.epsilon(delta);
        expect(lower).toBeLessThanOrEqual(upper);
        const reached = published[0].reduce(
          (sum, p, i) => sum + Math.max(0, p - Math.exp(upper) * published[1][i]),
          0,
        );
        expect(reached).toBeLessThanOrEqual(delta * (1 + 1e-9));
        closest = Math.max(closest, reached / delta);
      }
    }
  }
  expect(closest).toBeGreaterThan(0);
});

test('a score that puts small outputs first, then large ones, reaches nearly the upper end', () => {
  const tries = geometric(10);
  const phi = generating(tries);
  const { upper } = selectBest(base(1), { tries }).epsilon(1e-5);
  const edges = Array.from({ length: 3401 }, (_, i) => -8 + i / 200);
  /** δ at ε where outputs below `cut` score best, then from the largest down. */
  const delta = (epsilon: number, cut: number): number => {
    const parts = [
      [-Infinity, cut],
      ...edges
        .filter((x) => x > cut)
        .map((x, i, all) => [i === 0 ? cut : all[i - 1], x])
        .reverse(),
    ];
    let [above, above2, sum] = [1, 1, 0];
    for (const [low, high] of parts) {
      const [next, next2] = [1, 0].map((m, i) =>
        Math.max(0, [above, above2][i] - (normalCdf(high - m) - normalCdf(low - m))),
      );
      sum += Math.max(0, phi(above) - phi(next) - Math.exp(epsilon) * (phi(above2) - phi(next2)));
      [above, above2] = [next, next2];
    }
    return sum;
  };
  const cuts = Array.from({ length: 40 }, (_, i) => -4 + i / 10);
  const best = (epsilon: number) => Math.max(...cuts.map((cut) => delta(epsilon, cut)));
  expect(best(6.39)).toBeGreaterThan(1e-5);
  expect(best(upper)).toBeLessThan(1e-5);
});
