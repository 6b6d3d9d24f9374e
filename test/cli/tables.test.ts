import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { gdp } from './harness.js';

const folder = mkdtempSync(join(tmpdir(), 'gdp-tables-'));
afterAll(() => rmSync(folder, { recursive: true }));
function file(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}

/** The rows that a table is answered with, printed as JSON lines. */
async function rowsOf(text: string, ...words: string[]) {
  const path = file('table.csv', text);
  const { stdout, stderr, code } = await gdp([
    'batch',
    path,
    '--out',
    '-',
    '--format',
    'jsonl',
    '--workers',
    '1',
    ...words,
  ]);
  const rows =
    stdout === ''
      ? []
      : stdout
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line));
  return { code, stderr, rows };
}

/** The one row of a table. */
async function only(text: string, ...words: string[]) {
  const { rows, stderr } = await rowsOf(text, ...words);
  expect(stderr).not.toContain('gdp: ');
  expect(rows).toHaveLength(1);
  return rows[0];
}

const USUAL = 'noise_multiplier,sample_rate,steps\n1.1,0.01,1000\n';

describe('columns are known by what they are called elsewhere', async () => {
  const usual = await only(USUAL);
  const answerOf = ({ row_digest: _, check: __, ...rest }: Record<string, unknown>) => rest;
  test.each([
    ['sigma,q,iterations\n1.1,0.01,1000\n'],
    ['Noise Multiplier,Sampling Rate,Num Steps\n1.1,1%,1000\n'],
    ['z,sampling_probability,T\n1.1,600/60000,1e3\n'],
    ['"noise-multiplier","sample rate",comment,rounds\n1.1,1 %,fine,1000\n'],
  ])('%j', async (text) => {
    expect(answerOf(await only(text))).toEqual(answerOf(usual));
  });

  test('or by --columns', async () => {
    const text = 'sd,p,n\n1.1,0.01,1000\n';
    const words = ['--columns', 'sd=noise_multiplier,p=sample_rate', '--columns', 'n=steps'];
    expect(answerOf(await only(text, ...words))).toEqual(answerOf(usual));
    const wrong = await rowsOf(text, '--columns', 'sd=noise');
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('NAME=OURS')]);
    const none = await rowsOf(text, '--columns', 'sigma=noise_multiplier');
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('it has no column "sigma"')]);
  });
});

describe('what is wrong with a table is said of its columns', () => {
  test.each([
    [
      'sigma,q,steps\n0.7,0.01,1562.5\n',
      'column "steps" must be a whole number from 0 to 2^53 - 1, got 1562.5; rounded up it is 1563',
    ],
    ['sigma,q,steps\n0.7,2,100\n', 'column "q" must be a number in [0, 1], got 2'],
    ['sigma,q,steps\n0.7,,100\n', 'the cell of column "q" is empty'],
    ['sigma,q,steps\nx,0.1,100\n', 'column "sigma" must be 0 or a number from 1e-9 to 1000000000, got "x"'],
    ['sigma,q,steps\n"0,7",0.1,100\n', 'column "sigma": "0,7" has a comma; write a decimal point'],
    ['sigma,q,steps\n0,7,0.1,100\n', 'it has 4 cells instead of 3: a decimal comma'],
    [
      'sigma,q,comment\n0.7,0.1,fine\n',
      'no column is the steps: give one the name steps, or --columns NAME=steps',
    ],
    ['sigma,noise,q,steps\n0.7,0.7,0.1,10\n', '"sigma" and "noise" are two names of one number'],
  ])('%j', async (text, error) => {
    const { rows, code } = await rowsOf(text);
    expect(code).toBe(1);
    expect(rows[0].error).toContain(error);
    expect(rows[0].error).not.toMatch(/history|JSON/);
  });

  test.each([
    ['sigma;q;steps\n0,7;0,01;100\n', 'semicolons'],
    ['sigma\tq\tsteps\n0.7\t0.01\t100\n', 'tabs'],
  ])('parted otherwise: %j', async (text, by) => {
    const sentence = `parted by ${by}: save it with commas between cells, and decimal points`;
    const { code, stderr } = await rowsOf(text);
    expect([code, stderr]).toEqual([2, expect.stringContaining(sentence)]);
    const one = await gdp(['epsilon', file('one.csv', text)]);
    expect([one.code, one.stderr]).toEqual([2, expect.stringContaining(sentence)]);
  });

  test('in a table of one run, as gdp epsilon reads it', async () => {
    const one = await gdp(['epsilon', file('one.csv', 'sigma,q,steps\n0.7,1%,1562.5\n')]);
    expect(one.stderr).toContain('column "steps" must be a whole number');
    const fine = await gdp(['epsilon', file('one.csv', 'run,sigma,q,steps\na,1.1,1%,1000\n'), '--json']);
    expect(fine.stderr).toContain('not read: "run"');
    expect(JSON.parse(fine.stdout).epsilon.upper).toBeCloseTo(1.51537, 4);
  });
});

describe('a target in place of one number', () => {
  test('is solved, and answered for', async () => {
    const text =
      'id,noise_multiplier,q,steps,target_epsilon,target_delta\na,,0.01,1000,1,\nb,1.1,1%,,3,1e-5\nc,1.1,0.01,1000,,\n';
    const { rows, code } = await rowsOf(text);
    expect(code).toBe(0);
    // calibrate's example, and the steps that ε = 3 pays for
    expect(rows[0].solved).toBeCloseTo(1.41462, 4);
    expect(rows[1].solved).toBe(3712);
    expect(rows[2].solved).toBeNull();
    for (const [i, target] of [1, 3].entries()) {
      const [upper] = Object.entries(rows[i]).flatMap(([name, value]) =>
        name.endsWith('_upper') ? [Number(value)] : [],
      );
      expect(upper).toBeLessThanOrEqual(target);
      expect(upper).toBeGreaterThan(0.999 * target);
    }
  });

  test.each([
    ['sigma,q,steps,target_epsilon\n1,0.01,1000,1\n', 'needs two of noise_multiplier, sample_rate and steps'],
    ['sigma,q,steps,target_epsilon\n,,1000,1\n', 'needs two of'],
    ['sigma,q,steps,target_epsilon\n,0.01,1000,x\n', '"epsilon"'],
    ['sigma,q,steps,target_epsilon\n,2,1000,1\n', '"samplingRate"'],
  ])('or refused: %j', async (text, error) => {
    const { rows } = await rowsOf(text);
    expect(rows[0].error).toContain(error);
  });
});

describe('--out -', () => {
  test('prints what a file would hold', async () => {
    const path = file('runs.csv', `${USUAL}0.9,0.01,100\n`);
    const out = join(folder, 'out.csv');
    await gdp(['batch', path, '--out', out, '--workers', '1']);
    const { readFileSync } = await import('node:fs');
    const printed = await gdp(['batch', path, '--out', '-', '--workers', '1']);
    expect(printed.stdout).toBe(readFileSync(out, 'utf8'));
    expect(existsSync('-')).toBe(false);
    const json = await gdp(['batch', path, '--out', '-', '--json', '--workers', '1']);
    expect(JSON.parse(json.stdout)).toMatchObject({ rows: [{ index: 0 }, { index: 1 }], distinct: 2 });
    const parquet = await gdp(['batch', path, '--out', '-', '--format', 'parquet']);
    expect([parquet.code, parquet.stderr]).toEqual([
      2,
      expect.stringContaining('"--format parquet" needs a file'),
    ]);
  });

  test('prints a sweep too', async () => {
    const grid = file(
      'grid.json',
      '{"over": {"noiseMultiplier": [1, 2], "samplingRate": [0.01], "steps": [10]}, "measure": false}',
    );
    const { stdout } = await gdp(['sweep', grid, '--out', '-', '--workers', '1']);
    expect(stdout.trim().split('\n')).toHaveLength(3);
  });
});

describe('a file that is no run', () => {
  test.each([
    ['report.pdf', '%PDF-1.7\n%\u00e2\u00e3', 'it is a PDF document'],
    ['scores.csv', 'score,member\n0.7,0\n1.9,1\n', 'gdp audit reads it'],
    [
      'threshold.json',
      '{"kind":"threshold","falsePositives":1,"nonMembers":9,"truePositives":1,"members":9}',
      'gdp audit reads it',
    ],
  ])('%s', async (name, text, sentence) => {
    const { code, stderr } = await gdp(['epsilon', file(name, text)]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(sentence)]);
  });
});
