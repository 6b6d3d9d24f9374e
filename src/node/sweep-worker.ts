// The script of a sweep's worker threads: a task in, its rows out.
import { parentPort } from 'node:worker_threads';
import { answerTask, type SweepTask } from '../sweep/pool.js';

parentPort?.on('message', (task: SweepTask) => answerTask(task, (said) => parentPort?.postMessage(said)));
