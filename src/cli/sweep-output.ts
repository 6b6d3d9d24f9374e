import { type FileHandle, open, rm, stat, truncate } from 'node:fs/promises';
import { openTable, type TableFormat, type Tail, writeParquet } from '../node/table-file.js';
import { asOutput } from '../node/whole-file.js';
import type { SweepRow } from '../sweep/columns.js';
import { type SweepGrid, sizeOf } from '../sweep/grid.js';
import { givenCells, sweepColumns } from '../sweep/rows.js';
import { type Shard, shardAt, shardSize } from '../sweep/shard.js';
import { headerText, rowText, startOfRow, type TextFormat } from '../sweep/table-text.js';
import { UsageError } from './errors.js';

/** Where a sweep's rows go, in order; rows of an earlier, interrupted sweep of the same grid and shard are kept. */
export class SweepOutput {
  private constructor(
    /** Rows that were there already. */
    readonly kept: number,
    private readonly grid: SweepGrid,
    private readonly path: string,
    private readonly format: TableFormat,
    private readonly journal: FileHandle | undefined,
  ) {}

  /**
   * Changes nothing in a file that holds something else.
   *
   * @throws UsageError if the file holds something else than the first rows of this shard of this grid;
   * UnwritableOutput if it cannot be written.
   */
  static async open(path: string, format: TableFormat, grid: SweepGrid, shard: Shard): Promise<SweepOutput> {
    const total = shardSize(sizeOf(grid), shard);
    if (format === 'parquet' && (await exists(path))) {
      const { kept } = await rowsKept(path, format, grid, shard);
      if (kept === total) return new SweepOutput(kept, grid, path, format, undefined);
      throw new UsageError(
        `${path}: it holds ${kept} rows of ${total}, and a Parquet file cannot be continued`,
      );
    }
    const [text, textFormat] = textOf(path, format);
    let kept = 0;
    if (await exists(text)) {
      const found = await rowsKept(text, textFormat, grid, shard);
      kept = found.kept;
      const { tail } = found;
      if (tail !== undefined) await asOutput(text, () => truncate(text, tail.start));
    }
    const journal = await asOutput(text, () => open(text, 'a'));
    const output = new SweepOutput(kept, grid, path, format, journal);
    if ((await journal.stat()).size === 0) await output.write(headerText(textFormat, sweepColumns(grid)));
    return output;
  }

  async append(rows: readonly SweepRow[]): Promise<void> {
    const [, format] = textOf(this.path, this.format);
    const columns = sweepColumns(this.grid);
    await this.write(rows.map((row) => rowText(format, columns, row)).join(''));
  }

  /** Closes the file; once all rows are there, turns the journal of a Parquet file into it. */
  async close(whole: boolean): Promise<void> {
    await this.journal?.close();
    if (this.format !== 'parquet' || !whole || this.journal === undefined) return;
    const [text, format] = textOf(this.path, this.format);
    const { rows } = await openTable(text, format);
    await writeParquet(this.path, sweepColumns(this.grid), rows);
    await rm(text);
  }

  private async write(text: string): Promise<void> {
    await asOutput(this.path, async () => this.journal?.appendFile(text));
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

/** How many rows a file holds, each of which must be the next of this shard. */
async function rowsKept(path: string, format: TableFormat, grid: SweepGrid, shard: Shard): Promise<Kept> {
  let tail: Tail | undefined;
  const table = await asInput(() =>
    openTable(path, format, (found) => {
      tail = found;
    }),
  );
  const columns = sweepColumns(grid);
  const refuse = (what: string) =>
    new UsageError(`${path}: ${what}: give --out another name, or remove the file`);
  const total = shardSize(sizeOf(grid), shard);
  const given = (position: number) => givenCells(grid, shardAt(shard, position));
  const sameNames =
    table.columns.length === columns.length && columns.every(({ name }, i) => name === table.columns[i].name);
  let kept = 0;
  try {
    if (table.columns.length > 0 && !sameNames) throw refuse('its columns are not those of this grid');
    for (;;) {
      const next = await asInput(() => table.rows.next());
      if (next.done) break;
      const wanted = kept < total ? given(kept) : [undefined];
      const cells = next.value;
      if (wanted.some((cell, i) => cell !== cells[i])) {
        throw refuse(`row ${kept + 1} is not of this grid, this shard and this version`);
      }
      kept++;
    }
  } finally {
    await table.close();
  }
  if (tail === undefined) return { kept };
  const header = format === 'csv' && table.columns.length === 0;
  const next = kept < total ? startOfRow(format as TextFormat, columns, given(kept)) : '';
  const start = header ? headerText(format as TextFormat, columns) : next;
  // a character may have been cut
  const written = tail.text.replace(/\ufffd+$/, '');
  const length = Math.min(start.length, written.length);
  if (length === 0 || start.slice(0, length) !== written.slice(0, length)) {
    throw refuse('its last line is not the beginning of the next row of this grid');
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
