import { expect, test } from 'vitest';
import { logNormalTail } from '../../src/numeric/log-normal-tail.js';
import { logNormalCdf } from '../../src/numeric/scalar.js';

test('the tail is that of the distribution, near and far', () => {
  for (let x = -6; x < 60; x += 0.0371) {
    const known = logNormalCdf(-x);
    expect(Math.abs(logNormalTail(x) - known), `${x}`).toBeLessThan(4e-15 * (1 + Math.abs(known)));
  }
  // Φ̄(10) = 7.619853024160526065973343251599308363504e-24
  expect(logNormalTail(10)).toBeCloseTo(-53.23128515051247, 12);
  expect(logNormalTail(Infinity)).toBe(-Infinity);
});
