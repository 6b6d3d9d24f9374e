import { type CountedLaw, directionOf, largestOf } from '../../law/loss-law.js';
import { type Bracket, bracket, ordered } from '../../numeric/bracket.js';
import { FEW_ROUNDINGS, ROUNDINGS, up } from '../../numeric/rounding.js';
import { exp, expm1, log, log1p } from '../../numeric/scalar.js';
import type { CertifiedTest, DirectedRun } from '../../run/directed-run.js';
import { gaussianRun } from '../../run/gaussian-run.js';

/**
 * A run's brackets from theorems alone, where no better method applies. Upper: if step i is μᵢ-GDP, the run is √Σμᵢ²-GDP (GDP, corollary 3.3;
 * docs/bibliography.md). Lower: δ of the run is at least that of any single step.
 *
 * Ensures: each bracket holds the answer of every run with these laws.
 */
export function boundingRun(laws: readonly CountedLaw[]): DirectedRun {
  let square = 0;
  for (const { law, count } of laws) square += count * law.gdpMu * law.gdpMu;
  const above =
    square < Infinity ? gaussianRun(up(Math.sqrt(square), FEW_ROUNDINGS * (1 + laws.length))) : undefined;
  const guess = (target: number): number => (above ? above.guessEpsilon(target) : 1);
  return {
    direction: directionOf(laws),
    method: 'closed-form',
    get logInfinity() {
      return certainOf(laws);
    },
    largestLoss: largestOf(laws),
    logDelta: (epsilon): Bracket => {
      const upper = above?.logDelta(epsilon).upper ?? 0;
      let lower = -Infinity;
      for (const { law } of laws) lower = Math.max(lower, law.single.logDelta(epsilon).lower);
      return ordered(lower, upper);
    },
    test: (omega): CertifiedTest => {
      const tests = laws.map(({ law }) => law.single.test(omega));
      return tests.reduce((best, test) =>
        test.logTpr - test.logFpr > best.logTpr - best.logFpr ? test : best,
      );
    },
    guessEpsilon: guess,
    guessOmega: (target) => (above ? above.guessOmega(target) : 1),
  };
}

/** log(1 − ∏(1 − pᵢ)^count), the log of the probability that some step has loss +∞, pᵢ that of step i. Ensures: it lies in the bracket. */
function certainOf(laws: readonly CountedLaw[]): Bracket {
  // one end: log(1 − ∏(1 − pᵢ)^count), pᵢ from that end of its bracket
  const end = (side: 'lower' | 'upper'): number => {
    let logFinite = 0;
    for (const { law, count } of laws) {
      const own = law.single.logInfinity[side];
      if (own > -Infinity) logFinite += count * log1p(-Math.max(exp(own), Number.MIN_VALUE));
    }
    return logFinite === 0 ? -Infinity : log(-expm1(logFinite));
  };
  const pad = (x: number): number => (x > -Infinity ? ROUNDINGS * (1 + laws.length) * (1 - x) : 0);
  const [lower, upper] = [end('lower'), end('upper')];
  return bracket(lower - pad(lower), Math.min(0, upper + pad(upper)));
}
