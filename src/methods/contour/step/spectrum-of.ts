import type { Kernel } from '../../../kernel/kernel.js';
import { atomsOf, type Pair } from '../../../law/pair.js';
import { type Bracket, bracket, exactly } from '../../../numeric/bracket.js';
import { LONG_SUM, MANY_ROUNDINGS } from '../../../numeric/rounding.js';
import { expm1, log, log1p } from '../../../numeric/scalar.js';
import type { CountedSpectrum } from '../line/contour-plan.js';
import { exchanged, type SpectralLaw } from './spectral-law.js';

/** A group of identical steps as methods see it: the pair, the sampling, and M(z). */
export interface SeenStep {
  readonly pair: Pair;
  readonly sampling: 'all' | 'poisson' | 'without-replacement';
  /** Fraction of the records that are in a step, (0, 1]. */
  readonly rate: number;
  readonly count: number;
  /** M(z) of one step; undefined where there is none, or losses are not listed. Sampled Gaussians need a kernel. */
  spectrum(kernel?: Kernel): SpectralLaw | undefined;
}

/** The laws of the steps of a run in one direction, each by its moment generating function M(z). */
interface RunSpectra {
  readonly laws: readonly CountedSpectrum[];
  /** log of the Q-mass at loss +∞. */
  readonly logInfinity: Bracket;
  /** The η of smoothing noise that makes |φ| decay; absent where it decays by itself. */
  readonly smoothing?: number;
}

/** Nodes of a contour of a smoothed run at most. */
const SMOOTHING_NODES = 2 ** 13;
/** Frequency τ, in units of 1/η, from which on e^{−τ²η²/2} is negligible; η is the smoothing noise. */
const SMOOTHING_DEPTH = 9;
/** Approximate period of a contour, in standard deviations of the loss. */
const SMOOTHING_PERIOD = 24;

/** Steps of a Poisson-subsampled Gaussian. */
export interface SampledPhase {
  readonly mu: number;
  readonly rate: number;
  readonly count: number;
}

/** M(z) of the pair (base, mixture) of each step, for both directions; undefined if a step has none, or losses are not listed. */
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

/** The Poisson-sampled Gaussians among steps. */
export function sampledOf(steps: readonly SeenStep[]): SampledPhase[] {
  return steps.flatMap(({ pair, sampling, rate, count }) =>
    pair.family === 'gaussian' && sampling === 'poisson' ? [{ mu: pair.mu, rate, count }] : [],
  );
}

/**
 * The laws of a run's steps, those of one law merged, and log of the mass at loss +∞, 1 − ∏(1 − q·p)^count. `smoothing` is a plan for laws whose |φ|
 * does not fall.
 * @param pairs `pairSpectra` of the steps.
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
    const { infinity } = pair;
    unlisted += count * (atomsOf(pair)?.beyond ?? 0);
    // under 'add', mass of the base beyond the sampled mixture has loss +∞
    if (direction === 'remove' || sampling === 'all') logFinite += count * log1p(-rate * infinity);
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
