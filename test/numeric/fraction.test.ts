import { expect, it } from 'vitest';
import {
  type Fraction,
  fractionOf,
  product,
  quotient,
  roundedUp,
  sum,
  typedFraction,
} from '../../src/numeric/exact-decimal.js';
import { seeded } from '../helpers/random.js';

it('takes doubles exactly and decimals as they were typed', () => {
  expect(fractionOf(0.75)).toEqual({ over: 3n << 50n, under: 1n << 52n });
  for (const x of [0, 1, 0.1, 5e-324, 1.7976931348623157e308, 2 ** -1074 * 3]) {
    expect(roundedUp(fractionOf(x))).toBe(x);
    expect(roundedUp(typedFraction(x))).toBe(x);
  }
  expect(roundedUp(product(typedFraction(0.1), fractionOf(100)))).toBe(10);
  expect(roundedUp(product(fractionOf(0.1), fractionOf(100)))).toBe(10.000000000000002);
  // not what any decimal of 15 digits is read as
  expect(typedFraction(1 / 3)).toEqual(fractionOf(1 / 3));
});

it('rounds a random fraction to the smallest double that is not below it', () => {
  const random = seeded(5);
  const isBelow = (x: number, { over, under }: Fraction) => {
    const double = fractionOf(x);
    return double.over * under < over * double.under;
  };
  for (let i = 0; i < 1000; i++) {
    const [a, b, c, d] = Array.from({ length: 4 }, () =>
      fractionOf((0.5 + random()) * 10 ** Math.floor(random() * 300 - 150)),
    );
    const exact = sum(product(a, b), quotient(c, d));
    const up = roundedUp(exact);
    expect(isBelow(up, exact)).toBe(false);
    if (up > 0 && up < Infinity)
      expect(isBelow(up - 2 ** -1074 < up ? up - 2 ** -1074 : up * (1 - 2 ** -53), exact)).toBe(true);
  }
});
