import { absoluteWidth, type Bracket, bracket, overlap } from '../numeric/bracket.js';
import { free } from '../numeric/meter.js';
import type { CertifiedTest, DirectedRun } from '../run/directed-run.js';
import { ForwardingRun } from '../run/forwarding-run.js';
import { gain } from '../run/hull-run.js';
import type { ErrorBudget, Method } from '../run/method.js';
import { climb } from './climb.js';
import { type AllBounds, NO_BOUNDS } from './stated.js';

/** A run at one tolerance: the brackets of its directions aim at that width. */
export interface Rung {
  readonly tolerance: number;
  readonly directions: readonly DirectedRun[];
  /** Fraction of the remaining allowance, if this tolerance is asked before coarser ones. */
  readonly share?: number | undefined;
}

/** A run at one tolerance whose directions are made by `make` on first use; making them is not charged to the question. Its answers are those of `make`. */
export function laterRung(
  { tolerance, share }: Pick<Rung, 'tolerance' | 'share'>,
  make: () => readonly DirectedRun[],
): Rung {
  let made: readonly DirectedRun[] | undefined;
  return {
    tolerance,
    share,
    get directions(): readonly DirectedRun[] {
      made ??= free(make);
      return made;
    },
  };
}

/** A run at several tolerances, and its bounds by theorems: see `climb`. */
export interface Ladder {
  /**
   * The run at one tolerance after another, the coarsest first and the tolerance wanted last. If a method is expected to reach that one, it comes first
   * and has a `share`.
   */
  readonly rungs: readonly Rung[];
  /** Bounds by theorems, which do not depend on the methods. */
  readonly candidates: AllBounds;
  /** Multiple of a tolerance: if the answer there remains wider, finer tolerances are not asked. See `climb`. */
  readonly patience?: number | undefined;
}

/** A run at a single tolerance, without bounds by theorems. */
export function oneRung(directions: readonly DirectedRun[], tolerance: number): Ladder {
  return { rungs: [{ directions, tolerance }], candidates: NO_BOUNDS };
}

/**
 * The runs, each at one tolerance, that an answer of the given width asks: all coarser ones, and one more at this width. That one is the run of the next
 * finer tolerance, or the first one if that has a share. Heuristic: it chooses what is asked and enters no bound.
 */
export function rungsTo<R extends Pick<Rung, 'tolerance' | 'share'>>(
  rungs: readonly R[],
  width: number,
): R[] {
  const [first, ...rest] = rungs;
  if (first.share !== undefined)
    return [{ ...first, tolerance: width }, ...rest.filter(({ tolerance }) => tolerance > width)];
  const coarser = rungs.filter(({ tolerance }, i) => i + 1 < rungs.length && tolerance > width);
  return [...coarser, { ...rungs[coarser.length], tolerance: width }];
}

/**
 * A run in each direction, whose answers at each ε and each test are refined from tolerance to tolerance by `climb` with this `patience`.
 *
 * Ensures: each bracket is the intersection of brackets at several tolerances, and each test is one found at one of them.
 */
export function climbingRuns(rungs: readonly Rung[], patience?: number): DirectedRun[] {
  return rungs[0].directions.map((_, i) => {
    const steps = rungs.map(({ directions, tolerance }) => ({ run: directions[i], tolerance }));
    return new ClimbingRun(steps, patience);
  });
}

/** One direction of a run at a tolerance. */
interface Step {
  readonly run: DirectedRun;
  readonly tolerance: number;
}

/** One direction of a run, refined from tolerance to tolerance. What does not depend on the tolerance is taken from the first one, which costs least. */
class ClimbingRun extends ForwardingRun {
  private readonly first: DirectedRun;
  private readonly last: Step;

  /** One direction at each tolerance, in the order in which they are asked, and the `patience` of `climb`. */
  constructor(
    private readonly rungs: readonly Step[],
    private readonly patience: number | undefined,
  ) {
    super();
    this.first = rungs[0].run;
    this.last = rungs[rungs.length - 1];
  }

  protected of<T>(ask: (run: DirectedRun) => T): T {
    return ask(this.first);
  }

  /** log δ(ε): the intersection of the brackets at each tolerance asked. Ensures: log δ(ε) lies in it. */
  logDelta(epsilon: number, width = this.last.tolerance, floor = -Infinity): Bracket {
    return climb(rungsTo(this.rungs, width), width, {
      known: bracket(-Infinity, 0),
      ask: ({ run, tolerance }, known) => overlap(known, run.logDelta(epsilon, tolerance, floor)),
      open: absoluteWidth,
      patience: this.patience,
      enough: ({ upper }) => upper <= floor,
    });
  }

  /**
   * A test near the threshold ω: of the tests at each tolerance the one with the largest TPR − e^ω·FPR. No further test is asked for once that difference
   * reaches the upper bound of δ(ω), which it cannot exceed. Ensures: log FPR rounded up, log TPR down.
   */
  test(omega: number, width = this.last.tolerance, floor = -Infinity): CertifiedTest {
    const { upper } = this.logDelta(omega, width, floor);
    const best = climb<Step, CertifiedTest | undefined>(rungsTo(this.rungs, width), width, {
      known: undefined,
      ask: ({ run, tolerance }, known) => {
        const found = run.test(omega, tolerance, floor);
        return known !== undefined && gain(known, omega) > gain(found, omega) ? known : found;
      },
      open: (known) =>
        known === undefined ? Infinity : upper === -Infinity ? 0 : upper - gain(known, omega),
      patience: this.patience,
      enough: (known) => known !== undefined && upper <= floor,
    });
    // the test that always rejects
    return best ?? { logFpr: 0, logTpr: 0 };
  }

  methodAt(epsilon: number): Method {
    const { run, tolerance } = this.rungs[0];
    return run.methodAt?.(epsilon, tolerance) ?? run.method;
  }

  explain(epsilon: number, width = this.last.tolerance): ErrorBudget | undefined {
    return this.last.run.explain?.(epsilon, width);
  }
}
