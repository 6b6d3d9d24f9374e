import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { InputRangeError } from '../../src/errors.js';
import {
  classicalSigma,
  classicalThreshold,
  gaussianNoises,
  mechanism1Sigma,
  mechanism2Sigma,
  mechanism3Sigma,
  mechanism4Sigma,
  muBracket,
  optimalSigma,
  pdpOptimalSigma,
} from '../../src/gaussian-mechanism/gaussian-noise.js';
import { account, gaussian } from '../../src/index.js';
import type { Bracket } from '../../src/numeric/bracket.js';
import { relativeWidth } from '../helpers/brackets.js';
import { seeded } from '../helpers/random.js';
import { reference } from '../helpers/runs.js';

/** Made by golden/make-gaussian-mechanisms.py. */
const golden: {
  rows: Record<string, number>[];
  thresholds: { delta: number; dwork2014: number; dwork2006: number }[];
} = JSON.parse(readFileSync(new URL('../golden/gaussian-mechanisms.json', import.meta.url), 'utf8'));

const SIGMAS: Record<string, (request: { epsilon: number; delta: number }) => Bracket> = {
  optimal: optimalSigma,
  mechanism1: mechanism1Sigma,
  mechanism2: mechanism2Sigma,
  pdpOptimal: pdpOptimalSigma,
  mechanism3: mechanism3Sigma,
  mechanism4: mechanism4Sigma,
};

/** Holds the exact value, which is known to half an ulp. */
function expectHolds(b: Bracket, exact: number, width: number, label: string): void {
  expect(b, label).toContainValue(exact, { relative: 2e-16 });
  expect(relativeWidth(b), label).toBeLessThanOrEqual(width);
}

describe('noise of the Gaussian mechanisms', () => {
  test.each(Object.keys(SIGMAS))('%s against 50-digit values', (name) => {
    for (const row of golden.rows) {
      const { epsilon, delta } = row as { epsilon: number; delta: number };
      expectHolds(SIGMAS[name]!({ epsilon, delta }), row[name]!, 1e-9, `${name} at ε ${epsilon}, δ ${delta}`);
    }
  });

  // printed digits of GM, recomputed
  test.each([
    [10, 0.01, '0.350096686248232', '0.355616870010397', '0.385061732817', '0.368369086964222'],
    [6, 0.1, '0.381299152197378', '0.384598199152268', '0.444068897055', '0.414663196380266'],
    [8, 1e-5, '0.600229072198952', '0.619449067349668', '0.65759038615', '0.632009279341329'],
    [1, 1e-5, '3.73063163481594', '4.1336112309823', '4.60885808304', '4.44412330620551'],
    [0.1, 1e-6, '36.3046904261958', '43.3732086618218', '49.9583228569', '48.918938873943'],
  ])('table at ε %s, δ %s', (epsilon, delta, ...digits) => {
    const sigmas = [optimalSigma, mechanism1Sigma, mechanism2Sigma, pdpOptimalSigma];
    sigmas.forEach((sigma, i) => {
      const b = sigma({ epsilon, delta });
      const half = 0.5 * 10 ** -digits[i]!.split('.')[1]!.length;
      expect(b).toContainValue(Number(digits[i]), { absolute: half });
      expect(relativeWidth(b)).toBeLessThan(1e-11);
    });
  });

  test('scales with the sensitivity', () => {
    const one = optimalSigma({ epsilon: 1, delta: 1e-5 });
    const seven = optimalSigma({ epsilon: 1, delta: 1e-5, sensitivity: 7 });
    expect(seven.upper / one.upper).toBeCloseTo(7, 12);
    const small = mechanism1Sigma({ epsilon: 1, delta: 1e-5, sensitivity: 1e-100 });
    expect(small.upper / 4.1336112309823e-100).toBeCloseTo(1, 12);
  });

  test('order: optimal < Mechanism 1 < Mechanism 2; below ε = 1 also < Dwork-2014 < Dwork-2006', () => {
    const random = seeded(31);
    for (let i = 0; i < 300; i++) {
      const epsilon = 10 ** (-3 + 6 * random());
      const delta = 10 ** (-0.5 - 20 * random());
      const request = { epsilon, delta };
      const [opt, m1, m2] = [optimalSigma(request), mechanism1Sigma(request), mechanism2Sigma(request)];
      expect(opt.lower).toBeLessThanOrEqual(m1.upper);
      expect(m1.lower).toBeLessThan(m2.upper);
      expect(pdpOptimalSigma(request).upper).toBeGreaterThan(opt.lower);
      if (epsilon > 1) continue;
      const [d14, d06] = [classicalSigma('dwork-2014', request), classicalSigma('dwork-2006', request)];
      expect(m2.upper).toBeLessThan(d14.sigma.lower);
      expect(d14.sigma.upper).toBeLessThan(d06.sigma.lower);
      expect(d14.warning).toBeUndefined();
    }
  });

  test('the upper end is feasible and the lower end is not, by the accountant', () => {
    const random = seeded(5);
    for (let i = 0; i < 400; i++) {
      const epsilon = 10 ** (-6 + 10 * random());
      const delta = i % 5 === 0 ? 0.01 + 0.98 * random() : 10 ** (-300 * random() - 1e-6);
      const { lower, upper } = optimalSigma({ epsilon, delta });
      const at = (noiseMultiplier: number) =>
        account(reference, gaussian({ noiseMultiplier }), { adjacency: 'add-remove' }).delta(epsilon);
      expect(at(upper).upper, `ε ${epsilon}, δ ${delta}`).toBeLessThanOrEqual(delta);
      expect(at(lower).upper).toBeGreaterThan(delta);
      expect((upper - lower) / upper).toBeLessThan(1e-9);
    }
  });

  // REP table 3
  test.each([
    [0.1, 1e-5, 0.0325],
    [1, 1e-6, 0.2367],
    [4, 1e-9, 0.6721],
    [10, 1e-5, 2.0004],
  ])('μ_GDP(%s, %s) = %s', (epsilon, delta, mu) => {
    const b = muBracket(epsilon, delta);
    expect(Math.abs(b.lower - mu)).toBeLessThan(5.1e-5);
    expect(relativeWidth(b)).toBeLessThan(1e-12);
  });
});

describe('classical formulas', () => {
  test('G(δ) against 50-digit values', () => {
    for (const { delta, dwork2014, dwork2006 } of golden.thresholds) {
      expectHolds(classicalThreshold('dwork-2014', delta), dwork2014, 1e-9, `2014 at ${delta}`);
      expectHolds(classicalThreshold('dwork-2006', delta), dwork2006, 1e-9, `2006 at ${delta}`);
    }
  });

  test.each([
    [1e-3, 7.4634744, 8.5124412],
    [1e-4, 7.9909926, 8.9926636],
    [1e-5, 8.4197713, 9.3913215],
    [1e-6, 8.7820918, 9.7327507],
  ])('G(%s)', (delta, g14, g06) => {
    expect(classicalThreshold('dwork-2014', delta).upper).toBeCloseTo(g14, 7);
    expect(classicalThreshold('dwork-2006', delta).upper).toBeCloseTo(g06, 7);
  });

  test('warn where they are not proven, and say what is delivered', () => {
    expect(classicalSigma('dwork-2014', { epsilon: 1, delta: 1e-5 }).warning).toBeUndefined();
    expect(classicalSigma('dwork-2014', { epsilon: 8, delta: 1e-5 }).warning?.status).toBe('unproven');
    const ten = classicalSigma('dwork-2014', { epsilon: 10, delta: 1e-5 }).warning!;
    expect(ten.status).toBe('invalid');
    expect(ten.delta.lower).toBeGreaterThan(1e-5);
    expect(ten.epsilon.lower).toBeGreaterThan(10.38);
    expect(ten.epsilon.upper).toBeLessThan(10.395);
    const twenty = classicalSigma('dwork-2014', { epsilon: 20, delta: 1e-5 }).warning!;
    expect(twenty.epsilon.upper).toBeCloseTo(25.44, 2);
  });

  test('just above and below the threshold', () => {
    const { lower, upper } = classicalThreshold('dwork-2014', 1e-5);
    const status = (epsilon: number) =>
      classicalSigma('dwork-2014', { epsilon, delta: 1e-5 }).warning?.status;
    expect(status(lower)).toBe('unproven');
    expect(status(upper * (1 + 1e-9))).toBe('invalid');
  });
});

describe('edges', () => {
  test('refuses what is out of range, by name', () => {
    expect(() => mechanism1Sigma({ epsilon: 0, delta: 1e-5 })).toThrow(
      new InputRangeError('"epsilon" must be a number in [1e-12, 1e6], got 0'),
    );
    expect(() => optimalSigma({ epsilon: -1, delta: 1e-5 })).toThrow(/"epsilon" must be 0 or a number/);
    expect(() => optimalSigma({ epsilon: 1, delta: 1 })).toThrow(/"delta".*got 1/);
    expect(() => mechanism2Sigma({ epsilon: 1, delta: 0.5 })).toThrow(/"delta".*0\.5\), got 0\.5/);
    expect(() => optimalSigma({ epsilon: Number.NaN, delta: 0.1 })).toThrow(RangeError);
    expect(() => optimalSigma({ epsilon: '1' as never, delta: 0.1 })).toThrow(TypeError);
    expect(() => optimalSigma({ epsilon: 1, delta: 0.1, sensitivity: 0 })).toThrow(/"sensitivity"/);
    expect(() => optimalSigma(undefined as never)).toThrow(TypeError);
  });

  test('large δ and extreme ε', () => {
    for (const delta of [0.5, 0.9, 0.999999]) {
      for (const epsilon of [1e-12, 1e-3, 1, 100, 1e6]) {
        const m1 = mechanism1Sigma({ epsilon, delta });
        expect(m1.upper).toBeGreaterThanOrEqual(optimalSigma({ epsilon, delta }).lower);
        expect(pdpOptimalSigma({ epsilon, delta }).upper).toBeGreaterThan(0);
      }
    }
  });

  test('the table lists each formula once', () => {
    const names = gaussianNoises({ epsilon: 2, delta: 1e-6 }).map(({ name }) => name);
    expect(new Set(names).size).toBe(8);
    expect(gaussianNoises({ epsilon: 2, delta: 0.5 })).toHaveLength(7);
  });
});
