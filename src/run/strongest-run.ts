import { type Bracket, bracket } from '../numeric/bracket.js';
import { Recent } from '../numeric/recent.js';
import type { CertifiedTest, DirectedRun } from './directed-run.js';
import { gain, SeveralRuns } from './hull-run.js';

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
  return new StrongestRun(runs);
}

class StrongestRun extends SeveralRuns implements DirectedRun {
  private readonly guesses = new Recent<string, number>(Infinity);

  get direction(): DirectedRun['direction'] {
    return this.runs[0].direction;
  }

  get logInfinity(): Bracket {
    return bracket(Math.max(...this.runs.map(({ logInfinity }) => logInfinity.lower)), 0);
  }

  logDelta(epsilon: number, width = 0, floor?: number): Bracket {
    const coarse = Math.max(width, WIDTH);
    let found = this.runs[0].logDelta(epsilon, coarse, floor).lower;
    for (let i = 1; i < this.runs.length; i++)
      if (this.isWorthAsking(i, found, epsilon))
        found = Math.max(found, this.runs[i].logDelta(epsilon, coarse, floor).lower);
    return bracket(found, 0);
  }

  test(omega: number, width = 0): CertifiedTest {
    const coarse = Math.max(width, WIDTH);
    let best = this.runs[0].test(omega, coarse);
    for (let i = 1; i < this.runs.length; i++) {
      if (!this.isWorthAsking(i, gain(best, omega), omega)) continue;
      const test = this.runs[i].test(omega, coarse);
      if (gain(test, omega) > gain(best, omega)) best = test;
    }
    return best;
  }

  private isWorthAsking(i: number, found: number, epsilon: number): boolean {
    if (found === -Infinity || epsilon <= 0) return true;
    // one guess for all δ of some e-folds, at the least of them
    const target = Math.min(-1e-9, Math.floor(found / FOLDS) * FOLDS);
    return this.guesses.of(`${i} ${target}`, () => this.runs[i].guessEpsilon(target)) > MARGIN * epsilon;
  }
}
