/**
 * Identical steps with two outputs each, on a Poisson sample or on all records: δ is a binomial sum. A mechanism that has such steps among its
 * choices has at least this δ (docs/proofs/bounded-range.md 4, noisy-max.md 2).
 */
import type { Step } from '../mechanism/steps.js';
import { Lazy } from '../numeric/lru-cache.js';
import { charge } from '../numeric/meter.js';
import { FUNCTION_ERROR, LONG_SUM, MANY_ROUNDINGS, ROUNDINGS } from '../numeric/rounding.js';
import { exp, expm1, log, log1p } from '../numeric/scalar.js';
import { turningPoint } from '../numeric/solve.js';

export type Direction = 'remove' | 'add';

/** A kind of step on a Poisson sample of rate `rate`, and its number of repetitions. */
export interface LikeSteps {
  readonly rate: number;
  readonly count: number;
}

/** Two outputs on the sample: distances of their likelihood ratios below and above 1, the ratios, and their logarithms. */
export interface Outputs {
  readonly below: number;
  readonly above: number;
  readonly ratios: readonly [low: number, high: number];
  readonly losses: readonly [low: number, high: number];
}

/** Two outputs on a Poisson sample: ratios 1 + rate·(e^y − 1) of the losses y, and their logarithms. Relative errors are a few roundings. */
export function outputsOf(rate: number, lowest: number, largest: number): Outputs {
  const below = -rate * expm1(lowest);
  const above = rate * expm1(largest);
  // a difference of nearly equal numbers where most of the ratio is taken away
  const low = below > 0.5 ? 1 - rate + rate * exp(lowest) : 1 - below;
  const logLow = rate === 1 ? lowest : below > 0.5 ? log(low) : log1p(-below);
  return { below, above, ratios: [low, 1 + above], losses: [logLow, rate === 1 ? largest : log1p(above)] };
}

/** Directions whose runs differ, where each of the steps has its mirror image among them. */
export const directionsOf = (rate: number): readonly Direction[] =>
  rate === 1 ? ['remove'] : ['remove', 'add'];

/** Logarithms of the two ratios of an output's chances with the record and without. */
export type Ratios = readonly [lowest: number, largest: number];

/** Largest number of steps for which the sums are computed: binomial coefficients of more take long. */
const MOST_STEPS = 1e4;
/** Largest number of terms of a sum. */
const MOST_TERMS = 4096;

/** A sum ends at a term below e^{−NEGLIGIBLE} times the largest one. Only width depends on it. */
const NEGLIGIBLE = 30;

/** Turns after which an ε is found, unless one raises it by less than this fraction; and the largest ε tried. Only width and speed depend on them. */
const [MOST_TURNS, RISEN, LARGEST] = [12, 1e-6, 1e6];

/** Numbers of places tried: first in all of (0, 1), then between the neighbours of the best, twice. Width and speed depend on them. */
const TRIED = [33, 9, 9];

/** A choice among steps of two outputs, and its log δ. */
interface Chosen {
  readonly value: number;
  readonly direction: Direction;
  readonly ratios: Ratios;
}

/** Lower bounds at the best of some steps of two outputs. All terms are positive. */
export interface TwoOutputsBelow {
  /** Ensures: no more than the largest log δ(ε), ε ≥ 0, of the steps at one place, in either direction. */
  logDelta(epsilon: number): number;
  /** Ensures: δ of the steps at some place is above e^{logDelta} there, if it is above 0. */
  epsilon(logDelta: number): number;
}

/**
 * Lower bounds of `count` like steps, each of the ratios at one place in (0, 1), or of those that exist. ε is found by turns: the best place at an ε,
 * then the ε of that place. Each turn raises it.
 *
 * Ensures: what `TwoOutputsBelow` states.
 */
export function twoOutputsBelow(
  steps: LikeSteps,
  ratiosAt: (place: number) => Ratios | undefined,
): TwoOutputsBelow {
  const first = new Lazy(() =>
    Array.from({ length: TRIED[0] }, (_, i) => ratiosAt((i + 1) / (TRIED[0] + 1))),
  );
  const bestIn = (direction: Direction, epsilon: number): Chosen | undefined => {
    let best: Chosen | undefined;
    let [from, to] = [0, 1];
    for (const [round, many] of TRIED.entries()) {
      const apart = (to - from) / (many + 1);
      let at = (from + to) / 2;
      for (let i = 1; i <= many; i++) {
        const ratios = round === 0 ? first.value[i - 1] : ratiosAt(from + i * apart);
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
      let found = 0;
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

/** log Σ_j Bin(j; T, p)(e^{ja + (T−j)b} − e^ε)⁺, a and b the losses of the outputs and p the chance of the larger one. */
function keptThroughout(
  { rate, count }: LikeSteps,
  direction: Direction,
  [lowest, largest]: Ratios,
  at: number,
): number {
  // ratios are computed within a few roundings: nearer to 1, δ is smaller
  const within = 1 - ROUNDINGS;
  const { below, above, ratios, losses } = outputsOf(rate, lowest * within, largest * within);
  if (!(below > 0 && above > 0)) return -Infinity;
  // the larger loss is the larger ratio, or its inverse where P and the sample change places
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
    // rounded down: losses and logarithms of the masses are right to a few units in 1e13
    const size = Math.abs(logWays) + j * Math.abs(logLarge) + (count - j) * Math.abs(logSmall);
    const excess = over - MANY_ROUNDINGS * (1 + Math.abs(at) + count * (large - small));
    if (excess > 0) {
      const term =
        logWays + j * logLarge + (count - j) * logSmall + log(expm1(excess)) - LONG_SUM * (1 + size);
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

/** log C(n, k), by its shorter product. */
function logBinomial(n: number, k: number): number {
  let sum = 0;
  for (let i = 1; i <= Math.min(k, n - k); i++) sum += log((n - Math.min(k, n - k) + i) / i);
  return sum;
}

/** Largest distance of the two candidates' scores, in units of the noise. Only width depends on it. */
const FURTHEST_SCORE = 6;

/** Like steps that take the largest of two scores with exponential noise. */
export interface TwoCandidates extends LikeSteps {
  /** Ensures: the ratios are those of some scores. */
  ratiosAt(place: number): Ratios;
}

/** The run as identical noisy maxima of two candidates; undefined if it is not one. */
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

/** Λ, the cdf of Laplace noise, is the chance of the first candidate: at s, and with the record at `moved`. Both ratios are a few roundings nearer to 1. */
function laplaceRatios(s: number, moved: number): Ratios {
  const rounding = FUNCTION_ERROR * (2 + Math.abs(s) + Math.abs(moved));
  const lowest = logLaplace(-moved) - logLaplace(-s) + rounding;
  return [Math.min(0, lowest), Math.max(0, logLaplace(moved) - logLaplace(s) - rounding)];
}

function logLaplace(x: number): number {
  return x <= 0 ? x - Math.LN2 : log1p(-0.5 * exp(-x));
}
