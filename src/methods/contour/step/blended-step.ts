import { BLEND, MIXTURE } from '../../../kernel/constants.js';
import type { KernelStep } from '../../../kernel/laws.js';
import { furthest, sampledSide } from '../../../law/mixture-side.js';
import type { BranchedPair } from '../../../law/pair.js';
import { mixtureStep } from './kernel-law.js';

/** Largest relative error of weights, and largest number of branches, that assembly/law/blend.ts allows for. */
const [MOST_RELATIVE, MOST_BRANCHES] = [1e-12, 16];

/**
 * A step that draws one of several branches and publishes which, as the kernel reads it (assembly/law/blend.ts). Exact. Undefined if a branch is not a
 * Poisson sample of Gaussians, if one has shifts beyond `most`, or if there are too many.
 */
export function blendedStep({ branches, relative }: BranchedPair, most: number): KernelStep | undefined {
  const heads: number[] = [branches.length, relative];
  const sides: number[] = [];
  const first = heads.length + 3 * branches.length;
  if (!(relative <= MOST_RELATIVE)) return undefined;
  for (const { weight, sample } of branches) {
    if (sample === undefined) return undefined;
    const { pair, rate } = sample;
    const isLone = pair.family === 'gaussian' && rate === 1;
    if (!isLone && branches.length > MOST_BRANCHES) return undefined;
    if (pair.family === 'gaussian') {
      if (!(isLone || pair.mu <= most)) return undefined;
      heads.push(weight, pair.mu, rate);
      continue;
    }
    if (!(furthest(pair.plus) + furthest(pair.minus) <= most)) return undefined;
    heads.push(weight, MIXTURE, first + sides.length);
    sides.push(...(mixtureStep(sampledSide(pair.plus, rate), pair.minus).own as Float64Array));
  }
  return { mu: BLEND, rate: 0, own: Float64Array.of(...heads, ...sides) };
}
