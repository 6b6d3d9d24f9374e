import { expect, test } from 'vitest';
import {
  account,
  dividedSgd,
  dpSgd,
  gaussianTradeoff,
  mcdp,
  measureHead,
  profileOfRun,
  profileTradeoff,
  risk,
  samplingRateForWindow,
} from '../../src/index.js';
import { report, reportFigures } from '../../src/report/index.js';
import { LONG_TESTS } from '../helpers/long.js';
import { wasm } from '../helpers/runs.js';

/** Units that a question may cost, and what cheap bounds may overdraw in it, of hundreds of values. */
const QUESTION = 2e9;
const OVERDRAWN = 1000 * 2e5;
const persons = dpSgd({ noiseMultiplier: 1, samplingRate: 0.01, steps: 10, recordsPerPerson: 2 });

test('a head of two records a person costs what two questions may', () => {
  const run = account(wasm, persons, { adjacency: 'add-remove' });
  const { headMu } = measureHead(wasm, run, { epsilonHead: 10, resolution: 1000 });
  expect(run.cost).toBeGreaterThan(0);
  expect(run.cost).toBeLessThan(2 * QUESTION + OVERDRAWN);
  expect(headMu.upper - headMu.lower).toBeLessThan(1e-3);
});

test('the numbers of risk and the drawings of a report share an allowance each', () => {
  const run = account(wasm, persons, { adjacency: 'add-remove', effort: 0.05 });
  risk(run);
  expect(run.cost).toBeLessThan(0.1 * QUESTION + OVERDRAWN);
  const made = report(run);
  reportFigures(run, made);
  expect(run.cost).toBeGreaterThan(0);
  expect(run.cost).toBeLessThan(0.05 * QUESTION + OVERDRAWN);
});

test('bounds that stay apart are not refined beyond what is between them', () => {
  const run = account(wasm, mcdp({ mean: 0.1, tau: 0.46 }), { adjacency: 'add-remove' });
  const { headMu, tests, finished } = measureHead(wasm, run, { epsilonHead: 10, resolution: 1000 });
  expect(finished).toBe(true);
  expect(headMu.upper).toBeLessThan(0.57);
  expect(tests).toBeLessThan(20_000);
});

test('a curve of a profile is not asked about before a question is, and no farther out than that takes', () => {
  const asked: number[] = [];
  const f = profileTradeoff((epsilon) => {
    asked.push(epsilon);
    return gaussianTradeoff(1).logDelta(epsilon);
  });
  expect(asked).toEqual([]);
  f.fnr(0.1);
  expect(Math.max(...asked)).toBeLessThan(1e3);
});

test('a sampling rate for a window asks only on which side of it mu is', () => {
  const run = account(wasm, dpSgd({ noiseMultiplier: 1, samplingRate: 0.01, steps: 1000 }));
  const found = samplingRateForWindow(wasm, profileOfRun(run), { mu: 0.4, alphaMin: 1e-4, tolerance: 1e-2 });
  expect(found.reachable && found.measured.mu.upper <= 0.4).toBe(true);
  expect(found.reachable && found.measured.mu.lower > 0.39).toBe(true);
});

test.runIf(LONG_TESTS)('an attack that takes all it may leaves what dominates it', () => {
  const phase = { noiseMultiplier: 2, samplingRate: 0.1, steps: 16, parameters: 100, datasetSize: 5000 };
  const run = account(wasm, dividedSgd({ ...phase, divisor: 'expected' }), { adjacency: 'add-remove' });
  const { lower, upper } = run.epsilon(1e-5);
  expect(upper).toBeLessThan(2.5);
  expect(lower).toBeLessThan(upper);
});
