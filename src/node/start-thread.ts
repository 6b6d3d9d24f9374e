import { rmSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { Worker, type WorkerOptions } from 'node:worker_threads';
import type { TaskWorker, WorkerAnswer } from '../sweep/worker-pool.js';
import type { Unfinished } from './whole-file.js';

/** Heap of one worker, MiB. Its WebAssembly memory comes on top: about 100 bytes per point of the longest grid, 100 MiB at the default 2²⁰. */
export const HEAP = { maxOldGenerationSizeMb: 512 };

/**
 * Starts worker threads of a script, which posts a `WorkerAnswer` to each task. Threads without work do not keep the process alive;
 * files that one leaves unfinished are removed with it.
 */
export function startThread<Task, Answer>(script: URL, options: WorkerOptions = { resourceLimits: HEAP }) {
  return (
    onAnswer: (answer: WorkerAnswer<Answer>) => void,
    onFailure: (reason: string, error?: Error) => void,
  ): TaskWorker<Task> & { readonly stdin: Writable | null } => {
    const worker = new Worker(script, options);
    const unfinished = new Set<string>();
    worker.on('message', (answer: WorkerAnswer<Answer> | Unfinished) => {
      if ('unfinished' in answer) {
        if (answer.there) unfinished.add(answer.unfinished);
        else unfinished.delete(answer.unfinished);
        return;
      }
      if (!('news' in answer)) worker.unref();
      onAnswer(answer);
    });
    worker.on('error', (error: Error) => onFailure(error.message, error));
    worker.on('exit', (code) => {
      for (const path of unfinished) rmSync(path, { force: true });
      onFailure(`it ended with code ${code}`);
    });
    return {
      stdin: worker.stdin,
      post: (task) => {
        worker.ref();
        worker.postMessage(task);
      },
      end: () => worker.terminate(),
    };
  };
}
