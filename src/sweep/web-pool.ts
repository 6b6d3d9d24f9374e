import type { EngineOptions } from '../engine.js';
import { requireOptions, requireWhole, wrongType } from '../errors.js';
import type { SweepRow } from './columns.js';
import { type SweepPool, sweepPool } from './pool.js';
import type { WorkerAnswer } from './worker-pool.js';

/** The part of `Worker` that is used, so that no type declarations of the DOM are needed. */
export interface PageWorker {
  /** Set to the handler of messages. */
  onmessage: unknown;
  /** Set to the handler of errors. */
  onerror: unknown;
  /** Sends a task. */
  postMessage(message: unknown): void;
  /** Ends it. */
  terminate(): void;
}

/**
 * A pool of Web Workers, each with an engine of its own.
 *
 * @param options.createWorker Makes a worker that runs `gdp-kernel/sweep-web-worker`, in the way of the page's bundler.
 * @param options.workers Number of workers; default the number of the processor's threads.
 * @throws TypeError | RangeError for a wrong option.
 * @example
 * webWorkerPool({ createWorker: () => new Worker(new URL('gdp-kernel/sweep-web-worker', import.meta.url), { type: 'module' }) })
 */
export function webWorkerPool(options: {
  createWorker: () => PageWorker;
  workers?: number;
  kernel?: NonNullable<EngineOptions['kernel']>;
}): SweepPool {
  requireOptions('webWorkerPool', options, ['createWorker', 'workers', 'kernel']);
  const { createWorker, kernel = 'auto' } = options ?? {};
  if (typeof createWorker !== 'function') throw wrongType('createWorker', 'a function', createWorker);
  const size = requireWhole(
    'workers',
    options?.workers ?? globalThis.navigator?.hardwareConcurrency,
    1,
    1024,
  );
  return sweepPool(size, kernel, (onAnswer, onFailure) => {
    const worker = createWorker();
    worker.onmessage = ({ data }: { data: WorkerAnswer<SweepRow[]> }) => onAnswer(data);
    worker.onerror = ({ message }: { message?: string }) => onFailure(message ?? 'its script did not load');
    return { post: (task) => worker.postMessage(task), end: () => worker.terminate() };
  });
}
