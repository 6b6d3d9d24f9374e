import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { withTheorems } from '../../scripts/lib/sampling-page.mjs';
import {
  account,
  ballsAndBins,
  bandMf,
  cappedPoisson,
  certify,
  compose,
  dividedSgd,
  dpSgd,
  fixedBatches,
  gaussian,
  type Mechanism,
  matrixMechanism,
  measure,
  parseMechanism,
  poissonSubsampled,
  repeat,
  select,
  shuffled,
  treeAggregation,
  verify,
  withoutReplacement,
  withReplacement,
} from '../../src/index.js';
import { ADJACENCIES, type Adjacency } from '../../src/mechanism/adjacency.js';
import { provedAdjacencies } from '../../src/mechanism/reduce.js';
import { type Drawing, THEOREMS } from '../../src/mechanism/theorems.js';
import { report } from '../../src/report/index.js';
import { wasm } from '../helpers/runs.js';

/** A data set: gradients in [−1, 1] in the order of the file, each with an identifier that it keeps. */
type Data = readonly { readonly id: number; readonly value: number }[];

const VALUES = [-1, 0, 1];

/** Every data set of at most `most` records. */
function* dataSets(most: number, before: Data = []): Generator<Data> {
  yield before;
  if (before.length < most)
    for (const value of VALUES) yield* dataSets(most, [...before, { id: before.length, value }]);
}

/** Every neighbour of a data set. */
function* neighbours(data: Data, adjacency: Adjacency): Generator<Data> {
  for (let i = 0; i < data.length; i++) {
    const [before, after] = [data.slice(0, i), data.slice(i + 1)];
    if (adjacency === 'add-remove') yield [...before, ...after];
    else
      for (const value of adjacency === 'zero-out' ? [0] : VALUES)
        yield [...before, { ...data[i]!, value }, ...after];
  }
}

/** The largest ‖mean(D) − mean(D′)‖ of neighbours: of N(mean, I) the exact worst μ. */
function worst(mean: (data: Data) => readonly number[], most: number, adjacency: Adjacency): number {
  let found = 0;
  for (const data of dataSets(most)) {
    const own = mean(data);
    for (const other of neighbours(data, adjacency)) {
      const theirs = mean(other);
      found = Math.max(found, Math.hypot(...own.map((x, i) => x - theirs[i]!)));
    }
  }
  return found;
}

type Place = (record: Data[number], index: number) => number;

/** Sums of `count` batches, of each record in the one that its place or its identifier says. */
const sumsBy =
  (count: number, placeOf: Place) =>
  (data: Data): number[] => {
    const sums = Array.from({ length: count }, () => 0);
    data.forEach((record, i) => {
      sums[placeOf(record, i) % count]! += record.value;
    });
    return sums;
  };
const inOrder =
  (batchSize: number): Place =>
  (_, i) =>
    Math.floor(i / batchSize);
const cyclic: Place = (_, i) => i;
/** An identifier says the batch, as its digest would. */
const byId: Place = ({ id }) => 5 * id + 1;

const times = (rows: readonly (readonly number[])[], x: readonly number[]) =>
  rows.map((row) => row.reduce((sum, c, i) => sum + c * x[i]!, 0));

/** All nodes of the tree over the steps that are published. */
function nodesOf(steps: number): number[][] {
  const nodes: number[][] = [];
  for (let size = 1; size <= steps; size *= 2)
    for (let from = 0; from + size <= steps; from += size)
      nodes.push(Array.from({ length: steps }, (_, i) => (i >= from && i < from + size ? 1 : 0)));
  return nodes;
}

const MATRIX = [
  [1, 0, 0, 0, 0, 0],
  [0.5, 1, 0, 0, 0, 0],
  [0.25, 0.5, 1, 0, 0, 0],
  [0, 0.25, 0.5, 1, 0, 0],
  [0, 0, 0.25, 0.5, 1, 0],
  [0, 0, 0, 0.25, 0.5, 1],
];
/** Two bands, columns of norm 1. */
const BANDED = [
  [0.6, 0, 0, 0, 0],
  [0.8, 0.6, 0, 0, 0],
  [0, 0.8, 0.6, 0, 0],
  [0, 0, 0.8, 0.6, 0],
  [0, 0, 0, 0.8, 1],
];

interface Loader {
  readonly name: string;
  readonly made: Mechanism;
  readonly mean: (data: Data) => readonly number[];
  readonly records: number;
  /** Adjacencies that are refused. */
  readonly refused: readonly Adjacency[];
}

/** All in noise 1. */
const LOADERS: readonly Loader[] = [true, false].flatMap((kept) => {
  const places = kept ? ({ places: 'kept' } as const) : {};
  const refused: readonly Adjacency[] = kept ? [] : ['add-remove'];
  const batch = (count: number, size: number) => sumsBy(count, kept ? byId : inOrder(size));
  const word = kept ? 'places kept' : 'in the order of the file';
  return [
    {
      name: `batches of one record, ${word}`,
      made: fixedBatches({ noiseMultiplier: 1, bins: 5, ...places }),
      mean: batch(5, 1),
      records: 5,
      refused,
    },
    {
      name: `batches of two records, unknown how many, two epochs, ${word}`,
      made: repeat(fixedBatches({ noiseMultiplier: 1, ...places }), 2),
      mean: (data: Data) => [...batch(3, 2)(data), ...batch(3, 2)(data)],
      records: 5,
      refused,
    },
    {
      name: `a tree over five batches of one record, ${word}`,
      made: treeAggregation({ noiseMultiplier: 1, steps: 5, ...places }),
      mean: (data: Data) => times(nodesOf(5), batch(5, 1)(data)),
      records: 5,
      refused,
    },
    {
      name: `a matrix over two epochs of three batches, ${word}`,
      made: matrixMechanism({
        noiseMultiplier: 1,
        matrix: MATRIX,
        participations: 2,
        separation: 3,
        ...places,
      }),
      mean: (data: Data) => times(MATRIX, [...batch(3, 1)(data), ...batch(3, 1)(data)]),
      records: 3,
      refused,
    },
    {
      name: `two bands and two groups, each at every other step, ${word}`,
      made: bandMf({ noiseMultiplier: 1, samplingRate: 1, bands: 2, steps: 5, ...places }),
      mean: (data: Data) => {
        const [even, odd] = sumsBy(2, kept ? byId : cyclic)(data);
        return times(BANDED, [even!, odd!, even!, odd!, even!]);
      },
      records: 5,
      refused,
    },
  ];
});

const WHOLE: readonly Loader[] = [
  {
    name: 'one batch that is the whole data set',
    made: fixedBatches({ noiseMultiplier: 1, bins: 1 }),
    mean: sumsBy(1, () => 0),
    records: 5,
    refused: [],
  },
];

describe('every small data set whose order matters', () => {
  it.each([...LOADERS, ...WHOLE])('$name', ({ made, mean, records, refused }) => {
    for (const adjacency of ADJACENCIES) {
      const most = worst(mean, records, adjacency);
      const ask = () => account(wasm, made, { adjacency });
      if (refused.includes(adjacency)) {
        expect(ask).toThrow(RangeError);
        expect(ask).toThrow(
          '"adjacency" must be zero-out or replace-one for batches in a fixed order (a record added or removed moves every later one',
        );
        // what holds for a record left out is false here: there is nothing to state
        expect(most).toBeGreaterThan(1.2 * worst(mean, records, 'zero-out'));
        continue;
      }
      const { mu } = measure(ask(), { alphaMin: 1e-3 });
      expect(mu).toContainValue(most, { relative: 1e-12 });
    }
  });

  it('one record removed from batches of one, in turn +1 and −1, moves all later ones: μ is √(4(t − 1) + 1)', () => {
    for (const t of [2, 10, 100]) {
      const data = Array.from({ length: t }, (_, id) => ({ id, value: id % 2 === 0 ? 1 : -1 }));
      const [own, other] = [data, data.slice(1)].map(sumsBy(t, inOrder(1)));
      const mu = Math.hypot(...own!.map((x, i) => x - other![i]!));
      expect(mu).toBeCloseTo(Math.sqrt(4 * (t - 1) + 1), 12);
    }
  });
});

const RUNS: Readonly<Record<Drawing, Mechanism>> = {
  all: gaussian({ noiseMultiplier: 1 }),
  poisson: dpSgd({ noiseMultiplier: 1, samplingRate: 0.1, steps: 3 }),
  'capped-poisson': cappedPoisson({ noiseMultiplier: 1, rate: 0.1, datasetSize: 100, batchCap: 15 }),
  'balls-and-bins': ballsAndBins({ noiseMultiplier: 1, bins: 3 }),
  shuffled: shuffled({ noiseMultiplier: 1, bins: 3 }),
  'without-replacement': withoutReplacement(gaussian({ noiseMultiplier: 1 }), {
    sampleSize: 1,
    datasetSize: 10,
  }),
  'with-replacement': withReplacement({ noiseMultiplier: 1, sampleSize: 3, datasetSize: 10 }),
  divided: dividedSgd({
    noiseMultiplier: 2,
    samplingRate: 0.1,
    steps: 20,
    divisor: 'expected',
    parameters: 100,
    datasetSize: 5000,
  }),
  fixed: fixedBatches({ noiseMultiplier: 1, bins: 3 }),
  'fixed-kept': fixedBatches({ noiseMultiplier: 1, bins: 3, places: 'kept' }),
  'cyclic-poisson': bandMf({ noiseMultiplier: 1, samplingRate: 0.1, bands: 3, steps: 9 }),
  'cyclic-poisson-kept': bandMf({
    noiseMultiplier: 1,
    samplingRate: 0.1,
    bands: 3,
    steps: 9,
    places: 'kept',
  }),
};

describe('loader and adjacency', () => {
  it('an account is made where the table has a theorem, and nowhere else', () => {
    expect(Object.keys(RUNS).sort()).toEqual(Object.keys(THEOREMS).sort());
    for (const [drawing, made] of Object.entries(RUNS) as [Drawing, Mechanism][])
      for (const adjacency of ADJACENCIES) {
        const { standing, by } = THEOREMS[drawing][adjacency];
        const search = select({ runs: { kind: 'poisson', mean: 2 }, inner: made });
        for (const run of [made, repeat(made, 2), compose([gaussian({ noiseMultiplier: 3 }), made])]) {
          const ask = () => account(wasm, run, { adjacency });
          if (standing === 'none') expect(ask).toThrow(`(${by})`);
          else expect(ask).not.toThrow();
        }
        if (standing === 'none') expect(() => account(wasm, search, { adjacency })).toThrow();
        expect(provedAdjacencies(search).includes(adjacency)).toBe(standing !== 'none');
      }
  });

  it('every theorem of the table stands in docs/proofs or is a citation', () => {
    for (const row of Object.values(THEOREMS))
      for (const { standing, by } of Object.values(row)) {
        if (standing === 'none') continue;
        const [, file, first] = /^(docs\/proofs\/[\w-]+\.md), (T?\d+)/.exec(by) ?? [];
        if (file === undefined) expect(by).toMatch(/ 20\d\d, thm \d+$/);
        else expect(readFileSync(file, 'utf8')).toMatch(new RegExp(`^\\*\\*${first}\\. `, 'm'));
      }
  });

  it('docs/sampling.md prints the table', () => {
    const page = readFileSync('docs/sampling.md', 'utf8');
    expect(withTheorems(page, THEOREMS)).toBe(page);
  });

  it('places go through JSON, reports and certificates', () => {
    for (const json of [
      { kind: 'fixed-batches', noiseMultiplier: 1, bins: 4 },
      { kind: 'tree-aggregation', noiseMultiplier: 1, steps: 9 },
      { kind: 'band-mf', noiseMultiplier: 1, samplingRate: 0.5, bands: 2, steps: 9 },
      { kind: 'matrix-mechanism', noiseMultiplier: 1, column: [1, 0.5] },
    ]) {
      const [moved, kept] = [json, { ...json, places: 'kept' }].map((each) =>
        parseMechanism(JSON.parse(JSON.stringify(parseMechanism(each)))),
      );
      expect(provedAdjacencies(moved!)).toEqual(['zero-out', 'replace-one']);
      expect(provedAdjacencies(kept!)).toEqual(['add-remove', 'zero-out', 'replace-one']);
      const [zero, add] = [
        account(wasm, moved!, { adjacency: 'zero-out' }),
        account(wasm, kept!, { adjacency: 'add-remove' }),
      ];
      expect(zero.epsilon(1e-5)).toEqual(add.epsilon(1e-5));
      for (const [run, mechanism] of [
        [zero, moved],
        [add, kept],
      ] as const) {
        const { sampling, ...rest } = report(run);
        expect(rest.mechanism).toEqual(mechanism);
        expect(sampling).toMatch(
          mechanism === kept ? /^(fixed|cyclic-poisson)-kept$/ : /^(fixed|cyclic-poisson)$/,
        );
        const certificate = JSON.parse(JSON.stringify(certify(run, { epsilon: 1 })));
        const { verdict } = verify(certificate);
        expect(verdict).toBe(json.kind === 'matrix-mechanism' ? 'unsupported' : 'confirmed');
        if (mechanism === kept) continue;
        // the same numbers are no theorem about a record added or removed
        expect(verify({ ...certificate, adjacency: 'add-remove' })).toMatchObject({ verdict: 'unsupported' });
      }
    }
    for (const refused of ['moved', 1, null])
      expect(() =>
        parseMechanism({ kind: 'fixed-batches', noiseMultiplier: 1, places: refused as never }),
      ).toThrow('"mechanism.places" must be');
    expect(() => poissonSubsampled(RUNS.fixed as never, { rate: 0.5 })).toThrow('"inner" must be a single');
  });

  it('a run beside one in a fixed order is no more than either is proved for', () => {
    const both = compose([RUNS.fixed, RUNS['without-replacement']]);
    expect(provedAdjacencies(both)).toEqual(['replace-one']);
    // the same noise in and out of order stays two groups of steps
    expect(provedAdjacencies(compose([RUNS.all, RUNS.fixed]))).toEqual(['zero-out', 'replace-one']);
    expect(provedAdjacencies(compose([RUNS.poisson, RUNS['cyclic-poisson']]))).toEqual([
      'zero-out',
      'replace-one',
    ]);
  });
});
