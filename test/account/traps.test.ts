import { describe, expect, test } from 'vitest';
import { account, gaussian } from '../../src/index.js';
import { log, normalQuantileLog } from '../../src/numeric/scalar.js';
import { relativeWidth } from '../helpers/brackets.js';
import { LONG_TESTS } from '../helpers/long.js';
import { seeded } from '../helpers/random.js';
import { type PhaseTriple, runOf, wasm } from '../helpers/runs.js';

const options = { adjacency: 'add-remove' } as const;
const quantile = (p: number) => normalQuantileLog(log(p));

describe('the trade-off curve comes from the right tails', () => {
  const run = runOf([[1, 0.01, 1000]]);

  test('f(α) ≤ 1 − α, convex, decreasing', () => {
    const alphas = [1e-12, 1e-9, 1e-6, 1e-4, 1e-3, 0.01, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9, 0.99, 0.9999];
    const values = alphas.map((alpha) => run.tradeoff(alpha));
    for (let i = 0; i < alphas.length; i++) {
      expect(values[i].lower).toBeGreaterThanOrEqual(0);
      expect(values[i].upper).toBeLessThanOrEqual(1 - alphas[i]);
      if (i > 0) expect(values[i].lower).toBeLessThanOrEqual(values[i - 1].upper);
      if (i > 0 && i + 1 < alphas.length) {
        const weight = (alphas[i] - alphas[i - 1]) / (alphas[i + 1] - alphas[i - 1]);
        const chord = (1 - weight) * values[i - 1].upper + weight * values[i + 1].upper;
        expect(values[i].lower).toBeLessThanOrEqual(chord * (1 + 1e-14));
      }
    }
    expect(run.tradeoff(0).upper).toBe(1);
    expect(run.tradeoff(1)).toEqual({ lower: 0, upper: 0 });
  });

  test('f is its own inverse', () => {
    for (const alpha of [1e-6, 1e-3, 0.05, 0.3]) {
      const beta = run.tradeoff(alpha);
      const back = [run.tradeoff(beta.upper).lower, run.tradeoff(beta.lower).upper];
      expect(back[0]).toBeLessThanOrEqual(alpha * (1 + 1e-12));
      expect(back[1]).toBeGreaterThanOrEqual(alpha * (1 - 1e-12));
    }
  });

  // the likelihood-ratio test at loss 1, by contour integrals of both tails
  test('passes through an exact likelihood-ratio test', () => {
    const fnr = run.tradeoff(0.005458303881543286);
    expect(fnr).toOverlap({ lower: 1 - 0.0174496288340336, upper: 1 - 0.0174496288340335 });
    const tpr = run.truePositiveRate(0.005458303881543286);
    expect(tpr).toOverlap({ lower: 0.0174496288340335, upper: 0.0174496288340336 });
    expect(relativeWidth(tpr)).toBeLessThan(1e-3);
  });

  test.each([
    [5.458e-3, 0.4358],
    [1.6965e-4, 0.4518],
    [2.817e-6, 0.4694],
  ])('μ(%s) of the exact likelihood-ratio test', (alpha, mu) => {
    const tpr = run.truePositiveRate(alpha);
    const [low, high] = [tpr.lower, tpr.upper].map((power) => quantile(power) - quantile(alpha));
    expect(low).toBeLessThanOrEqual(mu + 6e-5);
    expect(high).toBeGreaterThanOrEqual(mu - 6e-5);
    expect(high - low).toBeLessThan(1e-3);
  });

  test('agrees with simulated losses', () => {
    const random = seeded(7);
    const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    const steps = 200;
    const rate = 0.05;
    const sampled = runOf([[1, rate, steps]]);
    const trials = 10_000;
    const loss = (moved: boolean): number => {
      let product = 1;
      for (let t = 0; t < steps; t++) {
        const o = normal() + (moved && random() < rate ? 1 : 0);
        product *= 1 - rate + rate * Math.exp(o - 0.5);
      }
      return Math.log(product);
    };
    const base = Float64Array.from({ length: trials }, () => loss(false));
    const mixture = Float64Array.from({ length: trials }, () => loss(true));
    for (const threshold of [-0.4, 0, 0.5, 1, 2]) {
      const rateAbove = (losses: Float64Array) => losses.filter((x) => x > threshold).length / trials;
      const [alpha, power] = [rateAbove(base), rateAbove(mixture)];
      const error = (p: number) => 5 * Math.sqrt((p * (1 - p)) / trials);
      const least = sampled.truePositiveRate(alpha - error(alpha));
      const most = sampled.truePositiveRate(alpha + error(alpha));
      expect(power + error(power), `${threshold}: ${alpha} ${power}`).toBeGreaterThan(least.lower);
      expect(power - error(power), `${threshold}: ${alpha} ${power}`).toBeLessThan(most.upper);
      // δ at the threshold is the mean of (1 − e^{ε−L})⁺ under the mixture
      let delta = 0;
      let square = 0;
      for (const x of mixture) {
        const value = Math.max(0, -Math.expm1(threshold - x));
        delta += value / trials;
        square += (value * value) / trials;
      }
      const bracket = sampled.directions[0].logDelta(threshold);
      const spread = 5 * Math.sqrt((square - delta * delta) / trials);
      expect(Math.exp(bracket.lower)).toBeLessThan(delta + spread);
      expect(Math.exp(bracket.upper)).toBeGreaterThan(delta - spread);
    }
  });

  test('rare and large losses: q = .001, σ = .6, T = 100000', () => {
    const tpr = runOf([[0.6, 0.001, 100000]]).truePositiveRate(0.01);
    // 0.139 ± 0.004 by simulation
    expect(tpr.lower).toBeLessThan(0.139 + 0.012);
    expect(tpr.upper).toBeGreaterThan(0.139 - 0.012);
    expect(tpr.lower).toBeGreaterThan(0.125);
    expect(tpr.upper).toBeLessThan(0.151);
  });
});

describe('round-off is part of the bracket', () => {
  const exact = 6.1891151539299e-13;
  const run = runOf([[9.4, 16384 / 50000, 2000]]);

  test('δ(12) is never below the truth', () => {
    for (const tolerance of [0.1, 1e-3, 1e-5, 1e-7, 1e-9]) {
      const { lower, upper } = runOf([[9.4, 16384 / 50000, 2000]], { tolerance }).delta(12);
      expect(upper).toBeGreaterThanOrEqual(exact * (1 - 1e-12));
      expect(lower).toBeLessThanOrEqual(exact * (1 + 1e-12));
    }
  });

  test('tiny δ: finite, ordered and relative', () => {
    for (const delta of [1e-12, 1e-17, 2.1e-29, 1e-30, 1e-100, 1e-200]) {
      const epsilon = run.epsilon(delta);
      expect(epsilon.upper).toBeLessThan(100);
      expect(relativeWidth(epsilon)).toBeLessThan(1e-3);
      const above = run.logDelta(epsilon.upper);
      expect(above.upper).toBeLessThanOrEqual(Math.log(delta) * (1 - 1e-15));
    }
    const epsilon = run.epsilonAtLog(-2000);
    expect(epsilon.lower).toBeGreaterThan(run.epsilon(1e-200).upper);
    expect(relativeWidth(epsilon)).toBeLessThan(0.05);
    const far = run.logDelta(100);
    expect(far.lower).toBeLessThan(-745);
    expect(far.upper).toBeLessThan(-745);
    expect(run.delta(100).upper).toBeLessThanOrEqual(Number.MIN_VALUE);
  });
});

describe('mass is 1', () => {
  test('δ(0) ≤ 1 where round-off once made it more: q = 1e-4, σ = .4, T = 10⁶', () => {
    const run = runOf([[0.4, 1e-4, 1_000_000]], { tolerance: 1e-2 });
    for (const direction of run.directions) {
      for (const epsilon of [-20, -1, 0, 1]) {
        const { lower, upper } = direction.logDelta(epsilon);
        expect(lower).toBeLessThanOrEqual(upper);
        expect(upper).toBeLessThanOrEqual(0);
      }
    }
    expect(run.directions.map((one) => one.direction)).toEqual(['remove', 'add']);
    const [remove, add] = run.directions.map((one) => one.logDelta(0));
    // both directions have the same total variation
    expect(remove).toOverlap(add);
  });

  test('δ falls from 1 to 0', () => {
    for (const phases of [[[0.5, 0.3, 60]], [[9.4, 0.3, 100]], [[2, 0.001, 5]]] as PhaseTriple[][]) {
      const run = runOf(phases, { tolerance: 1e-2, maxGridLength: 2 ** 14 });
      expect(run.delta(-Infinity)).toEqual({ lower: 1, upper: 1 });
      expect(run.delta(-1000).upper).toBe(1);
      expect(run.delta(-1000).lower).toBeGreaterThan(0.999);
      expect(run.delta(1e6)).toEqual({ lower: 0, upper: run.delta(1e6).upper });
      expect(run.delta(1e6).upper).toBeLessThan(1e-300);
      for (const direction of run.directions) {
        let lowest = 0;
        for (let epsilon = -8; epsilon <= 20; epsilon += LONG_TESTS ? 0.35 : 1.4) {
          const { lower, upper } = direction.logDelta(epsilon);
          expect(upper).toBeLessThanOrEqual(0);
          expect(lower).toBeLessThanOrEqual(lowest);
          lowest = Math.min(lowest, upper);
          // δ(ε) ≥ 1 − e^ε
          if (epsilon < 0) expect(upper).toBeGreaterThanOrEqual(Math.log(-Math.expm1(epsilon)) - 1e-12);
        }
      }
    }
  });
});

test('the last phase does not hide the others', () => {
  const history = runOf([
    [0.9, 0.01, 2000],
    [20, 0.001, 1],
  ]);
  expect(history.epsilon(1e-5).upper).toBeGreaterThanOrEqual(runOf([[0.9, 0.01, 2000]]).epsilon(1e-5).lower);
  expect(history.epsilon(1e-5).lower).toBeGreaterThan(2);
});

test('the central limit is no bound', () => {
  const [sigma, q, steps] = [1, 0.01, 1000];
  const mu = q * Math.sqrt(steps * Math.expm1(1 / sigma ** 2));
  const limit = account(wasm, gaussian({ noiseMultiplier: 1 / mu }), options).epsilon(1e-5);
  expect(limit.upper).toBeCloseTo(1.6177, 1);
  const exact = 1.828236666516577;
  const epsilon = runOf([[sigma, q, steps]]).epsilon(1e-5);
  expect(epsilon.lower).toBeGreaterThan(limit.upper);
  expect(epsilon).toContainValue(exact);
});

describe('two directions', () => {
  test('the larger one, after composing', () => {
    const run = runOf([[1, 0.01, 1000]]);
    const [remove, add] = run.directions;
    // exact, by contour integration: 1.828236666516577 and 1.416661948036175
    const target = Math.log(1e-5);
    expect(remove.logDelta(1.82824).upper).toBeLessThan(target);
    expect(remove.logDelta(1.82823).lower).toBeGreaterThan(target);
    expect(add.logDelta(1.4167).upper).toBeLessThan(target);
    expect(add.logDelta(1.4166).lower).toBeGreaterThan(target);
    for (const epsilon of [-0.5, 0, 0.2, 1, 3]) {
      const [a, b] = run.directions.map((one) => one.logDelta(epsilon, run.settings.tolerance));
      const { lower, upper } = run.logDelta(epsilon);
      // one call may know it otherwise
      expect(lower).toBeLessThanOrEqual(Math.max(a.upper, b.upper));
      expect(upper).toBeGreaterThanOrEqual(Math.max(a.lower, b.lower));
      expect(upper - lower).toBeLessThanOrEqual(run.settings.tolerance);
    }
  });

  test('which one is larger can depend on the phase', () => {
    const run = runOf([
      [8, 1, 16],
      [1, 0.01, 100],
    ]);
    // exact: ε = 2.3099 gives 1.5636508084497e-6 by removal
    expect(run.delta(2.3099)).toOverlap({ lower: 1.5636508084496e-6, upper: 1.5636508084498e-6 });
  });
});
