import type { EngineOptions } from '../engine.js';
import { requireOptions, requireWhole } from '../errors.js';
import type { SweepPool, SweepTask } from '../sweep/pool.js';

/** Heap of one worker, MiB. Its WebAssembly memory comes on top: about 100 bytes per point of the longest grid, 100 MiB at the default 2²⁰. */
const HEAP_MIB = 512;

/**
 * A pool of Node worker threads, each with an engine of its own.
 *
 * @param options.workers How many threads.
 * @throws TypeError | RangeError for a wrong option.
 */
export async function threadPool(options: {
  workers: number;
  kernel?: NonNullable<EngineOptions['kernel']>;
}): Promise<SweepPool> {
  requireOptions('threadPool', options, ['workers', 'kernel']);
  const workers = requireWhole('workers', options?.workers, 1, 1024);
  const { kernel = 'auto' } = options;
  const { Tinypool } = await import('tinypool');
  const pool = new Tinypool({
    filename: new URL('./sweep-worker.js', import.meta.url).href,
    minThreads: workers,
    maxThreads: workers,
    concurrentTasksPerWorker: 1,
    isolateWorkers: false,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB },
  });
  return {
    size: workers,
    run: (grid, indexes) => pool.run({ grid, indexes, kernel } satisfies SweepTask),
    close: () => pool.destroy(),
  };
}
