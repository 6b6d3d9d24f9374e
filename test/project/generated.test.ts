/** What a script writes is as that script would write it now. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { constantPool, POOL } from '../../scripts/lib/constant-pool.mjs';

it('assembly/pool.ts holds the constants that the two-lane code loads: npm run make:pool', () => {
  expect(readFileSync(POOL, 'utf8')).toBe(constantPool());
});
