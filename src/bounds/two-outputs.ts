/**
 * Identical steps with two outputs each, on a Poisson sample or on all records: δ is a binomial sum. It is a lower bound for mechanisms that include such
 * steps (docs/proofs/bounded-range.md 4, noisy-max.md 2).
 */
import type { Step } from '../mechanism/steps.js';
import { charge } from '../numeric/meter.js';
import { FUNCTION_ERROR, LONG_SUM, MANY_ROUNDINGS, ROUNDINGS } from '../numeric/rounding.js';
import { exp, expm1, log, log1p } from '../numeric/scalar.js';
import { turningPoint } from '../numeric/solve.js';

export type Direction = 'remove' | 'add';

/** Identical steps on Poisson samples of rate `rate`, and their number. */
export interface LikeSteps {
  readonly rate: number;
  readonly count: number;
}

/** A pair with two outputs on the sample: distances of its likelihood ratios below and above 1, the ratios, and their logarithms. */
export interface Outputs {
  readonly below: number;
  readonly above: number;
  readonly ratios: readonly [low: number, high: number];
  readonly losses: readonly [low: number, high: number];
}

/** A pair with the two losses y before sampling, on a Poisson sample: ratios 1 + rate·(e^y − 1) and their logarithms. Relative errors: a few roundings. */
export function outputsOf(rate: number, lowest: number, largest: number): Outputs {
  const below = -rate * expm1(lowest);
  const above = rate * expm1(largest);
  // 1 − below would cancel if below is near 1
  const low = below > 0.5 ? 1 - rate + rate * exp(lowest) : 1 - below;
  const logLow = rate === 1 ? lowest : below > 0.5 ? log(low) : log1p(-below);
  return { below, above, ratios: [low, 1 + above], losses: [logLow, rate === 1 ? largest : log1p(above)] };
}

/** The directions of adjacency to consider, for sets of unsampled pairs that contain the exchanged pair of each: without sampling one suffices. */
export const directionsOf = (rate: number): readonly Direction[] =>
  rate === 1 ? ['remove'] : ['remove', 'add'];

/** Logarithms of the two likelihood ratios of a pair with two outputs, before sampling: the losses. */
export type Ratios = readonly [lowest: number, largest: number];

/** Largest number of steps for which the sums are computed; for more there is no lower bound. Only width and speed depend on it. */
const MOST_STEPS = 1e4;
/** Largest number of terms of a binomial sum; the others are left out. Only width and speed depend on it. */
const MOST_TERMS = 4096;

/** A binomial sum ends at a term below e^{−NEGLIGIBLE} times the largest one. Only width depends on it. */
const NEGLIGIBLE = 30;

/**
 * The search for an ε in `twoOutputsBelow` first finds it to the relative width ROUGH. It ends after MOST_TURNS turns, or if one raises ε by less than the fraction RISEN. LARGEST is the
 * largest ε tried. Only width and speed depend on them.
 */
const [ROUGH, MOST_TURNS, RISEN, LARGEST] = [1e-2, 6, 1e-6, 1e6];

/** Numbers of parameters tried: first in all of (0, 1), then twice around the best. Only width and speed depend on them. */
const TRIED = [33, 9, 9];

/** The best pair with two outputs that was tried at an ε, its direction, and log δ(ε) of as many steps of it. */
interface Chosen {
  readonly value: number;
  readonly direction: Direction;
  readonly ratios: Ratios;
}

/** Lower bounds by identical steps with two outputs, the best of those tried. */
export interface TwoOutputsBelow {
  /** Ensures: no more than the largest log δ(ε), ε ≥ 0, of the steps of one parameter, in either direction. */
  logDelta(epsilon: number): number;
  /** Ensures: if the result is above 0, δ there of the steps of some parameter is above e^{logDelta}. */
  epsilon(logDelta: number): number;
}

/**
 * Lower bounds of `count` steps with two outputs: the largest binomial sum `keptThroughout` over parameters tried. `ratiosAt` gives the losses of a step
 * by a parameter in (0, 1), if there are any. For an ε, turns alternate: the best parameter at ε, then the ε of that parameter, which is no smaller.
 *
 * Ensures: what `TwoOutputsBelow` states.
 */
export function twoOutputsBelow(
  steps: LikeSteps,
  ratiosAt: (place: number) => Ratios | undefined,
): TwoOutputsBelow {
  const first = Array.from({ length: TRIED[0] }, (_, i) => ratiosAt((i + 1) / (TRIED[0] + 1)));
  const bestIn = (direction: Direction, epsilon: number): Chosen | undefined => {
    let best: Chosen | undefined;
    let [from, to] = [0, 1];
    for (const [round, many] of TRIED.entries()) {
      const apart = (to - from) / (many + 1);
      let at = (from + to) / 2;
      for (let i = 1; i <= many; i++) {
        const ratios = round === 0 ? first[i - 1] : ratiosAt(from + i * apart);
        const value = ratios ? keptThroughout(steps, direction, ratios, epsilon) : -Infinity;
        if (ratios && value > (best?.value ?? -Infinity))
          [best, at] = [{ value, direction, ratios }, from + i * apart];
      }
      [from, to] = [Math.max(from, at - apart), Math.min(to, at + apart)];
    }
    return best;
  };
  const best = (epsilon: number): Chosen | undefined => {
    if (steps.count > MOST_STEPS) return undefined;
    const tried = TRIED.reduce((sum, each) => sum + each, 0);
    charge(16 * tried * steps.count);
    return directionsOf(steps.rate)
      .map((direction) => bestIn(direction, epsilon))
      .reduce((a, b) => ((b?.value ?? -Infinity) > (a?.value ?? -Infinity) ? b : a));
  };
  return {
    logDelta: (epsilon) => best(epsilon)?.value ?? -Infinity,
    epsilon: (logDelta) => {
      const isAbove = (epsilon: number): boolean => (best(epsilon)?.value ?? -Infinity) > logDelta;
      const rough = { guess: 1, ceiling: LARGEST, relative: ROUGH };
      let found = Math.max(0, turningPoint((epsilon) => !isAbove(epsilon), rough).low);
      for (let turn = 0; turn < MOST_TURNS; turn++) {
        const at = best(found);
        if (at === undefined || !(at.value > logDelta)) break;
        const holds = (epsilon: number): boolean =>
          keptThroughout(steps, at.direction, at.ratios, epsilon) <= logDelta;
        const { low } = turningPoint(holds, { guess: found, floor: found, ceiling: LARGEST, relative: 1e-7 });
        if (!(low > found * (1 + RISEN))) break;
        found = low;
      }
      return found;
    },
  };
}

/** log Σ_j C(T, j)p^j(1−p)^{T−j}(e^{ja + (T−j)b} − e^ε)⁺, rounded down. T is the count, a > b the losses on the sample, p the probability of a. */
function keptThroughout(
  { rate, count }: LikeSteps,
  direction: Direction,
  [lowest, largest]: Ratios,
  at: number,
): number {
  // losses have a few roundings; δ is smaller for losses nearer to 0
  const within = 1 - ROUNDINGS;
  const { below, above, ratios, losses } = outputsOf(rate, lowest * within, largest * within);
  if (!(below > 0 && above > 0)) return -Infinity;
  // in direction 'add' the losses change their signs
  const removed = direction === 'remove';
  const [large, small] = removed ? [losses[1], losses[0]] : [-losses[0], -losses[1]];
  const chance = removed ? below / (below + above) : (above / (below + above)) * ratios[0];
  const [logLarge, logSmall] = [log(chance), log1p(-chance)];
  const first = Math.max(0, Math.ceil((at - count * small) / (large - small) - 1e-9));
  if (first > count || !(large > small)) return -Infinity;
  let logWays = logBinomial(count, first);
  let [top, sum, terms] = [-Infinity, 0, 0];
  for (let j = first; j <= count && j - first < MOST_TERMS; j++) {
    const over = j * large + (count - j) * small - at;
    // rounded down by more than the errors of losses and of logarithms of masses
    const size = Math.abs(logWays) + j * Math.abs(logLarge) + (count - j) * Math.abs(logSmall);
    const excess = over - MANY_ROUNDINGS * (1 + Math.abs(at) + count * (large - small));
    if (excess > 0) {
      const term = logWays + j * logLarge + (count - j) * logSmall + logExpm1(excess) - LONG_SUM * (1 + size);
      if (term > top) [top, sum] = [term, sum * exp(top - term) + 1];
      else sum += exp(term - top);
      // the terms rise and then fall
      if (term < top - NEGLIGIBLE) break;
    }
    terms++;
    logWays += log((count - j) / (j + 1));
  }
  charge(50 * terms);
  return sum === 0 ? -Infinity : top + log(sum) + at - LONG_SUM * (1 + Math.abs(at));
}

/** log(e^x − 1), x > 0, to a few roundings, for any x without overflow. */
function logExpm1(x: number): number {
  return x > 1 ? x + log1p(-exp(-x)) : log(expm1(x));
}

/** log C(n, k) as a sum of min(k, n − k) logarithms. */
function logBinomial(n: number, k: number): number {
  let sum = 0;
  for (let i = 1; i <= Math.min(k, n - k); i++) sum += log((n - Math.min(k, n - k) + i) / i);
  return sum;
}

/** Largest distance of the two candidates' scores that is tried, in units of the noise. Only width depends on it. */
const FURTHEST_SCORE = 6;

/** Identical steps that publish which of two scores with exponential noise is larger; the difference of the noises is Laplace noise. */
export interface TwoCandidates extends LikeSteps {
  /** The losses of both outputs for a difference of scores given by `place` in (0, 1). Ensures: no further from 0 than those of some scores. */
  ratiosAt(place: number): Ratios;
}

/** The run as identical noisy maxima, each with two candidates, which its guarantee allows; undefined if it is not one. */
export function twoCandidates(steps: readonly Step[]): TwoCandidates | undefined {
  const [only] = steps;
  if (only === undefined || steps.length > 1 || only.mechanism.kind !== 'noisy-max') return undefined;
  const { mechanism, rate, count, sampling } = only;
  if (sampling === 'without-replacement' || mechanism.epsilon === 0) return undefined;
  const { epsilon } = mechanism;
  const ratiosAt = (place: number): Ratios => {
    const away = (2 * place - 1) * (epsilon / 2 + FURTHEST_SCORE);
    return laplaceRatios(away - epsilon / 2, away + epsilon / 2);
  };
  return { rate, count, ratiosAt };
}

/**
 * Losses of both outputs: the first candidate is published with probability Λ(s), or Λ(moved) with the record, Λ the distribution function of Laplace
 * noise. Both are rounded towards 0.
 */
function laplaceRatios(s: number, moved: number): Ratios {
  const rounding = FUNCTION_ERROR * (2 + Math.abs(s) + Math.abs(moved));
  const lowest = logLaplace(-moved) - logLaplace(-s) + rounding;
  return [Math.min(0, lowest), Math.max(0, logLaplace(moved) - logLaplace(s) - rounding)];
}

/** log Λ(x), Λ the distribution function of Laplace noise, with a few roundings. */
function logLaplace(x: number): number {
  return x <= 0 ? x - Math.LN2 : log1p(-0.5 * exp(-x));
}
