import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { afterAll, describe, expect, it } from 'vitest';
import { VERSION } from '../../src/version.js';
import { gdp } from './harness.js';

const folder = mkdtempSync(join(tmpdir(), 'gdp-sweep-'));
afterAll(() => rmSync(folder, { recursive: true }));
const at = (name: string) => join(folder, name);
const text = (name: string) => readFileSync(at(name), 'utf8');

const GRID = at('grid.json');
writeFileSync(
  GRID,
  JSON.stringify({
    over: { noiseMultiplier: { from: 1, to: 3, count: 6 }, samplingRate: [0.2, 1], steps: [1, 4] },
    adjacency: 'add-remove',
    epsilon: [1],
    tolerance: 1e-2,
    maxGridLength: 2 ** 12,
    method: 'grid',
    alphaMin: 1e-3,
  }),
);
const sweep = (...args: string[]) => gdp(['sweep', ...args]);
const alone = ['--workers', '1'];

describe('gdp sweep', () => {
  it('writes the same table in every format', async () => {
    expect(await sweep(GRID, '--out', at('all.csv'), ...alone)).toEqual({
      code: 0,
      stdout: `${at('all.csv')}: 24 rows\n`,
      stderr: '',
    });
    expect(await sweep(GRID, '--out', at('all.jsonl'), ...alone, '--json')).toMatchObject({ code: 0 });
    expect(await sweep(GRID, '--out', at('all.parquet'), ...alone)).toMatchObject({ code: 0 });
    const lines = text('all.jsonl').trim().split('\n');
    const rows = lines.map((line) => JSON.parse(line));
    expect(rows).toHaveLength(24);
    expect(rows[5]).toMatchObject({
      index: 5,
      noiseMultiplier: 1.4,
      samplingRate: 0.2,
      steps: 4,
      version: VERSION,
    });
    expect(text('all.csv').split('\n')[0]).toBe(Object.keys(rows[0]).join(','));
    const cells = (row: object) => Object.values(row).map((cell) => String(cell ?? ''));
    expect(text('all.csv').trim().split('\n').slice(1)).toEqual(rows.map((row) => cells(row).join(',')));
    const found = await parquetReadObjects({ file: await asyncBufferFromFile(at('all.parquet')) });
    expect(found).toEqual(rows);
    expect(existsSync(at('all.parquet.rows.jsonl'))).toBe(false);
  });

  it('goes on where it was interrupted', async () => {
    const whole = text('all.csv');
    writeFileSync(at('cut.csv'), whole.slice(0, whole.length * 0.6));
    const { stdout } = await sweep(GRID, '--out', at('cut.csv'), ...alone, '--json');
    const { kept, rows } = JSON.parse(stdout);
    expect(kept).toBeGreaterThan(5);
    expect(rows).toBe(24);
    expect(text('cut.csv')).toBe(whole);

    writeFileSync(at('cut.parquet.rows.jsonl'), text('all.jsonl').slice(0, 3000));
    await sweep(GRID, '--out', at('cut.parquet'), ...alone);
    expect(readFileSync(at('cut.parquet')).equals(readFileSync(at('all.parquet')))).toBe(true);
    expect((await sweep(GRID, '--out', at('cut.parquet'), ...alone)).stdout).toBe(
      `${at('cut.parquet')}: 24 rows (24 of them were there already)\n`,
    );
  });

  it('does not go on in the table of something else', async () => {
    const other = at('other.json');
    const grid = JSON.parse(readFileSync(GRID, 'utf8'));
    const refusals: [object, string][] = [
      [{ ...grid, epsilon: [2] }, 'its columns are not those of this grid'],
      [{ ...grid, tolerance: 1e-3 }, 'row 1 is not of this grid, this shard and this version'],
      [{ ...grid, over: { ...grid.over, steps: [1] } }, 'row 2 is not of this grid'],
    ];
    for (const [changed, message] of refusals) {
      writeFileSync(other, JSON.stringify(changed));
      for (const name of ['all.csv', 'all.jsonl', 'all.parquet']) {
        const before = readFileSync(at(name));
        const { code, stderr } = await sweep(other, '--out', at(name), ...alone);
        expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) });
        expect(readFileSync(at(name)).equals(before)).toBe(true);
      }
    }
    expect(await sweep(GRID, '--out', at('all.csv'), '--shard', '1/2')).toMatchObject({ code: 2 });
  });

  it('parts a grid into shards whose tables merge to the whole', async () => {
    for (const [i, format] of ['csv', 'csv', 'csv'].entries()) {
      const out = at(`shard${i}.${format}`);
      expect(await sweep(GRID, '--out', out, '--shard', `${i}/3`, ...alone)).toMatchObject({ code: 0 });
    }
    const parts = [2, 0, 1].map((i) => at(`shard${i}.csv`));
    expect((await sweep('--merge', ...parts, '--out', at('merged.csv'))).stdout).toBe(
      `${at('merged.csv')}: 24 rows\n`,
    );
    expect(text('merged.csv')).toBe(text('all.csv'));
    await sweep('--merge', ...parts, '--out', at('merged.parquet'));
    expect(readFileSync(at('merged.parquet')).equals(readFileSync(at('all.parquet')))).toBe(true);
    await sweep('--merge', at('merged.parquet'), at('shard1.csv'), '--out', at('merged.jsonl'));
    expect(text('merged.jsonl')).toBe(text('all.jsonl'));
    expect((await sweep('--merge', ...parts.slice(0, 2), '--out', at('two.csv'))).stdout).toBe(
      `${at('two.csv')}: 16 rows; 8 rows in between are missing\n`,
    );
  });

  it('gives the same bits over worker threads', () => {
    const cli = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));
    const args = [cli, 'sweep', GRID, '--out', at('threads.csv'), '--workers', '3'];
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(text('threads.csv')).toBe(text('all.csv'));
  });

  it.each([
    [['x.csv'], 'gdp sweep writes a table'],
    [['--out', 'x.csv'], 'gdp sweep needs a GRID'],
    [['--out', 'x.txt', GRID], 'does not end in .parquet, .csv or .jsonl: give --format'],
    [
      ['--out', 'x.csv', GRID, '--shard', '3/3'],
      '"--shard" must be I/N with 0 <= I < N <= 1000000, got "3/3"',
    ],
    [
      ['--out', 'x.csv', GRID, '--workers', '0'],
      '"--workers" must be a whole number from 1 to 1024, got "0"',
    ],
    [['--out', 'x.csv', GRID, GRID], 'one FILE is expected'],
    [['--out', 'x.csv', '--merge'], 'needs the tables of the shards'],
    [['--out', GRID, '--format', 'csv', '--merge', GRID], '"--out" is also one of the tables'],
    [
      ['--out', at('x.csv'), '--merge', GRID, '--format', 'jsonl'],
      'grid.json, line 1: the last line is not whole',
    ],
    [['--out', at('x.csv'), '--merge', at('no.csv')], 'no.csv: no such file'],
  ])('refuses %j', async (args, message) => {
    const { code, stderr } = await sweep(...args);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) });
  });
});
