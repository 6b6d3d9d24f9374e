import { requireOptions, requireWhole, wrongType } from '../errors.js';
import type { SweepRow } from './columns.js';
import { type SweepGrid, sizeOf } from './grid.js';
import type { SweepPool } from './pool.js';

import { requireShard, type Shard, shardAt, shardSize } from './shard.js';

/** Which part of a grid is answered, and who is told. */
export interface SweepOptions {
  /** The part of the grid to answer; default all of it. */
  readonly shard?: Shard;
  /** Rows of the shard, from its first, that are answered already. */
  readonly skip?: number;
  /** Ends the sweep: it throws the signal's reason. What the pool works on ends when the pool is closed. */
  readonly signal?: AbortSignal;
  /** Told the share of the shard that is answered, in [0, 1], skipped rows included. */
  readonly onProgress?: (fraction: number) => void;
}

/** Rows of one task at most, and rows per worker that may be under way: what is held in memory, and how long a row may take before others wait for its turn. */
const LARGEST_TASK = 16;
const ROWS_PER_WORKER = 64;
/** Milliseconds a worker should take for a task: rows are handed over by time, since an interruption loses the rest. */
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
  requirePool(pool);
  requireOptions('sweep', options, ['shard', 'skip', 'signal', 'onProgress']);
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
  const abort = abortOf(signal);
  let next = skip;
  let done = skip;
  try {
    onProgress?.(total === 0 ? 1 : done / total);
    while (done < total) {
      signal?.throwIfAborted();
      for (;;) {
        const count = Math.min(length(), total - next, done + ROWS_PER_WORKER * pool.size - next);
        if (count <= 0) break;
        const from = next;
        const task = pool.run(
          grid,
          Array.from({ length: count }, (_, i) => shardAt(shard, from + i)),
        );
        task.catch(() => {}); // told when its turn comes; until then it is nobody's
        underWay.push(task);
        next += count;
      }
      const rows = await Promise.race([underWay.shift()!, abort.promise]);
      done += rows.length;
      yield rows;
      onProgress?.(done / total);
    }
  } finally {
    abort.forget();
  }
}

function requirePool(pool: SweepPool): void {
  if (typeof pool?.run !== 'function') throw wrongType('pool', 'a pool of workers', pool);
}

/** A promise that rejects with the signal's reason, and never else. */
function abortOf(signal: AbortSignal | undefined): { promise: Promise<never>; forget: () => void } {
  let listener = () => {};
  const promise = new Promise<never>((_, reject) => {
    listener = () => reject(signal?.reason);
    if (signal?.aborted) listener();
    else signal?.addEventListener('abort', listener, { once: true });
  });
  promise.catch(() => {});
  return { promise, forget: () => signal?.removeEventListener('abort', listener) };
}
