import { expect, test } from 'vitest';
import { seeded } from '../helpers/random.js';
import { RANDOM_MECHANISMS, worstCrossing } from '../helpers/random-laws.js';

test.each(Object.keys(RANDOM_MECHANISMS) as (keyof typeof RANDOM_MECHANISMS)[])(
  '300 random discretisations: %s',
  (kind) => {
    const random = seeded(7);
    for (let k = 0; k < 300; k++) {
      const { by, what } = worstCrossing(kind, random);
      expect(by, what).toBeLessThan(2e-15);
    }
  },
);
