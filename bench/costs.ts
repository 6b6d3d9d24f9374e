import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { account, compose, dpSgd, type Engine, loadEngine, StreamingAccountant } from '../src/index.js';
import { once, timings } from './timing.js';

/** How one cost grows with one quantity. */
export interface Cost {
  readonly quantity: string;
  /** What is done, and what the cost is of. */
  readonly of: string;
  readonly unit: 'ms' | 'MiB';
  readonly points: readonly (readonly [x: number, cost: number])[];
}

const ADD_REMOVE = { adjacency: 'add-remove' } as const;
const CIFAR = { noiseMultiplier: 9.4, samplingRate: 0.32768, steps: 2000 };
/** Repetitions of a job whose least time is taken; a long one is not repeated. */
const REPEATS = 3;
const LONG_MS = 1000;

/** Measured over about three decades each: T, phases, tolerance, mesh, n, and memory over the mesh; and sweeps over threads. */
export async function costs(engine: Engine, root: URL): Promise<Cost[]> {
  const epsilonOf = (mechanism: Parameters<typeof account>[1], options: object = {}) =>
    least(() => account(engine, mechanism, { ...ADD_REMOVE, ...options }).epsilon(1e-5));
  const dpSgdOf = (steps: number) => dpSgd({ noiseMultiplier: 1, samplingRate: 0.01, steps });
  const phases = (count: number) =>
    compose(
      Array.from({ length: count }, (_, i) =>
        dpSgd({ noiseMultiplier: 1 + i / count, samplingRate: 0.01, steps: 10 }),
      ),
    );
  const grid = (length: number) => ({ method: 'grid', maxGridLength: length, tolerance: 1e-6 });
  const lengths = [10, 12, 14, 16, 18, 20].map((power) => 2 ** power);
  const over = (values: readonly number[], cost: (x: number) => number) =>
    values.map((x) => [x, cost(x)] as const);
  return [
    {
      quantity: 'steps T',
      of: 'epsilon(1e-5), sigma = 1, q = 0.01',
      unit: 'ms',
      points: over([100, 1000, 10_000, 100_000], (steps) => epsilonOf(dpSgdOf(steps))),
    },
    {
      quantity: 'distinct phases',
      of: 'epsilon(1e-5), 10 steps each',
      unit: 'ms',
      points: over([1, 10, 100, 1000], (count) => epsilonOf(phases(count))),
    },
    ...streamCosts(engine),
    {
      quantity: '1/tolerance',
      of: 'epsilon(1e-5) of the CIFAR-10 run',
      unit: 'ms',
      points: over([1e2, 1e3, 1e4, 1e5, 1e6], (x) => epsilonOf(dpSgd(CIFAR), { tolerance: 1 / x })),
    },
    {
      quantity: 'longest grid',
      of: 'epsilon(1e-5) of the CIFAR-10 run by the grid',
      unit: 'ms',
      points: over(lengths, (length) => epsilonOf(dpSgd(CIFAR), grid(length))),
    },
    {
      quantity: 'longest grid',
      of: 'memory of the process that did the same',
      unit: 'MiB',
      points: over(lengths, memoryOf),
    },
    { quantity: 'n', of: 'erfc of n numbers', unit: 'ms', points: await erfcCosts(engine) },
    {
      quantity: 'worker threads',
      of: 'gdp sweep of 128 configurations with mu',
      unit: 'ms',
      points: sweepCosts(root),
    },
  ];
}

function least(job: () => unknown): number {
  let best = Infinity;
  for (let i = 0; i < REPEATS && !(best < Infinity && best > LONG_MS); i++) {
    best = Math.min(best, once(job).milliseconds);
  }
  return best;
}

async function erfcCosts(engine: Engine): Promise<(readonly [number, number])[]> {
  const points: (readonly [number, number])[] = [];
  for (const n of [1e3, 1e4, 1e5, 1e6]) {
    const x = Float64Array.from({ length: n }, (_, i) => (27 * i) / n);
    const { erfc } = await timings({ erfc: () => engine.kernel.erfc(x, x.slice()) }, 60);
    points.push([n, erfc!.least]);
  }
  return points;
}

/** Steps that all differ, added to a stream one by one, and the first answer after them. */
function streamCosts(engine: Engine): Cost[] {
  const adding: [number, number][] = [];
  const asking: [number, number][] = [];
  for (const count of [1, 10, 100, 1000]) {
    const stream = StreamingAccountant.start(engine, ADD_REMOVE);
    const add = () => {
      for (let i = 0; i < count; i++)
        stream.add(dpSgd({ noiseMultiplier: 1 + i / count, samplingRate: 0.01, steps: 10 }));
    };
    adding.push([count, once(add).milliseconds]);
    asking.push([count, once(() => stream.epsilon(1e-5)).milliseconds]);
  }
  const quantity = 'distinct phases';
  return [
    { quantity, of: 'adding them to a stream, 10 steps each', unit: 'ms', points: adding },
    { quantity, of: 'the first epsilon(1e-5) of that stream', unit: 'ms', points: asking },
  ];
}

const SWEEP = {
  over: {
    noiseMultiplier: [0.7, 0.8, 0.9, 1, 1.2, 1.5, 2, 3],
    samplingRate: [0.001, 0.003, 0.01, 0.03],
    steps: [500, 2000, 8000, 32_000],
  },
  adjacency: 'add-remove',
  delta: [1e-5],
  epsilon: [1],
  measure: true,
};

/** The command as users run it, with one thread and with as many as there are cores. */
function sweepCosts(root: URL): (readonly [number, number])[] {
  const folder = mkdtempSync(join(tmpdir(), 'gdp-bench-'));
  try {
    const grid = join(folder, 'grid.json');
    writeFileSync(grid, JSON.stringify(SWEEP));
    const threads = [...new Set([1, availableParallelism()])];
    return threads.map((count) => {
      const cost = least(() => {
        const out = join(folder, `${count}.jsonl`);
        rmSync(out, { force: true });
        const cli = new URL('dist/cli.js', root).pathname;
        const args = [cli, 'sweep', grid, '--out', out, '--workers', String(count)];
        const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
        if (status !== 0) throw new Error(stderr);
      });
      return [count, cost];
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Resident memory of a process of its own, once it has answered: the engine's memory grows and does not shrink. */
function memoryOf(length: number): number {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [process.argv[1]!, '--memory', String(length)],
    {
      encoding: 'utf8',
    },
  );
  if (status !== 0) throw new Error(stderr);
  return Number(stdout);
}

/** The child's part of `memoryOf`: does the job and tells its resident memory, MiB. */
export async function tellMemory(length: number): Promise<void> {
  const engine = await loadEngine();
  const options = { ...ADD_REMOVE, method: 'grid', maxGridLength: length, tolerance: 1e-6 } as const;
  account(engine, dpSgd(CIFAR), options).epsilon(1e-5);
  process.stdout.write(String(Math.round(process.memoryUsage.rss() / 2 ** 20)));
}
