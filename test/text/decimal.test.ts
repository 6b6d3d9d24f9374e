import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bracketText, namedDecimal, roundDecimal, shortDecimal } from '../../src/text/decimal.js';
import { safeText } from '../../src/text/rounded.js';

/** Sign of (decimal − x), exactly: both as integers over a common power of ten. */
function compareExactly(decimal: string, x: number): number {
  const [mantissa, power = '0'] = decimal.split('e') as [string, string?];
  const [whole, fraction = ''] = mantissa.split('.') as [string, string?];
  let left = BigInt(whole + fraction);
  let right = 1n;
  const shift = Number(power) - fraction.length;
  if (shift >= 0) left *= 10n ** BigInt(shift);
  else right *= 10n ** BigInt(-shift);
  // x = m·2^e
  let e = 0;
  let m = x;
  while (!Number.isSafeInteger(m)) {
    m *= 2;
    e -= 1;
  }
  const scaledX = BigInt(m) * right;
  const scaledDecimal = left * 2n ** BigInt(-e);
  return scaledDecimal < scaledX ? -1 : scaledDecimal > scaledX ? 1 : 0;
}

describe('roundDecimal', () => {
  it('rounds outwards, compared exactly', () => {
    const numbers = fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e15, max: 1e15 });
    fc.assert(
      fc.property(numbers, fc.integer({ min: 1, max: 17 }), (x, digits) => {
        expect(compareExactly(roundDecimal(x, 'up', { digits }), x)).toBeGreaterThanOrEqual(0);
        expect(compareExactly(roundDecimal(x, 'down', { digits }), x)).toBeLessThanOrEqual(0);
      }),
      { numRuns: 2000, seed: 7 },
    );
  });

  it('is at most one unit of the last digit away', () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-300, max: 1e300, noNaN: true }), (x) => {
        const up = Number(roundDecimal(x, 'up', { digits: 6 }));
        const down = Number(roundDecimal(x, 'down', { digits: 6 }));
        expect((up - down) / x).toBeLessThan(1.01e-5);
      }),
      { seed: 7 },
    );
  });

  it.each([
    [0.1, 'up', 3, '0.10000001'],
    [0.1, 'down', 3, '0.100'],
    [0.5, 'up', 3, '0.500'],
    [9.999, 'up', 3, '10.0'],
    [9.999, 'down', 3, '9.99'],
    [99999, 'up', 2, '100000'],
    [1234567, 'down', 3, '1230000'],
    [1.23456e-7, 'up', 3, '1.24e-7'],
    [9.99e-7, 'up', 2, '1.0e-6'],
    [5e-324, 'down', 3, '4.94e-324'],
    [1.1e300, 'up', 1, '2e300'],
    [-0.1, 'up', 3, '-0.100'],
    [-0.1, 'down', 3, '-0.10000001'],
    // an ulp or two off a short number: the next digits, never the next short number
    [1.0000000000000102, 'up', 4, '1.0000001'],
    [0.9999999999999898, 'up', 4, '1.000'],
    [0.9999999999999898, 'down', 4, '0.99999999'],
    [1.0000000000000102, 'down', 4, '1.000'],
    [1e-6 * (1 + 1e-13), 'up', 4, '1.0000001e-6'],
    [1.5 + 1.4e-9, 'up', 3, '1.5000001'],
    [1.5 + 1.6e-9, 'up', 3, '1.51'],
    [0.32768, 'up', 3, '0.328'],
    [9.9999999999, 'down', 3, '9.9999999'],
    [1.0000000000000102, 'up', 9, '1.00000001'],
    [-1.0000000000000102, 'down', 3, '-1.0000001'],
    [0, 'up', 3, '0'],
    [Infinity, 'up', 3, 'infinite'],
  ] as const)('%d %s to %d digits: %s', (x, direction, digits, text) => {
    expect(roundDecimal(x, direction, { digits })).toBe(text);
  });

  it('shifts into per cent without an arithmetic rounding', () => {
    expect(roundDecimal(0.07, 'up', { digits: 3, shift: 2 })).toBe('7.0000001');
    expect(roundDecimal(0.25, 'up', { digits: 3, shift: 2 })).toBe('25.0');
    expect(roundDecimal(1e-7, 'down', { digits: 2, shift: 2 })).toBe('9.9999999e-6');
  });

  it('refuses NaN', () => {
    expect(() => roundDecimal(Number.NaN, 'up', { digits: 3 })).toThrow(RangeError);
  });
});

describe('a number that is known exactly', () => {
  it.each([
    [0.1, 3, '0.100'],
    [1e-5, 3, '1.00e-5'],
    [2, 4, '2.000'],
    [-0.25, 2, '-0.25'],
    [0.3333333333333333, 3, undefined],
    [0, 3, undefined],
    [Infinity, 3, undefined],
  ])('%d to %d digits: %s', (x, digits, name) => {
    expect(namedDecimal(x, { digits })).toBe(name);
    if (name !== undefined) expect(Number(name)).toBe(x);
  });

  it('is printed by its name, and only then', () => {
    expect(safeText({ lower: 0.1, upper: 0.1 })).toBe('0.100');
    expect(safeText({ lower: 0.07, upper: 0.07 }, {}, { shift: 2 })).toBe('7.00');
    expect(safeText({ lower: 0.09999999999999999, upper: 0.1 })).toBe('0.10000001');
    expect(safeText({ lower: 1 / 3, upper: 1 / 3 })).toBe('0.334');
  });
});

describe('bracketText', () => {
  it('contains the bracket and shows its width', () => {
    expect(bracketText({ lower: 7.42437745, upper: 7.42438112 })).toBe('[7.424377, 7.424382]');
    expect(bracketText({ lower: 1.25, upper: 1.75 })).toBe('[1.250, 1.750]');
  });

  it('takes the digits of its width, and of a hair only where digits are asked for', () => {
    expect(bracketText({ lower: 0.1, upper: 0.2 })).toBe('[0.1000, 0.2001]');
    expect(bracketText({ lower: 1 - 1e-15, upper: 1 + 1e-15 }, 0, 3)).toBe('[0.99999999, 1.0000001]');
  });

  it('names the ends that are no decimals', () => {
    expect(bracketText({ lower: 0, upper: 0 })).toBe('[0, 0]');
    expect(bracketText({ lower: Infinity, upper: Infinity })).toBe('[infinite, infinite]');
    expect(bracketText({ lower: 2, upper: Infinity })).toMatch(/^\[2\.0+, infinite\]$/);
    expect(bracketText({ lower: 0, upper: 1e-20 })).toMatch(/^\[0, 1\.0+1?e-20\]$/);
  });

  it('contains every bracket when read back', () => {
    const ends = fc.tuple(
      fc.double({ min: 0, max: 1e6, noNaN: true }),
      fc.double({ min: 0, max: 1e6, noNaN: true }),
    );
    fc.assert(
      fc.property(ends, ([a, b]) => {
        const [lower, upper] = [Math.min(a, b), Math.max(a, b)];
        const text = bracketText({ lower, upper });
        if (text === '0') return;
        const [low, high] = text.slice(1, -1).split(', ') as [string, string];
        expect(compareExactly(low, lower)).toBeLessThanOrEqual(0);
        expect(compareExactly(high, upper)).toBeGreaterThanOrEqual(0);
      }),
      { numRuns: 1000, seed: 7 },
    );
  });
});

describe('shortDecimal', () => {
  it.each([
    [1e-5, '1e-5'],
    [0.01, '0.01'],
    [2000, '2000'],
    [14063, '14063'],
    [0.004, '0.004'],
    [0, '0'],
    [1e-4, '1e-4'],
    [0.32768, '0.32768'],
    [1e9, '1e9'],
  ])('%d: %s', (x, text) => {
    expect(shortDecimal(x)).toBe(text);
    expect(Number(shortDecimal(x))).toBe(x);
  });
});
