// The script of a sweep's worker threads: a task in, its rows out.
import { parentPort } from 'node:worker_threads';
import { answerTask, type SweepTask } from '../sweep/pool.js';
import type { WorkerAnswer } from '../sweep/worker-pool.js';

parentPort?.on('message', (task: SweepTask) => {
  const say = (message: WorkerAnswer): void => parentPort?.postMessage(message);
  answerTask(task).then(
    (answer) => say({ answer }),
    (error) => say({ error: error instanceof Error ? error.message : String(error) }),
  );
});
