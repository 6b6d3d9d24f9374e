import { expect } from 'vitest';
import { renyiDivergence, zcdpRho } from '../../src/bounds/renyi.js';
import {
  account,
  type Bracket,
  type ComposedRun,
  calibrate,
  gaussianTradeoff,
  type Mechanism,
  measure,
  type Target,
  type Unknown,
  unknownIn,
} from '../../src/index.js';
import type { Adjacency } from '../../src/mechanism/adjacency.js';
import { deltaGdp, normalCdf, normalQuantile } from '../../src/numeric/scalar.js';
import { secretCurve } from '../../src/risk/risk.js';
import { wasm } from './runs.js';

/** A mechanism with an unknown, and the adjacency it is asked under where that is not add-remove. */
type Row = readonly [template: unknown, adjacency?: Adjacency];

const LAPLACE = { kind: 'laplace', scale: 20, sensitivity: 1 };
const STEP = { kind: 'dp-sgd', noiseMultiplier: 4, samplingRate: 0.1, steps: 40 };
const EPOCH = { kind: 'balls-and-bins', noiseMultiplier: 4, bins: 20 };

/** One of each unknown. */
export const UNKNOWNS: Readonly<Record<string, Row>> = {
  'noise multiplier': [{ ...STEP, noiseMultiplier: '?' }],
  sigma: [{ kind: 'discrete-gaussian', sigma: '?', sensitivity: 1 }],
  variance: [{ kind: 'skellam', variance: '?', sensitivity: 1 }],
  trials: [{ kind: 'binomial', trials: '?', sensitivity: 1 }],
  scale: [{ kind: 'repeat', count: 3, inner: { ...LAPLACE, scale: '?' } }],
  noise: [
    {
      kind: 'compose',
      parts: [
        { kind: 'gaussian', noiseMultiplier: '?' },
        { ...LAPLACE, scale: { times: 2 } },
      ],
    },
  ],
  'sampling rate': [{ kind: 'poisson-subsampled', rate: '?', inner: { ...LAPLACE, scale: 0.5 } }],
  'batch size': [
    {
      kind: 'without-replacement',
      sampleSize: '?',
      datasetSize: 1000,
      inner: { kind: 'gaussian', noiseMultiplier: 1 },
    },
    'replace-one',
  ],
  steps: [{ ...STEP, steps: '?' }],
  count: [{ kind: 'repeat', count: '?', inner: LAPLACE }],
  epochs: [{ kind: 'repeat', count: '?', inner: EPOCH }],
  mu: [{ kind: 'gdp', mu: '?' }],
  rho: [{ kind: 'zcdp', rho: '?' }],
  epsilon: [{ kind: 'pure-dp', epsilon: '?' }],
  delta: [{ kind: 'approximate-dp', epsilon: 0.1, delta: '?' }],
  sensitivity: [{ ...LAPLACE, scale: 2, sensitivity: '?' }],
  bins: [{ ...EPOCH, noiseMultiplier: 1, bins: '?' }],
  'records per person': [{ ...STEP, samplingRate: 0.01, recordsPerPerson: '?' }],
};

interface Asked {
  readonly run: ComposedRun;
  readonly mechanism: Mechanism;
  readonly adjacency: Adjacency;
}

/** A target, and how far the loss is from it, as a quotient: at most 1 where it is met. Not as calibrate asks for it, where there is another way. */
type Aim = readonly [target: Target, loss: (asked: Asked) => Bracket];

const over = ({ lower, upper }: Bracket, most: number): Bracket => ({
  lower: lower / most,
  upper: upper / most,
});
const exactly = (x: number): Bracket => ({ lower: x, upper: x });

export const AIMS: Readonly<Record<string, Aim>> = {
  '(ε, δ)': [{ epsilon: 1, delta: 1e-5 }, ({ run }) => over(run.epsilon(1e-5), 1)],
  'pure ε': [{ epsilon: 1, delta: 0 }, ({ run }) => over(run.epsilon(0), 1)],
  μ: [{ mu: 0.5, alphaMin: 1e-3 }, ({ run }) => over(measure(run, { alphaMin: 1e-3 }).mu, 0.5)],
  advantage: [{ advantage: 0.2 }, ({ run }) => over(run.advantage(), 0.2)],
  power: [
    { truePositiveRate: 0.2, falsePositiveRate: 0.1 },
    ({ run }) => over(run.truePositiveRate(0.1), 0.2),
  ],
  // half of what the advantage leaves
  'Bayes error': [{ bayesError: 0.4, prior: 0.5 }, ({ run }) => over(run.advantage(), 0.2)],
  'predictive value': [
    { positivePredictiveValue: 2 / 3, prior: 0.5, falsePositiveRate: 0.1 },
    ({ run }) => over(run.truePositiveRate(0.1), 0.2),
  ],
  reconstruction: [
    { reconstruction: 0.2, baseline: 0.1 },
    ({ run }) => over(secretCurve(run).reconstruction(0.1), 0.2),
  ],
  ρ: [{ rho: 0.1 }, ({ mechanism, adjacency }) => over(exactly(zcdpRho(mechanism, adjacency)), 0.1)],
  Rényi: [
    { renyi: 0.4, order: 4 },
    ({ mechanism, adjacency }) => over(exactly(renyiDivergence(mechanism, 4, adjacency)), 0.4),
  ],
  // the δ and the power of a Gaussian of μ = ½, down to the window's edge
  curve: [
    { tradeoff: gaussianTradeoff(0.5), alphaMin: 1e-3 },
    ({ run }) => {
      const shares = [
        ...Array.from({ length: 15 }, (_, i) => over(run.delta(i / 10), deltaGdp(0.5, i / 10))),
        ...[1e-3, 3e-3, 1e-2, 0.03, 0.1, 0.3].map((alpha) =>
          over(run.truePositiveRate(alpha), normalCdf(0.5 + normalQuantile(alpha))),
        ),
      ];
      return {
        lower: Math.max(...shares.map(({ lower }) => lower)),
        upper: Math.max(...shares.map(({ upper }) => upper)),
      };
    },
  ],
};

/** Relative distance of the step beyond, for what is not whole: answers for a curve are stricter near the edge of its window. */
const [BEYOND, BEYOND_CURVE] = [1e-3, 0.1];

/** Where no value meets a target, by its name, and why. */
const OUT_OF_REACH: Readonly<Record<string, readonly [names: readonly string[], why: RegExp]>> = {
  'pure ε': [
    [
      ...[
        'noise multiplier',
        'sigma',
        'noise',
        'batch size',
        'steps',
        'epochs',
        'mu',
        'rho',
        'delta',
        'bins',
      ],
      'records per person',
    ],
    /^epsilon is infinite whatever the /,
  ],
  ρ: [
    ['sampling rate', 'batch size', 'delta', 'bins', 'epochs', 'records per person'],
    /^rho is infinite|^no .* is certified/,
  ],
  Rényi: [['batch size', 'delta'], /^renyi is infinite|^no .* is certified/],
};

/** Solves for one unknown: the loss is within its target at the answer, and beyond it one step further. */
export function expectSolved(unknownName: string, aimName: string): void {
  const [template, adjacency = 'add-remove'] = UNKNOWNS[unknownName]!;
  const [target, loss] = AIMS[aimName]!;
  const unknown = unknownIn(template);
  const found = calibrate(wasm, unknown, target, { adjacency, tolerance: 1e-5 });
  expect(found.unknown).toBe(unknownName);
  const [names, why] = OUT_OF_REACH[aimName] ?? [[], /^/];
  expect(found.reached, found.reached ? '' : found.reason).toBe(!names.includes(unknownName));
  if (!found.reached) {
    expect(found.reason).toMatch(why);
    return;
  }
  const at = (value: number): Bracket => {
    const mechanism = unknown.mechanismAt(value);
    return loss({ run: account(wasm, mechanism, { adjacency }), mechanism, adjacency });
  };
  expect(found.atLimit).toBe(false);
  expect(at(found.value).upper).toBeLessThanOrEqual(1 + 1e-9);
  const beyond = stepBeyond(unknown, found.value, aimName === 'curve' ? BEYOND_CURVE : BEYOND);
  expect(at(beyond).lower, `${found.value}, ${beyond}`).toBeGreaterThan(1);
}

function stepBeyond({ whole, larger }: Unknown, value: number, share: number): number {
  const side = larger === 'more-private' ? -1 : 1;
  return whole ? value + side : value * (1 + side * share);
}
