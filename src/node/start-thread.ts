import { rmSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import type { StartWorker, WorkerAnswer } from '../sweep/worker-pool.js';
import type { Unfinished } from './whole-file.js';

/** Heap of one worker, MiB. Its WebAssembly memory comes on top: about 100 bytes per point of the longest grid, 100 MiB at the default 2²⁰. */
const HEAP_MIB = 512;

/**
 * Starts worker threads of a script, which posts a `WorkerAnswer` to each task. Threads without work do not keep the process alive;
 * files that one leaves unfinished are removed with it.
 */
export function startThread<Task, Answer>(script: URL): StartWorker<Task, Answer> {
  return (onAnswer, onFailure) => {
    const worker = new Worker(script, { resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB } });
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
    worker.on('error', ({ message }) => onFailure(message));
    worker.on('exit', (code) => {
      for (const path of unfinished) rmSync(path, { force: true });
      onFailure(`it ended with code ${code}`);
    });
    return {
      post: (task) => {
        worker.ref();
        worker.postMessage(task);
      },
      end: () => worker.terminate(),
    };
  };
}
