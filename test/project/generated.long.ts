/** The coefficients that mpmath fits are those in src/kernel/, to the bit. Needs python3 with mpmath, as the goldens do. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

it.each([
  ['src/kernel/mills-table.ts', ['scripts/fit-mills.py']],
  ['src/kernel/erfcx-table.ts', ['scripts/fit-polynomials.py', 'erfcx']],
])('%s', (path, args) => {
  const { status, stdout, stderr } = spawnSync('python3', [...args, '--stdout'], { encoding: 'utf8' });
  expect(status, stderr).toBe(0);
  expect(stdout).toBe(readFileSync(path, 'utf8'));
});

it('src/kernel/constants.ts: the fit of log', () => {
  const { status, stdout, stderr } = spawnSync('python3', ['scripts/fit-polynomials.py', 'constants'], {
    encoding: 'utf8',
  });
  expect(status, stderr).toBe(0);
  const text = readFileSync('src/kernel/constants.ts', 'utf8');
  const fitted = stdout.split('\n').filter((line) => line.startsWith('export const'));
  expect(fitted.length).toBeGreaterThan(3);
  expect(fitted.filter((line) => !text.includes(line))).toEqual([]);
});
