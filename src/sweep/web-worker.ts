// The script of a sweep's Web Workers: a task in, its rows out.
import { answerTask, type SweepTask } from './pool.js';
import type { WorkerAnswer } from './worker-pool.js';

const scope = globalThis as unknown as {
  onmessage: (event: MessageEvent<SweepTask>) => void;
  postMessage(answer: WorkerAnswer): void;
};

scope.onmessage = ({ data }) => answerTask(data, (said) => scope.postMessage(said));
