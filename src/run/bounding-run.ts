import { type Bracket, bracket, exactly } from '../bracket.js';
import { gaussianMu, type Phase } from '../mechanism/phases.js';
import { gaussianRun, singleStepRun } from '../plrv/closed-form.js';
import type { CertifiedTest, DirectedRun } from './directed-run.js';

/**
 * What two theorems alone say of a subsampled run, where no better method applies: it is dominated by the
 * same steps without subsampling (one Gaussian), and it dominates each of its single steps.
 */
export function boundingRun(phases: readonly Phase[], direction: 'remove' | 'add'): DirectedRun {
  const above = gaussianRun(gaussianMu(phases));
  const below = phases.map((phase) => singleStepRun(phase.sigma, phase.rate, direction));
  return {
    direction,
    method: 'closed-form',
    logInfinity: exactly(-Infinity),
    logDelta: (epsilon): Bracket => {
      const upper = above.logDelta(epsilon).upper;
      const lower = Math.max(...below.map((run) => run.logDelta(epsilon).lower));
      return bracket(Math.min(lower, upper), upper);
    },
    test: (omega): CertifiedTest => {
      const tests = below.map((run) => run.test(omega));
      return tests.reduce((best, test) =>
        test.logTpr - test.logFpr > best.logTpr - best.logFpr ? test : best,
      );
    },
    guessEpsilon: above.guessEpsilon,
    guessOmega: above.guessOmega,
  };
}
