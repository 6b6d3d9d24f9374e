import type { Bracket } from '../numeric/bracket.js';
import { FEW_ROUNDINGS, ROUNDING } from '../numeric/rounding.js';
import { exp, expm1, log } from '../numeric/scalar.js';
import type { CertifiedTest } from './directed-run.js';

/**
 * A test of a pair, by δ at three ε alone. As a function of t = e^ε, δ is convex, and its slope is minus the false positive rate. Let
 * −a and −s be the slopes of its chords from t₁ to t₂ and from t₂ to t₃; s ≤ a. The rate at t₂ is between s and a, and that at t₁ at
 * least a. So at rate a the best power is at least δ(t₂) + t₂ s + t₁ (a − s). A test with these rates rejects at losses of at least
 * log t₁ alone. Both slopes are known as brackets.
 *
 * Ensures: a test exists whose rate is at most the upper end of a, and whose power is at least that of the lower ends.
 *
 * @param profile Brackets of log δ of one pair.
 * @param first log t₁.
 * @param gap Distance of the three ε: its square, and the width of the brackets over it, are the errors of the test.
 */
export function profileTest(
  profile: (epsilon: number) => Bracket,
  first: number,
  gap: number,
): CertifiedTest {
  const middle = first + gap;
  const [d1, d2, d3] = [profile(first), profile(middle), profile(middle + gap)];
  if (d1.upper === -Infinity) return { logFpr: -Infinity, logTpr: -Infinity };
  const scale = d1.upper;
  const at = (x: number): number => exp(x - scale);
  const rise = expm1(gap);
  // −slope of a chord, divided by e^{scale − first}
  const fall = (above: number, below: number, length: number, side: 1 | -1): number =>
    Math.max(0, ((at(above) - at(below) + side * FEW_ROUNDINGS) / length) * (1 + side * ROUNDING));
  const most = fall(d1.upper, d2.lower, rise, 1);
  const sure = fall(d1.lower, d2.upper, rise, -1);
  const after = fall(d2.lower, d3.upper, rise * (1 + rise), -1);
  const power = at(d2.lower) + rise * Math.min(after, sure) + sure;
  return {
    logFpr: Math.min(0, scale - first + log(most) + ROUNDING * (2 + Math.abs(scale) + Math.abs(first))),
    logTpr: Math.min(0, scale + log(power) - ROUNDING * (2 + Math.abs(scale))),
  };
}
