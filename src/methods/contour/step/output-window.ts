import { exp, log1p, logNormalCdf } from '../../../numeric/scalar.js';

/**
 * A smooth window on outputs, W(x) = Φ((to − x)/width): the indicator of outputs up to `to` convolved with N(0, width²). It is entire; as an integral of the normal
 * density, |W(x + iy)| ≤ e^{y²/2width²} W(x).
 */
export interface OutputWindow {
  readonly to: number;
  readonly width: number;
}

/** The deviation of a normal output with the window's own noise. The window takes away what a sharp cut takes from that. */
export function stretchOf(width: number): number {
  return Math.sqrt(1 + width * width);
}

/** 1 + 1/w²: φW grows by e^{this·y²/2} off the real axis. */
export function sharpness({ width }: OutputWindow): number {
  return 1 + 1 / (width * width);
}

/** Relative error of log Φ, and of its arguments. */
const LOG_PHI = 1e-14;

/** log W(x), and a bound of what it is off by. */
export function logPassed({ to, width }: OutputWindow, x: number): { log: number; error: number } {
  const log = logNormalCdf((to - x) / width);
  return { log, error: LOG_PHI * (1 + 4 * Math.abs(log)) };
}

/** Upper bound of |d log W/dx|: φ(a)/Φ(−a)/width, a = (x − to)/width. The quotient is at most 2φ(a) for a ≤ 0 and a + 1 beyond. */
export function steepness({ to, width }: OutputWindow, x: number): number {
  const a = (x - to) / width;
  return (a > 0 ? a + 1 : 0.8 * exp((-a * a) / 2)) / width;
}

/** Losses below this (a logarithm) count as this in what is left: smaller ones have too few digits, or none. */
const LEAST_LOST = -690;

/** log of the mass that is left where at most e^{logLost} is lost, rounded down. */
export function logMassLeft(logLost: number): number {
  return log1p(-exp(Math.max(logLost, LEAST_LOST)));
}
