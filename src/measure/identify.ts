import type { Bracket } from '../numeric/bracket.js';
import { BARELY } from '../numeric/rounding.js';
import { turningPoint } from '../numeric/solve.js';
import type { Profile } from '../profile/profile.js';
import { asProfile, type Subject } from '../tradeoff/subject.js';

/** Whether a profile is μ-GDP for some μ (IAM thms 3.2, 3.3), and its tail limit μ_t. */
export type Identification = Identified | Estimated;

/** An answer that follows from what is known of the mechanism, or of the guarantee that was stated. */
export interface Identified {
  /** Whether the profile is μ-GDP for some μ. */
  readonly verdict: 'gdp' | 'not-gdp';
  /** 'exact': the verdict is on the mechanism itself. 'bound': it is on the stated guarantee. */
  readonly standing: 'exact' | 'bound';
  /** The tail limit μ_t: no smaller μ holds at all error rates; ∞ if none does. A measured μ of all rates is never below it. */
  readonly tailMu: Bracket;
  /** Why the run is identified so, in one sentence. */
  readonly reason: string;
}

/** A guess from values of a function that the caller gave, as values decide no limit. */
export interface Estimated {
  readonly verdict: 'estimate';
  readonly standing: 'estimate';
  /** The verdict that the values suggest. */
  readonly likely: 'gdp' | 'not-gdp' | 'unclear';
  /** Extrapolated μ_t; it is no bound. */
  readonly tailMu: number;
  /** Why the run is identified so, in one sentence. */
  readonly reason: string;
  /** ε/√(−2 log δ(ε)), whose limit is the tail limit μ_t. */
  readonly samples: readonly { readonly epsilon: number; readonly ratio: number }[];
}

/**
 * Tells whether a mechanism is Gaussian DP for any μ. It is iff δ(0) < 1 and the tail limit μ_t is finite (IAM thms 3.2, 3.3).
 *
 * @throws TypeError if `subject` is neither a profile, nor a composed run, nor a trade-off function.
 * @example
 * identify(account(engine, pureDp({ epsilon: 1 }), { adjacency: 'add-remove' })).verdict; // 'gdp'
 */
export function identify(subject: Subject): Identification {
  const profile = asProfile(subject);
  const { mu, reason } = profile.tail;
  if (profile.standing === 'estimate' || mu === undefined) return estimate(profile);
  const { standing } = profile;
  if (mu.lower === Infinity) return { verdict: 'not-gdp', standing, tailMu: mu, reason };
  if (profile.logDelta(0).lower === 0) {
    return {
      verdict: 'not-gdp',
      standing,
      tailMu: { lower: Infinity, upper: Infinity },
      reason: 'delta(0) is 1: some outputs tell the neighbours apart for certain',
    };
  }
  return { verdict: 'gdp', standing, tailMu: mu, reason };
}

/**
 * When ε doubles, ε/√(−2 log δ) doubles if δ falls by a power of ε. It grows by √2 if δ falls exponentially, and settles if δ falls like a Gaussian
 * tail. Growth below SETTLED counts as settled, and above GROWING as not.
 */
const SETTLED = 1.03;
const GROWING = 1.2;

/** Heuristic: whether values of δ look like a Gaussian tail, by the growth of ε/√(−2 log δ) when ε doubles. It is no bound. */
function estimate(profile: Profile): Estimated {
  const samples: { epsilon: number; ratio: number }[] = [];
  const answer = (likely: Estimated['likely'], tailMu: number, reason: string): Estimated => ({
    verdict: 'estimate',
    standing: 'estimate',
    likely,
    tailMu,
    reason,
    samples,
  });
  for (let epsilon = 1; epsilon <= 2 ** 20; epsilon *= 2) {
    const { upper } = profile.logDelta(epsilon);
    if (upper === -Infinity) {
      if (!vanishesAbruptly(profile, epsilon / 2, epsilon)) break;
      return answer('gdp', 0, 'delta is 0 from some epsilon on: the privacy loss looks bounded');
    }
    samples.push({ epsilon, ratio: upper === 0 ? Infinity : epsilon / Math.sqrt(-2 * upper) });
  }
  const last = samples.at(-1)?.ratio ?? 0;
  const before = samples.at(-2)?.ratio ?? 0;
  if (samples.length < 4 || !(before < Infinity)) {
    return answer('unclear', last, 'delta vanishes, or stays at 1, before a trend can be seen');
  }
  const growth = last / before;
  // with log δ = −ε²/2μ_t² + O(ε), the ratio ε/√(−2 log δ) is μ_t + O(1/ε)
  if (growth > GROWING) return answer('not-gdp', Infinity, 'the sampled tail falls slower than any Gaussian');
  const limit = Math.max(0, 2 * last - before);
  if (growth < SETTLED) return answer('gdp', limit, 'the sampled tail falls like a Gaussian, or faster');
  return answer('unclear', limit, 'the sampled tail has not settled');
}

/** Heuristic: whether δ, 0 at `high`, falls to 0 abruptly between `low` and `high`, not by underflow. */
function vanishesAbruptly(profile: Profile, low: number, high: number): boolean {
  const end = turningPoint((x) => profile.logDelta(x).upper === -Infinity, {
    guess: high,
    reach: high - low,
    floor: low,
    ceiling: high,
    relative: BARELY,
  });
  return profile.logDelta(Math.max(low, end.low)).upper > -600;
}
