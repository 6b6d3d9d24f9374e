/** Questions about whole runs, each answered by one kernel call. */
import type { KernelStep } from './laws.js';

/** A phase: `count` identical steps. */
export interface RunPhase extends KernelStep {
  readonly count: number;
}

/** A run under addition and removal of a record: steps in phases, and one unsampled Gaussian of μ² = `square`, 0 for none. */
export interface SampledRun {
  readonly phases: readonly RunPhase[];
  readonly square: number;
}

/** The answer to a question: how it ended, a bracket, and the work in units of docs/effort.md. */
export interface Told {
  /** `limited`: the allowance was spent before an answer was found. */
  readonly end: 'answered' | 'not answered' | 'limited';
  /** Lower end of the bracket, valid only if the question was answered; `upper` likewise. */
  readonly lower: number;
  readonly upper: number;
  readonly work: number;
  /** Errors of the last contour, relative to the δ that it gave. */
  readonly errors: { readonly rounding: number; readonly quadrature: number; readonly truncation: number };
  readonly aliasing: number;
}

/** The answer to a question about μ: the bracket of μ, and of the regret. */
export interface Measured extends Pick<Told, 'end' | 'lower' | 'upper' | 'work'> {
  /** Bracket of the regret Δ(f, G_μ), valid for every μ of the bracket of μ. */
  readonly regret: { readonly lower: number; readonly upper: number };
  /** Approximate ε of the supporting line of f at the edge of the window of rates. */
  readonly head: number;
}

/** Brackets of log δ or of log power at many points, [−∞, 0] where nothing is known, and the work. */
export interface Many extends Pick<Told, 'end' | 'work'> {
  readonly logs: readonly { readonly lower: number; readonly upper: number }[];
}

/** Consecutive questions about one run share its contours. Answers and charges are the same whatever was asked before. */
export interface RunQuestions {
  /**
   * The smallest ε ≥ 0 with δ(ε) ≤ e^{logDelta}, in a bracket of about the relative width `tolerance`, of the worse direction.
   *
   * @param allowance Units that it may cost.
   */
  runEpsilon(run: SampledRun, logDelta: number, tolerance: number, allowance: number): Told;
  /** A bracket of log δ(epsilon) of the worse direction, epsilon ≥ 0, of about the absolute width `width`. */
  runDelta(run: SampledRun, epsilon: number, width: number, allowance: number): Told;
  /**
   * The smallest μ with f ≥ G_μ at error rates of e^{logAlpha} and more, in a bracket of about the relative width `tolerance`; and the regret of publishing it. It takes
   * δ at as many ε's as are needed. Not answered where the run may have no such rates.
   */
  runMeasure(run: SampledRun, logAlpha: number, tolerance: number, allowance: number): Measured;
  /** `runMeasure` without the regret: its bracket is [0, 1]. */
  runMu(run: SampledRun, logAlpha: number, tolerance: number, allowance: number): Measured;
  /** Brackets of log δ of the worse direction at many ε ≥ 0, by contours that serve many ε. */
  runDeltas(run: SampledRun, epsilons: number[], allowance: number): Many;
  /** Brackets of the log of the power 1 − f(α) of the best test, at many log α, by the same contours. [−∞, 0] beyond the fixed point α = f(α). */
  runPowers(run: SampledRun, logAlphas: number[], allowance: number): Many;
}

/** The number by which the kernel's functions say how a question ended, as an index. */
export const ENDS: readonly Told['end'][] = ['answered', 'not answered', 'limited'];
