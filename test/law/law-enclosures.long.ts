import { describe, expect, test } from 'vitest';
import { seeded } from '../helpers/random.js';
import { isTable, ON_LATTICES, worstCrossing } from '../helpers/random-laws.js';

/** Discretisations of a kind in a chunk; each chunk has a seed of its own and can be asked alone (`-t "chunk 3 of laplace"`). */
const EACH = 25;

describe.each(ON_LATTICES)('random discretisations of %s', (kind) => {
  const chunks = (isTable(kind) ? 100 : 300) / EACH;
  test.each(Array.from({ length: chunks }, (_, i) => i))(`chunk %d of ${kind}`, (chunk) => {
    const random = seeded(7000 + chunk);
    for (let k = 0; k < EACH; k++) {
      const { by, what } = worstCrossing(kind, random);
      expect(by, what).toBeLessThan(2e-15);
    }
  });
});
