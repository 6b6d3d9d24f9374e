/** How answers are made of those at several widths: docs/proofs/ladder.md. The runs are made up, so that every rung says what it is told to. */
import { describe, expect, it } from 'vitest';
import { candidatesOf } from '../../src/account/candidates.js';
import { climb, descend, rungWidths } from '../../src/account/climb.js';
import { climbingRuns, type Ladder, type Rung } from '../../src/account/climbing-run.js';
import { ComposedRun } from '../../src/account/composed-run.js';
import { type AllBounds, NO_BOUNDS, type Stated } from '../../src/account/stated.js';
import { kairouzEpsilon } from '../../src/bounds/composition.js';
import { epsilonFromRenyi } from '../../src/bounds/renyi-accountant.js';
import {
  account,
  type Bracket,
  compose,
  laplace,
  pureDp,
  repeat,
  replacedGaussian,
} from '../../src/index.js';
import { reduceSteps } from '../../src/mechanism/reduce.js';
import { stepsOf } from '../../src/mechanism/steps.js';
import { absoluteWidth, bracket, exactly, overlap } from '../../src/numeric/bracket.js';
import { Allowance, attempt, charge, noteLimited, remaining } from '../../src/numeric/meter.js';
import type { DirectedRun } from '../../src/run/directed-run.js';
import { wasm } from '../helpers/runs.js';

type Ends = readonly [below: number, above: number];

/** log δ(ε) = height − slope·ε, known as far off as it is said. */
function line(
  ends: Ends,
  { height = 0, slope = 1, ...more }: Partial<DirectedRun> & { height?: number; slope?: number } = {},
): DirectedRun {
  return {
    direction: 'remove',
    method: 'grid',
    logInfinity: exactly(-Infinity),
    largestLoss: exactly(Infinity),
    logDelta: (epsilon) => {
      const exact = Math.min(0, height - slope * epsilon);
      return bracket(Math.min(0, exact - ends[0]), Math.min(0, exact + ends[1]));
    },
    test: () => ({ logFpr: 0, logTpr: 0 }),
    guessEpsilon: (target) => (height - target) / slope,
    guessOmega: () => 0,
    ...more,
  };
}

/** The same run, each ε it is asked about noted. */
function noting(run: DirectedRun, asked: number[]): DirectedRun {
  const logDelta = (epsilon: number): Bracket => {
    asked.push(epsilon);
    return run.logDelta(epsilon);
  };
  return { ...run, logDelta };
}

/** A run of such rungs; each is the directions at one width. */
function runOf(rungs: readonly Rung[], candidates: Partial<AllBounds> = {}, patience?: number): ComposedRun {
  const ladder: Ladder = { rungs, candidates: { ...NO_BOUNDS, ...candidates }, patience };
  return new ComposedRun(ladder, {
    mechanism: pureDp({ epsilon: 1 }),
    adjacency: 'add-remove',
    tolerance: rungs[rungs.length - 1].tolerance,
    engine: 'wasm',
    effort: 1,
    tailMu: bracket(0, 1),
    muCeiling: 1,
    gaussian: false,
  });
}

const rung = (tolerance: number, ...directions: DirectedRun[]): Rung => ({ tolerance, directions });
const near = ({ lower, upper }: Bracket, ends: Ends): void => {
  expect(lower).toBeCloseTo(ends[0], 8);
  expect(upper).toBeCloseTo(ends[1], 8);
};

describe('an answer of several rungs', () => {
  it('the brackets of all rungs are intersected, of epsilon and of delta', () => {
    // the finer one is the wider, but at one end
    const run = runOf([rung(0.1, line([0.2, 0.05])), rung(0.01, line([0.005, 0.4]))]);
    near(run.logDelta(5), [-5.005, -4.95]);
    near(run.epsilon(Math.exp(-5)), [4.995, 5.05]);
  });

  it('the larger of two directions, each by both of its ends', () => {
    const [high, low] = [{ height: 0.02 }, { direction: 'add' } as const];
    const run = runOf([
      rung(0.1, line([0.05, 0.01], high), line([0.2, 0.05], low)),
      rung(0.01, line([0.06, 0.01], high), line([0.2, 0.05], low)),
    ]);
    near(run.logDelta(5), [-5.03, -4.95]);
    near(run.epsilon(Math.exp(-5)), [4.97, 5.05]);
  });

  it('a direction that is known to lie below another says nothing of the larger', () => {
    const asked: number[] = [];
    const wide = line([20, 0], { height: -3, direction: 'add' });
    const low = noting(wide, asked);
    const run = runOf([rung(0.1, line([0.01, 0.01]), low), rung(0.001, line([1e-4, 1e-4]), low)]);
    near(run.epsilon(Math.exp(-5)), [4.9999, 5.0001]);
    // once, where the other is known to reach: its δ there is below what is asked
    expect(asked).toHaveLength(1);
    expect(asked[0]).toBeCloseTo(4.99, 2);
    near(run.logDelta(5), [-5.0001, -4.9999]);
  });

  it('what candidates say counts at each end for itself', () => {
    const rungs = [rung(0.1, line([1, 2])), rung(0.01, line([1, 2]))];
    const above = runOf(rungs, { epsilonAbove: () => 5.5, logDeltaAbove: (epsilon) => 0.5 - epsilon });
    near(above.epsilon(Math.exp(-5)), [4, 5.5]);
    near(above.logDelta(5), [-6, -4.5]);
    const first = rungs.map((one, i) => (i === 0 ? { ...one, share: 0.9 } : one));
    near(runOf(first, { epsilonAbove: () => 5.5 }, 1).epsilon(Math.exp(-5)), [4, 5.5]);
    const below = runOf(rungs, { epsilonBelow: () => 4.75, logDeltaBelow: (epsilon) => -0.25 - epsilon });
    near(below.epsilon(Math.exp(-5)), [4.75, 7]);
    near(below.logDelta(5), [-5.25, -3]);
  });

  it('of several candidates the best counts', () => {
    const queries = Array.from({ length: 40 }, (_, i) => laplace({ scale: 2 + 0.02 * i, sensitivity: 1 }));
    const steps = reduceSteps(stepsOf(compose(queries)), 'add-remove');
    const { epsilonAbove, epsilonBelow } = candidatesOf({
      steps,
      raw: steps,
      options: { adjacency: 'add-remove' },
      isWhole: true,
    } as unknown as Stated);
    const [composed, renyi] = [kairouzEpsilon(steps, 1e-5), epsilonFromRenyi(steps, 1e-5, 'tight').value];
    expect(composed).toBeGreaterThan(renyi * 1.01);
    expect(epsilonAbove(Math.log(1e-5))).toBeCloseTo(renyi, 10);
    expect(epsilonBelow(Math.log(1e-5))).toBe(0);
  });

  it('of tests the one that makes most of delta', () => {
    const [weak, strong] = [-0.9, -0.5].map((logTpr) => ({ logFpr: -3, logTpr }));
    const climbing = (first: typeof weak, second: typeof weak): DirectedRun =>
      climbingRuns([
        rung(0.1, line([1, 1], { test: () => first })),
        rung(0.01, line([1, 1], { test: () => second })),
      ])[0];
    for (const run of [climbing(weak, strong), climbing(strong, weak)]) expect(run.test(1)).toEqual(strong);
  });
});

describe('delta by that of other epsilons', () => {
  it('beside the least loss delta is bounded by its neighbours, each from its own side', () => {
    const least = exactly(2);
    const asked: number[] = [];
    const steep = line([0, 0], { slope: 1e7, height: -2e7 - 5, largestLoss: least });
    const run = runOf([rung(0.1, noting(steep, asked))]);
    near(run.logDelta(-2), [-5.2, -4.8]);
    expect(asked).toEqual([-2.00000002, -1.99999998]);
    asked.length = 0;
    near(run.logDelta(-1.9999), [-1005, -1005]);
    expect(asked).toEqual([-1.9999]);
  });
});

describe('how an answer climbs', () => {
  /** Answers as wide as a rung is told to be, around 0. */
  function climbed(
    widths: readonly (number | 'out')[],
    target: number,
    { first, patience }: { first?: number; patience?: number } = {},
  ): { asked: number[]; found: Bracket; limitedBy: string } {
    const asked: number[] = [];
    const allowance = new Allowance(1000);
    const rungs = rungWidths(target, first).map((one, i) => ({ ...one, width: widths[i] ?? 1 }));
    const found = allowance.ask(() =>
      climb(rungs, target, {
        known: bracket(-Infinity, Infinity),
        ask: ({ tolerance, width }, known) => {
          asked.push(tolerance);
          if (width === 'out') {
            charge(1e9);
            return known;
          }
          return overlap(known, bracket(-width / 2, width / 2));
        },
        open: absoluteWidth,
        patience,
      }),
    );
    return { asked, found, limitedBy: allowance.limitedBy };
  }

  it('from the coarsest, leaving out what is reached, to the tolerance', () => {
    expect(climbed([0.1, 0.001, 1, 1e-4], 1e-4).asked).toEqual([0.1, 0.01, 1e-4]);
    expect(climbed([1e-9], 1e-6).asked).toEqual([0.1]);
    expect(rungWidths(0.1)).toEqual([{ tolerance: 0.1 }]);
    expect(rungWidths(0.02)).toEqual([{ tolerance: 0.1 }, { tolerance: 0.02 }]);
  });

  it('to the last where a rung has not ended by effort, and what is open is not far beyond it', () => {
    expect(climbed([0.5, 0.5, 0.5], 1e-3).asked).toEqual([0.1, 0.01, 1e-3]);
    // a thousand times the width
    expect(climbed([2, 2, 2, 2, 2], 1e-5).asked).toEqual([0.1, 0.01, 1e-3]);
    expect(climbed([2, 2, 2, 2, 2], 1e-5, { patience: 1 }).asked).toEqual([0.1, 0.01]);
    // by a tenth at least
    expect(climbed([2, 1.7, 1.4, 1.2, 1], 1e-5, { patience: 1 }).asked).toEqual([
      0.1, 0.01, 1e-3, 1e-4, 1e-5,
    ]);
  });

  it('not beyond a rung that effort ended, which the question is told', () => {
    const { asked, found, limitedBy } = climbed([0.5, 'out', 0.1], 1e-3);
    expect(asked).toEqual([0.1, 0.01]);
    expect(absoluteWidth(found)).toBe(0.5);
    expect(limitedBy).toBe('effort');
    expect(climbed(['out', 1e-9], 1e-3).limitedBy).toBe('tolerance');
  });

  it('the tolerance first where it is expected to be reached, and then from the coarsest', () => {
    expect(climbed([1e-7], 1e-6, { first: 0.9 }).asked).toEqual([1e-6]);
    const short = climbed(['out', 0.1, 0.004, 1, 2e-4], 1e-4, { first: 0.5 });
    expect(short.asked).toEqual([1e-4, 0.1, 0.01, 0.001]);
    expect(short.limitedBy).toBe('effort');
    // where theorems leave a gap, the finest is the last
    expect(climbed([0.3, 0.3], 1e-4, { first: 0.9, patience: 1 }).asked).toEqual([1e-4]);
    expect(climbed(['out', 0.3], 1e-4, { first: 0.9, patience: 1 }).asked).toEqual([1e-4, 0.1, 0.01]);
    expect(rungWidths(1e-6, 1)).toEqual([{ tolerance: 1e-6 }]);
  });

  it('behind one at the tolerance the next wider is asked, however narrow the others', () => {
    // at ten times the tolerance it would have been the first
    expect(climbed(['out', 5e-4, 2e-3, 3e-5], 1e-4, { first: 0.5 }).asked).toEqual([1e-4, 0.1, 0.001]);
  });

  it('of several numbers the tolerance first, then the next wider ones until one reaches its own width', () => {
    const asked: number[] = [];
    const spent: number[] = [];
    const allowance = new Allowance(1000);
    const ends = [bracket(0, 0.5), bracket(-0.5, 0.05), bracket(-0.01, 0.05), bracket(0, 1)];
    const found = allowance.ask(() =>
      descend(
        [1e-3, 0.01, 0.1, 0.2].map((tolerance) => ({ tolerance })),
        {
          ask: ({ tolerance }) => {
            asked.push(tolerance);
            spent.push(remaining());
            // the first runs out, and keeps what it has
            attempt(1, () => charge(tolerance < 0.01 ? 1e9 : 1), noteLimited);
            return ends[asked.length - 1];
          },
          join: overlap,
          open: absoluteWidth,
          told: () => {},
        },
      ),
    );
    expect(asked).toEqual([1e-3, 0.01, 0.1]);
    expect(found).toEqual(bracket(0, 0.05));
    expect(spent[1]).toBeGreaterThan(850);
    expect(allowance.limitedBy).toBe('effort');
  });

  it('with the same units for each rung, whatever tolerance is wanted', () => {
    const units = (target: number): number[] => {
      const spent: number[] = [];
      new Allowance(1e6).ask(() =>
        climb(rungWidths(target), target, {
          known: bracket(-Infinity, Infinity),
          ask: ({ tolerance }, known) => {
            spent.push(0);
            try {
              for (;;) {
                charge(1000);
                spent[spent.length - 1]++;
              }
            } catch {
              // each narrows what is known
              return overlap(known, bracket(-2 * tolerance, 2 * tolerance));
            }
          },
          open: absoluteWidth,
        }),
      );
      return spent;
    };
    const [few, many] = [units(1e-2), units(1e-5)];
    expect(few).toEqual([900, 89]);
    expect(many.slice(0, 2)).toEqual(few);
  });
});

it('records replaced: coarser widths where the finest falls short', () => {
  const step = replacedGaussian({ noiseMultiplier: 1.1927442697147271, rate: 0.0012567582984074586 });
  const run = account(wasm, repeat(step, 280), { adjacency: 'replace-one', effort: 0.2 });
  const { lower, upper } = run.epsilon(1e-5);
  // by trapezoidal sums along the lines at 30 and 40, outputs cut at 7.75 and 8.5: .11587365466
  expect(lower).toBeLessThan(0.11587365467);
  expect(upper).toBeGreaterThan(0.11587365465);
  expect(upper / lower - 1).toBeLessThan(1e-5);
});
