import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { groupedSteps } from '../../src/account/near-phases.js';
import {
  account,
  type Bracket,
  binomial,
  calibrate,
  compose,
  type Mechanism,
  poissonSubsampled,
  repeat,
  skellam,
  unknownOf,
} from '../../src/index.js';
import { type Step, stepsOf } from '../../src/mechanism/steps.js';
import { reference, wasm } from '../helpers/runs.js';

/** Numbers are multiples of 2^−BITS. */
const BITS = 1400n;
const ONE = 1n << BITS;

/** e^x of a double, |x| ≤ 60, by its series: to some 40 bits before the last. */
function expOf(x: number): bigint {
  const scaled = (BigInt(Math.round(x * 2 ** 40)) << BITS) >> 40n;
  // x·2⁴⁰ is a whole number for the x of these tests
  expect(Math.round(x * 2 ** 40)).toBe(x * 2 ** 40);
  let [term, sum] = [ONE, ONE];
  for (let n = 1n; term !== 0n && term !== -1n && n < 2000n; n++) {
    term = (term * scaled) / (n << BITS);
    sum += term;
  }
  return sum;
}

const toNumber = (x: bigint): number => Number((x << 60n) >> BITS) / 2 ** 60;
/** log of a positive multiple, to the digits of a double. */
function logOf(x: bigint): number {
  const bits = x.toString(2).length;
  const cut = Math.max(0, bits - 64);
  return Math.log(Number(x >> BigInt(cut))) + (cut - Number(BITS)) * Math.LN2;
}

/** Masses of whole numbers from `first` on. */
interface Noise {
  readonly first: number;
  readonly mass: readonly bigint[];
}

function coins(trials: number): Noise {
  let ways = 1n;
  const mass = Array.from({ length: trials + 1 }, (_, j) => {
    const own = (ways << BITS) >> BigInt(trials);
    ways = (ways * BigInt(trials - j)) / BigInt(j + 1);
    return own;
  });
  return { first: 0, mass };
}

/** Differences of two Poisson numbers up to `most`, of mean v/2 each. */
function poissonDifference(variance: number, most: number): Noise {
  const half = expOf(variance / 2);
  const mean = (BigInt(variance * 2 ** 20) << BITS) >> 21n;
  let own = (ONE * ONE) / half;
  const poisson = Array.from({ length: 2 * most + 1 }, (_, j) => {
    const mass = own;
    own = (own * mean) / (BigInt(j + 1) << BITS);
    return mass;
  });
  const mass = Array.from({ length: 2 * most + 1 }, (_, i) => {
    let sum = 0n;
    for (let j = Math.max(0, i - most); j <= 2 * most && j - i + most <= 2 * most; j++)
      sum += (poisson[j] * poisson[j - i + most]) >> BITS;
    return sum;
  });
  return { first: -most, mass };
}

/** δ(ε) of (Z + from, Z + to): the positive parts of P[Z + to = x] − e^ε P[Z + from = x]. */
function deltaOf({ first, mass }: Noise, from: number, to: number, factor: bigint): bigint {
  const at = (x: number): bigint => mass[x - first] ?? 0n;
  let sum = 0n;
  const last = first + mass.length;
  for (let x = first + Math.min(from, to); x < last + Math.max(from, to); x++) {
    const excess = at(x - to) - ((at(x - from) * factor) >> BITS);
    if (excess > 0n) sum += excess;
  }
  return sum;
}

const EPSILONS = [0, 0.125, 0.5, 1, 2.25];
const of = (mechanism: Mechanism, engine = wasm) => account(engine, mechanism, { adjacency: 'add-remove' });

function expectAround({ lower, upper }: Bracket, logExact: number, width: number): void {
  expect(lower).toBeLessThanOrEqual(logExact + 1e-13 * (1 + Math.abs(logExact)));
  expect(upper).toBeGreaterThanOrEqual(logExact - 1e-13 * (1 + Math.abs(logExact)));
  expect(upper - lower).toBeLessThan(width);
}

describe('binomial and Skellam noise', () => {
  test('every change of at most the sensitivity, in whole numbers: none is worse, the largest is as bad', () => {
    for (const [noise, mechanism] of [
      [coins(7), binomial({ trials: 7, sensitivity: 3 })],
      [coins(24), binomial({ trials: 24, sensitivity: 3 })],
      [poissonDifference(2.5, 60), skellam({ variance: 2.5, sensitivity: 3 })],
    ] as const) {
      for (const epsilon of EPSILONS) {
        const factor = expOf(epsilon);
        const { lower, upper } = of(mechanism).delta(epsilon);
        const all = [-3, -2, -1, 1, 2, 3].map((k) => toNumber(deltaOf(noise, 0, k, factor)));
        for (const delta of all) expect(delta).toBeLessThanOrEqual(upper);
        expect(Math.max(...all)).toBeGreaterThanOrEqual(lower - 1e-16);
        expect(upper - lower).toBeLessThan(1e-11);
      }
    }
  });

  test('two releases, the second change chosen by what the first one showed', () => {
    const noise = coins(6);
    const factors = EPSILONS.map((epsilon) => expOf(epsilon));
    const run = of(repeat(binomial({ trials: 6, sensitivity: 2 }), 2));
    const at = (x: number): bigint => noise.mass[x] ?? 0n;
    for (const [i, factor] of factors.entries()) {
      // for each first output the worst second change, and the worst first change
      let worst = 0n;
      for (const first of [-2, -1, 1, 2]) {
        let sum = 0n;
        for (let x = -2; x <= 8; x++) {
          const [p, q] = [at(x), at(x - first)];
          let most = 0n;
          for (const second of [-2, -1, 1, 2]) {
            let own = 0n;
            for (let y = -2; y <= 8; y++) {
              const excess = q * at(y - second) - ((p * at(y) * factor) >> BITS);
              if (excess > 0n) own += excess >> BITS;
            }
            if (own > most) most = own;
          }
          sum += most;
        }
        if (sum > worst) worst = sum;
      }
      const { lower, upper } = run.delta(EPSILONS[i]);
      expect(lower).toBeLessThanOrEqual(toNumber(worst) + 1e-15);
      expect(upper).toBeGreaterThanOrEqual(toNumber(worst) - 1e-15);
      expect(upper - lower).toBeLessThan(1e-6);
    }
  });

  test.each([1, 2, 3, 10, 41, 400, 1023, 1200])(
    'binomial noise against sums of binomial coefficients: %d coins',
    (trials) => {
      const noise = coins(trials);
      for (const sensitivity of [1, 2, 5].filter((s) => s <= trials)) {
        for (const epsilon of EPSILONS) {
          const exact = logOf(deltaOf(noise, 0, sensitivity, expOf(epsilon)));
          for (const engine of [wasm, reference])
            expectAround(of(binomial({ trials, sensitivity }), engine).logDelta(epsilon), exact, 1e-11);
        }
      }
    },
  );

  test.each([0.0625, 1, 6.5, 40])(
    'Skellam noise against sums of products of Poisson masses: variance %d',
    (variance) => {
      const noise = poissonDifference(variance, variance > 10 ? 330 : 120);
      for (const sensitivity of [1, 4]) {
        for (const epsilon of EPSILONS) {
          const exact = logOf(deltaOf(noise, 0, sensitivity, expOf(epsilon)));
          for (const engine of [wasm, reference])
            expectAround(of(skellam({ variance, sensitivity }), engine).logDelta(epsilon), exact, 1e-11);
        }
      }
    },
  );

  test.each([
    [binomial({ trials: 2000, sensitivity: 1 }), 0.16825335867933],
    [binomial({ trials: 80, sensitivity: 1 }), 0.998572259524837],
    [binomial({ trials: 79, sensitivity: 1 }), 1.01035685413975],
    [binomial({ trials: 1483, sensitivity: 1 }), 0.1974859317244323],
    [skellam({ variance: 25, sensitivity: 1 }), 0.7757004376616692],
    [skellam({ variance: 100, sensitivity: 1 }), 0.3894584007009332],
    [skellam({ variance: 400, sensitivity: 1 }), 0.1883793436291062],
  ])('values of 15 digits, from sums of 30: %o', (mechanism, epsilon) => {
    const found = of(mechanism).epsilon(1e-6);
    expect(found.lower).toBeLessThanOrEqual(epsilon + 1e-13);
    expect(found.upper).toBeGreaterThanOrEqual(epsilon - 1e-13);
    expect(found.upper - found.lower).toBeLessThan(1e-11);
  });

  test('outputs of one world alone are listed, or charged', () => {
    for (const trials of [1, 2, 5, 20, 400]) {
      const { lower, upper } = of(binomial({ trials, sensitivity: 1 })).logDelta(Infinity);
      expect(lower).toBeLessThanOrEqual(-trials * Math.LN2 + 1e-12 * trials);
      expect(upper).toBeGreaterThanOrEqual(-trials * Math.LN2 - 1e-12 * trials);
      expect(upper - lower).toBeLessThan(1e-10);
    }
    // 2^−2000 is no double
    const rare = of(binomial({ trials: 2000, sensitivity: 1 })).logDelta(Infinity);
    expect(rare.lower).toBeLessThanOrEqual(-2000 * Math.LN2);
    expect(rare.upper).toBeGreaterThanOrEqual(-2000 * Math.LN2);
    expect(of(skellam({ variance: 4, sensitivity: 1 })).logDelta(Infinity)).toEqual({
      lower: -Infinity,
      upper: -Infinity,
    });
    // 1 − (1 − 2^−10)^3 of three releases
    const three = of(repeat(binomial({ trials: 10, sensitivity: 1 }), 3)).delta(Infinity);
    const exact = 3 * 2 ** -10 - 3 * 2 ** -20 + 2 ** -30;
    expect(three.lower).toBeLessThanOrEqual(exact);
    expect(three.upper).toBeGreaterThanOrEqual(exact);
    expect(three.upper / three.lower).toBeLessThan(1 + 1e-11);
  });

  test('more noise is more private, at every epsilon and in runs', () => {
    for (const [less, more] of [
      [binomial({ trials: 40, sensitivity: 2 }), binomial({ trials: 41, sensitivity: 2 })],
      [skellam({ variance: 7, sensitivity: 2 }), skellam({ variance: 7.5, sensitivity: 2 })],
    ]) {
      for (const epsilon of EPSILONS)
        expect(of(less).delta(epsilon).upper).toBeGreaterThanOrEqual(of(more).delta(epsilon).lower);
    }
    // unlike releases that are taken together lie between those of the least and of the most noise
    const coarse = (m: Mechanism) =>
      account(wasm, m, { adjacency: 'add-remove', tolerance: 0.01 }).epsilon(1e-6);
    for (const make of [
      (i: number) => skellam({ variance: 20 + 4 * i, sensitivity: 1 }),
      (i: number) => binomial({ trials: 80 + 16 * i, sensitivity: 1 }),
    ]) {
      const run = compose([make(0), make(1), make(2)]);
      const grouped = groupedSteps(stepsOf(run), 1);
      if (grouped === undefined) throw new Error('not taken together');
      const sum = (steps: readonly Step[]) =>
        coarse(compose(steps.map(({ mechanism, count }) => repeat(mechanism as Mechanism, count))));
      const [worst, own, best] = [sum(grouped.worse), coarse(run), sum(grouped.better)];
      expect(worst.lower).toBeGreaterThan(own.upper);
      expect(best.upper).toBeLessThan(own.lower);
    }
  });

  test('on a Poisson sample, both directions', () => {
    const [noise, rate] = [coins(30), 0.125];
    for (const epsilon of EPSILONS) {
      // δ of (mixture, base) and of (base, mixture), output by output
      const factor = expOf(epsilon);
      const at = (x: number): bigint => noise.mass[x] ?? 0n;
      let [remove, add] = [0n, 0n];
      for (let x = 0; x <= 32; x++) {
        const mixture = (7n * at(x) + at(x - 2)) / 8n;
        const gain = mixture - ((at(x) * factor) >> BITS);
        const loss = at(x) - ((mixture * factor) >> BITS);
        if (gain > 0n) remove += gain;
        if (loss > 0n) add += loss;
      }
      const run = of(poissonSubsampled(binomial({ trials: 30, sensitivity: 2 }), { rate }));
      const exact = logOf(remove > add ? remove : add);
      expectAround(run.logDelta(epsilon), exact, 1e-9);
    }
  });

  test('one record replaced moves the number by twice as much', () => {
    const run = account(wasm, skellam({ variance: 9, sensitivity: 2 }), { adjacency: 'replace-one' });
    expect(run.epsilon(1e-6)).toEqual(of(skellam({ variance: 9, sensitivity: 4 })).epsilon(1e-6));
  });

  test('the least number of coins, and the least variance', () => {
    const options = { adjacency: 'add-remove' } as const;
    const trials = unknownOf('trials', (x) => binomial({ trials: x, sensitivity: 1 }));
    const least = calibrate(wasm, trials, { epsilon: 1, delta: 1e-6 }, options);
    expect(least).toMatchObject({ reached: true, value: 80 });
    const variance = unknownOf('variance', (x) => skellam({ variance: x, sensitivity: 1 }));
    const found = calibrate(wasm, variance, { epsilon: 1, delta: 1e-6 }, options);
    if (!found.reached) throw new Error('not reached');
    const { lower, upper } = of(skellam({ variance: found.value, sensitivity: 1 })).epsilon(1e-6);
    expect(upper).toBeLessThanOrEqual(1);
    expect(lower).toBeGreaterThan(1 - 1e-5);
  });

  test('the variance that the tasks state is the least', () => {
    const one = of(skellam({ variance: 281.3, sensitivity: 4 })).epsilon(1e-6);
    expect(readFileSync('docs/guide/tasks.md', 'utf8')).toContain('--delta 1e-6` | 281.3 |');
    expect(one.upper).toBeLessThanOrEqual(1);
    expect(one.lower).toBeGreaterThan(0.999);
  });

  test('no noise is no privacy, and numbers out of range are refused', () => {
    for (const none of [
      binomial({ trials: 0, sensitivity: 1 }),
      binomial({ trials: 3, sensitivity: 4 }),
      skellam({ variance: 0, sensitivity: 1 }),
    ])
      expect(of(none).epsilon(0.5)).toEqual({ lower: Infinity, upper: Infinity });
    expect(() => binomial({ trials: 1.5, sensitivity: 1 })).toThrow('trials');
    expect(() => binomial({ trials: 10, sensitivity: 0 })).toThrow('sensitivity');
    expect(() => skellam({ variance: -1, sensitivity: 1 })).toThrow('variance');
    expect(() => skellam({ variance: 0.02, sensitivity: 40 })).toThrow('sensitivity/√variance');
  });
});
