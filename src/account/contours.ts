import { largestOf } from '../law/loss-law.js';
import { lossesOf, type Pair } from '../law/pair.js';
import { kindOf, pairOf, rankOf } from '../mechanism/pairs.js';
import { familyOf } from '../mechanism/seen.js';
import type { Step } from '../mechanism/steps.js';
import { methods } from '../methods/brought/methods.js';
import type { SpectralRun } from '../methods/contour/contour-run.js';
import { logInfinityOf, logMassOf } from '../methods/contour/seen-step.js';
import type { Composition } from './composition.js';

/** log δ at which the width of a contour's bracket is estimated in order to choose a method, about log 1e-5. Heuristic. */
const PROBE = -11.5;

/**
 * Contours with smoothing noise are tried if the estimated width of their bracket is at most this multiple of the tolerance. The bracket is narrower at larger
 * δ. Only speed depends on it.
 */
const NEARLY = 16;

/** Largest number of distinct Gaussian steps for which contours are expected to answer at any tolerance. Heuristic. */
const MOST_CERTAIN = 2048;
/** Largest μ of sampled Gaussians for which contours are expected to answer at any tolerance. Heuristic. */
const LARGE_MU = 8;

/** Largest number of losses of a step whose transform M(z) counts as a short sum. Only speed depends on it. */
const SHORT_SUM = 256;
/**
 * MOST_LOSSES: numbers of losses of all distinct steps. Up to `wide` at tolerances of WIDE or more, and up to `narrow` at finer ones, they count as
 * few. Beyond `ever` contours are not asked. Only speed and width depend on them.
 */
const [MOST_LOSSES, WIDE] = [{ wide: 4e5, narrow: 1e5, ever: 1e6 }, 0.01] as const;
/** Largest number of distinct steps composed without groups, if some are mixtures of Gaussians. Only speed and width depend on it. */
const MOST_MIXTURES = 128;

/**
 * Fraction of the remaining allowance for the wanted tolerance where it is asked before coarser ones. FIRST: by contours. FIRST_REPLACED: by contours of
 * replaced records, which may fail. Only width and speed depend on them.
 */
const [FIRST, FIRST_REPLACED] = [0.9, 0.25];

/**
 * Fraction of the remaining allowance for the wanted tolerance, asked before coarser ones: 1 for a closed form, which coarser ones do not improve.
 * Undefined if the coarsest tolerance comes first. Heuristic: it only chooses what is asked.
 */
export function certainShare(composition: Composition): number | undefined {
  if (!isCertain(composition)) return undefined;
  const { steps, isSingle, isClosed } = composition;
  if (steps.length === 0 || isClosed) return 1;
  if (isSingle) return undefined;
  return steps.some(({ mechanism }) => mechanism.kind === 'replaced-gaussian') ? FIRST_REPLACED : FIRST;
}

/**
 * Whether the first method is expected to reach any tolerance at a known cost. This holds for single steps, contours of Gaussians and of balls and
 * bins, and unsampled repeats of a mechanism with two losses or with B-splines. Heuristic: it only chooses methods, and enters no bracket.
 */
export function isCertain(composition: Composition): boolean {
  const { steps, isSingle } = composition;
  if (steps.length === 0 || isSingle) return true;
  if (steps.length > MOST_CERTAIN) return false;
  const [{ mechanism, sampling }] = steps;
  if (steps.length === 1 && sampling === 'all') {
    if (familyOf(mechanism) === 'exponential') return true;
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

/** Whether every step is Gaussian noise, sampled or not. */
export function areGaussian({ steps }: Composition): boolean {
  return steps.every(({ mechanism }) => pairOf(mechanism).family === 'gaussian');
}

/** Whether the transform M(z) of each step is a formula or a sum over at most 256 losses. Contours through all steps then cost less than groups. */
export function haveShortSums({ seen }: Composition): boolean {
  return seen.every(
    ({ pair }) => (pair.family === 'atoms' && lossesOf(pair) <= SHORT_SUM) || pair.family === 'exponential',
  );
}

/** Whether some step lists more than 256 losses. */
export function haveLongLists({ seen }: Composition): boolean {
  return seen.some(({ pair }) => lossesOf(pair) > SHORT_SUM);
}

/**
 * Whether the distinct steps list so few losses together that contours through all of them cost less than groups, or than a grid. Mixtures of
 * Gaussians and balls-and-bins epochs never count as few. Heuristic: it only chooses methods, and enters no bracket.
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

/** Whether the distinct steps list so many losses together that contours at fine tolerances cannot be paid for. */
export function areMany(composition: Composition): boolean {
  return composition.ofAll(lossesOfAll) > MOST_LOSSES.narrow;
}

/** Whether the distinct steps list so many losses together that no contour through all of them can be paid for. */
export function areTooMany(composition: Composition): boolean {
  return composition.ofAll(lossesOfAll) > MOST_LOSSES.ever;
}

/** Number of losses that all distinct steps list together, plus one for each step. Heuristic: it stands for the cost of their transforms. */
export function lossesOfAll({ seen }: Composition): number {
  return seen.reduce((sum, { pair }) => sum + 1 + lossesOf(pair), 0);
}

/** Whether the pair of a step may be a mixture of Gaussians, whose transform is expensive, and groups may merge it. Excepted is one replaced record, whose transform is cheap. */
export function isMixture(step: Step): boolean {
  return (
    hasFamily(step, 'mixture') && step.mechanism.kind !== 'replaced-gaussian' && rankOf(step) !== undefined
  );
}

/** Whether the pair of a step may belong to a family, by the kind alone. */
function hasFamily({ mechanism }: Step, family: Pair['family']): boolean {
  return kindOf(mechanism).families.includes(family);
}

/** Whether mixtures of Gaussians are too many for contours through each step, more than 128 distinct steps. Heuristic. */
export function hasManyMixtures({ steps }: Composition): boolean {
  return steps.length > MOST_MIXTURES && steps.some(isMixture);
}

/**
 * The run by contours, Fourier inversion of the moment generating function M(z) along vertical lines (docs/proofs/contour.md), in each direction.
 * Undefined if a step has no transform that the kernel computes.
 *
 * Ensures: each run's brackets hold its exact answers, which `SpectralRun` certifies with all truncation, aliasing and rounding errors.
 */
export function contoursOf(composition: Composition): readonly SpectralRun[] | undefined {
  const { engine, seen: steps, sides, laws, grid } = composition;
  const { kernelStepOf, sampledRunOf, RunContours, SpectralRun: Run } = methods();
  const run = sampledRunOf(steps, kernelStepOf);
  if (run === undefined) return undefined;
  const areAtoms = steps.every(({ pair }) => pair.family === 'atoms');
  const haveAtoms = areAtoms
    ? 'alone'
    : steps.every(({ pair: { family } }) => family === 'atoms' || family === 'exponential');
  const contours = new RunContours(engine.kernel, run, haveAtoms, grid.width);
  const infinities = (['remove', 'add'] as const).map((side) => logInfinityOf(steps, side));
  return sides.map(
    (direction, i) =>
      new Run(contours, {
        width: grid.width,
        direction,
        logInfinity: infinities[direction === 'add' ? 1 : 0],
        areFinite: infinities.every(({ upper }) => upper === -Infinity),
        largestLoss: largestOf(laws[i]),
        largestMirrored: largestOf(laws[laws.length - 1 - i]),
        logMassP: logMassOf(steps, direction === 'add' ? 'add' : 'remove'),
        steps: steps.length,
      }),
  );
}

/** For each direction: whether contours are expected to reach the tolerance. They always are where the characteristic function decays. Heuristic. */
export const REACHING = [0, 1].map((side) => (composition: Composition): boolean => {
  const run = composition.of(contoursOf)?.[side];
  return run !== undefined && (!run.haveAtoms || isReached(run, composition.grid.width));
});

/** Whether contours are expected to reach the tolerance for a run in some direction. Heuristic. */
export function contoursReach(composition: Composition): boolean {
  return composition.of(contoursOf)?.some((run) => isReached(run, composition.grid.width)) ?? false;
}

/** Whether contours are expected to reach `width` at log δ = PROBE. Heuristic: it only chooses a method, and enters no bracket. */
function isReached(run: SpectralRun, width: number): boolean {
  return run.widthNear(PROBE, width) <= (run.haveAtoms ? NEARLY * width : width);
}
