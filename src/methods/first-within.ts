import { type Bracket, bracket, ordered } from '../numeric/bracket.js';
import { Lazy, LruCache } from '../numeric/lru-cache.js';
import { attempt, noted, noteLimited, runOut } from '../numeric/meter.js';
import type { CertifiedTest, DirectedRun } from '../run/directed-run.js';
import { gain } from '../run/hull-run.js';
import type { ErrorBudget, Method } from '../run/method.js';

/** A certified test, and whether it is as sharp as was asked for. */
export interface Judged {
  readonly test: CertifiedTest;
  readonly sharp: boolean;
}

/** A run that can say when a test is as sharp as it was asked to be. */
export interface ChoosyRun extends DirectedRun {
  /** The test, and whether its rates are certified to `width`. */
  testWithin(omega: number, width?: number): Judged;
}

/** One way to answer a run in one direction. */
export interface Way {
  /** What answers this way; undefined where it does not serve. Called when a question has come so far. Tests of a run that is not choosy are taken as they are. */
  make(): DirectedRun | ChoosyRun | undefined;
  /** The width of a bracket that is narrow enough where `asked` was asked for; where nothing is said, every one is. */
  readonly enough?: ((asked: number) => number) | undefined;
  /** A bracket this wide is taken too: what comes behind would not mend it. */
  readonly hopeless?: number | undefined;
  /** It is asked for this many times the width that is asked for. */
  readonly times?: number | undefined;
  /** It is a coarse form of others, asked only where one of those before it ran out. */
  readonly spare?: boolean | undefined;
  /** What it may cost of what is left of a question's allowance, where others stand behind it: half unless said. */
  share?(): number | undefined;
}

interface Made extends Omit<Way, 'make' | 'share' | 'spare'> {
  readonly index: number;
  readonly run: DirectedRun & Partial<Pick<ChoosyRun, 'testWithin'>>;
}

/**
 * The first of several ways that is narrow enough. Each is made and asked only where none before it was. All brackets
 * hold, so their intersection does. Nothing is made before a question is asked. Each way may cost half of what is left of a question's
 * allowance, the last one all of it; one that runs out is not asked again in that question.
 *
 * @param width Asked for where a question names none.
 * @param ceiling log δ(ε) from above, ε ≥ 0, by a formula: what it settles no way is asked.
 */
export function firstWithin(
  ways: readonly Way[],
  width: number,
  ceiling?: (epsilon: number) => number,
): ChoosyRun {
  return new FirstWithin(ways, width, ceiling);
}

/** Answers that are held. Curves and reports ask for the same ones again, some of which took long. */
const MOST_HELD = 1024;
/** Where log δ is known to be below this the last way alone is asked: no line or grid reaches so far down. It is at none of these ε's in most runs. */
export const OUT_OF_REACH = -1e7;
const NEAR = [1e4, 100, 1] as const;
/** Of what is left, for a way with others behind it. */
const SHARE = 0.5;

/** The bracket of all that had to be asked, the way of the narrowest, and how wide that is. */
interface Answered {
  readonly found: Bracket;
  readonly by: Made;
  readonly open: number;
}

/** A way that ran out. */
const OUT = Symbol('out');

/** The ways that ran out in a question. */
function noneOut(): Set<number> {
  return new Set();
}

class FirstWithin implements ChoosyRun {
  /** By the way, the loss, the width and the floor that they were asked for. */
  private readonly deltas = new LruCache<string, Bracket>(MOST_HELD);
  private readonly tests = new LruCache<string, Judged>(MOST_HELD);
  private readonly made = new LruCache<number, Made | undefined>(Infinity);
  /** Up to this ε no δ is so far below. */
  private readonly near = new Lazy(() => NEAR.find((epsilon) => this.most(epsilon) >= OUT_OF_REACH) ?? 0);

  constructor(
    private readonly ways: readonly Way[],
    private readonly width: number,
    private readonly most: (epsilon: number) => number = () => 0,
  ) {}

  get method(): Method {
    return this.first.run.method;
  }

  get direction(): DirectedRun['direction'] {
    return this.first.run.direction;
  }

  get logInfinity(): Bracket {
    return this.first.run.logInfinity;
  }

  get infinity(): number | undefined {
    return this.first.run.infinity;
  }

  get lattice(): number | undefined {
    return this.first.run.lattice;
  }

  get groups(): number | undefined {
    return this.first.run.groups;
  }

  get vertices(): DirectedRun['vertices'] {
    return this.first.run.vertices;
  }

  get largestLoss(): Bracket | undefined {
    return this.firstSaid(({ run }) => run.largestLoss);
  }

  ceiling(epsilon: number): number {
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

  test(omega: number, width = this.width, floor = -Infinity): CertifiedTest {
    if (floor > -Infinity) {
      // any test will do where δ is not above the floor
      const settled = this.within(this.first.index, (first) =>
        this.deltaBy(first, omega, width, floor).upper <= floor
          ? first.run.test(omega, width, floor)
          : undefined,
      );
      if (settled !== undefined && settled !== OUT) return settled;
    }
    return this.testWithin(omega, width).test;
  }

  guessEpsilon(logDelta: number): number {
    return this.ofFirst(({ run }) => run.guessEpsilon(logDelta));
  }

  guessOmega(logFpr: number): number {
    return this.ofFirst(({ run }) => run.guessOmega(logFpr));
  }

  private get first(): Made {
    return this.ofFirst((made) => made);
  }

  /** What the first way says that has anything to say and has not run out: a guess may cost what an answer does. */
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

  /** What is asked of the i-th way; undefined where it does not serve, OUT where it has run out in this question. */
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

  private testBy({ index, run, enough, times = 1 }: Made, omega: number, width: number): Judged {
    const asked = times * width;
    return this.tests.of(`${index} ${omega} ${width}`, () =>
      enough === undefined || run.testWithin === undefined
        ? { test: run.test(omega, asked), sharp: true }
        : run.testWithin(omega, enough(asked)),
    );
  }

  /** The intersection of the brackets of all that had to be asked. The first alone is told of the floor. */
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

  /** Whether δ is too small for lines and grids, and not 0. */
  private isFar(epsilon: number): boolean {
    if (!(epsilon > 0 && epsilon > this.near.value)) return false;
    const most = this.most(epsilon);
    return most < OUT_OF_REACH && most > -Infinity;
  }

  /** The first sharp test, or the one that makes most of δ(ω). */
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

  /** The last way of every policy serves always: without one, all that could ran out. */
  private noneServes(): Error {
    if (noted(this, noneOut).size > 0) runOut();
    return new Error('none of the ways serves');
  }
}

function both(a: Bracket, b: Bracket): Bracket {
  return bracket(Math.max(a.lower, b.lower), Math.min(a.upper, b.upper));
}
