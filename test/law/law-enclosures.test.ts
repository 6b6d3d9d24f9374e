import { describe, expect, test } from 'vitest';
import { seeded } from '../helpers/random.js';
import { isTable, ON_LATTICES, worstCrossing } from '../helpers/random-laws.js';

/** Rounding of the sums and exponentials of the check itself. */
const ROUNDING = 2e-15;

describe.each(ON_LATTICES)('%s', (kind) => {
  test('discretisations enclose δ: both directions and without replacement, any mesh, tail and rate', () => {
    const random = seeded(20240707);
    const runs = isTable(kind) ? 4 : 16;
    for (let k = 0; k < runs; k++) {
      const { by, what } = worstCrossing(kind, random);
      expect(by, what).toBeLessThan(ROUNDING);
    }
  });
});
