import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { createContext, runInContext } from 'node:vm';
import { expect, it } from 'vitest';
import { gdp } from '../cli/harness.js';

const RUN = { 'noise-multiplier': 1.1, 'sampling-rate': 0.01, steps: 1000 };
const FLAGS = Object.entries(RUN).flatMap(([name, value]) => [`--${name}`, String(value)]);
const line = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'epsilon', params: RUN });
const EXAMPLES = {
  c: 'c/example.c',
  go: 'go/example/main.go',
  rust: 'rust/examples/epsilon.rs',
  java: 'java/src/main/java/org/gdpkernel/Example.java',
};
const page = readFileSync('docs/hosts.md', 'utf8');

/** The block of the page in a language. */
function block(language: string): string {
  return new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(page)![1]!;
}

async function epsilon(): Promise<{ lower: number; upper: number }> {
  const { stdout } = await gdp(['epsilon', '--json', ...FLAGS]);
  return JSON.parse(stdout).epsilon;
}

/** What a door answers, asked twice. */
function answered(command: string, ...args: string[]): unknown {
  const { status, stdout, stderr } = spawnSync(command, args, {
    encoding: 'utf8',
    input: `${line}\n${line}\n`,
  });
  expect(stderr).toBe('');
  expect(status).toBe(0);
  const [first, second] = stdout.trimEnd().split('\n');
  expect(second).toBe(first);
  return JSON.parse(first!).result.answer.epsilon;
}

/** Whether a file is there and no older than the script that it was made of. */
function isFresh(path: string): boolean {
  return existsSync(path) && statSync(path).mtimeMs >= statSync('dist/embed.js').mtimeMs;
}

// npm run test:doors builds them and asks every question
it('libgdp, where it is built, answers in the bits of gdp', async ({ skip }) => {
  if (!isFresh('build/native/libgdp.so')) return skip('npm run native makes libgdp of this dist/embed.js');
  expect(answered('python3', 'test/doors/door.py', 'native')).toEqual(await epsilon());
});

it('gdp.wasm, where it is built, imports nothing and answers in the bits of gdp', async ({ skip }) => {
  if (!isFresh('dist/gdp.wasm')) return skip('npm run wasm makes gdp.wasm of this dist/embed.js');
  const module = new WebAssembly.Module(readFileSync('dist/gdp.wasm'));
  expect(WebAssembly.Module.imports(module)).toEqual([]);
  expect(answered(process.execPath, 'test/doors/module.mjs')).toEqual(await epsilon());
});

// npm run test:doors builds and runs them
it.each(Object.entries(EXAMPLES))('docs/hosts.md shows the example of hosts/%s', (language, path) => {
  expect(block(language)).toBe(readFileSync(`hosts/${path}`, 'utf8'));
});

it.each(Object.keys(EXAMPLES))('hosts/%s/README.md says what gdp answers', async (folder) => {
  const { lower, upper } = await epsilon();
  const said = readFileSync(`hosts/${folder}/README.md`, 'utf8').match(/\d\.\d{12,}/g)!;
  expect(said.map(Number)).toEqual([lower, upper]);
});

it('the lines of docs/hosts.md for a worker answer as gdp does', async () => {
  const said: unknown[] = [];
  const context = createContext({ WebAssembly, console: { log: (text: unknown) => said.push(text) } });
  context.importScripts = () => runInContext(readFileSync('dist/embed.js', 'utf8'), context);
  await runInContext(`(async () => {${block('js')}})()`, context);
  expect(said).toEqual([await epsilon()]);
});
