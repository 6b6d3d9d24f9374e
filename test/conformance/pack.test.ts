import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, it } from 'vitest';
import { verdict } from '../../conformance/score.mjs';
import { reference, wasm } from '../helpers/runs.js';
import { unsharp, VECTORS } from '../helpers/vectors.js';

it('the pack is what its schema says, with values to 20 digits', () => {
  const schema = JSON.parse(readFileSync('conformance/vector.schema.json', 'utf8'));
  const valid = new Ajv2020({ strict: true, strictRequired: false }).compile(schema);
  expect(VECTORS.length).toBeGreaterThanOrEqual(1400);
  expect(new Set(VECTORS.map(({ id }) => id)).size).toBe(VECTORS.length);
  for (const vector of VECTORS) {
    const { id } = vector;
    if (!valid(vector)) expect([id, valid.errors]).toEqual([]);
    if (vector.value === undefined) continue;
    expect(vector.value.replace(/e.*/, '').replace('.', '').replace(/^0+/, '')).toHaveLength(20);
    expect(Number(vector.error)).toBeLessThanOrEqual(6e-19 * Number(vector.value));
    expect(Number(vector.gap)).toBeLessThanOrEqual(1e-22 * Number(vector.value));
  }
});

it('a score tells what is wrong with an answer', () => {
  const vector = { quantity: 'epsilon', value: '1.2345678901234567890', error: '1e-19' };
  const exact = 1.2345678901234567;
  const scores: [object, string][] = [
    [{ lower: exact * (1 - 1e-9), upper: exact * (1 + 1e-9) }, 'sharp'],
    [{ lower: exact * (1 - 1e-9), upper: exact * (1 + 1e-5) }, 'contained'],
    [{ lower: 0, upper: 'Infinity' }, 'contained'],
    [{ lower: exact, upper: 'Infinity' }, 'contained'],
    [{ value: 'Infinity' }, 'contained'],
    // one step of a double beside it
    [{ lower: exact * (1 + 4e-16), upper: 2 }, 'below'],
    [{ lower: 1, upper: exact * (1 - 4e-16) }, 'below'],
    [{ value: exact * (1 - 1e-8) }, 'below'],
    [{ value: exact * (1 - 1e-10) }, 'sharp'],
    [{ value: 2 }, 'contained'],
    [{ error: 'no theorem' }, 'refused'],
    [{ lower: Number.NaN, upper: 2 }, 'wrong'],
    [{ lower: 1, upper: null }, 'wrong'],
    [{ value: '1' }, 'wrong'],
    [{}, 'wrong'],
  ];
  for (const [answer, wanted] of scores) expect([answer, verdict(vector, answer)]).toEqual([answer, wanted]);
  expect(verdict({ ...vector, quantity: 'beta' }, { value: exact * (1 + 1e-8) })).toBe('below');
  expect(verdict({ ...vector, quantity: 'beta' }, { value: 'Infinity' })).toBe('wrong');
  expect(verdict({ ...vector, value: '1.2345678901234567890e-300' }, { value: 1.3e-300 })).toBe('contained');
  expect(verdict({ quantity: 'delta', expect: 'refused' }, { lower: 0, upper: 1 })).toBe('accepted');
});

it('every tenth vector is answered sharply, by the engines in turn', () => {
  const of = (rest: number) => VECTORS.filter((_, i) => i % 20 === rest);
  expect(unsharp(wasm, of(0))).toEqual([]);
  expect(unsharp(reference, of(10))).toEqual([]);
});
