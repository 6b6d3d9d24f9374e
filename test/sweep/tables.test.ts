import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { afterAll, describe, expect, it } from 'vitest';
import { openTable, parquetSeal, writeParquet } from '../../src/node/table-file.js';
import type { SweepCell, SweepColumn, SweepRow } from '../../src/sweep/columns.js';
import { checkOf, Seal } from '../../src/sweep/intact.js';
import { headerText, rowText, type TextFormat } from '../../src/sweep/table-text.js';

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

function write(path: string, format: TextFormat, of: readonly SweepRow[]): void {
  writeFileSync(path, headerText(format, columns) + of.map((row) => rowText(format, columns, row)).join(''));
}

async function read(path: string, format: TextFormat): Promise<SweepRow[]> {
  const { rows: found } = await openTable(path, format);
  const all: SweepRow[] = [];
  for (let next = await found.next(); !next.done; next = await found.next()) all.push(next.value);
  return all;
}

describe.each(['csv', 'jsonl'] as const)('a %s table', (format) => {
  const path = join(folder, `table.${format}`);

  it('reads back to the same bits', async () => {
    write(path, format, rows);
    expect(await read(path, format)).toEqual(rows);
    const table = await openTable(path, format);
    expect(table.columns).toEqual(columns);
    await table.close();
  });

  it('may be empty', async () => {
    write(path, format, []);
    expect(await read(path, format)).toEqual([]);
  });
});

it('is Parquet to any reader of it', async () => {
  const path = join(folder, 'any.parquet');
  await writeParquet(path, columns, each(rows), '');
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
  write(path, 'csv', rows);
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

describe.each(['csv', 'jsonl'] as const)('a damaged %s table', (format) => {
  const path = join(folder, `damaged.${format}`);

  it('is refused for a cell that was changed, even with a check of its own', async () => {
    const changed = [...rows[0]!];
    changed[5] = 2;
    write(path, format, [changed, rows[1]!]);
    await expect(read(path, format)).rejects.toThrow(
      'its cells do not match its check: it was damaged or edited',
    );
    write(path, format, [row(0, 'x', 2, 1)]);
    await expect(read(path, format)).rejects.toThrow('"mu_lower" is 2, above "mu_upper", which is 1');
  });
});

it('is sealed as Parquet by the number of its rows and what they are of', async () => {
  const path = join(folder, 'sealed.parquet');
  const sealOf = (of: readonly SweepRow[], width: number) => {
    const seal = new Seal(columns, width);
    for (const each of of) seal.add(each);
    return seal.text;
  };
  await writeParquet(path, columns, each(rows), sealOf(rows, 4));
  expect(await parquetSeal(path)).toBe(sealOf(rows, 4));
  const answered = rows.map((row) => row.slice(0, 4));
  expect(sealOf(answered, 4)).toBe(sealOf(rows, 4));
  for (const other of [rows.slice(1), [...rows, rows[0]!], [rows[1]!, rows[0]!, ...rows.slice(2)]])
    expect(sealOf(other, 4)).not.toBe(sealOf(rows, 4));
  for (const bytes of ['PAR1 nonsense PAR1', readFileSync(path).subarray(0, -1)]) {
    writeFileSync(path, bytes);
    await expect(parquetSeal(path)).rejects.toThrow('it is no Parquet table of this version of gdp');
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
] as const)('refuses %s %j', async (format, text, message) => {
  const path = join(folder, `bad.${format}`);
  writeFileSync(path, text);
  await expect(read(path, format)).rejects.toThrow(message);
});
