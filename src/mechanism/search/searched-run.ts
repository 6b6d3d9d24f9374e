import type { Engine } from '../../engine.js';
import { atomicPair } from '../../law/atomic-pair.js';
import { lawBetween } from '../../law/joined-laws.js';
import { cellLaw } from '../../law/lattice/cell-law.js';
import type { CountedLaw, LossLaw } from '../../law/loss-law.js';
import { ALL_FINITE, type Atoms, type Pair } from '../../law/pair.js';
import { tabulatedAtoms } from '../../law/tabulated-atoms.js';
import { methods } from '../../methods/brought/methods.js';
import { boundingRun } from '../../methods/closed/bounding-run.js';
import { firstWithin } from '../../methods/first-within.js';
import { type Bracket, bracket } from '../../numeric/bracket.js';
import { SLACK } from '../../numeric/log-probability.js';
import { Lazy } from '../../numeric/lru-cache.js';
import { Allowance, attempt } from '../../numeric/meter.js';
import { ALLOWANCE } from '../../numeric/prices.js';
import { down, FUNCTIONS_ERROR, ROUNDINGS, up } from '../../numeric/rounding.js';
import { exp, log } from '../../numeric/scalar.js';
import type { CertifiedTest, DirectedRun } from '../../run/directed-run.js';
import type { Adjacency } from '../adjacency.js';
import { compose, type Mechanism, repeat, withReleases } from '../mechanism.js';
import { kindOf, pairOf } from '../pairs.js';
import { attained, attainedRelease, reduceSteps } from '../reduce.js';
import { lawsOf, type SeenDirection } from '../seen.js';
import { type Step, stepsOf } from '../steps.js';
import type { Select } from '../tries.js';
import { PublishedCells } from './published-cells.js';
import { SelectionOrders } from './selection-orders.js';
import { logDeltaAbove, selectionRun, type Try } from './selection-run.js';
import { selectionCost, type TriesLaw, triesLaw } from './tries-law.js';

/** Runs of both directions, or one for both, with the tail limit μ_t. */
export interface Accounted {
  readonly directions: readonly DirectedRun[];
  readonly settings: { readonly tailMu: Bracket };
}

/** The engine, the options and the function of `account` that private searches need; `account` passes them in. */
export interface Accounting {
  readonly engine: Engine;
  readonly options: {
    readonly adjacency: Adjacency;
    readonly tolerance: number;
    readonly maxGridLength: number;
    readonly effort: number;
  };
  account(mechanism: Mechanism): Accounted;
}

/** A private search with the bounds of its published result and of one try. */
interface Search {
  readonly tries: TriesLaw;
  readonly inner: Accounted;
  /** Runs of the published result, one for each direction of `inner`. */
  readonly directions: readonly DirectedRun[];
  /** Bounds of one try in each direction, computed on first use. */
  each(): readonly Try[];
  /** A pair that dominates the published result in both directions. */
  above(): Pair;
}

/** Whether a step is a private search. */
const isSearch = ({ mechanism }: Step): boolean => mechanism.kind === 'select';

/**
 * A run with private searches among its steps. A single search is answered by its own bounds (`selectionRun`). Several, or one beside other steps, are composed
 * on the grid. Each search lies between a pair that dominates it and the pair of one of the scores that order its outputs (`SelectionOrders`). Where its
 * directions differ, the larger curve represents both.
 *
 * Ensures: brackets of δ hold for the run.
 */
export function searchedRun(mechanism: Mechanism, steps: readonly Step[], accounting: Accounting): Accounted {
  const searches = new Map<Step, Search>();
  for (const step of steps)
    if (isSearch(step)) searches.set(step, searchOf(step.mechanism as Select, accounting));
  const alone = steps.length === 1 && steps[0].count === 1 ? searches.get(steps[0]) : undefined;
  return {
    directions: alone?.directions ?? composed(mechanism, steps, searches, accounting),
    settings: {
      get tailMu(): Bracket {
        const { options } = accounting;
        const ask = (): Bracket => tailOf(steps, searches, accounting);
        const allowance = new Allowance(ALLOWANCE * options.effort);
        return allowance.ask(() => attempt(0.5, ask, () => bracket(0, Infinity)));
      },
    },
  };
}

/** A private search with bounds of one try in each direction, which are computed on first use. Ensures: brackets of its directions hold. */
function searchOf({ runs, inner: tried }: Select, { account, options }: Accounting): Search {
  const mechanism = tried as Mechanism;
  const { tolerance: width } = options;
  const tries = triesLaw(runs);
  const inner = account(mechanism);
  const below = attainedRun(mechanism, inner, account);
  const all = tries.most < Infinity ? account(repeat(mechanism, tries.most)) : undefined;
  const { directions: bases } = inner;
  const n = bases.length;
  const real = below?.directions;
  const made = (): Try[] => {
    const costs = bases.map((_, i) => selectionCost(tries, bases[n - 1 - i], width));
    const most = Math.max(...bases.map((run, i) => (run.largestLoss?.upper ?? Infinity) + costs[i]));
    const hidden = bases.every(({ logInfinity }) => logInfinity.upper === -Infinity);
    return bases.map((run, i) => ({
      run,
      cost: costs[i],
      most: hidden ? Math.max(0, most) : Infinity,
      all: all?.directions[Math.min(i, all.directions.length - 1)],
      cells: new PublishedCells(tries, run, bases[n - 1 - i]),
      orders:
        real &&
        new SelectionOrders(
          tries,
          real[i % real.length],
          real[real.length - 1 - (i % real.length)],
          TESTED * width,
        ),
    }));
  };
  const known = new Lazy(made);
  const each = (): Try[] => known.value;
  const pair = new Lazy(() =>
    pairAbove(directions[0], (epsilon) =>
      each().reduce((most, one) => {
        const floor = Math.max(HULL_FLOOR, most);
        return Math.max(most, logDeltaAbove(tries, one, epsilon, { width: HULL_WIDTH, floor }));
      }, -Infinity),
    ),
  );
  const above = (): Pair => pair.value;
  const hull = (): DirectedRun => above().forward;
  const directions = bases.map((_, i): DirectedRun => {
    const make = (): DirectedRun => selectionRun(tries, each()[i], () => directions[n - 1 - i], hull);
    return firstWithin([{ make }], width);
  });
  return { tries, inner, directions, each, above };
}

/** The run of one try by pairs that some mechanism attains, for lower bounds; undefined for tries that are searches or on samples of fixed size. */
function attainedRun(
  mechanism: Mechanism,
  inner: Accounted,
  account: (mechanism: Mechanism) => Accounted,
): Accounted | undefined {
  const steps = stepsOf(mechanism);
  if (steps.some((step) => isSearch(step) || step.sampling === 'without-replacement')) return undefined;
  const same = steps.every(({ mechanism: release }) => attainedRelease(release) === release);
  return same ? inner : account(withReleases(mechanism, attainedRelease));
}

/** log of the δ at which the order of outputs by score is chosen, for lower bounds of a search in a composition. Only width depends on it. */
const LOG_TYPICAL = log(1e-5);
/** Least log false positive rate of the tests of one order of outputs, for lower bounds of a search in a composition. Only width depends on it. */
const LOG_LEAST = -60;
/** Number of these tests. Only width and speed depend on it. */
const TESTS = 400;
/** Fraction of the allowance of work for the grid method; the bounds of each step alone, used if it fails, cost next to nothing. */
const GRID_SHARE = 0.97;
/** Width of log δ that the grid method aims at. Bounds of searches are further apart than that, and finer grids cost ten times as much. */
const ROUGH = 1e-4;

/** The run of searches and other steps in each direction, composed on the grid, or else by bounds of each step alone. Ensures: brackets of δ hold for the composition. */
function composed(
  mechanism: Mechanism,
  steps: readonly Step[],
  searches: ReadonlyMap<Step, Search>,
  { engine, options, account }: Accounting,
): readonly DirectedRun[] {
  const others = reduceSteps(
    steps.filter((step) => !isSearch(step)),
    options.adjacency,
  );
  // a step without noise reveals everything
  if (others.some(({ mechanism: release }) => kindOf(release).revealsAll?.(release)))
    return account(withReleases(mechanism, (release) => (release.kind === 'select' ? compose([]) : release)))
      .directions;
  const apart =
    others.some(({ sampling }) => sampling === 'poisson') ||
    [...searches.values()].some(({ directions }) => directions.length > 1);
  const sides: readonly SeenDirection[] = apart ? ['remove', 'add'] : ['remove'];
  const width = options.tolerance;
  // the grid method has no lattice for losses of balls and bins
  const hasGrid = others.every(({ mechanism: release }) => pairOf(release).family !== 'allocation');
  const lawsAt = (side: SeenDirection, i: number): CountedLaw[] => {
    const real = lawsOf(attained(others), side);
    const laws = lawsOf(others, side).map(({ law, count }, k) => ({
      law: lawBetween(law, real[k].law, law.single),
      count,
    }));
    for (const [{ count }, search] of searches) laws.push({ law: searchLaw(search, i), count });
    return laws;
  };
  return sides.map((side, i) => {
    const onGrid = (): DirectedRun =>
      methods().gridRun(engine.kernel, lawsAt(side, i), { width, maxLength: options.maxGridLength });
    const behind = { make: () => boundingRun(lawsAt(side, i)) };
    const ways = { make: onGrid, times: Math.max(1, ROUGH / width), share: () => GRID_SHARE };
    return firstWithin(hasGrid ? [ways, behind] : [behind], width);
  });
}

/** The law of a search's loss in one direction, between the pair that dominates it and the pair of one order of its outputs. */
function searchLaw({ each, directions, above }: Search, side: number): LossLaw {
  const i = Math.min(side, directions.length - 1);
  const pair = above();
  const below = pairBelow(testsOf(each()[i], directions[i], pair.largest));
  return lawBetween(cellLaw(pair, 1, 'remove'), cellLaw(below, 1, 'remove'), directions[i]);
}

/**
 * Tests of the published result under one order of the outputs; none if no mechanism is known to attain the pair of a try.
 *
 * Ensures: some test of the published result has at most the FPR stated, and at least the TPR.
 */
function testsOf({ run, orders }: Try, direction: DirectedRun, largest: number): CertifiedTest[] {
  if (orders === undefined) return [];
  const decoy = orders.decoyFor(direction.guessEpsilon(LOG_TYPICAL));
  const high = run.guessOmega(LOG_LEAST);
  const low = Math.max(-decoy.from, -high);
  return Array.from({ length: TESTS }, (_, k) =>
    orders.above(decoy, low + ((high - low) * (k + 1)) / TESTS),
  ).filter(({ logFpr, logTpr }) => logTpr - logFpr <= largest);
}

/**
 * Bracket of the tail limit μ_t = lim ε/√(−2 log δ(ε)) of a run. K is the number of tries of a search. If the search adds at most c < ∞ to losses, δ(ε)
 * is at most E[K]·δ(ε − c) of one try. So their tail limits agree. Otherwise that of the search is at most √(largest K) times as large.
 *
 * Ensures: μ_t of the run lies in the bracket.
 */
function tailOf(
  steps: readonly Step[],
  searches: ReadonlyMap<Step, Search>,
  { options }: Accounting,
): Bracket {
  let [least, most] = [0, 0];
  for (const { mechanism, count } of reduceSteps(
    steps.filter((step) => !isSearch(step)),
    options.adjacency,
  )) {
    const square = count * pairOf(mechanism).tailMu ** 2;
    least += square;
    most += square;
  }
  for (const [{ count }, { inner, each, tries }] of searches) {
    const { lower, upper } = inner.settings.tailMu;
    const fixed = each().some(({ cost }) => cost === Infinity);
    least += count * lower ** 2;
    most += count * upper ** 2 * (fixed ? tries.most : 1);
  }
  if (searches.size === 1 && steps.length === 1 && steps[0].count === 1 && least === most)
    return [...searches.values()][0].inner.settings.tailMu;
  return bracket(down(Math.sqrt(least), ROUNDINGS), up(Math.sqrt(most), ROUNDINGS));
}

/** Fraction of the tolerance for brackets of log δ from which tests of one try are made, as tests are less accurate. Only width depends on it. */
const TESTED = 0.1;
/** Width of the brackets of log δ of one try that are asked for at points of `pairAbove`: bounds of the search are further apart. */
const HULL_WIDTH = 1e-4;
/** Below this log δ, Chernoff's bound suffices at points of `pairAbove`. Only tightness and speed depend on it. */
const HULL_FLOOR = -75;
/** −log of the least δ at a point of `pairAbove`, before the last point: chords between points are upper bounds too. Only tightness depends on it. */
const DEEPEST = 225;
/** Upper limit of ε at points of `pairAbove`. Only tightness depends on it. */
const LAST = 1e4;

/**
 * The pair whose δ is the convex piecewise linear function of e^ε through points of a curve that bounds δ(ε) of both directions from above. It is
 * rounded up.
 *
 * Ensures: its δ is nowhere below the exact one, in either direction.
 */
function pairAbove(run: DirectedRun, logDelta: (epsilon: number) => number): Pair {
  const epsilons: number[] = [0];
  const put = (epsilon: number): void => {
    if (epsilon > epsilons[epsilons.length - 1] && epsilon < LAST) epsilons.push(epsilon);
  };
  const start = run.guessEpsilon(-0.05);
  for (let i = 1; i < 60; i++) put((start * i) / 60);
  for (let root = 0.23; root * root <= DEEPEST; root += root < 6 ? 0.02 : 0.1)
    put(run.guessEpsilon(-root * root));
  put(run.largestLoss?.upper ?? LAST);
  return atomicPair(
    tabulatedAtoms(
      epsilons.map((epsilon) => ({
        epsilon,
        delta: Math.min(1, up(exp(logDelta(epsilon)), ROUNDINGS)),
      })),
    ),
  );
}

/**
 * The pair whose trade-off curve is the convex hull of certified tests of another pair, which therefore dominates it. Rates are rounded to the safe
 * side.
 *
 * Ensures: its δ is nowhere above that of the pair that is tested.
 */
function pairBelow(tests: readonly CertifiedTest[]): Pair {
  const points = tests
    .filter(({ logFpr, logTpr }) => logTpr > -700 && logTpr > logFpr && logFpr < 0)
    .map(({ logFpr, logTpr }) => ({
      fpr: Math.min(1, up(exp(logFpr), SLACK)),
      tpr: down(exp(logTpr), SLACK),
    }))
    .sort((a, b) => a.fpr - b.fpr || b.tpr - a.tpr);
  const hull = [{ fpr: 0, tpr: 0 }];
  for (const point of [...points, { fpr: 1, tpr: 1 }]) {
    const last = hull[hull.length - 1];
    if (point.fpr <= last.fpr || point.tpr <= last.tpr) continue;
    while (
      hull.length > 1 &&
      rise(hull[hull.length - 2], hull[hull.length - 1]) <= rise(hull[hull.length - 1], point)
    )
      hull.pop();
    hull.push(point);
  }
  const n = hull.length - 1;
  // losses ascend as tests reject more
  const [p, q] = (['fpr', 'tpr'] as const).map((rate) =>
    Float64Array.from({ length: n }, (_, i) => hull[n - i][rate] - hull[n - i - 1][rate]),
  );
  const atoms: Atoms = {
    loss: q.map((mass, i) => log(mass) - log(p[i])),
    p,
    q,
    relative: FUNCTIONS_ERROR,
    ...ALL_FINITE,
    gdpMu: Infinity,
    tailMu: 0,
  };
  return atomicPair(atoms);
}

/** The slope of the line through two tests, the power as a function of the false positive rate. */
function rise(a: { fpr: number; tpr: number }, b: { fpr: number; tpr: number }): number {
  return (b.tpr - a.tpr) / (b.fpr - a.fpr);
}
