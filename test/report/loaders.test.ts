import { describe, expect, it } from 'vitest';
import {
  account,
  ballsAndBins,
  cappedPoisson,
  compose,
  fixedBatches,
  gaussian,
  laplace,
  type Mechanism,
  poissonSubsampled,
  repeat,
  shuffled,
} from '../../src/index.js';
import type { Adjacency } from '../../src/mechanism/adjacency.js';
import { batchPhases, LOADERS, underLoader } from '../../src/mechanism/loaders.js';
import { THEOREMS } from '../../src/mechanism/theorems.js';
import { normalCdf } from '../../src/numeric/scalar.js';
import {
  formatReport,
  reportHtml,
  reportMarkdown,
  report as reportOf,
  sameNoise,
} from '../../src/report/index.js';
import { runOf, wasm } from '../helpers/runs.js';

const tableOf = (mechanism: Mechanism, adjacency: Adjacency, options = {}) => {
  const run = account(wasm, mechanism, { adjacency, tolerance: 1e-3 });
  const table = sameNoise(wasm, run, options)!;
  return {
    table,
    run,
    loader: Object.fromEntries(table.loaders.map((row) => [row.loader, row])),
    records: Object.fromEntries(table.records.map((row) => [row.records, row.epsilon])),
  };
};
const cnn = runOf([[1, 0.01, 1000]]).settings.mechanism;

/** δ of N(μ, 1) against N(0, 1), plainly. */
const gaussianDelta = (mu: number, epsilon: number) =>
  normalCdf(mu / 2 - epsilon / mu) - Math.exp(epsilon) * normalCdf(-mu / 2 - epsilon / mu);

describe('the same noise under every loader', () => {
  it('has the known values, each under the nearest adjacency with a theorem', () => {
    const { loader, records, run } = tableOf(cnn, 'add-remove', { recordsPerPerson: 3 });
    expect(loader['poisson']!.epsilon).toEqual(run.epsilon(1e-5));
    expect(loader['poisson']!.own).toBe(true);
    // double-precision contours of an independent program
    expect(loader['balls-and-bins']!.epsilon!).toContainValue(1.7014984358);
    expect(loader['balls-and-bins']!.adjacency).toBe('add-remove');
    expect(loader['shuffled']!.adjacency).toBe('zero-out');
    const { lower, upper } = loader['shuffled']!.epsilon!;
    expect(lower).toBeGreaterThan(9.3);
    expect(lower).toBeLessThan(9.3651);
    expect(Math.abs(gaussianDelta(Math.sqrt(10), upper) / 1e-5 - 1)).toBeLessThan(1e-5);
    expect(loader['fixed']!.epsilon!.upper).toBe(upper);
    // a removal would move records from batch to batch
    expect(loader['fixed']!.adjacency).toBe('zero-out');
    expect(loader['without-replacement']!.epsilon).toBeNull();
    expect(loader['capped-poisson']).toBeUndefined();
    expect(Object.keys(records)).toEqual(['1', '2', '3', '4', '8']);
    // the program is good to about 1e-10
    expect(records[2]!).toContainValue(3.9790857627, { relative: 2e-10 });
    expect(records[8]!).toContainValue(20.895298973, { relative: 2e-10 });
  });

  it('is about one record replaced where the run is', () => {
    const { loader, records } = tableOf(cnn, 'replace-one');
    expect(loader['poisson']!.epsilon!).toContainValue(2.843440259, { relative: 2e-10 });
    expect(loader['balls-and-bins']!.adjacency).toBe('replace-one');
    expect(loader['balls-and-bins']!.epsilon!.lower).toBeLessThan(1.7014984358);
    // two steps of the guarantee for one record left out cost more than twice
    expect(loader['balls-and-bins']!.epsilon!.upper).toBeGreaterThan(2 * 1.7014984358);
    expect(loader['balls-and-bins']!.epsilon!.upper).toBeLessThan(loader['fixed']!.epsilon!.lower);
    // between what dominates every step and a data set that exists
    expect(loader['without-replacement']!.epsilon!).toBeNoWiderThan(2);
    expect(loader['without-replacement']!.epsilon!.upper).toBeLessThan(14.8241);
    // group privacy, between the person of one record and no amplification at all
    expect(records[2]!.lower).toBe(records[1]!.lower);
    expect(records[8]!.upper).toBeLessThan(loader['all']!.epsilon!.lower);
  });

  it('keeps to the run where an epoch ends early, a cap is stated, or there are phases', () => {
    const epochs = compose([
      repeat(shuffled({ noiseMultiplier: 3, bins: 7 }), 2),
      repeat(shuffled({ noiseMultiplier: 2, bins: 5, leftOut: 0.25 }), 1),
    ]);
    const made = batchPhases(epochs)!;
    expect(made.map(({ steps }) => steps).sort((a, b) => a - b)).toEqual([5, 14]);
    const early = batchPhases(runOf([[2, 0.1, 25]]).settings.mechanism)!;
    expect(underLoader(early, 'fixed')).toEqual(
      compose([repeat(fixedBatches({ noiseMultiplier: 2, bins: 10 }), 3)]),
    );
    expect(underLoader(early, 'shuffled')).toEqual(
      compose([
        compose([
          repeat(shuffled({ noiseMultiplier: 2, bins: 10 }), 2),
          shuffled({ noiseMultiplier: 2, bins: 5, leftOut: 0.5 }),
        ]),
      ]),
    );
    expect(underLoader(early, 'balls-and-bins')).toEqual(
      compose([
        compose([
          repeat(ballsAndBins({ noiseMultiplier: 2, bins: 10 }), 2),
          ballsAndBins({ noiseMultiplier: 2, bins: 10, visited: 5 }),
        ]),
      ]),
    );
    const capped = repeat(cappedPoisson({ noiseMultiplier: 2, rate: 0.25, datasetSize: 20, batchCap: 8 }), 4);
    expect(underLoader(batchPhases(capped)!, 'capped-poisson')).toEqual(compose([capped]));
    expect(underLoader(batchPhases(capped)!, 'without-replacement')).toMatchObject({
      parts: [{ inner: { sampleSize: 1, datasetSize: 4 }, count: 4 }],
    });
    // a rate that is no fraction, and more batches than an epoch takes
    expect(
      underLoader(batchPhases(runOf([[1, Math.SQRT1_2, 3]]).settings.mechanism)!, 'without-replacement'),
    ).toBe(undefined);
    expect(underLoader(batchPhases(runOf([[1, 1e-9, 3]]).settings.mechanism)!, 'shuffled')).toBe(undefined);
  });

  it('marks the run whose other steps see every record', () => {
    const { loader, run } = tableOf(
      compose([runOf([[3, 0.5, 4]]).settings.mechanism, gaussian({ noiseMultiplier: 5 })]),
      'add-remove',
    );
    expect(loader['poisson']!.own).toBe(true);
    expect(loader['poisson']!.epsilon).toEqual(run.epsilon(1e-5));
    expect(loader['all']!.own).toBe(false);
  });

  it('has a record in one batch of an epoch, whichever forms them', () => {
    // a person of k records is no worse than k times the shift without amplification
    const { records } = tableOf(repeat(shuffled({ noiseMultiplier: 1, bins: 50 }), 4), 'zero-out');
    for (const k of [1, 2, 4, 8])
      expect(Math.abs(gaussianDelta(2 * k, records[k]!.upper) / 1e-5 - 1)).toBeLessThan(1e-4);
  });

  it('has no row without a theorem, and is left out where there are no batches', () => {
    for (const adjacency of ['add-remove', 'zero-out', 'replace-one'] as const) {
      const { table } = tableOf(runOf([[2, 0.5, 6]]).settings.mechanism, adjacency);
      for (const row of table.loaders) {
        expect(LOADERS).toContain(row.loader);
        if (row.epsilon === null || (row.loader === 'balls-and-bins' && adjacency === 'replace-one'))
          continue;
        expect(THEOREMS[row.loader][row.adjacency].standing).not.toBe('none');
        expect(row.epsilon.lower).toBeLessThanOrEqual(row.epsilon.upper);
      }
    }
    const phase = (count: number) => runOf(Array.from({ length: count }, (_, i) => [2 + i, 0.5, 2] as const));
    expect(sameNoise(wasm, phase(4))).toBeDefined();
    for (const none of [
      phase(5),
      runOf([]),
      runOf([[2, 1, 5]]),
      account(wasm, poissonSubsampled(laplace({ scale: 2, sensitivity: 1 }), { rate: 0.1 }), {
        adjacency: 'add-remove',
      }),
      account(wasm, repeat(ballsAndBins({ noiseMultiplier: 2, bins: 9, visited: 3 }), 2), {
        adjacency: 'add-remove',
      }),
    ])
      expect(sameNoise(wasm, none)).toBeUndefined();
    const named = (options: object, message: RegExp) =>
      expect(() => sameNoise(wasm, phase(1), options)).toThrow(message);
    named({ delta: 0 }, /"delta" must be a number in \(0, 1\), got 0/);
    named({ recordsPerPerson: 1.5 }, /"recordsPerPerson" must be a whole number/);
  });

  it('is printed as the answers of two questions', () => {
    const run = runOf([[1, 0.01, 1000]]);
    const made = reportOf(run, {
      sameNoise: sameNoise(wasm, run),
      details: { samplingUsed: 'DataLoader(shuffle=True)' },
    });
    const text = formatReport(made);
    for (const print of [text, reportMarkdown(made), reportHtml(made)]) {
      expect(print).toContain('How were batches formed?');
      expect(print).toContain('How many records does a person have?');
    }
    expect(text).toMatch(/Poisson samples \(this run\) +1\.83\n/);
    expect(text).toMatch(/Shuffled epochs \* +9\.3\d to 17\.9\n/);
    expect(text).toMatch(/\n {2}8 +20\.9\n/);
    expect(text).toContain('Stated: DataLoader(shuffle=True).');
    expect(text).toContain('10 epochs');
    expect(() => reportOf(run, { sameNoise: {} as never })).toThrow(
      '"sameNoise" must be what sameNoise returned',
    );
  });
});
