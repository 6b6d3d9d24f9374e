import fc from 'fast-check';
import { expect, test } from 'vitest';
import { endsText, percentUp, safeText, upperText } from '../../src/text/rounded.js';

const numbers = fc.double({ min: 1e-12, max: 1, noNaN: true });
const digits = fc.integer({ min: 1, max: 6 });

// the double that a text names is on the safe side: 1e-12 is printed as itself

test('upper ends are printed no smaller than they are', () => {
  fc.assert(
    fc.property(numbers, digits, (x, n) => {
      expect(Number(upperText(x, n))).toBeGreaterThanOrEqual(x);
      expect(Number(safeText({ lower: 0, upper: x }, {}, { digits: n }))).toBeGreaterThanOrEqual(x);
      expect(Number(percentUp(x, { digits: n }))).toBeGreaterThanOrEqual(100 * x * (1 - 2 ** -52));
    }),
    { numRuns: 2000, seed: 3 },
  );
});

test('lower ends are printed no larger than they are', () => {
  fc.assert(
    fc.property(numbers, digits, (x, n) => {
      const text = safeText({ lower: x, upper: 1 }, {}, { end: 'lower', digits: n });
      expect(Number(text)).toBeLessThanOrEqual(x);
    }),
    { numRuns: 2000, seed: 4 },
  );
});

test('both ends are printed, each to its side', () => {
  const [low, high] = endsText({ lower: 1 / 3, upper: 2 / 3 })
    .split(' to ')
    .map(Number);
  expect(low).toBeLessThan(1 / 3);
  expect(high).toBeGreaterThan(2 / 3);
});

test('a power of ten is printed without zeros unless digits are asked for', () => {
  expect(upperText(0.99999e-5)).toBe('1e-5');
  expect(safeText({ lower: 0.9999e-5, upper: 0.99999e-5 })).toBe('1e-5');
  expect(safeText({ lower: 1e-5, upper: 1.0101e-5 })).toBe('1.02e-5');
  expect(safeText({ lower: 0, upper: 1.51e-5 }, {}, { digits: 2 })).toBe('1.6e-5');
  expect(safeText({ lower: 0, upper: 0.99999e-5 }, { digits: 3 })).toBe('1.00e-5');
});
