import { open, rm, stat, truncate } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import type { Engine } from '../engine.js';
import { claimFile } from '../node/exclusive.js';
import {
  openTable,
  parquetSeal,
  TABLE_FORMATS,
  type TableFormat,
  type UnfinishedLine,
  writeParquet,
} from '../node/table-file.js';
import { asOutput } from '../node/whole-file.js';
import type { SweepCell, SweepColumn, SweepRow } from '../sweep/columns.js';
import { Seal } from '../sweep/intact.js';
import { inlinePool, type SweepPool } from '../sweep/pool.js';
import { errorOf } from '../sweep/rows.js';
import { headerText, rowText, startOfRow, type TextFormat } from '../sweep/table-text.js';
import { type Args, UsageError } from './args.js';
import { type Context, type Flags, type Output, output, value } from './command.js';
import { toJson } from './output.js';
import { INTERRUPTED } from './progress.js';

/** Options of commands that write a table, using all cores. */
export const TABLE_FLAGS: Flags = {
  out: output(
    'FILE',
    'table to write: .parquet, .csv or .jsonl; a run\nthat was interrupted is continued. - prints it',
  ),
  format: value('F', 'format of --out, if its name does not tell:\nparquet, csv or jsonl; csv for -'),
  workers: value('N', 'worker threads (default: the cores)', 'a whole number from 1 to 1024'),
};

/** The number of threads: as asked for, or one per core. */
export function workersOf(args: Args): number {
  return args.number('workers') ?? availableParallelism();
}

/** The format of a table: from the ending of its name, else from `--format`. */
export function formatOf(args: Args, path: string): TableFormat {
  const byName = TABLE_FORMATS.find((format) => path.endsWith(`.${format}`));
  const asked = args.oneOf('format', TABLE_FORMATS);
  if (asked !== (byName ?? asked) && asked !== undefined)
    throw new UsageError(`"--format ${asked}" and the name "${path}" tell two formats`);
  const format = byName ?? asked ?? (path === '-' ? 'csv' : undefined);
  if (path === '-' && format === 'parquet')
    throw new UsageError('"--format parquet" needs a file: --out - prints csv or jsonl');
  if (format !== undefined) return format;
  throw new UsageError(`"${path}" does not end in .parquet, .csv or .jsonl: give --format`);
}

export async function poolOf(workers: number, engine: Engine): Promise<SweepPool> {
  if (workers <= 1) return inlinePool(engine);
  const { threadPool } = await import('../node/thread-pool.js');
  return threadPool({ workers, kernel: engine.kernel.name });
}

interface RowsToCome {
  readonly columns: readonly SweepColumn[];
  /** The cells of a row that are known before it is answered; undefined after the last row. Positions are asked for in order, some twice. */
  given(position: number): Promise<readonly SweepCell[] | undefined>;
  /** What the rows belong to, for messages: "this grid". */
  readonly of: string;
}

/** The destination of rows, in order. Rows of an interrupted run of the same command are kept. */
interface TableOutput {
  /** Number of rows that are kept. */
  readonly kept: number;
  append(rows: readonly SweepRow[]): Promise<void>;
  /** Closes the file. If it is complete, a Parquet file is first made from the text file with its rows. */
  close(whole: boolean): Promise<void>;
}

interface TableRun extends RowsToCome {
  readonly pool: SweepPool;
  /** The rows after the kept ones, until `signal` is aborted. */
  rows(kept: number, signal: AbortSignal): AsyncIterable<readonly SweepRow[]>;
  /** Further facts for the summary, when all rows are written. */
  facts(): object;
}

/** Writes the rows of a run to `out`. SIGINT stops it; it can be continued later. */
export async function writeTable(args: Args, context: Context, run: TableRun): Promise<Output> {
  const { columns, pool } = run;
  const out = args.text('out')!;
  const format = formatOf(args, out);
  const printed: SweepRow[] = [];
  const output =
    out === '-'
      ? printing(printed, format as TextFormat, run, args, context)
      : await openOutput(out, format, run);
  const { kept } = output;
  const stop = new AbortController();
  const interrupt = () => stop.abort();
  process.once('SIGINT', interrupt);
  let failed = 0;
  let written = 0;
  let whole = false;
  try {
    for await (const rows of run.rows(kept, stop.signal)) {
      await output.append(rows);
      written += rows.length;
      for (const row of rows) if (errorOf(columns, row) !== null) failed++;
    }
    whole = true;
  } catch (error) {
    if (!stop.signal.aborted) throw error;
  } finally {
    process.off('SIGINT', interrupt);
    await pool.close();
    await output.close(whole);
  }
  if (!whole) {
    context.note(`interrupted; the same command continues the ${args.name}`);
    return { text: '', exitCode: INTERRUPTED };
  }
  const exitCode = failed > 0 ? 1 : 0;
  if (out === '-') return { text: printedText(printed, format as TextFormat, run, args, context), exitCode };
  if (args.has('json'))
    return { text: toJson({ out, rows: kept + written, kept, failed, ...run.facts() }), exitCode };
  const notes = [
    ...(kept > 0 ? [`${kept} of them were there already`] : []),
    ...(failed > 0 ? [`${failed} could not be answered: see the column error`] : []),
  ];
  const beside = notes.length > 0 ? ` (${notes.join('; ')})` : '';
  return { text: `${out}: ${kept + written} rows${beside}\n`, exitCode };
}

/** Rows for standard output: printed one by one, or at the end if the host cannot print earlier. */
function printing(
  rows: SweepRow[],
  format: TextFormat,
  { columns }: TableRun,
  args: Args,
  { write }: Context,
): TableOutput {
  const streams = write !== undefined && !args.has('json');
  let begun = false;
  return {
    kept: 0,
    append: async (more) => {
      if (!streams) rows.push(...more);
      else
        await write(
          `${begun ? '' : headerText(format, columns)}${more.map((row) => rowText(format, columns, row)).join('')}`,
        );
      begun = true;
    },
    close: async () => {},
  };
}

/** The text that is printed after all rows: everything if the host cannot print earlier, or prints JSON. */
function printedText(
  rows: readonly SweepRow[],
  format: TextFormat,
  { columns, facts }: TableRun,
  args: Args,
  { write }: Context,
): string {
  if (args.has('json')) {
    const objects = rows.map((row) => Object.fromEntries(columns.map(({ name }, i) => [name, row[i]])));
    return toJson({ rows: objects, ...facts() });
  }
  if (write !== undefined) return '';
  return `${headerText(format, columns)}${rows.map((row) => rowText(format, columns, row)).join('')}`;
}

/**
 * Opens the file of a table, to continue it if it holds the first rows of this run. Any other file is left unchanged.
 *
 * @throws UsageError if the file holds anything but the first of these rows; UnwritableOutput if it cannot be
 * written, or another process is writing it.
 */
async function openOutput(path: string, format: TableFormat, rows: RowsToCome): Promise<TableOutput> {
  const release = await claimFile(path);
  try {
    return await opened(path, format, rows, release);
  } catch (error) {
    await release();
    throw error;
  }
}

async function opened(
  path: string,
  format: TableFormat,
  rows: RowsToCome,
  release: () => Promise<void>,
): Promise<TableOutput> {
  const { columns } = rows;
  const seal = new Seal(columns, (await rows.given(0))?.length ?? 0);
  if (format === 'parquet' && (await exists(path))) {
    const stated = await parquetSeal(path);
    let kept = 0;
    for (let cells = await rows.given(0); cells !== undefined; cells = await rows.given(++kept))
      seal.add(cells);
    if (seal.text === stated) return { kept, append: async () => {}, close: release };
    throw new UsageError(
      `${path}: it holds other rows than those of ${rows.of} and this version: give --out another name, or remove the file`,
    );
  }
  // a text file gets rows one by one; a Parquet file is written at the end, from a text file beside it
  const textFormat: TextFormat = format === 'parquet' ? 'jsonl' : format;
  const text = format === 'parquet' ? `${path}.rows.jsonl` : path;
  const { kept, tail } = (await exists(text)) ? await rowsKept(text, textFormat, rows, seal) : { kept: 0 };
  if (tail !== undefined) await asOutput(text, () => truncate(text, tail.start));
  const journal = await asOutput(text, () => open(text, 'a'));
  const write = (lines: string) => asOutput(path, () => journal.appendFile(lines));
  if ((await journal.stat()).size === 0) await write(headerText(textFormat, columns));
  const close = async (whole: boolean) => {
    await journal.close();
    if (format !== 'parquet' || !whole) return;
    await writeParquet(path, columns, (await openTable(text, textFormat)).rows, seal.text);
    await rm(text);
  };
  return {
    kept,
    append: (more) => {
      for (const row of more) seal.add(row);
      return write(more.map((row) => rowText(textFormat, columns, row)).join(''));
    },
    close: (whole) => close(whole).finally(release),
  };
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
  /** The beginning of an interrupted line. */
  readonly tail?: UnfinishedLine;
}

/** The number of rows in a file, each of which must be the next row of this run. */
async function rowsKept(path: string, format: TextFormat, rows: RowsToCome, seal: Seal): Promise<Kept> {
  let tail: UnfinishedLine | undefined;
  const table = await openTable(path, format, (found) => {
    tail = found;
  });
  const { columns } = rows;
  const refuse = (what: string) =>
    new UsageError(`${path}: ${what}: give --out another name, or remove the file`);
  const sameNames =
    table.columns.length === columns.length && columns.every(({ name }, i) => name === table.columns[i].name);
  let kept = 0;
  try {
    if (table.columns.length > 0 && !sameNames) throw refuse(`its columns are not those of ${rows.of}`);
    for (;;) {
      const next = await table.rows.next();
      if (next.done) break;
      const wanted = (await rows.given(kept)) ?? [undefined];
      const cells = next.value;
      if (wanted.some((cell, i) => cell !== cells[i])) {
        throw refuse(`row ${kept + 1} is not of ${rows.of} and this version`);
      }
      seal.add(cells);
      kept++;
    }
  } finally {
    await table.close();
  }
  if (tail === undefined) return { kept };
  const header = format === 'csv' && table.columns.length === 0;
  const given = await rows.given(kept);
  const next = given === undefined ? '' : startOfRow(format, columns, given);
  const start = header ? headerText(format, columns) : next;
  // the line may end within the bytes of a character, which is then read as U+FFFD
  const written = tail.text.replace(/\ufffd+$/, '');
  const length = Math.min(start.length, written.length);
  if (length === 0 || start.slice(0, length) !== written.slice(0, length)) {
    throw refuse('its last line is not the beginning of the next row');
  }
  return { kept, tail };
}
