import { type Bracket, bracket } from '../numeric/bracket.js';
import { normalQuantileLog } from '../numeric/scalar.js';
import { crossing } from '../numeric/solve.js';
import type { DirectedRun } from '../run/directed-run.js';
import { profileTest } from '../run/profile-test.js';

/** Bracket of log δ(ε), for any ε ≥ 0. */
export type LogProfile = (epsilon: number) => Bracket;

/** Distance in ε over which slopes of the profile are taken: its square and 1e-13 over it are the errors of a test. */
const STRIDE = 1e-4;
/** Strides are no shorter than from here: differences of δ are known to a few 1e-16, and divided by the stride. */
const NEAR = 1e-2;
/** No profile is asked beyond this ε. */
const LAST = 1e6;

/** A symmetric pair known by its profile alone: δ gives supporting lines, and slopes of δ give tests. */
export function profileRun(profile: LogProfile): DirectedRun {
  // quantiles of a Gaussian's δ lie nearly on a line: few ε's find it, none far beyond, where runs cost more
  const guess = (target: number): number =>
    crossing((epsilon) => normalQuantileLog(profile(epsilon).upper) - normalQuantileLog(target), {
      guess: 1,
      ceiling: LAST,
      relative: 1e-2,
      absolute: 1e-9,
    }).high;
  return {
    direction: 'both',
    method: 'closed-form',
    // not before it is asked for: so far out a run may cost more than all else
    get logInfinity(): Bracket {
      return bracket(-Infinity, profile(LAST).upper);
    },
    logDelta: (epsilon) => (epsilon > LAST ? bracket(-Infinity, profile(LAST).upper) : profile(epsilon)),
    // near the one that rejects when L > ω
    test: (at) => {
      const omega = Math.min(at, LAST);
      const gap = STRIDE * Math.min(1, Math.max(omega, NEAR));
      return profileTest(profile, Math.max(0, omega - gap), gap);
    },
    guessEpsilon: (target) => Math.min(LAST, guess(target)),
    guessOmega: (target) => Math.min(LAST, guess(target)),
  };
}
