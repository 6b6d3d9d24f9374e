import { createReadStream } from 'node:fs';
import { InputSyntaxError, InputTypeError, isInputError, isPlain, quotable } from '../errors.js';
import { parseJson } from '../read/json.js';
import { numberAt } from '../read/json-names.js';
import { requireCommas } from '../read/phase-row.js';
import { type HistoryRow, historyRow } from '../sweep/batch.js';
import { type CsvField, csvFields } from '../sweep/table-reader.js';
import { NUMBER } from '../sweep/table-text.js';
import { underflows } from '../text/typed.js';
import { linesOf } from './lines.js';
import { readableStat, unreadable } from './read-text.js';
import type { TableFormat } from './table-file.js';

/** Number of rows in a block, which is read and answered at once. */
const BLOCK = 4096;
/** Greatest length of a row in bytes; a longer one is reported as failed. */
const LONGEST_ROW = 2 ** 20;

/** Names of columns in the file, mapped to the names under which they are read. */
export type Columns = ReadonlyMap<string, string>;

interface Histories {
  readonly blocks: AsyncGenerator<readonly HistoryRow[], void, undefined>;
  /** The fraction of the file that has been read, if its size is known. */
  readonly fraction: () => number | undefined;
}

/**
 * Opens a file of histories. Rows that cannot be read are reported as failed, and reading goes on.
 *
 * @param path '-' for `stdin`.
 * @param columns Names of columns in the file, mapped to the names under which they are read.
 * @throws UnreadableInput, here or from the rows; SyntaxError from the rows, if it is no such file at all.
 */
export async function openHistories(
  path: string,
  format: TableFormat,
  stdin: () => AsyncIterable<Uint8Array>,
  columns: Columns = new Map(),
): Promise<Histories> {
  const size = path === '-' ? 0 : (await readableStat(path)).size;
  let read = 0;
  const fraction = () => (size > 0 ? Math.min(1, read / size) : undefined);
  if (format === 'parquet') {
    if (path === '-') throw new InputSyntaxError('a Parquet file cannot be read from standard input');
    return { blocks: parquetBlocks(path, columns, (share) => (read = share * size)), fraction };
  }
  async function* chunks() {
    try {
      for await (const chunk of path === '-' ? stdin() : createReadStream(path)) {
        read += chunk.length;
        yield chunk as Uint8Array;
      }
    } catch (error) {
      throw unreadable(path, error);
    }
  }
  return {
    blocks: inBlocks(format === 'csv' ? csvRows(path, columns, chunks()) : jsonRows(chunks())),
    fraction,
  };
}

/** Lines of text that are not blank, without a byte order mark; undefined for a line that is too long. */
async function* linesIn(chunks: AsyncIterable<Uint8Array>, csv: boolean): AsyncGenerator<string | undefined> {
  let first = true;
  for await (const { text } of linesOf(chunks, LONGEST_ROW, csv)) {
    const line = first ? text?.replace(/^\uFEFF/, '') : text;
    first = false;
    if (line?.trim() !== '') yield line?.replace(/\r$/, '');
  }
}

/** The row of a line, or the reason why it could not be read. A line that was too long is undefined. */
function rowOf(
  line: string | undefined,
  fields: (line: string) => Record<string, unknown>,
  cells: boolean,
): HistoryRow {
  try {
    if (line === undefined) throw new InputSyntaxError(`the row is longer than ${LONGEST_ROW} bytes`);
    return historyRow(fields(line), cells);
  } catch (error) {
    if (!isInputError(error)) throw error;
    return { id: null, text: line ?? '', error: error.message };
  }
}

async function* jsonRows(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<HistoryRow, void, undefined> {
  let idType: string | undefined;
  const fieldsOf = (line: string): Record<string, unknown> => {
    const named = numberAt(line, 'id');
    const value = parseJson(line, named);
    if (!isPlain(value)) throw new InputSyntaxError('it is no JSON object');
    const { id = null } = value as Record<string, unknown>;
    if (id === null) return value as Record<string, unknown>;
    idType ??= typeof id;
    // "7" and 7 would be one id
    if (typeof id !== idType)
      throw new InputTypeError(
        `"id" must be ${idType === 'number' ? 'a whole number' : 'a text'} as in the first row`,
      );
    return { ...value, id: typeof id === 'number' ? idOf(named ?? '') : id };
  };
  for await (const line of linesIn(chunks, false)) yield rowOf(line, fieldsOf, false);
}

async function* csvRows(
  path: string,
  columns: Columns,
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<HistoryRow, void, undefined> {
  let names: readonly string[] | undefined;
  for await (const line of linesIn(chunks, true)) {
    if (names === undefined) names = namesOf(path, line ?? '', columns);
    else {
      const all = names;
      const fieldsOf = (text: string): Record<string, unknown> => {
        const fields = csvFields(text);
        if (fields.length !== all.length) {
          const comma =
            fields.length > all.length ? ': a decimal comma, or a comma without quotation marks?' : '';
          throw new InputSyntaxError(`it has ${fields.length} cells instead of ${all.length}${comma}`);
        }
        return Object.fromEntries(all.map((name, i) => [name, csvValue(name, fields[i])]));
      };
      yield rowOf(line, fieldsOf, true);
    }
  }
}

/** The names in the header of a CSV file. @throws SyntaxError if rows cannot be read by them. */
function namesOf(path: string, header: string, columns: Columns): readonly string[] {
  try {
    requireCommas(header);
    return renamed(
      csvFields(header).map(({ text }) => text),
      columns,
    );
  } catch (error) {
    throw isInputError(error) ? new InputSyntaxError(`${path}: ${error.message}`) : error;
  }
}

/** The file's column names, with those replaced that `columns` maps to other names. */
function renamed(given: readonly string[], columns: Columns): readonly string[] {
  const missing = [...columns.keys()].find((name) => !given.includes(name));
  if (missing !== undefined) throw new InputSyntaxError(`it has no column "${quotable(missing)}"`);
  const names = given.map((name) => columns.get(name) ?? name.trim());
  const twice = names.find((name, i) => names.indexOf(name) < i);
  if (twice !== undefined) throw new InputSyntaxError(`it has two columns "${quotable(twice)}"`);
  return names;
}

function csvValue(name: string, { text, quoted }: CsvField): unknown {
  if (!quoted && text === '') return null;
  if (name === 'id') return quoted ? text : idOf(text);
  const x = !quoted && NUMBER.test(text) ? Number(text) : text;
  return fromCell(name, typeof x === 'number' && underflows(x, text) ? text : x);
}

/** An id that is written without quotation marks: a number if its text is how that number is printed, else the text. */
function idOf(text: string): string | number {
  const x = Number(text);
  return Number.isSafeInteger(x) && String(x) === text ? x : text;
}

/** The value of a cell: parsed JSON if the text begins like an array or object, and whole numbers as numbers. */
function fromCell(name: string, cell: unknown): unknown {
  if (typeof cell === 'string' && /^\s*[[{]/.test(cell)) {
    try {
      return parseJson(cell);
    } catch (error) {
      throw new InputSyntaxError(`"${quotable(name)}": ${(error as Error).message}`);
    }
  }
  return plain(cell);
}

/** A value of the Parquet reader as parsed JSON would have it. */
function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (Array.isArray(value)) return value.map(plain);
  if (ArrayBuffer.isView(value)) return Array.from(value as unknown as ArrayLike<number>, plain);
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item)]));
  return value;
}

async function* parquetBlocks(
  path: string,
  columns: Columns,
  onRead: (share: number) => void,
): AsyncGenerator<readonly HistoryRow[], void, undefined> {
  const { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } = await import('hyparquet');
  try {
    const file = await asyncBufferFromFile(path);
    const metadata = await parquetMetadataAsync(file);
    const total = Number(metadata.num_rows);
    for (let rowStart = 0; rowStart < total; rowStart += BLOCK) {
      const rowEnd = Math.min(total, rowStart + BLOCK);
      const found = await parquetReadObjects({ file, metadata, rowStart, rowEnd });
      if (found.length !== rowEnd - rowStart) throw new InputSyntaxError('it ends before its last row');
      onRead(rowEnd / total);
      yield found.map((cells, i) => {
        const names = renamed(Object.keys(cells), columns);
        const fields = Object.values(cells).map((cell, i) => [names[i], fromCell(names[i], cell)]);
        return rowOf(`row ${rowStart + i}`, () => Object.fromEntries(fields), true);
      });
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException)?.syscall !== undefined) throw unreadable(path, error);
    throw new InputSyntaxError(
      `${path}: it is no Parquet file that can be read here (${quotable(String((error as Error)?.message))})`,
    );
  }
}

async function* inBlocks(
  rows: AsyncIterable<HistoryRow>,
): AsyncGenerator<readonly HistoryRow[], void, undefined> {
  let block: HistoryRow[] = [];
  for await (const row of rows) {
    block.push(row);
    if (block.length < BLOCK) continue;
    yield block;
    block = [];
  }
  if (block.length > 0) yield block;
}
