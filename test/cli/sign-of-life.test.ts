import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { signOfLife } from '../../src/cli/sign-of-life.js';

/** What is written while this thread is as busy as a computation is, until `enough` is there. */
function whileBusy(
  after: number,
  enough: (text: string) => boolean,
  longest: number,
  terminal = true,
): string {
  const folder = mkdtempSync(join(tmpdir(), 'gdp-sign-'));
  const path = join(folder, 'terminal');
  const fd = openSync(path, 'w');
  const end = signOfLife(fd, { terminal, after });
  const until = Date.now() + longest;
  const nap = new Int32Array(new SharedArrayBuffer(4));
  while (Date.now() < until && !enough(readFileSync(path, 'utf8'))) Atomics.wait(nap, 0, 0, 5);
  end();
  // nothing comes after the end
  const text = readFileSync(path, 'utf8');
  Atomics.wait(nap, 0, 0, 1200);
  expect(readFileSync(path, 'utf8')).toBe(text);
  closeSync(fd);
  rmSync(folder, { recursive: true });
  return text;
}

test('long work says so while the main thread has no time, and the line is wiped away', () => {
  const text = whileBusy(10, (written) => written.includes('still working'), 600_000);
  expect(text.replaceAll('\r\u001b[K', '|')).toMatch(/^(\|gdp: still working, \d+ s)+\|$/);
});

test('a log gets whole lines', () => {
  const text = whileBusy(10, (written) => written.includes('still working'), 600_000, false);
  expect(text).toMatch(/^(gdp: still working, \d+ s\n)+$/);
});

test('short work says nothing', () => {
  expect(whileBusy(60_000, () => true, 0)).toBe('');
});
