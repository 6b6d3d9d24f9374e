import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { afterAll, describe, expect, it } from 'vitest';
import { openTable, type TableFormat, writeTable } from '../../src/node/table-file.js';
import type { SweepCell, SweepColumn, SweepRow } from '../../src/sweep/columns.js';
import { checkOf } from '../../src/sweep/intact.js';
import { mergeTables } from '../../src/sweep/merge.js';
import { rowText } from '../../src/sweep/table-text.js';

const folder = mkdtempSync(join(tmpdir(), 'gdp-sweep-'));
afterAll(() => rmSync(folder, { recursive: true }));

const columns: SweepColumn[] = [
  { name: 'index', type: 'integer' },
  { name: 'axis', type: 'text' },
  { name: 'grid', type: 'integer' },
  { name: 'grid_size', type: 'integer' },
  { name: 'mu_lower', type: 'number' },
  { name: 'mu_upper', type: 'number' },
  { name: 'error', type: 'text' },
  { name: 'check', type: 'integer' },
];
const SIZE = 7;
const checked = (cells: SweepCell[]): SweepRow => [...cells, checkOf(columns, cells)];
const row = (index: number, axis: string, lower: SweepCell, upper: SweepCell, error: SweepCell = null) =>
  checked([index, axis, 2 ** 32 - 1, SIZE, lower, upper, error]);
const rows: SweepRow[] = [
  row(0, '{"kind":"gdp","mu":1}', 0.1 + 0.2, Number.MAX_VALUE),
  row(3, 'plain', Number.MIN_VALUE, Number.POSITIVE_INFINITY),
  row(4, 'a "quoted", word', null, null, '"sigma" must be a number, got "x"'),
  row(5, '1e-5 σ', -1.5e-300, 123456789.12345679),
  row(6, '', Number.NEGATIVE_INFINITY, 0, '17'),
];

async function* each(of: readonly SweepRow[]) {
  yield* of;
}

async function write(path: string, format: TableFormat, of: readonly SweepRow[]): Promise<void> {
  return writeTable(path, format, columns, each(of));
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
    const parts = [rows.slice(1, 2), [rows[0]!, rows[2]!], [rows[2]!, rows[3]!, rows[4]!]];
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
    const other = row(0, 'x', 1, 1);
    await expect(drained([table('a', [rows[0]!]), table('b', [other])])).rejects.toThrow(
      'b: row 0 is not what another file says of it',
    );
    await expect(drained([table('a', [rows[1]!, rows[0]!])])).rejects.toThrow('a: row 0 comes after row 3');
    const fewer = table('b', [[1, 'x', 2 ** 32 - 1, SIZE, null, null]], columns.slice(0, 6));
    await expect(drained([table('a', [rows[0]!]), fewer])).rejects.toThrow(
      'b: column 7 is missing, but error (text) in a',
    );
  });

  it('refuses rows of another grid, or beyond its size', async () => {
    const other = checked([1, 'x', 7, SIZE, 1, 1, null]);
    await expect(drained([table('a', [rows[0]!]), table('b', [other])])).rejects.toThrow(
      'b: row 1 is of another grid than a',
    );
    await expect(drained([table('a', [row(SIZE, 'x', 1, 1)])])).rejects.toThrow(
      'row 7 is none of a grid of 7',
    );
  });
});

describe('what a merge has found of the grid', () => {
  const parts = (held: Readonly<Record<string, readonly number[]>>, size: number) => {
    const tables = Object.entries(held).map(([name, indexes]) => ({
      name,
      columns,
      rows: each(indexes.map((index) => [index, 'x', 1, size, null, null, null, 0])),
      close: async () => {},
    }));
    return (async () => {
      const merged = mergeTables(tables);
      for (;;) {
        const next = await merged.next();
        if (next.done) return next.value!;
      }
    })();
  };
  const shard = (index: number, count: number, size: number, rows = Infinity) =>
    Array.from({ length: Math.min(rows, Math.ceil((size - index) / count)) }, (_, i) => index + i * count);

  it('names each shard that is missing, whole or in part', async () => {
    // every subset of the shards of a few partitions
    for (const [size, count] of [
      [24, 3],
      [25, 3],
      [9, 4],
    ] as const) {
      for (let mask = 1; mask < 2 ** count; mask++) {
        const there = Array.from({ length: count }, (_, i) => i).filter((i) => mask & (1 << i));
        const held = Object.fromEntries(there.map((i) => [`p${i}`, shard(i, count, size)]));
        const found = await parts(held, size);
        const away = Array.from({ length: count }, (_, i) => i).filter((i) => !there.includes(i));
        const missing = away.reduce((sum, i) => sum + shard(i, count, size).length, 0);
        expect(found).toMatchObject({ size, missing, repeated: 0 });
        const names = away.map((i) => `${i}/${count}`).join(', ');
        const rows = `${missing} row${missing === 1 ? '' : 's'}`;
        expect(found.complaints()).toEqual(
          missing === 0 ? [] : [`${rows} of ${size} missing: shard ${names}`],
        );
      }
    }
    const cut = await parts({ a: shard(0, 2, 10), b: shard(1, 2, 10, 3) }, 10);
    expect(cut.complaints()).toEqual(['2 rows of 10 missing: shard 1/2 (2 of its 5)']);
  });

  it('lists rows where no shards tell, the last rows too', async () => {
    const one = await parts({ a: [0, 1, 2, 5] }, 8);
    expect(one.complaints()).toEqual(['4 rows of 8 missing: 3, 4, 6, 7']);
    const many = await parts({ a: [0, 100] }, 1e7);
    expect(many.missing).toBe(1e7 - 2);
    expect(many.complaints()[0]).toMatch(/^9999998 rows of 10000000 missing: /);
  });

  it('names the tables that hold the same rows', async () => {
    const twice = await parts({ a: shard(0, 2, 6), b: shard(1, 2, 6), copy: shard(0, 2, 6) }, 6);
    expect(twice).toMatchObject({ missing: 0, repeated: 3 });
    expect(twice.complaints()).toEqual(['found twice: 3 rows in "a" and "copy"']);
  });
});

it('is Parquet to any reader of it', async () => {
  const path = join(folder, 'any.parquet');
  await write(path, 'parquet', rows);
  const found = await parquetReadObjects({ file: await asyncBufferFromFile(path) });
  expect(found[1]).toMatchObject({
    index: 3n,
    axis: 'plain',
    mu_lower: 5e-324,
    mu_upper: Infinity,
    error: null,
  });
});

it('has a check that any CRC-32 of its line of JSON gives', () => {
  for (const each of rows) {
    const { check, ...others } = JSON.parse(rowText('jsonl', columns, each));
    expect(check).toBe(crc32(JSON.stringify(others)));
  }
});

it('tells of a line whose writing was interrupted', async () => {
  const path = join(folder, 'cut.csv');
  await write(path, 'csv', rows);
  const whole = readFileSync(path);
  for (const cut of [0, 1, 5, 20]) {
    writeFileSync(path, whole.subarray(0, whole.length - cut));
    let start = -1;
    const table = await openTable(path, 'csv', (tail) => {
      start = tail.start;
    });
    const found: SweepRow[] = [];
    for (let next = await table.rows.next(); !next.done; next = await table.rows.next())
      found.push(next.value);
    expect(found).toEqual(cut === 0 ? rows : rows.slice(0, 4));
    expect(start).toBe(cut === 0 ? -1 : whole.lastIndexOf(10, whole.length - 2) + 1);
    if (cut > 0) await expect(read(path, 'csv')).rejects.toThrow('the last line is not whole');
  }
});

describe.each(['csv', 'jsonl', 'parquet'] as const)('a damaged %s table', (format) => {
  const path = join(folder, `damaged.${format}`);

  it('is refused for a cell that was changed, even with a check of its own', async () => {
    const changed = [...rows[0]!];
    changed[5] = 2;
    await write(path, format, [changed, rows[1]!]);
    await expect(read(path, format)).rejects.toThrow(
      'its cells do not match its check: it was damaged or edited',
    );
    await write(path, format, [row(0, 'x', 2, 1)]);
    await expect(read(path, format)).rejects.toThrow('"mu_lower" is 2, above "mu_upper", which is 1');
  });
});

it('is refused as Parquet for any byte that was changed, before its metadata are read', async () => {
  const path = join(folder, 'byte.parquet');
  await write(path, 'parquet', rows);
  const whole = readFileSync(path);
  for (let at = 0; at < whole.length; at++) {
    const damaged = Buffer.from(whole);
    damaged[at] ^= 1 << (at % 8);
    writeFileSync(path, damaged);
    await expect(openTable(path, 'parquet'), `byte ${at}`).rejects.toThrow(
      /does not match its digest|no Parquet table/,
    );
  }
  for (const bytes of [whole.subarray(1), whole.subarray(0, -1), Buffer.concat([whole, whole])]) {
    writeFileSync(path, bytes);
    await expect(openTable(path, 'parquet')).rejects.toThrow(/does not match its digest|no Parquet table/);
  }
});

const LINES = rows.map((each) => rowText('jsonl', columns, each));
it.each([
  ['csv', 'index,mu_lower\n0,x\n', 'line 2: "mu_lower" is not a number: "x"'],
  ['csv', 'index,mu_lower\n0\n', 'line 2: it has 1 cells instead of 2'],
  ['csv', 'index,mu_lower\n0,1\n', 'line 2: its last column is not "check"'],
  ['csv', 'index,m"u\n', 'line 1: it has a stray quotation mark'],
  ['csv', 'index,"mu\n', 'line 1: the last line is not whole'],
  [
    'jsonl',
    LINES[0] + LINES[1]!.replace('mu_lower', 'nu_lower'),
    'line 2: "nu_lower" is where "mu_lower" belongs',
  ],
  ['jsonl', '[1]\n', 'line 1: the first column is not "index"'],
  ['jsonl', 'x\n', 'line 1: it is not valid JSON'],
  ['parquet', 'PAR1 nonsense PAR1', 'it is no Parquet table of gdp sweep, or a damaged one'],
] as const)('refuses %s %j', async (format, text, message) => {
  const path = join(folder, `bad.${format}`);
  writeFileSync(path, text);
  await expect(read(path, format)).rejects.toThrow(message);
});
