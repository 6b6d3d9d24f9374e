import { absoluteWidth, type Bracket, bracket, ordered, relativeWidth } from '../../numeric/bracket.js';
import { noteLimited } from '../../numeric/meter.js';
import { FEW_ROUNDINGS } from '../../numeric/rounding.js';
import { UNANSWERED, type WholeAnswers } from './answered.js';
import type { WholeMeasure, WholeRun } from './whole-run.js';

/** Relative width asked of the kernel for two runs of merged steps. Their answers usually differ by more. Only speed and width depend on it. */
const FINE = 1e-6;
/** Upper bound of |∂G_μ(α)/∂μ|, where G_μ is the trade-off function of N(0, 1) and N(μ, 1): 1/√(2π), rounded up. */
const STEEPEST = 0.39894229;

/** How the width of a bracket is measured, and the width above which a call counts as unanswered: for ε and μ, and for logarithms. */
const RELATIVE = { of: relativeWidth, most: UNANSWERED.relative };
const LOG = { of: absoluteWidth, most: UNANSWERED.log };

/**
 * Two runs of merged steps. Every δ of `better` is at most that of the true run, and every δ of `worse` at least. They are one object if nothing is
 * merged.
 */
export type WholeEnds = readonly [better: WholeRun, worse: WholeRun];

/**
 * Answers about a run of very many phases (groups of identical steps), from two runs with fewer. In each group of similar phases all are replaced
 * by the best for one run, and by the worst for the other. By data processing the true run lies between (docs/proofs/near-phases.md, 1 and 7). If
 * the kernel does not answer, runs with fewer groups are asked.
 *
 * Ensures: the exact answer lies in the bracket.
 */
export class WholeBetween implements WholeAnswers {
  /**
   * @param ends Pairs of runs in the order asked; the value is undefined if the kernel has no such steps.
   * @param isFinal Whether no other method would narrow the answers.
   * @param most Number of groups in the first pair; undefined if nothing is merged there.
   */
  constructor(
    private readonly ends: readonly { readonly value: WholeEnds | undefined }[],
    readonly isFinal: boolean,
    private readonly most: number | undefined,
  ) {}

  get groups(): number | undefined {
    return this.ends[0].value && this.most;
  }

  /**
   * The pair of runs with the most groups and the pair with the fewest. Only they are asked for δ, powers and μ, as contours for many points cost
   * more than one contour.
   */
  private get firstAndLast(): WholeBetween['ends'] {
    return [this.ends[0], this.ends[this.ends.length - 1]];
  }

  /**
   * The bracket from the better run's lower end to the worse run's upper end, by the first pair whose bracket is narrow enough. Ensures: the true
   * run's answer lies in it, if δ of the true run lies between δ of the two runs.
   * @param width How widths are measured, and the width above which the next pair is asked.
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
      // the worse run costs at least as much, so it is not asked if the better one has no answer
      const isKnown = width.of(low) <= width.most;
      const upper = isOne ? low.upper : isKnown ? ask(worse, FINE).upper : Infinity;
      found = ordered(Math.max(found.lower, low.lower), Math.min(found.upper, upper));
      if (width.of(found) > width.most) continue;
      if (this.isFinal && width.of(found) > wanted) noteLimited('theory');
      break;
    }
    return found;
  }

  /** The smallest ε ≥ 0 with δ(ε) ≤ e^{logDelta}. Ensures: it lies in the bracket, if the run lies between the two merged runs. */
  epsilon(logDelta: number, tolerance: number): Bracket {
    const ask = (run: WholeRun, width: number): Bracket => run.epsilon(logDelta, width);
    const found = this.between(this.ends, ask, RELATIVE, tolerance);
    return ordered(Math.max(0, found.lower), found.upper);
  }

  /** log δ(epsilon). Ensures: it lies in the bracket, if the run lies between the two merged runs. */
  logDelta(epsilon: number, width: number): Bracket {
    const ask = (run: WholeRun, wanted: number): Bracket => run.logDelta(epsilon, wanted);
    return probable(this.between(this.firstAndLast, ask, LOG, width));
  }

  /** log of the power 1 − f(α) at α = e^{logAlpha}. Ensures: it lies in the bracket, if the run lies between the two merged runs. */
  logPower(logAlpha: number): Bracket {
    return probable(this.between(this.firstAndLast, (run) => run.logPower(logAlpha), LOG, FINE));
  }

  /**
   * Brackets of the smallest μ with f ≥ G_μ where both error rates are at least e^{logAlpha}, and of the regret Δ(f, G_μ). G_μ is the Gaussian
   * trade-off function. They come from the brackets of a better and a worse run. Δ changes by at most STEEPEST per unit of μ
   * (docs/proofs/near-phases.md, 7). Undefined where either run has no answer. Ensures: μ and the regret lie in their brackets.
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

/** The bracket of the log of a probability, its upper end capped at 0. */
function probable({ lower, upper }: Bracket): Bracket {
  return ordered(lower, Math.min(0, upper));
}
