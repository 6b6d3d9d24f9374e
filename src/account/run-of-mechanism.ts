import { searchedSteps } from '../bounds/kept-moments.js';
import type { Engine } from '../engine.js';
import { wrongValue } from '../errors.js';
import { gaussianMus } from '../law/gaussian-pair.js';
import type { GaussianPair } from '../law/pair.js';
import type { Adjacency } from '../mechanism/adjacency.js';
import type { Mechanism } from '../mechanism/mechanism.js';
import { type Basic, kindOf, pairOf } from '../mechanism/pairs.js';
import { type Path, pathsOf } from '../mechanism/paths.js';
import {
  attackedSteps,
  attained,
  closenessOf,
  concentrated,
  logLostOf,
  needsAttained,
  reduceSteps,
  stepsInUnits,
  unchainedSteps,
} from '../mechanism/reduce.js';
import { type Accounted, type Accounting, searchedRun } from '../mechanism/search/searched-run.js';
import { gaussianSumAround, pureSumAround } from '../mechanism/stated-sums.js';
import { type Step, stepsOf } from '../mechanism/steps.js';
import type { WholeAnswers } from '../methods/contour/answered.js';
import { aroundRelative, type Bracket, bracket, exactly, maxBracket } from '../numeric/bracket.js';
import { Allowance } from '../numeric/meter.js';
import { ALLOWANCE } from '../numeric/prices.js';
import { A_ROUNDING, ROUNDINGS } from '../numeric/rounding.js';
import { closeRun, losingRun, shorterRun } from '../run/changed-run.js';
import type { DirectedRun } from '../run/directed-run.js';
import { enclosedRun } from '../run/enclosed-run.js';
import { meteredDirections } from '../run/metered-run.js';
import { aboveAttacks, alikeTo, aloneBounds, atLeast } from './attacked-run.js';
import { candidatesOf } from './candidates.js';
import { rungWidths } from './climb.js';
import { type Ladder, laterRung } from './climbing-run.js';
import { ComposedRun } from './composed-run.js';
import { Composition } from './composition.js';
import { certainShare, isCertain } from './contours.js';
import { type AccountOptions, accountOptions } from './options.js';
import { runsOf } from './policy.js';
import { aboutOf, type Limits, widthFor } from './run-settings.js';
import { worstOf } from './stated.js';
import { wholeRunOf } from './whole-answers.js';
import { type Enclosed, WorstAnswers } from './worst-answers.js';

/**
 * The run of a mechanism, without an allowance of work: `account` adds that.
 *
 * Ensures: every answer of the run is a bracket that holds the exact value.
 *
 * @param alone Whether to ask only at the run's own tolerance, not at coarser ones first: set for runs that are part of another run.
 * @param raw The steps of the mechanism, as stated.
 */
export function runOfMechanism(
  engine: Engine,
  mechanism: Mechanism,
  options: Required<AccountOptions>,
  alone: boolean,
  raw: readonly Step[] = stepsOf(mechanism),
): ComposedRun {
  const paths = pathsOf(mechanism, raw, options.adjacency);
  return paths === undefined
    ? onOnePath(engine, mechanism, options, alone, raw)
    : alongPaths(engine, mechanism, options, alone, paths);
}

/**
 * The run of a mechanism without disjoint parts. Upper bounds of δ(ε) are those of dominating pairs and theorems, lower bounds those of pairs that
 * some data set attains; private searches are answered by `searchedRun`.
 *
 * Ensures: each answer is a bracket that holds the exact value.
 */
function onOnePath(
  engine: Engine,
  mechanism: Mechanism,
  options: Required<AccountOptions>,
  alone: boolean,
  raw: readonly Step[],
): ComposedRun {
  const { adjacency } = options;
  const tolerance = widthFor(raw, options.tolerance);
  const about = aboutOf(engine, mechanism, options, tolerance);
  const accounting = (width: number): Accounting => {
    const at = { ...options, tolerance: width };
    return { engine, options: at, account: (part) => runOfMechanism(engine, part, at, true) };
  };
  const stated = { ...accounting(tolerance), mechanism, raw };
  const ladder = (
    share: number | undefined,
    at: (width: number) => readonly DirectedRun[],
    known: Pick<RunsOfSteps, 'steps' | 'isWhole' | 'patience'>,
    later = false,
  ): Ladder => ({
    rungs: (alone ? [{ tolerance }] : rungWidths(tolerance, share)).map((rung) =>
      later ? laterRung(rung, () => at(rung.tolerance)) : { ...rung, directions: at(rung.tolerance) },
    ),
    candidates: candidatesOf({ ...stated, ...known }),
    patience: known.patience,
  });
  if (!raw.some(({ mechanism: release }) => release.kind === 'select')) {
    const runs = runsOfSteps(new Composition(engine, reduceSteps(raw, adjacency), options), raw, options);
    // with such answers one kernel call answers most questions, so directions are made only when asked
    const isWhole = runs.limits.whole !== undefined || runs.enclosed !== undefined;
    const steps = ladder(runs.share, runs.at, runs, isWhole);
    const { candidates } = steps;
    const whole = runs.enclosed ? WorstAnswers.of({ ...runs.enclosed, candidates }) : runs.limits.whole;
    return new ComposedRun(steps, { ...about, ...runs.limits, whole });
  }
  requireAttained(raw, adjacency);
  const finest = searchedRun(mechanism, raw, accounting(tolerance));
  const found = (width: number): Accounted =>
    width === tolerance ? finest : searchedRun(mechanism, raw, accounting(width));
  const searched = searchedSteps(raw, adjacency);
  // a patience of 1: the bounds of searches differ by a gap that finer tolerances do not close
  return new ComposedRun(
    ladder(undefined, (width) => found(width).directions, {
      steps: searched ?? [],
      isWhole: searched !== undefined,
      patience: 1,
    }),
    {
      ...about,
      get tailMu(): Bracket {
        return finest.settings.tailMu;
      },
      muCeiling: Infinity,
      gaussian: false,
    },
  );
}

/**
 * A run with steps on disjoint parts of the data. Each path is the run that a record meets if it lies in certain parts; δ(ε) is the largest of all
 * paths.
 *
 * Ensures: δ(ε) lies in its bracket if δ(ε) of each path lies in its own (docs/proofs/parallel.md, 1).
 */
function alongPaths(
  engine: Engine,
  mechanism: Mechanism,
  options: Required<AccountOptions>,
  alone: boolean,
  paths: readonly Path[],
): ComposedRun {
  const tolerance = Math.max(...paths.map(({ steps }) => widthFor(steps, options.tolerance)));
  const asked = { ...options, tolerance };
  const own = paths.map((path) => onOnePath(engine, path.mechanism, asked, alone, path.steps));
  const about = aboutOf(engine, mechanism, options, tolerance);
  if (own.length === 1) return new ComposedRun(own[0].ladder, { ...own[0].settings, ...about });
  // a path without this tolerance has a closed form, which is the same at every tolerance
  const rungs = (alone ? [{ tolerance }] : rungWidths(tolerance, undefined)).map((rung) =>
    laterRung(rung, () =>
      own.flatMap(
        ({ ladder }) =>
          (ladder.rungs.find((each) => each.tolerance === rung.tolerance) ?? ladder.rungs[0]).directions,
      ),
    ),
  );
  const pure = own.flatMap(({ settings }) => settings.pureEpsilon ?? []);
  return new ComposedRun(
    { rungs, candidates: worstOf(own.map(({ ladder }) => ladder.candidates)) },
    {
      ...about,
      get tailMu(): Bracket {
        return own.map(({ settings }) => settings.tailMu).reduce(maxBracket);
      },
      muCeiling: Math.max(...own.map(({ settings }) => settings.muCeiling)),
      gaussian: false,
      pureEpsilon: pure.length === own.length ? pure.reduce(maxBracket) : undefined,
    },
  );
}

/** `patience` (see `climb`) of runs that lie between a dominating and an attained run. Only width and speed depend on it. */
const BETWEEN = 30;

/**
 * Closeness (ε, δ) of runs is computed twice, once with a coarse log δ of LOG_SHORT. The coarse one serves where log δ(ε) exceeds LOG_SHORT by APART.
 * Heuristic.
 */
const [LOG_SHORT, APART] = [-25, 12];

/** A run of steps: its directions, and limits that do not depend on the tolerance. */
interface RunsOfSteps {
  /** The run in each direction at a tolerance. */
  readonly at: (width: number) => readonly DirectedRun[];
  readonly limits: Limits & {
    readonly pureEpsilon: Bracket | undefined;
    readonly whole: WholeAnswers | undefined;
  };
  /**
   * Compositions above and below the run; see `WorstAnswers`. If there are attacks, they alone are below. Undefined if nothing below is attained, for one
   * release, for a named method, and for a stated closeness. Also undefined for few steps with sharper pairs (`alikeTo`).
   */
  readonly enclosed?: Omit<Enclosed, 'candidates'> | undefined;
  readonly steps: readonly Step[];
  /** Whether the composition of `steps` dominates the run by itself. */
  readonly isWhole: boolean;
  /** Fraction of the allowance for the wanted tolerance, if it is asked first (`certainShare`). */
  readonly share?: number | undefined;
  /** Multiple of a tolerance: if the answer there remains wider, finer tolerances are not asked. See `climb`. */
  readonly patience?: number | undefined;
}

/** For more distinct steps than this, `WorstAnswers` is asked even where sharper pairs are known (`alikeTo`). Only width and speed depend on it. */
const MANY = 64;

/**
 * The run of some steps in each direction. Upper bounds of δ(ε) are those of dominating pairs and theorems, lower bounds those of attacks and
 * attained pairs. Then the δ of omitted outputs and the (ε, δ)-closeness of the steps is added (`losingRun`, `closeRun`).
 *
 * Ensures: each bracket holds the answer of the run.
 */
function runsOfSteps(
  composition: Composition,
  raw: readonly Step[],
  { adjacency, method }: Required<AccountOptions>,
): RunsOfSteps {
  const { steps } = composition;
  const several = raw.reduce((sum, { count }) => sum + count, 0) > 1;
  const between = needsAttained(raw);
  const allowed = between && several ? reduceSteps(attained(raw), adjacency) : steps;
  const logLost = logLostOf(raw, adjacency);
  const closeness = closenessOf(raw, adjacency);
  const attacks = attackedSteps(attained(raw), adjacency).map((attacked) => composition.with(attacked));
  const chained = chainsOf(composition, raw, adjacency);
  const alike = method === 'auto' ? alikeTo(composition) : [];
  const alone = several ? [] : aloneBounds(raw, adjacency);
  const at = (width: number): readonly DirectedRun[] => {
    const wide = composition.within(width);
    let directions = runsOf(wide, method);
    // the closed form of one release is exact at each ε; other methods answer for the dominating pair and need a lower end
    if (between && (several || directions[0].method !== 'closed-form')) {
      const below = runsOf(wide.with(allowed), 'auto');
      const also = zcdpBounds(raw, steps);
      directions = directions.map((above, i) => enclosedRun(above, below[i] ?? below[0], { also }));
    }
    if (logLost > -Infinity) directions = directions.map((run) => losingRun(run, logLost));
    if (attacks.length > 0) directions = aboveAttacks(directions, attacks, alone, alike, width);
    return chained(directions, width);
  };
  const isWhole = logLost === -Infinity && closeness === undefined;
  const onlyAttained = isWhole && !between && attacks.length === 0;
  const isBetween = between && several;
  const isCertainAll =
    isWhole &&
    attacks.length === 0 &&
    isCertain(composition) &&
    (!isBetween || isCertain(composition.with(allowed)));
  const below = attacks.length > 0 ? attacks : isBetween ? [composition.with(allowed)] : [];
  const areEnds = method === 'auto' && several && !closeness && (alike.length === 0 || steps.length > MANY);
  const known =
    attacks.length > 0 ? limitsBetween(composition, attacks, closeness === undefined) : limitsOf(composition);
  const units = stepsInUnits(raw, adjacency);
  // μ from the numbers stated: √T/σ is rounded once, not by way of rounded squares
  const informative = units.filter(({ mechanism: release }) => !kindOf(release).revealsNothing?.(release));
  const around = informative.length > 0 ? gaussianSumAround(informative) : undefined;
  return {
    at,
    limits: {
      ...known,
      ...(around && { tailMu: around, muCeiling: around.upper }),
      pureEpsilon: between && several ? undefined : pureSumAround(units),
      whole:
        onlyAttained && (method === 'auto' || method === 'spectral') ? wholeRunOf(composition) : undefined,
    },
    enclosed: areEnds && below.length > 0 ? { above: composition, logLost, below } : undefined,
    steps,
    isWhole,
    share: isCertainAll ? certainShare(composition) : undefined,
    patience: isCertainAll && isBetween ? 1 : isBetween && attacks.length === 0 ? BETWEEN : undefined,
  };
}

/** Throws unless every step has a pair that some mechanism attains: private searches need those. @throws RangeError */
function requireAttained(steps: readonly Step[], adjacency: Adjacency): void {
  const all = steps.flatMap(({ mechanism, ...rest }) =>
    mechanism.kind === 'select' ? stepsOf(mechanism.inner as Mechanism) : [{ mechanism, ...rest }],
  );
  if (all.some((step) => attackedSteps([{ ...step, count: 1 }], adjacency).length > 0))
    throw wrongValue(
      'inner',
      'a run without steps whose worst case is known between bounds, such as shuffled or capped batches',
      'one with them',
    );
}

/**
 * A function that adds the cost of closeness to the directions of a run. The steps are only (ε₁, δ₁)-close to the releases that stand for them. By
 * the triangle inequality of `closeRun`, δ(ε) ≤ e^{ε₁}δ′(ε − ε₁) + max(1, e^{ε−ε₁})δ₁, and alike from below.
 *
 * Ensures: brackets hold for every run so close.
 */
function chainsOf(
  composition: Composition,
  raw: readonly Step[],
  adjacency: Adjacency,
): (directions: readonly DirectedRun[], width: number) => readonly DirectedRun[] {
  const closeness = closenessOf(raw, adjacency);
  const short = closeness && closenessOf(raw, adjacency, LOG_SHORT);
  if (closeness === undefined || short === undefined) return (directions) => directions;
  const steps = unchainedSteps(attained(raw), adjacency);
  const unchained = steps && composition.with(steps);
  return (directions, width) => {
    const moved = directions.map((run) =>
      shorterRun(closeRun(run, short), closeRun(run, closeness), short.logDelta + APART),
    );
    return unchained ? atLeast(moved, unchained.within(width)) : moved;
  };
}

/**
 * The limits of a run between dominating pairs (`above`) and attacks: μ_t lies between their tail limits. Roundings are those of `limitsOf`.
 *
 * @param attains Whether some data set attains the attacks; if they are only (ε, δ)-close to the run, the lower bound of μ_t is 0.
 */
function limitsBetween(above: Composition, attacks: readonly Composition[], attains: boolean): Limits {
  const { tailMu, muCeiling } = limitsOf(above);
  const least = Math.max(...attacks.map((attack) => limitsOf(attack).tailMu.lower));
  // an attack that is only (ε, δ)-close to the run bounds no tail limit
  const from = attains ? Math.min(least, tailMu.upper) : 0;
  return { tailMu: bracket(from, tailMu.upper), muCeiling, gaussian: false };
}

/**
 * The compositions of the dominating pairs of a mechanism's steps, one for each direction: `account` takes its upper bounds from them. For kinds that
 * `needsAttained` names, the worst mechanism that meets the guarantee may have a smaller δ(ε).
 *
 * Ensures: upper ends are no less than the answers of the mechanism.
 */
export function dominatingRuns(
  engine: Engine,
  mechanism: Mechanism,
  options: AccountOptions,
): readonly DirectedRun[] {
  const accounting = accountOptions(options, mechanism);
  const { adjacency, method, effort } = accounting;
  const composition = new Composition(engine, reduceSteps(stepsOf(mechanism), adjacency), accounting);
  const allowance = new Allowance(ALLOWANCE * effort);
  return meteredDirections(runsOf(composition, method), allowance, limitsOf(composition).muCeiling);
}

/**
 * Upper bounds of log δ(ε) of a run that is ρ-zCDP, ρ the sum over its steps. They are those of the pair that dominates all ρ-zCDP mechanisms. One
 * bound, or none where some step has no ρ or no kind states a guarantee of zCDP.
 */
function zcdpBounds(raw: readonly Step[], reduced: readonly Step[]): ((epsilon: number) => number)[] {
  const rho = concentrated(reduced);
  const stated = raw.map(({ mechanism }) => kindOf(mechanism).zcdp).find((each) => each !== undefined);
  if (rho === undefined || stated === undefined) return [];
  const { forward } = pairOf(stated(rho));
  return [(epsilon) => forward.logDelta(epsilon).upper];
}

/** μ_t and μ of a Gaussian release, without its pair: a run may have hundreds of thousands of such steps. Undefined for other releases. */
function gaussianLimits(mechanism: Basic): Pick<GaussianPair, 'tailMu' | 'gdpMu'> | undefined {
  return mechanism.kind === 'gaussian' ? gaussianMus(1 / mechanism.noiseMultiplier) : undefined;
}

/**
 * The tail limit and a μ of a composition: √Σ count·μ² over its steps (Dong, Roth, Su 2022, cor. 3.3), with the pairs before sampling. Sampling does not change
 * a tail limit, and only lowers the other μ.
 *
 * Ensures: the tail limit lies in its bracket and the run is μ-GDP for `muCeiling`: the rounding error of the sum is added.
 */
function limitsOf({ steps, revealed, soleGaussianMu }: Composition): Limits {
  let tailSquare = 0;
  let ceilingSquare = 0;
  if (revealed > 0) return { tailMu: exactly(Infinity), muCeiling: Infinity, gaussian: false };
  for (const { mechanism, count } of steps) {
    const { tailMu, gdpMu } = gaussianLimits(mechanism) ?? pairOf(mechanism);
    tailSquare += count * tailMu * tailMu;
    ceilingSquare += count * gdpMu * gdpMu;
  }
  const relative = ROUNDINGS + A_ROUNDING * steps.length;
  const mu = Math.sqrt(tailSquare);
  return {
    tailMu: mu === 0 || mu === Infinity ? exactly(mu) : aroundRelative(mu, relative),
    muCeiling: Math.sqrt(ceilingSquare) * (1 + relative),
    gaussian: steps.length === 0 || soleGaussianMu !== undefined,
  };
}
