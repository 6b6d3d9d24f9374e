/** Questions about whole runs, which the kernel answers in one call. */

/** Poisson-subsampled Gaussian steps of μ = 1/σ, seen at a rate in (0, 1), so many times. */
export interface RunPhase {
  readonly mu: number;
  readonly rate: number;
  readonly count: number;
}

/** Sampled steps in phases, and a Gaussian that is not sampled, of μ² = square; 0 for none. Both directions of adding or removing a record. */
export interface SampledRun {
  readonly phases: readonly RunPhase[];
  readonly square: number;
}

/** How a question ended, and what it cost in units of docs/effort.md. */
export interface Told {
  /** `limited`: the allowance did not reach. */
  readonly end: 'answered' | 'not answered' | 'limited';
  /** Lower end of the bracket, valid only if the question was answered; `upper` likewise. */
  readonly lower: number;
  readonly upper: number;
  readonly work: number;
  /** Errors of the last contour, relative to the δ that it gave. */
  readonly errors: { readonly rounding: number; readonly quadrature: number; readonly truncation: number };
  readonly aliasing: number;
}

/** What a question of μ ends with. */
export interface Measured extends Pick<Told, 'end' | 'lower' | 'upper' | 'work'> {
  /** Δ(f, G_μ) of every μ of the bracket. */
  readonly regret: { readonly lower: number; readonly upper: number };
  /** About the ε at which the line at the edge of the window touches. */
  readonly head: number;
}

/** Logarithms at many points, each in a bracket, [−∞, 0] where nothing is known, and what they cost. */
export interface Many extends Pick<Told, 'end' | 'work'> {
  readonly logs: readonly { readonly lower: number; readonly upper: number }[];
}

/** Questions about one run that follow each other share its lines: what they say and cost is the same whatever was asked before. */
export interface RunQuestions {
  /**
   * The smallest ε ≥ 0 with δ(ε) ≤ e^{logDelta}, in a bracket of about the relative width `tolerance`, of the worse direction.
   *
   * @param allowance Units that it may cost.
   */
  runEpsilon(run: SampledRun, logDelta: number, tolerance: number, allowance: number): Told;
  /** log δ(epsilon), epsilon ≥ 0, in a bracket of about this width, of the worse direction. */
  runDelta(run: SampledRun, epsilon: number, width: number, allowance: number): Told;
  /**
   * The smallest μ with f ≥ G_μ at error rates of e^{logAlpha} and more, in a bracket of about the relative width `tolerance`; and the regret of publishing it. It takes
   * δ at as many ε's as are needed. Not answered where the run may have no such rates.
   */
  runMeasure(run: SampledRun, logAlpha: number, tolerance: number, allowance: number): Measured;
  /** `runMeasure` without the regret, of which the bracket is [0, 1]. */
  runMu(run: SampledRun, logAlpha: number, tolerance: number, allowance: number): Measured;
  /** log δ at many ε ≥ 0, of the worse direction, as narrow as lines that serve many are. */
  runDeltas(run: SampledRun, epsilons: number[], allowance: number): Many;
  /** log of the power of the best test, 1 − f(α), at many logarithms of α, likewise; nothing is known beyond α = f(α). */
  runPowers(run: SampledRun, logAlphas: number[], allowance: number): Many;
}

/** How the kernel's functions say a question ended. */
export const ENDS: readonly Told['end'][] = ['answered', 'not answered', 'limited'];
