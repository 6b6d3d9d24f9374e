/** How a number was obtained. */
export type Method = 'closed-form' | 'grid' | 'spectral';

/** Bounds of the error of one δ by cause, each relative to δ. */
export interface ErrorBudget {
  /** Aliasing error of the trapezoidal sum with spacing Δ of the nodes: δ at ε ± 2π/Δ, ± 4π/Δ, … */
  readonly aliasing: number;
  /** Truncation error beyond the end of the contour. */
  readonly truncation: number;
  /** Error of integrals over the outputs of one step, truncated tails included. */
  readonly quadrature: number;
  /** Floating-point errors. */
  readonly roundOff: number;
  /** Error of smoothing by one more mechanism, if the moment generating function does not decay along the contour; else 0. */
  readonly smoothing: number;
  /** Number of nodes of the contour. */
  readonly nodes: number;
}
