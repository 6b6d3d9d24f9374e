import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { gdp } from '../cli/harness.js';

const RUN = { 'noise-multiplier': 1.1, 'sampling-rate': 0.01, steps: 1000 };
const line = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'epsilon', params: RUN });

/** What a door answers in a process of its own, asked twice. */
function answered(command: string, ...args: string[]): unknown {
  const folder = mkdtempSync(join(tmpdir(), 'gdp-door-'));
  const [corpus, out] = [join(folder, 'corpus'), join(folder, 'out')];
  writeFileSync(corpus, `${line}\n`);
  const { status, stderr } = spawnSync(command, [...args, corpus, out], { encoding: 'utf8' });
  expect(stderr).toBe('');
  expect(status).toBe(0);
  const { answers, reverse } = JSON.parse(readFileSync(out, 'utf8'));
  rmSync(folder, { recursive: true });
  expect(reverse).toEqual(answers);
  return JSON.parse(answers[0]).result.answer;
}

/** Whether a file is there and no older than the script that it was made of. */
function isFresh(path: string): boolean {
  return existsSync(path) && statSync(path).mtimeMs >= statSync('dist/embed.js').mtimeMs;
}

// npm run test:doors builds them and asks every question
it('libgdp, where it is built, answers in the bits of gdp', async ({ skip }) => {
  if (!isFresh('build/native/libgdp.so')) return skip('npm run native makes libgdp of this dist/embed.js');
  const { stdout } = await gdp(['epsilon', '--json', ...flags()]);
  expect(answered('python3', 'test/doors/door.py', 'native')).toEqual(JSON.parse(stdout));
});

it('gdp.wasm, where it is built, imports nothing and answers in the bits of gdp', async ({ skip }) => {
  if (!isFresh('dist/gdp.wasm')) return skip('npm run wasm makes gdp.wasm of this dist/embed.js');
  const module = new WebAssembly.Module(readFileSync('dist/gdp.wasm'));
  expect(WebAssembly.Module.imports(module)).toEqual([]);
  const { stdout } = await gdp(['epsilon', '--json', ...flags()]);
  expect(answered(process.execPath, 'test/doors/module.mjs')).toEqual(JSON.parse(stdout));
});

function flags(): string[] {
  return Object.entries(RUN).flatMap(([name, value]) => [`--${name}`, String(value)]);
}
