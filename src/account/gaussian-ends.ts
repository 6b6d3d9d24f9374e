import { type Closeness, made } from '../mechanism/kind.js';
import { GAUSSIAN_KIND, GDP_KIND } from '../mechanism/kinds/gaussian.js';
import type { Basic } from '../mechanism/pairs.js';
import type { Step } from '../mechanism/steps.js';
import { CompensatedSum } from '../numeric/compensated-sum.js';
import { U } from '../numeric/constants.js';
import { log } from '../numeric/scalar.js';
import type { Grouped } from './near-phases.js';

/** Runs with Gaussians instead of discrete Gaussians, between which the original run lies up to closeness. */
export interface GaussianEnds extends Grouped {
  /** (ε, δ)-closeness in both directions, for all steps and both worlds together. */
  readonly closeness: Closeness;
}

/** ε of that closeness. Only width depends on it: a smaller one needs more variance. */
const CLOSE = 1e-7;
/** Largest fraction of the variance that is removed or added: smaller noise is left unchanged. */
const MOST_SHARE = 0.125;

/**
 * The run with Gaussians instead of discrete Gaussians. A Gaussian of slightly less variance, randomly rounded, is close to the discrete one; and
 * that plus a little Gaussian noise is close to a Gaussian of more (docs/proofs/near-phases.md, 6).
 *
 * Ensures: δ lies between those of both ends, up to the closeness.
 */
export function gaussianEnds(steps: readonly Step[]): GaussianEnds | undefined {
  const count = steps.reduce((sum, step) => sum + (sigmaOf(step) > 0 ? step.count : 0), 0);
  if (count === 0) return undefined;
  // a sum over integers of a Gaussian density with this variance equals its integral up to a relative 2.01e^{−2π²·square}
  const square = varianceFor(log(8.3 * (count / CLOSE)));
  const share = (step: Step): number => square / sigmaOf(step) ** 2;
  const isReplaced = (step: Step): boolean => share(step) <= MOST_SHARE;
  if (!steps.some(isReplaced)) return undefined;
  const end = (side: 1 | -1): Step[] =>
    joined(
      steps.map((step) => {
        if (!isReplaced(step)) return step;
        const { sensitivity } = step.mechanism as { readonly sensitivity: number };
        const narrower = Math.sqrt(1 - share(step));
        const sigma = sigmaOf(step) * (side > 0 ? narrower : 1 / narrower);
        const noiseMultiplier = (sigma / sensitivity) * (1 - side * 16 * U);
        return { ...step, mechanism: made(GAUSSIAN_KIND, { noiseMultiplier }) as Basic };
      }),
      side,
    );
  return { worse: end(1), better: end(-1), closeness: { epsilon: CLOSE, logDelta: -Infinity } };
}

/** The variance v with 2π²v = exponent. */
function varianceFor(exponent: number): number {
  return exponent / (2 * Math.PI * Math.PI);
}

/** σ of discrete Gaussian noise of one party that all records see, or a Poisson sample of them; 0 for other steps. */
function sigmaOf({ mechanism, sampling }: Step): number {
  const isOne = mechanism.kind === 'discrete-gaussian' && mechanism.parties === undefined;
  return isOne && sampling !== 'without-replacement' ? mechanism.sigma : 0;
}

/** Plain Gaussians merged into one, of μ = √Σ count/σ², rounded to no less (side 1) or no more. */
function joined(steps: readonly Step[], side: 1 | -1): Step[] {
  const square = new CompensatedSum();
  const rest = steps.filter(({ mechanism, sampling, count }) => {
    if (mechanism.kind !== 'gaussian' || sampling !== 'all') return true;
    square.add(count / mechanism.noiseMultiplier ** 2);
    return false;
  });
  if (rest.length === steps.length) return rest;
  const mu = Math.sqrt(square.value) * (1 + side * 16 * U);
  return [...rest, { mechanism: made(GDP_KIND, { mu }) as Basic, sampling: 'all', rate: 1, count: 1 }];
}
