import { requireWatch } from '../account/options.js';
import { requireOptions, requireWhole, wrongType } from '../errors.js';
import type { SweepRow } from './columns.js';
import { requireGrid, type SweepGrid, sizeOf } from './grid.js';
import type { SweepPool } from './pool.js';
import { requireShard, type Shard, shardAt, shardSize } from './shard.js';

/** Which part of a grid is answered, what ends the sweep, and what is called as it proceeds. */
export interface SweepOptions {
  /** The part of the grid to answer; default all of it. */
  readonly shard?: Shard;
  /** Number of rows at the beginning of the shard that are answered already. */
  readonly skip?: number;
  /** Ends the sweep, which throws the signal's reason. Running tasks of the pool end when the pool is closed. */
  readonly signal?: AbortSignal;
  /** Called with the share of the shard that is answered, in [0, 1], skipped rows included. */
  readonly onProgress?: (fraction: number) => void;
}

/**
 * Greatest number of rows of one task.
 */
const LARGEST_TASK = 16;
/** Greatest number of rows per worker that are asked for and not returned. It limits memory, and the wait for a slow row. */
const ROWS_PER_WORKER = 64;
/** Wanted milliseconds of a task. Tasks are sized by time, since an interruption loses the running ones. */
const TASK_TIME = 50;

/**
 * Answers a grid, or a shard of it, row by row in the order of the index, several rows at a time.
 * The rows are the same bits whatever the pool and its number of workers. At most 64 rows per worker are held.
 *
 * @throws TypeError | RangeError for a wrong option; `signal.reason` when aborted; whatever a worker throws.
 * @example
 * const settings = parseSweepGrid({ over: { noiseMultiplier: [1, 2], samplingRate: [0.01], steps: [100] }, measure: false });
 * for await (const rows of sweep(inlinePool(engine), settings)) rows[0].length;
 */
export async function* sweep(
  pool: SweepPool,
  grid: SweepGrid,
  options: SweepOptions = {},
): AsyncGenerator<readonly SweepRow[], void, undefined> {
  if (typeof pool?.run !== 'function') throw wrongType('pool', 'a pool of workers', pool);
  requireOptions('sweep', options, ['shard', 'skip', 'signal', 'onProgress']);
  requireGrid(grid);
  requireWatch(options);
  const { signal, onProgress } = options;
  const shard = requireShard(options.shard ?? { index: 0, count: 1 });
  const total = shardSize(sizeOf(grid), shard);
  const skip = requireWhole('skip', options.skip ?? 0, 0, total);
  const longest = Math.min(LARGEST_TASK, Math.max(1, Math.ceil((total - skip) / (16 * pool.size))));
  const start = performance.now();
  const length = (): number => {
    const perRow = (pool.size * (performance.now() - start)) / (done - skip);
    return done === skip ? 1 : Math.min(longest, Math.max(1, Math.floor(TASK_TIME / perRow)));
  };
  const underWay: Promise<SweepRow[]>[] = [];
  let next = skip;
  let done = skip;
  onProgress?.(total === 0 ? 1 : done / total);
  while (done < total) {
    signal?.throwIfAborted();
    for (;;) {
      const count = Math.min(length(), total - next, done + ROWS_PER_WORKER * pool.size - next);
      if (count <= 0) break;
      const from = next;
      const indexes = Array.from({ length: count }, (_, i) => shardAt(shard, from + i));
      const task = pool.run(grid, indexes);
      task.catch(() => {}); // a rejection is handled when the rows of the task are asked for
      underWay.push(task);
      next += count;
    }
    const rows = await unlessAborted(underWay.shift()!, signal);
    done += rows.length;
    yield rows;
    onProgress?.(done / total);
  }
}

/** The result of `work`; rejects with the signal's reason as soon as the signal is aborted. */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  signal?.throwIfAborted();
  let stop = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal?.reason);
    signal?.addEventListener('abort', stop, { once: true });
  });
  return Promise.race([work, aborted]).finally(() => signal?.removeEventListener('abort', stop));
}
