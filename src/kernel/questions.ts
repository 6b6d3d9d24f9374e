/** Questions about whole runs, each answered by one kernel call. */

/** One step, in its kind's numbers. */
export interface KernelStep {
  /** μ = sensitivity/σ of a Poisson-subsampled Gaussian; the constant `MIXTURE`, `EXPONENTIAL`, `ATOMS` or `EPOCHS` for other kinds. */
  readonly mu: number;
  /** The sampling rate of such a Gaussian; 0 for others. */
  readonly rate: number;
  /**
   * Parameters of the other kinds. Mixtures: numbers of components of plus and minus, and for each its shifts and weights. Exponentials: rate,
   * range ε₀, weight and atom. Atoms: see assembly/law/atoms.ts. Epochs: see assembly/law/bins.ts.
   */
  readonly own?: Float64Array;
}

/** A phase: `count` identical steps. */
export interface RunPhase extends KernelStep {
  readonly count: number;
}

/** A run under addition and removal of a record: steps in phases, and one unsampled Gaussian with μ² = `square`, 0 for none. */
export interface SampledRun {
  readonly phases: readonly RunPhase[];
  readonly square: number;
}

/** The answer to a question: how it ended, a bracket, and the work in units of docs/effort.md. */
export interface Told {
  /** `limited`: the allowance was spent before an answer was found. */
  readonly end: 'answered' | 'not answered' | 'limited';
  /** The lower end of the bracket, valid only if the question was answered; likewise `upper`. */
  readonly lower: number;
  readonly upper: number;
  readonly work: number;
  /** Error bounds of the last contour, relative to its δ; `aliasing` likewise. */
  readonly errors: { readonly rounding: number; readonly quadrature: number; readonly truncation: number };
  readonly aliasing: number;
  /** Number of nodes of that contour. */
  readonly nodes: number;
}

/** The answer to a question about μ: the bracket of μ, and of the regret. */
export interface Measured extends Pick<Told, 'end' | 'lower' | 'upper' | 'work'> {
  /** Bracket of the regret Δ(f, G_μ), the diagonal shift that takes f below G_μ; valid for every μ of the bracket. */
  readonly regret: { readonly lower: number; readonly upper: number };
  /** Approximate ε for which the line of slope −e^ε touches f where its smaller error rate is the one asked for. */
  readonly head: number;
}

/** Brackets by one contour: of log δ, and of the logs of a test's rates; with the errors of δ, as in `Told`. */
export interface LineAnswer extends Pick<Told, 'errors' | 'aliasing' | 'nodes'> {
  readonly delta: { readonly lower: number; readonly upper: number };
  readonly power: { readonly lower: number; readonly upper: number };
  readonly falsePositive: { readonly lower: number; readonly upper: number };
}

/** A direction of a run: 0 for removing a record, 1 for adding one. */
export type Side = 0 | 1;

/** Brackets of log δ or of log power at many points, [−∞, 0] where nothing is known; and the work. */
export interface Many extends Pick<Told, 'end' | 'work'> {
  readonly logs: readonly { readonly lower: number; readonly upper: number }[];
}

/** Questions about runs. Consecutive ones about one run share its contours, but answers and charges do not depend on what was asked before. */
export interface RunQuestions {
  /**
   * The smallest ε ≥ 0 with δ(ε) ≤ e^{logDelta} in the worse direction. Ensures: it lies in the bracket, of about the relative width `tolerance`.
   *
   * @param allowance Units of work that it may cost.
   */
  runEpsilon(run: SampledRun, logDelta: number, tolerance: number, allowance: number): Told;
  /** A bracket of log δ(epsilon) in the worse direction, epsilon ≥ 0, of about the width `width`. Ensures: log δ lies in it. */
  runDelta(run: SampledRun, epsilon: number, width: number, allowance: number): Told;
  /**
   * The smallest μ with f ≥ G_μ where both error rates are at least e^{logAlpha}, in a bracket of about the relative width `tolerance`; and the
   * regret. f is the run's trade-off function, G_μ that of N(0, 1) against N(μ, 1). It uses δ at as many ε as needed. Not answered where the run
   * may have no such rates.
   */
  runMeasure(run: SampledRun, logAlpha: number, tolerance: number, allowance: number): Measured;
  /** `runMeasure` without the regret, whose bracket is then [0, 1]. */
  runMu(run: SampledRun, logAlpha: number, tolerance: number, allowance: number): Measured;
  /**
   * A bracket of log δ(epsilon) of the finite losses in one direction, epsilon ≥ 0, of about the width `width`. Where it is not answered, the upper end
   * is Chernoff's bound; an upper end of at most `floor` suffices. Ensures: log δ lies in it.
   */
  sideDelta(
    run: SampledRun,
    side: Side,
    epsilon: number,
    width: number,
    floor: number,
    allowance: number,
  ): Told;
  /**
   * Lays a contour in one direction that serves all losses from `from` to `to`. Its brackets are of about the width `width`, of log δ or of the logs
   * of a test's rates. `line` is undefined where there is none.
   */
  sideLine(
    run: SampledRun,
    side: Side,
    stretch: {
      readonly from: number;
      readonly to: number;
      readonly width: number;
      readonly areRates: boolean;
    },
    allowance: number,
  ): { readonly end: Told['end']; readonly line: Float64Array | undefined; readonly work: number };
  /**
   * Brackets for the finite losses, by a contour that `sideLine` gave. Any engine accepts the contour of another.
   * If offset is negative, they are of log δ(x). Else they are of
   * the logs of the power of the threshold x + offset and of the false positive rate of x − offset. What the contour was not laid for has the bracket
   * [−∞, 0]. Ensures: each logarithm lies in its bracket.
   */
  lineAnswer(line: Float64Array, x: number, offset: number): LineAnswer;
  /**
   * Heuristic: an approximate ε with log δ(ε) = target in one direction, or a threshold with that log false positive rate; and the variance of the
   * loss. They enter no bound.
   */
  sideGuess(
    run: SampledRun,
    side: Side,
    target: number,
    of: 'delta' | 'falsePositive',
    allowance: number,
  ): { readonly at: number; readonly variance: number; readonly work: number };
  /** Ensures: `most` is no less than log M(c) under removal, M the moment generating function of the loss of the run's phases. */
  runMoment(run: SampledRun, c: number, allowance: number): { readonly most: number; readonly work: number };
  /** Brackets of log δ in the worse direction at many ε ≥ 0, by contours that serve many ε. */
  runDeltas(run: SampledRun, epsilons: number[], allowance: number): Many;
  /**
   * Brackets of the log of the power 1 − f(α) of the best test at many log α, by the contours of `runDeltas`. [−∞, 0] beyond the fixed point α =
   * f(α).
   */
  runPowers(run: SampledRun, logAlphas: number[], allowance: number): Many;
}

/** How a question ended, by the number that the kernel's functions return. */
export const ENDS: readonly Told['end'][] = ['answered', 'not answered', 'limited'];
