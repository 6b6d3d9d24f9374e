/** The law of one step, untruncated (assembly/question/law-calls.ts). */
export interface KernelStep {
  /** μ = sensitivity/σ of a Poisson-subsampled Gaussian; the constant `MIXTURE`, `EXPONENTIAL`, `ATOMS`, `EPOCHS` or `BLEND` for other kinds. */
  readonly mu: number;
  /** The sampling rate of such a Gaussian; 0 for others. */
  readonly rate: number;
  /**
   * Parameters of the other kinds. Mixtures: numbers of components of plus and minus, and for each its shifts and weights. Exponentials: rate,
   * range ε₀, weight and atom. Atoms: see assembly/law/atoms.ts. Epochs: see assembly/law/bins.ts.
   * Mixtures of steps whose branch is published: see assembly/law/blend.ts.
   */
  readonly own?: Float64Array;
}

/**
 * A step whose outputs are truncated smoothly: output x is kept with probability Φ((cut − x)/width), or in other units for other kinds. Epochs keep
 * outputs with |η| ≤ cut, log(1 + η) the loss without its Gaussian part. Both numbers are ∞ where all outputs are kept. Integrals over outputs have
 * relative errors of about e^{−depth}.
 */
export interface WindowedStep extends KernelStep {
  readonly cut: number;
  readonly width: number;
  readonly depth: number;
}

/**
 * A truncation (cut NaN for none), and logs of upper bounds of the masses of P and of Q that it removes. `largest` is about the largest tilt at
 * which M is known, `steepest` that at which contours are computed; they enter no bound.
 */
export interface LawCut {
  readonly cut: number;
  readonly logLostP: number;
  readonly logLostQ: number;
  readonly largest: number;
  readonly steepest: number;
}

/** Numbers that a call found, and its work in units (docs/effort.md), which the caller charges to the meter. */
export interface Worked {
  readonly numbers: Float64Array;
  readonly work: number;
}

/**
 * The law of a step (assembly/question/law-calls.ts). A call may cost `allowance` units of work; where that does not suffice, its bounds are
 * infinite.
 */
export interface LawKernel {
  /**
   * A truncation with an edge of the given width that removes about e^{logMass} of the mass of Q. Where it cuts is heuristic; the masses removed
   * are bounded.
   */
  lawCut(step: KernelStep, logMass: number, width: number, depth: number): LawCut;
  /**
   * Four numbers for each tilt: log M, a bound of its error, mean and variance of the tilted loss. The bound is ∞ where log M is not known.
   * @param bounded 0 for a few digits without bounds.
   */
  lawCumulants(law: WindowedStep, tilts: Float64Array, bounded: 0 | 1, allowance: number): Worked;
  /**
   * count·log φ(τ), φ(τ) = M(c + iτ)/M(c), at τ = k·dTau, k < n. Four rows: log|φ|, arg φ, and bounds of the rounding and of the quadrature error.
   * The first number is NaN where that would cost too much.
   */
  lawLine(
    law: WindowedStep,
    count: number,
    line: { readonly c: number; readonly dTau: number; readonly n: number },
    allowance: number,
  ): Worked;
  /**
   * Upper bounds of log|φ(τ)| = log|M(c + iτ)/M(c)| between consecutive ascending frequencies, not improved below `enough`. Then A and V with |φ(τ)|
   * ≤ A + V/|τ|.
   */
  lawDecay(law: WindowedStep, c: number, taus: Float64Array, enough: number, allowance: number): Worked;
  /** Tighter upper bounds of log|φ(τ)| = log|M(c + iτ)/M(c)|, from integrals off the real axis of outputs: each holds at its frequency and beyond. */
  lawFar(law: WindowedStep, c: number, taus: Float64Array, allowance: number): Worked;
}
