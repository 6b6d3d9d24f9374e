import { expect, test } from 'vitest';
import { brokenLaws } from '../helpers/laws.js';
import { seeded } from '../helpers/random.js';
import { ALL_KINDS, randomMechanism } from '../helpers/random-mechanisms.js';

test.each(Array.from({ length: 40 }, (_, i) => i))('no law is broken by mechanism %i', (i) => {
  const one = randomMechanism(seeded(7000 + i), ALL_KINDS);
  expect(brokenLaws(one, 0.02), JSON.stringify(one.json)).toEqual([]);
});
