import { describe, expect, test } from 'vitest';
import { seeded } from '../helpers/random.js';
import { RANDOM_MECHANISMS, worstCrossing } from '../helpers/random-laws.js';

/** Rounding of the sums and exponentials of the check itself. */
const ROUNDING = 2e-15;

/** Losses of balls-and-bins epochs are known by their transform alone: contours answer for them, no lattice. */
const ON_LATTICES = (Object.keys(RANDOM_MECHANISMS) as (keyof typeof RANDOM_MECHANISMS)[]).filter(
  (kind) => kind !== 'balls-and-bins',
);

describe.each(ON_LATTICES)('%s', (kind) => {
  test('discretisations enclose δ: both directions and without replacement, any mesh, tail and rate', () => {
    const random = seeded(20240707);
    const runs = ['zcdp', 'rdp', 'tcdp', 'mcdp'].includes(kind) ? 4 : 16;
    for (let k = 0; k < runs; k++) {
      const { by, what } = worstCrossing(kind, random);
      expect(by, what).toBeLessThan(ROUNDING);
    }
  });
});
