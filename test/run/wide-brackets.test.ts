/** What is made of runs whose brackets are as wide as they may be: every end has to be the right one, for the exact value may lie at either. */
import { describe, expect, test } from 'vitest';
import { muByLines } from '../../src/measure/supporting-lines.js';
import { exp, expm1, log, normalQuantile } from '../../src/numeric/scalar.js';
import type { DirectedRun } from '../../src/run/directed-run.js';
import { epsilonOf } from '../../src/run/epsilon.js';
import { hullRun } from '../../src/run/hull-run.js';
import { profileTest } from '../../src/run/profile-test.js';
import { TradeoffCurve } from '../../src/run/tradeoff-curve.js';
import { regretOf } from '../../src/tradeoff/largest-gap.js';
import type { Seen } from '../../src/tradeoff/subject.js';
import { type Exact, gaussian, laplace, PLACES, responses, sampled, wide } from '../helpers/wide-runs.js';

const CASES = Object.keys(PLACES).flatMap((name) =>
  [1e-7, 1e-3, 0.05].map((width) => [name, width] as const),
);

describe.each(CASES)('the exact value %s of brackets of width %d', (name, width) => {
  const place = PLACES[name]!;
  const pairs: readonly [string, Exact, Exact][] = [
    ['a Gaussian', gaussian(1), gaussian(1)],
    ['a sample, removed', sampled(0.3, 'remove'), sampled(0.3, 'add')],
    ['a sample, added', sampled(0.3, 'add'), sampled(0.3, 'remove')],
    // a curve with long straight lines: tests lie at their ends alone
    ['rare responses', responses([0.1, 5], [0.3, 1]), responses([0.1, 5], [0.3, 1])],
  ];

  test.each(pairs)('the trade-off curve, steep, flat and in the middle: %s', (_, forward, backward) => {
    const [here, there] = [wide(forward, width, place), wide(backward, width, place)];
    const curve = new TradeoffCurve(here, there);
    for (const alpha of [
      1e-6, 1e-3, 0.02, 0.1, 0.25, 0.31, 0.38, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.8, 0.95, 0.999,
    ]) {
      const [exact, power] = [forward.fnr(alpha), forward.power(alpha)];
      const { logFnr, logTpr } = curve.at(log(alpha));
      expect(logFnr.lower, `f(${alpha})`).toBeLessThanOrEqual(log(exact) + 1e-11);
      expect(logFnr.upper, `f(${alpha})`).toBeGreaterThanOrEqual(log(exact) - 1e-11);
      expect(logTpr.lower, `1 - f(${alpha})`).toBeLessThanOrEqual(log(power) + 1e-11);
      expect(logTpr.upper, `1 - f(${alpha})`).toBeGreaterThanOrEqual(log(power) - 1e-11);
    }
    for (const epsilon of [-3, -0.5, -0.1, 0, 0.2, 1, 2.5]) {
      const exact = log(forward.delta(epsilon));
      const { lower, upper } = curve.logDelta(epsilon);
      expect(lower, `delta(${epsilon})`).toBeLessThanOrEqual(exact + 1e-12);
      expect(upper, `delta(${epsilon})`).toBeGreaterThanOrEqual(exact - 1e-12);
      const { logFpr, logTpr } = curve.test(epsilon);
      const rate = exp(logFpr);
      if (rate > 0 && rate < 1) expect(exp(logTpr)).toBeLessThanOrEqual(forward.power(rate) + 1e-12);
    }
  });

  test('where every test says yes the line of slope −1 still holds', () => {
    for (const exact of [laplace(1), responses([0.1, 5], [0.3, 1])]) {
      const blind = { ...wide(exact, width, place), test: () => ({ logFpr: 0, logTpr: 0 }) };
      for (const alpha of [0.001, 0.1]) {
        const most = alpha + exact.delta(0) * exp(width);
        const { logFnr, logTpr } = new TradeoffCurve(blind).at(log(alpha));
        expect(exp(logTpr.upper)).toBeGreaterThanOrEqual(exact.power(alpha) - 1e-12);
        expect(exp(logTpr.upper)).toBeLessThanOrEqual(most + 1e-12);
        expect(exp(logFnr.lower)).toBeLessThanOrEqual(exact.fnr(alpha) + 1e-12);
        expect(exp(logFnr.lower)).toBeGreaterThanOrEqual(1 - most - 1e-12);
      }
    }
  });

  test.each(pairs)('epsilon at a delta: %s', (_, exact) => {
    const run = wide(exact, width, place);
    for (const epsilon of [0.05, 0.2, 0.33]) {
      const { lower, upper } = epsilonOf(run, log(exact.delta(epsilon)), 1e-9);
      expect(lower).toBeLessThanOrEqual(epsilon * (1 + 1e-10));
      expect(upper).toBeGreaterThanOrEqual(epsilon * (1 - 1e-10));
    }
  });

  test.each(pairs)('a test by delta alone: %s', (_, exact) => {
    const run = wide(exact, width, place);
    for (const gap of [0.001, 0.01, 0.1])
      for (const first of [0, 0.05, 0.2]) {
        const { logFpr, logTpr } = profileTest((epsilon) => run.logDelta(epsilon), first, gap);
        const rate = exp(logFpr);
        if (rate < 1) expect(exp(logTpr)).toBeLessThanOrEqual(exact.power(rate) + 1e-13);
      }
  });

  test('the larger of two directions', () => {
    const [a, b] = [sampled(0.3, 'remove'), sampled(0.3, 'add')];
    const [one, other] = [wide(a, width, place), wide(b, width, place)];
    for (const hull of [hullRun([one, other]), hullRun([other, one])])
      for (const epsilon of [0, 0.1, 0.3, 0.6]) {
        const exact = log(Math.max(a.delta(epsilon), b.delta(epsilon)));
        expect(hull.logDelta(epsilon).lower).toBeLessThanOrEqual(exact + 1e-12);
        expect(hull.logDelta(epsilon).upper).toBeGreaterThanOrEqual(exact - 1e-12);
      }
  });
});

/** Symmetric curves whose μ is decided at every rate, at the edge of the window, at a corner within it, and at the fixed point. */
const CURVES: readonly [string, Exact][] = [
  ['a Gaussian', gaussian(1)],
  ['a weak Gaussian', gaussian(0.3)],
  ['a strong Gaussian', gaussian(1.6)],
  ['a sample', sampled(0.3, 'remove')],
  ['rare responses', responses([0.1, 5])],
  ['Laplace noise', laplace(1)],
];

describe.each([...CASES.filter(([, width]) => width > 1e-7), ['at the upper end', 1e-13] as const])(
  'the exact value %s of brackets of width %d',
  (name, width) => {
    test.each(CURVES)('mu, and the regret of a mu: %s', (_, exact) => {
      const run = wide(exact, width, PLACES[name]!);
      const curve = new TradeoffCurve(run);
      const seen = {
        directions: [run],
        f: { curve },
        muCeiling: Infinity,
        tolerance: 1e-9,
      } as unknown as Seen;
      // the curve is its own mirror image: rates up to the fixed point, the last of them on a line of slope −1
      const fixed = (1 - exact.delta(0)) / 2;
      const muAt = (alpha: number): number =>
        alpha <= exact.rates(0)[0]
          ? -normalQuantile(alpha) + normalQuantile(exact.power(alpha))
          : -normalQuantile(alpha) - normalQuantile(2 * fixed - alpha);
      for (const alphaMin of [1e-10, 1e-3, 0.2]) {
        // at either end of the window, between, and at the corner of a polygon
        const [corner] = exact.rates(0);
        let mu = Math.max(muAt(fixed), corner < alphaMin ? 0 : muAt(corner));
        for (let i = 0; i <= 200; i++) mu = Math.max(mu, muAt(alphaMin * (fixed / alphaMin) ** (i / 200)));
        const { mu: found } = muByLines(seen, log(alphaMin));
        expect(found.lower, `window ${alphaMin}`).toBeLessThanOrEqual(mu * (1 + 1e-11));
        expect(found.upper, `window ${alphaMin}`).toBeGreaterThanOrEqual(mu * (1 - 1e-11));
      }
      // the largest difference of least errors (docs/proofs/regret.md)
      for (const other of [0.5, 1.2]) {
        let regret = 0;
        for (let e = 0; e < 12; e += 2e-3)
          regret = Math.max(regret, (gaussian(other).delta(e) - exact.delta(e)) / (1 + exp(e)));
        const { lower, upper } = regretOf(curve, { lower: other, upper: other }, []);
        expect(lower).toBeLessThanOrEqual(regret + 1e-6);
        expect(upper).toBeGreaterThanOrEqual(regret - 1e-12);
      }
    });
  },
);

/** Nothing is known at small losses: all corners lie far from the diagonal, and all that is known there is that 1 − δ(0) is above 0. */
test('mu where the curve is flattest, of a run that is known at large losses alone', () => {
  const exact = laplace(1);
  const sharp = wide(exact, 1e-9, () => 0);
  const run: DirectedRun = {
    ...sharp,
    logDelta: (epsilon) =>
      epsilon < 0.3 ? { lower: -Infinity, upper: log(0.999) } : sharp.logDelta(epsilon),
    test: (omega) => (omega < 0.3 ? { logFpr: 0, logTpr: 0 } : sharp.test(omega)),
  };
  const seen = {
    directions: [run],
    f: { curve: new TradeoffCurve(run) },
    muCeiling: Infinity,
    tolerance: 1e-9,
  } as unknown as Seen;
  // at its fixed point e^{−1/2}/2
  const mu = -2 * normalQuantile(exp(-0.5) / 2);
  const { lower, upper } = muByLines(seen, log(1e-4)).mu;
  expect(lower).toBeLessThanOrEqual(mu);
  expect(upper).toBeGreaterThanOrEqual(mu);
});

test('the oracle is what it says', () => {
  expect(gaussian(1).delta(1)).toBeCloseTo(0.12693673750664397, 14);
  const q = sampled(0.3, 'remove');
  expect(q.delta(-0.5)).toBeCloseTo(-expm1(-0.5), 14);
  // two ways to f: rates of a test, and the curve at its false positive rate
  for (const side of ['remove', 'add'] as const) {
    const [fpr, tpr] = sampled(0.3, side).rates(0.2);
    expect(sampled(0.3, side).fnr(fpr)).toBeCloseTo(1 - tpr, 12);
    expect(sampled(0.3, side).power(fpr)).toBeCloseTo(tpr, 12);
  }
});
