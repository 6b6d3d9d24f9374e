import { expect, it } from 'vitest';
import { recognise } from '../../src/read/index.js';
import { LONG } from '../helpers/cpu.js';
import { fuzz, SEEDS } from './fuzz.js';

it('reads every seed', () => {
  for (const seed of SEEDS) expect(recognise(seed).mechanism).toBeDefined();
});

it('2,000 mutated inputs: read or refused in a sentence, none a long computation', () => {
  const { read, refused, failures, slowest } = fuzz(2000, 1);
  expect(failures).toEqual([]);
  expect(read + refused).toBe(2000);
  expect(read).toBeGreaterThan(50);
  expect(refused).toBeGreaterThan(500);
  expect(slowest).toBeLessThan(LONG);
});
