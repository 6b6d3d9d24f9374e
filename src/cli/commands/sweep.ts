import { claimFile } from '../../node/exclusive.js';
import { openTable, type TableFormat, writeTable as writeFile } from '../../node/table-file.js';
import { parseJson } from '../../read/json.js';
import type { SweepRow } from '../../sweep/columns.js';
import type { Coverage } from '../../sweep/coverage.js';
import { parseSweepGrid, type SweepGrid, sizeOf } from '../../sweep/grid.js';
import { columnsOfAll, mergeTables, type SweepTable } from '../../sweep/merge.js';
import { givenCells, sweepColumns } from '../../sweep/rows.js';
import { type Shard, shardAt, shardSize } from '../../sweep/shard.js';
import { sweep as answerGrid } from '../../sweep/sweep.js';
import { type Args, UsageError, withPlace } from '../args.js';
import { type Command, type Context, type Output, toggle, value } from '../command.js';
import { nameOf, neededFile, textOf } from '../files.js';
import { toJson } from '../output.js';
import { progressLine } from '../progress.js';
import { engineOf, toleranceOf } from '../run-source.js';
import { formatOf, poolOf, TABLE_FLAGS, workersOf, writeTable } from '../table-run.js';

export const sweep: Command = {
  name: 'sweep',
  usage: 'GRID|- --out FILE',
  summary: 'a grid of configurations to a table, over all cores',
  examples: ['gdp sweep grid.json --out table.csv --workers 4'],
  operand: `grid as JSON such as {"over": {"noiseMultiplier": [1, 2],
"samplingRate": [0.01], "steps": [1000]}, "epsilon": [1]};
with --merge, the tables of its shards`,
  flags: {
    ...TABLE_FLAGS,
    shard: value('I/N', 'only part I of N, counted from 0'),
    merge: toggle('one table from those of the shards'),
  },
  async run(args, context) {
    const out = args.required(args.text('out'), 'out', 'gdp sweep writes a table; - prints it');
    const format = formatOf(args, out);
    if (args.has('merge') && out === '-') throw new UsageError('"--merge" writes a file: give --out a name');
    if (args.has('merge')) return mergeShards(args, out, format);
    const grid = await readGrid(args, context);
    const shard = shardOf(args);
    const total = shardSize(sizeOf(grid), shard);
    const pool = await poolOf(Math.min(workersOf(args), total), await engineOf(args, context));
    const onProgress = context.progress ?? progressLine(total);
    return writeTable(args, context, {
      columns: sweepColumns(grid),
      given: async (position) => (position < total ? givenCells(grid, shardAt(shard, position)) : undefined),
      of: 'this grid, this shard',
      pool,
      rows: (skip, signal) => answerGrid(pool, grid, { shard, skip, signal, onProgress }),
      facts: () => ({ shard: `${shard.index}/${shard.count}` }),
    });
  },
};

async function mergeShards(args: Args, out: string, format: TableFormat): Promise<Output> {
  if (args.operands.length === 0) throw new UsageError('gdp sweep --merge needs the tables of the shards');
  args.without(
    ['shard', 'workers', 'tolerance'],
    'has no meaning with --merge: its rows are computed already',
  );
  const columns = await withTables(args, columnsOfAll);
  let rows = 0;
  let coverage: Coverage | undefined;
  await withTables(args, async (tables) => {
    async function* counted(): AsyncGenerator<SweepRow> {
      const merged = mergeTables(tables);
      let next = await merged.next();
      for (; !next.done; next = await merged.next()) {
        rows++;
        yield next.value;
      }
      coverage = next.value;
    }
    const release = await claimFile(out);
    await writeFile(out, format, columns, counted()).finally(release);
  });
  const { size = 0, missing = 0, repeated = 0 } = coverage ?? {};
  const complaints = coverage?.complaints() ?? ['the tables hold no rows'];
  const exitCode = complaints.length === 0 ? 0 : 1;
  if (args.has('json')) return { text: toJson({ out, rows, size, missing, repeated, complaints }), exitCode };
  return { text: `${[`${out}: ${rows} rows`, ...complaints].join('; ')}\n`, exitCode };
}

async function withTables<T>(args: Args, use: (tables: readonly SweepTable[]) => Promise<T>): Promise<T> {
  const formats = args.operands.map((path) => formatOf(args, path));
  const tables: SweepTable[] = [];
  try {
    for (const [i, path] of args.operands.entries()) tables.push(await openTable(path, formats[i]));
    return await use(tables);
  } finally {
    for (const table of tables) await table.close();
  }
}

async function readGrid(args: Args, context: Context): Promise<SweepGrid> {
  const file = neededFile(args, 'a GRID: a JSON file, or - for standard input');
  const text = await textOf(file, context);
  const { tolerance } = toleranceOf(args);
  return withPlace(nameOf(file), async () => {
    const given = parseJson(text);
    return parseSweepGrid(tolerance === undefined ? given : { ...(given as object), tolerance });
  });
}

function shardOf(args: Args): Shard {
  const text = args.text('shard');
  if (text === undefined) return { index: 0, count: 1 };
  const match = /^(\d{1,7})\/(\d{1,7})$/.exec(text);
  const [index, count] = [Number(match?.[1]), Number(match?.[2])];
  if (match === null || index >= count || count > 1e6) {
    throw new UsageError(`"--shard" must be I/N with 0 <= I < N <= 1000000, got "${text}"`);
  }
  return { index, count };
}
