import { expect, test } from 'vitest';
import { account, select } from '../../src/index.js';
import { seeded } from '../helpers/random.js';
import { wasm } from '../helpers/runs.js';
import { randomBase, randomTries, slackOf } from '../helpers/selection.js';

test('1000 random settings: lower ends below upper ends, both growing with the number of tries', () => {
  const random = seeded(10);
  for (let i = 0; i < 1000; i++) {
    const [inner, more] = [randomBase(random), randomTries(random)];
    const delta = 10 ** (-1 - 8 * random());
    const ends = [1, 2, 6].map((scale) => {
      const runs = more(scale);
      return account(wasm, select({ runs, inner }), { adjacency: 'add-remove' }).epsilon(delta);
    });
    for (const [k, { lower, upper }] of ends.entries()) {
      expect(lower).toBeLessThanOrEqual(upper);
      if (k === 0) continue;
      expect(upper, JSON.stringify([inner, more(1), delta])).toBeGreaterThanOrEqual(
        ends[k - 1].upper * (1 - 1e-7),
      );
      expect(lower, JSON.stringify([inner, more(1), delta])).toBeGreaterThanOrEqual(
        ends[k - 1].lower * (1 - slackOf(more(1))),
      );
    }
  }
});
