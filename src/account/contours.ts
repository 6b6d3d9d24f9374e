import { largestOf } from '../law/loss-law.js';
import { atomsOf, type Pair } from '../law/pair.js';
import { kindOf, pairOf, rankOf } from '../mechanism/pairs.js';
import { familyOf } from '../mechanism/seen.js';
import type { Step } from '../mechanism/steps.js';
import { methods } from '../methods/brought/methods.js';
import type { SpectralOptions, SpectralRun } from '../methods/contour/contour-run.js';
import { pairSpectra, spectraOf } from '../methods/contour/step/spectrum-of.js';
import type { Composition } from './composition.js';

/** log δ at which contours have to prove themselves to be chosen. */
const PROBE = -11.5;

/** Distinct Gaussian steps whose contours are certain to answer. */
const MOST_CERTAIN = 2048;
/** Gaussians above it are hard for contours where they are sampled. */
const LARGE_MU = 8;

/** Losses of one step whose transform is a short sum. Speed hangs on it. */
const SHORT_SUM = 256;
/** Distinct mixtures of Gaussians that are composed one by one, and of branches of them, which have no transform. Speed and width hang on them. */
const [MOST_MIXTURES, MOST_BRANCHED] = [128, 16];

/** The share of what is left for the tolerance itself, where it is asked before coarser ones. The first is for contours of Gaussians, the second for those of replaced records, which may be short of it. Width and speed hang on them. */
const [FIRST, FIRST_REPLACED] = [0.9, 0.25];

/** Of what is left, for the tolerance itself before coarser ones: all of it where a formula answers, which no coarser one does better; undefined where the coarsest comes first. */
export function certainShare(composition: Composition): number | undefined {
  if (!isCertain(composition)) return undefined;
  const { steps, isSingle, isClosed } = composition;
  if (steps.length === 0 || isClosed) return 1;
  if (isSingle) return undefined;
  return steps.some(({ mechanism }) => mechanism.kind === 'replaced-gaussian') ? FIRST_REPLACED : FIRST;
}

/** Whether the first method is expected to reach any tolerance at a price that is known. So do closed forms, contours of Gaussians and of balls and bins, and sums of losses that have two values. */
export function isCertain(composition: Composition): boolean {
  const { steps, isSingle } = composition;
  if (steps.length === 0 || isSingle) return true;
  if (steps.length > MOST_CERTAIN) return false;
  const [{ mechanism, sampling }] = steps;
  if (steps.length === 1 && sampling === 'all') {
    if (familyOf(mechanism).releases !== undefined) return true;
    const pair = pairOf(mechanism);
    if (pair.family === 'atoms' && pair.atoms.loss.length === 2) return true;
  }
  return steps.every((step) => {
    const { family, gdpMu } = pairOf(step.mechanism);
    const isReplaced = step.mechanism.kind === 'replaced-gaussian';
    const easy = (step.sampling === 'all' && !isReplaced) || gdpMu <= LARGE_MU;
    const known = isReplaced || family === 'gaussian' || family === 'allocation';
    return easy && known && step.sampling !== 'without-replacement';
  });
}

export function areGaussian({ steps }: Composition): boolean {
  return steps.every(({ mechanism }) => pairOf(mechanism).family === 'gaussian');
}

/** Whether each step's transform is a formula or a short sum, so that contours through all of them cost less than groups. */
export function haveShortSums({ seen }: Composition): boolean {
  return seen.every(({ pair }) => {
    const { length = 0 } = atomsOf(pair)?.loss ?? {};
    return (pair.family === 'atoms' && length <= SHORT_SUM) || pair.family === 'exponential';
  });
}

/** Whether a step is a mixture of Gaussians, or one of several, that noise orders among its kind. Its transform is dear. */
export function isMixture(step: Step): boolean {
  return hasFamily(step, 'mixture') && rankOf(step) !== undefined;
}

function hasFamily({ mechanism }: Step, family: Pair['family']): boolean {
  return kindOf(mechanism).families.some(({ name }) => name === family);
}

/** Whether such steps are too many to be composed one by one. */
export function hasManyMixtures({ steps }: Composition): boolean {
  if (steps.length <= MOST_BRANCHED || !steps.some(isMixture)) return false;
  return steps.length > MOST_MIXTURES || steps.some((step) => isMixture(step) && hasFamily(step, 'branched'));
}

interface Contours {
  /** One for each side. */
  readonly plain: readonly SpectralRun[];
  /** Of the run composed with a little noise; undefined where |φ| decays by itself. */
  readonly smoothed: readonly SpectralRun[] | undefined;
}

/** The run by contours; undefined if a step has no spectrum. */
export function contoursOf(composition: Composition): Contours | undefined {
  const { engine, seen: steps, sides, laws, grid } = composition;
  const { SpectralRun: Run } = methods();
  const pairs = pairSpectra(engine.kernel, steps);
  if (pairs === undefined) return undefined;
  const spectra = sides.map((side) => spectraOf(steps, pairs, side));
  const runs = (smooth: boolean): SpectralRun[] => {
    const made: SpectralRun[] = [];
    for (const [i, { laws: spectral, logInfinity, smoothing }] of spectra.entries()) {
      const options: SpectralOptions = {
        width: grid.width,
        direction: sides[i],
        logInfinity,
        largestLoss: largestOf(laws[i]),
        largestMirrored: largestOf(laws[laws.length - 1 - i]),
        // smoothing noise is a direction's own
        ...(smooth && smoothing !== undefined ? { smoothing } : { mirror: made[0] }),
      };
      made.push(new Run(engine.kernel, spectral, options));
    }
    return made;
  };
  return {
    plain: runs(false),
    smoothed: spectra.some(({ smoothing }) => smoothing !== undefined) ? runs(true) : undefined,
  };
}

/** Which contours are expected to reach the width asked for on a side; those of Gaussian noise are asked first wherever they reach. */
export const REACHING = [0, 1].map((side) => (composition: Composition): 'plain' | 'smoothed' | undefined => {
  const contours = composition.of(contoursOf);
  if (contours !== undefined && contours.smoothed === undefined) return 'plain';
  return reaching(contours, composition.grid.width, side);
});

/** Whether contours reach that in a run of few groups. */
export function contoursReach(composition: Composition): boolean {
  const contours = composition.of(contoursOf);
  return composition.sides.some((_, i) => reaching(contours, composition.grid.width, i) !== undefined);
}

function reaching(
  contours: Contours | undefined,
  width: number,
  side: number,
): 'plain' | 'smoothed' | undefined {
  const reach = (runs: readonly SpectralRun[] | undefined): boolean =>
    runs !== undefined && runs[side].widthNear(PROBE, width) <= width;
  if (reach(contours?.plain)) return 'plain';
  return reach(contours?.smoothed) ? 'smoothed' : undefined;
}
