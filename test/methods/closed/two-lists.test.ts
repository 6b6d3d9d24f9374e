/** A run in two lists against the list of all outcomes. */
import { describe, expect, test } from 'vitest';
import { approximateDpAtoms, atomicPair, randomizedResponseAtoms } from '../../../src/law/atomic-pair.js';
import type { ListedStep } from '../../../src/methods/closed/composed-atoms.js';
import { listedRuns } from '../../../src/methods/closed/composed-atoms.js';
import { twoLists } from '../../../src/methods/closed/two-lists.js';
import { seeded } from '../../helpers/random.js';

interface Outcome {
  p: number;
  q: number;
}

/** 17 steps of two outcomes, or four, sampled or not; the last is the one that fails with a chance that counts. */
function stepsOf(seed: number, rate: number): { steps: ListedStep[]; outcomes: Outcome[][] } {
  const random = seeded(seed);
  const steps: ListedStep[] = [];
  const outcomes: Outcome[][] = [];
  for (let i = 0; i < 17; i++) {
    const epsilon = 0.1 + random();
    const delta = i === 16 ? 1e-3 : 0;
    const atoms = delta > 0 ? approximateDpAtoms(epsilon, delta) : randomizedResponseAtoms(epsilon, 2);
    steps.push({ pair: atomicPair(atoms), sampling: rate < 1 ? 'poisson' : 'all', rate, count: 1 });
    const likely = (1 - delta) / (1 + Math.exp(-epsilon));
    const rare = (1 - delta) / (1 + Math.exp(epsilon));
    const each = [
      { p: likely, q: rare },
      { p: rare, q: likely },
      ...(delta > 0
        ? [
            { p: delta, q: 0 },
            { p: 0, q: delta },
          ]
        : []),
    ];
    outcomes.push(each.map(({ p, q }) => ({ p, q: (1 - rate) * p + rate * q })));
  }
  return { steps, outcomes };
}

function product(outcomes: readonly Outcome[][]): Outcome[] {
  let all: Outcome[] = [{ p: 1, q: 1 }];
  for (const each of outcomes) all = all.flatMap((a) => each.map((b) => ({ p: a.p * b.p, q: a.q * b.q })));
  return all;
}

describe.each([1, 0.3])('17 unlike steps at rate %d', (rate) => {
  const { steps, outcomes } = stepsOf(5, rate);
  const all = product(outcomes);
  const sides = rate < 1 ? (['remove', 'add'] as const) : (['remove'] as const);
  const runs = twoLists(steps, sides)!;
  /** In the direction of the i-th run the second mass is that of the mixture, or of the base. */
  const facing = (i: number): [number, number][] => all.map(({ p, q }) => (i === 0 ? [p, q] : [q, p]));

  test('are too many for one list', () => {
    expect(listedRuns(steps, sides)).toBeUndefined();
  });

  test('δ is that of all outcomes, at both signs of ε', () => {
    for (const [i, run] of runs.entries()) {
      for (const epsilon of [-2, -0.3, 0, 0.5, 2, 5]) {
        const exact = facing(i).reduce((sum, [p, q]) => sum + Math.max(0, q - Math.exp(epsilon) * p), 0);
        const { lower, upper } = run.logDelta(epsilon);
        expect(Math.exp(lower)).toBeLessThanOrEqual(exact * (1 + 1e-11) + 1e-15);
        expect(Math.exp(upper)).toBeGreaterThanOrEqual(exact * (1 - 1e-11));
        expect(Math.exp(upper) - Math.exp(lower)).toBeLessThanOrEqual(1e-9 * exact);
      }
    }
  });

  test('tests are those of the whole: by all outcomes', () => {
    for (const [i, run] of runs.entries()) {
      for (const omega of [-1, 0.7, 3]) {
        const { logFpr, logTpr } = run.test(omega);
        let [fpr, tpr] = [0, 0];
        for (const [p, q] of facing(i)) {
          if (!(q > Math.exp(omega) * p)) continue;
          fpr += p;
          tpr += q;
        }
        expect(Math.exp(logFpr)).toBeGreaterThanOrEqual(fpr * (1 - 1e-11));
        expect(Math.exp(logFpr)).toBeLessThanOrEqual(fpr * (1 + 1e-9));
        expect(Math.exp(logTpr)).toBeLessThanOrEqual(tpr * (1 + 1e-11));
        expect(Math.exp(logTpr)).toBeGreaterThanOrEqual(tpr * (1 - 1e-9));
      }
    }
  });

  test('what always tells, and the largest loss, are those of all steps', () => {
    const [{ logInfinity, largestLoss }] = runs;
    const certain = all.reduce((sum, { p, q }) => sum + (p === 0 ? q : 0), 0);
    expect(Math.exp(logInfinity.lower)).toBeLessThanOrEqual(certain * (1 + 1e-12));
    expect(Math.exp(logInfinity.upper)).toBeGreaterThanOrEqual(certain * (1 - 1e-12));
    const losses = all.filter(({ p, q }) => p > 0 && q > 0).map(({ p, q }) => Math.log(q / p));
    const most = losses.reduce((a, b) => Math.max(a, b));
    expect(largestLoss!.lower).toBeLessThanOrEqual(most * (1 + 1e-13));
    expect(largestLoss!.upper).toBeGreaterThanOrEqual(most * (1 - 1e-13));
  });
});
