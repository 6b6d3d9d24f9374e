import { type Bracket, bracket } from '../numeric/bracket.js';
import { ROUNDING } from '../numeric/log-arithmetic.js';
import { exp, expm1, log } from '../numeric/scalar.js';
import { turningPoint } from '../numeric/solve.js';
import type { CertifiedTest, DirectedRun } from '../run/directed-run.js';

/** Bracket of log δ(ε), for any ε ≥ 0. */
export type LogProfile = (epsilon: number) => Bracket;

/** Distance in ε over which slopes of the profile are taken: its square and 1e-13 over it are the errors of a test. */
const STRIDE = 1e-4;
/** Strides are no shorter than from here: differences of δ are known to a few 1e-16, and divided by the stride. */
const NEAR = 1e-2;
/** Above the roundings of a difference of two values up to 1. */
const DIFFERENCE = 1e-15;
/** No profile is asked beyond this ε. */
const LAST = 1e6;

/** A symmetric pair known by its profile alone: δ gives supporting lines, and slopes of δ give tests. */
export function profileRun(profile: LogProfile): DirectedRun {
  const ended = profile(LAST);
  const guess = (target: number): number =>
    turningPoint((epsilon) => profile(epsilon).upper <= target, {
      guess: 1,
      reach: 1,
      floor: 0,
      ceiling: LAST,
      relative: 1e-2,
      absolute: 1e-9,
    }).high;
  return {
    direction: 'both',
    method: 'closed-form',
    logInfinity: bracket(-Infinity, ended.upper),
    logDelta: (epsilon) => profile(Math.min(epsilon, LAST)),
    test: (omega) => testOf(profile, Math.min(omega, LAST)),
    guessEpsilon: (target) => Math.min(LAST, guess(target)),
    guessOmega: (target) => Math.min(LAST, guess(target)),
  };
}

/**
 * δ(t), t = e^ε, is convex and falls by the false positive rate. With a and s ≤ a its falls, by chords, from t₁ to t₂ and
 * from t₂ to t₃, the rate at t₂ is between them and that at t₁ at least a: at rate a the best power is at least
 * δ(t₂) + t₂ s + t₁ (a − s). Both chords are known as brackets: the rate is at most the upper end of a, the power at least that
 * of the lower ends.
 */
function testOf(profile: LogProfile, omega: number): CertifiedTest {
  const gap = STRIDE * Math.min(1, Math.max(omega, NEAR));
  const first = Math.max(0, omega - gap);
  const middle = first + gap;
  const [d1, d2, d3] = [profile(first), profile(middle), profile(middle + gap)];
  if (d1.upper === -Infinity) return { logFpr: -Infinity, logTpr: -Infinity };
  const scale = d1.upper;
  const at = (x: number): number => exp(x - scale);
  const rise = expm1(gap);
  // rates over e^{scale − ε₁}
  const fall = (above: number, below: number, length: number, side: 1 | -1): number =>
    Math.max(0, ((at(above) - at(below) + side * DIFFERENCE) / length) * (1 + side * ROUNDING));
  const most = fall(d1.upper, d2.lower, rise, 1);
  const sure = fall(d1.lower, d2.upper, rise, -1);
  const after = fall(d2.lower, d3.upper, rise * (1 + rise), -1);
  const power = at(d2.lower) + rise * Math.min(after, sure) + sure;
  return {
    logFpr: Math.min(0, scale - first + log(most) + ROUNDING * (2 + Math.abs(scale) + first)),
    logTpr: Math.min(0, scale + log(power) - ROUNDING * (2 + Math.abs(scale))),
  };
}
