// The script of the thread that a command line is answered in: the main one stays free for signals and signs of life.
import { parentPort, workerData } from 'node:worker_threads';
import { onUnfinished } from '../node/whole-file.js';
import type { FromWorker, WorkerInput } from './apart.js';
import { answer } from './main.js';

const say = (message: FromWorker): void => parentPort?.postMessage(message);

onUnfinished(say);
const { argv, piped } = workerData as WorkerInput;
const answered = await answer(argv, {
  get stdin() {
    say({ reads: true });
    return process.stdin;
  },
  piped,
  note: (note) => say({ note }),
  wrote: (path) => say({ note: `wrote ${path}` }),
  progress: (progress) => say({ progress }),
});
say({ answered });
