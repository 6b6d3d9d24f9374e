import { type FileHandle, open, rm, stat, truncate } from 'node:fs/promises';
import { claimFile } from '../node/exclusive.js';
import { openTable, type TableFormat, type Tail, writeParquet } from '../node/table-file.js';
import { asOutput } from '../node/whole-file.js';
import type { SweepCell, SweepColumn, SweepRow } from '../sweep/columns.js';
import { headerText, rowText, startOfRow, type TextFormat } from '../sweep/table-text.js';
import { UsageError } from './errors.js';

/** The rows that a table is to hold. */
interface RowsToCome {
  readonly columns: readonly SweepColumn[];
  /** The first cells of a row, which are known before it is answered; nothing past the last. Asked for in order, the last again. */
  given(position: number): Promise<readonly SweepCell[] | undefined>;
  /** What the rows are of, as messages call it: "this grid". */
  readonly of: string;
}

/** What is held while rows are written: the file they are appended to, where there are rows to come, and the claim to be its one writer. */
interface Held {
  readonly journal?: FileHandle;
  readonly release: () => Promise<void>;
}

/** Where rows go, in order; those of an earlier run of the same that was interrupted are kept. */
export class TableOutput {
  private constructor(
    /** Rows that were there already. */
    readonly kept: number,
    private readonly columns: readonly SweepColumn[],
    private readonly path: string,
    private readonly format: TableFormat,
    private readonly held: Held,
  ) {}

  /**
   * Changes nothing in a file that holds something else, or that another process is writing.
   *
   * @throws UsageError if the file holds something else than the first of these rows; UnwritableOutput if it cannot be
   * written.
   */
  static async open(path: string, format: TableFormat, rows: RowsToCome): Promise<TableOutput> {
    const release = await claimFile(path);
    try {
      return await TableOutput.opened(path, format, rows, release);
    } catch (error) {
      await release();
      throw error;
    }
  }

  private static async opened(
    path: string,
    format: TableFormat,
    rows: RowsToCome,
    release: () => Promise<void>,
  ): Promise<TableOutput> {
    const { columns } = rows;
    if (format === 'parquet' && (await exists(path))) {
      const { kept } = await rowsKept(path, format, rows);
      if ((await rows.given(kept)) === undefined)
        return new TableOutput(kept, columns, path, format, { release });
      throw new UsageError(
        `${path}: it holds the first ${kept} rows alone, and a Parquet file cannot be continued`,
      );
    }
    const [text, textFormat] = textOf(path, format);
    let kept = 0;
    if (await exists(text)) {
      const found = await rowsKept(text, textFormat, rows);
      kept = found.kept;
      const { tail } = found;
      if (tail !== undefined) await asOutput(text, () => truncate(text, tail.start));
    }
    const journal = await asOutput(text, () => open(text, 'a'));
    const output = new TableOutput(kept, columns, path, format, { journal, release });
    if ((await journal.stat()).size === 0) await output.write(headerText(textFormat, columns));
    return output;
  }

  async append(rows: readonly SweepRow[]): Promise<void> {
    const [, format] = textOf(this.path, this.format);
    await this.write(rows.map((row) => rowText(format, this.columns, row)).join(''));
  }

  /** Closes the file; once all rows are there, turns the journal of a Parquet file into it. */
  async close(whole: boolean): Promise<void> {
    await this.finished(whole).finally(this.held.release);
  }

  private async finished(whole: boolean): Promise<void> {
    const { journal } = this.held;
    await journal?.close();
    if (this.format !== 'parquet' || !whole || journal === undefined) return;
    const [text, format] = textOf(this.path, this.format);
    const { rows } = await openTable(text, format);
    await writeParquet(this.path, this.columns, rows);
    await rm(text);
  }

  private async write(text: string): Promise<void> {
    await asOutput(this.path, async () => this.held.journal?.appendFile(text));
  }
}

/** Rows are written to a text file as they come; for Parquet, to one beside it. */
function textOf(path: string, format: TableFormat): [string, TextFormat] {
  return format === 'parquet' ? [`${path}.rows.jsonl`, 'jsonl'] : [path, format];
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => {
      if (found.isFile()) return true;
      throw new UsageError(`${path}: it is not a file`);
    },
    () => false,
  );
}

interface Kept {
  readonly kept: number;
  /** The beginning of the next line, whose writing was interrupted. */
  readonly tail?: Tail;
}

/** How many rows a file holds, each of which must be the next of those to come. */
async function rowsKept(path: string, format: TableFormat, rows: RowsToCome): Promise<Kept> {
  let tail: Tail | undefined;
  const table = await asInput(() =>
    openTable(path, format, (found) => {
      tail = found;
    }),
  );
  const { columns } = rows;
  const refuse = (what: string) =>
    new UsageError(`${path}: ${what}: give --out another name, or remove the file`);
  const sameNames =
    table.columns.length === columns.length && columns.every(({ name }, i) => name === table.columns[i].name);
  let kept = 0;
  try {
    if (table.columns.length > 0 && !sameNames) throw refuse(`its columns are not those of ${rows.of}`);
    for (;;) {
      const next = await asInput(() => table.rows.next());
      if (next.done) break;
      const wanted = (await rows.given(kept)) ?? [undefined];
      const cells = next.value;
      if (wanted.some((cell, i) => cell !== cells[i])) {
        throw refuse(`row ${kept + 1} is not of ${rows.of} and this version`);
      }
      kept++;
    }
  } finally {
    await table.close();
  }
  if (tail === undefined) return { kept };
  const header = format === 'csv' && table.columns.length === 0;
  const given = await rows.given(kept);
  const next = given === undefined ? '' : startOfRow(format as TextFormat, columns, given);
  const start = header ? headerText(format as TextFormat, columns) : next;
  // a character may have been cut
  const written = tail.text.replace(/\ufffd+$/, '');
  const length = Math.min(start.length, written.length);
  if (length === 0 || start.slice(0, length) !== written.slice(0, length)) {
    throw refuse('its last line is not the beginning of the next row');
  }
  return { kept, tail };
}

async function asInput<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw error instanceof SyntaxError ? new UsageError(error.message) : error;
  }
}
