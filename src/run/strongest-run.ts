import { type Bracket, bracket } from '../numeric/bracket.js';
import { Recent } from '../numeric/recent.js';
import type { CertifiedTest, DirectedRun } from './directed-run.js';
import { gain } from './hull-run.js';
import type { Method } from './method.js';

/** How much weaker a run may be guessed to be at a δ and still be asked. */
const MARGIN = 0.95;
const FOLDS = 2;
/** Lower ends are no better than this: what they are held against is farther off. */
const WIDTH = 1e-4;

/**
 * Attacks as one run, of which lower ends and tests alone are asked: at each ε whichever makes most of it. Those guessed to be weaker than what has
 * been found are not asked, which costs tightness at most. What is cheap to ask should come first.
 */
export function strongestRun(runs: readonly DirectedRun[]): DirectedRun {
  const [first, ...others] = runs;
  const guesses = new Recent<string, number>(Infinity);
  const worthAsking = (run: DirectedRun, found: number, epsilon: number): boolean => {
    if (found === -Infinity || epsilon <= 0) return true;
    // one guess for all δ of some e-folds, at the least of them
    const target = Math.min(-1e-9, Math.floor(found / FOLDS) * FOLDS);
    return guesses.of(`${runs.indexOf(run)} ${target}`, () => run.guessEpsilon(target)) > MARGIN * epsilon;
  };
  return {
    get direction(): DirectedRun['direction'] {
      return first.direction;
    },
    get method(): Method {
      return first.method;
    },
    get logInfinity(): Bracket {
      return bracket(Math.max(...runs.map(({ logInfinity }) => logInfinity.lower)), 0);
    },
    logDelta: (epsilon, width = 0) => {
      const coarse = Math.max(width, WIDTH);
      let found = first.logDelta(epsilon, coarse).lower;
      for (const run of others)
        if (worthAsking(run, found, epsilon)) found = Math.max(found, run.logDelta(epsilon, coarse).lower);
      return bracket(found, 0);
    },
    test: (omega, width = 0): CertifiedTest => {
      const coarse = Math.max(width, WIDTH);
      let best = first.test(omega, coarse);
      for (const run of others) {
        if (!worthAsking(run, gain(best, omega), omega)) continue;
        const test = run.test(omega, coarse);
        if (gain(test, omega) > gain(best, omega)) best = test;
      }
      return best;
    },
    guessEpsilon: (target) => Math.max(...runs.map((run) => run.guessEpsilon(target))),
    guessOmega: (target) => Math.max(...runs.map((run) => run.guessOmega(target))),
  };
}
