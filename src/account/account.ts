import { type Engine, requireEngine } from '../engine.js';
import { wrongValue } from '../errors.js';
import { branchedLaw } from '../law/branched-pair.js';
import { cellLaw } from '../law/lattice/cell-law.js';
import { type CountedLaw, largestOf } from '../law/loss-law.js';
import { withoutReplacementLaw } from '../law/symmetric-law.js';
import type { Adjacency } from '../mechanism/adjacency.js';
import { gaussianMuOf, kindOf, pairOf } from '../mechanism/basic.js';
import type { Mechanism } from '../mechanism/mechanism.js';
import { attackedSteps, reduceSteps } from '../mechanism/reduce.js';
import { type Step, stepsOf } from '../mechanism/steps.js';
import { boundingRun } from '../methods/closed/bounding-run.js';
import { listedRuns } from '../methods/closed/composed-atoms.js';
import { splineRun } from '../methods/closed/spline-run.js';
import { type SpectralOptions, SpectralRun } from '../methods/contour/contour-run.js';
import { cutFirst } from '../methods/contour/cut-run.js';
import { pairSpectra, spectraOf } from '../methods/contour/step/spectrum-of.js';
import { FallbackRun } from '../methods/first-within.js';
import { GridRun } from '../methods/grid/grid-run.js';
import { aroundRelative, bracket, exactly } from '../numeric/bracket.js';
import { expm1, log1p } from '../numeric/scalar.js';
import type { DirectedRun } from '../run/directed-run.js';
import { enclosedRun } from '../run/enclosed-run.js';
import { gaussianRun } from '../run/gaussian-run.js';
import type { Method } from '../run/method.js';
import { strongestRun } from '../run/strongest-run.js';
import { nothingRun, revealingRun } from '../run/trivial-runs.js';
import { attained, concentrated, needsAttained } from './attained.js';
import { ComposedRun, type Limits } from './composed-run.js';
import { type Grouped, groupedSteps, runsBetween } from './near-phases.js';
import { type AccountOptions, accountOptions } from './options.js';
import { hasSearch, searchedRun } from './selection.js';

/**
 * Composes a mechanism into a run that answers questions.
 *
 * Closed form for plain Gaussians (any number, any mixture of σ), for releases of one Laplace or bounded-range mechanism, for steps of so few losses that their sums can be listed and for a single step; the spectral method, with a ghost where atoms off any lattice need one, where it reaches the tolerance or what the grid is known to reach, with the grid behind it; the grid otherwise. The order, grouping and repetition of steps do not change a bit of the answers.
 *
 * @throws TypeError | RangeError naming the option that is wrong, or the adjacency that has no theorem.
 * @example
 * account(engine, dpSgd({ noiseMultiplier: 9.4, samplingRate: 0.32768, steps: 2000 }), { adjacency: 'add-remove' }).epsilon(1e-5).upper; // 7.42438
 */
export function account(engine: Engine, mechanism: Mechanism, options: AccountOptions): ComposedRun {
  requireEngine(engine);
  const { adjacency, tolerance, maxGridLength: maxLength, method } = accountOptions(options);
  const raw = stepsOf(mechanism);
  if (hasSearch(raw)) {
    requireAttained(raw, adjacency);
    const again = (part: Mechanism): ComposedRun => account(engine, part, options);
    return searchedRun(mechanism, raw, { engine, options: accountOptions(options), account: again, lawsOf });
  }
  const steps = reduceSteps(raw, adjacency);
  const grid = { width: tolerance, maxLength };
  let directions: readonly DirectedRun[] = directionsOf(engine, steps, method, grid);
  if (needsAttained(raw)) {
    const attainable = reduceSteps(attained(raw), adjacency);
    const below = directionsOf(engine, attainable, 'auto', grid);
    const rho = concentrated(steps);
    const bounds = rho === undefined ? [] : [zcdpBound(rho)];
    directions = directions.map((above, i) => enclosedRun(above, below[i] ?? below[0], bounds));
  }
  const attacked = attackedSteps(attained(raw), adjacency);
  if (attacked.length > 0) directions = aboveAttacks(engine, directions, attacked, grid);
  return new ComposedRun(directions, {
    mechanism,
    adjacency,
    tolerance,
    engine: engine.kernel.name,
    ...(attacked.length > 0 ? limitsBetween(steps, attacked) : limitsOf(steps)),
  });
}

/** Searches are answered through pairs that some mechanism attains. */
function requireAttained(steps: readonly Step[], adjacency: Adjacency): void {
  const all = steps.flatMap(({ mechanism, ...rest }) =>
    mechanism.kind === 'select' ? stepsOf(mechanism.inner as Mechanism) : [{ mechanism, ...rest }],
  );
  if (attackedSteps(all, adjacency).length > 0)
    throw wrongValue(
      'inner',
      'a run without shuffled or capped batches, whose worst case is known between bounds',
      'one with them',
    );
}

/** The compositions that dominate, and from below whichever attack is the strongest at what is asked. */
function aboveAttacks(
  engine: Engine,
  above: readonly DirectedRun[],
  attacked: readonly (readonly Step[])[],
  grid: { width: number; maxLength: number },
): DirectedRun[] {
  const below = attacked.map((steps) => {
    const several = steps.length > 1 || steps[0].count > 1;
    const listed = steps.every(({ mechanism }) => pairOf(mechanism).family !== 'allocation');
    const atoms = steps.some(({ mechanism }) => pairOf(mechanism).family === 'atoms');
    return directionsOf(engine, steps, several && listed && atoms ? 'grid' : 'auto', grid);
  });
  return above.map((run, i) => {
    const own = below.flatMap((runs) => (above.length === 1 ? runs : [runs[i] ?? runs[0]]));
    return enclosedRun(run, strongestRun(own));
  });
}

/** The limits of a run between the pairs that dominate and those that are attained. */
function limitsBetween(steps: readonly Step[], attacked: readonly (readonly Step[])[]): Limits {
  const { tailMu, muCeiling } = limitsOf(steps);
  const least = Math.max(...attacked.map((each) => limitsOf(each).tailMu.lower));
  return { tailMu: bracket(Math.min(least, tailMu.upper), tailMu.upper), muCeiling, gaussian: false };
}

/**
 * The compositions of the pairs that dominate each step, a direction each: what `account` answers from above. For kinds that
 * no mechanism attains at every ε at once (see `attained.ts`) the worst that is allowed may lie below them.
 */
export function dominatingRuns(
  engine: Engine,
  mechanism: Mechanism,
  options: AccountOptions,
): readonly DirectedRun[] {
  const { adjacency, tolerance, maxGridLength: maxLength, method } = accountOptions(options);
  return directionsOf(engine, reduceSteps(stepsOf(mechanism), adjacency), method, {
    width: tolerance,
    maxLength,
  });
}

/** log δ(ε) from above of a run that is ρ-zCDP. */
function zcdpBound(rho: number): (epsilon: number) => number {
  const { forward } = pairOf({ kind: 'zcdp', rho });
  return (epsilon) => forward.logDelta(epsilon).upper;
}

/** Outside this range single losses are too large, or too small, for any mesh. */
const LARGEST_GRID_MU = 1e3;
const SMALLEST_GRID_MU = 1e-6;

function directionsOf(
  engine: Engine,
  steps: readonly Step[],
  method: Method | 'auto',
  grid: { width: number; maxLength: number },
): DirectedRun[] {
  if (steps.length === 0) return [nothingRun];
  const revealed = revealedBy(steps);
  if (revealed > 0) return [revealingRun(revealed)];
  const coarse = coarseRuns(engine, steps, method, grid);
  if (coarse !== undefined) return coarse;
  const mu = soleGaussianMu(steps);
  if (mu !== undefined && (method === 'auto' || method === 'closed-form')) return [gaussianRun(mu)];
  const sides = sidesOf(steps);
  const directions = sides.map((direction) => lawsOf(steps, direction));
  if (method === 'spectral') return requireContours(contoursOf(engine, steps, directions, grid.width));
  if (steps.some(({ mechanism }) => pairOf(mechanism).family === 'allocation'))
    return allocated(engine, steps, directions, method, grid.width);
  const onLattice = directions[0].every(({ law }) => law.lattice !== undefined);
  if (method !== 'grid') {
    if (steps.length === 1 && steps[0].count === 1) return directions.map(([{ law }]) => law.single);
    const composed = splineOf(steps);
    if (composed !== undefined) return [composed];
    // on a lattice the grid reaches deeper tails
    const listed = onLattice && method === 'auto' ? undefined : listedRuns(steps, sides);
    if (listed !== undefined) return listed;
    if (method === 'closed-form')
      throw wrongValue('method', 'auto, spectral or grid for these steps', method);
  }
  const offGrid = steps.some((step) => {
    const own = gaussianMuOf(step.mechanism);
    return own !== undefined && !(own >= SMALLEST_GRID_MU && own <= LARGEST_GRID_MU);
  });
  if (offGrid) return directions.map(boundingRun);
  const onGrid = directions.map((laws) => () => new GridRun(engine.kernel, laws, grid));
  const behind = roughly(engine, steps, method, grid) ?? onGrid;
  const found =
    method === 'auto' && !onLattice ? contoursWithin(engine, steps, directions, grid.width) : undefined;
  if (found === undefined) return behind.map((make) => make());
  const { width } = grid;
  return found.runs.map((run, i) => new FallbackRun(run, behind[i], { width, enough: found.enough }));
}

/** Runs with steps that no grid can hold: contours, of laws with cuts first, and behind them what theorems alone say. */
function allocated(
  engine: Engine,
  steps: readonly Step[],
  directions: readonly CountedLaw[][],
  method: Method | 'auto',
  width: number,
): DirectedRun[] {
  if (method !== 'auto') throw wrongValue('method', 'auto or spectral for balls-and-bins epochs', method);
  const behind = directions.map((laws) => () => boundingRun(laws));
  const contours = contoursOf(engine, steps, directions, width);
  if (contours === undefined) return behind.map((make) => make());
  return contours.plain.map((run, i) =>
    cutFirst(
      engine.kernel,
      steps,
      sidesOf(steps)[i],
      () => new FallbackRun(run, behind[i], { width, enough: 0 }),
      width,
    ),
  );
}

/** log δ at which the spectral method has to prove itself to be chosen. */
const PROBE = -11.5;
/** What the grid can be expected to reach on runs that are hard for both, and on atoms off any lattice. */
const GRID_WIDTH = 2e-5;
const GHOST_WIDTH = 1e-4;

/** Without Poisson sampling both directions of most pairs are one. */
function sidesOf(steps: readonly Step[]): readonly ('remove' | 'add')[] {
  return steps.some(({ sampling, mechanism }) => sampling === 'poisson' || pairOf(mechanism).asymmetric)
    ? ['remove', 'add']
    : ['remove'];
}

interface Contours {
  readonly plain: SpectralRun[];
  /** With a ghost; undefined where |φ| decays by itself. */
  readonly ghosted: SpectralRun[] | undefined;
}

/** The run by contours, one for each side; undefined if a step has no spectrum. */
function contoursOf(
  { kernel }: Engine,
  steps: readonly Step[],
  directions: readonly CountedLaw[][],
  width: number,
  split = true,
): Contours | undefined {
  const pairs = pairSpectra(steps);
  if (pairs === undefined) return undefined;
  const sides = sidesOf(steps);
  const few = steps.reduce((sum, { count }) => sum + count, 0) <= MOST_FEW;
  const spectra = sides.map((side) => spectraOf(steps, pairs, side));
  const made = (ghosted: boolean): SpectralRun[] =>
    spectra.map(({ laws, logInfinity, ghost, rare }, i) => {
      const largestLoss = largestOf(directions[i]);
      const options = {
        width,
        direction: sides[i],
        logInfinity,
        largestLoss,
        largestMirrored: largestOf(directions[directions.length - 1 - i]),
        ...(few && ghost === undefined && { alone: aloneOf(directions[i]) }),
        rare: split ? rare : undefined,
      };
      return new SpectralRun(kernel, laws, ghosted && ghost !== undefined ? { ...options, ghost } : options);
    });
  const ghosted = spectra.some(({ ghost }) => ghost !== undefined) ? made(true) : undefined;
  return { plain: made(false), ghosted };
}

/** Runs of so few steps are guessed about from single ones, where losses have no atoms. */
const MOST_FEW = 64;

function aloneOf(laws: readonly CountedLaw[]): NonNullable<SpectralOptions['alone']> {
  return laws.map(({ law, count }) => ({ logDelta: (epsilon) => law.single.logDelta(epsilon).upper, count }));
}

/** The contours that reach `width`, or what the grid can be expected to reach; undefined if none do. */
function contoursWithin(
  engine: Engine,
  steps: readonly Step[],
  directions: readonly CountedLaw[][],
  width: number,
  split = true,
): { runs: SpectralRun[]; enough: number } | undefined {
  const contours = contoursOf(engine, steps, directions, width, split);
  const reach = (runs: SpectralRun[] | undefined, limit: number): boolean =>
    runs !== undefined &&
    Math.max(...runs.map((run) => run.widthNear(PROBE, width))) <= Math.max(width, limit);
  if (reach(contours?.plain, GRID_WIDTH)) return { runs: contours!.plain, enough: 0 };
  if (reach(contours?.ghosted, GHOST_WIDTH)) return { runs: contours!.ghosted!, enough: GHOST_WIDTH };
  return undefined;
}

function requireContours(contours: Contours | undefined): SpectralRun[] {
  if (contours === undefined) throw wrongValue('method', 'grid or auto for these mechanisms', 'spectral');
  return contours.ghosted ?? contours.plain;
}

/** Distinct steps that are composed one by one, by contours and where those do not reach: of losses in a continuum, and of atoms. */
const MANY = 512;
const ENOUGH = 8;
const ENOUGH_ATOMS = 64;
/** Groups that a run is taken in where contours through all of its steps do not reach. */
const FEW = 3;

/**
 * A run of more distinct steps than can be composed one by one, between its worst and its best groups; undefined where
 * there are not so many. Near-equal steps are as good as one, and the bracket says what they are not.
 */
function coarseRuns(
  engine: Engine,
  steps: readonly Step[],
  method: Method | 'auto',
  grid: { width: number; maxLength: number },
): DirectedRun[] | undefined {
  const few = fewOf(steps, method);
  if (few === undefined) return undefined;
  const { worse } = few;
  const reached = contoursWithin(
    engine,
    worse,
    sidesOf(worse).map((side) => lawsOf(worse, side)),
    grid.width,
    false,
  );
  const groups = reached === undefined ? few : steps.length > MANY ? groupedSteps(steps, MANY) : undefined;
  return groups && betweenGroups(engine, groups, method, grid);
}

/** What stands behind contours through many distinct steps, in place of the grid; made when it is first asked. */
function roughly(
  engine: Engine,
  steps: readonly Step[],
  method: Method | 'auto',
  grid: { width: number; maxLength: number },
): (() => DirectedRun)[] | undefined {
  const few = fewOf(steps, method);
  if (few === undefined) return undefined;
  let made: DirectedRun[] | undefined;
  return sidesOf(steps).map((_, i) => () => {
    made ??= betweenGroups(engine, few, method, grid);
    return made[Math.min(i, made.length - 1)];
  });
}

function fewOf(steps: readonly Step[], method: Method | 'auto'): Grouped | undefined {
  const continuous = steps.some(({ mechanism }) => pairOf(mechanism).family !== 'atoms');
  if (method !== 'auto' || steps.length <= (continuous ? ENOUGH : ENOUGH_ATOMS)) return undefined;
  return groupedSteps(steps, FEW);
}

function betweenGroups(
  engine: Engine,
  { better, worse }: Grouped,
  method: Method | 'auto',
  grid: { width: number; maxLength: number },
): DirectedRun[] {
  const [low, high] = [better, worse].map((steps) => directionsOf(engine, steps, method, grid));
  return runsBetween(low, high, worse.length);
}

/** μ of a run that is exactly one Gaussian. */
function soleGaussianMu(steps: readonly Step[]): number | undefined {
  if (steps.length !== 1 || steps[0].count !== 1 || steps[0].sampling !== 'all') return undefined;
  return gaussianMuOf(steps[0].mechanism);
}

/** Releases of one Laplace or bounded-range mechanism in closed form. */
function splineOf(steps: readonly Step[]): DirectedRun | undefined {
  const [{ mechanism, sampling, count }] = steps;
  if (steps.length !== 1 || sampling !== 'all') return undefined;
  const pair = pairOf(mechanism);
  return pair.family === 'exponential' ? splineRun(pair.shape, count) : undefined;
}

/** Each distinct step as a law in one direction. */
function lawsOf(steps: readonly Step[], direction: 'remove' | 'add'): CountedLaw[] {
  return steps.map(({ mechanism, sampling, rate, count }) => {
    const inner = pairOf(mechanism);
    if (inner.family === 'branched') return { law: branchedLaw(inner, direction), count };
    const law =
      sampling === 'without-replacement'
        ? withoutReplacementLaw(inner, rate)
        : cellLaw(inner, rate, direction);
    return { law, count };
  });
}

/** The probability with which steps that hide nothing (no noise; δ = 1) see the record. */
function revealedBy(steps: readonly Step[]): number {
  let logHidden = 0;
  for (const { mechanism, rate, count } of steps) {
    if (kindOf(mechanism).isBare?.(mechanism)) logHidden += count * log1p(-rate);
  }
  return -expm1(logHidden);
}

/** μ_t, and a μ that the run is GDP for without any window (GDP cor. 3.3): sampling only helps. */
function limitsOf(steps: readonly Step[]): Limits {
  let tailSquare = 0;
  let ceilingSquare = 0;
  if (revealedBy(steps) > 0) return { tailMu: exactly(Infinity), muCeiling: Infinity, gaussian: false };
  for (const { mechanism, count } of steps) {
    const { tailMu, gdpMu } = pairOf(mechanism);
    tailSquare += count * tailMu * tailMu;
    ceilingSquare += count * gdpMu * gdpMu;
  }
  const relative = 1e-14 + 2e-16 * steps.length;
  const mu = Math.sqrt(tailSquare);
  return {
    tailMu: mu === 0 || mu === Infinity ? exactly(mu) : aroundRelative(mu, relative),
    muCeiling: Math.sqrt(ceilingSquare) * (1 + relative),
    gaussian: steps.length === 0 || soleGaussianMu(steps) !== undefined,
  };
}
