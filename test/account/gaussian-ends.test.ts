/** Discrete Gaussians between Gaussians of a little less and of a little more variance. */
import { describe, expect, test } from 'vitest';
import { comparedEnds, gaussianEnds } from '../../src/account/gaussian-ends.js';
import {
  account,
  binomial,
  compose,
  discreteGaussian,
  poissonSubsampled,
  repeat,
  skellam,
} from '../../src/index.js';
import { gaussiansAround } from '../../src/law/gaussians-around.js';
import {
  listedBinomial,
  listedGaussian,
  listedSkellam,
  type WholeNoise,
} from '../../src/law/integer-noise.js';
import { pairOf } from '../../src/mechanism/pairs.js';
import { reduceSteps } from '../../src/mechanism/reduce.js';
import { stepsOf } from '../../src/mechanism/steps.js';
import { expm1 } from '../../src/numeric/scalar.js';
import { gaussianRun } from '../../src/run/gaussian-run.js';
import { wasm } from '../helpers/runs.js';

/** Outcomes of T releases of noise ∝ e^{−k²/2σ²} moved by Δ: masses of their sum under both worlds, which has the same loss. */
function sums(sigma: number, sensitivity: number, times: number): { p: number; loss: number }[] {
  const reach = Math.ceil(10 * sigma);
  const noise = Array.from({ length: 2 * reach + 1 }, (_, i) =>
    Math.exp(-((i - reach) ** 2) / (2 * sigma * sigma)),
  );
  const total = noise.reduce((sum, x) => sum + x, 0);
  let law = [1];
  for (let t = 0; t < times; t++) {
    const next = new Array<number>(law.length + 2 * reach).fill(0);
    for (const [i, mass] of law.entries())
      for (const [j, x] of noise.entries()) next[i + j]! += (mass * x) / total;
    law = next;
  }
  return law.map((p, i) => ({
    p,
    loss: (sensitivity * (2 * (i - times * reach) - times * sensitivity)) / (2 * sigma * sigma),
  }));
}

const deltaOf = (outcomes: readonly { p: number; loss: number }[], epsilon: number): number =>
  outcomes.reduce(
    (sum, { p, loss }) => (loss > epsilon ? sum + p * Math.exp(loss) * -expm1(epsilon - loss) : sum),
    0,
  );

const noise = (sigma: number, sensitivity = 1) => discreteGaussian({ sigma, sensitivity });

describe('discrete Gaussians as Gaussians', () => {
  test.each([1, 2, 5])('sums over all whole numbers lie between both ends: sensitivity %d', (sensitivity) => {
    for (const [sigma, times] of [
      [3.2, 1],
      [4, 3],
      [9, 2],
    ] as const) {
      const steps = reduceSteps(stepsOf(repeat(noise(sigma, sensitivity), times)), 'add-remove');
      const { worse, better, closeness } = gaussianEnds(steps, [])!;
      const outcomes = sums(sigma, sensitivity, times);
      const [most, least] = [worse, better].map((end) => {
        expect(end).toHaveLength(1);
        return account(wasm, end[0]!.mechanism, { adjacency: 'add-remove' });
      });
      for (let i = 0; i <= 30; i++) {
        const epsilon = (i / 10) * ((times * sensitivity) / sigma);
        const exact = deltaOf(outcomes, epsilon);
        const near = closeness.epsilon;
        expect(most!.delta(epsilon - near).upper * Math.exp(near)).toBeGreaterThan(exact * (1 - 1e-9));
        expect(least!.delta(epsilon + near).lower * Math.exp(-near)).toBeLessThan(exact * (1 + 1e-9));
      }
      // both are near: the variance moves by a part of it
      const [high, low] = [most!.epsilon(1e-5).lower, least!.epsilon(1e-5).upper];
      expect(high / low - 1).toBeLessThan(2 / sigma ** 2);
      expect(high).toBeGreaterThan(low);
    }
  });

  test('noise below 3, and samples of a fixed size, are left as they are', () => {
    expect(gaussianEnds(reduceSteps(stepsOf(noise(2)), 'add-remove'), [])).toBeUndefined();
    const [step] = reduceSteps(stepsOf(noise(20)), 'add-remove');
    expect(gaussianEnds([{ ...step!, sampling: 'without-replacement', rate: 0.1 }], [])).toBeUndefined();
  });

  test('hundreds of unlike ones, sampled and not, have both ends', () => {
    const sigmas = (n: number) => Array.from({ length: n }, (_, i) => Math.sqrt(n) * (0.8 + (1.7 * i) / n));
    for (const n of [300, 1000]) {
      const run = account(wasm, compose(sigmas(n).map((sigma) => noise(sigma))), { adjacency: 'add-remove' });
      const { lower, upper } = run.epsilon(1e-5);
      expect(upper / lower - 1).toBeLessThan(1.2 / n + 1e-3);
    }
    const sampled = sigmas(100).map((sigma) =>
      poissonSubsampled(noise(Math.ceil(10 * sigma), 60), { rate: 0.05 }),
    );
    const { lower, upper } = account(wasm, compose(sampled), { adjacency: 'add-remove' }).epsilon(1e-5);
    expect(upper / lower - 1).toBeLessThan(1e-3);
  });

  const kinds: readonly (readonly [string, WholeNoise, Parameters<typeof pairOf>[0]])[] = [
    3, 4.5, 9, 40,
  ].flatMap((sigma) =>
    [1, 2, 5].map((change) => {
      const listed = (depth: number) => listedGaussian(sigma, depth);
      return [`sigma ${sigma}`, { deviation: sigma, change, listed }, noise(sigma, change)] as const;
    }),
  );
  const others = [60, 829, 20000].flatMap((trials) =>
    [1, 3].map((change) => {
      const listed = (depth: number) => listedBinomial(trials, 0, depth);
      const whole = { deviation: Math.sqrt(trials) / 2, change, listed };
      return [`${trials} coins`, whole, binomial({ trials, sensitivity: change })] as const;
    }),
  );
  const variances = [30, 900].map((variance) => {
    const listed = (depth: number) => listedSkellam(variance, 0, depth);
    const whole = { deviation: Math.sqrt(variance), change: 2, listed };
    return [`variance ${variance}`, whole, skellam({ variance, sensitivity: 2 })] as const;
  });

  test('noise of whole numbers is between the Gaussians around it, at every loss and between', () => {
    for (const [what, whole, mechanism] of [...kinds, ...others, ...variances]) {
      const { worse, better, logRare } = gaussiansAround(whole, 36)!;
      const pair = pairOf(mechanism);
      const rare = Math.exp(logRare);
      const about = whole.change / whole.deviation;
      for (let i = 0; i <= 400; i++) {
        const epsilon = (i / 400) * about * (12 + about);
        const exact = pair.forward.logDelta(epsilon);
        const [most, least] = [worse, better].map((mu) => Math.exp(gaussianRun(mu).logDelta(epsilon).upper));
        expect(Math.exp(exact.lower), `${what} ${epsilon}`).toBeLessThanOrEqual(most! * (1 + 1e-12) + rare);
        expect(Math.exp(exact.upper), `${what} ${epsilon}`).toBeGreaterThanOrEqual(
          least! * (1 - 1e-12) - rare,
        );
      }
      const { deviation } = whole;
      if (what.startsWith('sigma')) expect(worse / better - 1).toBeLessThan(0.25 / deviation ** 2 + 4e-4);
      else if (deviation > 10) expect(worse / better - 1).toBeLessThan(8 / deviation ** 2 + 1e-3);
    }
  });

  test('a thousand unlike sums of coins and Skellam numbers have both ends', () => {
    const steps = Array.from({ length: 1000 }, (_, i) =>
      i % 4 > 0
        ? binomial({ trials: 60000 + 331 * i, sensitivity: 1 + (i % 3) })
        : skellam({ variance: 2e4 + 17 * i, sensitivity: 2 }),
    );
    const { lower, upper } = account(wasm, compose(steps), { adjacency: 'add-remove' }).epsilon(1e-5);
    expect(upper / lower - 1).toBeLessThan(4e-3);
    expect(lower).toBeGreaterThan(0);
    const few = reduceSteps(stepsOf(compose([...steps.slice(0, 3), noise(5)])), 'add-remove');
    expect(comparedEnds(few, false).filter((ends) => ends !== undefined)).toHaveLength(3);
    expect(comparedEnds(few, true).filter((ends) => ends !== undefined)).toHaveLength(1);
  });
});
