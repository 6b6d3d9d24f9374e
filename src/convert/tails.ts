import { type Bracket, bracket, maxBracket } from '../numeric/bracket.js';
import { ROUNDINGS } from '../numeric/log-arithmetic.js';
import { probabilityOf } from '../numeric/log-probability.js';
import { exp, expm1, normalCdf } from '../numeric/scalar.js';
import type { DirectedRun } from '../run/directed-run.js';

/** Strides of the chords that the tails are read off: the best of them counts. */
const STRIDES = [1e-2, 1e-3, 1e-4, 1e-5, 1e-6] as const;

/**
 * e^ε Pr_P[L > ε] of a pair, from its false positive rate there: −dδ/de^ε, between the falls of δ, convex in e^ε, along chords before
 * and after.
 */
function liftedRate(run: DirectedRun, epsilon: number): Bracket {
  let lower = 0;
  let upper = exp(epsilon);
  const at = (x: number): Bracket => probabilityOf(run.logDelta(x));
  const here = at(epsilon);
  for (const share of STRIDES) {
    const stride = share * Math.min(1, epsilon);
    const before = at(epsilon - stride);
    const after = at(epsilon + stride);
    upper = Math.min(upper, ((before.upper - here.lower) / -expm1(-stride)) * (1 + ROUNDINGS));
    lower = Math.max(lower, ((here.lower - after.upper) / expm1(stride)) * (1 - ROUNDINGS));
  }
  return bracket(Math.min(lower, upper), Math.max(0, upper));
}

/** Pr_Q[L > ε] + Pr_Q[L < −ε] of a pair (P, Q): δ(ε) + e^ε Pr_P[L > ε], and the false positives of the pair exchanged. */
function lossBeyond(forward: DirectedRun, backward: DirectedRun, epsilon: number): Bracket {
  const delta = probabilityOf(forward.logDelta(epsilon));
  const own = liftedRate(forward, epsilon);
  const other = liftedRate(backward, epsilon);
  const lower = delta.lower + own.lower + other.lower / exp(epsilon);
  const upper = delta.upper + own.upper + other.upper / exp(epsilon);
  return outward(lower, upper, ROUNDINGS);
}

/** Pr[|L| > ε] of a run's privacy loss, in the worse role of the neighbours; ε > 0. */
export function lossTails(directions: readonly DirectedRun[], epsilon: number): Bracket {
  const [forward, backward = forward] = directions;
  const a = lossBeyond(forward, backward, epsilon);
  if (backward === forward) return a;
  return maxBracket(a, lossBeyond(backward, forward, epsilon));
}

/** Pr[|L| > ε] of G_μ: Φ(−(ε − μ²/2)/μ) + Φ(−(ε + μ²/2)/μ) (GM lemma 15 ii). */
export function gaussianTails(mu: Bracket, epsilon: number): Bracket {
  const at = (mu: number): number => normalCdf(mu / 2 - epsilon / mu) + normalCdf(-mu / 2 - epsilon / mu);
  // quantiles move by roundings of their argument, tails by that times its square
  const slack = Math.min(1, 1e-14 + 4e-16 * (epsilon / mu.lower + mu.upper) ** 2);
  return outward(at(mu.lower), at(mu.upper), slack);
}

/** Around sums of a few probabilities; one that is too small for a double is not 0. */
function outward(lower: number, upper: number, slack: number): Bracket {
  return bracket(Math.max(0, lower * (1 - slack) - LEAST), Math.min(1, upper * (1 + slack) + LEAST));
}

/** What the smallest doubles may have lost in a sum of two. */
const LEAST = 2 * Number.MIN_VALUE;
