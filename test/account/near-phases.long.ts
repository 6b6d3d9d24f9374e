import { describe, expect, test } from 'vitest';
import { relativeWidth } from '../helpers/brackets.js';
import { runOf } from '../helpers/runs.js';

describe('noise schedules', () => {
  const schedule = (n: number, from: number, by: number, rate: number) =>
    runOf(Array.from({ length: n }, (_, i) => [from + i * by, rate, 1] as const));

  test('ten steps at a low rate: a bracket that meets what the grid through all ten answered', () => {
    const run = schedule(10, 1, 1e-5, 0.001);
    const epsilon = run.epsilon(1e-5);
    expect(epsilon).toOverlap({ lower: 0.023509219018099187, upper: 0.023509276382430777 });
    expect(relativeWidth(epsilon)).toBeLessThan(1e-6);
  });

  test('three hundred single steps are composed as they are', () => {
    const run = schedule(300, 1, 1 / 300, 0.01);
    const epsilon = run.epsilon(1e-5);
    expect(relativeWidth(epsilon)).toBeLessThan(1e-6);
    const groups = [0, 1].map((end) =>
      runOf(Array.from({ length: 10 }, (_, i) => [1 + (i + end) / 10, 0.01, 30] as const)),
    );
    expect(epsilon.lower).toBeLessThan(groups[0].epsilon(1e-5).upper);
    expect(epsilon.upper).toBeGreaterThan(groups[1].epsilon(1e-5).lower);
  });

  test('two thousand lie between as many of the worst and of the best', () => {
    const run = schedule(2000, 1, 1e-4, 0.02);
    const [worst, best] = [1, 1.1999].map((sigma) => runOf([[sigma, 0.02, 2000]]));
    for (const delta of [1e-3, 1e-6]) {
      const { lower, upper } = run.epsilon(delta);
      expect(upper).toBeLessThan(worst.epsilon(delta).lower);
      expect(lower).toBeGreaterThan(best.epsilon(delta).upper);
      expect(upper / lower - 1).toBeLessThan(1e-6);
    }
    // few phases stand for many, with a remainder, in place of groups
    expect(run.directions[0].groups).toBeUndefined();
  });
});
