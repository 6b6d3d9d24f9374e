import { gaussiansAround } from '../law/gaussians-around.js';
import { type Closeness, made } from '../mechanism/kind.js';
import { GAUSSIAN_KIND, GDP_KIND } from '../mechanism/kinds/gaussian.js';
import { type Basic, kindOf } from '../mechanism/pairs.js';
import type { Step } from '../mechanism/steps.js';
import { CompensatedSum } from '../numeric/compensated-sum.js';
import { U } from '../numeric/constants.js';
import { logSum } from '../numeric/log-arithmetic.js';
import { ROUNDINGS } from '../numeric/rounding.js';
import { log } from '../numeric/scalar.js';
import type { Composition } from './composition.js';
import { areMany, areTooMany } from './contours.js';
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
/** Widths from which on discrete Gaussians are only close to Gaussians: of all runs, and of those whose contours may be narrower. Only speed and width depend on them. */
const [NEAR, NEAR_OF_FEWER] = [0.1, 1e-3];
/** Tails are compared down to e^{−DEPTH}, for so many whole numbers at most. Only width depends on them. */
const [DEPTH, MOST_COMPARED] = [36, 1e4];
/** Discrete Gaussians of more deviation are nearer to others by their variance. Only width depends on it. */
const MOST_DISCRETE = 48;
/** The logarithm of what may reveal all in the place of a step, at most. Only width depends on it. */
const LOG_RARE = -30;

/** Gaussian noise multipliers in place of a step's noise, and the logarithm of what is left out; −∞ where they are only close. */
interface Ends {
  readonly worse: number;
  readonly better: number;
  readonly logRare: number;
}

/** Gaussians around noise of whole numbers, step by step, from all scores of its tails: of discrete Gaussians, or of other noise. */
export function comparedEnds(steps: readonly Step[], discrete: boolean): readonly (Ends | undefined)[] {
  return steps.map((step) => {
    const sigma = sigmaOf(step);
    return sigma > 0 === discrete && sigma <= MOST_DISCRETE ? comparedStep(step) : undefined;
  });
}

/**
 * The run with Gaussians instead of noise of whole numbers, by `compared` (docs/proofs/integer-noise.md, 7). Or a Gaussian of slightly less variance,
 * randomly rounded, is close to the discrete one. That plus a little Gaussian noise is close to a Gaussian of more (docs/proofs/near-phases.md, 6).
 *
 * Ensures: δ lies between those of both ends, up to the closeness.
 */
export function gaussianEnds(
  steps: readonly Step[],
  compared: readonly (Ends | undefined)[],
): GaussianEnds | undefined {
  const count = steps.reduce((sum, step) => sum + (sigmaOf(step) > 0 ? step.count : 0), 0);
  // a sum over integers of a Gaussian density with this variance equals its integral up to a relative 2.01e^{−2π²·square}
  const square = varianceFor(log(8.3 * (Math.max(1, count) / CLOSE)));
  const each = steps.map((step, i) => compared[i] ?? closeEnds(step, square));
  if (each.every((ends) => ends === undefined)) return undefined;
  const end = (side: 1 | -1): Step[] =>
    joined(
      steps.map((step, i) => {
        const ends = each[i];
        if (ends === undefined) return step;
        const noiseMultiplier = side > 0 ? ends.worse : ends.better;
        return { ...step, mechanism: made(GAUSSIAN_KIND, { noiseMultiplier }) as Basic };
      }),
      side,
    );
  const rare = each.map((ends, i) => (ends ? log(steps[i].count) + ends.logRare : -Infinity));
  const isClose = each.some((ends) => ends?.logRare === -Infinity);
  const closeness = { epsilon: isClose ? CLOSE : 0, logDelta: rare.reduce(logSum, -Infinity) + ROUNDINGS };
  return { worse: end(1), better: end(-1), closeness };
}

/** Ensures: the step lies between both Gaussians, but for an event of that probability. */
function comparedStep({ mechanism, sampling }: Step): Ends | undefined {
  const noise = sampling === 'without-replacement' ? undefined : kindOf(mechanism).noise?.(mechanism);
  if (noise === undefined || noise.deviation * Math.sqrt(2 * DEPTH) > MOST_COMPARED) return undefined;
  const around = gaussiansAround(noise, DEPTH);
  if (around === undefined || around.logRare > LOG_RARE) return undefined;
  const { worse, better, logRare } = around;
  if (!(better ** 2 >= (1 - MOST_SHARE) * worse ** 2)) return undefined;
  return { worse: (1 - 4 * U) / worse, better: (1 + 4 * U) / better, logRare };
}

/** By their variance. Ensures: the step is close to a run between both. */
function closeEnds(step: Step, square: number): Ends | undefined {
  const share = square / sigmaOf(step) ** 2;
  if (!(share <= MOST_SHARE)) return undefined;
  const { sensitivity } = step.mechanism as { readonly sensitivity: number };
  const narrower = Math.sqrt(1 - share);
  const multiplier = (sigma: number, side: 1 | -1): number => (sigma / sensitivity) * (1 - side * 16 * U);
  const sigma = sigmaOf(step);
  return {
    worse: multiplier(sigma * narrower, 1),
    better: multiplier(sigma / narrower, -1),
    logRare: -Infinity,
  };
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

const otherNoise = (c: Composition) => (c.ofAll(areMany) ? comparedEnds(c.steps, false) : []);
const discreteNoise = (c: Composition) => (c.ofAll(areMany) ? comparedEnds(c.steps, true) : []);
const nearEnds = (c: Composition) => gaussianEnds(c.steps, c.ofAll(otherNoise));
const nearestEnds = (c: Composition) => {
  const discrete = c.ofAll(discreteNoise);
  const other = c.ofAll(otherNoise);
  return gaussianEnds(
    c.steps,
    c.steps.map((_, i) => other[i] ?? discrete[i]),
  );
};

/** The ends at the width of a run. At wide ones, and where contours answer narrow ones, discrete Gaussians by their variance alone, which costs nothing. */
export function endsWithin(composition: Composition): GaussianEnds | undefined {
  const least = composition.ofAll(areTooMany) ? NEAR : NEAR_OF_FEWER;
  return composition.ofAll(composition.grid.width >= least ? nearEnds : nearestEnds);
}
