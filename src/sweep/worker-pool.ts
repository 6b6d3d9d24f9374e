import type { SweepRow } from './columns.js';
import type { SweepGrid } from './grid.js';
import type { SweepPool, SweepTask } from './pool.js';

/** What a worker answers a task with. */
export type WorkerAnswer = { readonly rows: SweepRow[] } | { readonly error: string };

/** A worker, of whatever host: it answers one task at a time. */
export interface TaskWorker {
  post(task: SweepTask): void;
  end(): unknown;
}

/** Starts a worker that calls `onAnswer` after each task, or `onFailure` with what ended it. */
export type StartWorker = (
  onAnswer: (answer: WorkerAnswer) => void,
  onFailure: (reason: string) => void,
) => TaskWorker;

interface Waiting {
  readonly task: SweepTask;
  readonly resolve: (rows: SweepRow[]) => void;
  readonly reject: (error: unknown) => void;
}

/** A pool of up to `size` workers, started when there is work for them; one that fails takes its task along and is replaced. */
export function workerPool(size: number, kernel: SweepTask['kernel'], startWorker: StartWorker): SweepPool {
  const idle: TaskWorker[] = [];
  const busy = new Map<TaskWorker, Waiting>();
  const queue: Waiting[] = [];
  let closed = false;

  const pump = () => {
    while (queue.length > 0 && (idle.length > 0 || busy.size < size)) {
      const worker = idle.pop() ?? start();
      const job = queue.shift()!;
      busy.set(worker, job);
      worker.post(job.task);
    }
  };
  const start = () => {
    const worker: TaskWorker = startWorker(
      (answer) => {
        const job = busy.get(worker);
        if (job === undefined) return;
        busy.delete(worker);
        idle.push(worker);
        if ('rows' in answer) job.resolve(answer.rows);
        else job.reject(new Error(answer.error));
        pump();
      },
      (reason) => {
        const job = busy.get(worker);
        busy.delete(worker);
        const at = idle.indexOf(worker);
        if (at >= 0) idle.splice(at, 1);
        worker.end();
        job?.reject(new Error(`a sweep worker failed: ${reason}`));
        if (!closed) pump();
      },
    );
    return worker;
  };
  return {
    size,
    run(grid: SweepGrid, indexes: readonly number[]) {
      if (closed) return Promise.reject(new Error('the pool is closed'));
      return new Promise((resolve, reject) => {
        queue.push({ task: { grid, indexes, kernel }, resolve, reject });
        pump();
      });
    },
    async close() {
      closed = true;
      const ended = new Error('the pool is closed');
      const workers = [...idle, ...busy.keys()];
      for (const { reject } of [...busy.values(), ...queue]) reject(ended);
      idle.length = 0;
      queue.length = 0;
      busy.clear();
      await Promise.all(workers.map((worker) => worker.end()));
    },
  };
}
