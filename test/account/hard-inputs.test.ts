/** Valid mechanisms of extreme or rare parameters: every question has an ordered bracket for an answer, and one that holds. */
import { describe, expect, it } from 'vitest';
import { type Adjacency, account, measure, parseMechanism } from '../../src/index.js';
import { plainLoss, subsampledLoss } from '../../src/law/subsampling.js';
import { pairOf } from '../../src/mechanism/pairs.js';
import { gaussianRun } from '../../src/run/gaussian-run.js';
import { reference, wasm } from '../helpers/runs.js';

const partial = { kind: 'balls-and-bins', noiseMultiplier: 1, bins: 10, visited: 5 };
const once = { kind: 'negative-binomial', eta: 1, gamma: 0.1 };
const CASES: [string, object, Adjacency][] = [
  ['a search over part of an epoch', { kind: 'select', runs: once, inner: partial }, 'add-remove'],
  [
    'shuffled batches beside next to nothing',
    {
      kind: 'compose',
      parts: [
        { kind: 'shuffled', noiseMultiplier: 6.8, bins: 12, leftOut: 0.69 },
        { kind: 'gdp', mu: 2.2e-7 },
      ],
    },
    'zero-out',
  ],
  [
    'five records a person, hardly any noise',
    {
      kind: 'repeat',
      count: 5,
      inner: {
        kind: 'dp-sgd',
        noiseMultiplier: 1.57e-9,
        samplingRate: 0.00984,
        steps: 11,
        recordsPerPerson: 5,
      },
    },
    'add-remove',
  ],
  [
    'a mixture of little noise, composed',
    {
      kind: 'compose',
      parts: [
        {
          kind: 'gaussian-mixture',
          noiseMultiplier: 2.6e-4,
          sensitivities: [0, 1],
          probabilities: [0.9, 0.1],
        },
        { kind: 'laplace', scale: 1, sensitivity: 1 },
      ],
    },
    'add-remove',
  ],
  [
    'a mixture of little noise',
    {
      kind: 'gaussian-mixture',
      noiseMultiplier: 0.00026,
      sensitivities: [0.033, 0.112],
      probabilities: [0.803, 0.197],
    },
    'add-remove',
  ],
  [
    'a search over losses beyond e^709',
    {
      kind: 'select',
      runs: { kind: 'negative-binomial', eta: 0, gamma: 4.3e-8 },
      inner: {
        kind: 'repeat',
        count: 327,
        inner: { kind: 'approximate-dp', epsilon: 133.4, delta: 1.7e-219 },
      },
    },
    'add-remove',
  ],
  [
    'the smallest rate',
    { kind: 'dp-sgd', noiseMultiplier: 1.1, samplingRate: 5e-324, steps: 1000 },
    'add-remove',
  ],
];

describe.each([wasm, reference])('engine %#', (engine) => {
  it.each(CASES)('%s', (_, json, adjacency) => {
    const run = account(engine, parseMechanism(json), { adjacency, tolerance: 1e-3, maxGridLength: 2 ** 14 });
    for (const target of [1e-5, 1e-30]) {
      const { lower, upper } = run.epsilon(target);
      expect(lower).toBeGreaterThanOrEqual(0);
      expect(upper).toBeGreaterThanOrEqual(lower);
      if (upper > 0 && upper < Infinity)
        expect(run.logDelta(upper).lower).toBeLessThanOrEqual(Math.log(target));
    }
    for (const epsilon of [-0.3, 0, 0.2, 5]) {
      const { lower, upper } = run.logDelta(epsilon);
      expect(upper).toBeGreaterThanOrEqual(lower);
    }
    const { lower, upper } = run.tradeoff(0.1);
    expect(upper).toBeGreaterThanOrEqual(lower);
    if (adjacency === 'zero-out') return;
    const { mu } = measure(run, { alphaMin: 1e-3 });
    expect(mu.upper).toBeGreaterThanOrEqual(mu.lower);
  });
});

it('a mixture of little noise lies between its smallest and its largest shift', () => {
  const [, json] = CASES[4];
  const run = account(wasm, parseMechanism(json), { adjacency: 'add-remove' });
  const { lower, upper } = run.epsilon(1e-5);
  const alone = (shift: number): number =>
    account(wasm, parseMechanism({ kind: 'gdp', mu: shift / 0.00026 }), { adjacency: 'add-remove' }).epsilon(
      1e-5,
    ).upper;
  expect(upper).toBeLessThanOrEqual(alone(0.112));
  expect(lower).toBeGreaterThanOrEqual(alone(0.033));
  expect(upper / lower - 1).toBeLessThan(1e-9);
});

it('mu of 0 is nothing at all', () => {
  const run = gaussianRun(0);
  for (const omega of [-1, 0, 1]) {
    const { logFpr, logTpr } = run.test(omega);
    expect(logFpr).toBe(logTpr);
  }
  const { backward } = pairOf({ kind: 'balls-and-bins', noiseMultiplier: 1, bins: 10, visited: 5 } as never);
  expect(backward.test(0).logFpr).toBe(backward.test(0).logTpr);
});

it('the loss before sampling is finite at every rate', () => {
  for (const rate of [5e-324, 1e-310, 1e-300])
    for (const loss of [1e-3, 0.1, 0.9, 1, 2, 30]) {
      const plain = plainLoss(loss, rate);
      // q e^s = e^x − 1 + q, and log q says it without overflow
      expect(plain).toBeCloseTo(Math.log(Math.expm1(loss)) - Math.log(rate), 9);
      expect(subsampledLoss(plain, rate)).toBeCloseTo(loss, 9);
    }
});
