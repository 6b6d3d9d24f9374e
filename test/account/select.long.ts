import { test } from 'vitest';
import { seeded } from '../helpers/random.js';
import { expectGrowing, randomBase, randomTries } from '../helpers/selection.js';

test('1000 random settings: lower ends below upper ends, both growing with the number of tries', () => {
  const random = seeded(10);
  for (let i = 0; i < 1000; i++) {
    const [inner, tries] = [randomBase(random), randomTries(random)];
    expectGrowing(inner, tries, [1, 2, 6], 10 ** (-1 - 8 * random()));
  }
});
