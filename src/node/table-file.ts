import { access, constants, open, rename, truncate } from 'node:fs/promises';
import type { SweepTable } from '../sweep/merge.js';
import { knownType, type SweepCell, type SweepColumn, type SweepRow } from '../sweep/rows.js';
import { TableReader, type TextFormat } from '../sweep/table-text.js';
import { VERSION } from '../version.js';
import { unreadable } from './read-text.js';

export type TableFormat = TextFormat | 'parquet';

/** Rows of a Parquet row group: what is held in memory when one is read or written. */
const GROUP = 10_000;
const LONGEST_LINE = 16 * 1024 * 1024;

/**
 * The table in a file, read as its rows are asked for.
 *
 * @throws UnreadableInput if it is missing, a directory or not permitted; SyntaxError, also from the rows, if it is no such table.
 */
export async function openTable(path: string, format: TableFormat): Promise<SweepTable> {
  await access(path, constants.R_OK).catch((error) => {
    throw unreadable(path, error);
  });
  return format === 'parquet' ? openParquet(path) : openText(path, format);
}

async function openText(path: string, format: TextFormat): Promise<SweepTable> {
  const reader = new TableReader(format);
  const rows = textRows(path, reader);
  const first = await rows.next();
  async function* all() {
    if (!first.done) yield first.value;
    yield* rows;
  }
  return {
    name: path,
    columns: reader.columns ?? [],
    rows: all(),
    close: async () => void (await rows.return()),
  };
}

async function* textRows(path: string, reader: TableReader): AsyncGenerator<SweepRow, void, undefined> {
  let count = 0;
  for await (const { text, whole } of linesOf(path)) {
    count++;
    try {
      if (!whole) throw new SyntaxError('the last line is not whole');
      const row = reader.row(text);
      if (row !== undefined) yield row;
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      throw new SyntaxError(`${path}, line ${count}: ${error.message}`);
    }
  }
}

interface Line {
  readonly text: string;
  /** Where it ends in the file, in bytes, its line break included. */
  readonly end: number;
  /** Whether a line break ends it; only the last may lack one. */
  readonly whole: boolean;
}

async function* linesOf(path: string): AsyncGenerator<Line, void, undefined> {
  const file = await open(path, 'r');
  try {
    let rest: Buffer<ArrayBufferLike> = Buffer.alloc(0);
    let start = 0;
    for await (const chunk of file.createReadStream({ autoClose: false })) {
      rest = Buffer.concat([rest, chunk as Buffer]);
      let from = 0;
      for (let at = rest.indexOf(10); at >= 0; at = rest.indexOf(10, from)) {
        yield { text: rest.toString('utf8', from, at), end: start + at + 1, whole: true };
        from = at + 1;
      }
      start += from;
      rest = rest.subarray(from);
      if (rest.length > LONGEST_LINE) throw new SyntaxError(`${path}: a line is too long for such a table`);
    }
    if (rest.length > 0) yield { text: rest.toString('utf8'), end: start + rest.length, whole: false };
  } finally {
    await file.close();
  }
}

/** Cuts off what follows the last line break of a file: a line whose writing was interrupted. */
export async function dropPartialLine(path: string): Promise<void> {
  let end = 0;
  for await (const line of linesOf(path)) if (line.whole) end = line.end;
  await truncate(path, end);
}

async function openParquet(path: string): Promise<SweepTable> {
  const { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } = await import('hyparquet');
  const file = await asyncBufferFromFile(path);
  const metadata = await parquetMetadataAsync(file);
  const columns = metadata.schema.slice(1).map(
    ({ name, type }): SweepColumn => ({
      name,
      type: knownType(name) ?? (type === 'DOUBLE' ? 'number' : 'text'),
    }),
  );
  if (columns[0]?.name !== 'index') throw new SyntaxError(`${path}: the first column is not "index"`);
  async function* rows() {
    const total = Number(metadata.num_rows);
    for (let rowStart = 0; rowStart < total; rowStart += GROUP) {
      const rowEnd = Math.min(total, rowStart + GROUP);
      for (const row of await parquetReadObjects({ file, metadata, rowStart, rowEnd })) {
        yield columns.map(({ name }) => (row[name] ?? null) as SweepCell);
      }
    }
  }
  return { name: path, columns, rows: rows(), close: async () => {} };
}

/** Writes a Parquet file: numbers as DOUBLE, the index as INT32, text as UTF-8. It appears under its name once it is whole. */
export async function writeParquet(
  path: string,
  columns: readonly SweepColumn[],
  rows: AsyncIterable<SweepRow>,
): Promise<void> {
  const { fileWriter, parquetWriteRows } = await import('hyparquet-writer');
  const types = { integer: 'INT32', number: 'DOUBLE', text: 'STRING' } as const;
  async function* objects() {
    for await (const row of rows) yield Object.fromEntries(columns.map(({ name }, i) => [name, row[i]]));
  }
  const partial = `${path}.partial`;
  await parquetWriteRows({
    writer: fileWriter(partial),
    rows: objects(),
    columns: columns.map(({ name, type }) => ({ name, type: types[type], nullable: name !== 'index' })),
    rowGroupSize: GROUP,
    createdBy: `gdp-kernel ${VERSION}`,
  });
  await rename(partial, path);
}
