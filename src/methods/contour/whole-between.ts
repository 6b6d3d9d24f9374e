import { absoluteWidth, type Bracket, bracket, ordered, relativeWidth } from '../../numeric/bracket.js';
import { Lazy } from '../../numeric/lru-cache.js';
import { noteLimited } from '../../numeric/meter.js';
import type { WholeMeasure, WholeRun } from './whole-run.js';

/** What a call of the kernel, or two, say of a run as a whole. */
export interface WholeAnswers extends Pick<WholeRun, 'epsilon' | 'measure' | 'logDelta' | 'logPower'> {
  /** How many groups similar steps are combined in, each between its worst and its best; undefined where none are. */
  readonly groups?: number | undefined;
}

/** What calls are asked for: groups leave more. */
const FINE = 1e-6;
/** |∂G_μ(α)/∂μ| is at most 1/√(2π), rounded up. */
const STEEPEST = 0.39894229;

/**
 * A run of very many phases between two of groups of them. All count as the best of their group, or as the worst (docs/proofs/near-phases.md, 1 and 7).
 *
 * Ensures: what is asked lies in the bracket.
 */
export class WholeBetween implements WholeAnswers {
  private readonly ends: Lazy<readonly [WholeRun, WholeRun]>;

  /** @param ends The better run and the worse one. */
  constructor(
    ends: () => readonly [WholeRun, WholeRun],
    readonly groups: number,
  ) {
    this.ends = new Lazy(ends);
  }

  /** From the better run's lower end to the worse one's upper. @param wide How wide a bracket is. @param wanted What was asked for. */
  private between(
    ask: (run: WholeRun) => Bracket,
    wide: (found: Bracket) => number,
    wanted: number,
  ): Bracket {
    const [better, worse] = this.ends.value;
    const found = ordered(ask(better).lower, ask(worse).upper);
    if (wide(found) > wanted) noteLimited('theory');
    return found;
  }

  epsilon(logDelta: number, tolerance: number): Bracket {
    return this.between((run) => run.epsilon(logDelta, FINE), relativeWidth, tolerance);
  }

  logDelta(epsilon: number, width: number): Bracket {
    return this.between((run) => run.logDelta(epsilon, FINE), absoluteWidth, width);
  }

  logPower(logAlpha: number): Bracket {
    return this.between((run) => run.logPower(logAlpha), absoluteWidth, FINE);
  }

  measure(logAlpha: number, tolerance: number, withRegret: boolean): WholeMeasure | undefined {
    const [better, worse] = this.ends.value.map((run) => run.measure(logAlpha, FINE, withRegret));
    if (better === undefined || worse === undefined) return undefined;
    const mu = ordered(better.mu.lower, worse.mu.upper);
    if (relativeWidth(mu) > tolerance) noteLimited('theory');
    const moved = STEEPEST * (mu.upper - mu.lower) + 1e-15;
    const regret = bracket(Math.max(0, worse.regret.lower - moved), Math.min(1, better.regret.upper + moved));
    return { mu, regret, head: worse.head };
  }
}
