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
      expect(Number(percentUp(x, n))).toBeGreaterThanOrEqual(100 * x * (1 - 2 ** -52));
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
