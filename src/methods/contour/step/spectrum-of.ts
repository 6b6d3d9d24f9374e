import type { Kernel } from '../../../kernel/kernel.js';
import { atomsOf, type Pair } from '../../../law/pair.js';
import { type Bracket, bracket, exactly } from '../../../numeric/bracket.js';
import { LONG_SUM, MANY_ROUNDINGS } from '../../../numeric/rounding.js';
import { expm1, log, log1p } from '../../../numeric/scalar.js';
import type { CountedSpectrum } from '../line/contour-plan.js';
import { exchanged, type SpectralLaw } from './spectral-law.js';

/** A group of `count` identical steps as the methods see it: the pair of one step, how records are sampled, and M(z). */
export interface SeenStep {
  readonly pair: Pair;
  readonly sampling: 'all' | 'poisson' | 'without-replacement';
  /** Fraction of the records that are in a step, (0, 1]. */
  readonly rate: number;
  readonly count: number;
  /**
   * The law of one step through M(z) = E_P[e^{zL}], its moment generating function. Undefined where no contour can use it: for other families, or
   * losses that are not listed. Sampled Gaussians need a kernel.
   */
  spectrum(kernel?: Kernel): SpectralLaw | undefined;
}

/** The laws of the distinct steps of a run in one direction, each with its count. */
interface RunSpectra {
  readonly laws: readonly CountedSpectrum[];
  /** Bracket of the log of the Q-mass at loss +∞. */
  readonly logInfinity: Bracket;
  /** The standard deviation η of the smoothing noise that makes |M(c + iτ)|/M(c) decay in τ; absent where it decays by itself. */
  readonly smoothing?: number;
}

/**
 * Largest number of nodes of a contour of a run with smoothing noise, from which the noise's standard deviation is chosen. Only speed and width
 * depend on it.
 */
const SMOOTHING_NODES = 2 ** 13;
/**
 * Frequency τ, in units of 1/η, from which on e^{−τ²η²/2} is negligible; η is the standard deviation of the smoothing noise. Only speed and width
 * depend on it.
 */
const SMOOTHING_DEPTH = 9;
/** Approximate period 2π/Δ of a contour with node spacing Δ, in standard deviations of the loss. Only speed and width depend on it. */
const SMOOTHING_PERIOD = 24;

/** `count` identical Poisson-subsampled Gaussian steps. */
export interface SampledPhase {
  readonly mu: number;
  readonly rate: number;
  readonly count: number;
}

/**
 * The law of the pair (base, mixture) of each step, in the order given; it serves both directions. Undefined if one step has none. The error bounds
 * are the laws' own.
 */
export function pairSpectra(
  kernel: Kernel | undefined,
  steps: readonly SeenStep[],
): readonly SpectralLaw[] | undefined {
  const laws: SpectralLaw[] = [];
  for (const step of steps) {
    const law = step.spectrum(kernel);
    if (law === undefined) return undefined;
    laws.push(law);
  }
  return laws;
}

/** The Poisson-sampled Gaussians among the steps. */
export function sampledOf(steps: readonly SeenStep[]): SampledPhase[] {
  return steps.flatMap(({ pair, sampling, rate, count }) =>
    pair.family === 'gaussian' && sampling === 'poisson' ? [{ mu: pair.mu, rate, count }] : [],
  );
}

/**
 * The laws of a run's steps in one direction, equal ones merged. With them a bracket of log(1 − ∏(1 − q·p)^count), the log of the Q-mass at loss
 * +∞. p is that mass of one step, q its rate. Mass at unlisted losses joins the upper end. `smoothing` is a heuristic choice for runs whose |φ|
 * does not decay. Ensures: the mass lies in its bracket.
 * @param pairs The laws that `pairSpectra` finds for the steps.
 */
export function spectraOf(
  steps: readonly SeenStep[],
  pairs: readonly SpectralLaw[],
  direction: 'remove' | 'add',
): RunSpectra {
  const counts = new Map<SpectralLaw, number>();
  let logFinite = 0;
  let unlisted = 0;
  let decays = false;
  for (const [i, { pair, sampling, rate, count }] of steps.entries()) {
    const law = pairs[i];
    const atoms = atomsOf(pair);
    unlisted += count * (atoms?.beyond ?? 0);
    if (direction === 'remove') logFinite += count * log1p(-rate * pair.infinity);
    // under 'add' with sampling no loss is +∞: the mixture has at least 1 − q times the mass of the base everywhere
    else if (sampling === 'all') logFinite += count * log1p(-(atoms?.minusInfinity ?? pair.infinity));
    decays ||= pair.family !== 'atoms' && pair.family !== 'exponential';
    counts.set(law, (counts.get(law) ?? 0) + count);
  }
  const laws = Array.from(
    counts,
    ([law, count]): CountedSpectrum => ({
      law: direction === 'remove' ? law : exchanged(law),
      count,
    }),
  );
  const mass = -expm1(logFinite);
  const logMass = mass > 0 ? log(mass) : -Infinity;
  const logInfinity =
    mass > 0 || unlisted > 0
      ? bracket(
          logMass - MANY_ROUNDINGS * (1 - Math.max(logMass, -1e3)),
          Math.min(0, log(mass + unlisted) + LONG_SUM),
        )
      : exactly(-Infinity);
  if (decays) return { laws, logInfinity };
  let variance = 0;
  for (const { law, count } of laws) variance += law.cumulant(1, count).variance;
  const smoothing = (SMOOTHING_DEPTH * SMOOTHING_PERIOD * Math.sqrt(variance)) / (6.28 * SMOOTHING_NODES);
  return { laws, logInfinity, smoothing };
}
