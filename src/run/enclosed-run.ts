import { bracket } from '../numeric/bracket.js';
import type { DirectedRun } from './directed-run.js';

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
  const [most, least] = [above.largestLoss, below.largestLoss];
  return {
    direction: above.direction,
    method: above.method,
    logInfinity: bracket(below.logInfinity.lower, above.logInfinity.upper),
    largestLoss: most && least && bracket(Math.min(least.lower, most.upper), most.upper),
    logDelta: (epsilon, width) => {
      let { upper } = above.logDelta(epsilon, width);
      for (const bound of also) upper = Math.min(upper, bound(epsilon));
      return bracket(Math.min(below.logDelta(epsilon, width).lower, upper), upper);
    },
    test: (omega, width) => below.test(omega, width),
    guessEpsilon: (target) => above.guessEpsilon(target),
    guessOmega: (target) => below.guessOmega(target),
  };
}
