import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

test('the site is made without a dead link and fetches nothing', () => {
  const { status, stdout } = spawnSync(process.execPath, ['scripts/site.mjs'], { encoding: 'utf8' });
  expect(stdout).toMatch(/ \d{3} pages, 0 links lead nowhere/);
  expect(status).toBe(0);
});
