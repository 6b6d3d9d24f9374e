import { type Bracket, bracket } from '../numeric/bracket.js';
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
  return total && roundedUp(total.most);
}

/**
 * Σ countᵢεᵢ of releases that are εᵢ-DP, added exactly as fractions; undefined if a step is sampled or states no ε.
 *
 * Ensures: the exact sum is between the ends, which are neighbouring doubles.
 */
export function pureSumAround(steps: readonly Step[]): Bracket | undefined {
  const total = pureTotal(steps, fractionOf);
  return total && bracket(doublesAround(total.least).lower, doublesAround(total.most).upper);
}

function pureTotal(steps: readonly Step[], reading: (x: number) => Fraction): Total | undefined {
  return totalOf(steps, ({ mechanism, count, rate }) => {
    const stated = rate === 1 ? kindOf(mechanism).pureDp?.(mechanism) : undefined;
    if (stated === undefined) return undefined;
    const [over, under] = stated.map(reading);
    return product(fractionOf(count), quotient(over, under));
  });
}

/** Distinct steps whose μ's are summed exactly, at most: denominators grow with each. Only speed depends on it. */
const MOST_EXACT = 16;

/**
 * √Σ countᵢμᵢ² of Gaussian releases, sampled or not, added exactly as fractions; undefined if a step states no μ, or there are many.
 *
 * Ensures: the exact root is between the ends, which are neighbouring doubles.
 */
export function gaussianSumAround(steps: readonly Step[]): Bracket | undefined {
  if (steps.length > MOST_EXACT) return undefined;
  const total = totalOf(steps, ({ mechanism, count }) => {
    const stated = kindOf(mechanism).statedMu?.(mechanism);
    if (stated === undefined) return undefined;
    const [over, under] = stated.map(fractionOf);
    const mu = quotient(over, under);
    return product(fractionOf(count), product(mu, mu));
  });
  return total && rootsAround(total.most);
}

/** A sum enclosed by two fractions, which are equal as long as its denominator is short. */
interface Total {
  readonly least: Fraction;
  readonly most: Fraction;
}

/** Bits of a denominator up to which sums are exact. Only speed depends on it. */
const EXACT_BITS = 4096n;
/** With longer denominators each term is enclosed by multiples of 2^−FINE_BITS, finer than any double. */
const FINE_BITS = 1200n;

/** Encloses a fraction. Ensures: the multiples of 2^−FINE_BITS on either side of it. */
function outward({ over, under }: Fraction): Total {
  const [whole, fine] = [over << FINE_BITS, 1n << FINE_BITS];
  const least = whole / under;
  return {
    least: { over: least, under: fine },
    most: { over: least * under === whole ? least : least + 1n, under: fine },
  };
}

/** Sums the terms. Ensures: the sum is between the two, and is both while no denominator of a partial sum has more than `EXACT_BITS`. */
function totalOf(steps: readonly Step[], term: (step: Step) => Fraction | undefined): Total | undefined {
  let total: Total = { least: fractionOf(0), most: fractionOf(0) };
  let exact = true;
  for (const step of steps) {
    const one = term(step);
    if (one === undefined) return undefined;
    const { least, most } = exact ? { least: one, most: one } : outward(one);
    const added = sum(total.least, least);
    total = { least: added, most: exact ? added : sum(total.most, most) };
    if (exact && added.under >> EXACT_BITS > 0n) {
      exact = false;
      total = outward(added);
    }
  }
  return total;
}
