import type { Bracket } from '../numeric/bracket.js';
import type { Method } from '../run/method.js';

/** Result of `measure`: the Gaussian-DP summary of a run and the window it holds on. */
export interface Measurement {
  /** Smallest μ with f(α) ≥ G_μ(α) wherever min(α, f(α)) ≥ alphaMin (REP §4). */
  readonly mu: Bracket;
  /** Δ-divergence between the run and its μ-GDP summary `mu.upper` (REP §4): how far the summary is from the run. */
  readonly regret: Bracket;
  /** Smallest false positive or false negative rate the summary speaks of. */
  readonly alphaMin: number;
  /** Its natural logarithm, which also tells windows below the smallest double apart. */
  readonly logAlphaMin: number;
  /** ε at which the supporting line of the window's edge touches: the head ε_h of IAM's (ε_h, μ)-head GDP. */
  readonly epsilonHead: number;
  /** μ_t, the floor of μ as the window opens to α → 0 (IAM §3). */
  readonly tailMu: Bracket;
  /** 'I': regret < 0.01 certified, publish μ; 'II': regret ≥ 0.01 certified, publish the curve; else undecided. */
  readonly tier: 'I' | 'II' | 'undecided';
  readonly method: Method;
}
