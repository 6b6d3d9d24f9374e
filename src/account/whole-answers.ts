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
 * Largest numbers of distinct steps: for one kernel call without groups; for asking other methods after it; and for any call through all steps.
 * Heuristic: only speed and width depend on them.
 */
const [FEW_DISTINCT, MANY_DISTINCT, MOST_DISTINCT] = [48, 1024, 2049];
/** Numbers of groups into which more steps are merged, in the order asked: fewer where calls about more groups cost too much. */
const GROUPS = [1536, 96, 24] as const;
/** Numbers of groups for runs of more than FEW_MIXTURES distinct steps with mixtures of Gaussians. Such a step costs some 50 times as much as others. */
const [GROUPS_OF_MIXTURES, FEW_MIXTURES] = [[24, 8], 16] as const;
/** Fraction of the remaining allowance of work for the call about the better run, and for the call about the worse run. */
const [FIRST_SHARE, SECOND_SHARE] = [0.5, 0.95];

/**
 * Answers about a run of Gaussians and other laws that the kernel knows, from one kernel call. With many distinct steps there are two calls. Similar
 * steps are merged into groups, once as the best and once as the worst of each group (docs/proofs/near-phases.md, 1 to 4). Undefined if the kernel
 * does not know a law.
 *
 * Ensures: the exact answer lies in each bracket. Which numbers of groups are asked is a heuristic.
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
  // for so many steps the kernel's laws are made only when a question is asked
  if (many > MOST_DISTINCT)
    return steps.every(isGaussian) ? new WholeBetween([most, ...fewer].map(grouped), true, most) : undefined;
  const areMixtures = many > FEW_MIXTURES && steps.some(isMixture);
  const whole = of(composition, areMixtures ? FIRST_SHARE : undefined);
  if (whole === undefined || !(areMixtures || many > FEW_DISTINCT)) return whole;
  const groups = areMixtures ? GROUPS_OF_MIXTURES : fewer;
  return new WholeBetween(
    [{ value: [whole, whole] }, ...groups.map(grouped)],
    many > MANY_DISTINCT,
    undefined,
  );
}

/** Whether a step is Gaussian noise, on all records or on a Poisson sample. */
function isGaussian({ mechanism, sampling }: Step): boolean {
  return gaussianMuOf(mechanism) !== undefined && sampling !== 'without-replacement';
}
