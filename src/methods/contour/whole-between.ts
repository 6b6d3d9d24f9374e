import { absoluteWidth, type Bracket, bracket, ordered, relativeWidth } from '../../numeric/bracket.js';
import type { Lazy } from '../../numeric/lru-cache.js';
import { noteLimited } from '../../numeric/meter.js';
import type { WholeMeasure, WholeRun } from './whole-run.js';

/** What a call of the kernel, or two, say of a run as a whole. */
export interface WholeAnswers extends Pick<WholeRun, 'epsilon' | 'measure' | 'logDelta' | 'logPower'> {
  /** How many groups similar steps are combined in, each between its worst and its best; undefined where none are. */
  readonly groups?: number | undefined;
  /** Whether others would not narrow what it answers. */
  readonly isFinal?: boolean;
}

/** What calls are asked for: groups leave more. */
const FINE = 1e-6;
/** |∂G_μ(α)/∂μ| is at most 1/√(2π), rounded up. */
const STEEPEST = 0.39894229;

/** Widths, of ε relative and of log δ, above which a call has not answered. */
const [UNANSWERED, UNANSWERED_LOG] = [0.5, 3];

/** A run, and another that is no worse: the same where nothing is combined. */
export type WholeEnds = readonly [better: WholeRun, worse: WholeRun];

/**
 * A run of very many phases between two of groups of them. All count as the best of their group, or as the worst (docs/proofs/near-phases.md, 1 and 7).
 * Fewer groups are asked where more cost too much.
 *
 * Ensures: what is asked lies in the bracket.
 */
export class WholeBetween implements WholeAnswers {
  /** @param ends In the order asked; undefined where nothing is combined. */
  constructor(
    private readonly ends: readonly Lazy<WholeEnds | undefined>[],
    readonly isFinal: boolean,
    readonly groups: number | undefined,
  ) {}

  /** Lines for many points cost more than one: of groups the fewest are asked. */
  private get firstAndLast(): WholeBetween['ends'] {
    return [this.ends[0], this.ends[this.ends.length - 1]];
  }

  /** From the better run's lower end to the worse one's upper. @param wide How wide a bracket is. @param wanted What was asked for. */
  private between(
    ends: WholeBetween['ends'],
    ask: (run: WholeRun) => Bracket,
    wide: (found: Bracket) => number,
    wanted: number,
  ): Bracket {
    const most = wide === absoluteWidth ? UNANSWERED_LOG : UNANSWERED;
    let found = bracket(-Infinity, Infinity);
    for (const { value } of ends) {
      if (value === undefined) continue;
      const [better, worse] = value;
      const low = ask(better);
      const isLow = wide(low) <= most;
      const high = worse === better || !isLow ? low : ask(worse);
      const upper = worse === better || isLow ? high.upper : Infinity;
      found = ordered(Math.max(found.lower, low.lower), Math.min(found.upper, upper));
      if (wide(found) <= most) break;
    }
    if (this.isFinal && wide(found) > wanted) noteLimited('theory');
    return found;
  }

  epsilon(logDelta: number, tolerance: number): Bracket {
    const found = this.between(this.ends, (run) => run.epsilon(logDelta, FINE), relativeWidth, tolerance);
    return ordered(Math.max(0, found.lower), found.upper);
  }

  logDelta(epsilon: number, width: number): Bracket {
    return probable(
      this.between(this.firstAndLast, (run) => run.logDelta(epsilon, FINE), absoluteWidth, width),
    );
  }

  logPower(logAlpha: number): Bracket {
    return probable(this.between(this.firstAndLast, (run) => run.logPower(logAlpha), absoluteWidth, FINE));
  }

  measure(logAlpha: number, tolerance: number, withRegret: boolean): WholeMeasure | undefined {
    for (const { value = [] } of this.firstAndLast) {
      const [better, worse] = value.map((run) => run.measure(logAlpha, FINE, withRegret));
      if (better === undefined || worse === undefined) continue;
      const mu = ordered(better.mu.lower, worse.mu.upper);
      if (this.isFinal && relativeWidth(mu) > tolerance) noteLimited('theory');
      const moved = STEEPEST * (mu.upper - mu.lower) + 1e-15;
      const regret = bracket(
        Math.max(0, worse.regret.lower - moved),
        Math.min(1, better.regret.upper + moved),
      );
      return { mu, regret, head: worse.head };
    }
    return undefined;
  }
}

/** A logarithm of a probability. */
function probable({ lower, upper }: Bracket): Bracket {
  return ordered(lower, Math.min(0, upper));
}
