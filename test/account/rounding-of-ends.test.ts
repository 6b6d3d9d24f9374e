/** Ends of brackets where rounding is largest: epsilon just below 0, rates just below 1, delta below the normal doubles. */
import { describe, expect, test } from 'vitest';
import { convert } from '../../src/convert/index.js';
import { account, approximateDp, gaussian, laplace } from '../../src/index.js';
import { gaussianPair } from '../../src/law/gaussian-pair.js';
import { subsampledBracket, subsampledRun } from '../../src/law/subsampling.js';
import { pairOf } from '../../src/mechanism/pairs.js';
import type { Bracket } from '../../src/numeric/bracket.js';
import { compareExact, exactDecimal, times } from '../../src/numeric/exact-decimal.js';
import { deltaOf, profileOfRun } from '../../src/profile/profile.js';
import { nothingRun } from '../../src/run/gaussian-run.js';
import { reference, wasm } from '../helpers/runs.js';

/** Whether a bracket holds a value that is known to a few units in its last place. */
function expectToHold({ lower, upper }: Bracket, exact: number): void {
  const slack = 6e-16 * Math.abs(exact);
  expect(lower).toBeLessThanOrEqual(exact + slack);
  expect(upper).toBeGreaterThanOrEqual(exact - slack);
}

describe.each([-1e-3, -1e-5, -1e-7, -3e-9])('delta(%d) = 1 − e^ε below every loss', (epsilon) => {
  const exact = Math.log(-Math.expm1(epsilon));
  const noisy = account(wasm, laplace({ scale: 9e8, sensitivity: 1 }), { adjacency: 'add-remove' });
  const sampled = subsampledRun(
    { forward: gaussianPair(1).forward, backward: gaussianPair(1).backward },
    1e-13,
    'remove',
  );

  test.each([
    ['nothing', nothingRun],
    ['a Laplace step of little loss', noisy],
    ['a step sampled at a small rate', sampled],
  ])('%s', (_, run) => {
    const found = run.logDelta(epsilon);
    expectToHold(found, exact);
    expect(found.upper - found.lower).toBeLessThan(1e-11);
  });
});

test('losses sampled at rates up to the last below 1 are held by their brackets', () => {
  for (const k of [1, 2, 4, 7, 20, 40, 53]) {
    const rest = 2 ** -k;
    for (let s = -80; s <= 40; s += 0.37) {
      const low = subsampledBracket(s, 1 - rest);
      // both terms are positive: right to a few units in the last place of the sum
      const sum = rest + (1 - rest) * Math.exp(s);
      const exact = Math.abs(s) < 0.2 ? Math.log1p((1 - rest) * Math.expm1(s)) : Math.log(sum);
      expectToHold(low, exact);
      expect(low.upper - low.lower).toBeLessThanOrEqual(1e-14 * Math.max(1, Math.abs(s)));
    }
  }
});

test('a test that rejects on what reveals all has at most the power delta', () => {
  const ln2 = exactDecimal('0.6931471805599453094172321214581765680755')!;
  for (let k = 1; k <= 1074; k++) {
    const { logTpr } = pairOf(approximateDp({ epsilon: 1, delta: 2 ** -k })).forward.test(1);
    expect(compareExact(exactDecimal(-logTpr)!, times(exactDecimal(k)!, ln2)), `2^-${k}`).toBe(1);
    expect(logTpr).toBeGreaterThan(-k * Math.LN2 * (1 + 1e-13));
  }
});

test('a small δ is not less than itself, nor more', () => {
  for (const delta of [1e-300, 1e-310, 5e-324, 1e-12]) {
    const source = { kind: 'approximate-dp', epsilon: 0.1, delta } as const;
    for (const epsilon of [0.2, 300]) {
      const { lower, upper } = convert(wasm, source, { kind: 'probabilistic-dp', epsilon }).values[0];
      expect(lower).toBeLessThanOrEqual(delta);
      expect(upper).toBeGreaterThanOrEqual(delta);
    }
    const next = delta + Math.max(Number.MIN_VALUE, delta * 2 ** -52);
    expect(convert(wasm, source, { kind: 'approximate-dp', delta: next }).values[0].upper).toBe(0.1);
  }
});

test('delta below the normal doubles lies between its ends', () => {
  const run = account(wasm, gaussian({ noiseMultiplier: 1 }), { adjacency: 'add-remove' });
  const profile = profileOfRun(run);
  let few = 0;
  for (let epsilon = 37.8; epsilon < 39.2; epsilon += 0.0011) {
    const logs = run.logDelta(epsilon);
    // δ as a multiple of the smallest double, a normal number
    const units = Math.exp((logs.lower + logs.upper) / 2 + 1074 * Math.LN2);
    if (units > 100) continue;
    few++;
    for (const { lower, upper } of [run.delta(epsilon), deltaOf(profile, epsilon)]) {
      expect(lower / Number.MIN_VALUE).toBeLessThanOrEqual(units * (1 + 1e-9));
      expect(upper / Number.MIN_VALUE).toBeGreaterThanOrEqual(units * (1 - 1e-9));
    }
  }
  expect(few).toBeGreaterThan(100);
});

test.each([4e5, 1e4, 100])(
  'contours of σ = %s hold δ just below ε = 0, where 1 − e^ε(P − δ′) cancels',
  (noiseMultiplier) => {
    for (const engine of [wasm, reference]) {
      const exact = account(engine, gaussian({ noiseMultiplier }), { adjacency: 'add-remove' });
      const run = account(engine, gaussian({ noiseMultiplier }), {
        adjacency: 'add-remove',
        method: 'spectral',
        tolerance: 1e-9,
      });
      for (const epsilon of [-1e-9, -1e-7, -1e-6, -1e-4])
        expect(run.logDelta(epsilon)).toOverlap(exact.logDelta(epsilon));
    }
  },
);
