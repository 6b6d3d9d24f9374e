import { type Bracket, bracket } from '../numeric/bracket.js';
import type { DirectedRun } from './directed-run.js';
import type { Method } from './method.js';

/**
 * A run known from two sides: `above` dominates all that is allowed, `below` is allowed. The worst that is allowed is
 * between them: δ from the one and from the other, tests from `below` alone, which exist.
 *
 * @param also Further upper bounds of log δ(ε).
 */
export function enclosedRun(
  above: DirectedRun,
  below: DirectedRun,
  also: readonly ((epsilon: number) => number)[] = [],
): DirectedRun {
  return {
    get direction(): DirectedRun['direction'] {
      return above.direction;
    },
    get method(): Method {
      return above.method;
    },
    methodAt: (epsilon, width) => above.methodAt?.(epsilon, width) ?? above.method,
    get logInfinity(): Bracket {
      return bracket(below.logInfinity.lower, above.logInfinity.upper);
    },
    get largestLoss(): Bracket | undefined {
      const [most, least] = [above.largestLoss, below.largestLoss];
      return most && least && bracket(Math.min(least.lower, most.upper), most.upper);
    },
    logDelta: (epsilon, width) => {
      let { upper } = above.logDelta(epsilon, width);
      for (const bound of also) upper = Math.min(upper, bound(epsilon));
      return bracket(Math.min(below.logDelta(epsilon, width).lower, upper), upper);
    },
    ceiling: (epsilon) => above.ceiling?.(epsilon) ?? 0,
    test: (omega, width) => below.test(omega, width),
    guessEpsilon: (target) => above.guessEpsilon(target),
    guessOmega: (target) => below.guessOmega(target),
  };
}
