import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { runApart } from '../../src/cli/apart.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'gdp-interrupt-'));
afterAll(() => rmSync(folder, { recursive: true }));

interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
}

function started(...args: string[]): { child: ChildProcess; said: () => Ended; ended: Promise<Ended> } {
  const child = spawn(process.execPath, [join(root, 'dist/cli.js'), ...args], { cwd: root });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (text) => {
    stdout += text;
  });
  child.stderr.on('data', (text) => {
    stderr += text;
  });
  child.stdin.on('error', () => {});
  const said = () => ({ code: child.exitCode, signal: child.signalCode, stdout, stderr });
  return { child, said, ended: new Promise((resolve) => child.on('close', () => resolve(said()))) };
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 10));
}

const INTERRUPTED = { code: 130, signal: null, stdout: '', stderr: 'gdp: interrupted\n' };
/** Minutes of grids of 2²⁰ points. */
const SLOW = JSON.stringify({
  kind: 'compose',
  parts: Array.from({ length: 400 }, (_, i) => ({
    kind: 'repeat',
    count: 10 + i,
    inner: {
      kind: 'poisson-subsampled',
      rate: 0.001 + i * 1e-5,
      inner: { kind: 'gaussian', noiseMultiplier: 0.7 + i / 500 },
    },
  })),
});

describe('an interrupt ends with 130, one line and no output', () => {
  it('while a verb computes', async () => {
    const file = join(folder, 'slow.json');
    writeFileSync(file, SLOW);
    const out = join(folder, 'out');
    // a delta that is too large for the data set is remarked upon before the work begins
    const words = ['--method', 'grid', '--tolerance', '1e-9', '--delta', '0.5', '--dataset-size', '2'];
    const { child, said, ended } = started('epsilon', file, ...words);
    await until(() => said().stderr.includes('not below 1/n'));
    child.kill('SIGINT');
    const { stderr, ...rest } = await ended;
    expect(rest).toEqual({ code: 130, signal: null, stdout: '' });
    expect(stderr).toMatch(/^gdp: Delta [^\n]+\ngdp: interrupted\n$/);
    expect(existsSync(out)).toBe(false);
  });

  it.each(['report', 'mu'])('while gdp %s reads', async (verb) => {
    const out = verb === 'report' ? ['--out', join(folder, 'r.html')] : [];
    const { child, ended } = started(verb, '-', ...out);
    // more than a pipe holds: once it is taken, the command reads
    child.stdin!.write(' '.repeat(2 ** 20));
    await new Promise((resolve) => child.stdin!.once('drain', resolve));
    child.kill('SIGINT');
    expect(await ended).toEqual(INTERRUPTED);
    expect(readdirSync(folder).filter((name) => name.includes('r.html'))).toEqual([]);
  });

  it('while gdp serve waits', async () => {
    const { child, said, ended } = started('serve', '--stdio', '--workers', '1');
    child.stdin!.write('{"jsonrpc": "2.0", "id": 1, "method": "nothing"}\n');
    await until(() => said().stdout.includes('"id":1'));
    child.kill('SIGINT');
    expect(await ended).toMatchObject({ code: 130, signal: null, stderr: 'gdp: interrupted\n' });
  });

  it('while gdp sweep writes: the rows there are whole, and the same command goes on', async () => {
    const [grid, out] = [join(folder, 'grid.json'), join(folder, 'table.csv')];
    const noiseMultiplier = { from: 1, to: 9, count: 100_000, scale: 'log' };
    writeFileSync(grid, JSON.stringify({ over: { noiseMultiplier, samplingRate: [0.01], steps: [100] } }));
    const { child, ended } = started('sweep', grid, '--out', out, '--workers', '1');
    await until(() => existsSync(out) && readFileSync(out, 'utf8').split('\n').length > 3);
    child.kill('SIGINT');
    expect(await ended).toEqual({
      ...INTERRUPTED,
      stderr: 'gdp: interrupted; the same command continues the sweep\n',
    });
    const lines = readFileSync(out, 'utf8').split('\n');
    expect(lines.at(-1)).toBe('');
    expect(new Set(lines.slice(0, -1).map((line) => line.split(',').length)).size).toBe(1);
  });

  it('while a file is written: what there is of it is removed', async () => {
    const path = join(folder, '.half.partial');
    const script = `import { writeFileSync } from 'node:fs';
      import { parentPort } from 'node:worker_threads';
      parentPort.postMessage({ unfinished: ${JSON.stringify(path)}, there: true });
      writeFileSync(${JSON.stringify(path)}, 'half');
      for (;;);`;
    const said: string[] = [];
    const io = {
      write: async (text: string) => void said.push(text),
      note: (message: string) => void said.push(message),
    };
    const url = new URL(`data:text/javascript,${encodeURIComponent(script)}`);
    const code = runApart([], io, { write: () => {} }, url);
    await until(() => existsSync(path));
    process.emit('SIGINT');
    expect(await code).toBe(130);
    expect(said).toEqual(['interrupted']);
    expect(existsSync(path)).toBe(false);
  });
});
