import { describe, expect, test } from 'vitest';
import {
  account,
  approximateDp,
  compose,
  gaussian,
  gaussianTradeoff,
  laplace,
  pureDp,
  repeat,
  withoutReplacement,
} from '../../src/index.js';
import type { Mechanism } from '../../src/mechanism/mechanism.js';
import type { Bracket } from '../../src/numeric/bracket.js';
import { berryEsseen, cltFunctionals, cltMu, dpSgdLimits } from '../../src/tradeoff/clt.js';
import { relativeWidth } from '../helpers/brackets.js';
import { wasm } from '../helpers/runs.js';

const functionalsOf = (mechanism: Mechanism) =>
  cltFunctionals(account(wasm, mechanism, { adjacency: 'replace-one' }).curve);

function expectTight(bracket: Bracket, value: number, width = 4e-6): void {
  expect(bracket, `${value} in [${bracket.lower}, ${bracket.upper}]`).toContainValue(value);
  expect(relativeWidth(bracket)).toBeLessThan(width);
}

/** E|Z|³ of a standard normal. */
const THIRD = 2 * Math.sqrt(2 / Math.PI);

describe('functionals against closed forms', () => {
  // at large μ the centred moment is a difference of larger ones
  test.each([
    [0.01, 4e-6],
    [0.3, 4e-6],
    [1, 4e-6],
    [4, 4e-5],
  ])('Gaussian μ = %s', (mu, width) => {
    // replacing one record is twice the sensitivity
    const { kl, kappa2, kappa3Bar } = functionalsOf(gaussian({ noiseMultiplier: 2 / mu }));
    expectTight(kl, mu ** 2 / 2);
    expectTight(kappa2, mu ** 2 + mu ** 4 / 4);
    expectTight(kappa3Bar, THIRD * mu ** 3, width);
  });

  test.each([0.05, 1, 3])('randomised response ε = %s', (e) => {
    const { kl, kappa2, kappa3, kappa3Bar } = functionalsOf(pureDp({ epsilon: e }));
    const p = Math.exp(e) / (1 + Math.exp(e));
    const centre = e * Math.tanh(e / 2);
    expectTight(kl, centre);
    expectTight(kappa2, e ** 2);
    expectTight(kappa3, e ** 3);
    expectTight(kappa3Bar, p * (e - centre) ** 3 + (1 - p) * (e + centre) ** 3);
  });

  test('Laplace ε₀ = 1: kl = ε₀ + e^{−ε₀} − 1, moments by summing the density of the loss', () => {
    const e0 = 1;
    const { kl, kappa2, kappa3 } = functionalsOf(laplace({ scale: 2, sensitivity: 1 }));
    expectTight(kl, e0 + Math.exp(-e0) - 1);
    // under P: loss −ε₀ with probability ½, +ε₀ with e^{−ε₀}/2, between them density e^{−(y+ε₀)/2}/4
    const moment = (k: number): number => {
      const n = 200_000;
      let sum = 0;
      for (let i = 0; i < n; i++) {
        const y = e0 * ((2 * i + 1) / n - 1);
        sum += (Math.abs(y) ** k * Math.exp(-(y + e0) / 2) * e0) / (2 * n);
      }
      return sum + e0 ** k * (0.5 + Math.exp(-e0) / 2);
    };
    expectTight(kappa2, moment(2));
    expectTight(kappa3, moment(3));
  });

  test('what reveals with certainty has infinite moments', () => {
    expect(functionalsOf(approximateDp({ epsilon: 1, delta: 1e-3 })).kl.upper).toBe(Infinity);
  });
});

describe('limits', () => {
  test('Gaussian factors: μ is that of the composition, exactly', () => {
    const a = functionalsOf(gaussian({ noiseMultiplier: 20 }));
    const b = functionalsOf(gaussian({ noiseMultiplier: 40 }));
    const { mu, label } = cltMu([
      { functionals: a, count: 9 },
      { functionals: b, count: 16 },
    ]);
    expect(label).toBe('approximation');
    expectTight(mu, Math.sqrt(9 * 0.1 ** 2 + 16 * 0.05 ** 2));
  });

  test('Berry–Esseen encloses the composed run', () => {
    for (const [step, count] of [
      [pureDp({ epsilon: 0.01 }), 20_000],
      [laplace({ scale: 40, sensitivity: 1 }), 3000],
    ] as const) {
      const bound = berryEsseen([{ functionals: functionalsOf(step), count }]);
      expect(bound.gamma.upper).toBeLessThan(0.05);
      const run = account(wasm, repeat(step, count), { adjacency: 'replace-one' });
      for (const alpha of [0.06, 0.1, 0.3, 0.5, 0.9]) {
        const enclosure = bound.tradeoff(alpha);
        const exact = run.tradeoff(alpha);
        expect(enclosure.lower).toBeLessThanOrEqual(exact.upper);
        expect(enclosure.upper).toBeGreaterThanOrEqual(exact.lower);
        if (alpha <= 0.3) expect(enclosure.lower).toBeGreaterThan(0);
      }
    }
  });

  test('the DP-SGD limits', () => {
    const limits = dpSgdLimits({ noiseMultiplier: 1, samplingRate: 0.01, steps: 1000 });
    expect(limits.poisson).toBeCloseTo(0.01 * Math.sqrt(1000 * (Math.E - 1)), 14);
    // e Φ(1.5) + 3 Φ(−0.5) − 2
    expect(limits.withoutReplacement).toBeCloseTo(
      0.01 * Math.sqrt(2000 * (Math.E * 0.9331927987311419 + 3 * 0.3085375387259869 - 2)),
      14,
    );
    // the limit of the symmetrised C_p is what its own functionals tend to
    const rate = 1e-4;
    const steps = 1e8;
    const one = functionalsOf(
      withoutReplacement(gaussian({ noiseMultiplier: 2 }), { sampleSize: 1, datasetSize: 1 / rate }),
    );
    const { mu } = cltMu([{ functionals: one, count: steps }]);
    const theory = dpSgdLimits({ noiseMultiplier: 1, samplingRate: rate, steps });
    expect(Math.abs(mu.upper / theory.withoutReplacement - 1)).toBeLessThan(2e-3);
    expect(Math.abs(mu.lower / theory.withoutReplacement - 1)).toBeLessThan(2e-3);
  });

  test('the CLT is optimistic: below what the run certainly has', () => {
    const steps = 1000;
    const { poisson } = dpSgdLimits({ noiseMultiplier: 1, samplingRate: 0.01, steps });
    // μ(α) of the run is 0.4541 at α = 1e-4
    expect(poisson).toBeLessThan(0.4541);
  });

  test('nothing composed, and bad input', () => {
    expect(cltMu([]).mu).toEqual({ lower: 0, upper: 0 });
    expect(berryEsseen([]).tradeoff(0.25).lower).toBeGreaterThan(0.7499);
    expect(() => berryEsseen([]).tradeoff(2)).toThrow(/"alpha"/);
    expect(() => dpSgdLimits({ noiseMultiplier: 0, samplingRate: 0.1, steps: 1 })).toThrow(
      /"noiseMultiplier"/,
    );
    expect(() => dpSgdLimits({ noiseMultiplier: 1, samplingRate: 2, steps: 1 })).toThrow(/"samplingRate"/);
    const run = account(wasm, compose([]), { adjacency: 'add-remove' });
    expect(cltFunctionals(run.curve).kl.upper).toBe(0);
    expect(() => cltFunctionals(wasm as never)).toThrow(/"curve" must be a trade-off function or curve/);
    expect(() => berryEsseen({} as never)).toThrow(/"parts" must be an array/);
  });

  test('takes trade-off functions and curves alike', () => {
    const f = gaussianTradeoff(1);
    expect(cltFunctionals(f)).toEqual(cltFunctionals(f.curve));
    expectTight(cltFunctionals(f).kl, 0.5);
  });
});
