/** Help by task, what is read where nothing is named, and what is meant by a word that is near. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { COMMANDS } from '../../src/cli/commands/index.js';
import { CIFAR, CIFAR_FLAGS, gdp } from './harness.js';

const folder = mkdtempSync(join(tmpdir(), 'gdp-manual-'));
afterAll(() => rmSync(folder, { recursive: true }));
const written = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};
const lines = (text: string): string[] => text.split('\n');

describe('help', () => {
  test('gdp alone lists every command once, under its task', async () => {
    const { code, stdout } = await gdp([]);
    expect(code).toBe(0);
    for (const { name } of COMMANDS)
      expect(
        lines(stdout).filter((line) => line.startsWith(`  gdp ${name} `)),
        name,
      ).toHaveLength(1);
    expect(stdout).toMatch(/^Answer: .*\n {2}gdp report/m);
    expect(stdout).toMatch(/^Plan: .*\n {2}gdp calibrate/m);
  });

  test.each(COMMANDS.map(({ name }) => name))(
    '-h of %s is shorter than --help, which has every option',
    async (name) => {
      const [short, long] = await Promise.all([gdp([name, '-h']), gdp([name, '--help'])]);
      expect(lines(short.stdout).length).toBeLessThan(lines(long.stdout).length);
      const { flags } = COMMANDS.find((each) => each.name === name)!;
      for (const flag of Object.keys({ ...flags, json: 0, help: 0 }))
        expect(
          lines(long.stdout).filter((line) => line.startsWith(`  --${flag} `) || line === `  --${flag}`),
        ).toHaveLength(1);
    },
  );

  test('a value that is near to one is told', async () => {
    const said = async (...words: string[]) => (await gdp(['epsilon', CIFAR, ...words])).stderr;
    expect(await said('--adjacency', 'zero_out')).toContain('did you mean "zero-out"?');
    expect(await said('--method', 'spectra')).toContain('did you mean "spectral"?');
    expect((await gdp(['epsilon', ...CIFAR_FLAGS, '--sampling', 'shufled'])).stderr).toContain(
      'did you mean "shuffled"?',
    );
    expect((await gdp(['convert', '--from', 'zdp:0.5', '--to', 'gdp'])).stderr).toContain(
      'did you mean "zcdp"?',
    );
    expect(await said('--adjacency', 'xyz')).not.toContain('did you mean');
  });
});

describe('standard input', () => {
  const state = readFileSync(CIFAR, 'utf8');

  test('is read where it is a pipe and nothing else says what was run', async () => {
    const piped = await gdp(['epsilon'], state, true);
    expect(piped.stdout).toBe((await gdp(['epsilon', CIFAR])).stdout);
    expect((await gdp(['epsilon', ...CIFAR_FLAGS], 'not JSON', true)).stdout).toBe(piped.stdout);
  });

  test('is not waited for on a terminal', async () => {
    expect(await gdp(['epsilon'], state)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/needs a FILE/),
    });
  });
});

describe('rows of batch', () => {
  const row = { noise_multiplier: 1.1, sample_rate: 0.01, steps: 1000 };

  test('are read by the other commands, one at a time', async () => {
    const whole = await gdp([
      'epsilon',
      '--noise-multiplier',
      '1.1',
      '--sampling-rate',
      '0.01',
      '--steps',
      '1000',
    ]);
    const header = Object.keys(row).join(',');
    const cells = Object.values(row).join(',');
    for (const file of [
      written('row.json', JSON.stringify(row)),
      written('row.csv', `${header}\n${cells}\n`),
      written('id.csv', `id,${header}\nfirst,${cells}\n`),
    ])
      expect((await gdp(['epsilon', file])).stdout).toBe(whole.stdout);
    const two = written('two.csv', `${header}\n${cells}\n${cells}\n`);
    expect((await gdp(['epsilon', two])).stderr).toMatch(/table of 2 runs, one a row: gdp batch/);
  });

  test('that fail are told by the exit code', async () => {
    const rows = written(
      'rows.jsonl',
      `${JSON.stringify(row)}\n{"noise_multiplier": -1, "sample_rate": 0.1, "steps": 3}\n`,
    );
    const failed = await gdp(['batch', rows, '--out', join(folder, 'out.csv'), '--workers', '1']);
    expect(failed).toMatchObject({ code: 1, stdout: expect.stringMatching(/1 could not be answered/) });
    const good = written('good.jsonl', `${JSON.stringify(row)}\n`);
    expect((await gdp(['batch', good, '--out', join(folder, 'good.csv'), '--workers', '1'])).code).toBe(0);
  });
});

test('compare takes several deltas', async () => {
  const one = JSON.parse((await gdp(['compare', CIFAR, '--delta', '1e-6', '--json'])).stdout);
  const both = JSON.parse((await gdp(['compare', CIFAR, '--delta', '1e-5,1e-6', '--json'])).stdout);
  expect(both.results.map(({ at }: { at: number }) => at)).toEqual([1e-5, 1e-6]);
  expect(both.results[1].exact).toEqual(one.exact);
});

test('certify writes to --out', async () => {
  const path = join(folder, 'certificate.json');
  const direct = await gdp(['certify', CIFAR, '--epsilon', '8']);
  expect(await gdp(['certify', CIFAR, '--epsilon', '8', '--out', path])).toMatchObject({
    code: 0,
    stdout: '',
  });
  expect(readFileSync(path, 'utf8')).toBe(direct.stdout);
});

test('powers of ten and quotients are read by every option that takes a number', async () => {
  const plain = await gdp(['epsilon', CIFAR, '--delta', '1e-6']);
  for (const delta of ['10^-6', '10⁻⁶', '1/1000000', '0.0001 %'])
    expect((await gdp(['epsilon', CIFAR, '--delta', delta])).stdout).toBe(plain.stdout);
  expect((await gdp(['delta', CIFAR, '--epsilon', '1,1,'])).stderr).toMatch(/"--epsilon" must be/);
});
