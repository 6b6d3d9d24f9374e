import { Worker } from 'node:worker_threads';
import type { EngineOptions } from '../engine.js';
import { requireOptions, requireWhole } from '../errors.js';
import type { SweepPool } from '../sweep/pool.js';
import { type WorkerAnswer, workerPool } from '../sweep/worker-pool.js';

/** Heap of one worker, MiB. Its WebAssembly memory comes on top: about 100 bytes per point of the longest grid, 100 MiB at the default 2²⁰. */
const HEAP_MIB = 512;

/**
 * A pool of Node worker threads, each with an engine of its own. Threads without work do not keep the process alive.
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
  const url = new URL('./sweep-worker.js', import.meta.url);
  return workerPool(workers, kernel, (onAnswer, onFailure) => {
    const worker = new Worker(url, { resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB } });
    worker.on('message', (answer: WorkerAnswer) => {
      worker.unref();
      onAnswer(answer);
    });
    worker.on('error', ({ message }) => onFailure(message));
    worker.on('exit', (code) => onFailure(`it ended with code ${code}`));
    return {
      post: (task) => {
        worker.ref();
        worker.postMessage(task);
      },
      end: () => worker.terminate(),
    };
  });
}
