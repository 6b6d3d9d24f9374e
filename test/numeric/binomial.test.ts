import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { clopperPearson } from '../../src/audit/points.js';
import { logLowerTail, logUpperTail } from '../../src/numeric/binomial.js';
import { seeded } from '../helpers/random.js';

const golden = JSON.parse(readFileSync(new URL('../golden/binomial.json', import.meta.url), 'utf8')) as {
  tails: [trials: number, atLeast: number, logit: number, logTail: string][];
  limits: [successes: number, trials: number, level: number, limit: string][];
};

/** What reading a decimal may lose. */
const READ = 2 ** -52;

describe('binomial tails', () => {
  test('hold 25-digit values, down to e^-1e7, and are narrow', () => {
    expect(golden.tails.length).toBeGreaterThan(500);
    let deepest = 0;
    let widest = 0;
    for (const [trials, atLeast, logit, text] of golden.tails) {
      const exact = Number(text);
      const { lower, upper } = logUpperTail(trials, atLeast, logit);
      const what = `${trials} ${atLeast} ${logit}`;
      expect(lower, what).toBeLessThanOrEqual(exact + READ * Math.abs(exact));
      expect(upper, what).toBeGreaterThanOrEqual(exact - READ * Math.abs(exact));
      // relative to the tail: a multiple of the roundings of its terms, and of those of log p itself far out
      const inherent = 5e-13 + 3e-14 * Math.sqrt(trials) + 4e-14 * Math.abs(exact);
      widest = Math.max(widest, (upper - lower) / inherent);
      deepest = Math.min(deepest, exact);
    }
    expect(deepest).toBeLessThan(-1e5);
    expect(widest).toBeLessThan(1);
  });

  test('hold exact sums of few trials, both sides', () => {
    const random = seeded(5);
    for (let trials = 1; trials <= 12; trials++) {
      for (let i = 0; i < 20; i++) {
        const logit = 8 * (random() - 0.5);
        const p = 1 / (1 + Math.exp(-logit));
        const mass = Array.from(
          { length: trials + 1 },
          (_, k) => choose(trials, k) * p ** k * (1 - p) ** (trials - k),
        );
        for (let k = 0; k <= trials; k++) {
          const above = mass.slice(k).reduce((a, b) => a + b, 0);
          const below = mass.slice(0, k + 1).reduce((a, b) => a + b, 0);
          near(logUpperTail(trials, k, logit), above);
          near(logLowerTail(trials, k, logit), below);
        }
      }
    }
  });

  test('at the ends', () => {
    expect(logUpperTail(0, 0, 1)).toEqual({ lower: 0, upper: 0 });
    expect(logUpperTail(5, 6, 1)).toEqual({ lower: -Infinity, upper: -Infinity });
    expect(logUpperTail(5, 5, Infinity)).toEqual({ lower: 0, upper: 0 });
    expect(logUpperTail(5, 1, -Infinity).upper).toBe(-Infinity);
    // where p itself is out of reach the tail lies between those in reach
    expect(logUpperTail(5, 1, -710).lower).toBe(-Infinity);
    expect(logUpperTail(5, 1, -710).upper).toBeCloseTo(Math.log(5) - 700, 9);
    expect(logUpperTail(5, 5, 710).upper).toBe(0);
  });
});

function near({ lower, upper }: { lower: number; upper: number }, sum: number): void {
  const exact = Math.log(sum);
  expect(lower).toBeLessThanOrEqual(exact + 1e-14);
  expect(upper).toBeGreaterThanOrEqual(exact - 1e-14);
  expect(upper - lower).toBeLessThan(5e-13);
}

function choose(n: number, k: number): number {
  return k === 0 ? 1 : (choose(n, k - 1) * (n - k + 1)) / k;
}

describe('Clopper-Pearson limits', () => {
  test.each(golden.limits)('%d of %d at level %d', (successes, trials, level, text) => {
    const exact = Number(text);
    const { lower, upper } = clopperPearson(successes, trials, Math.log(level)).rate;
    expect(lower).toBeLessThanOrEqual(exact * (1 + READ));
    expect(upper).toBeGreaterThanOrEqual(exact * (1 - READ));
    expect(upper - lower).toBeLessThan(1e-12 * exact);
  });

  test('cover at least as often as they say, by exact sums over all outcomes', () => {
    for (const trials of [1, 2, 5, 9]) {
      for (const level of [0.025, 0.1, 0.3]) {
        const limits = Array.from(
          { length: trials + 1 },
          (_, s) => clopperPearson(s, trials, Math.log(level)).rate.upper,
        );
        for (let i = 1; i < 200; i++) {
          const p = i / 200;
          let missed = 0;
          for (let s = 0; s <= trials; s++)
            if (limits[s]! < p) missed += choose(trials, s) * p ** s * (1 - p) ** (trials - s);
          expect(missed).toBeLessThanOrEqual(level + 1e-12);
        }
      }
    }
  });
});
