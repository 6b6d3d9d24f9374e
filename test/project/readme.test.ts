import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { gdp } from '../cli/harness.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const path = `${root}/README.md`;
const text = readFileSync(path, 'utf8');
/** GDP_UPDATE_README=1 writes what the commands print into the README instead of comparing. */
const update = process.env['GDP_UPDATE_README'] === '1';

const CONSOLE = /```console\n\$ gdp (.+)\n([\s\S]*?)```/g;

/** Code that imports the package by its own name, run from the project's root against dist/. */
function runModule(code: string): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, ['--input-type=module', '-'], {
    cwd: root,
    input: code,
    encoding: 'utf8',
  });
}

describe('README', () => {
  it('shows what the commands print', async () => {
    const blocks = [...text.matchAll(CONSOLE)];
    expect(blocks.length).toBeGreaterThan(4);
    let updated = text;
    for (const [block, args, shown] of blocks) {
      const { code, stdout } = await gdp(args!.split(' '));
      expect(code).toBe(0);
      if (update) updated = updated.replace(block, () => `\`\`\`console\n$ gdp ${args}\n${stdout}\`\`\``);
      else expect(shown).toBe(stdout);
    }
    if (update) writeFileSync(path, updated);
  });

  it('has examples that run', () => {
    const blocks = [...text.matchAll(/```js\n([\s\S]*?)```/g)];
    expect(blocks.length).toBeGreaterThan(0);
    for (const [, code] of blocks) expect(runModule(code!)).toMatchObject({ status: 0, stderr: '' });
  });

  it('names only scripts that exist', () => {
    const { scripts } = JSON.parse(readFileSync(`${root}/package.json`, 'utf8'));
    for (const [, name] of text.matchAll(/npm run ([a-z:-]+)/g)) expect(scripts).toHaveProperty([name!]);
  });
});

it('examples/library-use.mjs runs', () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['examples/library-use.mjs'], {
    cwd: root,
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout).toMatch(/^epsilon\(1e-5\) <= 7\.4243\d+\nmu <= 1\.5669\d+, for error rates down to 1e-10\n/);
  expect(stdout).toContain('My run\n======\n');
});
