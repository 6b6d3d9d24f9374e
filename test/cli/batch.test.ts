import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { afterAll, describe, expect, it } from 'vitest';
import { gdp } from './harness.js';

const folder = mkdtempSync(join(tmpdir(), 'gdp-batch-'));
afterAll(() => rmSync(folder, { recursive: true }));
const at = (name: string) => join(folder, name);
const text = (name: string) => readFileSync(at(name), 'utf8');
const rowsOf = (name: string) =>
  text(name)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
const batch = (file: string, out: string, ...args: string[]) =>
  gdp(['batch', at(file), '--out', at(out), '--workers', '1', '--delta', '1e-5', ...args]);

/** Rows of every kind, the first three the same run in other words. */
const ROWS = [
  { id: 10, history: [[2, 1, 30]], mechanism: 'rdp' },
  {
    id: 11,
    history: [
      [2, 1, 10],
      [2, 1, 20],
      [7, 0, 4],
    ],
    mechanism: 'gdp',
  },
  { id: 12, mechanism: { kind: 'repeat', count: 30, inner: { kind: 'gaussian', noiseMultiplier: 2 } } },
  { id: 13, kind: 'laplace', scale: 2, sensitivity: 1 },
  { id: 14, history: [[2, 3, 30]] },
  { id: 15, noise_multiplier: 2, sample_rate: 1, steps: 30 },
  {
    id: 16,
    mechanism: {
      kind: 'without-replacement',
      sampleSize: 1,
      datasetSize: 4,
      inner: { kind: 'gaussian', noiseMultiplier: 1 },
    },
  },
  { id: 'x', history: [[2, 1, 30]] },
  { id: 17, history: [[1, 1, 1]], delta: 1e-9 },
];
writeFileSync(at('in.jsonl'), `${ROWS.map((row) => JSON.stringify(row)).join('\n')}\n{"id": 18,\n\n"text"\n`);

describe('gdp batch', () => {
  it('answers every row in its place, each distinct run once', async () => {
    const { stdout } = await batch('in.jsonl', 'out.jsonl', '--json');
    expect(JSON.parse(stdout)).toEqual({ out: at('out.jsonl'), rows: 11, kept: 0, failed: 5, distinct: 3 });
    const rows = rowsOf('out.jsonl');
    expect(rows.map(({ index, id }) => [index, id])).toEqual(
      [10, 11, 12, 13, 14, 15, 16, null, 17, null, null].map((id, index) => [index, id]),
    );
    for (const [i, row] of ROWS.entries()) {
      if (rows[i].error !== null) continue;
      const { id: _, ...said } = row;
      const run = 'steps' in row ? { history: [[2, 1, 30]] } : said;
      const { stdout: alone } = await gdp(['epsilon', '-', '--delta', '1e-5', '--json'], JSON.stringify(run));
      const { epsilon, method, adjacency } = JSON.parse(alone);
      expect(rows[i]).toMatchObject({
        'epsilon_at_1e-5_lower': epsilon.lower,
        'epsilon_at_1e-5_upper': epsilon.upper,
        method,
        adjacency,
      });
    }
    expect(rows[6].adjacency).toBe('replace-one');
    expect(rows.map(({ error }) => error)).toEqual([
      null,
      null,
      null,
      null,
      '"history[0][1] (sample_rate)" must be a number in [0, 1], got 3',
      null,
      null,
      '"id" must be a whole number as in the first row',
      '"delta" is asked of all rows alike: give --delta',
      expect.stringContaining('it is not valid JSON'),
      'it is no JSON object',
    ]);
  });

  it('reads and writes CSV and Parquet, with the same answers', async () => {
    const good = ROWS.filter(({ id }) => typeof id === 'number' && id < 14);
    const cells = good.map(({ id, history, mechanism, kind, ...rest }) => [
      id,
      history ? JSON.stringify(history) : '',
      kind
        ? JSON.stringify({ kind, ...rest })
        : typeof mechanism === 'object'
          ? JSON.stringify(mechanism)
          : '',
    ]);
    const quoted = cells.map((row) =>
      row.map((cell) => (cell ? `"${String(cell).replaceAll('"', '""')}"` : '')).join(','),
    );
    writeFileSync(at('in.csv'), `id,history,mechanism\r\n${quoted.join('\r\n')}\r\n`);
    const column = (i: number, type: 'STRING' | 'INT64') =>
      cells.map((row) => (row[i] === '' ? null : type === 'INT64' ? BigInt(row[i] as number) : row[i]));
    writeFileSync(
      at('in.parquet'),
      Buffer.from(
        parquetWriteBuffer({
          columnData: [
            { name: 'id', data: column(0, 'INT64'), type: 'INT64' },
            { name: 'history', data: column(1, 'STRING'), type: 'STRING', nullable: true },
            { name: 'mechanism', data: column(2, 'STRING'), type: 'STRING', nullable: true },
          ],
        }),
      ),
    );
    const answers = ({ id, method, adjacency, error, ...rest }: Record<string, unknown>) => [
      Number(id),
      rest['epsilon_at_1e-5_lower'],
      rest['epsilon_at_1e-5_upper'],
      method,
      adjacency,
      error,
    ];
    const wanted = rowsOf('out.jsonl').slice(0, 4).map(answers);
    expect(await batch('in.csv', 'from-csv.parquet')).toMatchObject({ code: 0 });
    const found = await parquetReadObjects({ file: await asyncBufferFromFile(at('from-csv.parquet')) });
    expect(found.map(answers)).toEqual(wanted);
    // the ids of a CSV file are whole numbers where they look like it
    expect(typeof found[0]['id']).toBe('string');
    expect(await batch('in.parquet', 'from-parquet.jsonl')).toMatchObject({ code: 0 });
    expect(rowsOf('from-parquet.jsonl').map(answers)).toEqual(wanted);
    expect(await batch('in.parquet', 'out.csv')).toMatchObject({ code: 0 });
    expect(text('out.csv').split('\n')[1]).toMatch(/^0,10,\d+,\d+,0.000001,[\d.]+,add-remove,/);
    // a finished table is left as it is
    expect((await batch('in.csv', 'from-csv.parquet')).stdout).toContain(
      '4 rows (4 of them were there already)',
    );
  });

  it('goes on where it was interrupted, with the same bytes, and keeps what is another table', async () => {
    const whole = text('out.jsonl');
    for (const share of [0, 0.02, 0.3, 0.6, 0.95]) {
      writeFileSync(at('cut.jsonl'), whole.slice(0, share * whole.length));
      const { stdout } = await batch('in.jsonl', 'cut.jsonl', '--json');
      expect(JSON.parse(stdout).rows).toBe(11);
      expect(text('cut.jsonl')).toBe(whole);
    }
    writeFileSync(
      at('other.jsonl'),
      text('in.jsonl').replace('"id":11,"history":[[2', '"id":11,"history":[[3'),
    );
    const kept = whole.split('\n').slice(0, 3).join('\n');
    for (const [file, args] of [
      ['other.jsonl', []],
      ['in.jsonl', ['--epsilon', '1']],
      ['in.jsonl', ['--tolerance', '1e-3']],
    ] as const) {
      writeFileSync(at('kept.jsonl'), `${kept}\n`);
      const { code, stderr } = await batch(file, 'kept.jsonl', ...args);
      expect([code, text('kept.jsonl')]).toEqual([2, `${kept}\n`]);
      expect(stderr).toMatch(/not of these histories|are not those of these histories/);
    }
  });

  it('takes standard input, and text for ids', async () => {
    const lines = `{"id": "a", "history": [[2, 1, 30]]}\n{"id": 7, "history": "${'x'.repeat(2 ** 20)}"}\n{"history": []}`;
    const { code } = await gdp(
      ['batch', '-', '--epsilon', '1', '--mu', '--out', at('piped.csv'), '--workers', '1'],
      lines,
    );
    expect(code).toBe(1);
    const [head, first, long, empty] = text('piped.csv').split('\n');
    expect(head).toContain(
      'delta_at_1_lower,delta_at_1_upper,log_delta_at_1_lower,log_delta_at_1_upper,alpha_min,mu_lower',
    );
    expect(first).toMatch(/^0,a,/);
    expect(long).toContain('the row is longer than 1048576 bytes');
    // it may be one that its accountant emptied when it was asked
    expect(empty).toContain('its history is empty, as before training');
    await gdp(['batch', '-', '--out', at('allowed.csv'), '--workers', '1', '--allow-empty-history'], lines);
    expect(text('allowed.csv').split('\n')[3]).toMatch(/^2,,.*,closed-form,0,0,/);
  });

  it.each([
    ['none.csv', ''],
    ['header.csv', 'id,noise_multiplier,sample_rate,steps\r\n'],
    ['blank.jsonl', '\ufeff\n \n'],
  ])('says of a file without a run that there is nothing to answer: %s', async (name, content) => {
    writeFileSync(at(name), content);
    expect(await batch(name, 'nothing.csv')).toEqual({
      code: 2,
      stdout: '',
      stderr: `gdp: ${at(name)}: it holds no run, so there is nothing to answer\n`,
    });
    expect(existsSync(at('nothing.csv'))).toBe(false);
  });

  it('refuses what it cannot do in one sentence', async () => {
    const refused = async (...args: string[]) => {
      const { code, stderr } = await gdp(['batch', ...args]);
      expect(code).toBe(2);
      return stderr;
    };
    expect(await refused('--out', at('x.csv'))).toContain('needs one file of HISTORIES');
    expect(await refused(at('in.jsonl'))).toContain('"--out" is needed');
    expect(await refused(at('missing.jsonl'), '--out', at('x.csv'))).toContain('no such file');
    expect(await refused(at('in.jsonl'), '--out', at('in.jsonl'))).toContain('the same file as the input');
    expect(await refused(at('in.txt'), '--out', at('x.csv'))).toContain('give --in-format');
    expect(await refused(at('in.jsonl'), '--in-format', 'parquet', '--out', at('x.csv'))).toContain(
      'no Parquet file',
    );
    expect(await refused(at('in.jsonl'), '--alpha-min', '1e-3', '--out', at('x.csv'))).toContain(
      'needs "--mu"',
    );
    expect(await refused(at('in.jsonl'), '--delta', '2', '--out', at('x.csv'))).toContain(
      'a number in [0, 1]',
    );
  });
});
