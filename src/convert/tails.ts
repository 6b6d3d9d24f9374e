import { type Bracket, bracket } from '../numeric/bracket.js';
import { ROUNDINGS } from '../numeric/log-arithmetic.js';
import { exp, expm1, normalCdf } from '../numeric/scalar.js';
import type { DirectedRun } from '../run/directed-run.js';

/** Strides of the chords that the tails are read off: the best of them counts. */
const STRIDES = [1e-2, 1e-3, 1e-4, 1e-5, 1e-6] as const;

/**
 * Pr_P[L > ε] of a pair, its false positive rate there: −dδ/de^ε, between the falls of δ, convex in e^ε, along chords before and
 * after.
 */
function falsePositives(run: DirectedRun, epsilon: number): Bracket {
  let lower = 0;
  let upper = 1;
  const at = (x: number): Bracket => {
    const logs = run.logDelta(x);
    return bracket(exp(logs.lower) * (1 - ROUNDINGS), exp(logs.upper) * (1 + ROUNDINGS));
  };
  const here = at(epsilon);
  for (const share of STRIDES) {
    const stride = share * Math.min(1, epsilon);
    const before = at(epsilon - stride);
    const after = at(epsilon + stride);
    upper = Math.min(
      upper,
      ((before.upper - here.lower) / (exp(epsilon) * -expm1(-stride))) * (1 + ROUNDINGS),
    );
    lower = Math.max(lower, ((here.lower - after.upper) / (exp(epsilon) * expm1(stride))) * (1 - ROUNDINGS));
  }
  return bracket(Math.min(lower, upper), Math.max(0, upper));
}

/** Pr_Q[L > ε] + Pr_Q[L < −ε] of a pair (P, Q): δ(ε) + e^ε Pr_P[L > ε], and the false positives of the pair exchanged. */
function lossBeyond(forward: DirectedRun, backward: DirectedRun, epsilon: number): Bracket {
  const logs = forward.logDelta(epsilon);
  const own = falsePositives(forward, epsilon);
  const other = falsePositives(backward, epsilon);
  const lower = exp(logs.lower) + exp(epsilon) * own.lower + other.lower;
  const upper = exp(logs.upper) + exp(epsilon) * own.upper + other.upper;
  return bracket(Math.max(0, lower * (1 - ROUNDINGS)), Math.min(1, upper * (1 + ROUNDINGS)));
}

/** Pr[|L| > ε] of a run's privacy loss, in the worse role of the neighbours; ε > 0. */
export function lossTails(directions: readonly DirectedRun[], epsilon: number): Bracket {
  const [forward, backward = forward] = directions;
  const a = lossBeyond(forward, backward, epsilon);
  if (backward === forward) return a;
  const b = lossBeyond(backward, forward, epsilon);
  return bracket(Math.max(a.lower, b.lower), Math.max(a.upper, b.upper));
}

/** The same of G_μ: Φ(−(ε − μ²/2)/μ) + Φ(−(ε + μ²/2)/μ) (GM lemma 15 ii). */
export function gaussianTails({ lower, upper }: Bracket, epsilon: number): Bracket {
  const at = (mu: number, side: 1 | -1): number => {
    const value = normalCdf(mu / 2 - epsilon / mu) + normalCdf(-mu / 2 - epsilon / mu);
    // quantiles move by roundings of their argument, tails by that times its square
    return value * (1 + side * (1e-14 + 4e-16 * (epsilon / mu + mu) ** 2));
  };
  return bracket(Math.max(0, at(lower, -1)), Math.min(1, at(upper, 1)));
}
