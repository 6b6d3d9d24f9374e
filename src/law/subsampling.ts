import type { Kernel } from '../kernel/kernel.js';
import { aroundRelative, type Bracket, bracket, exactly } from '../numeric/bracket.js';
import { U } from '../numeric/constants.js';
import { complementTimes } from '../numeric/log-arithmetic.js';
import { SLACK } from '../numeric/log-probability.js';
import { FEW_ROUNDINGS, ROUNDINGS } from '../numeric/rounding.js';
import { exp, expm1, log, log1p } from '../numeric/scalar.js';
import type { CertifiedTest, DirectedRun } from '../run/directed-run.js';
import type { Pair } from './pair.js';

/**
 * Poisson sampling of a pair (P₀, Q₀) at the rate q: P₀ against the mixture (1−q)P₀ + qQ₀. An output of loss s = log(dQ₀/dP₀) has the loss
 * y(s) = log(1 − q + q e^s) under the sampled pair. y rises with s. So a test that rejects at losses above ε of the sampled pair rejects at losses s of
 * (P₀, Q₀) with y(s) > ε. For ε ≥ 0 δ(ε) is q times δ of (P₀, Q₀) at the s with y(s) = ε. For the exchanged pairs it is 1 − (1 − q)e^ε times δ at −s,
 * with y(s) = −ε.
 */

/** y(s) = log(1 − q + q e^s), with a relative error of at most 9u, u the unit roundoff. An error of s adds q e^{s − y} times itself. */
export function subsampledLoss(s: number, q: number): number {
  if (q === 1) return s;
  // e^s would overflow
  if (s > 700) {
    const t = s + log(q);
    return t > 0 ? t + log1p((1 - q) * exp(-t)) : log1p(exp(t) - q);
  }
  if (s > 30 && s + log(q) > 0) return s + log(q) + log1p(((1 - q) * exp(-s)) / q);
  const excess = q * expm1(s);
  // for y < log ½, 1 + excess would cancel
  return excess < -0.5 ? log(1 - q + q * exp(s)) : log1p(excess);
}

/**
 * Bracket of y(s) = log(1 − q + q e^s); s has a relative error of at most 4U, or is ±∞.
 *
 * Ensures: y(s) lies in the bracket.
 */
export function subsampledBracket(s: number, q: number): Bracket {
  if (s === -Infinity) return q === 1 ? exactly(s) : aroundRelative(log1p(-q), 8 * U);
  if (s === Infinity) return exactly(s);
  const reach = 4 * U * Math.abs(s);
  const [low, high] = [subsampledLoss(s - reach, q), subsampledLoss(s + reach, q)];
  if (q === 1) return bracket(low, high);
  // the size relative to which roundings of y are bounded: y itself near s = 0, else also q or s
  const size = Math.abs(s) < 0.5 ? 0 : s > 30 ? s : q;
  const slack = Math.max(10 * U * Math.max(Math.abs(low), Math.abs(high), size), Number.MIN_VALUE);
  return bracket(low - slack, high + slack);
}

/** The s with y(s) = x, log((e^x − 1 + q)/q); −∞ for x up to the least loss log(1 − q). Rounding errors change y(s) by at most 16 u (1 + |s|). */
export function plainLoss(x: number, q: number): number {
  if (q === 1) return x;
  if (x > 1) return x - log(q) + log1p((q - 1) * exp(-x));
  const excess = x < -0.5 ? exp(x) - (1 - q) : expm1(x) + q;
  if (excess <= 0) return -Infinity;
  // near s = 0 the quotient excess/q is near 1, and log1p keeps the digits of s
  if (x > -0.5 && Math.abs(x) < 0.5 * q) return log1p(expm1(x) / q);
  // for the smallest rates the quotient overflows
  return excess / q < Infinity ? log(excess / q) : log(excess) - log(q);
}

/** `plainLoss` of each of the ascending losses x, by its formulas and with its error; rise[i] = e^{x[i]} − 1. */
export function plainLosses(kernel: Kernel, x: Float64Array, rise: Float64Array, q: number): Float64Array {
  const n = x.length;
  if (q === 1) return x.slice();
  const out = new Float64Array(n);
  const logQ = log(q);
  let i = 0;
  for (; i < n && x[i] < -0.5; i++) out[i] = plainLoss(x[i], q);
  const near = i;
  for (; i < n && x[i] <= 1; i++) {
    const excess = rise[i] + q;
    // e^s − 1, the argument of log1p; −1 for losses up to the least, whose s is −∞
    out[i] = Math.abs(x[i]) < 0.5 * q ? rise[i] / q : excess > 0 ? excess / q - 1 : -1;
  }
  kernel.log1p(out.subarray(near, i), out.subarray(near, i));
  const far = i;
  for (; i < n; i++) out[i] = (q - 1) / (rise[i] + 1);
  kernel.log1p(out.subarray(far), out.subarray(far));
  for (let k = far; k < n; k++) out[k] = x[k] - logQ + out[k];
  for (let k = near; k < far; k++) if (out[k] === Infinity) out[k] = plainLoss(x[k], q);
  return out;
}

/**
 * δ and tests of one step of `inner` = (P₀, Q₀) on a Poisson sample of rate q. For 'remove' it is P₀ against (1−q)P₀ + qQ₀, exchanged for 'add'.
 * Let δ₀ be the curve of (P₀, Q₀) and δ₀' that of (Q₀, P₀). For ε ≥ 0 (Liu et al. 2022, §4.3, for 'remove'):
 *
 *   remove: δ(ε) = q δ₀(s), e^s = 1 + (e^ε − 1)/q;
 *   add:    δ(ε) = r δ₀'(s), r = 1 − e^ε(1−q), e^s = e^ε q/r.
 *
 * For ε < 0, 1 − δ(ε) = e^ε(1 − δ′(−ε)), δ′ the curve of the other direction.
 *
 * Ensures: δ lies in its bracket; some test has at most the FPR stated, and at least the TPR.
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
  // rates stated for a test of `inner` are attained by a randomised test, whose rates on the sample are their mixtures
  const test = (omega: number): CertifiedTest => {
    if (direction === 'remove') {
      const { logFpr, logTpr } = base.test(plainLoss(omega, q));
      return { logFpr, logTpr: mixture(logFpr, logTpr, q, -1) };
    }
    const plain = plainLoss(-omega, q);
    // losses do not exceed −log(1 − q), even at outputs that Q₀ never gives
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

/** log δ(ε) in either direction, ε ≥ 0, by the formulas of `subsampledRun`. Ensures: it lies in the bracket, which includes rounding of s, q and r. */
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
      // r = 1 − e^{−left} is 0 from the largest loss −log(1−q) on
      const left = -log1p(-q) - epsilon;
      const rounding = FEW_ROUNDINGS * (epsilon - log1p(-q)) + Number.MIN_VALUE;
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

/**
 * Bracket of log(e^{logScale} δ₀(s)), δ₀ the curve of `base`. s and the scale have a few roundings, and the scale the relative error `relative` beside.
 *
 * Ensures: log(scale · δ₀) lies in the bracket for every s and scale within their roundings.
 */
function moved(
  base: DirectedRun,
  { logScale, s, relative }: { readonly logScale: number; readonly s: number; readonly relative: number },
): Bracket {
  const slack = SLACK + (ROUNDINGS + relative) * (1 + Math.abs(s));
  const scaleSlack = SLACK * (1 + Math.abs(logScale)) + relative;
  const upper = Math.min(0, base.logDelta(s - slack).upper + logScale + scaleSlack);
  return bracket(Math.min(upper, base.logDelta(s + slack).lower + logScale - scaleSlack), upper);
}

/**
 * The largest loss of the sampled pair: y(s) = log(1 − q + q e^s), s the largest loss of the pair. For 'add' it is −y(−s), s the largest loss of the
 * exchanged pair.
 *
 * Ensures: the largest loss of the sampled pair lies in the bracket.
 */
function movedLargest(
  { lower, upper }: Bracket,
  logInfinity: Bracket,
  q: number,
  direction: 'remove' | 'add',
): Bracket {
  if (direction === 'remove')
    return bracket(subsampledBracket(lower, q).lower, subsampledBracket(upper, q).upper);
  // outputs that Q₀ never gives have the loss −log(1 − q)
  const least = logInfinity.lower > -Infinity ? Infinity : lower;
  const most = logInfinity.upper > -Infinity ? Infinity : upper;
  return bracket(-subsampledBracket(-least, q).upper, -subsampledBracket(-most, q).lower);
}

/**
 * log((1−q)e^a + q e^b), rounded to the side asked for.
 *
 * Ensures: no smaller than the mixture where `side` is 1, and no larger where it is −1.
 */
function mixture(a: number, b: number, q: number, side: 1 | -1): number {
  const top = Math.max(a, b);
  if (top === -Infinity) return top;
  const mix = top + log((1 - q) * exp(a - top) + q * exp(b - top));
  return Math.min(0, mix + side * SLACK * Math.min(1, 1e-2 + Math.abs(mix)));
}

/** The bracket of a log-probability plus `shift`, the log of a factor. Ensures: holds x + shift, capped at 0, for every x of the bracket. */
function plus(b: Bracket, shift: number): Bracket {
  return bracket(
    b.lower + shift - SLACK * (1 + Math.abs(shift)),
    Math.min(0, b.upper + shift + SLACK * (1 + Math.abs(shift))),
  );
}
