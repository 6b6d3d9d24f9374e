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

/** A method of answering, and the condition for trying it. */
interface Rule {
  readonly name: string;
  /** The settings of `method` under which the rule is considered. */
  readonly under: readonly (Method | 'auto')[];
  /** Whether the rule may apply, decided from the steps at no cost. */
  readonly where?: (composition: Composition) => boolean;
  /** Set if the rule's runs cost nothing to make either. */
  readonly atOnce?: true;
  /** The runs of both sides, or one for both; undefined if it does not apply. As deciding may be costly, it waits for a question. */
  readonly runs: (composition: Composition, method?: Method | 'auto') => readonly DirectedRun[] | undefined;
  /** The run of one side, if under `auto` each side is decided separately, so that a question about one costs nothing for the other. */
  readonly side?: (composition: Composition, side: number) => DirectedRun | undefined;
  /** Set if its brackets are accepted however wide; what follows is asked only where earlier ones are too wide. */
  readonly last?: true;
  /** The width of brackets that are accepted; the one asked for if absent. */
  readonly enough?: (composition: Composition, asked: number) => number;
  /** See `Way`. */
  readonly spare?: true;
  readonly share?: (composition: Composition) => number | undefined;
}

/** Distinct steps that are composed one by one: at most, and where contours do not reach, of losses in a continuum and of atoms. */
const MANY = 1024;
/** Distinct Gaussian steps, sampled or not, for which contours are asked whatever groups would say. */
const ENOUGH_GAUSSIAN = 128;
/** With more distinct steps, only groups are asked: one formula per step would cost seconds. Only speed depends on it. */
const TOO_MANY = 4096;
/**
 * The policy: the first rule that applies answers, and those behind it if its bracket is not narrow enough. Each states where it applies, what it
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
    name: 'noise of whole numbers as Gaussian',
    under: ['auto'],
    // where: more than 64 distinct steps, some of them discrete Gaussian noise of σ 3 or more; or binomial or Skellam noise, of 100,000 losses in all or more.
    // cost: two runs with Gaussians in their place, and a pass over the tails of each noise.
    // width: about 1/8σ² of ε, and 12/σ² of the other two
    where: ({ steps }) => steps.length > ENOUGH_ATOMS,
    runs: betweenGaussians,
  },
  {
    name: '512 groups alone',
    under: ['auto'],
    // where: more than 4096 distinct steps
    // cost: two runs of 512 steps
    // width: what steps of one group differ by
    where: ({ steps }) => steps.length > TOO_MANY,
    last: true,
    runs: inManyGroups,
  },
  {
    name: 'B-splines',
    under: ['auto', 'closed-form'],
    // where: releases of one Laplace or bounded-range mechanism, unsampled, of ε 500 in all at most
    // cost: a table once, up to 0.1 s; then a few values a question
    // width: rounding
    where: ({ steps }) => steps.length === 1 && steps[0].sampling === 'all',
    last: true,
    runs: splineOf,
  },
  {
    name: 'listed sums',
    under: ['auto', 'closed-form'],
    // where: steps of finitely many losses, of at most 2¹⁶ sums, or 2²⁸ in two lists; those of one kind of step on a lattice if asked for, as the grid reaches deeper tails
    // cost: a list once; then one pass over it, or over the shorter of two, a question
    // width: rounding
    where: ({ steps }) => steps.every(({ mechanism }) => familyOf(mechanism).listed !== undefined),
    runs: (c, method) =>
      c.onLattice && c.steps.length === 1 && method !== 'closed-form' ? undefined : listed(c),
  },
  {
    name: 'patterns of batches',
    under: ['auto'],
    // where: Poisson-sampled Gaussians, and plain ones, of so little noise that each output tells whether the record was drawn.
    // cost: two or three sums a question, over the numbers of batches that may have the record.
    // width: rounding for noise below 0.08, about; then what outputs that may be taken for each other leave.
    where: ({ steps }) => steps.some(({ sampling }) => sampling === 'poisson'),
    runs: patternsOf,
  },
  {
    name: 'contours',
    under: ['auto', 'spectral'],
    // where: every step has a spectrum; unless asked for, losses on no lattice and at most 1,024 distinct steps; 4096 where transforms are formulas or sums over at most 256 losses; where steps may have atoms, the width expected at δ = 1e-5 is the one asked for.
    // cost: some hundred frequencies a question, whatever the number of steps.
    // width: as asked for down to rounding, at any depth
    runs: (c, method) => {
      const contours = method === 'spectral' ? c.of(contoursOf) : undefined;
      return contours?.smoothed === undefined ? contours?.plain : undefined;
    },
    side: (c, i) => (reached(c, i) === 'plain' ? c.of(contoursOf)?.plain[i] : undefined),
  },
  {
    name: 'smoothed contours',
    under: ['auto', 'spectral'],
    // where: losses with atoms too: the run is composed with a little Gaussian noise.
    // cost: some thousand frequencies a question.
    // width: of second order in the noise
    runs: (c, method) => (method === 'spectral' ? c.of(contoursOf)?.smoothed : undefined),
    side: (c, i) => (reached(c, i) === 'smoothed' ? c.of(contoursOf)?.smoothed?.[i] : undefined),
  },
  {
    name: '64 or 8 groups alone',
    under: ['auto'],
    // where: more than 128 distinct steps, some of them mixtures of Gaussians; more than 16 with capped batches among them.
    // cost: two runs of 64 steps where losses are small, else of 8; and some more where there are other kinds.
    // width: what steps of one group differ by
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
    // width: what steps of one group differ by
    where: (c) => c.steps.length > MANY && !hasManyMixtures(c),
    enough: groupsEnough,
    runs: (c) => (c.of(fewReach) ? inManyGroups(c) : undefined),
  },
  {
    name: 'three groups',
    under: ['auto'],
    // where: more than 8 distinct steps, or 64 of steps with finitely many losses; no mixtures of Gaussians.
    // cost: two runs of three steps.
    // width: what steps of one group differ by
    where: ({ offGrid, steps }) => !offGrid && !steps.some(isMixture),
    enough: groupsEnough,
    runs: (c) => between(c, c.ofAll(few)),
  },
  {
    name: '8 to 64 groups',
    under: ['auto'],
    // where: more than 128 distinct steps that are neither mixtures of Gaussians nor few losses in all.
    // cost: two runs of 64 steps; of fewer where each has thousands of losses.
    // width: what steps of one group differ by
    where: ({ offGrid, steps }) => !offGrid && steps.length > ENOUGH_GAUSSIAN && !steps.some(isMixture),
    enough: groupsEnough,
    share: () => 0.9,
    runs: (c) => between(c, c.ofAll(more)),
  },
  {
    name: 'grid',
    under: ['auto', 'grid'],
    // where: single losses a mesh can hold: μ of every Gaussian in [1e-6, 1e3]; no balls-and-bins epochs.
    // cost: two FFTs for each of a ladder of tilts, up to `maxGridLength` points.
    // width: as asked for while the FFT is long enough
    where: ({ offGrid, hasAllocation }) => !offGrid && !hasAllocation,
    // on a lattice the finest available is asked for, at no extra cost
    enough: ({ onLattice, grid }, asked) => (onLattice && asked < grid.width ? 100 * grid.width : asked),
    share: () => 0.9,
    runs: ({ engine, grid, laws }) => laws.map((side) => methods().gridRun(engine.kernel, side, grid)),
  },
  {
    name: 'contours anyway',
    under: ['auto'],
    // where: at most 1,024 distinct steps that have a spectrum, on a lattice or not; not asked where they are certain to be asked before
    // cost: some thousand frequencies a question
    // width: whatever they reach
    where: (c) => c.steps.length <= MANY && !c.ofAll(isCertain),
    runs: (c) => (areTooMany(c) ? undefined : (c.of(contoursOf)?.smoothed ?? c.of(contoursOf)?.plain)),
  },
  {
    name: 'coarse grid',
    under: ['auto'],
    // where: a method before it has run out
    // cost: two FFTs of at most 4096 points
    // width: whatever so few points reach
    where: ({ offGrid, hasAllocation }) => !offGrid && !hasAllocation,
    spare: true,
    runs: ({ engine, grid, laws }) => laws.map((side) => methods().coarseGridRun(engine.kernel, side, grid)),
  },
  {
    name: 'theorems',
    under: ['auto', 'grid'],
    // where: always: each step is μ-GDP, and the run is at least as bad as its worst step.
    // cost: a formula a question.
    // width: whatever these two leave
    last: true,
    runs: ({ laws, offGrid, hasAllocation }, method) =>
      method === 'grid' && (hasAllocation || !offGrid) ? undefined : laws.map(boundingRun),
  },
];

/**
 * A run by the rules of the policy, one per direction. With a named method, the first rule under it that applies answers alone. Otherwise free
 * decisions are made at once, and all others when a question is asked.
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

/** A rule for one side of a run. A run has a hundred of them, mostly unused: methods are shared, not closures. */
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

function ceilings(c: Composition): readonly ((epsilon: number) => number)[] {
  // long lists of losses cost more than what the sum tells
  const dear = c.steps.length > TOO_MANY || (c.steps.length > ENOUGH_ATOMS && c.ofAll(haveLongLists));
  return dear ? c.sides.map(() => () => 0) : c.laws.map(sumOfDeltas);
}

function refused({ hasAllocation }: Composition, method: Method): Error {
  const closed = hasAllocation
    ? 'auto or spectral for balls-and-bins epochs'
    : 'auto, spectral or grid for these steps';
  return wrongValue('method', method === 'spectral' ? 'grid or auto for these mechanisms' : closed, method);
}

/** Releases of one Laplace or bounded-range mechanism. Ensures: brackets hold for the run. */
function splineOf({ steps }: Composition): readonly DirectedRun[] | undefined {
  const [{ mechanism, count }] = steps;
  const run = familyOf(mechanism).releases?.(pairOf(mechanism), count);
  return run && [run];
}

/** Steps with finitely many losses each, by a list of their sums. Ensures: brackets hold for the run. */
function listed({ steps, seen, sides }: Composition): readonly DirectedRun[] | undefined {
  return familyOf(steps[0].mechanism).listed?.(seen, sides);
}

const isSampledNoise = ({ mechanism, sampling }: Step): boolean =>
  sampling !== 'all' && gaussianMuOf(mechanism) === undefined;
/** A run between two with Gaussians instead of noise of whole numbers. Ensures: brackets hold for the run, if its closeness to either end does. */
function betweenGaussians(composition: Composition): readonly DirectedRun[] | undefined {
  const ends = endsWithin(composition);
  // where some noise on samples is left as it is, its contours cost no less than those of all steps
  if (ends?.worse.some(isSampledNoise) && composition.of(areFew)) return undefined;
  return ends && between(composition, ends)?.map((run) => closeRun(run, ends.closeness));
}

function inManyGroups(composition: Composition): readonly DirectedRun[] | undefined {
  return between(composition, composition.ofAll(manyGroups));
}

/** Heuristic: which contours are expected to reach the width, if the policy asks them. */
function reached(c: Composition, side: number): 'plain' | 'smoothed' | undefined {
  if (c.hasAllocation) return c.of(fewReach) === false ? undefined : 'plain';
  if (c.onLattice || c.offGrid) return undefined;
  const many = c.steps.length;
  const asked =
    many <= ENOUGH ||
    (many <= ENOUGH_GAUSSIAN && areGaussian(c)) ||
    (many <= TOO_MANY && c.ofAll(haveShortSums)) ||
    (many <= MANY && c.of(areFew)) ||
    (many <= MANY && !hasManyMixtures(c) && !areTooMany(c) && c.of(fewReach) !== false);
  return asked ? c.of(REACHING[side]) : undefined;
}

/** A run between its best and its worst groups: the bracket contains the differences within groups. Ensures: brackets hold for the run, if it lies between the groups. */
function between(composition: Composition, groups: Grouped | undefined): readonly DirectedRun[] | undefined {
  if (groups === undefined) return undefined;
  const { better, worse } = groups;
  const [low, high] = [better, worse].map((steps) => runsOf(composition.with(steps), 'auto'));
  return runsBetween(low, high, worse.length);
}
