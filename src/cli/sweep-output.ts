import { type FileHandle, open, rm, stat } from 'node:fs/promises';
import { dropPartialLine, openTable, type TableFormat, writeParquet } from '../node/table-file.js';
import { type SweepGrid, sizeOf } from '../sweep/grid.js';
import { givenCells, type SweepRow, sweepColumns } from '../sweep/rows.js';
import { type Shard, shardAt, shardSize } from '../sweep/shard.js';
import { headerText, rowText, type TextFormat } from '../sweep/table-text.js';
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

  /** @throws UsageError if the file holds something else than the first rows of this shard of this grid. */
  static async open(path: string, format: TableFormat, grid: SweepGrid, shard: Shard): Promise<SweepOutput> {
    const total = shardSize(sizeOf(grid), shard);
    if (format === 'parquet' && (await exists(path))) {
      const kept = await rowsKept(path, format, grid, shard);
      if (kept === total) return new SweepOutput(kept, grid, path, format, undefined);
      throw new UsageError(
        `${path}: it holds ${kept} rows of ${total}, and a Parquet file cannot be continued`,
      );
    }
    const [text, textFormat] = textOf(path, format);
    let kept = 0;
    if (await exists(text)) {
      await dropPartialLine(text);
      kept = await rowsKept(text, textFormat, grid, shard);
    }
    const journal = await open(text, 'a');
    if ((await journal.stat()).size === 0)
      await journal.appendFile(headerText(textFormat, sweepColumns(grid)));
    return new SweepOutput(kept, grid, path, format, journal);
  }

  async append(rows: readonly SweepRow[]): Promise<void> {
    const [, format] = textOf(this.path, this.format);
    const columns = sweepColumns(this.grid);
    await this.journal?.appendFile(rows.map((row) => rowText(format, columns, row)).join(''));
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

/** How many rows a file holds, each of which must be the next of this shard. */
async function rowsKept(path: string, format: TableFormat, grid: SweepGrid, shard: Shard): Promise<number> {
  const table = await openTable(path, format).catch((error) => {
    if (error instanceof SyntaxError) throw new UsageError(error.message);
    throw error;
  });
  const names = sweepColumns(grid).map(({ name }) => name);
  const found = table.columns.map(({ name }) => name);
  const refuse = (what: string) =>
    new UsageError(`${path}: ${what}: give --out another name, or remove the file`);
  const total = shardSize(sizeOf(grid), shard);
  let kept = 0;
  try {
    if (found.length > 0 && (found.length !== names.length || names.some((name, i) => name !== found[i]))) {
      throw refuse('its columns are not those of this grid');
    }
    for (let next = await table.rows.next(); !next.done; next = await table.rows.next()) {
      const wanted = kept < total ? givenCells(grid, shardAt(shard, kept)) : [undefined];
      if (wanted.some((cell, i) => cell !== next.value[i])) {
        throw refuse(`row ${kept + 1} is not of this grid, this shard and this version`);
      }
      kept++;
    }
  } catch (error) {
    if (error instanceof SyntaxError) throw new UsageError(error.message);
    throw error;
  } finally {
    await table.close();
  }
  return kept;
}
