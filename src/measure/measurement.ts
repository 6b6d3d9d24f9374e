import type { Bracket } from '../numeric/bracket.js';
import type { LimitedBy } from '../numeric/limited-by.js';
import type { Method } from '../run/method.js';

/** Whether any α of a curve has min(α, f(α)) in the window. */
export type RatesInWindow = 'some' | 'none' | 'unknown';

/** Result of `measure`: the Gaussian-DP summary of a run and the window it holds on. */
export interface Measurement {
  /** Smallest μ with f(α) ≥ G_μ(α) wherever min(α, f(α)) ≥ alphaMin (REP §4); where `rates` is 'none', μ at the fixed point α = f(α). */
  readonly mu: Bracket;
  /** Whether the curve has error rates in the window; 'none': the run is so revealing that every attack has a smaller one, and μ says little. */
  readonly rates: RatesInWindow;
  /**
   * Δ(f, G_μ) over all α, not the window alone (REP def. 2.10): how far f has to move along the diagonal to come below
   * G_μ. The bracket holds for the exact μ and for the published `mu.upper`.
   */
  readonly regret: Bracket;
  /** Smallest false positive or false negative rate the summary speaks of. */
  readonly alphaMin: number;
  /** log of `alphaMin`, which also tells apart windows below the smallest double. */
  readonly logAlphaMin: number;
  /** ε at which the supporting line of the window's edge touches: the head ε_h of IAM's (ε_h, μ)-head GDP. */
  readonly epsilonHead: number;
  /**
   * μ without a window: the least μ with f ≥ G_μ at all rates. At least `mu` and the tail limit μ_t (IAM §3), at most that of the steps
   * (GDP cor. 3.3) or of pure DP (IAM thm 5.1); ∞ where the run is not Gaussian DP, its upper end also where no bound is known.
   */
  readonly muAllRates: Bracket;
  /**
   * By Δ↔ = max{Δ(f, G_μ), Δ(G_μ, f)}: 'I': below 0.01 certified, publish μ; 'II': at least 0.01 certified, publish the curve;
   * else undecided. The first is `regret`; the second, f below G_μ outside the window, is at most `alphaMin`.
   */
  readonly tier: 'I' | 'II' | 'undecided';
  /** What bounds the width of `mu`. */
  readonly limitedBy: LimitedBy;
  /** How the account found the answers it is made of. */
  readonly method: Method;
}

/** What is said after a window that holds none of a run's pairs of error rates. */
export const RATES_SAID: Readonly<Record<RatesInWindow, string>> = {
  some: '',
  none: '; the best attacks on this run err less often',
  unknown: '; the best attacks on this run may err less often',
};
