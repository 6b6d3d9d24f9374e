import type { Bracket } from '../numeric/bracket.js';
import { fractionOf, product, rootsAround, sum } from '../numeric/exact-decimal.js';
import { enclosedRun } from '../run/enclosed-run.js';
import { gaussianRun } from '../run/gaussian-run.js';
import { TradeoffCurve } from '../run/tradeoff-curve.js';
import { type Factor, TradeoffFunction } from './tradeoff-function.js';

/**
 * √Σ countᵢμᵢ², the μ of a product of Gaussian functions, between two adjacent doubles: the sum is exact, in whole numbers.
 *
 * Ensures: the exact square root lies in the bracket.
 */
export function productMu(gaussians: readonly Factor[]): Bracket {
  const counts = new Map<number, number>();
  for (const { gaussianMu: mu = 0, count } of gaussians) counts.set(mu, (counts.get(mu) ?? 0) + count);
  let square = fractionOf(0);
  for (const [mu, count] of counts) {
    const one = fractionOf(mu);
    square = sum(square, product(fractionOf(count), product(one, one)));
  }
  return rootsAround(square);
}

/** G_μ for a μ of which a bracket is known: below by its upper end, above by its lower end. Ensures: brackets hold for every μ of the bracket. */
export function gaussianBetween(
  mu: Bracket,
  { name = `G_${mu.upper}`, factors }: { readonly name?: string; readonly factors?: readonly Factor[] },
): TradeoffFunction {
  const run =
    mu.lower === mu.upper ? gaussianRun(mu.upper) : enclosedRun(gaussianRun(mu.upper), gaussianRun(mu.lower));
  return new TradeoffFunction(name, new TradeoffCurve(run), factors, {
    tailMu: mu,
    muCeiling: mu.upper,
    gaussian: true,
  });
}
