import { type Bracket, bracket, ordered } from '../numeric/bracket.js';
import { Recent } from '../numeric/recent.js';
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
  readonly make: () => DirectedRun | ChoosyRun | undefined;
  /** The width of a bracket that is narrow enough where `asked` was asked for; where nothing is said, every one is. */
  readonly enough?: ((asked: number) => number) | undefined;
  /** A bracket this wide is taken too: what comes behind would not mend it. */
  readonly hopeless?: number;
  /** It is asked for this many times the width that is asked for. */
  readonly times?: number;
}

interface Made extends Omit<Way, 'make'> {
  readonly run: DirectedRun & Partial<Pick<ChoosyRun, 'testWithin'>>;
}

/**
 * The first of several ways that is narrow enough: each is made and asked only where none before it was, and then all brackets
 * hold, so their intersection does. Nothing is made before a question is asked.
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

/** Losses whose answers are held, and answers of one. Curves and reports ask for the same ones again, some of which took long. */
const [MOST_HELD, MOST_ALIKE] = [256, 4];

/** Answers by the loss, the width and the floor that they were asked for. */
class Answers<T> {
  private readonly held = new Recent<number, { width: number; floor: number; answer: T }[]>(MOST_HELD);

  of(x: number, width: number, floor: number, make: () => T): T {
    const alike = this.held.of(x, () => []);
    const known = alike.find((one) => one.width === width && one.floor === floor);
    if (known !== undefined) return known.answer;
    const answer = make();
    if (alike.length === MOST_ALIKE) alike.shift();
    alike.push({ width, floor, answer });
    return answer;
  }
}

/** The bracket of all that had to be asked, the way of the narrowest, and how wide that is. */
interface Answered {
  readonly found: Bracket;
  readonly by: Made;
  readonly open: number;
}

class FirstWithin implements ChoosyRun {
  private readonly deltas = new Answers<Answered>();
  private readonly tests = new Answers<CertifiedTest>();
  private readonly made: Made[] = [];
  /** Ways that are made, or do not serve. */
  private tried = 0;

  constructor(
    private readonly ways: readonly Way[],
    private readonly width: number,
    private readonly most: (epsilon: number) => number = () => 0,
  ) {}

  get method(): Method {
    return this.first.method;
  }

  get direction(): DirectedRun['direction'] {
    return this.first.direction;
  }

  get logInfinity(): Bracket {
    return this.first.logInfinity;
  }

  get infinity(): number | undefined {
    return this.first.infinity;
  }

  get lattice(): number | undefined {
    return this.first.lattice;
  }

  get groups(): number | undefined {
    return this.first.groups;
  }

  get vertices(): DirectedRun['vertices'] {
    return this.first.vertices;
  }

  get largestLoss(): Bracket | undefined {
    for (let i = 0; ; i++) {
      const way = this.at(i);
      if (way === undefined || way.run.largestLoss !== undefined) return way?.run.largestLoss;
    }
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
    return this.tests.of(omega, width, floor, () => {
      // any test will do where δ is not above the floor
      if (floor > -Infinity && this.first.logDelta(omega, width, floor).upper <= floor)
        return this.first.test(omega, width, floor);
      return this.testWithin(omega, width).test;
    });
  }

  guessEpsilon(logDelta: number): number {
    return this.first.guessEpsilon(logDelta);
  }

  guessOmega(logFpr: number): number {
    return this.first.guessOmega(logFpr);
  }

  private get first(): DirectedRun {
    const way = this.at(0);
    if (way === undefined) throw noneServes();
    return way.run;
  }

  /** The i-th way that serves; undefined beyond the last. */
  private at(i: number): Made | undefined {
    while (i >= this.made.length) {
      const way = this.ways[this.tried];
      if (way === undefined) return undefined;
      const run = way.make();
      // what throws is tried again
      this.tried++;
      if (run !== undefined) this.made.push({ ...way, run });
    }
    return this.made[i];
  }

  private answer(epsilon: number, width: number, floor = -Infinity): Answered {
    return this.deltas.of(epsilon, width, floor, () => this.answered(epsilon, width, floor));
  }

  /** The intersection of the brackets of all that had to be asked. The first alone is told of the floor. */
  private answered(epsilon: number, width: number, floor: number): Answered {
    let best: Answered | undefined;
    for (let i = 0; ; i++) {
      const by = this.at(i);
      if (by === undefined) break;
      const { run, enough, hopeless, times = 1 } = by;
      const here =
        best === undefined
          ? run.logDelta(epsilon, times * width, floor)
          : run.logDelta(epsilon, times * width);
      const open = here.upper === here.lower ? 0 : here.upper - here.lower;
      if (best === undefined) best = { found: here, by, open };
      else {
        const { found } = best;
        best = {
          ...(open < best.open ? { by, open } : best),
          found: bracket(Math.max(found.lower, here.lower), Math.min(found.upper, here.upper)),
        };
      }
      if (enough === undefined || open <= enough(times * width) || open === 0 || here.upper <= floor) break;
      if (hopeless !== undefined && open >= hopeless) break;
    }
    if (best === undefined) throw noneServes();
    if (!(best.open > width) || epsilon < 0) return best;
    const { lower, upper } = best.found;
    return { ...best, found: ordered(lower, Math.min(upper, this.most(epsilon))) };
  }

  /** The first sharp test, or the one that makes most of δ(ω). */
  testWithin(omega: number, width = this.width): Judged {
    let best: CertifiedTest | undefined;
    for (let i = 0; ; i++) {
      const way = this.at(i);
      if (way === undefined) break;
      const { run, enough, times = 1 } = way;
      const asked = times * width;
      const { test, sharp } =
        enough === undefined || run.testWithin === undefined
          ? { test: run.test(omega, asked), sharp: true }
          : run.testWithin(omega, enough(asked));
      if (best === undefined || !(gain(best, omega) > gain(test, omega))) best = test;
      if (sharp) return { test: best, sharp };
    }
    if (best === undefined) throw noneServes();
    return { test: best, sharp: false };
  }
}

/** The last way of every policy serves always. */
function noneServes(): Error {
  return new Error('none of the ways serves');
}
