import { sharedEngine, wantedKernel } from '../account/load-engine.js';
import { type Engine, type EngineOptions, requireEngine } from '../engine.js';
import type { SweepRow } from './columns.js';
import type { SweepGrid } from './grid.js';
import { answerRow } from './rows.js';
import { type StartWorker, type WorkerAnswer, WorkerPool } from './worker-pool.js';

/** Combinations of a grid to answer, by their index. It is plain data, so that a worker can receive it. */
export interface SweepTask {
  readonly grid: SweepGrid;
  readonly indexes: readonly number[];
  readonly kernel: NonNullable<EngineOptions['kernel']>;
}

/** Answers the rows of a sweep: in this thread, in worker threads, or in Web Workers. */
export interface SweepPool {
  /** Number of tasks that run at once. */
  readonly size: number;
  /** Answers the rows of the indexes given, in their order. */
  run(grid: SweepGrid, indexes: readonly number[]): Promise<SweepRow[]>;
  /** Ends the pool and its running tasks. */
  close(): Promise<void>;
}

/** Answers a task in a worker: passes its rows to `say`, or the error. */
export function answerTask({ grid, indexes, kernel }: SweepTask, say: (said: WorkerAnswer) => void): void {
  sharedEngine(kernel)
    .then((engine) => say({ answer: indexes.map((index) => answerRow(engine, grid, index)) }))
    .catch((error) => say({ error: error instanceof Error ? error.message : String(error) }));
}

/** A pool of up to `size` workers that answer tasks by `answerTask`. */
export function sweepPool(
  size: number,
  kernel: SweepTask['kernel'],
  startWorker: StartWorker<SweepTask, SweepRow[]>,
): SweepPool {
  wantedKernel({ kernel });
  const workers = new WorkerPool(size, startWorker);
  return {
    size,
    run: (grid, indexes) => workers.run({ grid, indexes, kernel }),
    close: () => workers.close(),
  };
}

/** Milliseconds after which other tasks of the event loop get their turn. */
const TURN = 10;

/**
 * Answers in this thread, one task after the other; yields to other macrotasks every few milliseconds.
 *
 * @throws TypeError if `engine` is none.
 * @example
 * const grid = parseSweepGrid({ over: { noiseMultiplier: [1, 2], samplingRate: [0.01], steps: [100] }, measure: false });
 * for await (const rows of sweep(inlinePool(engine), grid)) rows.length;
 */
export function inlinePool(engine: Engine): SweepPool {
  requireEngine(engine);
  let closed = false;
  let turn = performance.now();
  let before: Promise<unknown> = Promise.resolve();
  const answered = async (grid: SweepGrid, indexes: readonly number[]): Promise<SweepRow[]> => {
    const rows: SweepRow[] = [];
    for (const index of indexes) {
      if (closed) throw new Error('the pool is closed');
      rows.push(answerRow(engine, grid, index));
      if (performance.now() - turn > TURN) {
        await new Promise((resolve) => setTimeout(resolve));
        turn = performance.now();
      }
    }
    return rows;
  };
  return {
    size: 1,
    run(grid, indexes) {
      const task = before.then(() => answered(grid, indexes));
      before = task.catch(() => {});
      return task;
    },
    async close() {
      closed = true;
    },
  };
}
