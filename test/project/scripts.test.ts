import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
const FILES = Object.values(scripts).flatMap(
  (command) => /^node (scripts\/[\w-]+\.mjs)$/.exec(command)?.[1] ?? [],
);

const called = (file: string, flag: string) =>
  spawnSync(process.execPath, [file, flag], { encoding: 'utf8', timeout: 600_000 });

it('every script of the package tells its usage, does nothing else, and refuses flags that it does not name', () => {
  expect(FILES.length).toBeGreaterThan(15);
  for (const file of FILES) {
    const { status, stderr, stdout } = called(file, '--nonsense');
    expect([status, stdout], file).toEqual([2, '']);
    const [refusal, usage] = stderr.split('\n');
    expect(refusal, file).toBe('"--nonsense" is unknown');
    expect(readFileSync(file, 'utf8'), file).toContain(usage);
    expect(stderr.length, file).toBeGreaterThan(70);
  }
  // one place reads both flags
  const help = called(FILES[0], '--help');
  expect([help.status, help.stderr]).toEqual([0, '']);
  expect(readFileSync(FILES[0], 'utf8')).toContain(help.stdout.split('\n')[0]);
});
