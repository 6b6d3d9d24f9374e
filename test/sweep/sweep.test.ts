import { describe, expect, it, vi } from 'vitest';
import { loadEngineSync } from '../../src/engine-sync.js';
import { gaussianTradeoff, isInputError, measureHeadAsync } from '../../src/index.js';
import { threadPool } from '../../src/node/thread-pool.js';
import type { SweepRow } from '../../src/sweep/columns.js';
import { parseSweepGrid, type SweepGrid } from '../../src/sweep/grid.js';
import { inlinePool, type SweepPool } from '../../src/sweep/pool.js';
import { answerRow } from '../../src/sweep/rows.js';
import { type SweepOptions, sweep } from '../../src/sweep/sweep.js';
import { webWorkerPool } from '../../src/sweep/web-pool.js';

const engine = loadEngineSync();
const grid = parseSweepGrid({
  over: { noiseMultiplier: { from: 0.5, to: 5, count: 40 }, samplingRate: [1], steps: [1, 2, 3] },
  adjacency: 'add-remove',
  epsilon: [1],
});

/** Answers tasks after random delays, out of order. */
function unruly(size: number): SweepPool & { most: number } {
  let open = 0;
  const pool = {
    size,
    most: 0,
    async run(of: SweepGrid, indexes: readonly number[]) {
      open += indexes.length;
      pool.most = Math.max(pool.most, open);
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 8));
      open -= indexes.length;
      return indexes.map((index) => answerRow(engine, of, index));
    },
    async close() {},
  };
  return pool;
}

async function rowsOf(pool: SweepPool, options: SweepOptions = {}): Promise<SweepRow[]> {
  const rows: SweepRow[] = [];
  for await (const some of sweep(pool, grid, options)) rows.push(...some);
  return rows;
}

describe('a sweep', () => {
  it('gives the same rows in the same order whoever answers them', async () => {
    const alone = await rowsOf(inlinePool(engine));
    expect(alone.map(([index]) => index)).toEqual(Array.from({ length: 120 }, (_, i) => i));
    for (const size of [1, 3, 16]) {
      const pool = unruly(size);
      expect(await rowsOf(pool)).toEqual(alone);
      expect(pool.most).toBeGreaterThan(1);
      expect(pool.most).toBeLessThanOrEqual(64 * size);
    }
  });

  it('goes on with 64 rows per worker while one takes long, and no further', async () => {
    const answered = new Set<number>();
    let release = () => {};
    const first = new Promise<void>((resolve) => {
      release = resolve;
    });
    const pool: SweepPool = {
      size: 1,
      async run(of, indexes) {
        if (indexes.includes(0)) await first;
        for (const index of indexes) answered.add(index);
        return indexes.map((index) => answerRow(engine, of, index));
      },
      async close() {},
    };
    const all = rowsOf(pool);
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(answered).toEqual(new Set(Array.from({ length: 63 }, (_, i) => i + 1)));
    release();
    expect((await all).length).toBe(120);
  });

  it('answers a shard, from where it is told to go on', async () => {
    const alone = await rowsOf(inlinePool(engine));
    const shard = { index: 2, count: 7 };
    const some = await rowsOf(unruly(2), { shard, skip: 3 });
    expect(some).toEqual(alone.filter((_, i) => i % 7 === 2).slice(3));
    expect(await rowsOf(unruly(2), { shard: { index: 130, count: 200 } })).toEqual([]);
  });

  it('tells its progress, from what was skipped to the end', async () => {
    const told: number[] = [];
    await rowsOf(unruly(2), { skip: 60, onProgress: (fraction) => told.push(fraction) });
    expect(told[0]).toBe(0.5);
    expect(told.at(-1)).toBe(1);
    expect(told).toEqual([...told].sort((a, b) => a - b));
  });

  it('ends with the reason it is aborted for', async () => {
    const stop = new AbortController();
    const reason = new Error('enough');
    const stuck: SweepPool = { size: 1, run: () => new Promise(() => {}), close: async () => {} };
    setTimeout(() => stop.abort(reason), 10);
    await expect(rowsOf(stuck, { signal: stop.signal })).rejects.toBe(reason);
    let asked = 0;
    const asks: SweepPool = { ...stuck, run: () => Promise.reject(asked++) };
    await expect(rowsOf(asks, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(asked).toBe(0);
  });

  it('answers no more rows once aborted', async () => {
    const stop = new AbortController();
    const reason = new Error('enough');
    const rows: SweepRow[] = [];
    const onProgress = (fraction: number) => fraction > 0 && stop.abort(reason);
    const answered = (async () => {
      for await (const some of sweep(inlinePool(engine), grid, { signal: stop.signal, onProgress }))
        rows.push(...some);
    })();
    await expect(answered).rejects.toBe(reason);
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.length).toBeLessThan(120);
  });

  it('fails as its workers do', async () => {
    const broken: SweepPool = {
      size: 2,
      run: async () => {
        throw new Error('worker gone');
      },
      close: async () => {},
    };
    await expect(rowsOf(broken)).rejects.toThrow('worker gone');
  });

  it('refuses wrong options', async () => {
    await expect(rowsOf(unruly(1), { shard: { index: 2, count: 2 } })).rejects.toThrow(
      '"shard.index" must be a whole number from 0 to 1, got 2',
    );
    await expect(rowsOf(unruly(1), { skip: 121 })).rejects.toThrow(
      '"skip" must be a whole number from 0 to 120, got 121',
    );
  });

  it('leaves the thread to others', async () => {
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    const rows = inlinePool(engine).run(
      grid,
      Array.from({ length: 3000 }, (_, i) => i % 120),
    );
    expect(await rows).toHaveLength(3000);
    clearInterval(timer);
    expect(turns).toBeGreaterThan(2);
  });
});

describe('what is no grid, signal, listener or engine is refused by name', () => {
  it.each([
    ['grid', undefined, {}],
    ['grid', { mechanism: 1 }, {}],
    ['signal', grid, { signal: 5 }],
    ['onProgress', grid, { onProgress: 'told' }],
  ])('%s', async (name, over, options) => {
    const rows = sweep(inlinePool(engine), over as never, options as never);
    const error = await rows.next().catch((each: unknown) => each);
    expect(isInputError(error)).toBe(true);
    expect((error as Error).message).toMatch(new RegExp(`^"${name}" must be `));
  });

  it('the engine of a pool of threads', async () => {
    const error = await threadPool({ workers: 1, kernel: 'wsm' as never }).catch((each: unknown) => each);
    expect(isInputError(error)).toBe(true);
    expect((error as Error).message).toBe('"kernel" must be one of auto, wasm, reference, got "wsm"');
  });

  it('the number of workers where no browser tells one', () => {
    vi.stubGlobal('navigator', undefined);
    expect(() => webWorkerPool({ createWorker: () => ({}) as never })).toThrow(
      /^"workers" must be a whole number/,
    );
    vi.unstubAllGlobals();
  });

  it('those of a measurement that can be ended', async () => {
    const f = gaussianTradeoff(1);
    for (const [name, value] of Object.entries({ signal: 5, onProgress: 'told' }))
      await expect(measureHeadAsync(engine, f, { [name]: value } as never)).rejects.toThrow(
        `"${name}" must be`,
      );
  });
});
