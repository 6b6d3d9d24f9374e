import { type Fraction, fractionOf, product, quotient, roundedUp, sum } from '../numeric/exact-decimal.js';
import { kindOf } from './basic.js';
import type { Step } from './steps.js';

/**
 * Σ countᵢεᵢ of releases that are εᵢ-DP, as the smallest double that is not below it; undefined where a step is sampled
 * or states no such ε.
 *
 * @param reading What a number stands for: `fractionOf` for the double, `typedFraction` for the decimal it was typed as.
 */
export function pureSum(steps: readonly Step[], reading: (x: number) => Fraction): number | undefined {
  let total = fractionOf(0);
  for (const { mechanism, count, rate } of steps) {
    const stated = rate === 1 ? kindOf(mechanism).pure?.(mechanism) : undefined;
    if (stated === undefined) return undefined;
    const [over, under] = stated.map(reading);
    total = sum(total, product(fractionOf(count), quotient(over, under)));
  }
  return roundedUp(total);
}
