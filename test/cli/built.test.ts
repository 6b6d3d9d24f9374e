import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { VERSION } from '../../src/version.js';
import { CIFAR, gdp } from './harness.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const cli = join(root, 'dist/cli.js');
const folder = mkdtempSync(join(tmpdir(), 'gdp-cli-'));
afterAll(() => rmSync(folder, { recursive: true }));

const spawned = (args: string[], input = '') =>
  spawnSync(process.execPath, [cli, ...args], { cwd: root, input, encoding: 'utf8' });

describe('the built command', () => {
  it('answers as the sources do', async () => {
    const { status, stdout, stderr } = spawned(['report', CIFAR, '--json']);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toBe((await gdp(['report', CIFAR, '--json'])).stdout);
    expect(spawned(['--version']).stdout).toBe(`${VERSION}\n`);
  });

  it('reads standard input and exits with 2 on a bad one', () => {
    expect(spawned(['epsilon', '-'], '{"history": [[1, 0, 5]]}')).toMatchObject({
      status: 0,
      stdout: 'epsilon(1e-5)           0\n',
    });
    expect(spawned(['epsilon', '-'], 'x')).toMatchObject({
      status: 2,
      stdout: '',
      stderr: 'gdp: standard input: it is not valid JSON: it starts with "x"\n',
    });
  });

  it('refuses a gigabyte of nonsense at once', () => {
    const path = join(folder, 'huge.json');
    writeFileSync(path, '');
    truncateSync(path, 2 ** 30);
    const { status, stderr } = spawned(['report', path]);
    expect(stderr).toMatch(
      /^gdp: [^\n]+huge\.json: it is larger than 64 MiB and no zip archive: neither [^\n]+\n$/,
    );
    expect(status).toBe(2);
  });

  it('stops reading a standard input that does not end', async () => {
    const child = spawn(process.execPath, [cli, 'report', '-'], { cwd: root });
    const chunk = Buffer.alloc(2 ** 20, 'x');
    child.stdin.on('error', () => {});
    const feed = () => {
      while (child.stdin.writable && child.stdin.write(chunk));
    };
    child.stdin.on('drain', feed);
    feed();
    let stderr = '';
    child.stderr.on('data', (text) => {
      stderr += text;
    });
    const code = await new Promise((resolve) => child.on('close', resolve));
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: 'gdp: standard input: it is larger than 64 MiB, too large for what a run leaves behind\n',
    });
  });

  it('ends quietly when its reader does', () => {
    const run = '--noise-multiplier 0.9 --sampling-rate 1 --steps 1';
    const script = `"${process.execPath}" "${cli}" report ${run} | head -1; echo "\${PIPESTATUS[0]}"`;
    const { stdout, stderr } = spawnSync('bash', ['-c', script], { cwd: root, encoding: 'utf8' });
    expect(stderr).toBe('');
    expect(stdout).toMatch(/^Privacy report: .+\n0\n$/);
  });
});
