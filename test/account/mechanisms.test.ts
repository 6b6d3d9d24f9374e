import { describe, expect, test } from 'vitest';
import {
  account,
  approximateDp,
  ballsAndBins,
  binomial,
  boundedRange,
  compose,
  discreteGaussian,
  discreteLaplace,
  gaussian,
  gaussianMixture,
  joint,
  laplace,
  type Mechanism,
  mcdp,
  measure,
  parallel,
  parseMechanism,
  poissonSubsampled,
  randomizedResponse,
  rdp,
  repeat,
  replacedGaussian,
  skellam,
  tabulated,
  tcdp,
  withoutReplacement,
  zcdp,
} from '../../src/index.js';
import { describeMechanism } from '../../src/mechanism/pairs.js';
import { MECHANISM_KINDS } from '../../src/mechanism/parse.js';
import { relativeWidth } from '../helpers/brackets.js';
import { BASIC, expectCountsAgree, SUBJECTS } from '../helpers/mechanism-subjects.js';
import { seeded } from '../helpers/random.js';
import { reference, wasm } from '../helpers/runs.js';

const options = { adjacency: 'add-remove', tolerance: 1e-4 } as const;

describe('counts are never dropped', () => {
  test.each(
    SUBJECTS.filter(([name]) => /^(sampled )?(laplace|randomized-response|approximate-dp)$/.test(name)),
  )('%s, %o, %s: repeat is compose is nested repeats', (_, mechanism, adjacency) => {
    const { lower, upper } = expectCountsAgree(mechanism, adjacency);
    expect(upper - lower).toBeLessThan(0.05);
  });
});

describe('replacing one record', () => {
  test.each([
    [gaussian({ noiseMultiplier: 2 }), gaussian({ noiseMultiplier: 1 })],
    [laplace({ scale: 5, sensitivity: 1 }), laplace({ scale: 5, sensitivity: 2 })],
    [discreteGaussian({ sigma: 3, sensitivity: 1 }), discreteGaussian({ sigma: 3, sensitivity: 2 })],
    [discreteLaplace({ scale: 3, sensitivity: 1 }), discreteLaplace({ scale: 3, sensitivity: 2 })],
    [binomial({ trials: 40, sensitivity: 1 }), binomial({ trials: 40, sensitivity: 2 })],
    [skellam({ variance: 9, sensitivity: 1 }), skellam({ variance: 9, sensitivity: 2 })],
  ] as const)('doubles the sensitivity: %o', (one, two) => {
    for (const count of [1, 4]) {
      const replaced = account(wasm, repeat(one, count), { ...options, adjacency: 'replace-one' });
      const removed = account(wasm, repeat(two, count), options);
      for (const epsilon of [0, 0.4, 1.5]) {
        expect(replaced.logDelta(epsilon)).toEqual(removed.logDelta(epsilon));
      }
    }
  });

  test.each(BASIC.filter(({ kind }) => !/gaussian|laplace/.test(kind)))('keeps what is stated: %o', (one) => {
    const [a, b] = (['replace-one', 'add-remove'] as const).map((adjacency) =>
      account(wasm, repeat(one, 2), { ...options, adjacency }).logDelta(0.3),
    );
    expect(a).toEqual(b);
  });

  test('samplings without a theorem are refused', () => {
    const inner = laplace({ scale: 2, sensitivity: 1 });
    const poisson = poissonSubsampled(inner, { rate: 0.1 });
    const drawn = withoutReplacement(inner, { sampleSize: 1, datasetSize: 10 });
    expect(() => account(wasm, poisson, { adjacency: 'replace-one' })).toThrow(
      /"adjacency" must be add-remove/,
    );
    expect(() => account(wasm, drawn, { adjacency: 'add-remove' })).toThrow(
      /"adjacency" must be replace-one/,
    );
  });
});

describe('unlike mechanisms together', () => {
  const parts = [
    laplace({ scale: 2, sensitivity: 1 }),
    gaussian({ noiseMultiplier: 1.5 }),
    randomizedResponse({ epsilon: 0.8, categories: 3 }),
    repeat(poissonSubsampled(gaussian({ noiseMultiplier: 1 }), { rate: 0.2 }), 3),
  ];
  const answers = (order: readonly number[]) => {
    const run = account(wasm, compose(order.map((i) => parts[i])), options);
    return [run.logDelta(0.5), run.logDelta(2), run.epsilon(1e-3), run.tradeoff(0.1)];
  };

  test('in any order the bits are the same', () => {
    const expected = answers([0, 1, 2, 3]);
    for (const order of [
      [3, 2, 1, 0],
      [1, 3, 0, 2],
      [2, 0, 3, 1],
    ])
      expect(answers(order)).toEqual(expected);
  });

  // samples outputs and multiplies likelihood ratios: nothing of the library
  test('agree with simulated outputs', () => {
    const run = account(wasm, compose(parts), options);
    const random = seeded(11);
    const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    const sign = () => (random() < 0.5 ? -1 : 1);
    const truthful = Math.exp(0.8) / (Math.exp(0.8) + 2);
    const lossOfOne = (): number => {
      let loss = 0;
      const x = 1 - 2 * sign() * Math.log(1 - random());
      loss += (Math.abs(x) - Math.abs(x - 1)) / 2;
      const z = 1 + 1.5 * normal();
      loss += (2 * z - 1) / (2 * 2.25);
      const u = random();
      loss += u < truthful ? 0.8 : u < truthful + (1 - truthful) / 2 ? -0.8 : 0;
      for (let k = 0; k < 3; k++) {
        const o = normal() + (random() < 0.2 ? 1 : 0);
        loss += Math.log(0.8 + 0.2 * Math.exp(o - 0.5));
      }
      return loss;
    };
    const trials = 200_000;
    const losses = Float64Array.from({ length: trials }, lossOfOne);
    for (const epsilon of [0, 0.5, 1, 2]) {
      let mean = 0;
      let square = 0;
      for (const loss of losses) {
        const value = Math.max(0, -Math.expm1(epsilon - loss));
        mean += value / trials;
        square += (value * value) / trials;
      }
      const spread = 5 * Math.sqrt((square - mean * mean) / trials);
      const { lower, upper } = run.directions[0].logDelta(epsilon);
      expect(Math.exp(lower)).toBeLessThan(mean + spread);
      expect(Math.exp(upper)).toBeGreaterThan(mean - spread);
      expect(spread / mean).toBeLessThan(0.1);
    }
  });
});

describe('known values', () => {
  test('Laplace ε₀ = 0.2 composed 50 times', () => {
    const run = account(wasm, repeat(laplace({ scale: 5, sensitivity: 1 }), 50), options);
    for (const [delta, epsilon] of [
      [1e-1, 2.00202248],
      [1e-2, 3.50344102],
      [1e-3, 4.550633],
      [1e-4, 5.37941589],
    ]) {
      const { lower, upper } = run.epsilon(delta);
      expect(lower).toBeLessThan(epsilon + 6e-9);
      expect(upper).toBeGreaterThan(epsilon - 6e-9);
      expect(relativeWidth({ lower, upper })).toBeLessThan(1e-11);
    }
    const advantage = run.advantage();
    expect(advantage.lower).toBeLessThan(0.50722306535);
    expect(advantage.upper).toBeGreaterThan(0.50722306525);
    expect(relativeWidth(advantage)).toBeLessThan(1e-11);
    const { mu } = measure(run);
    expect(mu.lower).toBeLessThan(1.3718845);
    expect(mu.upper).toBeGreaterThan(1.3718835);
    expect(relativeWidth(mu)).toBeLessThan(1e-9);
  });

  // 50-digit sums over the binomial law
  test('randomised response ε₀ = 0.2 composed 50 times', () => {
    const run = account(wasm, repeat(randomizedResponse({ epsilon: 0.2 }), 50), {
      ...options,
      tolerance: 1e-12,
    });
    for (const [delta, epsilon] of [
      [1e-1, 2.1146955979638669],
      [1e-2, 3.6313427357287106],
      [1e-3, 4.7311397385229278],
      [1e-4, 5.5640563080364453],
      [1e-10, 8.7381072893159853],
    ]) {
      const { lower, upper } = run.epsilon(delta);
      expect(lower).toBeLessThanOrEqual(epsilon * (1 + 1e-14));
      expect(upper).toBeGreaterThanOrEqual(epsilon * (1 - 1e-14));
      expect(relativeWidth({ lower, upper })).toBeLessThan(1e-9);
    }
    expect(run.advantage()).toContainValue(0.51794316464904158);
  });

  test('discrete Gaussian σ = 1', () => {
    const epsilon = account(wasm, discreteGaussian({ sigma: 1, sensitivity: 1 }), options).epsilon(1e-6);
    expect(epsilon.lower).toBeLessThan(4.499590985);
    expect(epsilon.upper).toBeGreaterThan(4.499590975);
    expect(relativeWidth(epsilon)).toBeLessThan(1e-9);
  });

  test('(ε, δ)-DP composes as 1 − (1 − δ)ᵏ(1 − δᵢ)', () => {
    const run = account(wasm, repeat(approximateDp({ epsilon: 0.3, delta: 1e-6 }), 2), {
      ...options,
      tolerance: 1e-12,
    });
    // Kairouz, Oh, Viswanath 2015, thm 3.3: at the largest ε, and one step of 2 ε₀ lower
    const all = 1 - (1 - 1e-6) ** 2;
    expect(run.delta(0.7).upper).toBeGreaterThanOrEqual(all * (1 - 1e-10));
    expect(run.delta(0.7).upper).toBeLessThan(all * (1 + 1e-9));
    const zero = (Math.exp(0.6) - 1) / (1 + Math.exp(0.3)) ** 2;
    expect(run.delta(0)).toContainValue(1 - (1 - 1e-6) ** 2 * (1 - zero), { absolute: 1e-15 });
  });

  test('(ε, δ)-DP whose δ is a few doubles below 1 is nearly certain to reveal all', () => {
    // 1 − (1 − δ)³(1 − δᵢ) is 1 to 45 digits
    for (const engine of [wasm, reference])
      for (const delta of [1 - 2 ** -53, 1 - 2 ** -50])
        for (const epsilon of [0.3, 1, 2.9]) {
          const run = account(engine, repeat(approximateDp({ epsilon: 1, delta }), 3), {
            adjacency: 'add-remove',
          });
          expect(run.logDelta(epsilon)).toContainValue(0);
          expect(run.logDelta(epsilon).lower).toBeGreaterThan(-1e-12);
        }
  });

  test('bounded range is the supremum over its pairs', () => {
    const run = account(wasm, boundedRange({ epsilon: 1.3 }), options);
    for (const epsilon of [-1, 0, 0.4, 1.2]) {
      let most = 0;
      for (let t = Math.max(0, epsilon); t <= Math.min(1.3, epsilon + 1.3); t += 1e-4) {
        const up = Math.expm1(t - 1.3) / Math.expm1(-1.3);
        most = Math.max(most, up * -Math.expm1(epsilon - t));
      }
      const { lower, upper } = run.delta(epsilon);
      expect(upper).toBeGreaterThanOrEqual(most * (1 - 1e-12));
      expect(lower).toBeLessThan(most * (1 + 1e-6));
    }
  });

  test('zCDP and RDP tables hold what is zCDP', () => {
    const rho = 0.125;
    const exact = account(wasm, gaussian({ noiseMultiplier: 2 }), options);
    const stated = account(wasm, zcdp({ rho }), options);
    const points = [1.5, 2, 4, 8, 16, 32].map((order) => ({ order, epsilon: rho * order }));
    const listed = account(wasm, rdp({ points }), options);
    for (const epsilon of [0, 0.2, 1, 2, 4]) {
      expect(stated.logDelta(epsilon).upper).toBeGreaterThanOrEqual(exact.logDelta(epsilon).lower);
      expect(listed.logDelta(epsilon).upper).toBeGreaterThanOrEqual(exact.logDelta(epsilon).lower);
    }
  });
});

describe('tables', () => {
  const delta = (points: { epsilon: number; delta: number }[], epsilon: number) =>
    account(wasm, tabulated({ points }), options).delta(epsilon);

  test('one point is (ε, δ)-DP', () => {
    const table = account(wasm, repeat(tabulated({ points: [{ epsilon: 0.7, delta: 1e-3 }] }), 3), options);
    const stated = account(wasm, repeat(approximateDp({ epsilon: 0.7, delta: 1e-3 }), 3), options);
    for (const epsilon of [-1, 0, 0.3, 1.5, 5]) {
      expect(table.logDelta(epsilon)).toOverlap(stated.logDelta(epsilon));
    }
  });

  test('negative ε, repeated ε, points above the hull', () => {
    const points = [{ epsilon: 0.7, delta: 1e-3 }];
    const more = [
      ...points,
      { epsilon: 0.7, delta: 0.5 },
      { epsilon: 0.6, delta: 0.9 },
      { epsilon: 2, delta: 1e-3 },
      { epsilon: -0.7, delta: 1 - Math.exp(-0.7) + 1e-3 },
      { epsilon: -40, delta: 1 },
      { epsilon: -300, delta: 1 },
    ];
    for (const epsilon of [-45, -1, 0, 0.3, 0.7, 5, 300]) {
      expect(delta(more, epsilon), String(epsilon)).toOverlap(delta(points, epsilon));
      expect(relativeWidth(delta(more, epsilon))).toBeLessThan(1e-10);
    }
  });

  test('trivial statements say nothing', () => {
    expect(delta([{ epsilon: -40, delta: 1 }], 3)).toEqual({ lower: expect.closeTo(1, 12), upper: 1 });
    expect(
      delta(
        [
          { epsilon: 0.5, delta: 1 },
          { epsilon: 3, delta: 1 },
        ],
        700,
      ),
    ).toEqual({ lower: expect.closeTo(1, 12), upper: 1 });
  });

  test('ε beyond the range of exponentials', () => {
    const points = [
      { epsilon: 1, delta: 0.5 },
      { epsilon: 900, delta: 1e-3 },
      { epsilon: 5000, delta: 0 },
    ];
    expect(delta(points, 900)).toContainValue(1e-3);
    expect(delta(points, 4000)).toContainValue(1e-3);
    expect(delta(points, 5001).upper).toBe(0);
  });

  test('what no mechanism can be is refused', () => {
    expect(() => tabulated({ points: [{ epsilon: -1, delta: 0.1 }] })).toThrow(
      /"points\[0\].delta" must be at least/,
    );
  });
});

describe('edges', () => {
  // with probability q the record is revealed: δ(ε) = max(0, 1 − e^ε(1 − q δ₀)) at least, in both directions
  test('steps that may reveal all, sampled: both directions', () => {
    const run = account(wasm, poissonSubsampled(approximateDp({ epsilon: 0.1, delta: 0.5 }), { rate: 0.2 }), {
      ...options,
      method: 'grid',
    });
    const [, add] = run.directions;
    const single = account(
      wasm,
      poissonSubsampled(approximateDp({ epsilon: 0.1, delta: 0.5 }), { rate: 0.2 }),
      options,
    );
    for (const epsilon of [0.05, 0.1, 0.15, 0.2]) {
      const bracket = add.logDelta(epsilon);
      expect(bracket).toOverlap(single.directions[1].logDelta(epsilon));
      // outputs only the base gives: loss −log(1 − q) there
      const least = 0.5 * (1 - Math.exp(epsilon) * 0.8);
      expect(Math.exp(bracket.upper)).toBeGreaterThanOrEqual(least * (1 - 1e-12));
    }
  });
});

describe('plain data', () => {
  const all: Mechanism[] = [
    ...BASIC,
    ...SUBJECTS.map(([, mechanism]) => mechanism),
    compose([BASIC[0], repeat(compose([BASIC[1]]), 3)]),
    repeat(BASIC[2], 2),
    gaussianMixture({ noiseMultiplier: 2, sensitivities: [0, 1], probabilities: [0.5, 0.5] }),
    replacedGaussian({ noiseMultiplier: 2, rate: 0.5 }),
    ballsAndBins({ noiseMultiplier: 2, bins: 10, visited: 3 }),
    tcdp({ rho: 0.1, omega: 20 }),
    mcdp({ mean: 0.1, tau: 0.5 }),
    parseMechanism({ kind: 'shuffled', noiseMultiplier: 2, bins: 10, leftOut: 0.1 }),
    parseMechanism({ kind: 'capped-poisson', noiseMultiplier: 2, rate: 0.1, datasetSize: 100, batchCap: 15 }),
    parseMechanism({
      kind: 'matrix-mechanism',
      noiseMultiplier: 2,
      matrix: [
        [1, 0],
        [0.5, 1],
      ],
    }),
    parseMechanism({ kind: 'adaptive-clipping', noiseMultiplier: 1, countNoise: 10, count: 'raw' }),
    parseMechanism({
      kind: 'divided-sgd',
      noiseMultiplier: 2,
      samplingRate: 0.1,
      steps: 16,
      divisor: 'expected',
      parameters: 100,
      datasetSize: 5000,
    }),
    parseMechanism({ kind: 'discrete-gaussian', sigma: 1, sensitivity: 2, parties: 5 }),
    binomial({ trials: 40, sensitivity: 2 }),
    skellam({ variance: 9, sensitivity: 2 }),
    parseMechanism({ kind: 'last-iterate', noiseMultiplier: 2, batches: 5, epochs: 3, contraction: 0.9 }),
    parseMechanism({
      kind: 'last-iterate',
      noiseMultiplier: 2,
      batches: 5,
      epochs: 3,
      contraction: 0.9,
      order: 'shuffled',
    }),
    parseMechanism({ kind: 'binned-matrix', noiseMultiplier: 2, column: [1, 0.5], steps: 6, bins: 3 }),
    parseMechanism({ kind: 'shuffle-model', epsilon: 1, users: 50 }),
    parseMechanism({ kind: 'noisy-max', epsilon: 0.5 }),
    joint({ parts: [BASIC[0], repeat(BASIC[1], 2)] }),
    poissonSubsampled(joint({ parts: [BASIC[0], repeat(BASIC[1], 2)] }), { rate: 0.5 }),
    parseMechanism({ kind: 'discrete-gaussian-vector', sigma: 2, sensitivity: 2 }),
    parseMechanism({ kind: 'with-replacement', noiseMultiplier: 2, sampleSize: 4, datasetSize: 100 }),
    parseMechanism({ kind: 'fixed-batches', noiseMultiplier: 2, bins: 3, places: 'kept' }),
    parseMechanism({ kind: 'tree-aggregation', noiseMultiplier: 2, steps: 3 }),
    parseMechanism({ kind: 'band-mf', noiseMultiplier: 2, samplingRate: 0.5, bands: 2, steps: 3 }),
    parallel({ parts: [BASIC[0], BASIC[1]] }),
    parseMechanism({ kind: 'random-allocation', inner: BASIC[1], bins: 5 }),
    parseMechanism({ kind: 'select', runs: { kind: 'poisson', mean: 3 }, inner: BASIC[0] }),
  ];

  test('what the builders make is parsed to the same, after JSON too', () => {
    for (const one of all) expect(parseMechanism(JSON.parse(JSON.stringify(one)))).toEqual(one);
    const kinds = new Set(all.map(({ kind }) => kind));
    expect(
      MECHANISM_KINDS.filter(
        (kind) => !['dp-sgd', 'iterate-phases'].includes(kind) && !kinds.has(kind as Mechanism['kind']),
      ),
    ).toEqual([]);
  });

  test('unknown, missing and wrong fields are named with their place', () => {
    for (const one of BASIC) {
      expect(() => parseMechanism({ ...one, extra: 1 })).toThrow(
        new RegExp(`"mechanism.extra" is unknown: an? ${one.kind} has `),
      );
      const field = Object.keys(one).find((name) => name !== 'kind' && name !== 'categories') as string;
      expect(() => parseMechanism({ ...one, [field]: undefined })).toThrow(`"mechanism.${field}" is missing`);
      expect(() => parseMechanism({ ...one, [field]: 'x' })).toThrow(TypeError);
      expect(() => parseMechanism({ kind: 'repeat', count: 2, inner: { ...one, [field]: 'x' } })).toThrow(
        `"mechanism.inner.${field}`,
      );
    }
    expect(() => parseMechanism({ kind: 'lapalce' })).toThrow(
      /"mechanism.kind" must be one of the \d+ kinds of docs\/mechanisms.md, such as "laplace", got "lapalce"/,
    );
    expect(() => parseMechanism({ kind: 'toString' })).toThrow(RangeError);
  });

  test('every kind has a description of its own', () => {
    const texts = BASIC.map(describeMechanism);
    expect(new Set(texts).size).toBe(BASIC.length);
    for (const text of texts) expect(text).toMatch(/^[\w(][^{}[\]]+$/);
  });
});
