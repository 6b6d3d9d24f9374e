import { open, writeFile } from 'node:fs/promises';
import { InputSyntaxError } from '../errors.js';
import { Crc32 } from '../numeric/crc32.js';
import type { SweepCell, SweepColumn, SweepRow } from '../sweep/columns.js';
import { requireIntact } from '../sweep/intact.js';
import type { SweepTable } from '../sweep/merge.js';
import { cellOf, TableReader } from '../sweep/table-reader.js';
import { headerText, rowText, type TextFormat } from '../sweep/table-text.js';
import { VERSION } from '../version.js';
import { linesOf } from './lines.js';
import { readableStat, unreadable } from './read-text.js';
import { writeWhole } from './whole-file.js';

export const TABLE_FORMATS = ['parquet', 'csv', 'jsonl'] as const;
export type TableFormat = (typeof TABLE_FORMATS)[number];

/** Rows of a Parquet row group: what is held in memory when one is read or written. */
const GROUP = 10_000;
const LONGEST_LINE = 16 * 1024 * 1024;

/** A last line that no line break ends: its writing was interrupted. */
export interface Tail {
  readonly text: string;
  /** Where it begins in the file, in bytes. */
  readonly start: number;
}

/**
 * The table in a file, read as its rows are asked for. Every row is held against its own check.
 *
 * @param onTail Told of a last line that is not whole, which is an error without it; text formats only.
 * @throws UnreadableInput if it is missing, a directory or not permitted; SyntaxError, also from the rows, if it is no
 * such table, or a damaged one.
 */
export async function openTable(
  path: string,
  format: TableFormat,
  onTail?: (tail: Tail) => void,
): Promise<SweepTable> {
  await readableStat(path);
  return format === 'parquet' ? openParquet(path) : openText(path, format, onTail);
}

async function openText(
  path: string,
  format: TextFormat,
  onTail?: (tail: Tail) => void,
): Promise<SweepTable> {
  const reader = new TableReader(format);
  const rows = textRows(path, reader, onTail);
  const first = await rows.next();
  async function* all() {
    if (!first.done) yield first.value;
    yield* rows;
  }
  return { name: path, columns: reader.columns, rows: all(), close: async () => void (await rows.return()) };
}

async function* textRows(
  path: string,
  reader: TableReader,
  onTail?: (tail: Tail) => void,
): AsyncGenerator<SweepRow, void, undefined> {
  let count = 0;
  let start = 0;
  const file = await open(path, 'r');
  try {
    for await (const { text, end, whole } of linesOf(
      file.createReadStream({ autoClose: false }),
      LONGEST_LINE,
      reader.format === 'csv',
    )) {
      count++;
      try {
        if (text === undefined) throw new InputSyntaxError('it is too long for such a table');
        if (whole) {
          const row = reader.row(text);
          if (row !== undefined) yield row;
        } else if (onTail === undefined) throw new InputSyntaxError('the last line is not whole');
        else onTail({ text, start });
      } catch (error) {
        if (!(error instanceof SyntaxError)) throw error;
        throw new InputSyntaxError(`${path}, line ${count}: ${error.message}`);
      }
      start = end;
    }
  } finally {
    await file.close();
  }
}

/**
 * Key of a Parquet file's metadata under which the CRC-32 of the whole file stands, in eight hexadecimal digits that
 * are themselves taken as 0. The writer puts this metadata behind that of the columns, near the end of the file.
 */
const DIGEST = 'gdp-kernel.crc32=';
const UNSEALED = '00000000';
/** Bytes at the end of a file in which the digest is looked for. */
const END = 4096;

/** Where the digits of a Parquet file's digest stand in it, what they say and what they should say. */
async function digestOf(path: string): Promise<{ at: number; stated: string; digest: string }> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const from = Math.max(0, size - END);
    const end = Buffer.alloc(size - from);
    await file.read(end, 0, end.length, from);
    const found = end.lastIndexOf(DIGEST);
    if (found < 0) throw new InputSyntaxError('it has no digest');
    const at = from + found + DIGEST.length;
    const crc = new Crc32();
    if (at > 0)
      for await (const chunk of file.createReadStream({ autoClose: false, start: 0, end: at - 1 }))
        crc.add(chunk);
    crc.add(Buffer.from(UNSEALED));
    crc.add(end.subarray(at + UNSEALED.length - from));
    const stated = end.toString('latin1', at - from, at - from + UNSEALED.length);
    return { at, stated, digest: crc.value.toString(16).padStart(UNSEALED.length, '0') };
  } finally {
    await file.close();
  }
}

async function sealParquet(path: string): Promise<void> {
  const { at, stated, digest } = await digestOf(path);
  if (stated !== UNSEALED) throw new Error('the place kept for the digest is not near the end of the file');
  const file = await open(path, 'r+');
  await file.write(digest, at).finally(() => file.close());
}

async function openParquet(path: string): Promise<SweepTable> {
  const { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } = await import('hyparquet');
  const file = await asyncBufferFromFile(path);
  // the reader trusts every length in the file, so damage is looked for before it sees one
  const { stated, digest } = await readable(path, () => digestOf(path));
  if (stated !== digest) {
    throw new InputSyntaxError(
      `${path}: it does not match its digest: it was damaged, or gdp sweep did not write it`,
    );
  }
  const metadata = await readable(path, () => parquetMetadataAsync(file));
  const columns = await readable(path, async () => columnsOf(metadata.schema));
  const total = Number(metadata.num_rows);
  const inGroups = metadata.row_groups.reduce((sum, { num_rows }) => sum + Number(num_rows), 0);
  if (inGroups !== total) throw new InputSyntaxError(`${path}: it has ${inGroups} rows instead of ${total}`);
  async function* rows() {
    for (let rowStart = 0; rowStart < total; rowStart += GROUP) {
      const rowEnd = Math.min(total, rowStart + GROUP);
      const group = await readable(path, () => parquetReadObjects({ file, metadata, rowStart, rowEnd }));
      if (group.length !== rowEnd - rowStart)
        throw new InputSyntaxError(`${path}: it ends before its last row`);
      for (const [i, found] of group.entries())
        yield rowOf(`${path}, row ${rowStart + i + 1}`, columns, found);
    }
  }
  return { name: path, columns, rows: rows(), close: async () => {} };
}

/** What reading a Parquet file gives; whatever the reader stumbles over is the file's fault. */
async function readable<T>(path: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if ((error as NodeJS.ErrnoException)?.syscall !== undefined) throw unreadable(path, error);
    throw new InputSyntaxError(`${path}: it is no Parquet table of gdp sweep, or a damaged one`);
  }
}

const PARQUET_TYPES = { integer: 'INT64', number: 'DOUBLE', text: 'STRING' } as const;

function columnsOf(schema: readonly { readonly name: string; readonly type?: string }[]): SweepColumn[] {
  const types: Readonly<Record<string, SweepColumn['type']>> = { INT64: 'integer', DOUBLE: 'number' };
  const columns = schema.slice(1).map(({ name, type = '' }) => ({ name, type: types[type] ?? 'text' }));
  if (columns[0]?.name !== 'index') throw new InputSyntaxError('the first column is not "index"');
  return columns;
}

function rowOf(place: string, columns: readonly SweepColumn[], found: Record<string, unknown>): SweepRow {
  try {
    const row = columns.map((column) => cellOf(column, found[column.name]));
    requireIntact(columns, row);
    return row;
  } catch (error) {
    throw error instanceof SyntaxError ? new InputSyntaxError(`${place}: ${error.message}`) : error;
  }
}

/** Writes a file of rows, which appears under its name once it is whole. */
export async function writeTable(
  path: string,
  format: TableFormat,
  columns: readonly SweepColumn[],
  rows: AsyncIterable<SweepRow>,
): Promise<void> {
  if (format === 'parquet') return writeParquet(path, columns, rows);
  async function* lines() {
    yield headerText(format as TextFormat, columns);
    for await (const row of rows) yield rowText(format as TextFormat, columns, row);
  }
  await writeWhole(path, (file) => writeFile(file, lines()));
}

/** Whole numbers as INT64, others as DOUBLE, text as UTF-8. */
async function writeParquet(
  path: string,
  columns: readonly SweepColumn[],
  rows: AsyncIterable<SweepRow>,
): Promise<void> {
  const { fileWriter, parquetWriteRows } = await import('hyparquet-writer');
  const written = (cell: SweepCell, { type }: SweepColumn) =>
    type === 'integer' && cell !== null ? BigInt(cell) : cell;
  async function* objects() {
    for await (const row of rows) {
      yield Object.fromEntries(columns.map((column, i) => [column.name, written(row[i], column)]));
    }
  }
  await writeWhole(path, async (file) => {
    await parquetWriteRows({
      writer: fileWriter(file),
      rows: objects(),
      columns: columns.map(({ name, type }) => ({
        name,
        type: PARQUET_TYPES[type],
        nullable: name !== 'index',
      })),
      rowGroupSize: GROUP,
      createdBy: `gdp-kernel ${VERSION}`,
      kvMetadata: [{ key: DIGEST, value: `${DIGEST}${UNSEALED}` }],
    });
    await sealParquet(file);
  });
}
