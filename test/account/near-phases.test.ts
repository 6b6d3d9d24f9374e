import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { groupedSteps, runsBetween } from '../../src/account/near-phases.js';
import {
  account,
  cappedPoisson,
  compose,
  gaussian,
  gaussianMixture,
  laplace,
  parseMechanism,
  poissonSubsampled,
  pureDp,
  repeat,
  replacedGaussian,
  tcdp,
} from '../../src/index.js';
import type { Step } from '../../src/mechanism/steps.js';
import { relativeWidth } from '../helpers/brackets.js';
import { seeded } from '../helpers/random.js';
import { runOf, wasm } from '../helpers/runs.js';

const SAMPLING: { readonly people: { readonly epsilon: number; readonly delta: number } } = JSON.parse(
  readFileSync('test/golden/sampling.json', 'utf8'),
);

/** A pair of distributions on the same finite set: masses under the base and under the other. */
type Pair = readonly (readonly [p: number, q: number])[];

const sampledPair = (pair: Pair, rate: number): Pair => pair.map(([p, q]) => [p, (1 - rate) * p + rate * q]);
const composed = (a: Pair, b: Pair): Pair =>
  a.flatMap(([p, q]) => b.map(([r, s]) => [p * r, q * s] as const));
const exchanged = (pair: Pair): Pair => pair.map(([p, q]) => [q, p]);
/** The hockey-stick divergence by its definition. */
const hockeyStick = (pair: Pair, epsilon: number): number =>
  pair.reduce((sum, [p, q]) => sum + Math.max(0, q - Math.exp(epsilon) * p), 0);

/** N(0, σ²) and N(1, σ²) in cells of a tenth. */
function gaussianPair(sigma: number): Pair {
  const density = (x: number, at: number) =>
    Math.exp(-((x - at) ** 2) / (2 * sigma * sigma)) / (sigma * Math.sqrt(2 * Math.PI));
  const n = Math.ceil((16 * sigma + 1) / 0.1);
  return Array.from({ length: n }, (_, i) => {
    const x = -8 * sigma + 0.1 * i;
    return [0.1 * density(x, 0), 0.1 * density(x, 1)] as const;
  });
}

/** Masses in cells of a tenth of what two mixtures of Gaussians have at some places. */
function mixedPair(sigma: number, base: readonly number[][], other: readonly number[][]): Pair {
  const density = (x: number, parts: readonly number[][]) =>
    parts.reduce((sum, [weight, at]) => sum + weight * Math.exp(-((x - at) ** 2) / (2 * sigma * sigma)), 0) /
    (sigma * Math.sqrt(2 * Math.PI));
  const n = Math.ceil((16 * sigma + 3) / 0.1);
  return Array.from({ length: n }, (_, i) => {
    const x = -8 * sigma + 0.1 * i;
    return [0.1 * density(x, base), 0.1 * density(x, other)] as const;
  });
}

const mixturePair = (sigma: number): Pair =>
  mixedPair(
    sigma,
    [[1, 0]],
    [
      [0.7, 0],
      [0.2, 1],
      [0.1, 2.5],
    ],
  );

/** What displaces another record: 1 away in one world, 2 in the other. */
const cappedPair = (sigma: number): Pair =>
  mixedPair(
    sigma,
    [
      [0.8, 0],
      [0.2, 1],
    ],
    [
      [0.8, 0],
      [0.2, 2],
    ],
  );

function laplacePair(scale: number): Pair {
  const shares = Array.from({ length: 200 }, (_, i) => -20 * scale + (i * (40 * scale + 1)) / 200);
  const cdf = (x: number) => (x < 0 ? Math.exp(x / scale) / 2 : 1 - Math.exp(-x / scale) / 2);
  const width = (40 * scale + 1) / 200;
  return shares.map((x) => [cdf(x + width) - cdf(x), cdf(x + width - 1) - cdf(x - 1)] as const);
}

function discreteLaplacePair(scale: number, shift: number): Pair {
  const a = Math.exp(-1 / scale);
  const mass = (k: number) => (((1 - a) / (1 + a)) * a ** Math.abs(k)) as number;
  return Array.from({ length: 161 }, (_, i) => [mass(i - 80), mass(i - 80 - shift)] as const);
}

function randomisedPair(epsilon: number, categories: number): Pair {
  const most = Math.exp(epsilon) / (Math.exp(epsilon) + categories - 1);
  const least = most * Math.exp(-epsilon);
  return [
    [most, least],
    [least, most],
    ...Array.from({ length: categories - 2 }, () => [least, least] as const),
  ];
}

/** Losses y in [−ε, ε] with densities ∝ e^{∓y/2}, in 200 cells. */
function boundedRangePair(epsilon: number): Pair {
  const weight = 1 / (4 * Math.sinh(epsilon / 2));
  return Array.from({ length: 200 }, (_, i) => {
    const [a, b] = [i, i + 1].map((k) => epsilon * (k / 100 - 1));
    const fall = Math.exp(-a / 2) - Math.exp(-b / 2);
    return [2 * weight * fall, 2 * weight * (Math.exp(b / 2) - Math.exp(a / 2))] as const;
  });
}

/** Slack for what cells of a tenth do to a density. */
const CELLS = 2e-4;

describe('the theorem: less noise or a higher rate is never more private, at any epsilon', () => {
  const random = seeded(16);
  const rates = () => [random() ** 3, random() ** 3].sort((a, b) => a - b);
  const two = (from: number, to: number) =>
    [from + (to - from) * random(), from + (to - from) * random()].sort((a, b) => a - b);
  const cases: [string, (parameter: number) => Pair, () => number[], number][] = [
    ['Gaussian', gaussianPair, () => two(0.7, 2), CELLS],
    ['Laplace', laplacePair, () => two(0.5, 3), CELLS],
    ['discrete Laplace', (scale) => discreteLaplacePair(scale, 3), () => two(0.5, 5), 1e-6],
    ['randomised response', (loss) => randomisedPair(1 / loss, 4), () => two(0.3, 4), 1e-13],
    ['bounded range', (loss) => boundedRangePair(1 / loss), () => two(0.3, 4), 2e-5],
    ['mixture of Gaussians', mixturePair, () => two(0.7, 2), CELLS],
    ['full branch of a capped batch', cappedPair, () => two(0.7, 2), CELLS],
  ];
  test.each(cases)('%s, two steps composed, both directions', (_name, pairOf, parameters, slack) => {
    for (let round = 0; round < 12; round++) {
      // noise falls and rates rise from the better step to the worse
      const [[less, more], [low, high]] = [parameters(), rates()];
      const better = sampledPair(pairOf(more), low);
      const worse = sampledPair(pairOf(less), high);
      const other = sampledPair(pairOf(parameters()[0]), rates()[1]);
      for (const direction of [(pair: Pair) => pair, exchanged]) {
        const [low1, high1] = [better, worse].map(direction);
        const twice = round < 2 ? [better, worse].map((pair) => direction(composed(pair, other))) : [];
        for (const epsilon of [-0.5, 0, 0.01, 0.1, 0.5, 1, 2]) {
          expect(hockeyStick(low1, epsilon)).toBeLessThanOrEqual(hockeyStick(high1, epsilon) + slack);
          const [least = 0, most = 0] = twice.map((pair) => hockeyStick(pair, epsilon));
          expect(least).toBeLessThanOrEqual(most + slack);
        }
      }
    }
  });
});

/** The parameters by which privacy gets worse, as a person reads them. */
const lossOf = ({ mechanism }: Step): number =>
  mechanism.kind === 'gaussian'
    ? 1 / mechanism.noiseMultiplier
    : mechanism.kind === 'laplace'
      ? 1 / mechanism.scale
      : (mechanism as { epsilon: number }).epsilon;

describe('groups', () => {
  const random = seeded(160);
  const randomSteps = (n: number): Step[] =>
    Array.from({ length: n }, (): Step => {
      const kind = Math.floor(3 * random());
      const mechanism =
        kind === 0
          ? gaussian({ noiseMultiplier: 0.5 + random() })
          : kind === 1
            ? laplace({ scale: 1 + random(), sensitivity: 1 })
            : pureDp({ epsilon: random() });
      const rate = random() < 0.2 ? 1 : 0.001 + 0.1 * random();
      return {
        mechanism,
        rate,
        sampling: rate === 1 ? 'all' : 'poisson',
        count: 1 + Math.floor(5 * random()),
      };
    });

  test('200 random runs: every step has its place between the worst and the best of a group', () => {
    for (let round = 0; round < 200; round++) {
      const steps = randomSteps(12 + Math.floor(40 * random()));
      const { worse, better } = groupedSteps(steps, 7)!;
      expect(worse).toHaveLength(better.length);
      expect(worse.length).toBeLessThanOrEqual(7);
      for (const kind of ['gaussian', 'laplace', 'pure-dp']) {
        for (const sampling of ['all', 'poisson']) {
          const of = (list: readonly Step[]) =>
            list.filter((step) => step.mechanism.kind === kind && step.sampling === sampling);
          const total = (list: readonly Step[]) => of(list).reduce((sum, { count }) => sum + count, 0);
          expect([total(worse), total(better)]).toEqual([total(steps), total(steps)]);
          // at every threshold as many are at least as bad, and none is better than it is said to be
          for (const { mechanism, rate } of of(steps)) {
            const loss = lossOf({ mechanism, rate } as Step);
            const atLeast = (list: readonly Step[]) =>
              of(list)
                .filter((step) => lossOf(step) >= loss && step.rate >= rate)
                .reduce((sum, { count }) => sum + count, 0);
            expect(atLeast(worse)).toBeGreaterThanOrEqual(atLeast(steps));
            expect(atLeast(better)).toBeLessThanOrEqual(atLeast(steps));
          }
        }
      }
    }
  });

  test('phases that come in two kinds are told apart', () => {
    const steps = [1, 1.001, 1.002, 5, 5.001, 5.002].map(
      (noiseMultiplier): Step => ({
        mechanism: gaussian({ noiseMultiplier }),
        sampling: 'poisson',
        rate: 0.01,
        count: 3,
      }),
    );
    const { worse, better } = groupedSteps(steps, 2)!;
    expect(worse.map(({ mechanism, count }) => [mechanism, count])).toEqual([
      [gaussian({ noiseMultiplier: 5 }), 9],
      [gaussian({ noiseMultiplier: 1 }), 9],
    ]);
    expect(better.map(({ mechanism }) => mechanism)).toEqual([
      gaussian({ noiseMultiplier: 5.002 }),
      gaussian({ noiseMultiplier: 1.002 }),
    ]);
  });

  test('what no order is proven for, or what is few, stays as it is', () => {
    const alone = [0.1, 0.2, 0.3].map(
      (rho): Step => ({ mechanism: tcdp({ rho, omega: 8 }), sampling: 'poisson', rate: 0.1, count: 1 }),
    );
    expect(groupedSteps(alone, 1)).toBeUndefined();
    expect(groupedSteps(randomSteps(3), 8)).toBeUndefined();
  });
});

describe('kinds that their noise orders', () => {
  const mixture = (noiseMultiplier: number) =>
    gaussianMixture({ noiseMultiplier, sensitivities: [0, 1, 2], probabilities: [0.9, 0.08, 0.02] });
  const capped = (noiseMultiplier: number) =>
    cappedPoisson({ noiseMultiplier, rate: 0.05, datasetSize: 400, batchCap: 25 });

  test.each([
    ['mixtures of Gaussians', mixture, 'add-remove'],
    ['capped batches', capped, 'zero-out'],
    [
      'replaced records',
      (noise: number) => replacedGaussian({ noiseMultiplier: noise, rate: 0.1 }),
      'replace-one',
    ],
  ] as const)('a run of %s is between the worst and the best of its groups', (_name, make, adjacency) => {
    const noises = [1, 1.1, 1.2, 1.3];
    const asStep = (noise: number): Step => ({ mechanism: make(noise), sampling: 'all', rate: 1, count: 2 });
    const { worse, better } = groupedSteps(noises.map(asStep), 1)!;
    expect([worse, better].map(([{ mechanism, count }]) => [mechanism, count])).toEqual([
      [make(1), 8],
      [make(1.3), 8],
    ]);
    const [low, own, high] = [[1.3], noises, [1]].map((list) =>
      account(wasm, compose(list.map((noise) => repeat(make(noise), 8 / list.length))), { adjacency }),
    );
    for (const epsilon of [0, 0.5, 2]) {
      expect(own.logDelta(epsilon).upper).toBeLessThan(high.logDelta(epsilon).upper);
      expect(own.logDelta(epsilon).lower).toBeGreaterThan(low.logDelta(epsilon).lower);
    }
  });

  test('replaced records of other rates: the worst has the least noise and the largest rate', () => {
    const of = (noiseMultiplier: number, rate: number): Step => ({
      mechanism: replacedGaussian({ noiseMultiplier, rate }),
      sampling: 'all',
      rate: 1,
      count: 3,
    });
    const steps = [of(1, 0.02), of(1.2, 0.05), of(1.1, 0.01)];
    const { worse, better } = groupedSteps(steps, 1)!;
    expect([worse, better]).toEqual([[{ ...of(1, 0.05), count: 9 }], [{ ...of(1.2, 0.01), count: 9 }]]);
    const each = [better, steps, worse].map((list) =>
      account(wasm, compose(list.map(({ mechanism, count }) => repeat(parseMechanism(mechanism), count))), {
        adjacency: 'replace-one',
      }),
    );
    for (const epsilon of [0, 0.3, 1]) {
      const [low, own, high] = each.map((run) => run.logDelta(epsilon));
      expect(own.upper).toBeLessThan(high.upper);
      expect(own.lower).toBeGreaterThan(low.lower);
    }
  });

  test('of other parts, or at another cap, they are not ordered', () => {
    const others = [
      mixture(1),
      gaussianMixture({ noiseMultiplier: 1.1, sensitivities: [0, 1], probabilities: [0.9, 0.1] }),
      capped(1),
      cappedPoisson({ noiseMultiplier: 1.1, rate: 0.05, datasetSize: 400, batchCap: 26 }),
    ].map((mechanism): Step => ({ mechanism, sampling: 'all', rate: 1, count: 1 }));
    expect(groupedSteps(others, 1)).toBeUndefined();
  });
});

describe('a run between two', () => {
  test('holds what lies between: bounds from the worse, tests from the better', () => {
    const [better, actual, worse] = [
      [[1.3, 0.1, 100]],
      [
        [1.3, 0.1, 40],
        [1.299, 0.1, 60],
      ],
      [[1.299, 0.1, 100]],
    ].map((phases) => runOf(phases as [number, number, number][]));
    const runs = runsBetween(better.directions, worse.directions, 1);
    expect(runs.map(({ direction, groups }) => [direction, groups])).toEqual([
      ['remove', 1],
      ['add', 1],
    ]);
    runs.forEach((run, i) => {
      for (const epsilon of [-1, 0, 1, 5]) {
        const { lower, upper } = run.logDelta(epsilon);
        const exact = actual.directions[i].logDelta(epsilon);
        expect(lower).toBeLessThan(exact.lower);
        expect(upper).toBeGreaterThan(exact.upper);
        expect(upper - lower).toBeLessThan(0.2);
        const test = run.test(epsilon);
        const best = actual.directions[i].test(epsilon);
        // δ from below by the test, certified for the actual run, too
        const gainOf = ({ logFpr, logTpr }: typeof test) => Math.exp(logTpr) - Math.exp(epsilon + logFpr);
        expect(gainOf(test)).toBeLessThan(gainOf(best));
        expect(gainOf(test)).toBeGreaterThan(0.8 * gainOf(best));
      }
    });
  });

  test('twenty steps that contours reach are still composed one by one', () => {
    const run = runOf(Array.from({ length: 20 }, (_, i) => [1 + i / 100, 0.1, 10] as const));
    expect(relativeWidth(run.epsilon(1e-5))).toBeLessThan(1e-8);
    expect(run.directions.map(({ groups }) => groups)).toEqual([undefined, undefined]);
  });

  test('a hundred unlike steps of people with several records lie between groups of them', () => {
    const parts = Array.from({ length: 100 }, (_, i) =>
      poissonSubsampled(
        gaussianMixture({
          noiseMultiplier: 2 / (1.5 * (0.6 + 0.8 * (i / 100))),
          sensitivities: [0, 1, 2, 3],
          probabilities: [0.5, 0.25, 0.15, 0.1],
        }),
        { rate: 0.003 },
      ),
    );
    const run = account(wasm, compose(parts), { adjacency: 'add-remove' });
    const { epsilon, delta } = SAMPLING.people;
    expect(run.epsilon(1e-5)).toContainValue(epsilon, { relative: 1e-6 });
    expect(relativeWidth(run.epsilon(1e-5))).toBeLessThan(0.02);
    expect(run.delta(1)).toContainValue(delta, { relative: 1e-5 });
    expect(relativeWidth(run.delta(1))).toBeLessThan(0.4);
  });
});
