import { expect, it } from 'vitest';
import { LruCache } from '../../src/numeric/lru-cache.js';
import { seeded } from '../helpers/random.js';

it.each([2, 5, 8])('holds the last %i / 2 different keys, and no more than that many in all', (most) => {
  const random = seeded(5);
  const recent = new LruCache<number, number>(most);
  let last: number[] = [];
  for (let i = 0; i < 2000; i++) {
    const key = Math.floor(2 * most * random());
    let missed = false;
    const value = recent.of(key, (of) => {
      missed = true;
      return 2 * of;
    });
    expect(value).toBe(2 * key);
    const age = last.indexOf(key);
    if (age >= 0 && age < Math.floor(most / 2)) expect(missed).toBe(false);
    if (age < 0 || age >= most) expect(missed).toBe(true);
    last = [key, ...last.filter((other) => other !== key)];
  }
});

it('remembers that there is no value', () => {
  const recent = new LruCache<string, number | undefined>(4);
  let made = 0;
  const make = (): undefined => {
    made++;
  };
  for (let i = 0; i < 3; i++) expect(recent.of('a', make)).toBeUndefined();
  expect(made).toBe(1);
});

it('remembers nothing where making fails', () => {
  const recent = new LruCache<string, object>(2);
  const fails = () => {
    throw new Error('no');
  };
  expect(() => recent.of('a', fails)).toThrow('no');
  const value = {};
  expect(recent.of('a', () => value)).toBe(value);
});
