import { describe, expect, test } from 'vitest';
import {
  account,
  approximateDp,
  ballsAndBins,
  compose,
  dpSgd,
  type Engine,
  gaussian,
  gdp,
  laplace,
  type Mechanism,
  parseMechanism,
  poissonSubsampled,
  pureDp,
  repeat,
  select,
  type Tries,
  withoutReplacement,
  zcdp,
} from '../../src/index.js';
import { selectionCost, triesLaw } from '../../src/mechanism/search/tries-law.js';
import { LONG_TESTS } from '../helpers/long.js';
import { seeded } from '../helpers/random.js';
import { reference, wasm } from '../helpers/runs.js';
import {
  bestOrder,
  expectGrowing,
  generating,
  hockeyStick,
  orders,
  published,
  randomBase,
  randomTries,
  selectionOf,
  type Worlds,
} from '../helpers/selection.js';

const run = (mechanism: Mechanism, engine: Engine = wasm) =>
  account(engine, mechanism, { adjacency: 'add-remove' });
/** Compositions on the grid, in a moment. */
const rough = (mechanism: Mechanism) =>
  account(wasm, mechanism, { adjacency: 'add-remove', tolerance: 1e-3 });
const best = (inner: Mechanism, runs: Tries, engine: Engine = wasm) => run(select({ runs, inner }), engine);
const costs = (inner: Mechanism, tries: Tries) => {
  const { directions } = run(inner);
  return directions.map((_, i) =>
    selectionCost(triesLaw(tries), directions[directions.length - 1 - i], 1e-9),
  );
};
const scaled = (masses: readonly number[]): number[] => {
  const sum = masses.reduce((all, mass) => all + mass, 0);
  return masses.map((mass) => mass / sum);
};
const negativeBinomial = (eta: number, mean: number): Tries => ({ kind: 'negative-binomial', eta, mean });

describe.each([wasm, reference])('Gaussian base', (engine) => {
  // c and the upper end to 30 digits, and what fine orders of the outputs reach, by mpmath
  test.each<[number, Tries, number, number, number]>([
    [0.5, negativeBinomial(0, 10), 0.683523003, 2.937607653, 2.83429],
    [0.5, { kind: 'negative-binomial', eta: 0, gamma: 0.0269182596 }, 0.683523003, 2.937607653, 2.83429],
    [0.5, { kind: 'poisson', mean: 10 }, 1.974126513658474, 4.228211, 3.81104],
    [1, negativeBinomial(0, 10), 1.32654995, 6.213104066, 6.0659],
    [1, negativeBinomial(1, 10), 1.73096583, 6.617519947, 6.40312],
    [1, negativeBinomial(1, 40), 2.70316596, 7.873156849, 7.58602],
    [1, { kind: 'poisson', mean: 40 }, 15.316997, 20.486988, 17.67089],
  ])('mu %f, %j', (mu, tries, c, upper, reached) => {
    expect(Math.abs(costs(gdp({ mu }), tries)[0] / c - 1)).toBeLessThan(1e-7);
    const epsilon = best(gdp({ mu }), tries, engine).epsilon(1e-5);
    expect(Math.abs(epsilon.upper / upper - 1)).toBeLessThan(1e-6);
    // an order of the account's own: within a thousandth of the best one, and never above what the best reaches
    expect(epsilon.lower).toBeGreaterThan(reached * (1 - 1e-3));
    expect(epsilon.lower).toBeLessThan(reached * (1 + 1e-5));
  });
});

describe('limits', () => {
  test('one try gives the bits of the base', () => {
    const base = run(gdp({ mu: 1 })).epsilon(1e-5);
    for (const tries of [
      negativeBinomial(1, 1),
      { kind: 'negative-binomial', eta: 0, gamma: 1 },
      { kind: 'fixed', count: 1 },
      { kind: 'table', probabilities: [0, 1] },
    ] as const)
      expect(best(gdp({ mu: 1 }), tries).epsilon(1e-5)).toEqual(base);
  });

  test('a pure base costs 3 epsilon at eta = 1 as gamma goes to 0: both ends', () => {
    const { lower, upper } = best(pureDp({ epsilon: 0.5 }), {
      kind: 'negative-binomial',
      eta: 1,
      gamma: 1e-9,
    }).epsilon(0);
    expect(lower).toBeGreaterThan(1.5 * (1 - 1e-8));
    expect(lower).toBeLessThanOrEqual(upper);
    expect(upper).toBeLessThan(1.5 * (1 + 1e-8));
  });

  test('Poisson: the constant is the mean times the advantage', () => {
    const advantage = run(gdp({ mu: 0.8 })).advantage();
    const [c] = costs(gdp({ mu: 0.8 }), { kind: 'poisson', mean: 7 });
    expect(c).toBeGreaterThanOrEqual(7 * advantage.lower);
    expect(c).toBeLessThan(7 * advantage.upper * (1 + 1e-7));
  });

  test('a fixed number of tries costs at most that many runs, and one at least', () => {
    const { lower, upper } = best(gdp({ mu: 1 }), { kind: 'fixed', count: 4 }).epsilon(1e-5);
    expect(upper).toBeCloseTo(run(gdp({ mu: 2 })).epsilon(1e-5).upper, 8);
    expect(lower).toBeGreaterThan(1.4 * run(gdp({ mu: 1 })).epsilon(1e-5).upper);
  });

  test('a mean of eta near 0 is that of eta 0', () => {
    const [a, b] = [1e-9, 0].map((eta) => best(gdp({ mu: 1 }), negativeBinomial(eta, 10)).epsilon(1e-5));
    expect(Math.abs(a.upper / b.upper - 1)).toBeLessThan(1e-7);
    expect(Math.abs(a.lower / b.lower - 1)).toBeLessThan(1e-7);
  });

  test('the directions of a sampled base are told apart', () => {
    const inner = poissonSubsampled(gaussian({ noiseMultiplier: 1 }), { rate: 0.05 });
    const [remove, add] = costs(inner, negativeBinomial(1, 10));
    expect(Math.abs(remove / add - 1)).toBeGreaterThan(1e-3);
  });

  test.each([
    [0.5, 0.5, 8],
    [0.4, 0.1, 20],
    [0.3, 0.02, 20],
    [1, 0.3, 50],
  ])(
    'sigma %d, rate %d, %d tries: what the score of a sampled base publishes, by quadrature',
    (sigma, q, mean) => {
      const { directions } = best(
        poissonSubsampled(gaussian({ noiseMultiplier: sigma }), { rate: q }),
        negativeBinomial(1, mean),
      );
      const gamma = 1 / mean;
      // φ′ of a geometric number of tries
      const weight = (s: number): number => gamma / (1 - (1 - gamma) * s) ** 2;
      const density = (x: number): number => Math.exp(-(x * x) / 2) / Math.sqrt(2 * Math.PI);
      const mu = 1 / sigma;
      const h = 1 / 400;
      const laws = [false, true].map((falling) => {
        const [present, absent]: number[][] = [[], []];
        let [below, without] = [0, 0];
        for (let i = 0; i <= (16 + mu) / h; i++) {
          const x = falling ? 8 + mu - i * h : -8 + i * h;
          const [p, r] = [h * density(x), h * ((1 - q) * density(x) + q * density(x - mu))];
          // the better of results that are worse, up to the middle of the cell
          present.push(r * weight(below + r / 2));
          absent.push(p * weight(without + p / 2));
          [below, without] = [below + r, without + p];
        }
        return [present, absent] as const;
      });
      let closest = 0;
      for (const epsilon of [0, 0.1, 0.2, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.2, 2])
        for (const run of directions) {
          const upper = Math.exp(run.logDelta(epsilon).upper);
          for (const [present, absent] of laws) {
            const [here, there] = run.direction === 'remove' ? [present, absent] : [absent, present];
            const exact = here.reduce((sum, p, i) => sum + Math.max(0, p - Math.exp(epsilon) * there[i]), 0);
            expect(exact, `${run.direction} at ${epsilon}`).toBeLessThanOrEqual(upper * (1 + 1e-4) + 1e-9);
            if (upper > 0) closest = Math.max(closest, exact / upper);
          }
        }
      expect(closest).toBeGreaterThan(0.3);
    },
  );
});

describe('finite outputs', () => {
  const random = seeded(5);
  const normalised = (n: number): number[] => {
    const raw = Array.from({ length: n }, () => random() ** 3 + 1e-3);
    const sum = raw.reduce((a, b) => a + b, 0);
    return raw.map((x) => x / sum);
  };
  const TRIES: readonly Tries[] = [
    negativeBinomial(1, 8),
    negativeBinomial(0, 5),
    { kind: 'negative-binomial', eta: -0.5, gamma: 0.05 },
    { kind: 'poisson', mean: 3 },
    { kind: 'poisson', mean: 0.4 },
    { kind: 'binomial', trials: 6, probability: 0.7 },
    { kind: 'table', probabilities: [0.1, 0.2, 0, 0.7] },
  ];

  test('no score, with whatever ties, gets beyond the upper end, in either direction', () => {
    let closest = 0;
    for (let round = 0; round < 21; round++) {
      const n = 2 + (round % 3);
      const worlds: Worlds = [normalised(n), normalised(n)];
      const tries = TRIES[round % TRIES.length];
      const { runs } = selectionOf(tries, worlds);
      const laws = orders(n).map((order) => worlds.map((masses) => published(tries, masses, order)));
      for (const epsilon of [0, 0.1, 0.5, 1, 2, 4]) {
        const uppers = runs.map((run) => Math.exp(run.logDelta(epsilon).upper));
        for (const [p, q] of laws) {
          for (const [upper, exact] of [
            [uppers[0], hockeyStick(q, p, epsilon)],
            [uppers[1], hockeyStick(p, q, epsilon)],
          ]) {
            expect(exact).toBeLessThanOrEqual(upper * (1 + 1e-10) + 1e-15);
            if (upper > 1e-9 && upper < 0.9) closest = Math.max(closest, exact / upper);
          }
        }
      }
    }
    expect(closest).toBeGreaterThan(0.9);
  });

  test('cells of better results bound every order of finely cut outputs, and say more than the cost', () => {
    // a Gaussian of mu 0.4 against none, in outputs that a likelihood ratio orders
    const densities = [0, 0.4].map((at) =>
      Array.from({ length: 400 }, (_, i) => Math.exp(-((i / 40 - 5 - at) ** 2) / 2)),
    );
    const worlds: Worlds = [scaled(densities[0]), scaled(densities[1])];
    for (const tries of [
      { kind: 'negative-binomial', eta: 1, gamma: 0.1 },
      { kind: 'poisson', mean: 10 },
      { kind: 'binomial', trials: 20, probability: 0.5 },
    ] as const) {
      const { runs, costs } = selectionOf(tries, worlds);
      const phi = generating(tries);
      for (const epsilon of [0.7, 1, 1.5]) {
        let most = 0;
        // some of the least likely results first, then the rest from the likeliest on
        for (let decoys = 0; decoys < 400; decoys += 20) {
          let [p, q, sum] = [1, 1, 0];
          const publish = (i: number): void => {
            const [a, b] = [p - worlds[0][i], q - worlds[1][i]].map((x) => Math.max(0, x));
            sum += Math.max(0, phi(q) - phi(b) - Math.exp(epsilon) * (phi(p) - phi(a)));
            [p, q] = [a, b];
          };
          for (let i = 0; i < decoys; i++) publish(i);
          for (let i = 399; i >= decoys; i--) publish(i);
          most = Math.max(most, sum);
        }
        const upper = Math.exp(runs[0].logDelta(epsilon).upper);
        expect(upper).toBeGreaterThan(most);
        const byCost = triesLaw(tries).mean * hockeyStick(worlds[1], worlds[0], epsilon - costs[0]);
        expect(upper).toBeLessThan(0.75 * Math.min(1, byCost));
      }
    }
  });

  test('the lower end is what an order of the outputs, cut into shares, reaches', () => {
    const SHARES = 120;
    for (let round = 0; round < 8; round++) {
      const worlds: Worlds = [normalised(3), normalised(3)];
      const tries = TRIES[round % TRIES.length];
      const phi = generating(tries);
      const { runs } = selectionOf(tries, worlds);
      const pieces = [0, 1, 2]
        .sort((a, b) => worlds[1][b] / worlds[0][b] - worlds[1][a] / worlds[0][a])
        .flatMap((i) => Array.from({ length: SHARES }, () => worlds.map((w) => w[i] / SHARES)));
      for (const epsilon of [0.3, 1]) {
        let reached = 0;
        // the last `decoys` pieces score best, then from the first on
        for (let decoys = 0; decoys < pieces.length; decoys++) {
          let [a, b] = pieces
            .slice(pieces.length - decoys)
            .reduce((sum, [x, y]) => [sum[0] - x, sum[1] - y], [1, 1]);
          let sum = 0;
          for (const [x, y] of pieces.slice(0, pieces.length - decoys)) {
            const [c, d] = [Math.max(0, a - x), Math.max(0, b - y)];
            sum += Math.max(0, phi(b) - phi(d) - Math.exp(epsilon) * (phi(a) - phi(c)));
            [a, b] = [c, d];
          }
          reached = Math.max(reached, sum);
        }
        // a constant score is the other lower end
        const some = 1 - phi(0);
        reached = Math.max(reached, some * hockeyStick(worlds[1], worlds[0], epsilon));
        const { lower, upper } = runs[0].logDelta(epsilon);
        expect(Math.exp(lower)).toBeLessThanOrEqual(reached * (1 + 2e-3) + 1e-12);
        expect(Math.exp(lower)).toBeGreaterThan(reached * 0.97 - 1e-12);
        expect(reached).toBeLessThanOrEqual(Math.exp(upper) * (1 + 1e-10));
        const { logFpr, logTpr } = runs[0].test(epsilon);
        expect(Math.exp(logTpr) - Math.exp(epsilon + logFpr)).toBeLessThanOrEqual(
          reached * (1 + 2e-3) + 1e-12,
        );
      }
    }
  });

  test('the published law of two searches one after the other stays below their composition', () => {
    const epsilon = 0.4;
    const tries = negativeBinomial(1, 6);
    const inner = pureDp({ epsilon });
    const twice = rough(repeat(select({ runs: tries, inner }), 2));
    const likely = 1 / (1 + Math.exp(-epsilon));
    // randomised response whose likely answer is cut in two by a coin, in every order
    const halves: Worlds = [
      [(1 - likely) / 2, (1 - likely) / 2, likely],
      [likely / 2, likely / 2, 1 - likely],
    ];
    let closest = 0;
    for (const order of orders(3)) {
      const [p, q] = halves.map((masses) => published(tries, masses, order));
      const product = (w: readonly number[]) => w.flatMap((a) => w.map((b) => a * b));
      for (const at of [0, 0.3, 0.8, 1.5]) {
        const delta = twice.delta(at);
        const exact = Math.max(
          hockeyStick(product(q), product(p), at),
          hockeyStick(product(p), product(q), at),
        );
        expect(exact).toBeLessThanOrEqual(delta.upper);
        expect(delta.lower).toBeLessThanOrEqual(delta.upper);
        closest = Math.max(closest, exact / delta.upper);
      }
    }
    expect(closest).toBeGreaterThan(0.5);
    const single = best(inner, tries).epsilon(0);
    expect(twice.epsilon(1e-9).upper).toBeLessThanOrEqual(2 * single.upper * (1 + 1e-3));
  });
});

describe('composition', () => {
  test('a search beside Gaussian noise is between the two and their sum', () => {
    const search = select({ runs: negativeBinomial(1, 10), inner: gdp({ mu: 1 }) });
    const alone = rough(search).epsilon(1e-5);
    const little = rough(compose([search, gdp({ mu: 0.01 })])).epsilon(1e-5);
    expect(little.lower).toBeGreaterThan(alone.lower * 0.99);
    expect(little.upper).toBeLessThan(alone.upper * 1.01);
    const more = rough(compose([gdp({ mu: 1 }), search])).epsilon(1e-5);
    expect(more.lower).toBeGreaterThan(8.6);
    expect(more.upper).toBeLessThan(9.05);
  });

  test('what states a guarantee alone is bounded from below by a mechanism that meets it', () => {
    const tries = negativeBinomial(1, 10);
    const { lower, upper } = rough(select({ runs: tries, inner: zcdp({ rho: 0.02 }) })).epsilon(1e-5);
    const gaussianBelow = best(gdp({ mu: 0.2 }), tries).epsilon(1e-5);
    expect(lower).toBeGreaterThanOrEqual(gaussianBelow.lower * (1 - 1e-3));
    expect(upper).toBeGreaterThan(gaussianBelow.upper);
  });

  test('no order is claimed where one try is not one pair', () => {
    const inner = withoutReplacement(gaussian({ noiseMultiplier: 2 }), { sampleSize: 1, datasetSize: 20 });
    const options = { adjacency: 'replace-one' } as const;
    const base = account(wasm, inner, options).epsilon(1e-5);
    const found = account(wasm, select({ runs: negativeBinomial(1, 10), inner }), options).epsilon(1e-5);
    expect(found.lower).toBeLessThanOrEqual(base.upper);
    expect(found.lower).toBeGreaterThan(base.lower * (1 - 1e-6));
    const nested = best(
      select({ runs: negativeBinomial(1, 3), inner: gdp({ mu: 0.5 }) }),
      negativeBinomial(0, 3),
    );
    expect(nested.epsilon(1e-5).upper).toBeGreaterThan(nested.epsilon(1e-5).lower);
  });

  test('a run that hides nothing, and one that reveals nothing', () => {
    expect(best(gaussian({ noiseMultiplier: 0 }), negativeBinomial(1, 3)).delta(1).upper).toBe(1);
    expect(best(repeat(gaussian({ noiseMultiplier: 1 }), 0), negativeBinomial(1, 3)).delta(0).upper).toBe(0);
  });
});

test('a search that gives all away up to 300 is not taken for the whole run beyond', () => {
  const big = gdp({ mu: 30 });
  const search = select({ runs: { kind: 'negative-binomial', eta: 1, mean: 1e9 }, inner: big });
  const both = rough(compose([search, big]));
  // a constant score publishes a try drawn at random: the run is at least as bad as two of them
  const two = rough(gdp({ mu: 30 * Math.SQRT2 }));
  for (const epsilon of [500, 700, 900, 1000])
    expect(both.delta(epsilon).upper).toBeGreaterThanOrEqual(two.delta(epsilon).lower);
  expect(both.epsilon(1e-5).upper).toBeGreaterThan(two.epsilon(1e-5).lower);
});

test('a search over sampled noise beside another step is answered with the usual effort', () => {
  const inner = poissonSubsampled(gaussian({ noiseMultiplier: 1 }), { rate: 0.1 });
  const search = select({ runs: negativeBinomial(1, 10), inner });
  const both = run(compose([search, gdp({ mu: 1 })]));
  expect(both.epsilon(1e-5).upper).toBeLessThan(5);
  expect(both.everLimitedBy).not.toBe('effort');
});

test('beside another step a search is no less than alone', () => {
  const inner = approximateDp({ epsilon: 300, delta: 0.999 });
  const search = select({ runs: { kind: 'fixed', count: 3 }, inner });
  const { lower } = rough(search).delta(310);
  expect(lower).toBeGreaterThan(0.99);
  const both = rough(compose([search, pureDp({ epsilon: 1 })])).delta(310);
  expect(both.lower).toBeGreaterThan(lower * (1 - 1e-3));
});

test('the tail is that of one try, between a share of it and its mean number', () => {
  const inner = gdp({ mu: 0.6 });
  for (const [tries, none, mean] of [
    [negativeBinomial(1, 10), 0, 10],
    [{ kind: 'poisson', mean: 4 } as const, Math.exp(-4), 4],
  ] as const) {
    const one = run(inner);
    const searched = best(inner, tries);
    const c = Math.max(...costs(inner, tries));
    for (const epsilon of [1, 3, 6]) {
      const { lower, upper } = searched.delta(epsilon);
      expect(upper).toBeGreaterThanOrEqual((1 - none) * one.delta(epsilon).lower);
      expect(lower).toBeLessThanOrEqual(mean * one.delta(epsilon - c).upper);
      expect(upper).toBeLessThanOrEqual(mean * one.delta(epsilon - c).upper * (1 + 1e-6));
    }
    const tail = (epsilon: number) => epsilon ** 2 / (-2 * searched.logDelta(epsilon).upper);
    expect(Math.abs(tail(400) / 0.36 - 1)).toBeLessThan(Math.abs(tail(100) / 0.36 - 1));
    expect(tail(400)).toBeCloseTo(0.36, 1);
    expect(searched.settings.tailMu).toContainValue(0.6, { absolute: 1e-14 });
    expect(searched.settings.tailMu).toBeNoWiderThan(1e-12);
  }
});

test('random settings: lower ends below upper ends, both growing with the number of tries', () => {
  const random = seeded(9);
  for (let i = 0; i < (LONG_TESTS ? 8 : 4); i++) {
    const [inner, tries] = [randomBase(random), randomTries(random)];
    expectGrowing(inner, tries, [1, 3, 10], 10 ** (-2 - 6 * random()));
  }
});

test('more trials of a binomial may reach less: the best order, by dynamic programming', () => {
  const [epsilon0, probability, epsilon] = [0.11944049954304317, 0.3796192655812791, 2.2];
  const reached = [144, 432].map((trials) => {
    const tries: Tries = { kind: 'binomial', trials, probability };
    const order = bestOrder(tries, epsilon0, epsilon, 300);
    const { lower, upper } = best(pureDp({ epsilon: epsilon0 }), tries).logDelta(epsilon);
    expect(order).toBeLessThanOrEqual(upper);
    expect(lower).toBeLessThanOrEqual(order + 1e-3);
    expect(lower).toBeGreaterThan(order - 1);
    return order;
  });
  expect(reached[1]).toBeLessThan(reached[0] - 0.5);
});

test('DP-SGD as one try', () => {
  const inner = dpSgd({ noiseMultiplier: 1, samplingRate: 0.01, steps: 1000 });
  const [base, found] = [run(inner), best(inner, negativeBinomial(1, 10))].map((each) => each.epsilon(1e-5));
  expect(found.lower).toBeGreaterThan(base.upper * 1.4);
  expect(found.upper).toBeLessThan(base.upper * 1.6);
});

test('beside balls and bins, which no grid holds', () => {
  const search = select({ runs: negativeBinomial(1, 4), inner: laplace({ scale: 7, sensitivity: 1 }) });
  const bins = ballsAndBins({ noiseMultiplier: 1.3, bins: 235 });
  const of = (mechanism: Mechanism) => account(wasm, mechanism, { adjacency: 'add-remove' });
  const both = of(compose([search, bins])).epsilon(1e-6);
  // no less than either alone, no more than both at half of delta
  const [a, b] = [search, bins].map((one) => of(one));
  expect(both.upper).toBeGreaterThanOrEqual(Math.max(a!.epsilon(1e-6).lower, b!.epsilon(1e-6).lower));
  expect(both.lower).toBeLessThanOrEqual(a!.epsilon(5e-7).upper + b!.epsilon(5e-7).upper);
  expect(both.upper).toBeLessThan(2 * (a!.epsilon(5e-7).upper + b!.epsilon(5e-7).upper));
});

test('bad tries are refused by name', () => {
  for (const [runs, message] of [
    [undefined, '"runs" must be an object'],
    [{ kind: 'grid' }, '"runs.kind" must be one of'],
    [{ kind: 'poisson', mean: 0 }, '"runs.mean" must be'],
    [{ kind: 'poisson', mean: 1, eta: 1 }, '"runs.eta" is unknown'],
    [{ kind: 'negative-binomial', eta: -1, gamma: 0.1 }, '"runs.eta" must be'],
    [{ kind: 'negative-binomial', eta: 1, gamma: 0 }, '"runs.gamma" must be'],
    [{ kind: 'negative-binomial', eta: 1, mean: 0.5 }, '"runs.mean" must be'],
    [{ kind: 'negative-binomial', eta: 1 }, 'either "gamma" or "mean"'],
    [{ kind: 'negative-binomial', eta: 1, gamma: 0.1, mean: 10 }, 'either "gamma" or "mean"'],
    [{ kind: 'binomial', trials: 1.5, probability: 0.5 }, '"runs.trials" must be'],
    [{ kind: 'fixed', count: 0 }, '"runs.count" must be'],
    [{ kind: 'table', probabilities: [0.5, 0.4] }, 'probabilities that sum to 1'],
    [{ kind: 'table', probabilities: [1, 0] }, '"runs.probabilities[0]" must be'],
  ] as const)
    expect(() => select({ runs: runs as Tries, inner: gdp({ mu: 1 }) })).toThrow(message);
  expect(() => best(gdp({ mu: 1 }), negativeBinomial(-0.99, 1e9))).toThrow('"runs.mean"');
  expect(() =>
    parseMechanism({ kind: 'select', runs: { kind: 'fixed', count: 2 }, inner: { kind: 'no' } }),
  ).toThrow('"mechanism.inner.kind"');
  expect(() =>
    poissonSubsampled(select({ runs: { kind: 'fixed', count: 2 }, inner: gdp({ mu: 1 }) }) as never, {
      rate: 0.5,
    }),
  ).toThrow('"inner"');
});
