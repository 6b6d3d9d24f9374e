import { rankOf } from '../mechanism/pairs.js';
import { familyOf } from '../mechanism/seen.js';
import type { Composition } from './composition.js';
import { areFew, contoursReach, haveShortSums, isCertain, lossesOfAll } from './contours.js';
import { type Grouped, groupedSteps } from './near-phases.js';

/** Distinct steps that are composed one by one where contours do not reach: at most, of losses in a continuum and of atoms. */
export const ENOUGH = 8;
export const ENOUGH_ATOMS = 64;
/** Numbers of groups: for a run of more steps; where contours through all steps are not asked, and if those are too few. Only speed and width depend on them. */
const [GROUPS, FEW, MORE] = [512, 3, 64];
/** Losses of all groups together at most, if there are more than SEVERAL. Only speed and width depend on it. */
const IN_GROUPS = 4e4;
/** Number of groups for mixtures of Gaussians with losses larger than SMALL, in units of the noise. Only speed and width depend on them. */
const [SEVERAL, SMALL] = [8, 0.5];

export const manyGroups = ({ steps }: Composition): Grouped | undefined => groupedSteps(steps, GROUPS);

/** If contours certainly answer, merging into groups loses more than a grid would gain. */
export function groupsEnough(composition: Composition, asked: number): number {
  return composition.ofAll(isCertain) ? Infinity : asked;
}

/** The steps in three groups; undefined where there are few distinct ones. */
export function few({ steps }: Composition): Grouped | undefined {
  const continuous = steps.some(({ mechanism }) => familyOf(mechanism).name !== 'atoms');
  return steps.length > (continuous ? ENOUGH : ENOUGH_ATOMS) ? groupedSteps(steps, FEW) : undefined;
}

/** The steps in more groups than `few` makes. Undefined if there are no more, or if contours through all steps cost less than groups. */
export function more(c: Composition): Grouped | undefined {
  if (c.of(areFew) || haveShortSums(c)) return undefined;
  const each = c.ofAll(lossesOfAll) / c.steps.length;
  const groups = groupedSteps(c.steps, Math.max(SEVERAL, Math.min(MORE, Math.floor(IN_GROUPS / each))));
  return groups && groups.worse.length > (c.ofAll(few)?.worse.length ?? 0) ? groups : undefined;
}

/** Those of mixtures of Gaussians, whose transforms cost much where losses are large. */
export function several({ steps }: Composition): Grouped | undefined {
  const areSmall = steps.every((step) => (rankOf(step)?.size ?? Infinity) <= SMALL);
  return groupedSteps(steps, areSmall ? MORE : SEVERAL);
}

/** Whether contours reach these groups, and perhaps all steps; undefined if there are none. */
export function fewReach(composition: Composition): boolean | undefined {
  const groups = composition.ofAll(few);
  return groups && contoursReach(composition.with(groups.worse));
}
