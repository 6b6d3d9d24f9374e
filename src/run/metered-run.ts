import { type Bracket, bracket, ordered, overlap } from '../numeric/bracket.js';
import type { Clock } from '../numeric/clock.js';
import { logComplement, outward } from '../numeric/log-arithmetic.js';
import { type Allowance, attemptOf, isLimited, noted, noteLimited } from '../numeric/meter.js';
import { logDeltaGdp } from '../numeric/scalar.js';
import { firstWhere } from '../numeric/solve.js';
import type { CertifiedTest, DirectedRun } from './directed-run.js';
import { ForwardingRun } from './forwarding-run.js';
import { gain } from './hull-run.js';
import type { ErrorBudget, Method } from './method.js';

/** Greatest number of stored answers of each kind. When it is reached, a new test replaces the oldest one, and a new δ a neighbour in ε. */
const MOST = 4096;

/** A limit, in milliseconds, for the total time of all answers. */
export class Deadline implements Clock {
  /** Whether the time was over before an answer was complete. */
  late = false;
  /** Called when `late` is first set. */
  whenLate: (() => void) | undefined;

  private since = 0;

  constructor(private left: number) {}

  get over(): boolean {
    if (performance.now() - this.since < this.left) return false;
    if (!this.late) this.whenLate?.();
    this.late = true;
    return true;
  }

  start(): void {
    this.since = performance.now();
  }

  stop(): void {
    this.left -= performance.now() - this.since;
  }
}

/** A decreasing step function: stored are only points whose values are below those of all points before them. */
class Falling {
  private readonly points: (readonly [place: number, value: number])[] = [];

  /** The least value at a place or before it. */
  upTo(place: number): number {
    return this.least(place, this.from(place));
  }

  add(place: number, value: number): void {
    const { points } = this;
    let from = this.from(place);
    if (!(value < this.least(place, from))) return;
    let to = from;
    while (to < points.length && points[to][1] >= value) to++;
    // if full, a neighbour is removed: the one before, or the next if it is the first
    if (from === to && points.length >= MOST) {
      if (from > 0) from--;
      else to++;
    }
    points.splice(from, to - from, [place, value]);
  }

  /** The place with the nearest value; undefined if there is none. */
  nearest(value: number): number | undefined {
    const { points } = this;
    const after = firstWhere(points.length, (i) => points[i][1] <= value);
    const [before, behind] = [points[after - 1], points[after]];
    return (behind && !(before?.[1] - value <= value - behind[1]) ? behind : before)?.[0];
  }

  private least(place: number, from: number): number {
    return this.points[this.points[from]?.[0] === place ? from : from - 1]?.[1] ?? Infinity;
  }

  /** Index of the first stored point at `place` or beyond. */
  private from(place: number): number {
    return firstWhere(this.points.length, (i) => this.points[i][0] >= place);
  }
}

/** The answers of a run so far, and the bounds that follow from them. */
class Known {
  private readonly tests: Map<number, CertifiedTest> = new Map();
  /** Upper bounds of log δ by ε, and negated lower bounds by −ε. */
  private readonly above = new Falling();
  private readonly below = new Falling();

  constructor(private readonly muCeiling: number) {}

  addDelta(epsilon: number, { lower, upper }: Bracket): void {
    this.above.add(epsilon, upper);
    this.below.add(-epsilon, -lower);
  }

  /**
   * Bracket of log δ(ε) from known ones: δ decreases with ε, and max(0, 1 − e^ε) ≤ δ(ε) ≤ 1. It is also at most δ(ε) of the Gaussian pair with μ = `muCeiling`.
   *
   * Ensures: log δ(ε) lies in the bracket where it lay in those that were added.
   */
  delta(epsilon: number): Bracket {
    const { muCeiling } = this;
    const most = muCeiling < Infinity ? outward(logDeltaGdp(muCeiling, epsilon), 1) : 0;
    const least = epsilon < 0 ? outward(logComplement(epsilon), -1) : -Infinity;
    return ordered(Math.max(least, -this.below.upTo(-epsilon)), Math.min(most, this.above.upTo(epsilon)));
  }

  addTest(omega: number, test: CertifiedTest): CertifiedTest {
    const { tests } = this;
    if (tests.size >= MOST && !tests.has(omega)) tests.delete(tests.keys().next().value as number);
    tests.set(omega, test);
    return test;
  }

  test(omega: number): CertifiedTest {
    // the test that always rejects
    let best: CertifiedTest = { logFpr: 0, logTpr: 0 };
    for (const known of this.tests.values()) if (gain(known, omega) > gain(best, omega)) best = known;
    return best;
  }

  /** The ε of the stored answer with the nearest δ. */
  nearest(logDelta: number): number {
    return Math.max(0, this.above.nearest(logDelta) ?? 1);
  }
}

/** Fraction of the allowance of work that each of two directions may use, so that some is left for the other. */
const SHARE = 0.8;

/**
 * All directions of a run under one allowance.
 * @param muCeiling A μ for which the run is known to be GDP.
 */
export function meteredDirections(
  runs: readonly DirectedRun[],
  allowance: Allowance,
  muCeiling: number = Infinity,
): DirectedRun[] {
  return runs.map((run) => new MeteredRun(run, allowance, runs.length > 1 ? SHARE : 1, muCeiling));
}

/**
 * A run whose answers cost a limited amount of work. When that is spent, further answers follow from those found for the same question. δ decreases with
 * ε, so that known δ at smaller ε are upper bounds and at larger ε lower bounds. Always max(0, 1 − e^ε) ≤ δ(ε) ≤ 1, and any test may answer for another.
 * So brackets still hold, but are wider. With a time limit, answers follow from those of all earlier questions.
 */
class MeteredRun extends ForwardingRun {
  private readonly lasting: Known | undefined;

  constructor(
    private readonly run: DirectedRun,
    private readonly allowance: Allowance,
    private readonly share: number,
    private readonly muCeiling: number,
  ) {
    super();
    if (allowance.clock !== undefined) this.lasting = new Known(muCeiling);
  }

  private ask<T>(ask: (known: Known) => T, otherwise: (known: Known) => T): T {
    return this.allowance.ask(() => {
      const known = this.lasting ?? noted(this, () => new Known(this.muCeiling));
      return attemptOf(
        this,
        this.share,
        () => ask(known),
        () => {
          noteLimited();
          return otherwise(known);
        },
      );
    }, true);
  }

  /** The answer of `ask`; undefined if the allowance is spent. */
  protected of<T>(ask: (run: DirectedRun) => T): T {
    return this.ask<T | undefined>(
      () => ask(this.run),
      () => undefined,
    ) as T;
  }

  override get direction(): DirectedRun['direction'] {
    return this.of((run): DirectedRun['direction'] | undefined => run.direction) ?? 'both';
  }

  override get method(): Method {
    return this.of((run): Method | undefined => run.method) ?? 'closed-form';
  }

  override get logInfinity(): Bracket {
    return this.ask(
      () => this.run.logInfinity,
      (known) => bracket(-Infinity, known.delta(Infinity).upper),
    );
  }

  logDelta(epsilon: number, width?: number, floor?: number): Bracket {
    return this.ask(
      (known) => {
        const found = this.run.logDelta(epsilon, width, floor);
        known.addDelta(epsilon, found);
        return isLimited() ? overlap(found, known.delta(epsilon)) : found;
      },
      (known) => known.delta(epsilon),
    );
  }

  test(omega: number, width?: number, floor?: number): CertifiedTest {
    return this.ask(
      (known) => known.addTest(omega, this.run.test(omega, width, floor)),
      (known) => known.test(omega),
    );
  }

  override guessEpsilon(target: number): number {
    return this.ask(
      () => this.run.guessEpsilon(target),
      (known) => known.nearest(target),
    );
  }

  override guessOmega(target: number): number {
    return this.ask(
      () => this.run.guessOmega(target),
      (known) => known.nearest(target),
    );
  }

  methodAt(epsilon: number, width?: number): Method {
    return this.of((run) => run.methodAt?.(epsilon, width) ?? run.method) ?? 'closed-form';
  }

  explain(epsilon: number, width?: number): ErrorBudget | undefined {
    return this.of((run) => run.explain?.(epsilon, width));
  }
}
