import { gaussianMuOf } from '../mechanism/pairs.js';
import type { Step } from '../mechanism/steps.js';
import { methods } from '../methods/brought/methods.js';
import type { WholeAnswers } from '../methods/contour/answered.js';
import type { WholeEnds } from '../methods/contour/whole-between.js';
import { Lazy } from '../numeric/lru-cache.js';
import type { Composition } from './composition.js';
import { isMixture } from './contours.js';
import { groupedSteps } from './near-phases.js';

/**
 * Numbers of distinct steps up to which one kernel call is asked without groups; with other methods beside it; and at all. Only speed and width
 * depend on them.
 */
const [FEW_DISTINCT, MANY_DISTINCT, MOST_DISTINCT] = [48, 1024, 2049];
/** Numbers of groups for runs with more steps: fewer if calls about more of them cost too much. */
const GROUPS = [1536, 96, 24] as const;
/** Numbers of groups of mixtures of Gaussians, for more distinct steps than FEW_MIXTURES: a step of them costs some 50 times as much. */
const [GROUPS_OF_MIXTURES, FEW_MIXTURES] = [[24, 8], 16] as const;
/** Fraction of the remaining allowance for the call about the better run, and for that about the worse one, which costs as much. */
const [FIRST_SHARE, SECOND_SHARE] = [0.5, 0.95];

/**
 * Answers from one kernel call. Runs with many distinct steps may take two, with their groups merged to better and to worse steps. Undefined if
 * neither applies.
 */
export function wholeRunOf(composition: Composition): WholeAnswers | undefined {
  const { engine, steps } = composition;
  const { WholeRun, WholeBetween } = methods();
  const of = (each: Composition, share?: number) => WholeRun.of(engine.kernel, each.seen, share);
  const grouped = (groups: number): Lazy<WholeEnds | undefined> =>
    new Lazy(() => {
      const { better, worse } = groupedSteps(steps, groups) ?? {};
      const low = better && of(composition.with(better), FIRST_SHARE);
      const high = worse && of(composition.with(worse), SECOND_SHARE);
      return low && high && [low, high];
    });
  const many = steps.length;
  const [most, ...fewer] = GROUPS;
  // with very many steps, each is looked at only when a question is asked
  if (many > MOST_DISTINCT)
    return steps.every(isGaussian) ? new WholeBetween([most, ...fewer].map(grouped), true, most) : undefined;
  const areMixtures = many > FEW_MIXTURES && steps.some(isMixture);
  const whole = of(composition, areMixtures ? FIRST_SHARE : undefined);
  if (whole === undefined || !(areMixtures || many > FEW_DISTINCT)) return whole;
  const first = new Lazy<WholeEnds>(() => [whole, whole]);
  const groups = areMixtures ? GROUPS_OF_MIXTURES : fewer;
  return new WholeBetween([first, ...groups.map(grouped)], many > MANY_DISTINCT, undefined);
}

function isGaussian({ mechanism, sampling }: Step): boolean {
  return gaussianMuOf(mechanism) !== undefined && sampling !== 'without-replacement';
}
