import { type Bracket, bracket } from '../numeric/bracket.js';
import type { CertifiedTest, DirectedRun } from '../run/directed-run.js';
import { gain } from '../run/hull-run.js';
import type { ErrorBudget } from '../run/method.js';

/** A run that can say when a test is as sharp as it was asked to be. */
export interface ChoosyRun extends DirectedRun {
  /** The test, or undefined if its rates could not be certified to `width`. */
  sharpTest(omega: number, width?: number): CertifiedTest | undefined;
}

/**
 * Two methods for one run: the second is made and asked only where the first does not reach the width, and then
 * both brackets hold, so their intersection does.
 */
export class FallbackRun implements DirectedRun {
  readonly method: DirectedRun['method'];
  readonly direction: DirectedRun['direction'];
  readonly logInfinity: Bracket;
  private made: DirectedRun | undefined;

  constructor(
    private readonly first: ChoosyRun,
    private readonly makeSecond: () => DirectedRun,
    private readonly widths: {
      /** Asked for where a query names none. */
      readonly width: number;
      /** A bracket of the first method this wide is taken, whatever was asked for. */
      readonly enough: number;
    },
  ) {
    this.method = first.method;
    this.direction = first.direction;
    this.logInfinity = first.logInfinity;
  }

  get largestLoss(): Bracket | undefined {
    return this.first.largestLoss ?? this.second.largestLoss;
  }

  private get second(): DirectedRun {
    this.made ??= this.makeSecond();
    return this.made;
  }

  private isEnough({ lower, upper }: Bracket, width: number): boolean {
    return upper - lower <= Math.max(width, this.widths.enough);
  }

  logDelta(epsilon: number, width = this.widths.width, floor = -Infinity): Bracket {
    const here = this.first.logDelta(epsilon, width, floor);
    if (this.isEnough(here, width) || here.upper === here.lower || here.upper <= floor) return here;
    const there = this.second.logDelta(epsilon, width);
    return bracket(Math.max(here.lower, there.lower), Math.min(here.upper, there.upper));
  }

  test(omega: number, width = this.widths.width, floor = -Infinity): CertifiedTest {
    if (floor > -Infinity && this.first.logDelta(omega, width, floor).upper <= floor)
      return this.first.test(omega, width, floor);
    const here = this.first.sharpTest(omega, Math.max(width, this.widths.enough));
    if (here !== undefined) return here;
    const blunt = this.first.test(omega, width);
    const there = this.second.test(omega, width);
    return gain(blunt, omega) > gain(there, omega) ? blunt : there;
  }

  guessEpsilon(logDelta: number): number {
    return this.first.guessEpsilon(logDelta);
  }

  guessOmega(logFpr: number): number {
    return this.first.guessOmega(logFpr);
  }

  explain(epsilon: number, width = this.widths.width): ErrorBudget | undefined {
    const here = this.first.logDelta(epsilon, width);
    return this.isEnough(here, width) ? this.first.explain?.(epsilon, width) : undefined;
  }
}
