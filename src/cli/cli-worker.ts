// The script of the threads that answer command lines, for `gdp` and for `gdp serve`. The main thread stays free for signals and
// requests.
import { parentPort, workerData } from 'node:worker_threads';
import { onUnfinished } from '../node/whole-file.js';
import type { WorkerAnswer } from '../sweep/worker-pool.js';
import type { CommandLine, News } from './apart.js';
import type { CommandAnswer } from './command.js';
import { answer, answerClosed } from './main.js';
import { WITHOUT_FILES } from './progress.js';

onUnfinished((told) => parentPort?.postMessage(told));
parentPort?.on('message', async ({ argv, piped, input, files }: CommandLine) => {
  const say = (message: WorkerAnswer<CommandAnswer>): void => parentPort?.postMessage(message);
  const tell = (news: News): void => say({ news });
  async function* given() {
    yield typeof input === 'object' ? input : new TextEncoder().encode(input);
  }
  const closed = files !== undefined || workerData === WITHOUT_FILES;
  const asked = (context: Parameters<typeof answer>[1]) =>
    closed ? answerClosed(argv, context, files) : answer(argv, context);
  const answered = await asked({
    get stdin() {
      if (input !== undefined) return given();
      tell({ reads: true });
      return process.stdin;
    },
    piped: piped === true,
    note: (note) => tell({ note }),
    quiet: input !== undefined,
    progress: (progress) => tell({ progress }),
  });
  say({ answer: answered });
});
