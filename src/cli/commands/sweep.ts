import { parseJson } from '../../read/json.js';
import { parseSweepGrid, type SweepGrid, sizeOf } from '../../sweep/grid.js';
import { givenCells, sweepColumns } from '../../sweep/rows.js';
import { type Shard, shardAt, shardSize } from '../../sweep/shard.js';
import { sweep as answerGrid } from '../../sweep/sweep.js';
import { type Args, UsageError, withPlace } from '../args.js';
import { type Command, type Context, value } from '../command.js';
import { nameOf, neededFile, textOf } from '../files.js';
import { progressLine } from '../progress.js';
import { engineOf, toleranceOf } from '../run-source.js';
import { formatOf, poolOf, TABLE_FLAGS, workersOf, writeTable } from '../table-run.js';

export const sweep: Command = {
  name: 'sweep',
  usage: 'GRID|- --out FILE',
  summary: 'a grid of configurations to a table, over all cores',
  examples: ['gdp sweep grid.json --out table.csv --workers 4'],
  operand: `grid as JSON such as {"over": {"noiseMultiplier": [1, 2],
"samplingRate": [0.01], "steps": [1000]}, "epsilon": [1]}`,
  flags: {
    ...TABLE_FLAGS,
    shard: value('I/N', 'only part I of N, counted from 0'),
  },
  async run(args, context) {
    const out = args.required(args.text('out'), 'out', 'gdp sweep writes a table; - prints it');
    formatOf(args, out);
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
