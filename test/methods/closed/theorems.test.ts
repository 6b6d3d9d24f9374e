/** What theorems alone say of a composition: docs/proofs/composition.md. The exact values are sums over every sequence of outputs. */
import { describe, expect, test } from 'vitest';
import { approximateDp, pureDp } from '../../../src/index.js';
import { cellLaw } from '../../../src/law/lattice/cell-law.js';
import type { CountedLaw, LossLaw } from '../../../src/law/loss-law.js';
import { pairOf } from '../../../src/mechanism/pairs.js';
import { boundingRun } from '../../../src/methods/closed/bounding-run.js';
import { sumOfDeltas } from '../../../src/methods/closed/sum-of-deltas.js';
import { gaussian, PLACES, wide } from '../../helpers/wide-runs.js';

/** Outputs of a step with their masses without and with the record. */
type Outputs = readonly (readonly [p: number, q: number])[];

/** Randomised response beside a failure of probability δ₀, on a Poisson sample. */
interface Response {
  readonly epsilon: number;
  readonly failure: number;
  readonly rate: number;
  readonly count: number;
}

function outputsOf({ epsilon, failure, rate }: Response): Outputs {
  const high = (1 - failure) / (1 + Math.exp(-epsilon));
  const low = (1 - failure) / (1 + Math.exp(epsilon));
  const whole: Outputs = [
    [0, failure],
    [low, high],
    [high, low],
    [failure, 0],
  ];
  return whole.map(([p, q]) => [p, (1 - rate) * p + rate * q]);
}

function lawOf({ epsilon, failure, rate }: Response): LossLaw {
  const mechanism = failure > 0 ? approximateDp({ epsilon, delta: failure }) : pureDp({ epsilon });
  return cellLaw(pairOf(mechanism), rate, 'remove');
}

/** Sums over every sequence of outputs. */
function sumsOf(steps: readonly Response[]): { delta: (epsilon: number) => number; alone: number } {
  const all = steps.flatMap((step) => Array.from({ length: step.count }, () => outputsOf(step)));
  const visit = (i: number, p: number, q: number, each: (p: number, q: number) => number): number =>
    i === all.length
      ? each(p, q)
      : all[i]!.reduce((sum, [a, b]) => sum + visit(i + 1, p * a, q * b, each), 0);
  return {
    delta: (epsilon) => visit(0, 1, 1, (p, q) => Math.max(0, q - Math.exp(epsilon) * p)),
    alone: visit(0, 1, 1, (p, q) => (p === 0 ? q : 0)),
  };
}

const RUNS: readonly [string, readonly Response[]][] = [
  ['three responses', [{ epsilon: 0.5, failure: 0, rate: 1, count: 3 }]],
  ['rare failures', [{ epsilon: 0.01, failure: 1e-4, rate: 1, count: 4 }]],
  ['samples', [{ epsilon: 1, failure: 1e-3, rate: 0.2, count: 4 }]],
  [
    'unlike steps',
    [
      { epsilon: 0.3, failure: 0.01, rate: 1, count: 2 },
      { epsilon: 1, failure: 0, rate: 0.3, count: 2 },
      { epsilon: 0.1, failure: 1e-3, rate: 1, count: 1 },
    ],
  ],
];
const lawsOf = (steps: readonly Response[]): CountedLaw[] =>
  steps.map((step) => ({ law: lawOf(step), count: step.count }));

describe('the sum of the deltas', () => {
  test.each(RUNS)('%s: it is never below the composition', (_, steps) => {
    const { delta } = sumsOf(steps);
    const bound = sumOfDeltas(lawsOf(steps));
    const most = steps.reduce((sum, { epsilon, count }) => sum + epsilon * count, 0);
    for (const share of [0, 0.1, 0.3, 0.5, 0.8, 0.95, 0.999, 1.2]) {
      const exact = delta(share * most);
      expect(bound(share * most), `δ(${share * most})`).toBeGreaterThanOrEqual(Math.log(exact) - 1e-12);
    }
  });

  test('it is reached but for squares where steps only fail, and counts failures of every step', () => {
    const [, steps] = RUNS[1]!;
    const bound = Math.exp(sumOfDeltas(lawsOf(steps))(1));
    expect(bound).toBeGreaterThan(sumsOf(steps).delta(1));
    expect(bound).toBeLessThan(4e-4 * (1 + 1e-12));
  });

  test.each(Object.entries(PLACES))('by the upper ends of its steps: the exact value %s', (_, place) => {
    const exact = gaussian(1);
    const law = { single: wide(exact, 0.05, place) } as unknown as LossLaw;
    for (const epsilon of [0, 0.3, 1, 2])
      expect(sumOfDeltas([{ law, count: 1 }])(epsilon)).toBeGreaterThanOrEqual(
        Math.log(exact.delta(epsilon)) - 1e-13,
      );
  });
});

describe('the Gaussian above and the worst step below', () => {
  test.each(RUNS)('%s: they hold the composition', (_, steps) => {
    const { delta, alone } = sumsOf(steps);
    const run = boundingRun(lawsOf(steps));
    for (const epsilon of [0, 0.1, 0.4, 0.9, 1.4, 2.2]) {
      const exact = delta(epsilon);
      const { lower, upper } = run.logDelta(epsilon);
      expect(Math.exp(lower), `δ(${epsilon})`).toBeLessThanOrEqual(exact * (1 + 1e-12) + 1e-15);
      expect(Math.exp(upper), `δ(${epsilon})`).toBeGreaterThanOrEqual(exact * (1 - 1e-12));
      // a test: its power is below the line of δ at every slope
      const { logFpr, logTpr } = run.test(epsilon);
      for (const slope of [-0.5, 0, 0.2, epsilon, 1])
        expect(Math.exp(logTpr) - Math.exp(slope + logFpr)).toBeLessThanOrEqual(delta(slope) + 1e-12);
    }
    expect(Math.exp(run.logInfinity.lower)).toBeLessThanOrEqual(alone * (1 + 1e-12));
    expect(Math.exp(run.logInfinity.upper)).toBeGreaterThanOrEqual(alone * (1 - 1e-12));
  });

  test('the Gaussian is reached by one response at 0, and is of all its steps', () => {
    const response = (count: number): Response => ({ epsilon: 0.2, failure: 0, rate: 1, count });
    const [one, four] = [1, 4].map((count) => boundingRun(lawsOf([response(count)])).logDelta(0));
    expect(Math.exp(one!.upper)).toBeCloseTo(Math.tanh(0.1), 12);
    expect(Math.exp(four!.upper)).toBeGreaterThan(sumsOf([response(4)]).delta(0));
    expect(Math.exp(four!.upper)).toBeLessThan(2.1 * Math.tanh(0.1));
  });

  test('largest losses add up', () => {
    const { lower, upper } = boundingRun(
      lawsOf([
        { epsilon: 0.25, failure: 0, rate: 1, count: 3 },
        { epsilon: 1, failure: 0, rate: 0.3, count: 2 },
      ]),
    ).largestLoss!;
    const exact = 0.75 + 2 * Math.log1p(0.3 * Math.expm1(1));
    expect(lower).toBeLessThanOrEqual(exact + 1e-15);
    expect(upper).toBeGreaterThanOrEqual(exact - 1e-15);
    expect(upper - lower).toBeLessThan(1e-14);
  });
});
