/** Searches over DP-SGD; more noises are in search-grid.long.ts. */
import { expect, test } from 'vitest';
import { account, compose, repeat, select } from '../../src/index.js';
import { LONG_TESTS } from '../helpers/long.js';
import { wasm } from '../helpers/runs.js';
import { DELTA, describeSearches, geometric, inner } from '../helpers/searches.js';

describeSearches(1, 4, 10);

test.each(LONG_TESTS ? [1, 3] : [3])(
  'two searches at noise %d, and one beside a run, are finite and narrow',
  (sigma) => {
    const one = select({ runs: geometric, inner: inner(sigma) });
    const single = account(wasm, one, { adjacency: 'add-remove' }).epsilon(DELTA);
    const halves = account(wasm, one, { adjacency: 'add-remove' }).epsilon(DELTA / 2);
    for (const two of [repeat(one, 2), compose([one, inner(sigma)])]) {
      const { lower, upper } = account(wasm, two, { adjacency: 'add-remove' }).epsilon(DELTA);
      expect(lower).toBeGreaterThan(single.lower);
      expect(upper).toBeLessThan(2 * halves.upper);
      expect(upper / lower).toBeLessThan(1.2);
    }
  },
);
