import type { Bracket } from '../numeric/bracket.js';
import {
  doublesAround,
  type Fraction,
  fractionOf,
  product,
  quotient,
  rootsAround,
  roundedUp,
  sum,
} from '../numeric/exact-decimal.js';
import { kindOf } from './pairs.js';
import type { Step } from './steps.js';

/**
 * Σ countᵢεᵢ of releases that are εᵢ-DP, as the smallest double that is not below it; undefined where a step is sampled
 * or states no such ε.
 *
 * @param reading What a number stands for: `fractionOf` for the double, `typedFraction` for the decimal it was typed as.
 */
export function pureSum(steps: readonly Step[], reading: (x: number) => Fraction): number | undefined {
  const total = pureTotal(steps, reading);
  return total && roundedUp(total);
}

/** Σ countᵢεᵢ between neighbouring doubles. */
export function pureSumAround(steps: readonly Step[]): Bracket | undefined {
  const total = pureTotal(steps, fractionOf);
  return total && doublesAround(total);
}

function pureTotal(steps: readonly Step[], reading: (x: number) => Fraction): Fraction | undefined {
  return totalOf(steps, ({ mechanism, count, rate }) => {
    const stated = rate === 1 ? kindOf(mechanism).pure?.(mechanism) : undefined;
    if (stated === undefined) return undefined;
    const [over, under] = stated.map(reading);
    return product(fractionOf(count), quotient(over, under));
  });
}

/** Distinct steps whose μ's are added up exactly, at most: their denominators grow with each. Only speed hangs on it. */
const MOST_EXACT = 16;

/** √Σ countᵢμᵢ² of Gaussian releases between neighbouring doubles, sampled or not; undefined where a step states no μ, or there are many. */
export function gaussianSumAround(steps: readonly Step[]): Bracket | undefined {
  if (steps.length > MOST_EXACT) return undefined;
  const total = totalOf(steps, ({ mechanism, count }) => {
    const stated = kindOf(mechanism).statedMu?.(mechanism);
    if (stated === undefined) return undefined;
    const [over, under] = stated.map(fractionOf);
    const mu = quotient(over, under);
    return product(fractionOf(count), product(mu, mu));
  });
  return total && rootsAround(total);
}

function totalOf(steps: readonly Step[], term: (step: Step) => Fraction | undefined): Fraction | undefined {
  let total = fractionOf(0);
  for (const step of steps) {
    const one = term(step);
    if (one === undefined) return undefined;
    total = sum(total, one);
  }
  return total;
}
