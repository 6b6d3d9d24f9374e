import { describe, expect, test } from 'vitest';
import { hasDoubtfulComma, typedNumber } from '../../src/text/typed.js';

describe('typed numbers', () => {
  test.each([
    ['1e-5', 1e-5],
    ['.5', 0.5],
    [' 7 ', 7],
    ['-3', -3],
    ['−3', -3],
    ['256/60000', 256 / 60000],
    ['1 / 3', 1 / 3],
    ['0.1 %', 0.001],
    ['10^-6', 1e-6],
    ['10**-6', 1e-6],
    ['10⁻⁶', 1e-6],
    ['10^5', 1e5],
    ['2×10⁻⁶', 2e-6],
    ['2.5 × 10^-6', 2.5e-6],
    ['3*10^4', 3e4],
    ['1/10^6', 1e-6],
  ])('%s', (text, value) => {
    expect(typedNumber(text)).toBe(value);
    expect(typedNumber(text, { groups: true })).toBe(value);
  });

  test.each(['60,000', '60_000', '60 000'])('%s is a count in groups of three, and nothing else', (text) => {
    expect(typedNumber(text, { groups: true })).toBe(60000);
    expect(typedNumber(text)).toBeNaN();
  });

  test.each([
    ...['1,1', '1,10', '1,1000', '12,34,567', '1,000.5', '0,5', '1_1', "1'1", '6 00'],
    ...['', 'abc', '1/2/3', '10^', '^3', '10^1.5', '2^3', '1e', '1e5e', '0x10', 'Infinity', '5 × 4', '%'],
  ])('%s is refused everywhere', (text) => {
    expect(typedNumber(text)).toBeNaN();
    expect(typedNumber(text, { groups: true })).toBeNaN();
  });

  test('a comma in doubt is told from other text', () => {
    expect(['1,1', '1,000.5', "1'000", '60,000'].map(hasDoubtfulComma)).toEqual([true, true, true, true]);
    expect(['abc', 'a,b', '1.1', ','].map(hasDoubtfulComma)).toEqual([false, false, false, false]);
  });
});
