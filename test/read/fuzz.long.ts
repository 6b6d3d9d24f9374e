import { expect, it } from 'vitest';
import { LONG } from '../helpers/cpu.js';
import { fuzz } from './fuzz.js';

it('200,000 mutated inputs: read or refused in a sentence, none a long computation', () => {
  const { read, refused, failures, slowest } = fuzz(200_000, 2);
  expect(failures.slice(0, 5)).toEqual([]);
  expect(read + refused).toBe(200_000);
  expect(slowest).toBeLessThan(LONG);
});
