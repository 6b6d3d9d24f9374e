import type { EngineOptions } from '../engine.js';
import { requireOptions, requireWhole, wrongType } from '../errors.js';
import type { SweepRow } from './columns.js';
import type { SweepGrid } from './grid.js';
import type { SweepPool, SweepTask } from './pool.js';

/** What the worker script (`gdp-kernel/sweep-web-worker`) answers a task with. */
export type WorkerAnswer = { readonly rows: SweepRow[] } | { readonly error: string };

interface Waiting {
  readonly task: SweepTask;
  readonly resolve: (rows: SweepRow[]) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * A pool of Web Workers, each with an engine of its own.
 *
 * @param options.createWorker Makes a worker that runs `gdp-kernel/sweep-web-worker`, in the way of the page's bundler.
 * @param options.workers How many; default the processor's threads.
 * @throws TypeError | RangeError for a wrong option.
 * @example
 * webWorkerPool({ createWorker: () => new Worker(new URL('gdp-kernel/sweep-web-worker', import.meta.url), { type: 'module' }) })
 */
export function webWorkerPool(options: {
  createWorker: () => Worker;
  workers?: number;
  kernel?: NonNullable<EngineOptions['kernel']>;
}): SweepPool {
  requireOptions('webWorkerPool', options, ['createWorker', 'workers', 'kernel']);
  const { createWorker, kernel = 'auto' } = options ?? {};
  if (typeof createWorker !== 'function') throw wrongType('createWorker', 'a function', createWorker);
  const size = requireWhole('workers', options?.workers ?? navigator.hardwareConcurrency, 1, 1024);
  const idle: Worker[] = [];
  const busy = new Map<Worker, Waiting>();
  const queue: Waiting[] = [];
  let closed = false;

  const pump = () => {
    while (queue.length > 0 && (idle.length > 0 || busy.size < size)) {
      const worker = idle.pop() ?? start();
      const job = queue.shift()!;
      busy.set(worker, job);
      worker.postMessage(job.task);
    }
  };
  const start = () => {
    const worker = createWorker();
    worker.onmessage = ({ data }: MessageEvent<WorkerAnswer>) => {
      const job = busy.get(worker);
      busy.delete(worker);
      idle.push(worker);
      if ('rows' in data) job?.resolve(data.rows);
      else job?.reject(new Error(data.error));
      pump();
    };
    worker.onerror = (event) => {
      const job = busy.get(worker);
      busy.delete(worker);
      worker.terminate();
      job?.reject(new Error(`a sweep worker failed: ${event.message ?? 'its script did not load'}`));
      pump();
    };
    return worker;
  };
  return {
    size,
    run(grid: SweepGrid, indexes: readonly number[]) {
      if (closed) return Promise.reject(new Error('the pool is closed'));
      return new Promise((resolve, reject) => {
        queue.push({ task: { grid, indexes, kernel }, resolve, reject });
        pump();
      });
    },
    async close() {
      closed = true;
      const ended = new Error('the pool is closed');
      for (const worker of [...idle, ...busy.keys()]) worker.terminate();
      for (const { reject } of [...busy.values(), ...queue]) reject(ended);
      idle.length = 0;
      queue.length = 0;
      busy.clear();
    },
  };
}
