import { describe, expect, it } from 'vitest';
import { judged, summary } from '../../scripts/lib/compare-answers.mjs';
import { FAMILIES, population } from '../../scripts/lib/compare-families.mjs';
import * as library from '../../src/index.js';

describe('what two builds say of one question', () => {
  const old = { lower: 1, upper: 1 + 1e-8 };

  it('is apart where no number is in both brackets, by however little', () => {
    expect(judged(old, { lower: 1 + 2e-8, upper: 1.5 }).apart).toBe(true);
    expect(judged(old, { lower: 0.5, upper: 1 - 1e-16 }).apart).toBe(true);
    expect(judged(old, { lower: old.upper, upper: 1.5 }).apart).toBe(false);
    expect(judged(old, { lower: NaN, upper: NaN }).apart).toBe(true);
    expect(judged(old, { error: 'RangeError: no' }).apart).toBe(true);
    expect(judged({ error: 'a' }, { error: 'a' }).apart).toBe(false);
  });

  it('is lost where it is wider than promised, and than it was', () => {
    expect(judged(old, { lower: 1, upper: 1 + 1.1e-6 }).lost).toBe(true);
    expect(judged(old, { lower: 1, upper: 1 + 0.9e-6 }).lost).toBe(false);
    expect(judged({ lower: 1, upper: 2 }, { lower: 1, upper: 2 }).lost).toBe(false);
    expect(judged({ lower: 1, upper: 2 }, { lower: 1, upper: 3 }).lost).toBe(true);
    expect(judged(old, { lower: 1, upper: Infinity }).lost).toBe(true);
    expect(judged(old, { lower: 1, upper: 1.001 }, 1e-2).lost).toBe(false);
  });

  it('is told a family a line', () => {
    const lost = judged(old, { lower: 1, upper: 1.5 });
    const table = summary([{ family: 'real', cpu: [2, 3], answers: [lost] }]);
    expect(table.split('\n').at(-1)).toContain('| all | 1 | 1 | 0 | 0 → 1 | 1 |');
    expect(table).toContain('| 0.33 | 0.0 → 0.0 | 1.50 |');
  });
});

describe('the population that builds are compared on', () => {
  const cases = population(1);

  it('has ten thousand runs, and some of every family in every two hundred', () => {
    expect(cases.length).toBeGreaterThanOrEqual(10_000);
    for (const from of [0, 5000])
      expect(new Set(cases.slice(from, from + 200).map(({ family }) => family))).toEqual(
        new Set(Object.keys(FAMILIES)),
      );
  });

  it('is the same whatever is asked of it, and another for another seed', () => {
    const texts = (seed: number, only?: string): string[] =>
      population(seed, only).map((one) => JSON.stringify(one));
    const few = texts(1, 'few');
    expect(few).toEqual(texts(1).filter((text) => text.includes('"family":"few"')));
    expect(few).not.toEqual(texts(2, 'few'));
  });

  it('is of mechanisms that can be accounted for', () => {
    for (const { make } of cases) expect(() => library.parseMechanism(make(library))).not.toThrow();
  });
});
