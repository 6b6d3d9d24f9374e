import { Bench } from 'tinybench';

/** Milliseconds of one call. */
export interface Timing {
  readonly least: number;
  readonly median: number;
}

/** Rounds in which the functions take turns, so that a busy neighbour meets them all. */
const ROUNDS = 3;

/** Times functions side by side, `milliseconds` each in total. */
export async function timings(
  functions: Readonly<Record<string, () => unknown>>,
  milliseconds: number,
): Promise<Record<string, Timing>> {
  const seen = new Map<string, Timing[]>();
  for (let round = 0; round < ROUNDS; round++) {
    const time = milliseconds / ROUNDS;
    const bench = new Bench({ time, iterations: 1, warmupTime: time / 5, warmupIterations: 1, throws: true });
    for (const [name, call] of Object.entries(functions)) bench.add(name, () => void call());
    await bench.run();
    for (const { name, result } of bench.tasks) {
      if (result.state !== 'completed') throw new Error(`${name}: ${result.state}`);
      const timing = { least: result.latency.min, median: result.latency.p50 };
      seen.set(name, [...(seen.get(name) ?? []), timing]);
    }
  }
  return Object.fromEntries(
    [...seen].map(([name, all]) => {
      const medians = all.map(({ median }) => median).sort((a, b) => a - b);
      return [name, { least: Math.min(...all.map(({ least }) => least)), median: medians[ROUNDS >> 1]! }];
    }),
  );
}

/** One call of a long job, in milliseconds, and what it returned. */
export function once<T>(job: () => T): { milliseconds: number; result: T } {
  const start = performance.now();
  const result = job();
  return { milliseconds: performance.now() - start, result };
}
