import { exp, log1p, logNormalCdf } from '../../../numeric/scalar.js';

/**
 * A smooth window on outputs, W(x) = Φ((to − x)/width): the indicator of outputs up to `to` convolved with N(0, width²). It is entire; as an integral of the normal
 * density, |W(x + iy)| ≤ e^{y²/2width²} W(x).
 */
export interface OutputWindow {
  readonly to: number;
  readonly width: number;
}

/** √(1 + width²), the standard deviation of a normal output plus the window's noise. The window takes as much mass as a sharp cut takes from that. */
export function stretchOf(width: number): number {
  return Math.sqrt(1 + width * width);
}

/** 1 + 1/w²: φW grows by at most e^{sharpness·y²/2} off the real axis. */
export function sharpness({ width }: OutputWindow): number {
  return 1 + 1 / (width * width);
}

/** Relative error of log Φ, and of its argument. */
const LOG_PHI = 1e-14;

/** log W(x) of the window W(x) = Φ((to − x)/width), and a bound of its absolute error. */
export function logPassed({ to, width }: OutputWindow, x: number): { log: number; error: number } {
  const log = logNormalCdf((to - x) / width);
  return { log, error: LOG_PHI * (1 + 4 * Math.abs(log)) };
}

/** Upper bound of |d log W/dx|: φ(a)/Φ(−a)/width, a = (x − to)/width. The quotient is at most 2φ(a) for a ≤ 0 and a + 1 beyond. */
export function steepness({ to, width }: OutputWindow, x: number): number {
  const a = (x - to) / width;
  return (a > 0 ? a + 1 : 0.8 * exp((-a * a) / 2)) / width;
}

/** Least log of a lost mass: smaller ones may have underflowed, and are rounded up to it. */
const LEAST_LOST = -690;

/** log of the mass that remains when at most e^{logLost} is lost. Ensures: no more than it. */
export function logMassLeft(logLost: number): number {
  return log1p(-exp(Math.max(logLost, LEAST_LOST)));
}
