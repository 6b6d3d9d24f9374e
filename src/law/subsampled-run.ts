import { type Bracket, bracket, exactly } from '../numeric/bracket.js';
import { complementTimes } from '../numeric/log-arithmetic.js';
import { SLACK } from '../numeric/log-probability.js';
import { exp, expm1, log, log1p } from '../numeric/scalar.js';
import type { CertifiedTest, DirectedRun } from '../run/directed-run.js';
import type { Pair } from './pair.js';
import { plainLoss, subsampledBracket, subsampledLoss } from './subsampling.js';

/**
 * One step of `inner` on a Poisson sample of rate q, in one direction. With (P₀, Q₀) the inner pair and the
 * mixture (1−q)P₀ + qQ₀, δ reduces to the inner δ at a moved ε, exactly (IAM §4.3 for 'remove'):
 *   remove: δ(ε) = q δ₀(s), e^s = 1 + (e^ε − 1)/q
 *   add:    δ(ε) = r δ₀'(s), r = 1 − e^ε(1−q), e^s = e^ε q/r, with δ₀' of the exchanged inner pair,
 * both for ε ≥ 0; below it each is what the other leaves.
 */
export function subsampledRun(
  inner: Pick<Pair, 'forward' | 'backward'>,
  q: number,
  direction: 'remove' | 'add',
): DirectedRun {
  const base = direction === 'remove' ? inner.forward : inner.backward;
  if (q === 1) return base;
  const profiles = profilesOf(inner, q);
  const logDelta = (epsilon: number): Bracket =>
    epsilon >= 0
      ? profiles[direction](epsilon)
      : complementTimes(epsilon, profiles[direction === 'remove' ? 'add' : 'remove'](-epsilon));
  // a certified test can be thinned until its rates are the stated ones exactly, so they may be mixed
  const test = (omega: number): CertifiedTest => {
    if (direction === 'remove') {
      const { logFpr, logTpr } = base.test(plainLoss(omega, q));
      return { logFpr, logTpr: mixture(logFpr, logTpr, q, -1) };
    }
    const plain = plainLoss(-omega, q);
    // no loss is beyond −log(1 − q), not even where one data set alone is possible
    if (plain === -Infinity) return { logFpr: -Infinity, logTpr: -Infinity };
    const { logFpr, logTpr } = base.test(-plain);
    return { logFpr: mixture(logTpr, logFpr, q, 1), logTpr };
  };
  const largestLoss = base.largestLoss && movedLargest(base.largestLoss, base.logInfinity, q, direction);
  return {
    direction,
    method: 'closed-form',
    logInfinity: direction === 'remove' ? plus(inner.forward.logInfinity, log(q)) : exactly(-Infinity),
    largestLoss,
    logDelta,
    test,
    guessEpsilon: (target) => subsampledLoss(base.guessEpsilon(target), q),
    guessOmega: (target) => subsampledLoss(base.guessOmega(target), q),
  };
}

/** log δ(ε) in either direction, ε ≥ 0. */
function profilesOf(
  inner: Pick<Pair, 'forward' | 'backward'>,
  q: number,
): Record<'remove' | 'add', (epsilon: number) => Bracket> {
  const logQ = log(q);
  return {
    remove: (epsilon) =>
      epsilon === Infinity
        ? plus(inner.forward.logInfinity, logQ)
        : moved(inner.forward, { logScale: logQ, s: plainLoss(epsilon, q), relative: 0 }),
    add: (epsilon) => {
      // r = 1 − e^{−left}: above the largest loss −log(1−q) nothing is left
      const left = -log1p(-q) - epsilon;
      const rounding = 1e-15 * (epsilon - log1p(-q)) + Number.MIN_VALUE;
      if (left === -Infinity || left < -rounding) return exactly(-Infinity);
      if (left <= rounding) return bracket(-Infinity, log(2 * rounding));
      const logR = log(-expm1(-left));
      return moved(inner.backward, {
        logScale: logR,
        s: epsilon + logQ - logR,
        relative: rounding / (left - rounding),
      });
    },
  };
}

/** log(scale · δ₀(s)), where s carries the rounding of the map, and both that of the scale. */
function moved(
  base: DirectedRun,
  { logScale, s, relative }: { readonly logScale: number; readonly s: number; readonly relative: number },
): Bracket {
  const slack = SLACK + (1e-14 + relative) * (1 + Math.abs(s));
  const scaleSlack = SLACK * (1 + Math.abs(logScale)) + relative;
  const upper = Math.min(0, base.logDelta(s - slack).upper + logScale + scaleSlack);
  return bracket(Math.min(upper, base.logDelta(s + slack).lower + logScale - scaleSlack), upper);
}

/** The largest loss of the sampled pair, from that of the pair, or in direction 'add' of the exchanged pair. */
function movedLargest(
  { lower, upper }: Bracket,
  logInfinity: Bracket,
  q: number,
  direction: 'remove' | 'add',
): Bracket {
  if (direction === 'remove')
    return bracket(subsampledBracket(lower, q).lower, subsampledBracket(upper, q).upper);
  // outputs that only the base gives have the loss −log(1 − q)
  const least = logInfinity.lower > -Infinity ? Infinity : lower;
  const most = logInfinity.upper > -Infinity ? Infinity : upper;
  return bracket(-subsampledBracket(-least, q).upper, -subsampledBracket(-most, q).lower);
}

/** log((1−q)e^a + q e^b), rounded to the side asked for. */
function mixture(a: number, b: number, q: number, side: 1 | -1): number {
  const top = Math.max(a, b);
  if (top === -Infinity) return top;
  const mix = top + log((1 - q) * exp(a - top) + q * exp(b - top));
  return Math.min(0, mix + side * SLACK * Math.min(1, 1e-2 + Math.abs(mix)));
}

function plus(b: Bracket, shift: number): Bracket {
  return bracket(
    b.lower + shift - SLACK * (1 + Math.abs(shift)),
    Math.min(0, b.upper + shift + SLACK * (1 + Math.abs(shift))),
  );
}
