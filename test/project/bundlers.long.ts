import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

test('what bundlers make of the package runs', () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/bundlers.mjs'], {
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  for (const name of ['Rolldown', 'Vite'])
    expect(stdout).toMatch(new RegExp(`\\| ${name} \\| \\d.*\\| yes \\|`));
});
