import { largestOf } from '../law/loss-law.js';
import { lossesOf, type Pair } from '../law/pair.js';
import { kindOf, pairOf, rankOf } from '../mechanism/pairs.js';
import { familyOf } from '../mechanism/seen.js';
import type { Step } from '../mechanism/steps.js';
import { methods } from '../methods/brought/methods.js';
import type { SpectralOptions, SpectralRun } from '../methods/contour/contour-run.js';
import { pairSpectra, spectraOf } from '../methods/contour/step/spectrum-of.js';
import type { Composition } from './composition.js';

/** log δ at which the width of contours is estimated before they are chosen. */
const PROBE = -11.5;

/** Smoothed contours that are wider than asked for there by no more than this mostly suffice for ε, and for larger δ. Only speed depends on it. */
const NEARLY = 16;

/** Number of distinct Gaussian steps up to which contours certainly answer. */
const MOST_CERTAIN = 2048;
/** Sampled Gaussians with larger μ are difficult for contours. */
const LARGE_MU = 8;

/** Largest number of losses of a step whose transform counts as a short sum. Only speed depends on it. */
const SHORT_SUM = 256;
/**
 * Numbers of losses of all distinct steps that count as few, by tolerance, and beyond which contours are not asked; and the tolerance from which on it
 * is wide. Only speed and width depend on them.
 */
const [MOST_LOSSES, WIDE] = [{ wide: 4e5, narrow: 1e5, ever: 1e6 }, 0.01] as const;
/**
 * Largest number of distinct mixtures of Gaussians that are composed one by one, and of mixtures of pairs, which have no transform. Only speed and
 * width depend on them.
 */
const [MOST_MIXTURES, MOST_BRANCHED] = [128, 16];

/**
 * Fraction of the remaining allowance for the wanted tolerance, if it is asked before coarser ones. For contours of Gaussians; and for those of
 * replaced records, which may fail. Only width and speed depend on them.
 */
const [FIRST, FIRST_REPLACED] = [0.9, 0.25];

/**
 * Fraction of the remaining allowance for the wanted tolerance before coarser ones: everything for a closed form, which coarser ones do not improve;
 * undefined if the coarsest comes first.
 */
export function certainShare(composition: Composition): number | undefined {
  if (!isCertain(composition)) return undefined;
  const { steps, isSingle, isClosed } = composition;
  if (steps.length === 0 || isClosed) return 1;
  if (isSingle) return undefined;
  return steps.some(({ mechanism }) => mechanism.kind === 'replaced-gaussian') ? FIRST_REPLACED : FIRST;
}

/**
 * Whether the first method is expected to reach any tolerance at a known cost. This holds for closed forms, contours of Gaussians and of balls and
 * bins, and sums of two-valued losses. Plan: enters no bracket.
 */
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

/** Whether each step's transform is a formula or a short sum, so that contours through all steps cost less than groups. */
export function haveShortSums({ seen }: Composition): boolean {
  return seen.every(
    ({ pair }) => (pair.family === 'atoms' && lossesOf(pair) <= SHORT_SUM) || pair.family === 'exponential',
  );
}

/** Whether a step has more losses than those of a short sum. */
export function haveLongLists({ seen }: Composition): boolean {
  return seen.some(({ pair }) => lossesOf(pair) > SHORT_SUM);
}

/**
 * Whether the losses of all steps together are so few that contours through all of them cost less than groups, or than a grid. At wide tolerances a
 * contour has few nodes. Plan: enters no bracket.
 */
export function areFew(composition: Composition): boolean {
  const { wide, narrow } = MOST_LOSSES;
  const isWide = composition.grid.width >= WIDE;
  return (
    composition.ofAll(lossesOfAll) <= (isWide ? wide : narrow) &&
    composition.seen.every(
      ({ pair: { family } }) => family !== 'mixture' && family !== 'allocation' && family !== 'branched',
    )
  );
}

/** Whether they are so many that contours of narrow brackets cannot be paid for. */
export function areMany(composition: Composition): boolean {
  return composition.ofAll(lossesOfAll) > MOST_LOSSES.narrow;
}

/** Whether they are so many that contours through all of them cannot be paid for. */
export function areTooMany(composition: Composition): boolean {
  return composition.ofAll(lossesOfAll) > MOST_LOSSES.ever;
}

/** Heuristic: how many losses all distinct steps have together; one each in a continuum. */
export function lossesOfAll({ seen }: Composition): number {
  return seen.reduce((sum, { pair }) => sum + 1 + lossesOf(pair), 0);
}

/** Whether a step is a mixture of Gaussians, or several, ordered by noise within its kind, whose transform is expensive. That of one replaced record is not. */
export function isMixture(step: Step): boolean {
  return (
    hasFamily(step, 'mixture') && step.mechanism.kind !== 'replaced-gaussian' && rankOf(step) !== undefined
  );
}

function hasFamily({ mechanism }: Step, family: Pair['family']): boolean {
  return kindOf(mechanism).families.some(({ name }) => name === family);
}

/** Whether steps whose outputs are mixtures are too many for contours of each. */
export function hasManyMixtures({ steps }: Composition): boolean {
  if (steps.length <= MOST_BRANCHED || !steps.some(isMixture)) return false;
  return steps.length > MOST_MIXTURES || steps.some((step) => isMixture(step) && hasFamily(step, 'branched'));
}

interface Contours {
  /** One run for each side. */
  readonly plain: readonly SpectralRun[];
  /** Runs composed with a little Gaussian noise; undefined if |φ| decays by itself. */
  readonly smoothed: readonly SpectralRun[] | undefined;
  /** Whether all losses are atoms, so that no |φ| falls. */
  readonly hasAtomsAlone: boolean;
}

/** The run by contours, one per direction, and with smoothing noise where the losses have atoms; undefined if a step has no transform. */
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
        // smoothing noise belongs to one direction
        ...(smooth && smoothing !== undefined ? { smoothing } : { mirror: made[0] }),
      };
      made.push(new Run(engine.kernel, spectral, options));
    }
    return made;
  };
  return {
    hasAtomsAlone: steps.every(({ pair }) => pair.family === 'atoms'),
    plain: runs(false),
    smoothed: spectra.some(({ smoothing }) => smoothing !== undefined) ? runs(true) : undefined,
  };
}

/** The contours expected to reach the width asked for on a side; those of Gaussian noise are always asked first. */
export const REACHING = [0, 1].map((side) => (composition: Composition): 'plain' | 'smoothed' | undefined => {
  const contours = composition.of(contoursOf);
  if (contours !== undefined && contours.smoothed === undefined) return 'plain';
  return reaching(contours, composition.grid.width, side);
});

/** Whether contours are expected to reach the width for a run of few groups. */
export function contoursReach(composition: Composition): boolean {
  const contours = composition.of(contoursOf);
  return composition.sides.some((_, i) => reaching(contours, composition.grid.width, i) !== undefined);
}

function reaching(
  contours: Contours | undefined,
  width: number,
  side: number,
): 'plain' | 'smoothed' | undefined {
  const reach = (runs: readonly SpectralRun[] | undefined, most: number): boolean =>
    runs !== undefined && runs[side].widthNear(PROBE, width) <= most;
  // smoothed contours ask the plain ones first
  if (!contours?.hasAtomsAlone && reach(contours?.plain, width)) return 'plain';
  return reach(contours?.smoothed, NEARLY * width) ? 'smoothed' : undefined;
}
