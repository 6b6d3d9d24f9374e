// The script of the server's worker threads: a command line in, its answer out.
import { parentPort } from 'node:worker_threads';
import { onUnfinished } from '../node/whole-file.js';
import type { WorkerAnswer } from '../sweep/worker-pool.js';
import { answer } from './main.js';
import type { RpcTask } from './rpc-methods.js';
import type { RpcAnswer } from './rpc-server.js';

onUnfinished((told) => parentPort?.postMessage(told));
parentPort?.on('message', async ({ argv, input }: RpcTask) => {
  const say = (message: WorkerAnswer<RpcAnswer>): void => parentPort?.postMessage(message);
  const notes: string[] = [];
  async function* stdin() {
    yield new TextEncoder().encode(input);
  }
  const answered = await answer(argv, {
    stdin: stdin(),
    note: (message) => notes.push(message),
    progress: (news) => say({ news }),
  });
  say({ answer: { ...answered, notes } });
});
