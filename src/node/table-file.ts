import { open } from 'node:fs/promises';
import { InputSyntaxError } from '../errors.js';
import type { SweepCell, SweepColumn, SweepRow } from '../sweep/columns.js';
import { TableReader } from '../sweep/table-reader.js';
import type { TextFormat } from '../sweep/table-text.js';
import { VERSION } from '../version.js';
import { linesOf } from './lines.js';
import { readableStat, unreadable } from './read-text.js';
import { writeWhole } from './whole-file.js';

export const TABLE_FORMATS = ['parquet', 'csv', 'jsonl'] as const;
export type TableFormat = (typeof TABLE_FORMATS)[number];

/** Number of rows of a Parquet row group, which is held in memory until it is written. */
const GROUP = 10_000;
/** Greatest length of a line in bytes. */
const LONGEST_LINE = 16 * 1024 * 1024;

/** A table to read: its columns, and its rows in the order of their index. */
interface TextTable {
  /** Empty for an empty file. For a CSV file without rows the names are known, and the types of axes are not. */
  readonly columns: readonly SweepColumn[];
  readonly rows: AsyncGenerator<SweepRow, void, undefined>;
  /** Closes the file; whoever opened the table calls it. */
  close(): Promise<void>;
}

/** A last line without a line break, because its writing was interrupted. */
export interface UnfinishedLine {
  readonly text: string;
  /** Where it begins in the file, in bytes. */
  readonly start: number;
}

/**
 * The table in a text file, read as its rows are asked for. The checksum of every row is verified.
 *
 * @param onTail Called with a last line that is not complete, which is an error without it.
 * @throws UnreadableInput if it is missing, a directory or not permitted; SyntaxError, also from the rows, if it is no
 * such table, or a damaged one.
 */
export async function openTable(
  path: string,
  format: TextFormat,
  onTail?: (tail: UnfinishedLine) => void,
): Promise<TextTable> {
  await readableStat(path);
  const reader = new TableReader(format);
  const rows = textRows(path, reader, onTail);
  const first = await rows.next();
  async function* all() {
    if (!first.done) yield first.value;
    yield* rows;
  }
  return { columns: reader.columns, rows: all(), close: async () => void (await rows.return()) };
}

async function* textRows(
  path: string,
  reader: TableReader,
  onTail?: (tail: UnfinishedLine) => void,
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

/** The key in a Parquet file's metadata of the digest of its rows. */
const SEAL = 'gdp-kernel.rows';

/**
 * The digest of the rows of a Parquet file.
 * @throws SyntaxError if it has none, UnreadableInput if it cannot be read.
 */
export async function parquetSeal(path: string): Promise<string> {
  const { asyncBufferFromFile, parquetMetadataAsync } = await import('hyparquet');
  const metadata = await asyncBufferFromFile(path)
    .then(parquetMetadataAsync)
    .catch((error) => {
      if (error?.syscall !== undefined) throw unreadable(path, error);
    });
  const seal = metadata?.key_value_metadata?.find(({ key }) => key === SEAL)?.value;
  if (seal !== undefined) return seal;
  throw new InputSyntaxError(`${path}: it is no Parquet table of this version of gdp, or a damaged one`);
}

const PARQUET_TYPES = { integer: 'INT64', number: 'DOUBLE', text: 'STRING' } as const;

/** Writes a Parquet file, which appears under its name once it is whole. Whole numbers as INT64, others as DOUBLE, text as UTF-8. */
export async function writeParquet(
  path: string,
  columns: readonly SweepColumn[],
  rows: AsyncIterable<SweepRow>,
  seal: string,
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
      kvMetadata: [{ key: SEAL, value: seal }],
    });
  });
}
