import { expect, test } from 'vitest';
import { logComplement, outward } from '../../src/numeric/log-arithmetic.js';
import { padLogProbability, probabilityOf } from '../../src/numeric/log-probability.js';

test('what is left of 1 is 1 only where nothing is taken', () => {
  expect(logComplement(-Infinity)).toBe(0);
  for (const logP of [-1e-300, -1, -40, -745, -746, -5000, -1e6]) expect(logComplement(logP)).toBeLessThan(0);
  // −log(1 − e^{−40}) = e^{−40} + e^{−80}/2 + …
  expect(-logComplement(-40) / Math.exp(-40)).toBeCloseTo(1, 14);
});

test('ends move outwards among the smallest numbers too, and what is certain stays', () => {
  for (const logP of [-Number.MIN_VALUE, -1e-310, -1e-30, -0.3, -5]) {
    expect(outward(logP, -1)).toBeLessThan(logP);
    expect(outward(logP, 1)).toBeGreaterThan(logP);
    const { lower, upper } = padLogProbability(logP);
    expect(lower).toBeLessThan(logP);
    expect(upper).toBeGreaterThan(logP);
  }
  expect(outward(0, -1)).toBe(0);
  expect(padLogProbability(0)).toEqual({ lower: 0, upper: 0 });
});

test('a probability that is not 1 has a lower end below 1, by one number where that is enough', () => {
  expect(probabilityOf({ lower: 0, upper: 0 })).toEqual({ lower: 1, upper: 1 });
  for (const lower of [-Number.MIN_VALUE, -1e-200, -1e-17])
    expect(probabilityOf({ lower, upper: 0 }).lower).toBe(1 - 2 ** -53);
  // 1 − 2^{−53} itself would be above e^{−3e-16}
  expect(probabilityOf({ lower: -3e-16, upper: 0 }).lower).toBeLessThan(1 - 3e-16 + 2 ** -53);
});
