import { expect, test } from 'vitest';
import { dividedSgd } from '../../src/index.js';
import { brokenLaws } from '../helpers/laws.js';
import { seeded } from '../helpers/random.js';
import { ALL_KINDS, randomMechanism } from '../helpers/random-mechanisms.js';

const COUNT = 500;

/** Each of its own seed, so that one can be asked again alone. */
test.each(Array.from({ length: COUNT }, (_, i) => i))('no law is broken by mechanism %i', (i) => {
  const one = randomMechanism(seeded(7000 + i), ALL_KINDS);
  expect(brokenLaws(one, 1), JSON.stringify(one.json)).toEqual([]);
});

test('less effort is charged no more where an attack runs out', () => {
  const json = {
    kind: 'divided-sgd',
    noiseMultiplier: 0.5112258829061609,
    samplingRate: 0.004847122739964078,
    steps: 1,
    divisor: 'expected',
    datasetSize: 294,
    parameters: 37404,
  } as const;
  const { kind: _, ...numbers } = json;
  const one = { json, mechanism: dividedSgd(numbers), adjacency: 'add-remove' } as const;
  expect(brokenLaws(one, 1)).toEqual([]);
});
