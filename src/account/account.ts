import type { Engine } from '../engine.js';
import { requireNumber, requireOneOf, wrongValue } from '../errors.js';
import { exponentialShape } from '../law/exponential-law.js';
import { cellLaw } from '../law/lattice/cell-law.js';
import { gaussianMuOf, innerLaw, reduceSteps } from '../law/law-of.js';
import { type CountedLaw, largestOf } from '../law/loss-law.js';
import { withoutReplacementLaw } from '../law/symmetric-law.js';
import type { Adjacency } from '../mechanism/adjacency.js';
import type { Mechanism } from '../mechanism/mechanism.js';
import { type Step, stepsOf } from '../mechanism/steps.js';
import { boundingRun } from '../methods/closed/bounding-run.js';
import { listedRuns } from '../methods/closed/composed-atoms.js';
import { splineRun } from '../methods/closed/spline-run.js';
import { SpectralRun } from '../methods/contour/contour-run.js';
import { pairSpectra, type RunSpectra, spectraOf } from '../methods/contour/step/spectrum-of.js';
import { FallbackRun } from '../methods/first-within.js';
import { GridRun } from '../methods/grid/grid-run.js';
import { aroundRelative, exactly } from '../numeric/bracket.js';
import { expm1, log1p } from '../numeric/scalar.js';
import type { DirectedRun } from '../run/directed-run.js';
import { gaussianRun } from '../run/gaussian-run.js';
import type { Method } from '../run/method.js';
import { nothingRun, revealingRun } from '../run/trivial-runs.js';
import { ComposedRun, type Limits } from './composed-run.js';

export interface AccountOptions {
  /** Which data sets count as neighbours. Poisson sampling is answered under 'add-remove', sampling without replacement under 'replace-one'. */
  readonly adjacency: Adjacency;
  /** Relative width of ε, δ and μ aimed at, 1e-12 … 0.5; default 1e-6. Numbers are safe whatever it is. */
  readonly tolerance?: number;
  /** Longest FFT of the grid method, 2¹⁰ … 2²² points (about 100 bytes each); default 2²⁰. */
  readonly maxGridLength?: number;
  /** Forces a method instead of the automatic choice (closed form where there is one, else spectral where it certifies the tolerance, else grid). */
  readonly method?: Method | 'auto';
}

/**
 * Composes a mechanism into a run that answers questions.
 *
 * Closed form for plain Gaussians (any number, any mixture of σ), for releases of one Laplace or bounded-range mechanism, for steps of so few losses that their sums can be listed and for a single step; the spectral method, with a ghost where atoms off any lattice need one, where it reaches the tolerance or what the grid is known to reach, with the grid behind it; the grid otherwise. The order, grouping and repetition of steps do not change a bit of the answers.
 *
 * @throws TypeError | RangeError naming the option that is wrong, or the adjacency that has no theorem.
 */
export function account(engine: Engine, mechanism: Mechanism, options: AccountOptions): ComposedRun {
  const adjacency = requireOneOf('adjacency', options?.adjacency, ['add-remove', 'replace-one'] as const);
  const tolerance = requireNumber(
    'tolerance',
    options.tolerance ?? 1e-6,
    'a number in [1e-12, 0.5]',
    (x) => x >= 1e-12 && x <= 0.5,
  );
  const maxLength = requireNumber(
    'maxGridLength',
    options.maxGridLength ?? 2 ** 20,
    'a power of two from 2^10 to 2^22',
    (x) => Number.isInteger(x) && (x & (x - 1)) === 0 && x >= 2 ** 10 && x <= 2 ** 22,
  );
  const method = requireOneOf('method', options.method ?? 'auto', [
    'auto',
    'closed-form',
    'spectral',
    'grid',
  ] as const);
  const steps = reduceSteps(stepsOf(mechanism), adjacency);
  return new ComposedRun(directionsOf(engine, steps, method, { width: tolerance, maxLength }), {
    mechanism,
    adjacency,
    tolerance,
    engine: engine.kernel.name,
    ...limitsOf(steps),
  });
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
  const mu = soleGaussianMu(steps);
  if (mu !== undefined && (method === 'auto' || method === 'closed-form')) return [gaussianRun(mu)];
  // without Poisson sampling both directions are one
  const sides = steps.some(({ sampling }) => sampling === 'poisson')
    ? (['remove', 'add'] as const)
    : (['remove'] as const);
  const directions = sides.map((direction) => lawsOf(steps, direction));
  const spectraOfRun = (): RunSpectra[] | undefined => {
    const pairs = pairSpectra(steps);
    return pairs && sides.map((side) => spectraOf(steps, pairs, side));
  };
  const spectralRun = ({ laws, logInfinity, ghost, rare }: RunSpectra, i: number): SpectralRun =>
    new SpectralRun(engine.kernel, laws, {
      width: grid.width,
      direction: sides[i],
      logInfinity,
      largestLoss: largestOf(directions[i]),
      rare,
      ...(ghost !== undefined ? { ghost } : {}),
    });
  if (method === 'spectral') return requireSpectra(spectraOfRun()).map(spectralRun);
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
  if (method === 'auto' && !onLattice) {
    const spectra = spectraOfRun() ?? [];
    const { width } = grid;
    const chosen = (each: RunSpectra[], limit: number, enough: number): DirectedRun[] | undefined => {
      if (each.length === 0) return undefined;
      const runs = each.map(spectralRun);
      const reached = Math.max(...runs.map((run) => run.widthNear(PROBE, width)));
      if (!(reached <= Math.max(width, limit))) return undefined;
      return runs.map((run, i) => new FallbackRun(run, onGrid[i], { width, enough }));
    };
    const plain = spectra.map(({ laws, logInfinity, rare }) => ({ laws, logInfinity, rare }));
    const ghosted = spectra.filter(({ ghost }) => ghost !== undefined);
    const found = chosen(plain, GRID_WIDTH, 0) ?? chosen(ghosted, GHOST_WIDTH, GHOST_WIDTH);
    if (found !== undefined) return found;
  }
  return onGrid.map((make) => make());
}

/** log δ at which the spectral method has to prove itself to be chosen. */
const PROBE = -11.5;
/** What the grid can be expected to reach on runs that are hard for both, and on atoms off any lattice. */
const GRID_WIDTH = 2e-5;
const GHOST_WIDTH = 1e-4;

function requireSpectra(spectra: RunSpectra[] | undefined): RunSpectra[] {
  if (spectra === undefined) throw wrongValue('method', 'grid or auto for these mechanisms', 'spectral');
  return spectra;
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
  const shape = exponentialShape(mechanism);
  return shape && splineRun(shape, count);
}

/** Each distinct step as a law in one direction. */
function lawsOf(steps: readonly Step[], direction: 'remove' | 'add'): CountedLaw[] {
  return steps.map(({ mechanism, sampling, rate, count }) => {
    const inner = innerLaw(mechanism);
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
    const bare =
      (mechanism.kind === 'gaussian' && mechanism.noiseMultiplier === 0) ||
      (mechanism.kind === 'approximate-dp' && mechanism.delta === 1) ||
      (mechanism.kind === 'tabulated' && mechanism.points.every(({ delta }) => delta === 1));
    if (bare) logHidden += count * log1p(-rate);
  }
  return -expm1(logHidden);
}

/** μ_t, and a μ that the run is GDP for without any window (GDP cor. 3.3): sampling only helps. */
function limitsOf(steps: readonly Step[]): Limits {
  let tailSquare = 0;
  let ceilingSquare = 0;
  if (revealedBy(steps) > 0) return { tailMu: exactly(Infinity), muCeiling: Infinity, gaussian: false };
  for (const { mechanism, count } of steps) {
    const { tailMu, gdpMu } = innerLaw(mechanism);
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
