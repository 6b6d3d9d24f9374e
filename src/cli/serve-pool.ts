import { startThread } from '../node/start-thread.js';
import { type TaskPool, WorkerPool } from '../sweep/worker-pool.js';
import type { RpcTask } from './rpc-methods.js';
import type { RpcAnswer } from './rpc-server.js';

/** Threads that run command lines of `gdp`; one that a cancelled request was on is ended and replaced. */
export function servePool(workers: number): TaskPool<RpcTask, RpcAnswer> {
  return new WorkerPool(workers, startThread(new URL('./serve-worker.js', import.meta.url)));
}
