import { type Bracket, bracket, exactly, maxBracket } from '../numeric/bracket.js';
import { logComplement } from '../numeric/log-arithmetic.js';
import { LruCache } from '../numeric/lru-cache.js';
import { attempt, noteLimited, runOut } from '../numeric/meter.js';
import type { CertifiedTest, DirectedRun } from './directed-run.js';
import type { Method } from './method.js';

/** A run is not asked for a test if its log δ exceeds that of the best test found by no more than this. */
const NO_MORE = 1e-9;

/**
 * The run whose trade-off curve is the convex hull of the lower envelope of the curves of `runs`. Its δ is the largest of theirs
 * at every ε (Dong, Roth, Su 2022, prop. 2.4). At every slope it has the tests of the run whose δ is the largest there.
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

  /** The largest log δ(ε); a run may stop refining once its upper end is below the lower end of another run. */
  logDelta(epsilon: number, width?: number): Bracket {
    let largest = exactly(-Infinity);
    for (const run of this.runs) largest = maxBracket(largest, run.logDelta(epsilon, width, largest.lower));
    return largest;
  }

  test(omega: number, width?: number): CertifiedTest {
    const [first, ...others] = this.runs;
    let best = first.test(omega, width);
    for (const run of others) {
      // a test of limited accuracy proves less than the lower end of δ itself
      const rough = width === undefined ? -Infinity : first.logDelta(omega, width).lower;
      const enough = Math.max(gain(best, omega), rough);
      // often all runs have the same δ(0), and then no other test proves more
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

/** An attack is asked at ε only if its guessed ε, for the δ found so far, exceeds this fraction of ε. Only width and speed depend on it. */
const MARGIN = 0.95;
/** Guesses are made for log δ rounded down to a multiple of this, so that one guess serves many questions. */
const FOLDS = 2;
/** Least width of log δ that attacks are asked for: the upper end, of another run, is farther away than this. */
const WIDTH = 1e-4;

/**
 * The strongest of several attacks, which are runs that some data set attains: at each ε the one that shows the largest δ. It has lower ends and tests only.
 * Attacks that are guessed to be weaker than the best found are not asked, which costs tightness at most. Cheap attacks should come first.
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

  /** A lower bound: the largest of the largest losses that are known, as the strongest attack is at least as strong as each. */
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
    // one guess serves all log δ between two multiples of FOLDS, for the smaller multiple
    const target = Math.min(-1e-9, Math.floor(found / FOLDS) * FOLDS);
    return this.guesses.of(`${i} ${target}`, () => this.runs[i].guessEpsilon(target)) > MARGIN * epsilon;
  }
}
