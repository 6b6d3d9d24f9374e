import { type Bracket, bracket, exactly, maxBracket } from '../numeric/bracket.js';
import { logComplement } from '../numeric/log-arithmetic.js';
import { LruCache } from '../numeric/lru-cache.js';
import { attempt, noteLimited, runOut } from '../numeric/meter.js';
import type { CertifiedTest, DirectedRun } from './directed-run.js';
import type { Method } from './method.js';

/** A direction whose log δ is larger by no more than this is not asked for a test. */
const NO_MORE = 1e-9;

/**
 * The run whose trade-off curve is the convex hull of the lower envelope of the curves of `runs`. Its δ is the largest of theirs
 * at every ε (GDP prop. 2.4). At every slope it has the tests of the run that is largest there.
 *
 * Ensures: δ lies in its bracket where those of the runs do, and the tests exist.
 */
export function hullRun(runs: readonly DirectedRun[]): DirectedRun {
  return runs.length === 1 ? runs[0] : new HullRun(runs);
}

/** Several runs as one; guesses are those of the worst of them. */
abstract class SeveralRuns {
  constructor(protected readonly runs: readonly DirectedRun[]) {}

  get method(): Method {
    return this.runs[0].method;
  }

  guessEpsilon(logDelta: number): number {
    return Math.max(...this.runs.map((run) => run.guessEpsilon(logDelta)));
  }

  guessOmega(logFpr: number): number {
    return Math.max(...this.runs.map((run) => run.guessOmega(logFpr)));
  }
}

class HullRun extends SeveralRuns implements DirectedRun {
  readonly direction = 'both';

  get logInfinity(): Bracket {
    return this.runs.map((run) => run.logInfinity).reduce(maxBracket);
  }

  get largestLoss(): Bracket | undefined {
    const largest = this.runs.map((run) => run.largestLoss).filter((loss) => loss !== undefined);
    return largest.length === this.runs.length ? largest.reduce(maxBracket) : undefined;
  }

  /** The largest log δ(ε); runs that are certainly below another one are asked no further. */
  logDelta(epsilon: number, width?: number): Bracket {
    let largest = exactly(-Infinity);
    for (const run of this.runs) largest = maxBracket(largest, run.logDelta(epsilon, width, largest.lower));
    return largest;
  }

  test(omega: number, width?: number): CertifiedTest {
    const [first, ...others] = this.runs;
    let best = first.test(omega, width);
    for (const run of others) {
      // the δ that a rough test shows is below a rough δ
      const rough = width === undefined ? -Infinity : first.logDelta(omega, width).lower;
      const enough = Math.max(gain(best, omega), rough);
      // often all have the same δ(0), and no test shows more
      if (omega === 0 && run.logDelta(0, width, enough).upper <= enough + NO_MORE) continue;
      const test = run.test(omega, width, enough);
      if (gain(test, omega) > gain(best, omega)) best = test;
    }
    return best;
  }
}

/** log(TPR − e^ω FPR), the log of the δ(ω) that a test proves, with a few roundings of error; −∞ if it proves none. */
export function gain({ logFpr, logTpr }: CertifiedTest, omega: number): number {
  const share = omega + logFpr - logTpr;
  return share < 0 ? logTpr + logComplement(share) : -Infinity;
}

/** A run is asked if its guessed ε is at least this fraction of the best found. */
const MARGIN = 0.95;
const FOLDS = 2;
/** Lower ends are computed no more narrowly than this: the upper end is farther away. */
const WIDTH = 1e-4;

/**
 * The strongest of several attacks, for lower ends and tests only: at each ε the one that shows the largest δ. Attacks that are guessed to be weaker
 * than the best found are not asked, which costs tightness at most. Cheap attacks should come first.
 *
 * Ensures: lower ends are no more than the largest δ of the attacks, and the tests are tests of one of them.
 */
export function strongestRun(runs: readonly DirectedRun[]): DirectedRun {
  return new StrongestRun(runs);
}

class StrongestRun extends SeveralRuns implements DirectedRun {
  private readonly guesses = new LruCache<string, number>(Infinity);

  get direction(): DirectedRun['direction'] {
    return this.runs[0].direction;
  }

  get logInfinity(): Bracket {
    return bracket(Math.max(...this.runs.map(({ logInfinity }) => logInfinity.lower)), 0);
  }

  /** Largest loss of those attacks that know theirs: the strongest attack includes all. */
  get largestLoss(): Bracket | undefined {
    const known = this.runs.map((run) => run.largestLoss).filter((loss) => loss !== undefined);
    return known.length > 0 ? bracket(Math.max(...known.map(({ lower }) => lower)), Infinity) : undefined;
  }

  logDelta(epsilon: number, width = 0, floor?: number): Bracket {
    const coarse = Math.max(width, WIDTH);
    const known = this.best(
      (run) => run.logDelta(epsilon, coarse, floor).lower,
      (lower) => lower,
      epsilon,
    );
    return bracket(known, 0);
  }

  test(omega: number, width = 0): CertifiedTest {
    const coarse = Math.max(width, WIDTH);
    return this.best(
      (run) => run.test(omega, coarse),
      (test) => gain(test, omega),
      omega,
    );
  }

  /** The best answer of the attacks; one that runs out of allowance leaves what the others found. */
  private best<T>(ask: (run: DirectedRun) => T, made: (found: T) => number, epsilon: number): T {
    const { runs } = this;
    let best: T | undefined;
    let short = false;
    for (const [i, run] of runs.entries()) {
      if (best !== undefined && !this.isWorthAsking(i, made(best), epsilon)) continue;
      const asked = (): T | undefined => ask(run);
      const found = attempt(1, asked, () => undefined);
      short ||= found === undefined;
      if (found !== undefined && (best === undefined || made(found) > made(best))) best = found;
    }
    if (best === undefined) runOut();
    if (short) noteLimited();
    return best;
  }

  private isWorthAsking(i: number, found: number, epsilon: number): boolean {
    if (found === -Infinity || epsilon <= 0) return true;
    // one guess serves all δ within some factors of e, at the least of them
    const target = Math.min(-1e-9, Math.floor(found / FOLDS) * FOLDS);
    return this.guesses.of(`${i} ${target}`, () => this.runs[i].guessEpsilon(target)) > MARGIN * epsilon;
  }
}
