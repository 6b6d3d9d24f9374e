import { rmSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { Worker, type WorkerOptions } from 'node:worker_threads';
import type { TaskWorker, WorkerAnswer } from '../sweep/worker-pool.js';
import type { Unfinished } from './whole-file.js';

/** Heap of one worker, in MiB. WebAssembly memory is not part of it: about 100 bytes per point of the longest grid, 100 MiB at the default 2²⁰ points. */
export const HEAP = { maxOldGenerationSizeMb: 512 };

/**
 * A function that starts worker threads of a script, which posts a `WorkerAnswer` to each task. Threads without work do not keep the
 * process alive. When a thread ends, files that it left unfinished are removed.
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
