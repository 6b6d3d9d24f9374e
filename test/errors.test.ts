/** What numbers may be is said once, in words; the test of it is read from the words. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  InputRangeError,
  isPlain,
  requireNumber,
  saidBy,
  UnreadableInput,
  UnwritableOutput,
  wrongType,
} from '../src/errors.js';
import * as module from '../src/version.js';

const above = (x: number): number => x + Math.max(Number.MIN_VALUE, Math.abs(x) * 2 ** -52);
const below = (x: number): number => -above(-x);

describe('the words for numbers, each with numbers that pass and numbers that do not', () => {
  it.each([
    ['a number in [0, 1]', [0, 1, 0.5, -0], [below(0), above(1), -1, Infinity]],
    ['a number in (0, 1)', [Number.MIN_VALUE, below(1)], [0, 1, -0, 2]],
    ['numbers in [0, 1)', [0, below(1)], [1, below(0)]],
    ['a number in (1, 1e6]', [above(1), 1e6], [1, above(1e6)]],
    ['a number in (-1, 100]', [below(0), 100], [-1, above(100)]],
    ['a number in [1e-300, 1)', [1e-300], [below(1e-300), 0]],
    ['0 or a number from 1e-9 to 1e9', [0, 1e-9, 1e9], [below(1e-9), above(1e9), 1e-10]],
    ['0 or a number in [1e-12, 1e6]', [0, 1e-12, 1e6], [above(0), above(1e6)]],
    ['a number from 0.5 to 1 - 1e-15', [0.5, 1 - 1e-15], [below(0.5), above(1 - 1e-15)]],
    ['a whole number from 1 to 17', [1, 17], [0, 18, 1.5]],
    ['a whole number from 0 to 2^53 - 1', [0, 2 ** 53 - 1], [-1, 2 ** 53, 0.5]],
    ['a whole number >= 1', [1, 2 ** 53 - 1], [0, 2 ** 53, Infinity]],
    ['a finite number', [-1e308, 0, 1e308], [Infinity, -Infinity]],
    ['a finite number >= 0', [0, 1e308], [Infinity, below(0)]],
    ['a number >= 0', [0, Infinity], [below(0)]],
    ['a number > 0', [Number.MIN_VALUE, Infinity], [0]],
    ['a number <= 0', [0, -Infinity], [above(0)]],
    ['a number', [-Infinity, 3, Infinity], []],
    ['a number in (0.5, 1), above the baseline', [above(0.5)], [0.5, 1]],
    ['a number in (0, 0.9]: below what a test has', [0.9], [0, above(0.9)]],
    ['a number >= 1e-6, or Infinity', [1e-6, Infinity], [below(1e-6)]],
    ['a whole number from 1 to 9, a, b (or c)', [9], [10, 1.5]],
  ])('%s', (words, yes, no) => {
    const holds = saidBy(words);
    for (const x of yes) expect(holds(x), `${x}`).toBe(true);
    for (const x of no) {
      expect(holds(x), `${x}`).toBe(false);
      expect(() => requireNumber('x', x, words)).toThrow(
        new InputRangeError(`"x" must be ${words}, got ${x}`),
      );
    }
    expect(() => requireNumber('x', Number.NaN, words)).toThrow(`"x" must be ${words}, got NaN`);
  });

  it('words that say no such thing are refused', () => {
    for (const words of ['a power of two', 'at most 100 %', 'a number above 1', 'a positive number'])
      expect(() => saidBy(words)).toThrow(`no test is said by "${words}"`);
  });
});

it('all words that stand in the sources without a test of their own say one', () => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) =>
    /\.tsx?$/.test(file),
  );
  const words = files.flatMap((file) => {
    const text = readFileSync(join('src', file), 'utf8');
    const calls = text.matchAll(
      /\b(?:requireNumber|args\.numbers?)\([^;]*?(['`])((?:0 or |\$\{[^}]*\})*(?:a |numbers )[^'`]*)\1,?\s*\)/g,
    );
    // in options and fields, which say it once
    const stated = text.matchAll(
      /(['`])(a (?:whole )?number (?:in [[(][^'`\])]*[\])]|>=? [^'`, ]+|from \S+ to [^'`, ]+))\1/g,
    );
    return [...calls, ...stated].map(([, , said]) =>
      said.replace(/\$\{[^}]*\? '([^']*)'[^}]*\}/g, '$1').replace(/\$\{[^}]*\}/g, '3'),
    );
  });
  expect(words.length).toBeGreaterThan(80);
  for (const said of new Set(words)) expect(() => saidBy(said), said).not.toThrow();
});

it('objects whose fields are what they say, and others by what they are', () => {
  class Settings {
    readonly rate = 0.1;
  }
  for (const plain of [{}, Object.create(null), new Settings(), module]) {
    expect(isPlain(plain)).toBe(true);
    expect(wrongType('x', 'a number', plain).message).toBe('"x" must be a number, got an object');
  }
  const others = [
    [new Map(), 'Map'],
    [new Date(0), 'Date'],
    [{ [Symbol.toStringTag]: 'X\n' }, 'X\\n'],
  ] as const;
  for (const [other, said] of others) {
    expect(isPlain(other)).toBe(false);
    expect(wrongType('x', 'an object', other).message).toBe(
      `"x" must be an object, got an object of ${said}`,
    );
  }
  for (const value of [null, undefined, 1, 'a', [], () => 1]) expect(isPlain(value)).toBe(false);
});

it('errors of files have names of their own', () => {
  expect([new UnreadableInput('x').name, new UnwritableOutput('x').name]).toEqual([
    'UnreadableInput',
    'UnwritableOutput',
  ]);
});
