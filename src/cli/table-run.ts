import type { Engine } from '../engine.js';
import type { TableFormat } from '../node/table-file.js';
import type { SweepColumn, SweepRow } from '../sweep/columns.js';
import { inlinePool, type SweepPool } from '../sweep/pool.js';
import { errorOf } from '../sweep/rows.js';
import type { Args } from './args.js';
import type { Context, Output } from './command.js';
import { UsageError } from './errors.js';
import { type Flags, output, value } from './flags.js';
import { INTERRUPTED } from './interrupted.js';
import { toJson } from './output.js';
import type { TableOutput } from './table-output.js';

/** Options of a command that writes a table over all cores. */
export const TABLE_FLAGS: Flags = {
  out: output('FILE', 'table to write: .parquet, .csv or .jsonl; a run\nthat was interrupted is continued'),
  format: value('F', 'parquet, csv or jsonl, if the name of FILE does not tell'),
  workers: value('N', 'worker threads (default: the cores)'),
};

export function workersOf(args: Args): number | undefined {
  const expected = 'a whole number from 1 to 1024';
  return args.number('workers', expected, (x) => Number.isInteger(x) && x >= 1 && x <= 1024);
}

/** The format that a table's name tells, or else `--format`. */
export function formatOf(args: Args, path: string): TableFormat {
  const formats = ['parquet', 'csv', 'jsonl'] as const;
  const byName = formats.find((format) => path.endsWith(`.${format}`));
  const format = byName ?? args.oneOf('format', formats);
  if (format !== undefined) return format;
  throw new UsageError(`"${path}" does not end in .parquet, .csv or .jsonl: give --format`);
}

export async function poolOf(workers: number, engine: Engine): Promise<SweepPool> {
  if (workers <= 1) return inlinePool(engine);
  const { threadPool } = await import('../node/thread-pool.js');
  return threadPool({ workers, kernel: engine.kernel.name });
}

interface TableRun {
  readonly output: TableOutput;
  readonly out: string;
  readonly pool: SweepPool;
  readonly columns: readonly SweepColumn[];
  /** The rows after those that are kept, until `signal` is aborted. */
  rows(signal: AbortSignal): AsyncIterable<readonly SweepRow[]>;
  /** What the summary says beside, once all rows are there. */
  facts(): object;
}

/** Writes the rows of a run as they come; SIGINT ends it, to be continued. */
export async function runTable(args: Args, context: Context, run: TableRun): Promise<Output> {
  const { output, out, columns } = run;
  const stop = new AbortController();
  const interrupt = () => stop.abort();
  process.once('SIGINT', interrupt);
  let failed = 0;
  let written = 0;
  let whole = false;
  try {
    for await (const rows of run.rows(stop.signal)) {
      await output.append(rows);
      written += rows.length;
      for (const row of rows) if (errorOf(columns, row) !== null) failed++;
    }
    whole = true;
  } catch (error) {
    if (!stop.signal.aborted) throw error;
  } finally {
    process.off('SIGINT', interrupt);
    await run.pool.close();
    await output.close(whole);
  }
  if (!whole) {
    context.note(`interrupted; the same command continues the ${args.name}`);
    return { text: '', exitCode: INTERRUPTED };
  }
  const { kept } = output;
  const exitCode = failed > 0 ? 1 : 0;
  if (args.has('json'))
    return { text: toJson({ out, rows: kept + written, kept, failed, ...run.facts() }), exitCode };
  const notes = [
    ...(kept > 0 ? [`${kept} of them were there already`] : []),
    ...(failed > 0 ? [`${failed} could not be answered: see the column error`] : []),
  ];
  return {
    text: `${out}: ${kept + written} rows${notes.length > 0 ? ` (${notes.join('; ')})` : ''}\n`,
    exitCode,
  };
}
