import type { Bracket } from '../numeric/bracket.js';
import type { LimitedBy } from '../numeric/limited-by.js';
import type { Method } from '../run/method.js';

/** Whether the window min(α, f(α)) ≥ alphaMin contains any α. */
export type RatesInWindow = 'some' | 'none' | 'unknown';

/** Result of `measure`: the Gaussian-DP summary of a run and the window it holds on. */
export interface Measurement {
  /**
   * Smallest μ with f(α) ≥ G_μ(α) wherever min(α, f(α)) ≥ alphaMin (REP §4), G_μ the trade-off function of N(0, 1) and N(μ, 1). If `rates` is 'none',
   * the μ with G_μ = f at the fixed point α = f(α).
   */
  readonly mu: Bracket;
  /** Whether the window contains error rates of the curve. 'none': the best attacks err less often than alphaMin, and μ says little. */
  readonly rates: RatesInWindow;
  /**
   * The regret Δ(f, G_μ) over all α, not the window alone (REP def. 2.10): the least distance by which f, moved along the diagonal, is below G_μ. The
   * bracket holds for the exact μ and for the published `mu.upper`.
   */
  readonly regret: Bracket;
  /** Smallest false positive or false negative rate in the window. */
  readonly alphaMin: number;
  /** Natural logarithm of `alphaMin`, which also states windows below the smallest double. */
  readonly logAlphaMin: number;
  /** The ε whose supporting line touches f at alphaMin: the head ε_h of (ε_h, μ)-head GDP (IAM). */
  readonly epsilonHead: number;
  /**
   * The least μ with f ≥ G_μ at all rates. It is at least `mu` and the tail limit μ_t (IAM §3), and at most the μ of the steps (GDP cor. 3.3) or of
   * pure DP (IAM thm 5.1). The upper end is ∞ if the run is not Gaussian DP, or if no bound is known.
   */
  readonly muAllRates: Bracket;
  /**
   * The tier, by Δ↔ = max{Δ(f, G_μ), Δ(G_μ, f)}: 'I' if it is certainly below 0.01, so publish μ; 'II' if it is certainly at least 0.01, so publish
   * the curve; else undecided. Δ(f, G_μ) is `regret`; Δ(G_μ, f), by how much f is below G_μ outside the window, is at most `alphaMin`.
   */
  readonly tier: 'I' | 'II' | 'undecided';
  /** What keeps `mu` from being narrower. */
  readonly limitedBy: LimitedBy;
  /** The method of the account. */
  readonly method: Method;
}

/** What reports add if the window contains none of the run's error rates. */
export const RATES_SAID: Readonly<Record<RatesInWindow, string>> = {
  some: '',
  none: '; the best attacks on this run err less often',
  unknown: '; the best attacks on this run may err less often',
};
