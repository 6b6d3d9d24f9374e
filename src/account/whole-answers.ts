import { gaussianMuOf } from '../mechanism/pairs.js';
import type { Step } from '../mechanism/steps.js';
import { methods } from '../methods/brought/methods.js';
import type { WholeAnswers } from '../methods/contour/answered.js';
import type { WholeEnds } from '../methods/contour/whole-between.js';
import { Lazy } from '../numeric/lru-cache.js';
import type { Composition } from './composition.js';
import { groupedSteps } from './near-phases.js';

/** Distinct steps that one call alone is asked about; that others may be asked about beside it; and that it is asked about at all. Speed and width hang on them. */
const [FEW_DISTINCT, MANY_DISTINCT, MOST_DISTINCT] = [256, 1024, 2049];
/** Groups that more are combined in: fewer where calls about more of them cost too much. */
const GROUPS = [1536, 96, 24] as const;
/** Of what is left, for a call about the most groups, and about fewer, behind which nothing better comes. */
const [HALF, SHARE] = [0.5, 0.8];

/** A run as one call answers it, or two; undefined where none does. */
export function wholeRunOf(composition: Composition): WholeAnswers | undefined {
  const { engine, steps } = composition;
  const { WholeRun, WholeBetween } = methods();
  const of = (each: Composition, share?: number) => WholeRun.of(engine.kernel, each.seen, share);
  const grouped = (groups: number): Lazy<WholeEnds | undefined> =>
    new Lazy(() => {
      const { better, worse } = groupedSteps(steps, groups) ?? {};
      const share = groups > FEW_DISTINCT ? HALF : SHARE;
      const [low, high] = [better, worse].map((each) => each && of(composition.with(each), share));
      return low && high && [low, high];
    });
  const many = steps.length;
  const [most, ...fewer] = GROUPS;
  // each of very many is looked at where something is asked
  if (many > MOST_DISTINCT)
    return steps.every(isGaussian) ? new WholeBetween([most, ...fewer].map(grouped), true, most) : undefined;
  const whole = of(composition);
  if (whole === undefined || many <= FEW_DISTINCT) return whole;
  const first = new Lazy<WholeEnds>(() => [whole, whole]);
  return new WholeBetween([first, ...fewer.map(grouped)], many > MANY_DISTINCT, undefined);
}

function isGaussian({ mechanism, sampling }: Step): boolean {
  return gaussianMuOf(mechanism) !== undefined && sampling !== 'without-replacement';
}
