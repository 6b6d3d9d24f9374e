import { describe, expect, test } from 'vitest';
import {
  account,
  type ComposedRun,
  compose,
  dpSgd,
  gaussian,
  poissonSubsampled,
  repeat,
} from '../../src/index.js';
import type { Bracket } from '../../src/numeric/bracket.js';
import { logDeltaGdp } from '../../src/numeric/scalar.js';
import { relativeWidth } from '../helpers/brackets.js';
import { LONG_TESTS } from '../helpers/long.js';
import { seeded } from '../helpers/random.js';
import { type PhaseTriple, reference, runOf, wasm } from '../helpers/runs.js';

/** CIFAR-10 with σ = 9.4, batches of 16384 out of 50000, 2000 steps. Exact values by contour integration. */
const cifar: readonly PhaseTriple[] = [[9.4, 16384 / 50000, 2000]];
const twoPhases: readonly PhaseTriple[] = [
  [1.3, 0.004, 5000],
  [0.9, 0.004, 500],
];

/** The bracket holds the number of which these digits are known. */
function expectDigits(bracket: Bracket, digits: string): void {
  const value = Number(digits);
  const [mantissa, exponent = '0'] = digits.split('e');
  const half = 0.6 * 10 ** (Number(exponent) - (mantissa.split('.')[1] ?? '').length);
  expect(bracket, `${digits} in [${bracket.lower}, ${bracket.upper}]`).toContainValue(value, {
    absolute: half,
  });
}

describe.each([wasm, reference].map((engine) => [engine.kernel.name, engine] as const))(
  'one run (%s)',
  (_, engine) => {
    const run = runOf(cifar, { engine });

    test('ε(1e-5) and δ(8) at default settings', () => {
      const epsilon = run.epsilon(1e-5);
      expectDigits(epsilon, '7.424378899');
      expect(relativeWidth(epsilon)).toBeLessThan(1e-4);
      const delta = run.delta(8);
      expectDigits(delta, '1.917623531494e-6');
      expect(relativeWidth(delta)).toBeLessThan(1e-4);
    });

    test('the directions apart', () => {
      expect(run.directions.map((one) => one.direction)).toEqual(['remove', 'add']);
      const add = run.directions[1];
      const target = Math.log(1e-5);
      expect(add.logDelta(7.357177795 - 1e-4).lower).toBeGreaterThan(target);
      expect(add.logDelta(7.357177795 + 1e-4).upper).toBeLessThan(target);
    });
  },
);

describe('exact values of one run', () => {
  const run = runOf(cifar);

  test.each([
    [0.5, '4.5370394850514e-1'],
    [2, '1.6353596700998e-1'],
    [12, '6.1891151539299e-13'],
    [16, '4.3436860967454e-22'],
    [20, '6.5542760845558e-34'],
    [30, '5.0429900470744e-75'],
    [40, '2.4164072799262e-132'],
  ])('δ(%s)', (epsilon, digits) => {
    const delta = run.delta(epsilon);
    expectDigits(delta, digits);
    expect(relativeWidth(delta)).toBeLessThan(1e-3);
  });

  test.each([
    [1e-10, '10.80992335046'],
    [1e-12, '11.89291'],
    [1e-20, '15.47166014843'],
    [1e-30, '19.00683808'],
  ])('ε(%s)', (delta, digits) => {
    const epsilon = run.epsilon(delta);
    expectDigits(epsilon, digits);
    expect(relativeWidth(epsilon)).toBeLessThan(1e-4);
  });

  test('tolerance 1e-5 gives relative width 1e-5', () => {
    const fine = runOf(cifar, { tolerance: 1e-5 });
    const epsilon = fine.epsilon(1e-5);
    expectDigits(epsilon, '7.424378899');
    expect(relativeWidth(epsilon)).toBeLessThanOrEqual(1e-5);
    const delta = fine.delta(8);
    expectDigits(delta, '1.917623531494e-6');
    expect(relativeWidth(delta)).toBeLessThanOrEqual(1e-5);
  });

  test('any tolerance holds the truth', () => {
    for (const tolerance of [0.5, 0.1, 1e-2, 1e-3, 1e-7]) {
      const some = runOf(cifar, { tolerance });
      expectDigits(some.epsilon(1e-5), '7.424378899');
      expectDigits(some.delta(12), '6.1891151539299e-13');
    }
  });

  test('any grid length holds the truth', () => {
    for (let maxGridLength = 2 ** 10; maxGridLength <= 2 ** 16; maxGridLength *= 4) {
      const some = runOf(cifar, { maxGridLength });
      expectDigits(some.epsilon(1e-5), '7.424378899');
      expectDigits(some.delta(8), '1.917623531494e-6');
      expectDigits(some.delta(40), '2.4164072799262e-132');
    }
  });
});

describe('histories', () => {
  const [first, second] = twoPhases.map(([noiseMultiplier, samplingRate]) => ({
    noiseMultiplier,
    samplingRate,
  }));
  const whole = runOf(twoPhases);
  const answers = (run: ComposedRun) => [run.epsilon(1e-5), run.delta(0.5), run.tradeoff(0.01)];
  const options = { adjacency: 'add-remove' } as const;

  test('two phases', () => {
    const epsilon = whole.epsilon(1e-5);
    expectDigits(epsilon, '1.15296809');
    expect(relativeWidth(epsilon)).toBeLessThan(1e-3);
  });

  // equal steps are merged and sorted before anything is computed, so the bits are the same
  test('split, reordered or grouped, the bits are the same', () => {
    const expected = answers(whole);
    const split = compose([
      dpSgd({ ...second, steps: 200 }),
      dpSgd({ ...first, steps: 4999 }),
      dpSgd({ ...second, steps: 300 }),
      dpSgd({ ...first, steps: 1 }),
    ]);
    const grouped = repeat(
      compose([dpSgd({ ...first, steps: 50 }), repeat(dpSgd({ ...second, steps: 1 }), 5)]),
      100,
    );
    for (const mechanism of [split, grouped])
      expect(answers(account(wasm, mechanism, options))).toEqual(expected);
  });

  test('repeat, nested repeats and compose are one thing', () => {
    const step = poissonSubsampled(gaussian({ noiseMultiplier: 0.8 }), { rate: 0.05 });
    const flat = account(wasm, repeat(step, 12), options);
    const nested = account(wasm, repeat(repeat(step, 4), 3), options);
    const listed = account(wasm, compose(Array.from({ length: 12 }, () => step)), options);
    expect(answers(nested)).toEqual(answers(flat));
    expect(answers(listed)).toEqual(answers(flat));
  });

  test('steps are counted', () => {
    const once = runOf([[1, 0.01, 10]]).epsilon(1e-5);
    const tenfold = runOf([[1, 0.01, 100]]).epsilon(1e-5);
    expect(tenfold.lower).toBeGreaterThan(once.upper);
  });

  test('every phase counts', () => {
    const firstOnly = runOf([twoPhases[0]]).epsilon(1e-5);
    const secondOnly = runOf([twoPhases[1]]).epsilon(1e-5);
    const both = whole.epsilon(1e-5);
    expect(both.lower).toBeGreaterThan(firstOnly.upper);
    expect(both.lower).toBeGreaterThan(secondOnly.upper);
  });
});

describe('closed form and grid', () => {
  test.each([
    [1, 1, 1],
    [0.6, 1, 1],
    [3, 1, 9],
    [20, 1, 400],
    [50, 1, 100000],
  ] as const)('plain Gaussian σ %s, q %s, T %s', (sigma, q, steps) => {
    const grid = runOf([[sigma, q, steps]], { method: 'grid' });
    const closed = runOf([[sigma, q, steps]]);
    expect([grid.method, closed.method]).toEqual(['grid', 'closed-form']);
    const mu = Math.sqrt(steps) / sigma;
    for (const z of [-1.5, -0.3, 0.1, 1, 3, 6, 12]) {
      const epsilon = mu * (mu / 2 + z);
      const exact = logDeltaGdp(mu, epsilon);
      const a = grid.logDelta(epsilon);
      const b = closed.logDelta(epsilon);
      expect(a, `${epsilon}: ${JSON.stringify([a, b])}`).toOverlap(b);
      expect(b.lower <= exact && exact <= b.upper).toBe(true);
      expect(a).toBeNoWiderThan(1e-3);
    }
    const delta = 1e-6;
    expect(grid.epsilon(delta)).toOverlap(closed.epsilon(delta));
    for (const alpha of [1e-6, 0.01, 0.3, 0.9]) {
      expect(grid.tradeoff(alpha), `f(${alpha})`).toOverlap(closed.tradeoff(alpha));
    }
  });

  test.each([
    [1, 0.1],
    [0.5, 0.01],
    [0.7, 0.6],
    [4, 0.3],
    [20, 0.01],
  ] as const)('single subsampled step σ %s, q %s', (sigma, q) => {
    const grid = runOf([[sigma, q, 1]], { method: 'grid', tolerance: LONG_TESTS ? 1e-6 : 1e-4 });
    const closed = runOf([[sigma, q, 1]]);
    expect([grid.method, closed.method]).toEqual(['grid', 'closed-form']);
    for (const scale of [-0.5, 0, 0.2, 0.9, 2.5]) {
      const epsilon = scale * Math.log1p(q * Math.expm1(1 / sigma));
      for (const k of [0, 1]) {
        const a = grid.directions[k].logDelta(epsilon);
        const b = closed.directions[k].logDelta(epsilon);
        expect(a, `${k} ${epsilon}: ${JSON.stringify([a, b])}`).toOverlap(b);
      }
    }
    for (const alpha of [1e-4, 0.02, 0.5]) {
      expect(grid.tradeoff(alpha), `f(${alpha})`).toOverlap(closed.tradeoff(alpha));
    }
  });
});

describe('both engines', () => {
  const random = seeded(20240611);
  const between = (a: number, b: number) => a * (b / a) ** random();
  const runs = Array.from({ length: 200 }, () => {
    const phases: PhaseTriple[] = [];
    const count = 1 + Math.floor(random() ** 3 * 3);
    for (let i = 0; i < count; i++) {
      phases.push([between(0.5, 20), random() < 0.1 ? 1 : between(1e-3, 1), Math.round(between(1, 2e4))]);
    }
    return { phases, delta: between(1e-12, 0.2), epsilon: between(0.01, 10) };
  });

  const swept = runs.slice(0, LONG_TESTS ? 200 : 8);
  const refined = runs.slice(0, LONG_TESTS ? 100 : 5);

  test(`brackets intersect on ${swept.length} random runs`, () => {
    const options = { maxGridLength: 2 ** 12, tolerance: 1e-2, ...(!LONG_TESTS && { effort: 0.1 }) };
    for (const { phases, delta, epsilon } of swept) {
      const a = runOf(phases, { ...options, engine: wasm });
      const b = runOf(phases, { ...options, engine: reference });
      expect([a.settings.engine, b.settings.engine]).toEqual(['wasm', 'reference']);
      const what = `${JSON.stringify(phases)} at δ ${delta}, ε ${epsilon}`;
      expect(a.epsilon(delta), what).toOverlap(b.epsilon(delta));
      expect(a.logDelta(epsilon), what).toOverlap(b.logDelta(epsilon));
    }
  });

  test(`a coarse grid holds what a fine one says of ${refined.length} random runs`, () => {
    for (const { phases, delta, epsilon } of refined) {
      const coarse = runOf(phases, { maxGridLength: 2 ** 11, tolerance: 0.1, effort: 0.1 });
      const fine = runOf(phases, { maxGridLength: 2 ** 15, tolerance: 1e-4, effort: 0.1 });
      const what = `${JSON.stringify(phases)} at δ ${delta}, ε ${epsilon}`;
      expect(coarse.epsilon(delta), what).toOverlap(fine.epsilon(delta));
      expect(coarse.logDelta(epsilon), what).toOverlap(fine.logDelta(epsilon));
    }
  });
});

describe('edges', () => {
  test('near the largest loss of removal, which no method resolves, δ is that of addition', () => {
    const steps = 1000;
    const run = runOf([[1.1, 0.01, steps]]);
    const epsilon = -0.995 * steps * Math.log1p(-0.01);
    const answer = run.logDelta(epsilon);
    expect(answer).toBeNoWiderThan(1e-4);
    expect(answer).toOverlap(run.directions[0].logDelta(epsilon, 1e-5));
  });

  test('answers are in order', () => {
    const run = runOf(cifar);
    expect(run.delta(0)).toContainValue(run.advantage().upper);
    let last = 1;
    for (const epsilon of [-5, -1, 0, 0.3, 1, 3, 9, 27, 81]) {
      const { lower, upper } = run.delta(epsilon);
      expect(lower).toBeLessThanOrEqual(last);
      last = upper;
    }
  });
});

test('a width that is none is refused by name', () => {
  const run = runOf([[1, 0.01, 100]]);
  for (const width of [0, -1, Number.NaN, Infinity])
    expect(() => run.logDelta(1, width)).toThrow('"width" must be a positive number');
  expect(() => run.logDelta(1, '1e-3' as never)).toThrow('"width" must be a positive number');
});
