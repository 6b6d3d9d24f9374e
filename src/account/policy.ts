import { wrongValue } from '../errors.js';
import { largestOf } from '../law/loss-law.js';
import { pairOf } from '../mechanism/pairs.js';
import { familyOf } from '../mechanism/seen.js';
import { methods } from '../methods/brought/methods.js';
import { boundingRun } from '../methods/closed/bounding-run.js';
import { sumOfDeltas } from '../methods/closed/sum-of-deltas.js';
import type { SpectralOptions, SpectralRun } from '../methods/contour/contour-run.js';
import { MANY_PHASES } from '../methods/contour/phases/phase.js';
import { pairSpectra, spectraOf } from '../methods/contour/step/spectrum-of.js';
import { firstWithin } from '../methods/first-within.js';
import { asksOne } from '../numeric/meter.js';
import type { DirectedRun } from '../run/directed-run.js';
import { nothingRun, revealingRun, roundedGaussian } from '../run/gaussian-run.js';
import type { Method } from '../run/method.js';
import type { Composition } from './composition.js';
import { type Grouped, groupedSteps, runsBetween } from './near-phases.js';
import { patternsOf } from './patterns.js';

/** A way to answer, and when it is the turn of it. */
interface Rule {
  readonly name: string;
  /** The settings of `method` under which it is considered. */
  readonly under: readonly (Method | 'auto')[];
  /** Whether it may apply: the steps tell at no cost. */
  readonly where?: (composition: Composition) => boolean;
  /** So do its runs: nothing has to be put off. */
  readonly atOnce?: true;
  /** The runs of both sides, or one for both; undefined where it does not apply. Choosing may cost: it waits for a question. */
  readonly runs: (composition: Composition, method?: Method | 'auto') => readonly DirectedRun[] | undefined;
  /** Brackets no wider than this, or than what is asked for, are taken; what comes behind is asked where they are wider. All are taken where nothing is said. */
  readonly enough?: number;
  /** See `Way`. */
  readonly share?: (composition: Composition) => number | undefined;
}

/** Distinct steps that are composed one by one: at most, and where contours do not reach, of losses in a continuum and of atoms. */
const MANY = 512;
const ENOUGH = 8;
const ENOUGH_ATOMS = 64;
/** Distinct Gaussian steps, sampled or not, that contours are asked about whatever groups of them say. */
const ENOUGH_GAUSSIAN = 128;
/** Distinct steps that only groups of them are asked about: one formula for each of more costs seconds. Speed hangs on it. */
const TOO_MANY = 4096;
/** Groups that a run is taken in where contours through all of its steps do not reach. */
const FEW = 3;
/** Distinct Gaussian steps whose contours are certain to answer. */
const MOST_CERTAIN = 2048;
/** Of what is left, for the line of many sampled Gaussians. */
const MANY_SHARE = 0.9;
/** log δ at which contours have to prove themselves to be chosen. */
const PROBE = -11.5;
/** What the grid can be expected to reach on runs that are hard for both, and on atoms off any lattice. Speed and width hang on them. */
const GRID_WIDTH = 2e-5;
const SMOOTHED_WIDTH = 1e-4;

/**
 * The policy: the first rule that applies answers, those behind it where its bracket is not narrow enough. Each says where it applies, what it
 * costs and how wide its brackets are; docs/architecture.md prints that.
 */
export const POLICY: readonly Rule[] = [
  {
    name: 'nothing',
    under: ['auto', 'closed-form', 'spectral', 'grid'],
    // where: no step sees a record
    // cost: none
    // width: exact
    where: ({ steps }) => steps.length === 0,
    atOnce: true,
    runs: () => [nothingRun],
  },
  {
    name: 'record revealed',
    under: ['auto', 'closed-form', 'spectral', 'grid'],
    // where: a step has no noise
    // cost: none
    // width: from the chance of being revealed to 1
    atOnce: true,
    runs: ({ revealed }) => (revealed > 0 ? [revealingRun(revealed)] : undefined),
  },
  {
    name: 'one Gaussian',
    under: ['auto', 'closed-form'],
    // where: plain Gaussians, which compose to one
    // cost: two values of Φ a question
    // width: rounding
    atOnce: true,
    runs: ({ soleGaussianMu: mu }) => (mu === undefined ? undefined : [roundedGaussian(mu)]),
  },
  {
    name: 'one release',
    under: ['auto', 'closed-form'],
    // where: one step, once, sampled or not; of balls-and-bins epochs full ones of two bins, at noise of at least 0.1
    // cost: a formula a question
    // width: rounding
    where: ({ isClosed }) => isClosed,
    atOnce: true,
    runs: ({ laws }) => laws.map(([{ law }]) => law.single),
  },
  {
    name: '512 groups alone',
    under: ['auto'],
    // where: more than 4096 distinct steps
    // cost: two runs of 512 steps
    // width: what steps of one group differ by
    where: ({ steps }) => steps.length > TOO_MANY,
    runs: inManyGroups,
  },
  {
    name: 'B-splines',
    under: ['auto', 'closed-form'],
    // where: releases of one Laplace or bounded-range mechanism, unsampled, of ε 500 in all at most
    // cost: a table once, up to 0.1 s; then a few values a question
    // width: rounding
    where: ({ steps }) => steps.length === 1 && steps[0].sampling === 'all',
    runs: splineOf,
  },
  {
    name: 'listed sums',
    under: ['auto', 'closed-form'],
    // where: steps of finitely many losses, of at most 2¹⁶ sums, or 2²⁸ in two lists; those of one kind of step on a lattice if asked for, as the grid reaches deeper tails
    // cost: a list once; then one pass over it, or over the shorter of two, a question
    // width: rounding
    where: ({ steps }) => steps.every(({ mechanism }) => familyOf(mechanism).listed !== undefined),
    enough: 0,
    runs: (c, method) =>
      c.onLattice && c.steps.length === 1 && method !== 'closed-form' ? undefined : listed(c),
  },
  {
    name: 'patterns of batches',
    under: ['auto'],
    // where: Poisson-sampled Gaussians, and plain ones, of so little noise that each output tells whether the record was drawn
    // cost: two or three sums a question, over the numbers of batches that may have the record
    // width: rounding for noise below 0.08, about; then what outputs that may be taken for each other leave
    where: ({ steps }) => steps.some(({ sampling }) => sampling === 'poisson'),
    enough: 0,
    runs: patternsOf,
  },
  {
    name: 'contours with cuts',
    under: ['auto'],
    // where: runs with balls-and-bins epochs: without outputs of mass 1e-27, 1e-17 or 1e-44, then whole
    // cost: some hundred frequencies a question, whatever the number of steps
    // width: as asked for, where δ is large beside what is cut
    where: ({ hasAllocation }) => hasAllocation,
    enough: 0,
    runs: (c) => (c.of(fewReach) !== false ? cutRuns(c) : undefined),
  },
  {
    name: 'contours',
    under: ['auto', 'spectral'],
    // where: every step has a spectrum; unless asked for: losses on no lattice, at most 512 distinct steps, 48 to 2048 distinct sampled Gaussians counting as one, and, where steps may have atoms, the width expected at δ = 1e-5 is the one asked for, or 2e-5
    // cost: some hundred frequencies a question, whatever the number of steps
    // width: as asked for down to rounding, at any depth
    enough: 0,
    share: manyShare,
    runs: (c, method) => {
      if (method !== 'spectral') return reached(c) === 'plain' ? c.of(contoursOf)?.plain : undefined;
      const contours = c.of(contoursOf);
      return contours?.smoothed === undefined ? contours?.plain : undefined;
    },
  },
  {
    name: 'smoothed contours',
    under: ['auto', 'spectral'],
    // where: the same for losses with atoms: the run composed with a little Gaussian noise; the width expected at δ = 1e-5 is the one asked for, or 1e-4
    // cost: some thousand frequencies a question
    // width: of second order in the noise; 1e-4 is taken
    enough: SMOOTHED_WIDTH,
    runs: (c, method) =>
      method === 'spectral' || reached(c) === 'smoothed' ? c.of(contoursOf)?.smoothed : undefined,
  },
  {
    name: '512 groups',
    under: ['auto'],
    // where: more than 512 distinct steps, if contours reach three groups of them
    // cost: two runs of 512 steps
    // width: what steps of one group differ by
    where: ({ steps }) => steps.length > MANY,
    runs: (c) => (c.of(fewReach) ? inManyGroups(c) : undefined),
  },
  {
    name: 'three groups',
    under: ['auto'],
    // where: more than 8 distinct steps, or 64 of steps with finitely many losses
    // cost: two runs of three steps
    // width: what steps of one group differ by
    where: ({ offGrid }) => !offGrid,
    runs: (c) => between(c, c.ofAll(few)),
  },
  {
    name: 'grid',
    under: ['auto', 'grid'],
    // where: single losses a mesh can hold: μ of every Gaussian in [1e-6, 1e3]; no balls-and-bins epochs
    // cost: two FFTs for each of a ladder of tilts, up to `maxGridLength` points
    // width: as asked for while the FFT is long enough
    where: ({ offGrid, hasAllocation }) => !offGrid && !hasAllocation,
    share: () => 0.9,
    runs: ({ engine, grid, laws }) => laws.map((side) => methods().gridRun(engine.kernel, side, grid)),
  },
  {
    name: 'theorems',
    under: ['auto', 'grid'],
    // where: always: each step is μ-GDP, and the run is at least as bad as its worst step
    // cost: a formula a question
    // width: whatever these two leave
    runs: ({ laws, offGrid, hasAllocation }, method) =>
      method === 'grid' && (hasAllocation || !offGrid) ? undefined : laws.map(boundingRun),
  },
];

/** Of many sampled Gaussians: what lies behind their line, groups of them, is cheap, and much wider. Several things need more lines than there is allowance for. */
function manyShare(composition: Composition): number | undefined {
  const many = composition.steps.length >= MANY_PHASES && asksOne();
  return many && composition.of(areSampledGaussians) ? MANY_SHARE : undefined;
}

function areSampledGaussians(c: Composition): boolean {
  return c.steps.every(({ sampling }) => sampling === 'poisson') && areGaussian(c);
}

/**
 * A run by the rules of the policy, a direction each. With a method named, the first rule under it that applies answers alone; else
 * what no cost decides is decided at once and all else when a question is asked.
 *
 * @throws RangeError if the method named does not serve.
 */
export function runsOf(composition: Composition, method: Method | 'auto'): readonly DirectedRun[] {
  const auto = method === 'auto';
  const rules = POLICY.filter(({ under, where }) => under.includes(method) && (where?.(composition) ?? true));
  for (const { atOnce, runs } of rules) {
    const made = atOnce || !auto ? runs(composition, method) : undefined;
    if (made !== undefined) return made;
  }
  if (!auto) throw refused(composition, method);
  const later = rules.filter(({ atOnce }) => !atOnce);
  return composition.sides.map((_, i) =>
    firstWithin(
      later.map(({ runs, enough, share }) => ({
        make: () => {
          const made = composition.of(runs);
          return made?.[Math.min(i, made.length - 1)];
        },
        share: () => share?.(composition),
        enough: enough === undefined ? undefined : (asked: number) => Math.max(asked, enough),
      })),
      composition.grid.width,
      (epsilon) => composition.of(ceilings)[i](epsilon),
    ),
  );
}

function ceilings(c: Composition): readonly ((epsilon: number) => number)[] {
  return c.steps.length > TOO_MANY ? c.sides.map(() => () => 0) : c.laws.map(sumOfDeltas);
}

/** Gaussians above it are hard for contours where they are sampled. */
const LARGE_MU = 8;

/** Whether the first method is certain to reach any tolerance at a price that is known: closed forms, and contours of Gaussians and of balls and bins. */
export function isCertain(composition: Composition): boolean {
  const { steps, isSingle } = composition;
  if (steps.length === 0 || isSingle) return true;
  if (steps.length > MOST_CERTAIN) return false;
  const [{ mechanism, sampling }] = steps;
  if (steps.length === 1 && sampling === 'all' && familyOf(mechanism).releases !== undefined) return true;
  return steps.every((step) => {
    const { family, gdpMu } = pairOf(step.mechanism);
    const easy = step.sampling === 'all' || gdpMu <= LARGE_MU;
    return (
      easy && step.sampling !== 'without-replacement' && (family === 'gaussian' || family === 'allocation')
    );
  });
}

function refused({ hasAllocation }: Composition, method: Method): Error {
  const closed = hasAllocation
    ? 'auto or spectral for balls-and-bins epochs'
    : 'auto, spectral or grid for these steps';
  return wrongValue('method', method === 'spectral' ? 'grid or auto for these mechanisms' : closed, method);
}

/** Releases of one Laplace or bounded-range mechanism. */
function splineOf({ steps }: Composition): readonly DirectedRun[] | undefined {
  const [{ mechanism, count }] = steps;
  const run = familyOf(mechanism).releases?.(pairOf(mechanism), count);
  return run && [run];
}

/** Steps of finitely many losses each, on a list of their sums. */
function listed({ steps, seen, sides }: Composition): readonly DirectedRun[] | undefined {
  return familyOf(steps[0].mechanism).listed?.(seen, sides);
}

function manyGroups({ steps }: Composition): Grouped | undefined {
  return groupedSteps(steps, MANY);
}

function inManyGroups(composition: Composition): readonly DirectedRun[] | undefined {
  return between(composition, composition.ofAll(manyGroups));
}

/** Contours without the rarest outputs first. */
function cutRuns(composition: Composition): readonly DirectedRun[] | undefined {
  const { engine, seen, sides, grid } = composition;
  const { CUTS, cutRun } = methods();
  const enough = (asked: number): number => asked;
  return composition.of(contoursOf)?.plain.map((whole, i) => {
    const cuts = CUTS.map((lost) => () => cutRun(engine.kernel, seen, sides[i], lost, grid.width));
    return firstWithin(
      [...cuts, () => whole].map((make) => ({ make, enough })),
      grid.width,
    );
  });
}

/** The contours that are expected to reach the width, where the policy has them asked. */
function reached(c: Composition): 'plain' | 'smoothed' | undefined {
  if (c.onLattice || c.offGrid || c.hasAllocation) return undefined;
  const apart = c.steps.length >= MANY_PHASES ? methods().lawsApart(c.seen) : c.steps.length;
  // many phases as one cost little more than three groups of them, and of a wild cloud groups say nothing
  const asked =
    apart <= ENOUGH ||
    (apart <= ENOUGH_GAUSSIAN && areGaussian(c)) ||
    (apart <= MANY && c.of(fewReach) !== false);
  return asked ? c.of(reachingContours) : undefined;
}

function areGaussian({ steps }: Composition): boolean {
  return steps.every(({ mechanism }) => pairOf(mechanism).family === 'gaussian');
}

/** A run of many distinct steps as few groups; undefined where there are not so many. */
function few({ steps }: Composition): Grouped | undefined {
  const continuous = steps.some(({ mechanism }) => pairOf(mechanism).family !== 'atoms');
  return steps.length > (continuous ? ENOUGH : ENOUGH_ATOMS) ? groupedSteps(steps, FEW) : undefined;
}

/** Whether contours reach these groups, and may reach all steps; undefined where there are none. */
function fewReach(composition: Composition): boolean | undefined {
  const groups = composition.ofAll(few);
  return groups && contoursReach(composition.with(groups.worse));
}

/** A run between its best and its worst groups: near-equal steps are as good as one, and the bracket says what they are not. */
function between(composition: Composition, groups: Grouped | undefined): readonly DirectedRun[] | undefined {
  if (groups === undefined) return undefined;
  const { better, worse } = groups;
  const [low, high] = [better, worse].map((steps) => runsOf(composition.with(steps), 'auto'));
  return runsBetween(low, high, worse.length);
}

interface Contours {
  /** One for each side. */
  readonly plain: readonly SpectralRun[];
  /** Of the run composed with a little noise; undefined where |φ| decays by itself. */
  readonly smoothed: readonly SpectralRun[] | undefined;
}

/** The run by contours; undefined if a step has no spectrum. */
function contoursOf(composition: Composition): Contours | undefined {
  return made(composition, true);
}

function made({ engine, seen: steps, sides, laws, grid }: Composition, split: boolean): Contours | undefined {
  const { lawsTogether, SpectralRun: Run } = methods();
  const together = steps.length > 1 ? lawsTogether(engine.kernel, steps) : [];
  const pairs = pairSpectra(engine.kernel, steps, together);
  if (pairs === undefined) return undefined;
  const spectra = sides.map((side) => spectraOf(steps, pairs, side));
  const runs = (smooth: boolean): SpectralRun[] => {
    const made: SpectralRun[] = [];
    for (const [i, { laws: spectral, logInfinity, smoothing, split: parts }] of spectra.entries()) {
      const options: SpectralOptions = {
        width: grid.width,
        direction: sides[i],
        logInfinity,
        largestLoss: largestOf(laws[i]),
        largestMirrored: largestOf(laws[laws.length - 1 - i]),
        split: split ? parts : undefined,
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

/**
 * Which contours are expected to reach the width asked for, or what the grid can be expected to reach, in both directions; those of Gaussian noise are asked
 * first wherever they reach.
 */
function reachingContours(composition: Composition): 'plain' | 'smoothed' | undefined {
  const contours = composition.of(contoursOf);
  if (contours !== undefined && contours.smoothed === undefined) return 'plain';
  return reaching(contours, composition.grid.width);
}

/** Whether contours reach that in a run of few groups; rare losses are not split for that. */
function contoursReach(composition: Composition): boolean {
  return reaching(made(composition, false), composition.grid.width) !== undefined;
}

function reaching(contours: Contours | undefined, width: number): 'plain' | 'smoothed' | undefined {
  const reach = (runs: readonly SpectralRun[] | undefined, limit: number): boolean =>
    runs !== undefined &&
    Math.max(...runs.map((run) => run.widthNear(PROBE, width))) <= Math.max(width, limit);
  if (reach(contours?.plain, GRID_WIDTH)) return 'plain';
  return reach(contours?.smoothed, SMOOTHED_WIDTH) ? 'smoothed' : undefined;
}
