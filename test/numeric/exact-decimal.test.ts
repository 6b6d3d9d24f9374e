import { describe, expect, test } from 'vitest';
import {
  compareExact,
  doubleOf,
  exactDecimal,
  exactText,
  minus,
  neighbour,
  plus,
  rootDown,
  times,
} from '../../src/numeric/exact-decimal.js';
import { seeded } from '../helpers/random.js';

/** A double as n·2^−1074, by repeated doubling: no arithmetic of the code under test. */
function units(x: number): bigint {
  let shift = 1074;
  let scaled = x;
  for (; !Number.isInteger(scaled) && shift > 0; shift--) scaled *= 2;
  return BigInt(scaled) << BigInt(shift);
}

const exact = (x: number | string) => exactDecimal(x)!;

/** Doubles of every size, the smallest and the largest among them. */
function doubles(seed: number, count: number): number[] {
  const random = seeded(seed);
  const view = new DataView(new ArrayBuffer(8));
  const found = [5e-324, 2.2250738585072014e-308, 1, 0.1, 0.5, 3, 1e22, Number.MAX_VALUE, 2 ** -1022];
  while (found.length < count) {
    view.setUint32(0, Math.floor(random() * 0x7fefffff));
    view.setUint32(4, Math.floor(random() * 2 ** 32));
    found.push(view.getFloat64(0));
  }
  return found;
}

describe('exact decimals', () => {
  test('of doubles are what the bits say', () => {
    const list = doubles(1, 400);
    for (const [i, a] of list.entries()) {
      const b = list[(i + 1) % list.length];
      const sum = plus(exact(a), exact(b));
      // sums and differences as whole numbers of 2^−1074
      const expected = units(a) + units(b);
      expect(sum.digits * 10n ** BigInt(1100 - sum.scale)).toBe((expected * 10n ** 1100n) >> 1074n);
      expect(compareExact(exact(a), exact(b))).toBe(a < b ? -1 : a > b ? 1 : 0);
      expect(minus(sum, exact(b))).toEqual(exact(a));
      expect(exactDecimal(exactText(sum))).toEqual(sum);
      expect(doubleOf(exact(a), 'down')).toBe(a);
      expect(doubleOf(exact(a), 'up')).toBe(a);
    }
  });

  test('of text are what it says', () => {
    expect(exactText(exact('0.1'))).toBe('0.1');
    expect(exactText(exact('00012.5000e3'))).toBe('12500');
    expect(exactText(exact('-.5E-3'))).toBe('-0.0005');
    expect(exactText(exact('1e-40'))).toBe('1e-40');
    expect(exactText(exact('1e40'))).toBe('1e40');
    expect(exactText(exact('0e99'))).toBe('0');
    expect(exactText(exact(0.1))).toBe('0.1000000000000000055511151231257827021181583404541015625');
    expect(exactText(exact(5e-324))).toMatch(/^494065645841246544\d+e-1074$/);
    let sum = exact(0);
    for (let i = 0; i < 10; i++) sum = plus(sum, exact('0.1'));
    expect(sum).toEqual(exact(1));
    for (const wrong of [
      '',
      '.',
      'e5',
      '1e',
      '1 ',
      '0x1',
      'NaN',
      '1e9999',
      '1'.repeat(2401),
      Infinity,
      Number.NaN,
    ])
      expect(exactDecimal(wrong), String(wrong)).toBeUndefined();
  });

  test('become the neighbouring doubles', () => {
    for (const [text, down, up] of [
      ['0.1', neighbour(0.1, -1), 0.1],
      ['0.3', 0.3, neighbour(0.3, 1)],
      ['1e-400', 0, 5e-324],
      ['1e400', Number.MAX_VALUE, Infinity],
      ['9007199254740993', 9007199254740992, 9007199254740994],
      ['1.00000000000000011102230246251565404236316680908203125', 1, 1 + 2 ** -52],
    ] as const) {
      expect(doubleOf(exact(text), 'down'), text).toBe(down);
      expect(doubleOf(exact(text), 'up'), text).toBe(up);
    }
    expect(doubleOf(exact('-1e-400'), 'down')).toBe(-5e-324);
    expect(neighbour(5e-324, -1)).toBe(0);
    expect(neighbour(-1, 1)).toBe(-1 + 2 ** -53);
  });

  test('have square roots from below', () => {
    const list = [...doubles(2, 200), 1e-160, 1e-162];
    for (const x of list) {
      expect(rootDown(times(exact(x), exact(x)))).toBe(x);
      const y = rootDown(exact(x));
      expect(compareExact(times(exact(y), exact(y)), exact(x))).toBeLessThanOrEqual(0);
      const next = neighbour(y, 1);
      expect(compareExact(times(exact(next), exact(next)), exact(x))).toBe(1);
    }
    expect(rootDown(exact(0))).toBe(0);
    expect(rootDown(exact(-1))).toBe(0);
  });
});
