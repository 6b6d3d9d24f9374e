import { sampledSide } from '../../../law/mixture-side.js';
import { atomsOf } from '../../../law/pair.js';
import { pairOf } from '../../../mechanism/basic.js';
import type { Step } from '../../../mechanism/steps.js';
import { type Bracket, bracket, exactly } from '../../../numeric/bracket.js';
import { expm1, log, log1p } from '../../../numeric/scalar.js';
import type { CountedSpectrum } from '../line/contour-plan.js';
import { manyPhases, nearCurves } from '../phases/many-phases.js';
import type { SampledPhase, SplitSteps } from '../split/split-lines.js';
import { allocationSpectrum } from './allocation-spectrum.js';
import { atomicSpectrum } from './atomic-spectrum.js';
import { exponentialSpectrum } from './exponential-spectrum.js';
import { gaussianSpectrum } from './gaussian-spectrum.js';
import { mixtureSpectrum } from './mixture-spectrum.js';
import { sampledExponentialSpectrum } from './sampled-exponential.js';
import { exchanged, type SpectralLaw } from './spectral-law.js';
import { isCut, subsampledGaussianSpectrum } from './subsampled-gaussian.js';

/** The steps of a run by their M(z), in one direction. */
interface RunSpectra {
  readonly laws: readonly CountedSpectrum[];
  /** log of the Q-mass at loss +∞. */
  readonly logInfinity: Bracket;
  /** Set where |φ| may not decay by itself: the η of smoothing noise that keeps lines short. */
  readonly smoothing?: number;
  /** Set where some steps have rare large losses. */
  readonly split?: SplitSteps | undefined;
}

/** Phases that are split, at most: what parts cost grows with them, to ten seconds, where long lines take twice that and more. */
const MAX_RARE = 500;

/** Frequencies that a line through a smoothed run may have. */
const SMOOTHING_NODES = 2 ** 13;
/** e^{−τ²η²/2} has done its work at this many 1/η. */
const SMOOTHING_DEPTH = 9;
/** Periods are about this many standard deviations. */
const SMOOTHING_PERIOD = 24;

/**
 * The pair (base, mixture) of each step by its M(z), for both directions; undefined if one has none here, or losses it does not list.
 *
 * @param kept Meshes of outputs that a sampled Gaussian keeps: more than usual for one soon done with.
 * @param together `phasesTogether` of the steps, which stands in the place of each of them.
 */
export function pairSpectra(
  steps: readonly Step[],
  kept?: number,
  together?: SpectralLaw,
): readonly SpectralLaw[] | undefined {
  const laws: SpectralLaw[] = [];
  for (const step of steps) {
    const law = together !== undefined && sampledOf([step]).length > 0 ? together : spectrumOf(step, kept);
    if (law === undefined) return undefined;
    laws.push(law);
  }
  return laws;
}

/** Sampled Gaussians, all different, from which on few stand for all. */
const MANY = 24;
/** The same where they are a cloud. */
const MANY_APART = 128;

/** Many sampled Gaussians as one law; undefined where there are few of them, or some that few cannot stand for. */
export function phasesTogether(steps: readonly Step[], width: number): SpectralLaw | undefined {
  const phases = sampledOf(steps);
  return areMany(phases) ? manyPhases(phases, width) : undefined;
}

/** How many laws there are with many sampled Gaussians as one. */
export function lawsApart(steps: readonly Step[]): number {
  const phases = sampledOf(steps);
  const together = areMany(phases) && phases.every(({ mu, rate }) => isCut(mu, rate));
  return together ? steps.length - phases.length + 1 : steps.length;
}

function areMany(phases: readonly SampledPhase[]): boolean {
  return phases.length >= MANY && (phases.length >= MANY_APART || nearCurves(phases));
}

function sampledOf(steps: readonly Step[]): SampledPhase[] {
  return steps.flatMap(({ mechanism, sampling, rate, count }) => {
    const pair = pairOf(mechanism);
    return pair.family === 'gaussian' && sampling === 'poisson' ? [{ mu: pair.mu, rate, count }] : [];
  });
}

/**
 * @param pairs `pairSpectra` of the steps.
 * @param together `phasesTogether` of them.
 */
export function spectraOf(
  steps: readonly Step[],
  pairs: readonly SpectralLaw[],
  direction: 'remove' | 'add',
  together?: SpectralLaw,
): RunSpectra {
  const laws: CountedSpectrum[] = [];
  let logFinite = 0;
  let unlisted = 0;
  let decays = false;
  const sampled: SampledPhase[] = [];
  const others: CountedSpectrum[] = [];
  for (const [i, { mechanism, sampling, rate, count }] of steps.entries()) {
    const law = pairs[i];
    const pair = pairOf(mechanism);
    const { infinity } = pair;
    unlisted += count * (atomsOf(pair)?.beyond ?? 0);
    // outputs that one side never gives: beyond the sampled mixture there are none in direction 'add'
    if (direction === 'remove' || sampling === 'all') logFinite += count * log1p(-rate * infinity);
    decays ||= pair.family === 'gaussian' || pair.family === 'mixture' || pair.family === 'allocation';
    if (pair.family === 'gaussian' && sampling === 'poisson') sampled.push({ mu: pair.mu, rate, count });
    else others.push({ law, count });
    if (together === undefined || others.at(-1)?.law === law)
      laws.push({ law: direction === 'remove' ? law : exchanged(law), count });
  }
  if (together !== undefined) {
    const count = sampled.reduce((sum, phase) => sum + phase.count, 0);
    laws.push({ law: direction === 'remove' ? together : exchanged(together), count });
  }
  const mass = -expm1(logFinite);
  const logMass = mass > 0 ? log(mass) : -Infinity;
  const logInfinity =
    mass > 0 || unlisted > 0
      ? bracket(logMass - 1e-13 * (1 - Math.max(logMass, -1e3)), Math.min(0, log(mass + unlisted) + 1e-12))
      : exactly(-Infinity);
  const several = steps.length > 1 || steps[0].count > 1;
  const splits = several && sampled.length > 0 && sampled.length <= MAX_RARE;
  const mirrored = direction === 'add';
  if (decays) return { laws, logInfinity, split: splits ? { sampled, others, mirrored } : undefined };
  let variance = 0;
  for (const { law, count } of laws) variance += law.cumulant(1, count).variance;
  const smoothing = (SMOOTHING_DEPTH * SMOOTHING_PERIOD * Math.sqrt(variance)) / (6.28 * SMOOTHING_NODES);
  return { laws, logInfinity, smoothing };
}

function spectrumOf({ mechanism, sampling, rate }: Step, kept?: number): SpectralLaw | undefined {
  if (sampling === 'without-replacement') return undefined;
  const pair = pairOf(mechanism);
  switch (pair.family) {
    case 'gaussian':
      return sampling === 'all'
        ? gaussianSpectrum(pair.mu)
        : subsampledGaussianSpectrum(1 / pair.mu, rate, kept);
    case 'exponential':
      return sampling === 'all'
        ? exponentialSpectrum(pair.shape)
        : sampledExponentialSpectrum(pair.shape, rate);
    case 'allocation':
      return sampling === 'all' ? allocationSpectrum(pair) : undefined;
    case 'branched':
      return undefined;
    case 'mixture':
      return mixtureSpectrum(sampledSide(pair.plus, rate), pair.minus);
    case 'atoms': {
      const { error, differences, beyond = 0 } = pair.atoms;
      // masses known as differences, and mass at unlisted losses that is not negligible, are the grid's
      if (error !== undefined || differences || beyond > 1e-290) return undefined;
      return atomicSpectrum(pair.atoms, rate);
    }
  }
}
