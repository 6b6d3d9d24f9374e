import { expect, test } from 'vitest';
import { seeded } from '../helpers/random.js';
import { isTable, ON_LATTICES, worstCrossing } from '../helpers/random-laws.js';

test.each(ON_LATTICES)('hundreds of random discretisations: %s', (kind) => {
  const random = seeded(7);
  for (let k = 0; k < (isTable(kind) ? 100 : 300); k++) {
    const { by, what } = worstCrossing(kind, random);
    expect(by, what).toBeLessThan(2e-15);
  }
});
