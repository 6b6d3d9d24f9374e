/** How a number was obtained. */
export type Method = 'closed-form' | 'grid' | 'spectral';

/** Bounds of the error of one δ, by where it comes from, each relative to δ. */
export interface ErrorBudget {
  /** Excess of the trapezoidal sum: δ at ε ± 2π/Δ, ± 4π/Δ, … */
  readonly aliasing: number;
  /** What the end of the contour leaves out. */
  readonly truncation: number;
  /** Integration over the outputs of one step, and their cut tails. */
  readonly quadrature: number;
  /** Floating-point errors. */
  readonly roundOff: number;
  /** What smoothing by a further mechanism costs where |M| does not decay; 0 where there is none. */
  readonly smoothing: number;
  /** Samples of the contour. */
  readonly nodes: number;
}
