import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { afterAll, describe, expect, it } from 'vitest';
import { dropPartialLine, openTable, type TableFormat, writeParquet } from '../../src/node/table-file.js';
import { mergeTables } from '../../src/sweep/merge.js';
import type { SweepColumn, SweepRow } from '../../src/sweep/rows.js';
import { headerText, rowText } from '../../src/sweep/table-text.js';

const folder = mkdtempSync(join(tmpdir(), 'gdp-sweep-'));
afterAll(() => rmSync(folder, { recursive: true }));

const columns: SweepColumn[] = [
  { name: 'index', type: 'integer' },
  { name: 'axis', type: 'text' },
  { name: 'mu_lower', type: 'number' },
  { name: 'mu_upper', type: 'number' },
  { name: 'error', type: 'text' },
];
const rows: SweepRow[] = [
  [0, '{"kind":"gdp","mu":1}', 0.1 + 0.2, Number.MAX_VALUE, null],
  [3, 'plain', Number.MIN_VALUE, Number.POSITIVE_INFINITY, null],
  [4, 'a "quoted", word', null, null, '"sigma" must be a number, got "x"'],
  [5, '1e-5 σ', -1.5e-300, 123456789.12345679, null],
];

async function* each(of: readonly SweepRow[]) {
  yield* of;
}

async function write(path: string, format: TableFormat, of: readonly SweepRow[]): Promise<void> {
  if (format === 'parquet') return writeParquet(path, columns, each(of));
  const lines = of.map((row) => rowText(format, columns, row));
  writeFileSync(path, headerText(format, columns) + lines.join(''));
}

async function read(path: string, format: TableFormat): Promise<SweepRow[]> {
  const { rows: found } = await openTable(path, format);
  const all: SweepRow[] = [];
  for (let next = await found.next(); !next.done; next = await found.next()) all.push(next.value);
  return all;
}

describe.each(['csv', 'jsonl', 'parquet'] as const)('a %s table', (format) => {
  const path = join(folder, `table.${format}`);

  it('reads back to the same bits', async () => {
    await write(path, format, rows);
    expect(await read(path, format)).toEqual(rows);
    const table = await openTable(path, format);
    expect(table.columns).toEqual(columns);
    await table.close();
  });

  it('may be empty', async () => {
    await write(path, format, []);
    expect(await read(path, format)).toEqual([]);
  });

  it('merges with others in the order of the index', async () => {
    const parts = [rows.slice(1, 2), [rows[0]!, rows[2]!], [rows[2]!, rows[3]!]];
    const paths = parts.map((_, i) => join(folder, `part${i}.${format}`));
    for (let i = 0; i < parts.length; i++) await write(paths[i]!, format, parts[i]!);
    const merged: SweepRow[] = [];
    for await (const row of mergeTables(await Promise.all(paths.map((of) => openTable(of, format))))) {
      merged.push(row);
    }
    expect(merged).toEqual(rows);
  });
});

describe('merging', () => {
  const table = (name: string, of: readonly SweepRow[], with_ = columns) => ({
    name,
    columns: with_,
    rows: each(of),
    close: async () => {},
  });
  const drained = async (tables: Parameters<typeof mergeTables>[0]) => {
    for await (const _ of mergeTables(tables));
  };

  it('refuses rows that contradict each other, tables out of order and other columns', async () => {
    const other = [0, 'x', 1, 1, null];
    await expect(drained([table('a', [rows[0]!]), table('b', [other])])).rejects.toThrow(
      'b: row 0 is not what another file says of it',
    );
    await expect(drained([table('a', [rows[1]!, rows[0]!])])).rejects.toThrow('a: row 0 comes after row 3');
    await expect(drained([table('a', []), table('b', [], columns.slice(0, 4))])).rejects.toThrow(
      'b: column 5 is missing, but error (text) in a',
    );
  });
});

it('is Parquet to any reader of it', async () => {
  const path = join(folder, 'any.parquet');
  await write(path, 'parquet', rows);
  const found = await parquetReadObjects({ file: await asyncBufferFromFile(path) });
  expect(found[1]).toEqual({ index: 3, axis: 'plain', mu_lower: 5e-324, mu_upper: Infinity, error: null });
});

it('cuts off a line whose writing was interrupted, and only that', async () => {
  const path = join(folder, 'cut.csv');
  await write(path, 'csv', rows);
  const whole = readFileSync(path);
  for (const cut of [0, 1, 5, 40]) {
    writeFileSync(path, whole.subarray(0, whole.length - cut));
    await dropPartialLine(path);
    expect(await read(path, 'csv')).toEqual(cut === 0 ? rows : rows.slice(0, 3));
  }
});

it.each([
  ['csv', 'index,mu_lower\n0,x\n', 'line 2: "mu_lower" is not a number: "x"'],
  ['csv', 'index,mu_lower\n0\n', 'line 2: a line has 1 cells instead of 2'],
  ['csv', 'index,"mu\n', 'line 1: a line has a stray quotation mark'],
  [
    'jsonl',
    '{"index":0,"mu_lower":1}\n{"index":1,"mu_upper":1}\n',
    'line 2: "mu_upper" is where "mu_lower" belongs',
  ],
  ['jsonl', '[1]\n', 'line 1: the first column is not "index"'],
  ['jsonl', 'x\n', 'line 1: Unexpected token'],
] as const)('refuses %s %j', async (format, text, message) => {
  const path = join(folder, `bad.${format}`);
  writeFileSync(path, text);
  await expect(read(path, format)).rejects.toThrow(message);
});
