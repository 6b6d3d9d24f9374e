import type { EndedWindow } from '../../../kernel/windows.js';
import { exp, logNormalCdf } from '../../../numeric/scalar.js';

/**
 * A smooth window on outputs, W(x) = Φ((x − from)/width) − Φ((x − to)/width). It is the indicator of [from, to] convolved with
 * N(0, width²). It is entire; as an integral of the normal density over [x − to, x − from],
 * |W(x + iy)| ≤ e^{y²/2width²} W(x). Windows that share their ends add up to 1. Outputs beyond `end` are none of the window's, however little it passes there. So far out
 * u^c of a steep tilt would pass more than the window stops.
 */
export type OutputWindow = EndedWindow;

/** The deviation of a normal output with the window's own noise. The window takes away what a sharp cut takes from that. */
export function stretchOf(width: number): number {
  return Math.sqrt(1 + width * width);
}

/** 1 + 1/w²: φW grows by e^{this·y²/2} off the real axis. */
export function sharpness({ width }: OutputWindow): number {
  return 1 + 1 / (width * width);
}

/** The window whose end is such that outputs beyond have the mass that those beyond `cut` deviations have. */
export function windowOf(cut: number, width: number): OutputWindow {
  return { from: -Infinity, to: cut * stretchOf(width), width };
}

/** Relative error of log Φ, and of its arguments. */
const LOG_PHI = 1e-14;

/** log W(x) of a window without a lower edge, and a bound of what it is off by. */
export function logPassed({ to, width }: OutputWindow, x: number): { log: number; error: number } {
  const log = logNormalCdf((to - x) / width);
  return { log, error: LOG_PHI * (1 + 4 * Math.abs(log)) };
}

/** Upper bound of |d log W/dx|: φ(a)/Φ(−a)/width, a = (x − to)/width. The quotient is at most 2φ(a) for a ≤ 0 and a + 1 beyond. */
export function steepness({ to, width }: OutputWindow, x: number): number {
  const a = (x - to) / width;
  return (a > 0 ? a + 1 : 0.8 * exp((-a * a) / 2)) / width;
}

export const EVERYTHING: OutputWindow = { from: -Infinity, to: Infinity, width: Infinity };
