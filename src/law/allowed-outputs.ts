import { FEW_ROUNDINGS, ROUNDINGS } from '../numeric/rounding.js';
import { exp, expm1, log } from '../numeric/scalar.js';
import { crossing } from '../numeric/solve.js';
import { excess, roundingOf, type TwoPoint, twoPoint } from './renyi-orders.js';

/** Limits and tolerances of the search for log b of `largestAllowed`. Only width and speed depend on them. */
const SEARCH = { floor: -80, ceiling: 30, relative: 1e-9, absolute: 1e-7 };

/** Log of the factor by which a pair with two outputs exceeds its tightest bound, rounded up. Ensures: if it is at most 0, the pair meets the guarantee. */
export type Excess = (pair: TwoPoint) => number;

/**
 * The pair with two outputs of the losses a > 0 and −b that meets a guarantee, b about the largest. It is a root of `excessOf` in log b, searched from
 * `guess` on. Undefined if none is found.
 *
 * Ensures: the pair meets the guarantee, if `excessOf` is at most 0 only where a pair does.
 */
export function largestAllowed(a: number, excessOf: Excess, guess: number): TwoPoint | undefined {
  const room = (logB: number): number => {
    const over = excessOf(twoPoint(a, logB));
    return over <= 0 ? -over : Math.max(-Number.MAX_VALUE, -over || -1);
  };
  const { low } = crossing(room, { ...SEARCH, guess, reach: 1 });
  return low > -Infinity ? twoPoint(a, low) : undefined;
}

/**
 * The `Excess` of pairs with two outputs over (m, τ)-mean-concentrated DP, m = `mean`. The mean loss, which is the Rényi divergence D₁, must be at most m. The
 * loss less its mean must be τ-subgaussian. The loss is a with probability p and else −b. By Kearns and Saul 1998 (Berend, Kontorovich 2013, theorem 3.2) it is
 * τ-subgaussian if
 *
 *   (a + b)² (1 − 2p)/(2 log((1 − p)/p)) ≤ τ².
 *
 * Proof: docs/proofs/renyi.md, 12.
 *
 * Ensures: a pair is mCDP where the excess is at most 0.
 */
export function subgaussianExcess({ mean, tau }: { readonly mean: number; readonly tau: number }): Excess {
  return (pair) => {
    const rounding = ROUNDINGS + FEW_ROUNDINGS * (pair.a + pair.b + Math.abs(pair.logPower));
    const spread = 2 * log((pair.a + pair.b) / tau) + rounding;
    const each = [false, true].map((exchanged) => {
      const order = { above: 0, bound: mean, exchanged };
      // log odds of the output that is likelier without the record
      const odds = exchanged ? pair.logSpecificity - pair.logAlpha : pair.logBeta - pair.logPower;
      return Math.max(excess(pair, order) + roundingOf(pair, order), spread + log(varianceFactor(odds)));
    });
    return Math.max(...each);
  };
}

/** The variance factor of a variable with two values 1 apart: (1 − 2p)/(2 log((1 − p)/p)). At log odds x it is tanh(x/2)/(2x), and ¼ at 0. */
function varianceFactor(logOdds: number): number {
  const x = Math.abs(logOdds);
  return x < 1e-8 ? 0.25 : -expm1(-x) / (1 + exp(-x)) / (2 * x);
}
