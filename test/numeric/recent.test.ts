import { expect, it } from 'vitest';
import { Recent } from '../../src/numeric/recent.js';
import { seeded } from '../helpers/random.js';

it('makes a value once while it is remembered, and forgets what was not asked for the longest', () => {
  const recent = new Recent<number, { key: number }>(3);
  const made: number[] = [];
  const ask = (key: number) => {
    const value = recent.of(key, () => {
      made.push(key);
      return { key };
    });
    expect(value.key).toBe(key);
    return value;
  };
  const first = ask(1);
  for (const key of [2, 3, 1, 4, 1]) ask(key);
  expect(ask(1)).toBe(first);
  expect(made).toEqual([1, 2, 3, 4]);
  ask(2);
  expect(made).toEqual([1, 2, 3, 4, 2]);
});

it('is a list of the last different keys, however it is asked', () => {
  const random = seeded(5);
  const recent = new Recent<number, object>(4);
  let last: number[] = [];
  for (let i = 0; i < 2000; i++) {
    const key = Math.floor(8 * random());
    let missed = false;
    recent.of(key, () => {
      missed = true;
      return {};
    });
    expect(missed).toBe(!last.includes(key));
    last = [key, ...last.filter((other) => other !== key)].slice(0, 4);
  }
});

it('remembers nothing where making fails', () => {
  const recent = new Recent<string, object>(2);
  const fails = () => {
    throw new Error('no');
  };
  expect(() => recent.of('a', fails)).toThrow('no');
  const value = {};
  expect(recent.of('a', () => value)).toBe(value);
});
