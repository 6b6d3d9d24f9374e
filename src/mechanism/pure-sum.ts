import { type Fraction, fractionOf, product, quotient, roundedUp, sum } from '../numeric/exact-decimal.js';
import type { Basic } from './basic.js';
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
    const epsilon = rate === 1 ? statedEpsilon(mechanism, reading) : undefined;
    if (epsilon === undefined) return undefined;
    total = sum(total, product(fractionOf(count), epsilon));
  }
  return roundedUp(total);
}

function statedEpsilon(mechanism: Basic, reading: (x: number) => Fraction): Fraction | undefined {
  switch (mechanism.kind) {
    case 'laplace':
    case 'discrete-laplace':
      return quotient(reading(mechanism.sensitivity), reading(mechanism.scale));
    case 'randomized-response':
    case 'pure-dp':
    case 'bounded-range':
      return reading(mechanism.epsilon);
    default:
      return undefined;
  }
}
