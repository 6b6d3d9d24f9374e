import { type Bracket, bracket, ordered } from '../numeric/bracket.js';
import { Lazy, LruCache } from '../numeric/lru-cache.js';
import { attempt, noted, noteLimited, runOut } from '../numeric/meter.js';
import type { CertifiedTest, DirectedRun } from '../run/directed-run.js';
import { ForwardingRun } from '../run/forwarding-run.js';
import { gain } from '../run/hull-run.js';
import type { ErrorBudget, Method } from '../run/method.js';

/** A certified test, and whether its rates are known to the width that was asked for. */
export interface Judged {
  readonly test: CertifiedTest;
  readonly sharp: boolean;
}

/** A run that says of each test whether its rates are known to the width that was asked for. */
export interface ChoosyRun extends DirectedRun {
  /** The test that rejects where the loss exceeds `omega`, and whether its rates are certified to `width`. */
  testWithin(omega: number, width?: number): Judged;
}

/** One entry in the list of methods for a run in one direction: how it is built, and when its answer suffices. */
export interface Way {
  /** Builds the method's run, lazily; undefined if it does not apply. */
  make(): DirectedRun | ChoosyRun | undefined;
  /** The width of log δ that suffices where the width `asked` was wanted. Without this function any width suffices, so no later method is asked. */
  readonly enough?: ((asked: number) => number) | undefined;
  /** A bracket at least this wide also ends the search: later methods would not narrow it. */
  readonly hopeless?: number | undefined;
  /** The method is asked for this multiple of the wanted width; 1 if absent. */
  readonly times?: number | undefined;
  /** Whether it is a coarser version of an earlier method, asked only where an earlier method ran out of allowance. */
  readonly spare?: boolean | undefined;
  /** Fraction of the question's remaining allowance of work that it may spend if other methods follow; half if absent. */
  share?(): number | undefined;
}

interface Made extends Omit<Way, 'make' | 'share' | 'spare'> {
  readonly index: number;
  readonly run: DirectedRun & Partial<Pick<ChoosyRun, 'testWithin'>>;
}

/**
 * A run that asks several methods in order until the bracket of one is narrow enough. Every bracket contains the value, so their intersection is the
 * answer. A method is built when it is first asked. Each may spend its share of the question's remaining allowance of work; the last may spend all. A
 * method that runs out is not asked again in that question.
 *
 * @param width The width of log δ that is wanted where a question names none.
 * @param ceiling An upper bound of log δ(ε), ε ≥ 0, by a formula. Where it is below the floor of a question, the log δ under which no narrower
 * bracket is wanted, no method is asked.
 */
export function firstWithin(
  ways: readonly Way[],
  width: number,
  ceiling?: (epsilon: number) => number,
): ChoosyRun {
  return new FirstWithin(ways, width, ceiling);
}

/** Number of answers cached. Curves and reports repeat questions. Only speed and memory depend on it. */
const MOST_HELD = 1024;
/** Contours and grids do not reach a log δ below this. Then only the last method is asked, which has closed-form bounds. */
export const OUT_OF_REACH = -1e7;
/**
 * Values of ε at which the ceiling of log δ is evaluated, largest first. If it is at least `OUT_OF_REACH` at one, it is so at all smaller ε. Only
 * speed depends on them.
 */
const NEAR = [1e4, 100, 1] as const;
/** Fraction of the remaining allowance of work for a method that others follow, unless the method names its own. */
const SHARE = 0.5;

/** The intersection `found` of all brackets so far, the method `by` of the narrowest one, and the width `open` of that one. */
interface Answered {
  readonly found: Bracket;
  readonly by: Made;
  readonly open: number;
}

/** The result of a method that ran out of allowance. */
const OUT = Symbol('out');

/** An empty set for the indices of the methods that run out of allowance in a question. */
function noneOut(): Set<number> {
  return new Set();
}

class FirstWithin extends ForwardingRun implements ChoosyRun {
  /** Brackets of log δ, by index of the method, ε, width and floor. */
  private readonly deltas = new LruCache<string, Bracket>(MOST_HELD);
  private readonly tests = new LruCache<string, Judged>(MOST_HELD);
  private readonly made = new LruCache<number, Made | undefined>(Infinity);
  /**
   * The largest entry of `NEAR` at which the ceiling of log δ is not below `OUT_OF_REACH`; 0 if there is none. As δ falls with ε, no smaller ε is
   * out of reach.
   */
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
   * The first test "reject where L > ω" whose rates are narrow enough (`testWithin`). Where the first method finds δ(ω) below e^{floor}, its test
   * is returned, however wide. Ensures: log FPR rounded up, log TPR down.
   */
  test(omega: number, width = this.width, floor = -Infinity): CertifiedTest {
    if (floor > -Infinity) {
      // the caller needs no sharp test where δ is known to be below the floor
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

  /** The first defined answer among the methods that have not run out. Guesses are metered too: one may cost as much as a bracket. */
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

  /**
   * Asks the i-th method within its share of the remaining allowance. Returns its answer unchanged, undefined if the method does not apply, and
   * `OUT` if it has run out in this question.
   */
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

  /**
   * The test of one method, and whether it is sharp. A method without `testWithin` is judged here. Its log(TPR − e^ω·FPR) may fall short of its
   * upper bound of log δ(ω) by `enough`. Ensures: log FPR rounded up, log TPR down.
   */
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
   * The bracket of log δ(epsilon): the intersection of the brackets of the methods asked in order, until one is narrow enough or hopeless. Its upper
   * end is capped by the ceiling if it is wider than `width`. Only the first method that answers is told `floor`, the log δ below which no narrower
   * bracket is wanted. Ensures: log δ lies in the bracket if it lies in every method's.
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

  /** Whether the ceiling shows that log δ(ε) is below `OUT_OF_REACH`, where contours and grids give nothing, but δ is not 0. */
  private isFar(epsilon: number): boolean {
    if (!(epsilon > 0 && epsilon > this.near.value)) return false;
    const most = this.most(epsilon);
    return most < OUT_OF_REACH && most > -Infinity;
  }

  /**
   * The first sharp test "reject where L > ω", its rates known to the width asked; or one seen before it with a larger TPR − e^ω·FPR. If none is
   * sharp, the test with the largest. Ensures: log FPR rounded up, log TPR down.
   */
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

  /**
   * The error where no method answered. The last method of every policy applies to any run, so all have run out of allowance, which `runOut`
   * reports.
   */
  private noneServes(): Error {
    if (noted(this, noneOut).size > 0) runOut();
    return new Error('none of the ways serves');
  }
}

/** The intersection of two brackets. Ensures: it contains the value if both brackets do. */
function both(a: Bracket, b: Bracket): Bracket {
  return bracket(Math.max(a.lower, b.lower), Math.min(a.upper, b.upper));
}
