import { describe, expect, it } from 'vitest';
import { loadEngineSync } from '../../src/engine-sync.js';
import { account, isInputError, measure } from '../../src/index.js';
import { mechanismAt, parseSweepGrid, sizeOf, valuesAt } from '../../src/sweep/grid.js';
import { answerRow, errorOf, sweepColumns } from '../../src/sweep/rows.js';
import { shardAt, shardSize } from '../../src/sweep/shard.js';

const plain = {
  over: { noiseMultiplier: [0.5, 1, 2], samplingRate: [1], steps: [1, 4] },
  adjacency: 'add-remove',
};

describe('a grid', () => {
  it('runs over every combination, the last axis fastest', () => {
    const grid = parseSweepGrid(plain);
    expect(sizeOf(grid)).toBe(6);
    const all = Array.from({ length: 6 }, (_, i) => valuesAt(grid, i));
    expect(all).toEqual([
      [0.5, 1, 1],
      [0.5, 1, 4],
      [1, 1, 1],
      [1, 1, 4],
      [2, 1, 1],
      [2, 1, 4],
    ]);
    expect(mechanismAt(grid, 3)).toEqual({
      kind: 'repeat',
      count: 4,
      inner: { kind: 'poisson-subsampled', rate: 1, inner: { kind: 'gaussian', noiseMultiplier: 1 } },
    });
  });

  it('fills any template, with values of any shape', () => {
    const inner = [
      { kind: 'laplace', scale: 2, sensitivity: 1 },
      { kind: 'gaussian', noiseMultiplier: 3 },
    ];
    const grid = parseSweepGrid({
      over: { release: inner, times: [2, 3] },
      mechanism: { kind: 'compose', parts: [{ kind: 'repeat', inner: '$release', count: '$times' }] },
      adjacency: 'add-remove',
    });
    expect(mechanismAt(grid, 3)).toEqual({
      kind: 'compose',
      parts: [{ kind: 'repeat', count: 3, inner: inner[1] }],
    });
    expect(sweepColumns(grid)[1]).toEqual({ name: 'release', type: 'text' });
  });

  it('asks under add/remove unless told otherwise, as every command does', () => {
    const { adjacency: _, ...rest } = plain;
    expect(parseSweepGrid(rest)).toEqual(parseSweepGrid({ ...rest, adjacency: 'add-remove' }));
  });

  it('has a digest of all that its rows depend on', () => {
    const digest = (more: object) => parseSweepGrid({ ...plain, ...more }).digest;
    const kind = { kind: 'poisson-subsampled', rate: '$samplingRate' };
    const others = [
      {},
      { method: 'grid' },
      { maxGridLength: 1024 },
      { tolerance: 1e-3 },
      { over: { ...plain.over, steps: [1, 5] } },
      {
        mechanism: {
          kind: 'repeat',
          inner: { ...kind, inner: { kind: 'gaussian', noiseMultiplier: '$noiseMultiplier' } },
          count: '$steps',
        },
      },
    ];
    expect(new Set(others.map(digest)).size).toBe(others.length);
    expect(digest({ delta: [1e-5] })).toBe(digest({}));
  });

  it('knows whole numbers, numbers and texts apart', () => {
    const types = parseSweepGrid(plain).axes.map(({ type }) => type);
    expect(types).toEqual(['number', 'integer', 'integer']);
  });

  it('spaces ranges with both ends exact', () => {
    const range = (scale: string) => ({ from: 0.001, to: 0.1, count: 5, scale });
    const grid = parseSweepGrid({
      over: { noiseMultiplier: range('log'), samplingRate: range('linear'), steps: [1] },
      adjacency: 'add-remove',
    });
    const [log, linear] = grid.axes.map(({ values }) => values as number[]);
    expect([log[0], log[4], linear[0], linear[4]]).toEqual([0.001, 0.1, 0.001, 0.1]);
    for (let i = 1; i < 5; i++) expect(log[i] / log[i - 1]).toBeCloseTo(100 ** 0.25, 12);
    for (let i = 1; i < 5; i++) expect(linear[i] - linear[i - 1]).toBeCloseTo(0.02475, 14);
  });

  it.each([
    [5, '"grid" must be an object, got 5'],
    [
      { ...plain, adjacency: 'both' },
      '"adjacency" must be one of add-remove, replace-one, zero-out, got "both"',
    ],
    [{ ...plain, deltas: [1] }, '"grid.deltas" is unknown'],
    [{ ...plain, delta: [1e-5, 2] }, '"delta[1]" must be a number in [0, 1], got 2'],
    [{ ...plain, delta: [1e-5, 1e-5] }, '"delta" must be of different numbers, got 0.00001'],
    [{ ...plain, delta: [], measure: false }, 'the grid asks for nothing'],
    [{ ...plain, measure: 1 }, '"measure" must be true or false, got 1'],
    [{ ...plain, tolerance: 0 }, '"tolerance" must be a number in [1e-12, 0.5], got 0'],
    [{ ...plain, over: { ...plain.over, rho: [1] } }, '"over" must be of names the mechanism uses as "$rho"'],
    [{ ...plain, over: { samplingRate: [1], steps: [1] } }, '"over.noiseMultiplier" is missing'],
    [
      { ...plain, over: { ...plain.over, steps: [] } },
      '"over.steps" must be an array of 1 to 10000000 values',
    ],
    [
      { ...plain, over: { ...plain.over, steps: { from: 1, to: 2 } } },
      '"over.steps.count" must be a whole number',
    ],
    [
      { ...plain, over: { ...plain.over, steps: { from: 0, to: 2, count: 2, scale: 'log' } } },
      '"over.steps.from" must be a number > 0, got 0',
    ],
    [
      { ...plain, over: { error: [1] }, mechanism: { kind: 'gdp', mu: '$error' } },
      '"over" must be of names that are identifiers and no column of the results, got "error"',
    ],
    [
      { ...plain, over: { ...plain.over, noiseMultiplier: [-1] } },
      '"mechanism.noiseMultiplier" must be 0 or a number from 1e-9 to 1000000000, got -1',
    ],
    [
      {
        ...plain,
        over: Object.fromEntries(
          ['noiseMultiplier', 'samplingRate', 'steps'].map((name) => [name, { from: 1, to: 1, count: 999 }]),
        ),
      },
      '"over" must be at most 10000000 combinations, got 997002999',
    ],
  ])('refuses %j', (given, message) => {
    expect(() => parseSweepGrid(given)).toThrow(message);
  });
});

describe('a row', () => {
  const engine = loadEngineSync();

  it('holds what account and measure answer', () => {
    const grid = parseSweepGrid({ ...plain, delta: [1e-5, 0], epsilon: [0.5] });
    const row = answerRow(engine, grid, 3);
    const cells = Object.fromEntries(sweepColumns(grid).map(({ name }, i) => [name, row[i]]));
    const run = account(engine, mechanismAt(grid, 3), { adjacency: 'add-remove' });
    expect(cells).toMatchObject({
      index: 3,
      noiseMultiplier: 1,
      method: 'closed-form',
      'epsilon_at_1e-5_lower': run.epsilon(1e-5).lower,
      'epsilon_at_1e-5_upper': run.epsilon(1e-5).upper,
      'epsilon_at_0e+0_upper': Number.POSITIVE_INFINITY,
      'delta_at_0.5_upper': run.delta(0.5).upper,
      'log_delta_at_0.5_lower': run.logDelta(0.5).lower,
      mu_lower: measure(run).mu.lower,
      mu_upper: measure(run).mu.upper,
      regret_upper: 0,
      error: null,
    });
    expect(row).toHaveLength(sweepColumns(grid).length);
  });

  it.each(['grid', 'spectral'])('is answered by the method asked for: %s', (method) => {
    const over = { noiseMultiplier: [8], samplingRate: [0.2], steps: [50] };
    const asked = { over, adjacency: 'add-remove', tolerance: 1e-3, measure: false, method };
    const grid = parseSweepGrid(asked);
    const row = answerRow(engine, grid, 0);
    const cells = Object.fromEntries(sweepColumns(grid).map(({ name }, i) => [name, row[i]]));
    const options = { adjacency: 'add-remove', tolerance: 1e-3, method: 'auto' } as const;
    const { lower, upper } = account(engine, mechanismAt(grid, 0), options).epsilon(1e-5);
    expect(cells).toMatchObject({ method, error: null });
    expect(cells['epsilon_at_1e-5_lower']).toBeLessThanOrEqual(upper);
    expect(cells['epsilon_at_1e-5_upper']).toBeGreaterThanOrEqual(lower);
  });

  it('tells why a combination has no answer', () => {
    const grid = parseSweepGrid({
      over: { noiseMultiplier: [1, -1], samplingRate: [0.5], steps: [1] },
      adjacency: 'replace-one',
    });
    const [answered, wrong] = [answerRow(engine, grid, 0), answerRow(engine, grid, 1)];
    expect(answered).toHaveLength(sweepColumns(grid).length);
    const [first, second] = [answered, wrong].map((row) => errorOf(sweepColumns(grid), row));
    expect(first).toBeNull();
    expect(second).toMatch(/"mechanism.noiseMultiplier" must be/);
    expect(wrong.slice(9, -2)).toEqual(new Array(wrong.length - 11).fill(null));
  });
});

it('shards part a grid without rest', () => {
  for (const size of [0, 1, 7, 24]) {
    for (const count of [1, 2, 5, 30]) {
      const all: number[] = [];
      for (let index = 0; index < count; index++) {
        const shard = { index, count };
        for (let i = 0; i < shardSize(size, shard); i++) all.push(shardAt(shard, i));
      }
      expect(all.sort((a, b) => a - b)).toEqual(Array.from({ length: size }, (_, i) => i));
    }
  }
});

it('what is no JSON, or nested beyond any mechanism, is refused as that', () => {
  let deep: unknown = 1;
  for (let i = 0; i < 50_000; i++) deep = [deep];
  const loop: { self?: unknown } = {};
  loop.self = loop;
  const { over } = plain;
  const refused: readonly (readonly [object, string])[] = [
    [{ mechanism: deep }, '"mechanism" must be nested at most 300 deep'],
    [{ mechanism: loop }, '"mechanism" must be nested at most 300 deep'],
    [{ over: { ...over, steps: [deep] } }, '"grid" must be JSON: Maximum call stack'],
    [{ over: { ...over, steps: [loop] } }, '"grid" must be JSON: Converting circular structure'],
    [{ over: { ...over, steps: [1n] } }, '"grid" must be JSON: Do not know how to serialize a BigInt'],
  ];
  for (const [part, said] of refused) {
    const error = thrownBy(() => parseSweepGrid({ ...plain, ...part }));
    expect(isInputError(error), said).toBe(true);
    expect((error as Error).message).toContain(said);
  }
});

function thrownBy(ask: () => unknown): unknown {
  try {
    return ask();
  } catch (error) {
    return error;
  }
}
