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

/** Two runs with Gaussians in place of noise of whole numbers. The original run lies between them, up to (ε, δ)-closeness. */
export interface GaussianEnds extends Grouped {
  /** The (ε, δ)-closeness of the original run to each of the two, summed over all steps and both data sets. */
  readonly closeness: Closeness;
}

/** ε of the (ε, δ)-closeness, in all. Only width depends on it: for a smaller one the two runs have variances further apart. */
const CLOSE = 1e-7;
/** Largest fraction of a discrete Gaussian's variance that is removed or added. If the noise is too small for that, it is left as it is. */
const MOST_SHARE = 0.125;
/**
 * Tolerances from which on discrete Gaussians are replaced by Gaussians of slightly less or more variance (`closeEnds`), without a comparison of tails. NEAR is
 * for runs with so many losses that contours cannot be paid for, NEAR_OF_FEWER for others. Only speed and width depend on them.
 */
const [NEAR, NEAR_OF_FEWER] = [0.1, 1e-3];
/** Tail probabilities of the noise are compared down to e^{−DEPTH}, at most at MOST_COMPARED whole numbers. Only width depends on them. */
const [DEPTH, MOST_COMPARED] = [36, 1e4];
/** Largest σ of a discrete Gaussian whose tails are compared. For larger ones the Gaussians of `closeEnds` are sharper. Only width depends on it. */
const MOST_DISCRETE = 48;
/** Largest log of the probability of the event that may reveal the record, for one step. Only width depends on it. */
const LOG_RARE = -30;

/**
 * Noise multipliers of the two Gaussians in place of a step's noise, and log of the probability of outputs left out. That log is −∞ if the step is (ε,
 * 0)-close.
 */
interface Ends {
  readonly worse: number;
  readonly better: number;
  readonly logRare: number;
}

/**
 * The Gaussians around each step's noise by comparison of tails (`comparedStep`), for discrete Gaussian noise or for other noise of whole numbers.
 * Undefined for steps of another kind.
 *
 * Ensures: each step lies between its two Gaussians, but for an event of probability e^{logRare}.
 *
 * @param discrete Whether to compare discrete Gaussian noise, or all other kinds.
 */
export function comparedEnds(steps: readonly Step[], discrete: boolean): readonly (Ends | undefined)[] {
  return steps.map((step) => {
    const sigma = sigmaOf(step);
    return sigma > 0 === discrete && sigma <= MOST_DISCRETE ? comparedStep(step) : undefined;
  });
}

/**
 * Two runs with Gaussians in place of noise of whole numbers, between which the run lies; undefined if no step has such noise.
 *
 * A step with an entry in `compared` takes the Gaussians of that entry (docs/proofs/integer-noise.md, 7). Other discrete Gaussian noise takes those of variance
 * σ² − v and σ⁴/(σ² − v). Post-processing makes the discrete noise from the first, and the second from the discrete noise. Both hold up to factors e^{±ε} of
 * the probabilities (docs/proofs/near-phases.md, 6).
 *
 * Ensures: δ lies between those of both ends, up to the closeness.
 */
export function gaussianEnds(
  steps: readonly Step[],
  compared: readonly (Ends | undefined)[],
): GaussianEnds | undefined {
  const count = steps.reduce((sum, step) => sum + (sigmaOf(step) > 0 ? step.count : 0), 0);
  // this v makes the total closeness 2·2.01²·N·e^{−2π²v} of N steps at most CLOSE (docs/proofs/near-phases.md, 6)
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

/**
 * The Gaussians between which a step with noise of whole numbers lies, by comparison of its tails; undefined if they are far apart. Their multipliers
 * are rounded outward.
 *
 * Ensures: the step lies between both Gaussians, but for an event of probability e^{logRare} (docs/proofs/integer-noise.md, 7).
 */
function comparedStep({ mechanism, sampling }: Step): Ends | undefined {
  const noise = sampling === 'without-replacement' ? undefined : kindOf(mechanism).noise?.(mechanism);
  if (noise === undefined || noise.deviation * Math.sqrt(2 * DEPTH) > MOST_COMPARED) return undefined;
  const around = gaussiansAround(noise, DEPTH);
  if (around === undefined || around.logRare > LOG_RARE) return undefined;
  const { worse, better, logRare } = around;
  if (!(better ** 2 >= (1 - MOST_SHARE) * worse ** 2)) return undefined;
  return { worse: (1 - 4 * U) / worse, better: (1 + 4 * U) / better, logRare };
}

/**
 * Gaussians of variance σ² − v and σ⁴/(σ² − v) around discrete Gaussian noise, v = `square`; undefined if v/σ² exceeds MOST_SHARE. Rounded outward.
 *
 * Ensures: the step is close to a run between both (docs/proofs/near-phases.md, 6).
 */
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

/** The steps with all unsampled Gaussians merged into one of μ = √Σ count/σ². That μ is rounded to no less (side 1) or to no more (side −1), and all else is exact. */
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

/** Gaussians by comparison of tails, for noise of whole numbers that is not discrete Gaussian; none unless steps have many losses. */
const otherNoise = (c: Composition) => (c.ofAll(areMany) ? comparedEnds(c.steps, false) : []);
/** Gaussians by comparison of tails for discrete Gaussian noise; none unless steps have many losses. */
const discreteNoise = (c: Composition) => (c.ofAll(areMany) ? comparedEnds(c.steps, true) : []);
/** The two runs of `gaussianEnds`. Discrete Gaussians are replaced by Gaussians of variance σ² − v and σ⁴/(σ² − v), v as chosen there. */
const nearEnds = (c: Composition) => gaussianEnds(c.steps, c.ofAll(otherNoise));
/** The two runs of `gaussianEnds`, with discrete Gaussians compared by their tails where that is possible. */
const nearestEnds = (c: Composition) => {
  const discrete = c.ofAll(discreteNoise);
  const other = c.ofAll(otherNoise);
  return gaussianEnds(
    c.steps,
    c.steps.map((_, i) => other[i] ?? discrete[i]),
  );
};

/**
 * The two runs of `gaussianEnds` for the tolerance of a run. At coarse tolerances discrete Gaussians take the Gaussians of `closeEnds`, which cost nothing,
 * else those by comparison of tails. The choice is a heuristic. Ensures: δ lies between those of both ends, up to the closeness.
 */
export function endsWithin(composition: Composition): GaussianEnds | undefined {
  const least = composition.ofAll(areTooMany) ? NEAR : NEAR_OF_FEWER;
  return composition.ofAll(composition.grid.width >= least ? nearEnds : nearestEnds);
}
