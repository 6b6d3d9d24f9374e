import type { EngineOptions } from '../engine.js';
import { requireOptions, requireWhole } from '../errors.js';
import { type SweepPool, sweepPool } from '../sweep/pool.js';
import { startThread } from './start-thread.js';

/**
 * A pool of Node worker threads, each with an engine of its own. Threads without work do not keep the process alive.
 *
 * @param options.workers How many threads.
 * @throws TypeError | RangeError for a wrong option.
 * @example
 * const pool = await threadPool({ workers: 1 });
 * await pool.close();
 */
export async function threadPool(options: {
  workers: number;
  kernel?: NonNullable<EngineOptions['kernel']>;
}): Promise<SweepPool> {
  requireOptions('threadPool', options, ['workers', 'kernel']);
  const workers = requireWhole('workers', options?.workers, 1, 1024);
  const { kernel = 'auto' } = options;
  const url = new URL('./sweep-worker.js', import.meta.url);
  return sweepPool(workers, kernel, startThread(url));
}
