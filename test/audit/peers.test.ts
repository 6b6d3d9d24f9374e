import { describe, expect, test } from 'vitest';
import { logPValueAt } from '../../src/audit/one-run.js';
import { clopperPearson } from '../../src/audit/points.js';

// Configurations of the unit tests of jax_privacy 8967688 (tests/auditing_test.py), whose expected values are formulas: written here anew, for small
// numbers, where products of doubles are good to 13 digits. What they estimate from scores alone (ROC curves, accuracy, bootstrap) states no bound.

/** P[Bin(n, p) = k] for k = 0 … n, by products outward from the likeliest k. */
function binomial(n: number, p: number): number[] {
  const top = Math.min(n, Math.floor((n + 1) * p));
  const masses = new Array<number>(n + 1).fill(0);
  masses[top] = 1;
  for (let k = top; k < n; k++) masses[k + 1] = (masses[k]! * (n - k) * p) / ((k + 1) * (1 - p));
  for (let k = top; k > 0; k--) masses[k - 1] = (masses[k]! * k * (1 - p)) / ((n - k + 1) * p);
  const sum = masses.reduce((a, b) => a + b);
  return masses.map((mass) => mass / sum);
}
const sum = (masses: number[]) => masses.reduce((a, b) => a + b, 0);

describe('test_clopper_pearson_upper', () => {
  const cases = [10, 100, 1000].flatMap((n) =>
    [0.3, 0.4, 0.5, 0.8, 0.9].flatMap((share) =>
      [0.1, 0.03, 0.01].map((level) => [Math.round(share * n), n, level] as const),
    ),
  );
  test('45 of them: at the limit so few successes have the probability stated (theirs within 5 % of it, by trials)', () => {
    expect(cases.length).toBe(45);
    for (const [k, n, level] of cases) {
      const { rate } = clopperPearson(k, n, Math.log(level));
      expect(sum(binomial(n, rate.upper).slice(0, k + 1)) / level, `${k} of ${n}, ${level}`).toBeCloseTo(
        1,
        9,
      );
    }
  });
});

/** beta + 2 m delta max over i of P[v − i ≤ W < v]/i, at most 1 (Steinke, Nasr, Jagielski 2023). */
function pValue(m: number, guesses: number, correct: number, epsilon: number, delta: number): number {
  const masses = binomial(guesses, 1 / (1 + Math.exp(-epsilon)));
  let [mean, stretch] = [0, 0];
  for (let i = 1; i <= correct; i++) {
    stretch += masses[correct - i]!;
    mean = Math.max(mean, stretch / i);
  }
  return Math.min(1, sum(masses.slice(correct)) + 2 * m * delta * mean);
}

test('test_one_run_p_value: 345 of them, to 7 digits', () => {
  let count = 0;
  for (const canaries of [10, 100, 1000]) {
    for (const guesses of [1, 10, 100]) {
      for (const wrong of [0, 1, 10, 100]) {
        if (wrong > guesses || guesses > canaries) continue;
        const correct = guesses - wrong;
        for (const epsilon of [0, 0.5, 1]) {
          for (const delta of [0, 1e-6, 1e-3, 1e-1, 1]) {
            const { lower, upper } = logPValueAt(
              { kind: 'one-run', canaries, guesses, correct },
              epsilon,
              delta,
            );
            const exact = pValue(canaries, guesses, correct, epsilon, delta);
            const place = JSON.stringify([canaries, guesses, correct, epsilon, delta]);
            expect(Math.exp(lower), place).toBeLessThanOrEqual(exact * (1 + 1e-12));
            expect(Math.exp(upper), place).toBeGreaterThanOrEqual(exact * (1 - 1e-12));
            expect(Math.exp(upper) - Math.exp(lower), place).toBeLessThan(5e-8);
            count++;
          }
        }
      }
    }
  }
  expect(count).toBe(345);
});
