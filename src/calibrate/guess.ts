import { kindOf } from '../mechanism/pairs.js';
import { type Step, stepsOf } from '../mechanism/steps.js';
import { exp, expm1, log, log1p, logDeltaGdp } from '../numeric/scalar.js';
import { crossing } from '../numeric/solve.js';
import type { Allowed, Unknown } from './goal.js';

/** Largest μ² for which e^{μ²} is computed. */
const MOST_SQUARED = 200;
/** Tolerance of the logarithm of the guess. */
const NEAR = 1e-7;

/**
 * Heuristic: an approximate solution, the value at which the limits for many steps (`excessOf`) meet what is allowed, by Chandrupatla's method
 * (`crossing`). Undefined if there is none. Only the speed of the search depends on it.
 */
export function guessed(
  { least, most, whole, larger, mechanismAt }: Omit<Unknown, 'name' | 'guess'>,
  allowed: Allowed,
): number | undefined {
  const side = larger === 'more-private' ? 1 : -1;
  const at = (value: number): number =>
    excessOf(stepsOf(mechanismAt(Math.min(Math.max(value, least), most))), allowed);
  const excess = (x: number): number => {
    const value = exp(side * x);
    if (!whole) return at(value);
    // linear interpolation between integers
    const below = Math.floor(value);
    const rest = value - below;
    return rest === 0 ? at(below) : (1 - rest) * at(below) + rest * at(below + 1);
  };
  const [floor, ceiling] = [side * log(least), side * log(most)].sort((a, b) => a - b);
  const { high } = crossing(excess, { guess: 0, floor, ceiling, absolute: NEAR });
  return high < Infinity ? exp(side * high) : undefined;
}

/**
 * Heuristic: log of a run's loss over what is allowed, by limits for many steps. μ is about √(Σ T q² (e^{μ₁²} − 1)) for T steps of rate q, each
 * μ₁-GDP before sampling (Bu, Dong, Long, Su 2020). If rare large losses dominate, δ(ε) is about Σ T q δ₁(log(1 + (e^ε − 1)/q)), δ₁ the profile of
 * one step.
 */
function excessOf(steps: readonly Step[], { mu, epsilon = 0, delta = 0 }: Allowed): number {
  let [variance, rare] = [0, 0];
  for (const step of steps) {
    const { bins = 1, rate: joined = 1, sensitivities = [1], probabilities = [1] } = step.mechanism as Stated;
    const drawn = sensitivities.reduce((sum, each, i) => sum + each * probabilities[i], 0);
    const [size, rate] = [sizeOf(step.mechanism), (step.rate * joined * drawn) / bins];
    const count = step.count * bins;
    const squared = size * size;
    const sampled = rate < 1;
    variance += count * rate * rate * (sampled ? expm1(Math.min(squared, MOST_SQUARED)) : squared);
    if (sampled && epsilon > 0 && delta > 0 && size > 0) {
      const own = epsilon > 30 ? epsilon - log(rate) : log1p(expm1(epsilon) / rate);
      rare += count * rate * exp(logDeltaGdp(size, own));
    }
  }
  const many = log(variance) / 2 - log(mu);
  return rare > 0 ? Math.max(many, log(rare) - log(delta)) : many;
}

/** Numbers that some mechanisms state: steps of an epoch, a sampling rate of their own, and how many records of a person may be drawn. */
interface Stated {
  readonly bins?: number;
  readonly rate?: number;
  readonly sensitivities?: readonly number[];
  readonly probabilities?: readonly number[];
  readonly noiseMultiplier?: number;
}

/** About the μ of one step; NaN if unknown. */
function sizeOf(mechanism: Step['mechanism']): number {
  const { gaussianMu, rank, rho, pureDp } = kindOf(mechanism);
  const known = gaussianMu?.(mechanism) ?? rank?.(mechanism)?.size;
  if (known !== undefined) return known;
  const [over, under] = pureDp?.(mechanism) ?? [1, (mechanism as Stated).noiseMultiplier ?? Number.NaN];
  const concentrated = rho?.(mechanism);
  return concentrated === undefined ? over / under : Math.sqrt(2 * concentrated);
}
