import { describe, expect, it } from 'vitest';
import {
  account,
  ballsAndBins,
  classicalThreshold,
  dpSgd,
  fixedBatches,
  gaussian,
  type Mechanism,
  repeat,
  shuffled,
  tabulated,
  treeAggregation,
  withoutReplacement,
} from '../../src/index.js';
import { ids, only, runOf } from '../helpers/linted.js';
import { wasm } from '../helpers/runs.js';

describe('the batches of a run are counted, not the groups that stand in its list', () => {
  // 5 epochs of 100 batches
  const claim = { epochs: 5, batchSize: 100, datasetSize: 10_000 };
  const epochs: [string, Mechanism][] = [
    ['balls and bins', ballsAndBins({ noiseMultiplier: 1, bins: 100 })],
    ['shuffled', shuffled({ noiseMultiplier: 1, bins: 100 })],
    ['a fixed order', fixedBatches({ noiseMultiplier: 1, bins: 100 })],
  ];

  it.each(epochs)('%s', (_, epoch) => {
    expect(ids(claim, runOf(repeat(epoch, 5)))).toEqual([]);
  });

  it.each(epochs.slice(0, 2))('%s, one epoch too few', (_, epoch) => {
    const { sentence } = only(claim, runOf(repeat(epoch, 4)));
    expect(sentence).toContain('400 steps were accounted, but 5 epochs take 500');
    expect(ids({ steps: 399 }, runOf(repeat(epoch, 4)))).toEqual(['steps-mismatch']);
  });

  it('a tree and a guarantee do not tell', () => {
    expect(ids(claim, runOf(treeAggregation({ noiseMultiplier: 1, steps: 500 })))).toEqual([]);
    expect(ids(claim, runOf(tabulated({ points: [{ epsilon: 1, delta: 1e-5 }] })))).toEqual([]);
  });
});

it('microbatching is told for the samples that were drawn', () => {
  const run = (noiseMultiplier: number) =>
    repeat(withoutReplacement(gaussian({ noiseMultiplier }), { sampleSize: 10, datasetSize: 1000 }), 10);
  const { evidence } = only({ microbatching: true, noiseMultiplier: 2 }, runOf(run(2)));
  const exact = account(wasm, run(1), { adjacency: 'replace-one', method: 'grid' }).epsilon(1e-5);
  expect(evidence.bracket.lower).toBeLessThanOrEqual(exact.upper);
  expect(evidence.bracket.upper).toBeGreaterThanOrEqual(exact.lower);
});

it('a classical formula too close to its limit is not said to fail', () => {
  const { lower, upper } = classicalThreshold('dwork-2014', 1e-5);
  const { severity, sentence } = only({
    epsilon: (lower + upper) / 2,
    delta: 1e-5,
    method: 'dwork-2014',
  });
  expect(severity).toBe('warning');
  expect(sentence).toMatch(/^dwork-2014 is proven up to epsilon 1 only, not for 8\.4\d+$/);
});

it('seven passes at rate 0.07 are seven, though 0.07 * 100 is above 7', () => {
  const run = runOf(dpSgd({ noiseMultiplier: 1, samplingRate: 0.07, steps: 100 }));
  const { evidence } = only({ sampling: 'shuffled' }, run);
  // seven Gaussians of noise 1 are one of noise 1/sqrt(7)
  const exact = account(wasm, gaussian({ noiseMultiplier: 1 / Math.sqrt(7) }), { adjacency: 'add-remove' });
  expect(evidence.bracket.lower).toBeCloseTo(exact.epsilon(1e-5).upper, 9);
});
