import type { Kernel } from '../../../kernel/kernel.js';
import { atomsOf, type Pair } from '../../../law/pair.js';
import { type Bracket, bracket, exactly } from '../../../numeric/bracket.js';
import { expm1, log, log1p } from '../../../numeric/scalar.js';
import type { CountedSpectrum } from '../line/contour-plan.js';
import { exchanged, type SpectralLaw } from './spectral-law.js';

/** What methods see of a group of identical steps: their pair, how it is drawn, and its M(z). */
export interface SeenStep {
  readonly pair: Pair;
  readonly sampling: 'all' | 'poisson' | 'without-replacement';
  /** Share of the records that a step sees, (0, 1]. */
  readonly rate: number;
  readonly count: number;
  /** M(z) of one of them; undefined where it has none here, or losses it does not list. Sampled Gaussians have none without a kernel. */
  spectrum(kernel?: Kernel): SpectralLaw | undefined;
  /** The law without its rarest outputs, of mass `lost` at most. Set for balls-and-bins epochs. */
  cut?(lost: number): TruncatedLaw | undefined;
}

/** A step without some outputs. */
export interface TruncatedLaw {
  readonly law: SpectralLaw;
  /** Their mass under either measure, at most. */
  readonly lost: number;
}

/** The steps of a run by their M(z), in one direction. */
interface RunSpectra {
  readonly laws: readonly CountedSpectrum[];
  /** log of the Q-mass at loss +∞. */
  readonly logInfinity: Bracket;
  /** Set where |φ| may not decay by itself: the η of smoothing noise that keeps lines short. */
  readonly smoothing?: number;
}

/** Frequencies that a line through a smoothed run may have. */
const SMOOTHING_NODES = 2 ** 13;
/** e^{−τ²η²/2} has done its work at this many 1/η. */
const SMOOTHING_DEPTH = 9;
/** Periods are about this many standard deviations. */
const SMOOTHING_PERIOD = 24;

/** Steps of a Poisson-subsampled Gaussian. */
export interface SampledPhase {
  readonly mu: number;
  readonly rate: number;
  readonly count: number;
}

/** The pair (base, mixture) of each step by its M(z), for both directions; undefined if one has none here, or losses it does not list. */
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
 * @param pairs `pairSpectra` of the steps. Steps of one law count together.
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
    // outputs that one side never gives: beyond the sampled mixture there are none in direction 'add'
    if (direction === 'remove' || sampling === 'all') logFinite += count * log1p(-rate * infinity);
    decays ||= pair.family === 'gaussian' || pair.family === 'mixture' || pair.family === 'allocation';
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
      ? bracket(logMass - 1e-13 * (1 - Math.max(logMass, -1e3)), Math.min(0, log(mass + unlisted) + 1e-12))
      : exactly(-Infinity);
  if (decays) return { laws, logInfinity };
  let variance = 0;
  for (const { law, count } of laws) variance += law.cumulant(1, count).variance;
  const smoothing = (SMOOTHING_DEPTH * SMOOTHING_PERIOD * Math.sqrt(variance)) / (6.28 * SMOOTHING_NODES);
  return { laws, logInfinity, smoothing };
}
