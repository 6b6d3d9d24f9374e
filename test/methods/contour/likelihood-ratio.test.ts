import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Bracket } from '../../../src/numeric/bracket.js';
import { normalQuantile } from '../../../src/numeric/scalar.js';
import { TradeoffCurve } from '../../../src/run/tradeoff-curve.js';
import { runOf } from '../../helpers/runs.js';

/** Exact rates of likelihood-ratio tests; by test/golden/make-likelihood-ratio.py, which shares nothing with the library. */
interface Run {
  readonly noiseMultiplier: string;
  readonly samplingRate: string;
  readonly steps: number;
  readonly tests: readonly Readonly<Record<string, string>>[];
}

const url = new URL('../../golden/likelihood-ratio.json', import.meta.url);
const runs = JSON.parse(readFileSync(url, 'utf8')) as Run[];

/** Rounding of the golden values to doubles, and of log α, which a trade-off curve is asked at. */
const ROUNDING = 1e-14;

function expectHolds({ lower, upper }: Bracket, exact: number, width: number): void {
  expect(lower).toBeLessThanOrEqual(exact * (1 + ROUNDING));
  expect(upper).toBeGreaterThanOrEqual(exact * (1 - ROUNDING));
  expect(upper - lower).toBeLessThanOrEqual(exact * width);
}

describe.each(runs)('σ = $noiseMultiplier, q = $samplingRate, T = $steps', (golden) => {
  const { noiseMultiplier, samplingRate, steps, tests } = golden;
  const run = runOf([[Number(noiseMultiplier), Number(samplingRate), steps]], { tolerance: 1e-6 });
  const [remove, add] = (['remove', 'add'] as const).map(
    (direction) => run.directions.find((directed) => directed.direction === direction)!,
  );
  const curves = { remove: new TradeoffCurve(remove!, add!), add: new TradeoffCurve(add!, remove!) };

  describe.each(['remove', 'add'] as const)('%s', (direction) => {
    test.each(tests)('the test at loss $omega', (rates) => {
      const [fpr, tpr, fnr] = ['Fpr', 'Tpr', 'Fnr'].map((rate) => Number(rates[`${direction}${rate}`]));
      // near 1, α is known by its complement
      const hidden = Number(rates[direction === 'remove' ? 'addTpr' : 'removeTpr']);
      const logAlpha = fpr! < 0.5 ? Math.log(fpr!) : Math.log1p(-hidden);
      const { logTpr, logFnr } = curves[direction].at(logAlpha);
      const widths = 1e-4;
      expectHolds({ lower: Math.exp(logTpr.lower), upper: Math.exp(logTpr.upper) }, tpr!, widths);
      expectHolds({ lower: Math.exp(logFnr.lower), upper: Math.exp(logFnr.upper) }, fnr!, widths);
      // no test beats the likelihood-ratio test: the run's own curve is nowhere above it
      expect(Math.exp(run.curve.at(logAlpha).logFnr.lower)).toBeLessThanOrEqual(fnr! * (1 + ROUNDING));
    });
  });

  test('its own tests are near the exact ones', () => {
    for (const rates of tests) {
      const omega = Number(rates['omega']);
      const found = remove!.test(omega);
      expect(Math.exp(found.logFpr)).toBeGreaterThan(Number(rates['removeFpr']) * 0.97);
      expect(Math.exp(found.logTpr)).toBeLessThan(Number(rates['removeTpr']) * 1.03);
    }
  });
});

test.each([
  ['1', 5.458e-3, 0.4358],
  ['1.5', 1.6965e-4, 0.4518],
  ['2', 2.817e-6, 0.4694],
])('μ of the exact test at loss %s: α = %s, μ = %s', (omega, alpha, mu) => {
  const rates = runs[0]!.tests.find((one) => one['omega'] === omega)!;
  const [fpr, tpr] = [Number(rates['removeFpr']), Number(rates['removeTpr'])];
  expect(Math.abs(fpr / alpha - 1)).toBeLessThan(1e-3);
  const exact = normalQuantile(tpr) - normalQuantile(fpr);
  expect(Math.abs(exact - mu)).toBeLessThan(6e-5);
  const power = runOf([[1, 0.01, 1000]], { tolerance: 1e-6 }).truePositiveRate(fpr);
  expect(normalQuantile(power.lower) - normalQuantile(fpr)).toBeLessThanOrEqual(exact + 1e-12);
  expect(normalQuantile(power.upper) - normalQuantile(fpr)).toBeGreaterThanOrEqual(exact - 1e-12);
});
