import { type Bracket, bracket, ordered } from '../numeric/bracket.js';
import { Lazy, LruCache } from '../numeric/lru-cache.js';
import { attempt, noted, noteLimited, runOut } from '../numeric/meter.js';
import type { CertifiedTest, DirectedRun } from '../run/directed-run.js';
import { ForwardingRun } from '../run/forwarding-run.js';
import { gain } from '../run/hull-run.js';
import type { ErrorBudget, Method } from '../run/method.js';

/** A certified test, and whether its rates are as narrow as asked for. */
export interface Judged {
  readonly test: CertifiedTest;
  readonly sharp: boolean;
}

/** A run that can tell whether a test is as narrow as asked for. */
export interface ChoosyRun extends DirectedRun {
  /** The test, and whether its rates are certified to `width`. */
  testWithin(omega: number, width?: number): Judged;
}

/** One method of answering a run in one direction. */
export interface Way {
  /** Builds the method's run, lazily; undefined if it does not apply. */
  make(): DirectedRun | ChoosyRun | undefined;
  /** The width that is narrow enough when `asked` was asked for; if absent, any width is. */
  readonly enough?: ((asked: number) => number) | undefined;
  /** A bracket at least this wide is accepted too: methods that follow would not improve it. */
  readonly hopeless?: number | undefined;
  /** Multiple of the wanted width that the method is asked for. */
  readonly times?: number | undefined;
  /** A coarser version of other methods, asked only where one of those before it ran out of allowance. */
  readonly spare?: boolean | undefined;
  /** Fraction of the remaining allowance it may spend if other methods follow; half if absent. */
  share?(): number | undefined;
}

interface Made extends Omit<Way, 'make' | 'share' | 'spare'> {
  readonly index: number;
  readonly run: DirectedRun & Partial<Pick<ChoosyRun, 'testWithin'>>;
}

/**
 * Asks several methods in order until one is narrow enough; each is built when it is first asked. All brackets hold, so their intersection does.
 * Nothing is built before a question is asked. Each method may spend half of what is left of a question's allowance, the last one all of it. One that
 * runs out is not asked again in that question.
 *
 * @param width Asked for where a question names none.
 * @param ceiling A formula for an upper bound of log δ(ε), ε ≥ 0: where it settles a question, no method is asked.
 */
export function firstWithin(
  ways: readonly Way[],
  width: number,
  ceiling?: (epsilon: number) => number,
): ChoosyRun {
  return new FirstWithin(ways, width, ceiling);
}

/** Number of answers cached: curves and reports ask for the same ones again. */
const MOST_HELD = 1024;
/** log δ < −1e7: only the last method, closed-form bounds, reaches that deep. */
export const OUT_OF_REACH = -1e7;
const NEAR = [1e4, 100, 1] as const;
/** Fraction of the remaining allowance for a method that others follow. */
const SHARE = 0.5;

/** The intersection of all brackets, the method of the narrowest, and the width of that. */
interface Answered {
  readonly found: Bracket;
  readonly by: Made;
  readonly open: number;
}

/** Stands for a method that ran out of allowance. */
const OUT = Symbol('out');

/** The set, empty at first, of the methods that ran out of allowance in a question. */
function noneOut(): Set<number> {
  return new Set();
}

class FirstWithin extends ForwardingRun implements ChoosyRun {
  /** Cached by method, loss, width and floor. */
  private readonly deltas = new LruCache<string, Bracket>(MOST_HELD);
  private readonly tests = new LruCache<string, Judged>(MOST_HELD);
  private readonly made = new LruCache<number, Made | undefined>(Infinity);
  /** The least of some ε below which δ is not out of reach. */
  private readonly near = new Lazy(() => NEAR.find((epsilon) => this.most(epsilon) >= OUT_OF_REACH) ?? 0);

  constructor(
    private readonly ways: readonly Way[],
    private readonly width: number,
    private readonly most: (epsilon: number) => number = () => 0,
  ) {
    super();
  }

  protected of<T>(ask: (run: DirectedRun) => T): T {
    return ask(this.first.run);
  }

  override get largestLoss(): Bracket | undefined {
    return this.firstSaid(({ run }) => run.largestLoss);
  }

  override ceiling(epsilon: number): number {
    return this.most(epsilon);
  }

  logDelta(epsilon: number, width = this.width, floor = -Infinity): Bracket {
    if (floor > -Infinity && epsilon >= 0) {
      const most = this.most(epsilon);
      if (most <= floor) return bracket(-Infinity, most);
    }
    return this.answer(epsilon, width, floor).found;
  }

  methodAt(epsilon: number, width = this.width): Method {
    const { run, times = 1 } = this.answer(epsilon, width).by;
    return run.methodAt?.(epsilon, times * width) ?? run.method;
  }

  explain(epsilon: number, width = this.width): ErrorBudget | undefined {
    const { run, times = 1 } = this.answer(epsilon, width).by;
    return run.explain?.(epsilon, times * width);
  }

  /**
   * The first test at ω whose rates are narrow enough. Where δ(ω) is known to be below the floor, any test of the first method. Ensures: log FPR
   * rounded up, log TPR down.
   */
  test(omega: number, width = this.width, floor = -Infinity): CertifiedTest {
    if (floor > -Infinity) {
      // any test will do if δ is known to be below the floor
      const settled = this.within(this.first.index, (first) =>
        this.deltaBy(first, omega, width, floor).upper <= floor
          ? first.run.test(omega, width, floor)
          : undefined,
      );
      if (settled !== undefined && settled !== OUT) return settled;
    }
    return this.testWithin(omega, width).test;
  }

  override guessEpsilon(logDelta: number): number {
    return this.ofFirst(({ run }) => run.guessEpsilon(logDelta));
  }

  override guessOmega(logFpr: number): number {
    return this.ofFirst(({ run }) => run.guessOmega(logFpr));
  }

  private get first(): Made {
    return this.ofFirst((made) => made);
  }

  /** The first answer of a method that has one and has not run out: a guess may cost as much as an answer. */
  private firstSaid<T>(ask: (way: Made) => T): T | undefined {
    for (let i = 0; i < this.ways.length; i++) {
      const said = this.within(i, ask);
      if (said !== undefined && said !== OUT) return said;
    }
    return undefined;
  }

  private ofFirst<T extends {}>(ask: (way: Made) => T): T {
    const said = this.firstSaid(ask);
    if (said === undefined) throw this.noneServes();
    return said;
  }

  /** Asks the i-th method with its share of the allowance; undefined if it does not apply, OUT if it ran out in this question. */
  private within<T>(i: number, ask: (way: Made) => T): T | typeof OUT | undefined {
    const out = noted(this, noneOut);
    if (out.has(i)) return OUT;
    const asked = (): T | undefined => {
      const way = this.made.of(i, () => this.make(i));
      return way && ask(way);
    };
    const share = i + 1 < this.ways.length ? (this.ways[i].share?.() ?? SHARE) : 1;
    return attempt<T | typeof OUT | undefined>(share, asked, () => {
      out.add(i);
      return OUT;
    });
  }

  private make(index: number): Made | undefined {
    const way = this.ways[index];
    const run = way.make();
    const { enough, hopeless, times } = way;
    return run && { enough, hopeless, times, index, run };
  }

  private deltaBy({ index, run }: Made, epsilon: number, width: number, floor?: number): Bracket {
    const key = `${index} ${epsilon} ${width} ${floor ?? ''}`;
    return this.deltas.of(key, () => run.logDelta(epsilon, width, floor));
  }

  /** A test of a method. Without a judgement of its own it is sharp if the δ it proves is near enough to the method's upper end. */
  private testBy(way: Made, omega: number, width: number): Judged {
    const { index, run, enough, times = 1 } = way;
    const asked = times * width;
    return this.tests.of(`${index} ${omega} ${width}`, () => {
      if (enough !== undefined && run.testWithin !== undefined) return run.testWithin(omega, enough(asked));
      const test = run.test(omega, asked);
      const most = enough?.(asked) ?? Infinity;
      const sharp = most === Infinity || this.deltaBy(way, omega, asked).upper - gain(test, omega) <= most;
      return { test, sharp };
    });
  }

  /**
   * The bracket of log δ(epsilon): the intersection of those of all methods that had to be asked, until one is narrow enough. `floor` is
   * passed to the first alone. Ensures: it holds if each method's does.
   */
  private answer(epsilon: number, width: number, floor = -Infinity): Answered {
    let best: Answered | undefined;
    let short = false;
    for (let i = this.isFar(epsilon) ? this.ways.length - 1 : 0; i < this.ways.length; i++) {
      if (this.ways[i].spare && !short) continue;
      const own = this.within(i, (by) => {
        const found = this.deltaBy(
          by,
          epsilon,
          (by.times ?? 1) * width,
          best === undefined ? floor : undefined,
        );
        return { found, by, open: found.upper === found.lower ? 0 : found.upper - found.lower };
      });
      if (own === OUT) short = true;
      if (own === undefined || own === OUT) continue;
      const { by, found, open } = own;
      best =
        best === undefined ? own : { ...(open < best.open ? own : best), found: both(best.found, found) };
      const { enough, hopeless, times = 1 } = by;
      if (open <= (enough?.(times * width) ?? times * width) || open === 0 || found.upper <= floor) {
        short = false;
        break;
      }
      if (enough === undefined) break;
      if (hopeless !== undefined && open >= hopeless) break;
    }
    if (best === undefined) throw this.noneServes();
    if (short) noteLimited();
    if (!(best.open > width) || epsilon < 0) return best;
    const { lower, upper } = best.found;
    return { ...best, found: ordered(lower, Math.min(upper, this.most(epsilon))) };
  }

  /** Whether δ is too small for contours and grids, but not 0. */
  private isFar(epsilon: number): boolean {
    if (!(epsilon > 0 && epsilon > this.near.value)) return false;
    const most = this.most(epsilon);
    return most < OUT_OF_REACH && most > -Infinity;
  }

  /** The first test at ω that is narrow enough, or else the one with the largest TPR − e^ω·FPR. Ensures: log FPR rounded up, log TPR down. */
  testWithin(omega: number, width = this.width): Judged {
    let best: CertifiedTest | undefined;
    let short = false;
    for (let i = 0; i < this.ways.length; i++) {
      if (this.ways[i].spare && !short) continue;
      const judged = this.within(i, (way) => this.testBy(way, omega, width));
      if (judged === OUT) short = true;
      if (judged === undefined || judged === OUT) continue;
      const { test, sharp } = judged;
      if (best === undefined || !(gain(best, omega) > gain(test, omega))) best = test;
      if (!sharp) continue;
      if (short) noteLimited();
      return { test: best, sharp };
    }
    if (best === undefined) throw this.noneServes();
    if (short) noteLimited();
    return { test: best, sharp: false };
  }

  /** The last method of every policy always applies: if none answered, all ran out of allowance. */
  private noneServes(): Error {
    if (noted(this, noneOut).size > 0) runOut();
    return new Error('none of the ways serves');
  }
}

/** The intersection of two brackets. Ensures: holds the value, if both brackets do. */
function both(a: Bracket, b: Bracket): Bracket {
  return bracket(Math.max(a.lower, b.lower), Math.min(a.upper, b.upper));
}
