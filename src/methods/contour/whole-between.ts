import { absoluteWidth, type Bracket, bracket, ordered, relativeWidth } from '../../numeric/bracket.js';
import type { Lazy } from '../../numeric/lru-cache.js';
import { noteLimited } from '../../numeric/meter.js';
import { FEW_ROUNDINGS } from '../../numeric/rounding.js';
import { UNANSWERED, type WholeAnswers } from './answered.js';
import type { WholeMeasure, WholeRun } from './whole-run.js';

/** The relative width that calls about groups are asked for: merging leaves more. */
const FINE = 1e-6;
/** |∂G_μ(α)/∂μ| is at most 1/√(2π), rounded up. */
const STEEPEST = 0.39894229;

/** How the width of a bracket is measured, and the width above which a call counts as no answer. */
const RELATIVE = { of: relativeWidth, most: UNANSWERED.relative };
const LOG = { of: absoluteWidth, most: UNANSWERED.log };

/** A run and another that is no better; both equal if nothing is merged. */
export type WholeEnds = readonly [better: WholeRun, worse: WholeRun];

/**
 * A run of very many phases between two runs with fewer. In each group of similar phases all are replaced by the best, or by the worst
 * (docs/proofs/near-phases.md, 1 and 7). If that costs too much, fewer groups are asked.
 *
 * Ensures: the exact answer lies in the bracket.
 */
export class WholeBetween implements WholeAnswers {
  /**
   * @param ends In the order asked; undefined if steps are of another kind.
   * @param most Groups of the first; undefined if nothing is merged there.
   */
  constructor(
    private readonly ends: readonly Lazy<WholeEnds | undefined>[],
    readonly isFinal: boolean,
    private readonly most: number | undefined,
  ) {}

  get groups(): number | undefined {
    return this.ends[0].value && this.most;
  }

  /**
   * The pairs of runs with the most groups and with the fewest. Contours for many points cost more than one contour, so the pairs between are not
   * asked.
   */
  private get firstAndLast(): WholeBetween['ends'] {
    return [this.ends[0], this.ends[this.ends.length - 1]];
  }

  /**
   * The bracket from the better run's lower end to the worse one's upper end. Ensures: the run's answer lies in it.
   * @param wanted The width that was asked for.
   */
  private between(
    ends: WholeBetween['ends'],
    ask: (run: WholeRun, width: number) => Bracket,
    width: typeof RELATIVE,
    wanted: number,
  ): Bracket {
    let found = bracket(-Infinity, Infinity);
    for (const { value } of ends) {
      if (value === undefined) continue;
      const [better, worse] = value;
      const isOne = worse === better;
      const low = ask(better, isOne ? wanted : FINE);
      // the worse run costs at least as much
      const isKnown = width.of(low) <= width.most;
      const upper = isOne ? low.upper : isKnown ? ask(worse, FINE).upper : Infinity;
      found = ordered(Math.max(found.lower, low.lower), Math.min(found.upper, upper));
      if (width.of(found) > width.most) continue;
      if (this.isFinal && width.of(found) > wanted) noteLimited('theory');
      break;
    }
    return found;
  }

  /** The smallest ε ≥ 0 with δ(ε) ≤ e^{logDelta}. Ensures: it lies in the bracket, if the run lies between its ends. */
  epsilon(logDelta: number, tolerance: number): Bracket {
    const ask = (run: WholeRun, width: number): Bracket => run.epsilon(logDelta, width);
    const found = this.between(this.ends, ask, RELATIVE, tolerance);
    return ordered(Math.max(0, found.lower), found.upper);
  }

  /** log δ(epsilon). Ensures: it lies in the bracket, if the run lies between its ends. */
  logDelta(epsilon: number, width: number): Bracket {
    const ask = (run: WholeRun, wanted: number): Bracket => run.logDelta(epsilon, wanted);
    return probable(this.between(this.firstAndLast, ask, LOG, width));
  }

  /** log of the power at α = e^{logAlpha}. Ensures: it lies in the bracket, if the run lies between its ends. */
  logPower(logAlpha: number): Bracket {
    return probable(this.between(this.firstAndLast, (run) => run.logPower(logAlpha), LOG, FINE));
  }

  /**
   * Brackets of μ where both error rates are at least e^{logAlpha}, and of the regret, from those of a better and a worse run. The regret moves by at
   * most STEEPEST per unit of μ. Undefined where one has none.
   */
  measure(logAlpha: number, tolerance: number, withRegret: boolean): WholeMeasure | undefined {
    for (const { value } of this.firstAndLast) {
      if (value === undefined) continue;
      const [lower, upper] = value;
      const isOne = lower === upper;
      const better = lower.measure(logAlpha, isOne ? tolerance : FINE, withRegret);
      if (isOne && better !== undefined) return better;
      const worse = better && upper.measure(logAlpha, FINE, withRegret);
      if (better === undefined || worse === undefined) continue;
      const mu = ordered(better.mu.lower, worse.mu.upper);
      if (this.isFinal && relativeWidth(mu) > tolerance) noteLimited('theory');
      const moved = STEEPEST * (mu.upper - mu.lower) + FEW_ROUNDINGS;
      const regret = bracket(
        Math.max(0, worse.regret.lower - moved),
        Math.min(1, better.regret.upper + moved),
      );
      return { mu, regret, head: worse.head };
    }
    return undefined;
  }
}

/** Caps the log of a probability at 0. */
function probable({ lower, upper }: Bracket): Bracket {
  return ordered(lower, Math.min(0, upper));
}
