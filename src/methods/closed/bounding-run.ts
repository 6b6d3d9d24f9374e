import { type CountedLaw, directionOf, largestOf } from '../../law/loss-law.js';
import { type Bracket, bracket, exactly, ordered } from '../../numeric/bracket.js';
import { expm1, log, log1p } from '../../numeric/scalar.js';
import type { CertifiedTest, DirectedRun } from '../../run/directed-run.js';
import { gaussianRun } from '../../run/gaussian-run.js';

/**
 * What theorems alone say of a run, where no better method applies: the steps are μᵢ-GDP, so the run is
 * √Σμᵢ²-GDP (GDP cor. 3.3), and it dominates each of its single steps.
 */
export function boundingRun(laws: readonly CountedLaw[]): DirectedRun {
  let square = 0;
  let logFinite = 0;
  for (const { law, count } of laws) {
    square += count * law.gdpMu * law.gdpMu;
    if (law.infinity > 0) logFinite += count * log1p(-law.infinity);
  }
  const above =
    square < Infinity ? gaussianRun(Math.sqrt(square) * (1 + 1e-15 * (1 + laws.length))) : undefined;
  const infinity = logFinite === 0 ? -Infinity : log(-expm1(logFinite));
  const slack = 1e-14 * (1 + laws.length) * (infinity > -Infinity ? 1 - infinity : 1);
  const guess = (target: number): number => (above ? above.guessEpsilon(target) : 1);
  return {
    direction: directionOf(laws),
    method: 'closed-form',
    logInfinity:
      infinity === -Infinity ? exactly(infinity) : bracket(infinity - slack, Math.min(0, infinity + slack)),
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
