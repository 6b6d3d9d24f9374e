import { expect, test } from 'vitest';
import { brokenLaws } from '../helpers/laws.js';
import { seeded } from '../helpers/random.js';
import { ALL_KINDS, randomMechanism } from '../helpers/random-mechanisms.js';

const COUNT = 500;

/** Each of its own seed, so that one can be asked again alone. */
test.each(Array.from({ length: COUNT }, (_, i) => i))('no law is broken by mechanism %i', (i) => {
  const one = randomMechanism(seeded(7000 + i), ALL_KINDS);
  expect(brokenLaws(one, 1), JSON.stringify(one.json)).toEqual([]);
});
