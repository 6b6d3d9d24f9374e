import type { WholeAnswers } from '../methods/contour/answered.js';
import type { WholeMeasure } from '../methods/contour/whole-run.js';
import {
  absoluteWidth,
  type Bracket,
  bracket,
  exactly,
  ordered,
  overlap,
  relativeWidth,
} from '../numeric/bracket.js';
import { differenceBelow, sumAbove } from '../numeric/log-arithmetic.js';
import { apart, attempt, noteLimited } from '../numeric/meter.js';
import { largestLogDelta } from './at-one-rung.js';
import { climb } from './climb.js';
import { type Ladder, laterRung } from './climbing-run.js';
import { ANY_DELTA, NEAR_CERTAIN } from './composed-run.js';
import type { Composition } from './composition.js';
import { largestEpsilon } from './largest-epsilon.js';
import { runsOf } from './policy.js';
import { type AllBounds, NO_BOUNDS } from './stated.js';
import { wholeRunOf } from './whole-answers.js';

/** Fraction of the remaining allowance of work: for a composition that is attained, and for an upper end. Only width depends on them. */
const SHARE = { below: 0.35, upper: 0.8 } as const;
/** Number of attained compositions that are asked: further ones cost more and gain little. Only width depends on it. */
const MOST_ATTAINED = 2;
/** The widths that are asked of each composition, one after the other: relative for ε, absolute for log δ. Only width and speed depend on them. */
const [COARSE, FINE] = [1e-3, 1e-6];
/** CLOSE: width of a bracket above which a second upper end is asked. NARROW: width up to which no other method is asked. Heuristic. */
const [CLOSE, NARROW] = [2e-3, 0.1];

/** ε and log δ above which the privacy loss counts as large. Heuristic. */
const [LARGE_EPSILON, LARGE_DELTA] = [100, -0.02];

/** Relative distance by which rounding may exchange the ends of a bracket. */
const EXCHANGED = 1e-9;

const ANY_EPSILON = bracket(0, Infinity);

/** A run whose worst case is known between bounds. */
export interface Enclosed {
  /** The composition of dominating pairs, and the log probability of outputs that these leave out. */
  readonly above: Composition;
  readonly logLost: number;
  /** Compositions that data sets attain, the cheapest first. */
  readonly below: readonly Composition[];
  /** Bounds by theorems. */
  readonly candidates: AllBounds;
}

/** How the ends of an answer are asked. */
interface Ends {
  readonly below: (run: End) => Bracket;
  /** Upper ends by the composition of dominating pairs, `above`, and brackets by theorems, `bounds`. */
  readonly above: () => Bracket;
  readonly bounds: () => Bracket;
  /** The trivial bracket. */
  readonly none: Bracket;
  /** Whether the privacy loss is large where this is the lower end. */
  readonly isLarge: (lower: number) => boolean;
}

/** ε and δ of a composition. */
class End {
  private readonly ladder: Ladder;

  /** States the tolerances at which other methods are asked. */
  constructor(private readonly composition: Composition) {
    const rungs = [COARSE, FINE].map((tolerance) =>
      laterRung({ tolerance }, () => runsOf(composition.within(tolerance), 'auto')),
    );
    this.ladder = { rungs, candidates: NO_BOUNDS };
  }

  /**
   * The smallest ε ≥ 0 with δ(ε) ≤ e^{logDelta}: by one kernel call if it is narrow enough, else at the tolerances COARSE and FINE.
   *
   * Ensures: the smallest such ε lies in the bracket.
   */
  epsilon(logDelta: number): Bracket {
    const known = this.composition.of(wholeRunOf)?.epsilon(logDelta, FINE) ?? ANY_EPSILON;
    if (relativeWidth(known) <= FINE) return known;
    const asked = { logDelta, delta: undefined, guess: undefined, tolerance: FINE, asked: FINE };
    return largestEpsilon(this.ladder, known, asked);
  }

  /**
   * log δ(epsilon), the larger of both directions: by one kernel call if it is narrow enough, else at the tolerances COARSE and FINE.
   *
   * Ensures: log δ(epsilon) lies in the bracket.
   */
  logDelta(epsilon: number): Bracket {
    const known = this.composition.of(wholeRunOf)?.logDelta(epsilon, FINE) ?? ANY_DELTA;
    if (absoluteWidth(known) <= FINE) return known;
    const { rungs } = this.ladder;
    return climb(rungs, FINE, {
      known,
      ask: (rung, before) => overlap(before, largestLogDelta(rung, epsilon, before.lower)),
      open: absoluteWidth,
    });
  }
}

/**
 * ε and δ of a run whose worst case is known between bounds. Lower ends are those of compositions that data sets attain, each asked as a run of its
 * own. Upper ends are those of the dominating pairs and of theorems. μ and power are not answered.
 */
export class WorstAnswers implements WholeAnswers {
  /** Whether the last answer was so narrow that other methods are not worth their work. */
  isFinal = false;
  private readonly above: End;
  private readonly below: readonly End[];

  private constructor(private readonly enclosed: Enclosed) {
    this.above = new End(enclosed.above);
    this.below = enclosed.below.slice(0, MOST_ATTAINED).map((each) => new End(each));
  }

  /** Undefined if the kernel does not know the laws of the first attained composition: then other methods are as quick. */
  static of(enclosed: Enclosed): WorstAnswers | undefined {
    return enclosed.below[0].of(wholeRunOf) && new WorstAnswers(enclosed);
  }

  /** The smallest ε ≥ 0 with δ(ε) ≤ e^{logDelta}. Ensures: it lies in the bracket. */
  epsilon(logDelta: number, tolerance: number): Bracket {
    const { candidates, logLost } = this.enclosed;
    const left = differenceBelow(logDelta, logLost);
    return this.between(tolerance, relativeWidth, {
      below: (run) => run.epsilon(logDelta),
      above: () => (left > -Infinity ? this.above.epsilon(left) : ANY_EPSILON),
      bounds: () => bracket(candidates.epsilonBelow(logDelta), candidates.epsilonAbove(logDelta)),
      none: ANY_EPSILON,
      isLarge: (least) => least > LARGE_EPSILON,
    });
  }

  /** log δ(epsilon); nothing is known for epsilon < 0. Ensures: it lies in the bracket. */
  logDelta(epsilon: number, width: number): Bracket {
    this.isFinal = false;
    if (!(epsilon >= 0 && epsilon < Infinity)) return ANY_DELTA;
    const { candidates, logLost } = this.enclosed;
    const raised = ({ lower, upper }: Bracket): Bracket => bracket(lower, sumAbove(upper, logLost));
    return this.between(width, absoluteWidth, {
      below: (run) => run.logDelta(epsilon),
      above: () => raised(this.above.logDelta(epsilon)),
      bounds: () => bracket(candidates.logDeltaBelow(epsilon), candidates.logDeltaAbove(epsilon)),
      none: ANY_DELTA,
      isLarge: (least) => least > LARGE_DELTA,
    });
  }

  /**
   * The bracket from the largest lower end to the smallest upper end. Where the privacy loss is large, bounds by theorems seldom end within the
   * allowance, so dominating pairs are asked before them. Ensures: what lies between both lies in it.
   */
  private between(
    wanted: number,
    width: (found: Bracket) => number,
    { below, above, bounds, none, isLarge }: Ends,
  ): Bracket {
    let isLimited = false;
    const asked = (share: number, told: () => Bracket): Bracket => {
      const { value, limited } = apart(() => attempt<Bracket | undefined>(share, told, () => undefined));
      isLimited ||= limited || value === undefined;
      return value ?? none;
    };
    let { lower, upper } = none;
    for (const run of this.below) lower = Math.max(lower, asked(SHARE.below, () => below(run)).lower);
    for (const told of isLarge(lower) ? [above, bounds] : [bounds, above]) {
      const found = asked(SHARE.upper, told);
      if (told === bounds) lower = Math.max(lower, found.lower);
      upper = Math.min(upper, found.upper);
      if (width(ordered(Math.min(lower, upper), upper)) <= CLOSE) break;
    }
    // ends that are exchanged by more than rounding are a fault, which throws
    const found =
      lower > upper && lower <= upper + EXCHANGED * (1 + Math.abs(upper))
        ? exactly(upper)
        : bracket(lower, upper);
    this.isFinal = width(found) <= NARROW && !(found.upper <= 0 && found.lower > NEAR_CERTAIN);
    if (this.isFinal && width(found) > wanted) noteLimited(isLimited ? 'effort' : 'theory');
    return found;
  }

  measure(): WholeMeasure | undefined {
    return undefined;
  }

  logPower(): Bracket {
    return ANY_DELTA;
  }
}
