import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';

test('scripts/bits.mjs compares the built package with itself under another executable of Node', () => {
  const said = execFileSync(process.execPath, ['scripts/bits.mjs', process.execPath], { encoding: 'utf8' });
  const [, same, all] = /: (\d+) of (\d+) the same bits/.exec(said) ?? [];
  expect(same).toBe(all);
  expect(Number(all)).toBeGreaterThan(80);
});
