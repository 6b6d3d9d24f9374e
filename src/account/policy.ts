import { wrongValue } from '../errors.js';
import { gaussianMuOf, pairOf } from '../mechanism/pairs.js';
import { familyOf } from '../mechanism/seen.js';
import type { Step } from '../mechanism/steps.js';
import { methods } from '../methods/brought/methods.js';
import { boundingRun } from '../methods/closed/bounding-run.js';
import { sumOfDeltas } from '../methods/closed/sum-of-deltas.js';
import { firstWithin, type Way } from '../methods/first-within.js';
import { closeRun } from '../run/changed-run.js';
import type { DirectedRun } from '../run/directed-run.js';
import { nothingRun, revealingRun, roundedGaussian } from '../run/gaussian-run.js';
import type { Method } from '../run/method.js';
import type { Composition } from './composition.js';
import {
  areFew,
  areGaussian,
  areTooMany,
  contoursOf,
  hasManyMixtures,
  haveLongLists,
  haveShortSums,
  isCertain,
  isMixture,
  REACHING,
} from './contours.js';
import { endsWithin } from './gaussian-ends.js';
import { ENOUGH, ENOUGH_ATOMS, few, fewReach, groupsEnough, manyGroups, more, several } from './merged.js';
import { type Grouped, runsBetween } from './near-phases.js';
import { patternsOf } from './patterns.js';

/** A rule of the policy: a method of answering, and where it applies. */
interface Rule {
  readonly name: string;
  /** The settings of `method` under which the rule is considered. */
  readonly under: readonly (Method | 'auto')[];
  /** Whether the rule may apply, decided from the steps at no cost. */
  readonly where?: (composition: Composition) => boolean;
  /** Set if making the rule's runs costs nothing. */
  readonly atOnce?: true;
  /** The runs in both directions, or one for both; undefined if the rule does not apply. It is called when a question is asked, as deciding may be costly. */
  readonly runs: (composition: Composition, method?: Method | 'auto') => readonly DirectedRun[] | undefined;
  /** The run in one direction: set if `auto` decides for each direction separately, so that a question about one costs nothing for the other. */
  readonly side?: (composition: Composition, side: number) => DirectedRun | undefined;
  /** Set if the rule's brackets are accepted however wide, so that later rules are not asked. */
  readonly last?: true;
  /** The width of brackets that are accepted instead of `asked`. */
  readonly enough?: (composition: Composition, asked: number) => number;
  /** Set if the rule is tried only where an earlier one ran out of its allowance of work. */
  readonly spare?: true;
  /** Fraction of the remaining allowance that the rule may spend if others follow; half if absent. */
  readonly share?: (composition: Composition) => number | undefined;
}

/** Largest number of distinct steps for which contours through all of them are tried. Heuristic. */
const MANY = 1024;
/** Up to this number of distinct Gaussian steps, sampled or not, contours are tried even if groups would suffice. Heuristic. */
const ENOUGH_GAUSSIAN = 128;
/** For more distinct steps than this, only groups are tried: a formula for each step would cost seconds. Only speed depends on it. */
const TOO_MANY = 4096;
/**
 * The policy: rules in the order they are tried. The first that applies answers; later ones are asked while its bracket is not narrow enough.
 * Comments state where each applies, what it costs and how wide its brackets are; docs/architecture.md prints them.
 */
export const POLICY: readonly Rule[] = [
  {
    name: 'nothing',
    under: ['auto', 'closed-form', 'spectral', 'grid'],
    // where: no step sees a record.
    // cost: none.
    // width: exact.
    where: ({ steps }) => steps.length === 0,
    atOnce: true,
    runs: () => [nothingRun],
  },
  {
    name: 'record revealed',
    under: ['auto', 'closed-form', 'spectral', 'grid'],
    // where: a step has no noise.
    // cost: none.
    // width: from the chance of being revealed to 1.
    atOnce: true,
    runs: ({ revealed }) => (revealed > 0 ? [revealingRun(revealed)] : undefined),
  },
  {
    name: 'one Gaussian',
    under: ['auto', 'closed-form'],
    // where: plain Gaussians, which compose to one.
    // cost: two values of the normal distribution function Φ a question.
    // width: rounding.
    atOnce: true,
    runs: ({ soleGaussianMu: mu }) => (mu === undefined ? undefined : [roundedGaussian(mu)]),
  },
  {
    name: 'one release',
    under: ['auto', 'closed-form'],
    // where: one step, executed once, sampled or not; a balls-and-bins epoch only with two bins, both visited, and noise of at least 0.1.
    // cost: a formula a question.
    // width: rounding.
    where: ({ isClosed }) => isClosed,
    atOnce: true,
    runs: ({ laws }) => laws.map(([{ law }]) => law.single),
  },
  {
    name: 'noise of whole numbers as Gaussian',
    under: ['auto'],
    // where: more than 64 distinct steps, with discrete Gaussian noise of σ 3 or more, or binomial or Skellam noise of over 100,000 losses.
    // cost: two runs with Gaussians in their place, and a pass over the tails of each noise.
    // width: relative to ε about 1/(8σ²) with discrete Gaussian noise, and 12/σ² with binomial or Skellam noise.
    where: ({ steps }) => steps.length > ENOUGH_ATOMS,
    runs: betweenGaussians,
  },
  {
    name: '512 groups alone',
    under: ['auto'],
    // where: more than 4096 distinct steps.
    // cost: two runs of 512 steps.
    // width: what steps of one group differ by.
    where: ({ steps }) => steps.length > TOO_MANY,
    last: true,
    runs: inManyGroups,
  },
  {
    name: 'B-splines',
    under: ['auto', 'closed-form'],
    // where: releases of one Laplace or bounded-range mechanism, unsampled, of ε 500 in all at most.
    // cost: a table once, up to 0.1 s; then a few values a question.
    // width: rounding.
    where: ({ steps }) => steps.length === 1 && steps[0].sampling === 'all',
    last: true,
    runs: splineOf,
  },
  {
    name: 'listed sums',
    under: ['auto', 'closed-form'],
    // where: steps of finitely many losses, of at most 2¹⁶ sums, or 2²⁸ in two lists; those of one kind of step on a lattice if asked for, as the grid reaches deeper tails.
    // cost: a list once; then one pass over it, or over the shorter of two, a question.
    // width: rounding.
    where: ({ steps }) => steps.every(({ mechanism }) => familyOf(mechanism) === 'atoms'),
    runs: (c, method) =>
      c.onLattice && c.steps.length === 1 && method !== 'closed-form' ? undefined : listed(c),
  },
  {
    name: 'patterns of batches',
    under: ['auto'],
    // where: Poisson-sampled Gaussians, and plain ones, of so little noise that each output tells whether the record was drawn.
    // cost: two or three sums a question, over the number of batches that hold the record.
    // width: rounding for noise multipliers below about 0.08; above, the probability of taking one set of batches for another.
    where: ({ steps }) => steps.some(({ sampling }) => sampling === 'poisson'),
    runs: patternsOf,
  },
  {
    name: 'contours',
    under: ['auto', 'spectral'],
    // where: every step has a moment generating function M(z). Under auto also: losses on no lattice; at most 1,024 distinct steps, 4096 where M(z) is a formula or a sum over at most 256 losses; and where steps may have atoms, the tolerance is expected to be reached at δ = 1e-5.
    // cost: some hundred nodes of a contour a question, whatever the number of steps; some thousand where losses have atoms.
    // width: as asked for down to rounding, at any depth. Losses with atoms are smoothed by a Gaussian release of little μ: then of second order in that μ.
    runs: (c, method) => (method === 'spectral' ? c.of(contoursOf) : undefined),
    side: (c, i) => (reached(c, i) ? c.of(contoursOf)?.[i] : undefined),
  },
  {
    name: '64 or 8 groups alone',
    under: ['auto'],
    // where: more than 128 distinct steps, some of them mixtures of Gaussians.
    // cost: two runs of 64 steps where losses are small, else of 8; and some more where there are other kinds.
    // width: what steps of one group differ by.
    where: hasManyMixtures,
    last: true,
    share: () => 0.9,
    runs: (c) => between(c, c.ofAll(several)),
  },
  {
    name: '512 groups',
    under: ['auto'],
    // where: more than 1,024 distinct steps, if contours reach three groups of them.
    // cost: two runs of 512 steps.
    // width: what steps of one group differ by.
    where: (c) => c.steps.length > MANY && !hasManyMixtures(c),
    enough: groupsEnough,
    runs: (c) => (c.of(fewReach) ? inManyGroups(c) : undefined),
  },
  {
    name: 'three groups',
    under: ['auto'],
    // where: more than 8 distinct steps, or 64 of steps with finitely many losses; no mixtures of Gaussians.
    // cost: two runs of three steps.
    // width: what steps of one group differ by.
    where: ({ offGrid, steps }) => !offGrid && !steps.some(isMixture),
    enough: groupsEnough,
    runs: (c) => between(c, c.ofAll(few)),
  },
  {
    name: '8 to 64 groups',
    under: ['auto'],
    // where: more than 128 distinct steps that are neither mixtures of Gaussians nor few losses in all.
    // cost: two runs of 64 steps; of fewer where each has thousands of losses.
    // width: what steps of one group differ by.
    where: ({ offGrid, steps }) => !offGrid && steps.length > ENOUGH_GAUSSIAN && !steps.some(isMixture),
    enough: groupsEnough,
    share: () => 0.9,
    runs: (c) => between(c, c.ofAll(more)),
  },
  {
    name: 'grid',
    under: ['auto', 'grid'],
    // where: steps whose losses fit a lattice: μ of every Gaussian in [1e-6, 1e3], and no balls-and-bins epochs.
    // cost: two FFTs of up to `maxGridLength` points for each exponential tilt that is tried.
    // width: as asked for while the FFT is long enough.
    where: ({ offGrid, hasAllocation }) => !offGrid && !hasAllocation,
    // on a lattice, questions may ask for more than the tolerance: then 100 times the tolerance is accepted
    enough: ({ onLattice, grid }, asked) => (onLattice && asked < grid.width ? 100 * grid.width : asked),
    share: () => 0.9,
    runs: ({ engine, grid, laws }) => laws.map((side) => methods().gridRun(engine.kernel, side, grid)),
  },
  {
    name: 'contours anyway',
    under: ['auto'],
    // where: at most 1,024 distinct steps that have M(z), on a lattice or not; not where an earlier rule asks contours.
    // cost: up to some thousand nodes of a contour a question.
    // width: whatever the contours reach.
    where: (c) => c.steps.length <= MANY && !c.ofAll(isCertain),
    runs: (c) => (areTooMany(c) ? undefined : c.of(contoursOf)),
  },
  {
    name: 'coarse grid',
    under: ['auto'],
    // where: an earlier method ran out of its allowance of work.
    // cost: two FFTs of at most 4096 points.
    // width: whatever so short FFTs reach.
    where: ({ offGrid, hasAllocation }) => !offGrid && !hasAllocation,
    spare: true,
    runs: ({ engine, grid, laws }) => laws.map((side) => methods().coarseGridRun(engine.kernel, side, grid)),
  },
  {
    name: 'theorems',
    under: ['auto', 'grid'],
    // where: always: each step is μ-GDP, and the run is at least as bad as its worst step.
    // cost: a formula a question.
    // width: the gap between these two theorems.
    last: true,
    runs: ({ laws, offGrid, hasAllocation }, method) =>
      method === 'grid' && (hasAllocation || !offGrid) ? undefined : laws.map(boundingRun),
  },
];

/**
 * The run of a composition in each direction, by the rules of the policy. With a named method, the first rule under it that applies answers alone.
 * Under `auto`, rules that cost nothing to decide are decided at once, and all others when a question is asked.
 *
 * Ensures: each bracket holds the answer of the composition.
 *
 * @throws RangeError if the method named does not apply.
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
      later.map((rule) => new RuleOfSide(rule, composition, i)),
      composition.grid.width,
      (epsilon) => composition.of(ceilings)[i](epsilon),
    ),
  );
}

/** A rule in one direction of a run. It is a class because a run has many of them, mostly unused: methods are shared between objects, closures are not. */
class RuleOfSide implements Way {
  constructor(
    private readonly rule: Rule,
    private readonly composition: Composition,
    private readonly side: number,
  ) {}

  make(): DirectedRun | undefined {
    const { rule, composition, side } = this;
    if (rule.side !== undefined) return rule.side(composition, side);
    const made = composition.of(rule.runs);
    return made?.[Math.min(side, made.length - 1)];
  }

  share(): number | undefined {
    return this.rule.share?.(this.composition);
  }

  get spare(): Way['spare'] {
    return this.rule.spare;
  }

  get enough(): Way['enough'] {
    const { rule, composition } = this;
    return rule.last ? undefined : (asked) => rule.enough?.(composition, asked) ?? asked;
  }
}

/**
 * Upper bounds of log δ(ε) in each direction that settle easy questions. δ(ε) of T steps is at most the sum of their δ(ε/T) (`sumOfDeltas`). Where that sum
 * would cost too much, the bound is the trivial one, 0.
 *
 * Ensures: no less than log δ(ε).
 */
function ceilings(c: Composition): readonly ((epsilon: number) => number)[] {
  // long lists of losses cost more to sum than the bound saves
  const dear = c.steps.length > TOO_MANY || (c.steps.length > ENOUGH_ATOMS && c.ofAll(haveLongLists));
  return dear ? c.sides.map(() => () => 0) : c.laws.map(sumOfDeltas);
}

/** The error for a named method that does not apply to the steps: it names methods that do. */
function refused({ hasAllocation }: Composition, method: Method): Error {
  const closed = hasAllocation
    ? 'auto or spectral for balls-and-bins epochs'
    : 'auto, spectral or grid for these steps';
  return wrongValue('method', method === 'spectral' ? 'grid or auto for these mechanisms' : closed, method);
}

/** The run of releases of one Laplace or bounded-range mechanism, by B-splines; undefined for others. Ensures: brackets hold for the run. */
function splineOf({ steps }: Composition): readonly DirectedRun[] | undefined {
  const [{ mechanism, count }] = steps;
  const pair = pairOf(mechanism);
  const run = pair.family === 'exponential' ? methods().splineRun(pair.shape, count) : undefined;
  return run && [run];
}

/** The run of steps with finitely many losses each, by a list of the sums of their losses; undefined if it is too long. Ensures: brackets hold for the run. */
function listed({ seen, sides }: Composition): readonly DirectedRun[] | undefined {
  const { listedRuns, twoLists } = methods();
  return listedRuns(seen, sides) ?? twoLists(seen, sides);
}

/** Whether a step sees a sample of the records and its noise is not Gaussian. */
const isSampledNoise = ({ mechanism, sampling }: Step): boolean =>
  sampling !== 'all' && gaussianMuOf(mechanism) === undefined;
/**
 * The run between two runs that have Gaussians in place of noise of whole numbers, with the (ε, δ)-closeness to these added (`gaussianEnds`).
 *
 * Ensures: brackets hold for the run, if its closeness to either of the two does.
 */
function betweenGaussians(composition: Composition): readonly DirectedRun[] | undefined {
  const ends = endsWithin(composition);
  // if sampled noise remains that Gaussians do not replace, contours of all steps cost no more
  if (ends?.worse.some(isSampledNoise) && composition.of(areFew)) return undefined;
  return ends && between(composition, ends)?.map((run) => closeRun(run, ends.closeness));
}

/** The run between two runs of 512 groups of similar steps. Ensures: brackets hold for the run (docs/proofs/near-phases.md, 4). */
function inManyGroups(composition: Composition): readonly DirectedRun[] | undefined {
  return between(composition, composition.ofAll(manyGroups));
}

/**
 * Whether the policy asks contours in one direction, which are expected to reach the tolerance: the steps must be few or their transforms cheap. Heuristic:
 * only chooses a method, and enters no bound.
 */
function reached(c: Composition, side: number): boolean {
  if (c.hasAllocation) return c.of(fewReach) !== false;
  if (c.onLattice || c.offGrid) return false;
  const many = c.steps.length;
  const asked =
    many <= ENOUGH ||
    (many <= ENOUGH_GAUSSIAN && areGaussian(c)) ||
    (many <= TOO_MANY && c.ofAll(haveShortSums)) ||
    (many <= MANY && c.of(areFew)) ||
    (many <= MANY && !hasManyMixtures(c) && !areTooMany(c) && c.of(fewReach) !== false);
  return asked && c.of(REACHING[side]);
}

/**
 * The run between the run of its groups' best steps and that of their worst. Upper bounds from the worst, lower bounds and tests from the best
 * (docs/proofs/near-phases.md, 4). Undefined if there are no groups.
 *
 * Ensures: brackets hold for the run, if it lies between those of the groups.
 */
function between(composition: Composition, groups: Grouped | undefined): readonly DirectedRun[] | undefined {
  if (groups === undefined) return undefined;
  const { better, worse } = groups;
  const [low, high] = [better, worse].map((steps) => runsOf(composition.with(steps), 'auto'));
  return runsBetween(low, high, worse.length);
}
