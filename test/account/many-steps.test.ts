import { expect, test } from 'vitest';
import { groupedSteps } from '../../src/account/near-phases.js';
import {
  account,
  compose,
  discreteGaussian,
  dpSgd,
  gaussian,
  loadEngine,
  measure,
  poissonSubsampled,
} from '../../src/index.js';
import { commonLattice } from '../../src/law/lattice-atoms.js';
import { attackedSteps } from '../../src/mechanism/reduce.js';
import type { Step } from '../../src/mechanism/steps.js';
import type { Bracket } from '../../src/numeric/bracket.js';
import { dpEventRun } from '../../src/read/dp-event.js';
import { LONG_TESTS } from '../helpers/long.js';
import { seeded } from '../helpers/random.js';

const engine = await loadEngine();

/** More than the stack holds arguments for. */
const MANY = 200_000;

test('a run of 200,000 unlike Gaussians is the one Gaussian they compose to', () => {
  const noises = Array.from({ length: MANY }, (_, i) => 1000 + i * 1e-4);
  const precision = noises.reduce((sum, noise) => sum + 1 / (noise * noise), 0);
  const run = account(engine, compose(noises.map((noiseMultiplier) => gaussian({ noiseMultiplier }))));
  const one = account(engine, gaussian({ noiseMultiplier: 1 / Math.sqrt(precision) }));
  const [found, exact] = [run.epsilon(1e-5), one.epsilon(1e-5)];
  expect(found.lower).toBeLessThanOrEqual(exact.upper);
  expect(found.upper).toBeGreaterThanOrEqual(exact.lower);
  expect(found.upper - found.lower).toBeLessThan(1e-8);
});

test('lists of 200,000 have their extremes found', () => {
  const mechanism = gaussian({ noiseMultiplier: 2 });
  const step: Step = { mechanism, sampling: 'poisson', rate: 0.5, count: 1 };
  expect(attackedSteps(Array<Step>(MANY).fill(step), 'add-remove')).toEqual([]);
  expect(commonLattice(Array.from({ length: MANY }, (_, i) => (i % 2 === 0 ? 0.5 : 0.75)))).toBeCloseTo(
    0.25,
    14,
  );
  const tree = (counts: unknown) =>
    dpEventRun({
      class_name: 'SingleEpochTreeAggregationDpEvent',
      noise_multiplier: 2,
      step_counts: counts,
    }).mechanism;
  expect(tree(Array.from({ length: MANY }, (_, i) => 1 + (i % 7)))).toEqual(tree(7));
});

test('300 unlike discrete Gaussians on samples have the digits of few', () => {
  const steps = Array.from({ length: 300 }, (_, i) =>
    poissonSubsampled(discreteGaussian({ sigma: 0.6 * 2.5 ** (i / 299), sensitivity: 1 }), { rate: 0.01 }),
  );
  const run = account(engine, compose(steps), { adjacency: 'add-remove', tolerance: 0.01 });
  const { lower, upper } = run.epsilon(1e-5);
  // FFT of the losses at steps of 4e-4 and 2e-4, each atom between its two neighbours: 2.8004641, 2.8004522
  expect(lower).toBeLessThan(2.80045);
  expect(upper).toBeGreaterThan(2.80044);
  expect(upper - lower).toBeLessThan(2e-3);
});

test('a group is split without a copy for every place where it could be', () => {
  const random = seeded(3);
  const steps = Array.from({ length: 4096 }, (): Step => {
    const mechanism = gaussian({ noiseMultiplier: 1 + random() });
    return { mechanism, sampling: 'poisson', rate: 0.01, count: 1 };
  });
  const { slice } = Array.prototype;
  let copied = 0;
  const counting = function (this: unknown[], from?: number, to?: number): unknown[] {
    const part = slice.call(this, from, to);
    copied += part.length;
    return part;
  };
  Object.defineProperty(Array.prototype, 'slice', { value: counting });
  try {
    expect(groupedSteps(steps, 3)?.worse).toHaveLength(3);
  } finally {
    Object.defineProperty(Array.prototype, 'slice', { value: slice });
  }
  expect(copied).toBeGreaterThanOrEqual(steps.length);
  expect(copied).toBeLessThanOrEqual(2 * steps.length);
});

test('20,000 unlike phases end within a small allowance, in a bracket that holds', () => {
  const phases = Array.from({ length: 20_000 }, (_, i) =>
    dpSgd({ noiseMultiplier: 5 + i * 1e-6, samplingRate: 0.001, steps: 1 }),
  );
  const run = account(engine, compose(phases), { effort: 0.01 });
  const found = run.epsilon(1e-5);
  // all as the first, and all as the last
  const [worst, best] = [5, 5.02].map((noiseMultiplier) =>
    account(engine, dpSgd({ noiseMultiplier, samplingRate: 0.001, steps: 20_000 })).epsilon(1e-5),
  );
  expect(found.lower).toBeLessThanOrEqual(worst.upper);
  expect(found.upper).toBeGreaterThanOrEqual(best.lower);
  expect(run.limitedBy).toBe('effort');
  expect(run.cost).toBeLessThanOrEqual(2.1e7);
});

/** Unlike phases of little noise. */
function rareLosses(count: number) {
  return Array.from({ length: count }, (_, i) =>
    dpSgd({
      noiseMultiplier: 0.71 + (0.64 * i) / count,
      samplingRate: 5.1e-4 * (1.1 / 5.1) ** (i / count),
      steps: 267,
    }),
  );
}

// μ by parts, at unlimited effort
test.each(
  [
    [60, 0.31469],
    [80, 0.32028],
    [150, 0.33498],
  ].filter(([count]) => LONG_TESTS || count === 150),
)('mu of %i unlike phases of rare losses is sharp at the usual effort', (count, byParts) => {
  const run = account(engine, compose(rareLosses(count)), { adjacency: 'add-remove' });
  const { mu } = measure(run);
  expect(run.limitedBy).not.toBe('effort');
  expect(mu.upper - mu.lower).toBeLessThan(1e-5 * mu.upper);
  expect(Math.abs(mu.upper - byParts)).toBeLessThan(1e-5);
});

test('a mu that runs out leaves something for groups', () => {
  const phases = rareLosses(150);
  const run = account(engine, compose(phases), { adjacency: 'add-remove', effort: 0.1 });
  // 0.3350 with more
  const { mu } = measure(run);
  expect(run.limitedBy).toBe('effort');
  expect(mu.lower).toBeLessThan(0.3349);
  expect(mu.upper).toBeGreaterThan(0.335);
  expect(mu.upper).toBeLessThan(1);
});

/** Unlike phases of 10,000 steps in all. */
const unlike = (count: number) =>
  compose(
    Array.from({ length: count }, (_, i) =>
      dpSgd({ noiseMultiplier: 1 + i / count, samplingRate: 0.01, steps: 10_000 / count }),
    ),
  );

test.each([
  ['add-remove', 1e-9],
  ['replace-one', 1e-6],
] as const)(
  '1,000 unlike phases, %s, lie between 500 of the least and of the most noise of two',
  (adjacency, width) => {
    const run = account(engine, unlike(1000), { adjacency });
    const found = run.epsilon(1e-5);
    expect(run.groups).toBeUndefined();
    expect(found.upper - found.lower).toBeLessThan(width * found.upper);
    // noise 1 + i/500, i < 500, is that of the first of two phases: the run has less
    const most = account(engine, unlike(500), { adjacency }).epsilon(1e-5);
    expect(found.lower).toBeLessThan(most.upper);
    expect(found.upper).toBeGreaterThan(0.998 * most.lower);
  },
);

test('3,000 unlike phases lie between two runs of groups', () => {
  const phases = Array.from({ length: 3000 }, (_, i) => ({ noise: 1 + i / 1500, rate: 0.01, count: 2 }));
  const stated = compose(
    phases.map(({ noise, rate, count }) =>
      dpSgd({ noiseMultiplier: noise, samplingRate: rate, steps: count }),
    ),
  );
  const run = account(engine, stated, { adjacency: 'add-remove' });
  const exact = engine.kernel.questions!;
  const sampled = {
    phases: phases.map(({ noise, rate, count }) => ({ mu: 1 / noise, rate, count })),
    square: 0,
  };
  const holds = (found: Bracket, { lower, upper }: Bracket): void => {
    expect(found.lower).toBeLessThanOrEqual(upper);
    expect(found.upper).toBeGreaterThanOrEqual(lower);
    expect(found.upper - found.lower).toBeLessThan(2e-3 * found.upper);
  };
  holds(run.epsilon(1e-5), exact.runEpsilon(sampled, Math.log(1e-5), 1e-6, 1e10));
  expect(run.groups).toBe(1536);
  expect(run.limitedBy).toBe('theory');
  const { logs } = exact.runDeltas(sampled, [1], 1e10);
  holds(run.delta(1), { lower: Math.exp(logs[0]!.lower), upper: Math.exp(logs[0]!.upper) });
  const { mu, regret, limitedBy } = measure(run);
  const told = exact.runMeasure(sampled, Math.log(1e-10), 1e-6, 1e10);
  holds(mu, told);
  expect(limitedBy).toBe('theory');
  expect(regret.lower).toBeLessThanOrEqual(told.regret.lower);
  expect(regret.upper).toBeGreaterThanOrEqual(told.regret.upper);
  expect(regret.upper - regret.lower).toBeLessThan(1e-3);
});

test.each([400, 2100])('%i unlike phases of rare losses are told within some per cent', (count) => {
  const phases = Array.from({ length: count }, (_, i) => ({
    noiseMultiplier: 0.8 + (2.1 * i) / count,
    samplingRate: 2e-4 + 1e-4 * (((7 * i) % count) / count),
    steps: 1,
  }));
  const run = account(engine, compose(phases.map(dpSgd)), { adjacency: 'add-remove' });
  const epsilon = run.epsilon(1e-5);
  expect(epsilon.upper - epsilon.lower).toBeLessThan(0.1 * epsilon.upper);
  const { mu } = measure(run);
  expect(mu.upper - mu.lower).toBeLessThan(0.4 * mu.upper);
  const told = account(engine, compose(phases.map(dpSgd)), { adjacency: 'add-remove', effort: 4 }).epsilon(
    1e-5,
  );
  expect(epsilon.lower).toBeLessThanOrEqual(told.upper);
  expect(epsilon.upper).toBeGreaterThanOrEqual(told.lower);
});

test('1,900 unlike phases, one record replaced, lie between two runs of groups', () => {
  const steps = Array.from({ length: 1900 }, (_, i) =>
    dpSgd({ noiseMultiplier: 0.8 + (0.8 * i) / 1900, samplingRate: 0.0228, steps: 5 }),
  );
  const run = account(engine, compose(steps), { adjacency: 'replace-one' });
  const { lower, upper } = run.epsilon(1e-5);
  // by the transform of the losses on a vertical line, in numpy's 80-bit floats
  const found = 25.51649657375952;
  expect(lower).toBeLessThan(found);
  expect(upper).toBeGreaterThan(found);
  expect(upper).toBeLessThan(1.01 * lower);
}, 60_000);
