/** Batches over a pool: histories go in groups, and one that ends its worker takes no other along. */
import { expect, test } from 'vitest';
import { Batch, type HistoryRow, historyRow } from '../../src/sweep/batch.js';
import type { SweepGrid } from '../../src/sweep/grid.js';
import { inlinePool, type SweepPool } from '../../src/sweep/pool.js';
import { wasm } from '../helpers/runs.js';

const FATAL = 0.75;

/** A pool whose worker ends with any task that holds noise `FATAL`, and the sizes of its tasks. */
function frailPool(): { pool: SweepPool; sizes: number[] } {
  const whole = inlinePool(wasm);
  const sizes: number[] = [];
  const run = (grid: SweepGrid, indexes: readonly number[]) => {
    sizes.push(indexes.length);
    if (JSON.stringify(grid).includes(`${FATAL}`)) return Promise.reject(new Error('the worker ended'));
    return whole.run(grid, indexes);
  };
  return { pool: { ...whole, run }, sizes };
}

async function* blocksOf(rows: readonly HistoryRow[], size: number): AsyncGenerator<readonly HistoryRow[]> {
  for (let i = 0; i < rows.length; i += size) yield rows.slice(i, i + size);
}

const rowOf = (id: number, noise: number, extra = {}): HistoryRow =>
  historyRow({ id, noise_multiplier: noise, sample_rate: 0.01, steps: 10, ...extra });

test.each([1, 7, 5000])(
  'all rows in order but the one that ends its worker, in blocks of %d',
  async (size) => {
    const { pool, sizes } = frailPool();
    const batch = new Batch(pool, { delta: [1e-5] }, 'integer');
    // repeated ones, and one in the middle that ends its worker
    const noises = Array.from({ length: 700 }, (_, i) => (i === 350 ? FATAL : 1 + (i % 30) / 1000));
    const found: unknown[][] = [];
    for await (const rows of batch.answers(
      blocksOf(
        noises.map((noise, i) => rowOf(i, noise)),
        size,
      ),
      0,
    ))
      found.push(...rows.map((row) => [...row]));
    expect(found.map((row) => row[0])).toEqual(noises.map((_, i) => i));
    const error = batch.columns.findIndex(({ name }) => name === 'error');
    expect(found.filter((row) => row[error] !== null).map((row) => [row[1], row[error]])).toEqual([
      [350, 'the worker ended'],
    ]);
    expect(batch.distinct).toBe(31);
    expect(Math.max(...sizes)).toBe(size === 1 ? 1 : Math.min(size, 16));
    // a row is answered as it is alone
    const alone = new Batch(inlinePool(wasm), { delta: [1e-5] }, 'integer');
    for await (const [row] of alone.answers(blocksOf([rowOf(123, noises[123]!)], 1), 123))
      expect(row).toEqual(found[123]);
  },
);
