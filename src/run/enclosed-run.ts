import { type Bracket, bracket, ordered } from '../numeric/bracket.js';
import { attempt, noteLimited } from '../numeric/meter.js';
import type { CertifiedTest, DirectedRun } from './directed-run.js';
import type { Method } from './method.js';

/**
 * A run that is known by two bounds: its δ is at most that of `above`, and at least that of `below`, at every ε. It may be the worst case over many
 * data sets. Upper ends of δ are those of `above`; lower ends and tests are those of `below`.
 *
 * Ensures: δ of every run between the two lies in every bracket.
 *
 * @param how.direction The direction of both, if it is not that of `above`.
 * @param how.also Further upper bounds of log δ(ε).
 * @param how.groups Number of groups of steps that both consist of, if they do.
 */
export function enclosedRun(above: DirectedRun, below: DirectedRun, how: Enclosing = {}): DirectedRun {
  return new EnclosedRun(above, below, how);
}

interface Enclosing {
  readonly direction?: DirectedRun['direction'];
  readonly also?: readonly ((epsilon: number) => number)[];
  readonly groups?: number;
}

/** Fractions of the remaining allowance of work that the upper and the lower end of one δ may use. Only width depends on them. */
const [ABOVE, BELOW] = [0.8, 0.5];

class EnclosedRun implements DirectedRun {
  constructor(
    private readonly above: DirectedRun,
    private readonly below: DirectedRun,
    private readonly how: Enclosing,
  ) {}

  get direction(): DirectedRun['direction'] {
    return this.how.direction ?? this.above.direction;
  }

  get method(): Method {
    return this.above.method;
  }

  methodAt(epsilon: number, width?: number): Method {
    return this.above.methodAt?.(epsilon, width) ?? this.above.method;
  }

  get groups(): number | undefined {
    return this.above.groups ?? this.how.groups;
  }

  get logInfinity(): Bracket {
    return ordered(this.below.logInfinity.lower, this.above.logInfinity.upper);
  }

  get largestLoss(): Bracket | undefined {
    const [most, least] = [this.above.largestLoss, this.below.largestLoss];
    return most && least && bracket(Math.min(least.lower, most.upper), most.upper);
  }

  logDelta(epsilon: number, width?: number, floor?: number): Bracket {
    // each end is valid without the other
    let upper = this.end(ABOVE, 0, () => this.above.logDelta(epsilon, width, floor).upper);
    for (const bound of this.how.also ?? []) upper = Math.min(upper, bound(epsilon));
    const lower = this.end(BELOW, -Infinity, () => this.below.logDelta(epsilon, width, floor).lower);
    return bracket(Math.min(lower, upper), upper);
  }

  private end(share: number, none: number, ask: () => number): number {
    return attempt(share, ask, () => {
      noteLimited();
      return none;
    });
  }

  ceiling(epsilon: number): number {
    return this.above.ceiling?.(epsilon) ?? 0;
  }

  test(omega: number, width?: number, floor?: number): CertifiedTest {
    return this.below.test(omega, width, floor);
  }

  guessEpsilon(target: number): number {
    return this.above.guessEpsilon(target);
  }

  guessOmega(target: number): number {
    return this.below.guessOmega(target);
  }
}
