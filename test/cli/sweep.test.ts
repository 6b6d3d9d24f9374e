import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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
    measure: false,
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
    const wholes = ['index', 'steps', 'grid', 'grid_size', 'check'];
    const read = found.map((row) =>
      Object.fromEntries(
        Object.entries(row).map(([name, cell]) => [name, wholes.includes(name) ? Number(cell) : cell]),
      ),
    );
    expect(read).toEqual(rows);
    for (const name of wholes) expect(typeof found[0][name]).toBe('bigint');
    expect(existsSync(at('all.parquet.rows.jsonl'))).toBe(false);
  });

  it('goes on where it was interrupted', async () => {
    const whole = text('all.csv');
    const cut = whole.slice(0, whole.length * 0.6);
    writeFileSync(at('cut.csv'), cut);
    const { stdout } = await sweep(GRID, '--out', at('cut.csv'), ...alone, '--json');
    const { kept, rows } = JSON.parse(stdout);
    // the head of the table is a line of its own
    expect([kept, rows]).toEqual([cut.split('\n').length - 2, 24]);
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
      [{ ...grid, over: { ...grid.over, steps: [1] } }, 'row 1 is not of this grid'],
      [{ ...grid, method: 'spectral' }, 'row 1 is not of this grid'],
    ];
    for (const [changed, message] of refusals) {
      writeFileSync(other, JSON.stringify(changed));
      for (const name of ['all.csv', 'all.jsonl', 'all.parquet']) {
        const before = readFileSync(at(name));
        const { code, stderr } = await sweep(other, '--out', at(name), ...alone);
        const said = name.endsWith('parquet') ? 'it holds other rows than those of this grid' : message;
        expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(said) });
        expect(readFileSync(at(name)).equals(before)).toBe(true);
      }
    }
    expect(await sweep(GRID, '--out', at('all.csv'), '--shard', '1/2')).toMatchObject({ code: 2 });
  });

  it('parts a grid into shards with the rows of the whole', async () => {
    for (const [i, format] of ['csv', 'csv', 'csv'].entries()) {
      const out = at(`shard${i}.${format}`);
      expect(await sweep(GRID, '--out', out, '--shard', `${i}/3`, ...alone)).toMatchObject({ code: 0 });
    }
    const [header, ...rows] = text('all.csv').trim().split('\n');
    for (const i of [0, 1, 2])
      expect(text(`shard${i}.csv`).trim().split('\n')).toEqual([
        header,
        ...rows.filter((_, index) => index % 3 === i),
      ]);
  });

  it('goes on behind lines that end in CR LF', async () => {
    const crlf = (name: string) => text(name).replaceAll('\n', '\r\n');
    for (const format of ['csv', 'jsonl']) {
      writeFileSync(at(`half.${format}`), crlf(`all.${format}`).slice(0, -100));
      const { code, stdout } = await sweep(GRID, '--out', at(`half.${format}`), ...alone);
      expect(code).toBe(0);
      expect(stdout).toMatch(/: 24 rows \(2[0-3] of them were there already\)\n$/);
      expect(text(`half.${format}`).replaceAll('\r', '')).toBe(text(`all.${format}`));
    }
  });

  it('changes nothing in a file that is not its own, not even a last line without an end', async () => {
    const header = text('all.csv').split('\n')[0];
    const foreign = ['a,b', 'a,b\n', 'a,b\n1,2', `${header}\n5,1`, `${header}\nnotes`, '{"index":7'];
    for (const before of foreign) {
      writeFileSync(at('foreign.csv'), before);
      expect(await sweep(GRID, '--out', at('foreign.csv'), ...alone)).toMatchObject({ code: 2 });
      expect(text('foreign.csv')).toBe(before);
    }
    const grid = readFileSync(GRID, 'utf8');
    const itself = await sweep(GRID, '--out', GRID, '--format', 'csv', ...alone);
    expect(itself).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('is the same file as the input'),
    });
    expect(readFileSync(GRID, 'utf8')).toBe(grid);
  });

  it('goes on wherever a kill has cut its file, to the same bytes', async () => {
    for (const name of ['all.csv', 'all.jsonl']) {
      const whole = readFileSync(at(name));
      for (let i = 0; i < 12; i++) {
        const cut = Math.floor((whole.length * i) / 11) - (i % 3);
        writeFileSync(at(`cut-${name}`), whole.subarray(0, Math.max(0, cut)));
        expect(await sweep(GRID, '--out', at(`cut-${name}`), ...alone)).toMatchObject({ code: 0 });
        expect(readFileSync(at(`cut-${name}`)).equals(whole)).toBe(true);
      }
    }
  });

  it('refuses to go on in a damaged table in one sentence', async () => {
    const lines = text('all.csv').split('\n');
    lines[3] = lines[3].replace(/0\.(\d)(\d)/, '0.$2$1');
    writeFileSync(at('damaged.csv'), lines.join('\n'));
    expect(await sweep(GRID, '--out', at('damaged.csv'))).toEqual({
      code: 2,
      stdout: '',
      stderr: `gdp: ${at('damaged.csv')}, line 4: its cells do not match its check: it was damaged or edited\n`,
    });
    expect(readdirSync(folder).filter((name) => name.endsWith('.partial'))).toEqual([]);
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
    [['--out', 'x.csv', GRID, '--merge'], 'unknown option "--merge"'],
  ])('refuses %j', async (args, message) => {
    const { code, stderr } = await sweep(...args);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) });
  });
});
