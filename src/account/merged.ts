import { rankOf } from '../mechanism/pairs.js';
import { familyOf } from '../mechanism/seen.js';
import type { Composition } from './composition.js';
import { areFew, contoursReach, haveShortSums, isCertain, lossesOfAll } from './contours.js';
import { type Grouped, groupedSteps } from './near-phases.js';

/** Largest number of distinct steps composed without groups where contours are not expected to reach the tolerance. Heuristic. */
export const ENOUGH = 8;
/** The value of ENOUGH for runs whose steps all have finitely many losses. */
export const ENOUGH_ATOMS = 64;
/** Numbers of groups into which similar steps are merged, for `manyGroups`, `few` and `more`. Only speed and width depend on them. */
const [GROUPS, FEW, MORE] = [512, 3, 64];
/** Largest number of losses that all groups of `more` list together, unless there are only SEVERAL groups. Only speed and width depend on it. */
const IN_GROUPS = 4e4;
/**
 * SEVERAL groups are made of mixtures of Gaussians where a step's approximate loss (`Rank.size`) exceeds SMALL, else MORE. Only speed and width depend on them.
 */
const [SEVERAL, SMALL] = [8, 0.5];

/** The steps merged into 512 groups; undefined if no two steps merge. */
export const manyGroups = ({ steps }: Composition): Grouped | undefined => groupedSteps(steps, GROUPS);

/** The width at which brackets by groups are accepted: any where contours are expected to answer (`isCertain`), as grids would not narrow them. Heuristic. */
export function groupsEnough(composition: Composition, asked: number): number {
  return composition.ofAll(isCertain) ? Infinity : asked;
}

/** The steps merged into three groups; undefined for at most 8 distinct steps, or 64 if all have finitely many losses. Exact: see `groupedSteps`. */
export function few({ steps }: Composition): Grouped | undefined {
  const continuous = steps.some(({ mechanism }) => familyOf(mechanism) !== 'atoms');
  return steps.length > (continuous ? ENOUGH : ENOUGH_ATOMS) ? groupedSteps(steps, FEW) : undefined;
}

/**
 * The steps merged into 8 to 64 groups, fewer where steps list many losses. Undefined if that makes no more groups than `few`, or if contours through
 * all steps cost less. The number of groups is a heuristic; the groups bound the run as `groupedSteps` states.
 */
export function more(c: Composition): Grouped | undefined {
  if (c.of(areFew) || haveShortSums(c)) return undefined;
  const each = c.ofAll(lossesOfAll) / c.steps.length;
  const groups = groupedSteps(c.steps, Math.max(SEVERAL, Math.min(MORE, Math.floor(IN_GROUPS / each))));
  return groups && groups.worse.length > (c.ofAll(few)?.worse.length ?? 0) ? groups : undefined;
}

/**
 * The steps merged into 64 groups, or 8 if a loss may exceed SMALL, by its approximate size (`Rank.size`). Transforms of mixtures of Gaussians cost more for
 * large losses.
 */
export function several({ steps }: Composition): Grouped | undefined {
  const areSmall = steps.every((step) => (rankOf(step)?.size ?? Infinity) <= SMALL);
  return groupedSteps(steps, areSmall ? MORE : SEVERAL);
}

/** Whether contours are expected to reach the tolerance for the groups of `few`, and so perhaps for all steps; undefined if `few` makes none. Heuristic. */
export function fewReach(composition: Composition): boolean | undefined {
  const groups = composition.ofAll(few);
  return groups && contoursReach(composition.with(groups.worse));
}
