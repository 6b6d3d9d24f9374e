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
import { Lazy } from '../numeric/lru-cache.js';
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

/**
 * The run of a mechanism, not metered.
 *
 * Ensures: every answer of the run is a bracket that holds the exact value.
 *
 * @param alone Whether the run is asked at its own tolerance only, as a part of another run that climbs.
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
 * The run of steps without disjoint parts: its directions between dominating and attained runs, and its limits. Ensures: each answer is a bracket
 * that holds the exact value.
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
    // most questions are answered by one kernel call and ask neither direction
    const isWhole = runs.limits.whole !== undefined;
    return new ComposedRun(ladder(runs.share, runs.at, runs, isWhole), { ...about, ...runs.limits });
  }
  requireAttained(raw, adjacency);
  const found = (width: number): Accounted => searchedRun(mechanism, raw, accounting(width));
  const finest = new Lazy(() => found(tolerance).settings);
  const searched = searchedSteps(raw, adjacency);
  // bounds of such kinds differ by a gap that no further digits close
  return new ComposedRun(
    ladder(undefined, (width) => found(width).directions, {
      steps: searched ?? [],
      isWhole: searched !== undefined,
      patience: 1,
    }),
    {
      ...about,
      get tailMu(): Bracket {
        return finest.value.tailMu;
      },
      muCeiling: Infinity,
      gaussian: false,
    },
  );
}

/**
 * A run with steps on disjoint parts of the data: the record may take one of several paths.
 *
 * Ensures: δ(ε) is in the bracket if that of each path is in its own (docs/proofs/parallel.md, 1).
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
  // a closed form is equally good at every tolerance
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

/**
 * `patience` (see `climb`) of runs that lie between a dominating and an attained run, both with ends of their own. Only width and speed depend on it.
 */
const BETWEEN = 30;

/** log of what closeness may neglect where δ is not small, and how far above that log δ counts as not small. Only tightness depends on both. */
const [LOG_SHORT, APART] = [-25, 12];

/** A run of steps: its directions at a tolerance, and its limits, which hold at all of them. */
interface RunsOfSteps {
  readonly at: (width: number) => readonly DirectedRun[];
  readonly limits: Limits & {
    readonly pureEpsilon: Bracket | undefined;
    readonly whole: WholeAnswers | undefined;
  };
  readonly steps: readonly Step[];
  /** See `Stated`. */
  readonly isWhole: boolean;
  /** See `certainShare`. */
  readonly share?: number | undefined;
  /** See `climb`. */
  readonly patience?: number | undefined;
}

/**
 * The directions of a run at a tolerance. Upper ends are those of the dominating pairs and of theorems, lower ends those of attacks and attained
 * pairs. Ensures: each bracket holds the answer of the run.
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
    // for one release, a method other than the closed form answers for a dominating pair too
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
  const known =
    attacks.length > 0 ? limitsBetween(composition, attacks, closeness === undefined) : limitsOf(composition);
  const units = stepsInUnits(raw, adjacency);
  // by the stated numbers: √T/σ rounded once, not by way of rounded squares
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
    steps,
    isWhole,
    share: isCertainAll ? certainShare(composition) : undefined,
    patience: isCertainAll && isBetween ? 1 : isBetween && attacks.length === 0 ? BETWEEN : undefined,
  };
}

/** Throws unless every step has a pair that some mechanism attains: searches need those. */
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

/** The directions of a run of steps with the cost of closeness added. Ensures: brackets hold for every run so close to them. */
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

/** The limits of a run between the dominating pairs and those that are attained. */
function limitsBetween(above: Composition, attacks: readonly Composition[], attains: boolean): Limits {
  const { tailMu, muCeiling } = limitsOf(above);
  const least = Math.max(...attacks.map((attack) => limitsOf(attack).tailMu.lower));
  // an (ε, δ)-close attack gives no lower bound of μ_t
  const from = attains ? Math.min(least, tailMu.upper) : 0;
  return { tailMu: bracket(from, tailMu.upper), muCeiling, gaussian: false };
}

/**
 * The compositions of the pairs that dominate each step, one per direction: `account` takes upper ends from them. For kinds that no mechanism attains
 * at every ε at once (see `needsAttained`) the worst allowed mechanism may lie below them.
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
  const allowance = new Allowance(ALLOWANCE * effort, undefined, engine.kernel.scalars);
  return meteredDirections(runsOf(composition, method), allowance, limitsOf(composition).muCeiling);
}

/**
 * Upper bounds of log δ(ε) of a run that is ρ-zCDP, with ρ of its reduced steps. The list has one bound, or none where no ρ is known or no kind
 * states one.
 */
function zcdpBounds(raw: readonly Step[], reduced: readonly Step[]): ((epsilon: number) => number)[] {
  const rho = concentrated(reduced);
  const stated = raw.map(({ mechanism }) => kindOf(mechanism).zcdp).find((each) => each !== undefined);
  if (rho === undefined || stated === undefined) return [];
  const { forward } = pairOf(stated(rho));
  return [(epsilon) => forward.logDelta(epsilon).upper];
}

/** The limits of plain noise, without making a pair: a run may have hundreds of thousands of such steps. */
function gaussianLimits(mechanism: Basic): Pick<GaussianPair, 'tailMu' | 'gdpMu'> | undefined {
  return mechanism.kind === 'gaussian' ? gaussianMus(1 / mechanism.noiseMultiplier) : undefined;
}

/**
 * μ_t and a μ for which the run is GDP without any window, √Σ count·μ² over its steps (GDP cor. 3.3): sampling only helps. A few roundings are added.
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
