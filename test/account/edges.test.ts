import { describe, expect, test } from 'vitest';
import {
  account,
  compose,
  dpSgd,
  gaussian,
  gaussianTradeoff,
  isInputError,
  laplace,
  measure,
  poissonSubsampled,
  repeat,
} from '../../src/index.js';
import { relativeWidth } from '../helpers/brackets.js';
import { LONG_TESTS } from '../helpers/long.js';
import { type PhaseTriple, runOf, wasm } from '../helpers/runs.js';

function caught(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    return error;
  }
}

const options = { adjacency: 'add-remove' } as const;

describe('bounded time and memory', () => {
  test('a Gaussian of σ = .01', () => {
    const closed = runOf([[0.01, 1, 1]]);
    expect(closed.method).toBe('closed-form');
    // μ²/2 + μ z at z = Φ⁻¹(1 − 1e-5) bounds ε
    expect(closed.epsilon(1e-5).upper).toBeLessThan(5000 + 100 * 4.265);
    expect(closed.epsilon(1e-5).lower).toBeGreaterThan(5000 + 100 * 4.2);
    // the same bracket as with the usual limit, in a sixth of its time
    const grid = runOf([[0.01, 1, 1]], { method: 'grid', maxGridLength: 2 ** 14 });
    expect(grid.epsilon(1e-5)).toOverlap(closed.epsilon(1e-5));
    const sampled = runOf([[0.01, 0.5, 10]]);
    expect(sampled.delta(100).upper).toBeLessThanOrEqual(1);
    expect(sampled.delta(100).lower).toBeGreaterThan(0.49);
  });

  test('300 different σ', () => {
    const plain = runOf(Array.from({ length: 300 }, (_, i) => [10 + i / 10, 1, 1] as const));
    expect(plain.method).toBe('closed-form');
    const sampled = runOf(
      Array.from({ length: 300 }, (_, i) => [2 + i / 100, 0.02, 3] as const),
      { tolerance: 1e-2, maxGridLength: 2 ** 14 },
    );
    const { lower, upper } = sampled.epsilon(1e-5);
    // between the run with the most and the run with the least noise
    expect(upper).toBeLessThan(runOf([[2, 0.02, 900]]).epsilon(1e-5).upper);
    expect(lower).toBeGreaterThan(runOf([[5, 0.02, 900]]).epsilon(1e-5).lower);
  });

  test('T = 10⁹', () => {
    const run = runOf([[100, 1e-3, 1e9]]);
    // the central limit is exact to a part in a thousand here
    const mu = 1e-3 * Math.sqrt(1e9 * Math.expm1(1e-4));
    const limit = account(wasm, gaussian({ noiseMultiplier: 1 / mu }), options).epsilon(1e-5);
    const { lower, upper } = run.epsilon(1e-5);
    expect(lower).toBeLessThan(limit.upper * 1.01);
    expect(upper).toBeGreaterThan(limit.lower * 0.99);
    const loud = runOf([[1, 0.01, 1e9]]).epsilon(1e-5);
    expect(loud.lower).toBeLessThanOrEqual(loud.upper);
    expect(loud.upper).toBeGreaterThan(1000);
  });

  test('q → 0', () => {
    for (const q of LONG_TESTS ? [1e-9, 1e-15, 1e-100, 1e-300] : [1e-15, 1e-300]) {
      const run = runOf([[1, q, 1000]], { maxGridLength: 2 ** 14 });
      const delta = run.delta(0);
      // δ(0) ≤ 1000·q·(2Φ(1/2) − 1)
      expect(delta.lower).toBeLessThanOrEqual(1000 * q * 0.3829249226);
      expect(delta.upper).toBeGreaterThanOrEqual(0);
      expect(delta.upper).toBeLessThanOrEqual(1);
      const epsilon = run.epsilon(1e-5);
      expect(epsilon.lower).toBeLessThan(1e-3);
    }
    const one = runOf([[1, 1e-9, 1]]);
    expect(one.delta(0)).toContainValue(1e-9 * 0.38292492254802624);
  });

  test('q → 1 meets the plain Gaussian', () => {
    const plain = runOf([[3, 1, 20]]).epsilon(1e-6);
    let last = 0;
    for (const q of [0.99, 0.9999, 1 - 1e-9, 1 - 2 ** -53]) {
      const near = runOf([[3, q, 20]]).epsilon(1e-6);
      expect(near.lower).toBeLessThanOrEqual(plain.upper);
      expect(near.upper).toBeGreaterThanOrEqual(last);
      last = near.lower;
    }
    expect(last).toBeGreaterThan(plain.lower * (1 - 1e-4));
    expect(plain).toEqual(account(wasm, repeat(gaussian({ noiseMultiplier: 3 }), 20), options).epsilon(1e-6));
  });

  test('T = 1', () => {
    const run = runOf([[1, 0.1, 1]]);
    expect(run.method).toBe('closed-form');
    // 0.1 (2Φ(1/2) − 1)
    expect(run.delta(0)).toContainValue(0.038292492254802624);
    expect(relativeWidth(run.delta(0))).toBeLessThan(1e-10);
  });
});

test.each([
  [0.375, 9e12, 8e6],
  [1.625, 1.69e12, 8e5],
  [0.875, 49e10, 8e5],
  [0.0078125 * 11, 121, 128],
])('a root of a sum of rounded squares: noise %d, %d steps, are mu = %d', (noiseMultiplier, count, mu) => {
  const run = account(wasm, repeat(gaussian({ noiseMultiplier }), count), options);
  const exact = gaussianTradeoff(mu);
  for (const z of [-3, 0, 1, 5, 30]) {
    const epsilon = (mu * mu) / 2 + mu * z;
    expect(run.logDelta(epsilon)).toOverlap(exact.logDelta(epsilon));
    expect(exact.logDelta(epsilon)).toBeNoWiderThan(1e-9);
  }
  expect(measure(exact).mu).toContainValue(mu);
});

test('every mu is its own', () => {
  for (let i = 1; i < 300; i++) expect(measure(gaussianTradeoff(i / 7)).mu).toContainValue(i / 7);
});

describe('edges with a defined answer', () => {
  const run = runOf([[2, 0.1, 400]]);

  test('large δ and δ = 0', () => {
    for (const delta of [0.5, 0.9, 1]) {
      const { lower, upper } = run.epsilon(delta);
      expect(lower).toBe(0);
      expect(upper).toBeLessThan(1e-3);
      expect(upper).toBeGreaterThanOrEqual(0);
    }
    expect(run.epsilon(0).upper).toBe(Infinity);
    expect(runOf([[2, 1, 4]]).epsilon(0).upper).toBe(Infinity);
  });

  test('a question that is none', () => {
    for (const [ask, times] of [['x'], [undefined], [() => 1, Number.NaN], [() => 1, 0], [() => 1, '2']])
      expect(isInputError(caught(() => run.question(ask as () => unknown, times as number)))).toBe(true);
    expect(run.question(() => 1)).toBe(1);
  });

  test.each([1e-3, 1e-9, 0, 709, 710, 5000, 1e9, 1e300, -709, -5000])('ε = %s', (epsilon) => {
    for (const some of [run, runOf([[2, 1, 4]]), runOf([[0.5, 0.2, 1]])]) {
      const { lower, upper } = some.delta(epsilon);
      expect(lower).toBeGreaterThanOrEqual(0);
      expect(upper).toBeLessThanOrEqual(1);
      expect(lower).toBeLessThanOrEqual(upper);
      const logs = some.logDelta(epsilon);
      expect(logs.upper).toBeLessThanOrEqual(0);
      if (epsilon >= 709) expect(upper).toBeLessThan(1e-300);
      if (epsilon <= -709) expect(lower).toBeGreaterThan(0.999);
    }
  });

  test('an empty history and rate 0 lose nothing', () => {
    const nothing = [
      compose([]),
      repeat(gaussian({ noiseMultiplier: 1 }), 0),
      dpSgd({ noiseMultiplier: 1, samplingRate: 0, steps: 100 }),
      dpSgd({ noiseMultiplier: 0, samplingRate: 0, steps: 100 }),
      poissonSubsampled(gaussian({ noiseMultiplier: 0.1 }), { rate: 0 }),
    ];
    for (const mechanism of nothing) {
      const empty = account(wasm, mechanism, options);
      expect(empty.epsilon(1e-5)).toEqual({ lower: 0, upper: 0 });
      expect(empty.epsilon(0).lower).toBe(0);
      expect(empty.delta(0)).toEqual({ lower: 0, upper: empty.delta(0).upper });
      expect(empty.delta(0).upper).toBeLessThanOrEqual(Number.MIN_VALUE);
      expect(empty.tradeoff(0.25)).toContainValue(0.75);
      expect(measure(empty).mu.upper).toBe(0);
    }
  });

  test('σ = 0 reveals everything', () => {
    const plain = account(wasm, gaussian({ noiseMultiplier: 0 }), options);
    expect(plain.epsilon(1e-5)).toEqual({ lower: expect.any(Number), upper: Infinity });
    expect(plain.epsilon(1e-5).lower).toBeGreaterThan(1e6);
    expect(plain.delta(10).upper).toBe(1);
    expect(plain.delta(10).lower).toBeGreaterThan(1 - 1e-12);
    const sampled = runOf([[0, 0.01, 100]]);
    const revealed = 1 - 0.99 ** 100;
    expect(sampled.delta(50).lower).toBeLessThanOrEqual(revealed);
    expect(sampled.delta(50).lower).toBeGreaterThan(revealed * (1 - 1e-10));
    expect(sampled.epsilon(1e-5).upper).toBe(Infinity);
    expect(sampled.epsilon(1e-5).lower).toBeGreaterThan(1e6);
    expect(measure(plain).mu.upper).toBe(Infinity);
  });

  test.each([
    ['samplingRate', () => dpSgd({ noiseMultiplier: 1, samplingRate: 1.5, steps: 1 }), RangeError],
    ['samplingRate', () => dpSgd({ noiseMultiplier: 1, samplingRate: -0.1, steps: 1 }), RangeError],
    ['samplingRate', () => dpSgd({ noiseMultiplier: 1, samplingRate: Number.NaN, steps: 1 }), RangeError],
    ['samplingRate', () => dpSgd({ noiseMultiplier: 1, samplingRate: '1' as never, steps: 1 }), TypeError],
    ['steps', () => dpSgd({ noiseMultiplier: 1, samplingRate: 0.1, steps: 1.5 }), RangeError],
    ['steps', () => dpSgd({ noiseMultiplier: 1, samplingRate: 0.1, steps: -1 }), RangeError],
    ['steps', () => dpSgd({ noiseMultiplier: 1, samplingRate: 0.1, steps: Infinity }), RangeError],
    ['noiseMultiplier', () => gaussian({ noiseMultiplier: Number.NaN }), RangeError],
    ['noiseMultiplier', () => gaussian({ noiseMultiplier: -1 }), RangeError],
    ['noiseMultiplier', () => gaussian({ noiseMultiplier: Infinity }), RangeError],
    ['noiseMultiplier', () => gaussian({ noiseMultiplier: undefined as never }), TypeError],
    ['rate', () => poissonSubsampled(gaussian({ noiseMultiplier: 1 }), { rate: 2 }), RangeError],
    ['inner', () => poissonSubsampled(undefined as never, { rate: 1 }), TypeError],
    ['count', () => repeat(gaussian({ noiseMultiplier: 1 }), 0.5), RangeError],
    ['parts', () => compose(gaussian({ noiseMultiplier: 1 }) as never), TypeError],
    [
      'adjacency',
      () => account(wasm, gaussian({ noiseMultiplier: 1 }), { adjacency: 1 as never }),
      TypeError,
    ],
    [
      'adjacency',
      () =>
        account(wasm, poissonSubsampled(laplace({ scale: 1, sensitivity: 1 }), { rate: 0.1 }), {
          adjacency: 'replace-one',
        }),
      RangeError,
    ],
    ['tolerance', () => runOf([[1, 0.1, 2]], { tolerance: 0 }), RangeError],
    ['tolerance', () => runOf([[1, 0.1, 2]], { tolerance: Number.NaN }), RangeError],
    ['maxGridLength', () => runOf([[1, 0.1, 2]], { maxGridLength: 3000 }), RangeError],
    ['method', () => runOf([[1, 0.1, 2]], { method: 'rdp' as never }), RangeError],
    ['delta', () => run.epsilon(-1e-9), RangeError],
    ['delta', () => run.epsilon(1.1), RangeError],
    ['delta', () => run.epsilon(Number.NaN), RangeError],
    ['epsilon', () => run.delta(Number.NaN), RangeError],
    ['epsilon', () => run.delta('1' as never), TypeError],
    ['alpha', () => run.tradeoff(2), RangeError],
    ['alphaMin', () => measure(run, { alphaMin: 0.7 }), RangeError],
  ] as const)('a wrong "%s" is named (%#)', (option, act, kind) => {
    expect(act).toThrow(kind);
    expect(act).toThrow(`"${option}"`);
  });
});

describe('low rates', () => {
  // exact by contour integration
  test.each([
    [1e-5, 0.34165993988],
    [1e-6, 0.39800216145],
  ])('σ = 10, q = .001, T = 10⁶: ε(%s)', (delta, exact) => {
    const epsilon = runOf([[10, 1e-3, 1_000_000]]).epsilon(delta);
    expect(epsilon).toContainValue(exact, { relative: 1e-9 });
    expect(relativeWidth(epsilon)).toBeLessThan(1e-3);
  });
});

describe('cut mass and folded mass only widen', () => {
  test.each([
    [[[0.5, 1e-4, 20000]]],
    [[[1, 0.01, 1000]]],
    [[[0.7, 0.05, 50]]],
    [
      [
        [8, 1, 16],
        [1, 0.01, 100],
      ],
    ],
  ] as [PhaseTriple[]][])('brackets of all meshes intersect: %j', (phases) => {
    for (const epsilon of [-0.3, 0, 0.4, 2, 6]) {
      let [low, high] = [-Infinity, 0];
      for (const [tolerance, log2Length] of [
        [0.5, 10],
        [0.1, 12],
        [1e-2, 14],
        [1e-3, 15],
        [1e-5, 17],
      ]) {
        const run = runOf(phases, { tolerance, maxGridLength: 2 ** log2Length });
        const { lower, upper } = run.logDelta(epsilon);
        low = Math.max(low, lower);
        high = Math.min(high, upper);
        expect(low, `ε ${epsilon}, grid 2^${log2Length}`).toBeLessThanOrEqual(high);
      }
    }
  });

  test('a finer tolerance is not wider', () => {
    let last = Infinity;
    for (const tolerance of [0.1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6]) {
      const width = relativeWidth(runOf([[2, 0.1, 400]], { tolerance }).epsilon(1e-5));
      expect(width).toBeLessThanOrEqual(Math.max(last, tolerance));
      expect(width).toBeLessThanOrEqual(tolerance);
      last = width;
    }
  });
});
