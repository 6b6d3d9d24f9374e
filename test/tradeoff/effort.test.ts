import { describe, expect, it } from 'vitest';
import {
  account,
  approximateDpTradeoff,
  type Bracket,
  type ComposedRun,
  convexHull,
  dpSgd,
  gaussianTradeoff,
  groupPrivacy,
  inverse,
  laplaceTradeoff,
  measureHead,
  mixWithIdentity,
  profileOfRun,
  runTradeoff,
  subsample,
  symmetrise,
  type TradeoffFunction,
  tensor,
} from '../../src/index.js';
import { ALLOWANCE } from '../../src/numeric/prices.js';
import { LONG_TESTS } from '../helpers/long.js';
import { wasm } from '../helpers/runs.js';

const runOf = (effort: number): ComposedRun =>
  account(wasm, dpSgd({ noiseMultiplier: 1, samplingRate: 0.01, steps: 1000 }), { effort });

/** Seconds a question: two here, all in the long tests. */
const SLOW = /^groups|product$/;
const MORE: readonly ((f: TradeoffFunction) => Bracket)[] = [
  (f) => f.delta(1.5),
  (f) => f.tpr(0.01),
  (f) => f.bayesError(0.3),
  (f) => f.reconstruction(0.02),
];

describe('what is made of a run costs what a question about the run may cost', () => {
  const made: [string, (f: TradeoffFunction) => TradeoffFunction][] = [
    ['the function itself', (f) => f],
    ['groups of 3', (f) => groupPrivacy(f, 3)],
    ['groups of 200', (f) => groupPrivacy(f, 200)],
    ['inverse', inverse],
    ['symmetrised', symmetrise],
    ['hull', (f) => convexHull(gaussianTradeoff(0.1), f)],
    ['a sample before it', (f) => mixWithIdentity(f, 0.9)],
    ['a share of the records', (f) => subsample(f, 0.9)],
    ['a product', (f) => tensor(wasm, [f, laplaceTradeoff(0.1)])],
  ];

  it.each(made)('%s', (name, of) => {
    const effort = 1e-4;
    const run = runOf(effort);
    const few = of(runTradeoff(run, 'remove'));
    // groups of 3 alone answer something else with a quarter of it
    const many = of(runTradeoff(runOf(name === 'groups of 3' ? 0.2 : 0.05), 'remove'));
    for (const ask of [
      (f: TradeoffFunction) => f.epsilon(1e-6),
      (f: TradeoffFunction) => f.fnr(0.01),
      ...(SLOW.test(name) && !LONG_TESTS ? [] : MORE),
    ]) {
      const found = ask(few);
      // beyond it: what is known without a method, link by link
      expect(run.cost).toBeLessThan(effort * ALLOWANCE + 1e7);
      const narrower = ask(many);
      expect(found.lower).toBeLessThanOrEqual(narrower.upper);
      expect(found.upper).toBeGreaterThanOrEqual(narrower.lower);
    }
    expect(run.everLimitedBy).toBe('effort');
  });

  it('a profile, and a function as its profile', () => {
    for (const of of [profileOfRun, runTradeoff]) {
      const run = runOf(1e-5);
      measureHead(wasm, of(run), { epsilonHead: 2, resolution: 1000 });
      expect(run.everLimitedBy).toBe('effort');
    }
  });
});

describe('large groups end, whatever they are made of', () => {
  it.each(LONG_TESTS ? [1000, 10_000] : [1000])('pure DP of 1/%d for each of so many', (size) => {
    const epsilon = 1 / size;
    const group = groupPrivacy(approximateDpTradeoff(epsilon, 0), size);
    // 1 - f = min(e^epsilon alpha, 1 - e^-epsilon (1 - alpha)), again and again
    const [more, less] = [Math.exp(epsilon), Math.exp(-epsilon)];
    const exact = (alpha: number): number => {
      let power = alpha;
      for (let i = 0; i < size; i++) power = Math.min(more * power, 1 - less * (1 - power));
      return 1 - power;
    };
    for (const alpha of [0.01, 0.2]) {
      const { lower, upper } = group.fnr(alpha);
      expect(lower).toBeLessThanOrEqual(exact(alpha) * (1 + 1e-10));
      expect(upper).toBeGreaterThanOrEqual(exact(alpha) * (1 - 1e-10));
    }
    // the line of slope e^(1/2) that supports the curve from below
    let most = 0;
    for (let i = 0; i <= 400; i++) most = Math.max(most, 1 - exact(i / 400) - Math.exp(0.5) * (i / 400));
    const { lower, upper } = group.delta(0.5);
    expect(upper).toBeGreaterThanOrEqual(most * (1 - 1e-10));
    expect(lower).toBeLessThanOrEqual(most * (1 + 1e-3));
  });
});
