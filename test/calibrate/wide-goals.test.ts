/** What is asked of a run that is calibrated, where its brackets are as wide as they may be: a target counts as met by the safe end alone. */
import { describe, expect, test } from 'vitest';
import { oneRung } from '../../src/account/climbing-run.js';
import { ComposedRun } from '../../src/account/composed-run.js';
import type { Trial } from '../../src/calibrate/goal.js';
import { goalOf, type Target } from '../../src/calibrate/target.js';
import { calibrate, gaussian as noise } from '../../src/index.js';
import { log, normalQuantile } from '../../src/numeric/scalar.js';
import { gaussianTradeoff } from '../../src/tradeoff/constructors.js';
import { wasm } from '../helpers/runs.js';
import { gaussian, PLACES, wide } from '../helpers/wide-runs.js';

const exact = gaussian(1);

describe.each(Object.keys(PLACES))('the exact value %s', (name) => {
  const runAt = (width: number): ComposedRun =>
    new ComposedRun(oneRung([wide(exact, width, PLACES[name]!)], 1e-6), {
      mechanism: noise({ noiseMultiplier: 1 }),
      adjacency: 'add-remove',
      tolerance: 1e-6,
      effort: 1,
      engine: 'wasm',
      tailMu: { lower: 0, upper: Infinity },
      muCeiling: Infinity,
      gaussian: false,
    });

  const [epsilon, delta] = [1.3, exact.delta(1.3)];
  const power = exact.power(0.01);
  const goals: readonly [string, (times: number) => Target, number][] = [
    ['delta at an epsilon', (times) => ({ epsilon, delta: delta * times }), delta],
    ['mu', (times) => ({ mu: times }), 1],
    ['advantage', (times) => ({ advantage: exact.delta(0) * times }), exact.delta(0)],
    ['power', (times) => ({ truePositiveRate: power * times, falsePositiveRate: 0.01 }), power],
  ];

  test.each(goals)('%s: met only where it certainly is', (_, target) => {
    for (const width of [1e-6, 0.02])
      for (const times of [0.97, 0.999, 1.001, 1.03]) {
        const run = runAt(width);
        const { lower, upper } = goalOf(target(times)).excess({ run: () => run } as unknown as Trial);
        // below 1 the target is missed, above 1 it is met, whatever the account is sure of
        if (times < 1) expect(upper, `${width} ${times}`).toBeGreaterThan(0);
        else expect(lower, `${width} ${times}`).toBeLessThan(0);
      }
  });

  test('what met the target is what is said of it, though a later answer be wider', () => {
    const rate = { falsePositiveRate: 0.01 };
    const prior = 0.4;
    const others: readonly Target[] = [
      { positivePredictiveValue: 0.999 * (power / (power + 0.015)), prior, ...rate },
      { positivePredictiveValue: 1.02 * (power / (power + 0.015)), prior, ...rate },
      { bayesError: 0.2, prior },
      { reconstruction: 1.02 * power, baseline: 0.01 },
      { tradeoff: gaussianTradeoff(1.1), alphaMin: 0.01 },
    ];
    const met = [...goals.map(([, target]) => target(1.03)), ...others].filter((target) => {
      const goal = goalOf(target);
      let run = runAt(1e-6);
      const trial = { run: () => run } as unknown as Trial;
      if (goal.excess(trial).upper > 0) return false;
      run = runAt(9);
      for (const [loss, { upper }] of Object.entries(goal.achieved(trial))) {
        if (loss === 'bayesError') continue;
        const most = loss === 'largestDeltaRatio' ? 1 : (target as unknown as Record<string, number>)[loss]!;
        expect(upper, loss).toBeLessThanOrEqual(most);
      }
      if ('bayesError' in target)
        expect(goal.achieved(trial)['bayesError']!.lower).toBeGreaterThanOrEqual(0.2);
      return true;
    });
    // all but the one that is missed
    expect(met).toHaveLength(goals.length + others.length - 1);
  });

  test('epsilon, delta, advantage and rates of a run hold the exact ones', () => {
    for (const width of [1e-6, 0.02]) {
      const run = runAt(width);
      expect(run.delta(epsilon)).toContainValue(delta, { relative: 1e-12 });
      expect(run.epsilon(delta)).toContainValue(epsilon, { relative: 1e-9 });
      expect(run.advantage()).toContainValue(exact.delta(0), { relative: 1e-12 });
      expect(run.oneMinusAdvantage()).toContainValue(1 - exact.delta(0), { relative: 1e-12 });
      expect(run.truePositiveRate(0.01)).toContainValue(power, { relative: 1e-11 });
      expect(run.tradeoff(0.01)).toContainValue(exact.fnr(0.01), { relative: 1e-11 });
      expect(normalQuantile(power) - normalQuantile(0.01)).toBeCloseTo(1, 12);
      expect(run.logDelta(epsilon)).toContainValue(log(delta), { absolute: 1e-12 });
    }
  });
});

test('a loss that hardly changes over a wide range is followed to where it meets the target', () => {
  const falsePositiveRate = 0.9999999999550722;
  // a test misses 4.49e-11 without the release, and hardly less with it
  const target = { truePositiveRate: 0.9999999999560721, falsePositiveRate };
  const found = calibrate(wasm, { ...target, for: 'samplingRate', noiseMultiplier: 0.47, steps: 3 });
  expect(found.reached).toBe(true);
  expect(found.achieved['truePositiveRate'].upper).toBeLessThanOrEqual(target.truePositiveRate);
});
