import { describe, expect, it } from 'vitest';
import { crossing, turningPoint } from '../../src/numeric/solve.js';

const search = { guess: 1, reach: 0.1, floor: -1e3, ceiling: 1e3, relative: 1e-14, absolute: 1e-300 };

/** A function that counts its calls. */
function counted(f: (x: number) => number): { f: (x: number) => number; calls: () => number } {
  let calls = 0;
  return {
    f: (x) => {
      calls++;
      return f(x);
    },
    calls: () => calls,
  };
}

const falling: Record<string, { f: (x: number) => number; root: number }> = {
  line: { f: (x) => 3 - x, root: 3 },
  exponential: { f: (x) => Math.exp(-x) - 1e-9, root: 9 * Math.LN10 },
  cubic: { f: (x) => 2 - x ** 3, root: Math.cbrt(2) },
  'flat at the root': { f: (x) => -((x - 0.75) ** 5), root: 0.75 },
  step: { f: (x) => (x < 2.5 ? 1 : -1), root: 2.5 },
  'infinite on both sides': { f: (x) => (x < -7 ? Infinity : x > -6 ? -Infinity : -6.5 - x), root: -6.5 },
};

describe('crossing', () => {
  for (const [name, { f, root }] of Object.entries(falling)) {
    it(`brackets the root: ${name}`, () => {
      const { low, high } = crossing(f, search);
      expect(f(low)).toBeGreaterThan(0);
      expect(f(high)).toBeLessThanOrEqual(0);
      expect(high - low).toBeLessThanOrEqual(1.01e-14 * Math.max(Math.abs(low), Math.abs(high)) + 1e-300);
      expect(Math.abs(low - root)).toBeLessThanOrEqual(
        name === 'flat at the root' ? 1e-2 : 1e-13 * Math.abs(root),
      );
    });
  }

  it('asks a smooth function less than half as often as bisection', () => {
    const fast = counted(falling['exponential'].f);
    const slow = counted(falling['exponential'].f);
    crossing(fast.f, search);
    turningPoint((x) => slow.f(x) <= 0, search);
    expect(2 * fast.calls()).toBeLessThan(slow.calls());
  });

  it('ends where round-off makes the function noisy', () => {
    const noisy = counted((x) => 1 - x + 1e-12 * Math.sin(1e15 * x));
    const { low, high } = crossing(noisy.f, search);
    expect(Math.abs(low - 1)).toBeLessThan(1e-11);
    expect(high).toBeGreaterThan(low);
    expect(noisy.calls()).toBeLessThan(100);
  });

  it('tells that there is none', () => {
    expect(crossing(() => 1, search)).toEqual({ low: 1e3, high: Infinity });
    expect(crossing(() => -1, search)).toEqual({ low: -Infinity, high: -1e3 });
    expect(crossing(() => Number.NaN, search).high).toBe(Infinity);
  });
});
