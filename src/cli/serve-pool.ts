import { HEAP, startThread } from '../node/start-thread.js';
import { WorkerPool } from '../sweep/worker-pool.js';
import type { CommandLine } from './apart.js';
import type { CommandAnswer } from './command.js';
import { WITHOUT_FILES } from './progress.js';

/** Threads that answer command lines of `gdp`, with or without access to files. A thread with a cancelled request is ended and replaced. */
export function servePool(workers: number, files: boolean): WorkerPool<CommandLine, CommandAnswer> {
  const script = new URL('./cli-worker.js', import.meta.url);
  return new WorkerPool(
    workers,
    startThread(script, { resourceLimits: HEAP, workerData: files ? undefined : WITHOUT_FILES }),
  );
}
