import { describe, expect, it } from 'vitest';
import { account, approximateDp, dpSgd, gaussian, laplace, repeat } from '../../src/index.js';
import { normalCdf, normalQuantile } from '../../src/numeric/scalar.js';
import {
  advantageAtMost,
  deltaAtMost,
  epsilonAtMost,
  groupLines,
  powerAtMost,
  type SupportLines,
  supportLines,
} from '../../src/tradeoff/support-lines.js';
import { wasm } from '../helpers/runs.js';

const spread = (end: number, count: number) =>
  Array.from({ length: count }, (_, i) => (end * i) / (count - 1));
const addRemove = { adjacency: 'add-remove' } as const;

describe('supporting lines', () => {
  it.each([
    ['DP-SGD', dpSgd({ noiseMultiplier: 1.1, samplingRate: 0.02, steps: 800 }), 8],
    ['Laplace noise', repeat(laplace({ scale: 5, sensitivity: 1 }), 12), 2.5],
    ['(epsilon, delta)-DP', approximateDp({ epsilon: 0.7, delta: 1e-4 }), 1],
  ])('of %s bound the exact test from above, and closely', (_, mechanism, end) => {
    const run = account(wasm, mechanism, addRemove);
    const lines = supportLines(run, spread(end, 80));
    for (const alpha of [1e-5, 1e-3, 0.03, 0.2, 0.5, 0.9, 0.999]) {
      const power = powerAtMost(lines, alpha);
      const exact = run.truePositiveRate(alpha);
      expect(power).toBeGreaterThanOrEqual(exact.lower);
      expect(power - exact.upper).toBeLessThan(2e-2 * exact.upper);
    }
    for (const epsilon of [0, 0.31, 0.77 * end]) {
      expect(deltaAtMost(lines, epsilon)).toBeGreaterThanOrEqual(run.delta(epsilon).lower);
      expect(deltaAtMost(lines, epsilon)).toBeLessThan(run.delta(epsilon).upper * 2.5 + 2e-5);
    }
    expect(advantageAtMost(lines)).toBe(run.advantage().upper);
  });

  it('of a group of a Gaussian bound the Gaussian of k mu, closely', () => {
    const mu = 0.5;
    const run = account(wasm, gaussian({ noiseMultiplier: 1 / mu }), addRemove);
    const lines = supportLines(run, spread(5, 240));
    for (const size of [2, 3, 7]) {
      const group = groupLines(lines, size);
      for (const alpha of [1e-4, 0.01, 0.1, 0.4]) {
        const exact = normalCdf(normalQuantile(alpha) + size * mu);
        const power = powerAtMost(group, alpha);
        expect(power).toBeGreaterThanOrEqual(exact * (1 - 1e-12));
        expect(power).toBeLessThan(exact * 1.01);
      }
      const whole = account(wasm, gaussian({ noiseMultiplier: 1 / (size * mu) }), addRemove);
      const epsilon = epsilonAtMost(group, 1e-5);
      expect(epsilon).toBeGreaterThanOrEqual(whole.epsilon(1e-5).lower);
      expect(epsilon).toBeLessThan(whole.epsilon(1e-5).upper * 1.01);
    }
  });

  it('of a group of pure DP end at k epsilon', () => {
    const run = account(wasm, laplace({ scale: 2, sensitivity: 1 }), addRemove);
    const group = groupLines(supportLines(run, spread(0.5, 60)), 4);
    expect(epsilonAtMost(group, 1e-12)).toBeGreaterThanOrEqual(2 - 1e-9);
    expect(epsilonAtMost(group, 1e-12)).toBeLessThan(2 + 1e-9);
  });

  it('of a thousand links are no steeper than all of them together', () => {
    const one = { epsilon: [0, 0.1], delta: [Math.tanh(0.05) * (1 + 1e-15), 0] };
    expect(groupLines(one, 1000).epsilon.at(-1)).toBeGreaterThanOrEqual(100);
    expect(groupLines(one, 1000).epsilon.at(-1)).toBeLessThan(100 + 1e-12);
  });

  it('keep their digits just before the largest loss, where a chord is the curve', () => {
    const delta = 0.4621171572600098;
    for (const before of [1e-3, 1e-9, 2 ** -40, 2 ** -53]) {
      const at = 1 - before;
      // (e − e^at)/(e − 1), without a difference of near numbers
      const exact = (delta * Math.expm1(at - 1)) / Math.expm1(-1);
      const found = deltaAtMost({ epsilon: [0, 1], delta: [delta, 0] }, at);
      expect(found).toBeGreaterThanOrEqual(exact);
      expect(found).toBeLessThan(exact * (1 + 1e-14));
    }
  });

  it('say nothing where no line reaches', () => {
    const lines: SupportLines = { epsilon: [0, 1], delta: [0.5, 0.1] };
    expect(epsilonAtMost(lines, 0.01)).toBe(Infinity);
    expect(deltaAtMost(lines, 5)).toBe(0.1);
    expect(powerAtMost(lines, 1)).toBe(1);
  });
});
