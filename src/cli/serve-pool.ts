import { startThread } from '../node/start-thread.js';
import { WorkerPool } from '../sweep/worker-pool.js';
import type { CommandLine } from './apart.js';
import type { Answer } from './command.js';

/** Threads that run command lines of `gdp`; one that a cancelled request was on is ended and replaced. */
export function servePool(workers: number): WorkerPool<CommandLine, Answer> {
  return new WorkerPool(workers, startThread(new URL('./cli-worker.js', import.meta.url)));
}
