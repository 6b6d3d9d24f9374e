import { test } from 'vitest';
import { AIMS, expectSolved, UNKNOWNS } from '../helpers/unknown-table.js';

test.each(Object.keys(UNKNOWNS).flatMap((name) => Object.keys(AIMS).map((aim) => [name, aim] as const)))(
  '%s for %s: met at the answer, and no longer one step beyond',
  (name, aim) => {
    expectSolved(name, aim);
  },
);
