import { describe, expect, it } from 'vitest';

const unit = { lower: 0, upper: 1 };
const fails = (act: () => void): string => {
  try {
    act();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('it passed');
};

describe('matchers of brackets', () => {
  it('toContainValue: a number or all of a bracket', () => {
    for (const inside of [0, 0.5, 1, { lower: 0.2, upper: 0.3 }, unit]) expect(unit).toContainValue(inside);
    for (const not of [-1e-300, 1 + 2 ** -52, Infinity, { lower: 0.5, upper: 1.5 }, { lower: -1, upper: 2 }])
      expect(unit).not.toContainValue(not);
    expect({ lower: -Infinity, upper: -745 }).toContainValue(-Infinity);
    expect({ lower: 1, upper: Infinity }).toContainValue(Infinity);
    expect(fails(() => expect(unit).toContainValue(2))).toBe('[0, 1] does not contain 2');
    expect(fails(() => expect(unit).not.toContainValue(1))).toBe('[0, 1] contains 1');
  });

  it('toContainValue: a value that is known to a slack', () => {
    expect(unit).toContainValue(1.01, { absolute: 0.011 });
    expect(unit).not.toContainValue(1.01, { absolute: 0.009 });
    expect(unit).toContainValue(-0.01, { absolute: 0.011 });
    expect({ lower: -101, upper: -100 }).toContainValue(-99, { relative: 0.011 });
    expect({ lower: 100, upper: 101 }).not.toContainValue(99, { relative: 0.01 });
  });

  it('toOverlap and toBeNoWiderThan', () => {
    expect(unit).toOverlap({ lower: 1, upper: 2 });
    expect(unit).not.toOverlap({ lower: 1.1, upper: 2 });
    expect(unit).not.toOverlap({ lower: -2, upper: -1e-9 });
    expect(unit).toBeNoWiderThan(1);
    expect(unit).not.toBeNoWiderThan(0.999);
    expect({ lower: -Infinity, upper: -Infinity }).toBeNoWiderThan(0);
    expect({ lower: -Infinity, upper: 0 }).not.toBeNoWiderThan(1e300);
  });

  it('what is no bracket passes neither a matcher nor its negation', () => {
    for (const none of [
      { lower: 1, upper: 0 },
      { lower: Number.NaN, upper: 1 },
      { lower: 0 },
      undefined,
      0,
    ]) {
      for (const [received, other] of [
        [none, unit],
        [unit, none],
      ] as const) {
        if (typeof other === 'number' || typeof received === 'number') continue;
        expect(fails(() => expect(received).toOverlap(other as never))).toContain('expected a bracket');
        expect(fails(() => expect(received).not.toOverlap(other as never))).toContain('expected a bracket');
        expect(fails(() => expect(received).not.toContainValue(other as never))).toContain('expected a br');
      }
      expect(fails(() => expect(none).not.toBeNoWiderThan(1))).toContain('expected a bracket');
    }
    expect(fails(() => expect(unit).not.toContainValue(Number.NaN))).toContain('expected a bracket');
  });
});
