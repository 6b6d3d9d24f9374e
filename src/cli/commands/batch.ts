import { calibrate } from '../../calibrate/calibrate.js';
import type { Engine } from '../../engine.js';
import { InputRangeError, InputSyntaxError } from '../../errors.js';
import { ADJACENCIES } from '../../mechanism/adjacency.js';
import { openHistories } from '../../node/history-file.js';
import { TABLE_FORMATS, type TableFormat } from '../../node/table-file.js';
import { Batch, type HistoryRow, type Solver } from '../../sweep/batch.js';
import { type Args, UsageError } from '../args.js';
import { type Command, list, toggle, value } from '../command.js';
import { nameOf } from '../files.js';
import { progressLine } from '../progress.js';
import { ACCOUNT_FLAGS, accountingOf, engineOf, readOptionsOf } from '../run-source.js';
import { formatOf, poolOf, TABLE_FLAGS, workersOf, writeTable } from '../table-run.js';
import { WINDOW_FLAGS, windowOf } from './mu.js';

export const batch: Command = {
  name: 'batch',
  usage: 'HISTORIES|- [--delta D] --out FILE',
  summary: 'a table of runs, each answered, over all cores',
  examples: ['gdp batch histories.jsonl --delta 1e-5 --out table.csv'],
  operand: `.jsonl, .csv or .parquet, one run in each row: an id, and a
history, a mechanism, or noise_multiplier, sample_rate and
steps (also sigma, q, iterations). A target_epsilon
solves for one of these that is left out. - is standard
input, as JSON lines`,
  flags: {
    ...TABLE_FLAGS,
    'in-format': value('F', 'format of HISTORIES, if its name does not tell:\nparquet, csv or jsonl'),
    columns: list('NAME=OURS[,...]', 'what columns of another name are: sd=noise_multiplier'),
    delta: list('D[,D...]', 'epsilon at each (default 1e-5)', 'a number in [0, 1]'),
    epsilon: list('E[,E...]', 'delta at each'),
    mu: toggle('mu and its regret'),
    ...WINDOW_FLAGS,
    ...ACCOUNT_FLAGS,
  },
  async run(args, context) {
    const [file] = args.operands.length === 1 ? args.operands : [];
    if (file === undefined)
      throw new UsageError('gdp batch needs one file of HISTORIES, or - for standard input');
    formatOf(args, args.required(args.text('out'), 'out', 'gdp batch writes a table; - prints it'));
    const workers = workersOf(args);
    const asked = questionsOf(args);
    const stdin = () => context.stdin;
    const { blocks, fraction } = await openHistories(file, inFormat(args, file), stdin, columnsOf(args));
    const rows = new Rows(blocks);
    if ((await rows.at(0)) === undefined)
      throw new InputSyntaxError(`${nameOf(file)}: it holds no run, so there is nothing to answer`);
    const engine = await engineOf(args, context);
    const pool = await poolOf(workers, engine);
    const solver = (await rows.haveTargets()) ? solverOf(engine, asked) : undefined;
    const answers = new Batch(pool, asked, await rows.idType(), solver);
    const onProgress = context.progress ?? progressLine();
    return writeTable(args, context, {
      columns: answers.columns,
      given: async (position) => {
        const row = await rows.at(position);
        return row && answers.given(row, position);
      },
      of: 'these histories, these questions',
      pool,
      async *rows(kept, signal) {
        for await (const each of answers.answers(rows.from(kept), kept, signal)) {
          yield each;
          const share = fraction();
          if (share !== undefined) onProgress(share);
        }
      },
      facts: () => ({ distinct: answers.distinct }),
    });
  },
};

function questionsOf(args: Args) {
  const measure = args.has('mu');
  const delta = args.numbers('delta', measure || args.has('epsilon') ? [] : [1e-5]);
  const epsilon = args.numbers('epsilon');
  if (!measure) args.without(['alpha-min'], 'needs "--mu"');
  const adjacency = args.oneOf('adjacency', ADJACENCIES);
  return {
    delta,
    epsilon,
    measure,
    ...windowOf(args),
    adjacency,
    ...readOptionsOf(args),
    ...accountingOf(args),
  };
}

/** Columns that a table of histories may have. */
const OURS: readonly string[] = [
  'id',
  'noise_multiplier',
  'sample_rate',
  'steps',
  'history',
  'mechanism',
  'target_epsilon',
  'target_delta',
];

function columnsOf(args: Args): ReadonlyMap<string, string> {
  const pairs = args.texts('columns').flatMap((text) => text.split(','));
  return new Map(
    pairs.map((pair) => {
      const at = pair.lastIndexOf('=');
      const [name, ours] = [pair.slice(0, at).trim(), pair.slice(at + 1).trim()];
      if (at > 0 && OURS.includes(ours)) return [name, ours];
      throw new UsageError(
        `"--columns" must be NAME=OURS with OURS one of ${OURS.join(', ')}, got "${pair}"`,
      );
    }),
  );
}

/** A solver for the missing number of a row. Its δ is the row's own, or the first one asked for. */
function solverOf(engine: Engine, { delta: deltas, adjacency }: ReturnType<typeof questionsOf>): Solver {
  return ({ epsilon, delta = deltas[0] ?? 1e-5, ...run }) => {
    const unknown = (['noiseMultiplier', 'samplingRate', 'steps'] as const).find(
      (name) => run[name] === undefined,
    );
    const neighbours = adjacency === undefined ? {} : { adjacency };
    const answer = calibrate(engine, { epsilon, delta, ...run, ...neighbours, for: unknown! });
    if (!answer.reached) throw new InputRangeError(answer.reason);
    return { value: answer.value, mechanism: answer.mechanism };
  };
}

function inFormat(args: Args, file: string): TableFormat {
  const byName = TABLE_FORMATS.find((each) => file.endsWith(`.${each}`));
  const format = args.oneOf('in-format', TABLE_FORMATS) ?? byName;
  if (format !== undefined) return format;
  if (file === '-') return 'jsonl';
  throw new UsageError(`"${file}" does not end in .parquet, .csv or .jsonl: give --in-format`);
}

/** Rows that arrive in blocks. Positions are asked for in order; the last position may be asked for again. */
class Rows {
  private block: readonly HistoryRow[] = [];
  private start = 0;

  constructor(private readonly blocks: AsyncIterator<readonly HistoryRow[], void>) {}

  /** The type of the ids: whole numbers if all in the first block are. */
  async idType(): Promise<'integer' | 'text'> {
    await this.at(0);
    const ids = this.block.map(({ id }) => id).filter((id) => id !== null);
    return ids.length > 0 && ids.every(Number.isSafeInteger) ? 'integer' : 'text';
  }

  /** Whether the first block has a row with a target ε, for which a missing number is solved. */
  async haveTargets(): Promise<boolean> {
    await this.at(0);
    return this.block.some(({ target }) => target !== undefined);
  }

  /** The row at a position; undefined after the last. */
  async at(position: number): Promise<HistoryRow | undefined> {
    while (position >= this.start + this.block.length) if (!(await this.advance())) return undefined;
    return this.block[position - this.start];
  }

  /** The blocks from a position on. */
  async *from(position: number): AsyncGenerator<readonly HistoryRow[], void, undefined> {
    if ((await this.at(position)) === undefined) return;
    yield this.block.slice(position - this.start);
    while (await this.advance()) yield this.block;
  }

  private async advance(): Promise<boolean> {
    const next = await this.blocks.next();
    if (next.done) return false;
    this.start += this.block.length;
    this.block = next.value;
    return true;
  }
}
