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
 * Σ countᵢεᵢ of releases that are εᵢ-DP, as the smallest double that is not below it; undefined if a step is sampled or states no such ε.
 *
 * @param reading What a stated number stands for: `fractionOf` for the double itself, `typedFraction` for the decimal it was typed as.
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

/** Σ countᵢεᵢ as exact fractions; undefined if a step is sampled or states no ε. */
function pureTotal(steps: readonly Step[], reading: (x: number) => Fraction): Total | undefined {
  return totalOf(steps, ({ mechanism, count, rate }) => {
    const stated = rate === 1 ? kindOf(mechanism).pureDp?.(mechanism) : undefined;
    if (stated === undefined) return undefined;
    const [over, under] = stated.map(reading);
    return product(fractionOf(count), quotient(over, under));
  });
}

/** Largest number of distinct steps whose μ² are summed exactly: denominators grow with each. Only speed depends on it. */
const MOST_EXACT = 16;

/**
 * √Σ countᵢμᵢ² of Gaussian releases, sampled or not, with the sum as an exact fraction. Undefined if a step states no μ, or for more than 16 distinct
 * steps.
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

/** Two fractions that enclose a sum. They are equal as long as the denominator is short. */
interface Total {
  readonly least: Fraction;
  readonly most: Fraction;
}

/** Longest denominator of an exact sum, in bits. Only speed depends on it. */
const EXACT_BITS = 4096n;
/** If denominators are longer, each term is enclosed by multiples of 2^−FINE_BITS, finer than any double. */
const FINE_BITS = 1200n;

/** The multiples of 2^−FINE_BITS next to a fraction. Ensures: the fraction lies between them. */
function outward({ over, under }: Fraction): Total {
  const [whole, fine] = [over << FINE_BITS, 1n << FINE_BITS];
  const least = whole / under;
  return {
    least: { over: least, under: fine },
    most: { over: least * under === whole ? least : least + 1n, under: fine },
  };
}

/**
 * The sum of the terms; undefined if a term is. It is exact while no denominator of a partial sum has more than `EXACT_BITS` bits. Else it is enclosed,
 * with errors of 2^−FINE_BITS a term. Ensures: the sum lies between `least` and `most`.
 */
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
