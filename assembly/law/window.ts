/**
 * Smooth truncation of the outputs of a sampled Gaussian step (docs/proofs/contour.md 1). The window is W(x) = Φ((to − x)/width) − Φ((from −
 * x)/width), the second where there is a lower edge; it is 0 behind a hard end.
 */
import { U } from '../../src/kernel/constants.js';
import { all, lane0 } from '../lane/lanes.js';
import { LOSSES, lossesAt } from '../sums/loss-mesh.js';
import { loadF64 } from '../lane/memory.js';
import { expm1Of, expOf, log1pOf, logOf } from '../functions/scalar.js';
import { logTail } from '../sums/windows.js';

/** The loss log u at an output. */
export function lossAt(mu: f64, q: f64, x: f64): f64 {
  lossesAt(mu, q, all(x));
  return loadF64(LOSSES);
}

/** The share of B in u = A + B at an output. */
export function shareAt(mu: f64, q: f64, x: f64): f64 {
  lossesAt(mu, q, all(x));
  return loadF64(LOSSES, 32);
}

function roundedUp(log: f64): f64 {
  return Math.min(0, log + 1e-12 * (1 - log));
}

/** log of the mass beyond an output `cut`: Φ̄(X) for q = 0 (P), and (1 − q)Φ̄(X) + qΦ̄(X − μ) (Q). Ensures: no less than that. */
function logLost(mu: f64, q: f64, cut: f64): f64 {
  const base = lane0(logTail(all(cut)));
  const shifted = lane0(logTail(all(cut - mu)));
  if (q === 0) return roundedUp(base);
  return roundedUp(shifted - base > 600 ? logOf(q) + shifted : base + log1pOf(q * expm1Of(shifted - base)));
}

/** Relative error of the masses that a window takes, which are rounded up. Masses below e^{−390} do not change what remains (8). */
export const LOST_DIGITS: f64 = 4e-10;

/** log(1 − e^{logLost}), log of the mass that truncation leaves, by log1p. */
export function logMassLeft(logLost: f64): f64 {
  return log1pOf(-expOf(Math.max(logLost, -690)));
}

/** Ensures: no less than the error of `logMassLeft`, apart from e^{−300}. */
export function massLeftError(logLost: f64): f64 {
  const lost = expOf(Math.max(logLost, -690));
  return lost < 1 ? (LOST_DIGITS * lost) / (1 - lost) - 2 * U * log1pOf(-lost) : Infinity;
}

export class Window {
  /** 1 + 1/w²: off the axis |φW| grows by at most e^{sharpness·y²/2}. */
  readonly sharpness: f64;

  /**
   * @param cut Where outputs of the step plus the window's noise are cut: for sampled Gaussians in their standard deviations, else as `to`.
   * @param from A lower edge, or −∞; with one, the masses lost are not bounded.
   * @param to The upper edge, ∞ for a window that keeps all outputs.
   * @param end The hard end.
   * @param logLostP, logLostQ Ensures: log of no less than what the window takes of P, and of Q.
   */
  constructor(
    readonly cut: f64,
    readonly width: f64,
    readonly from: f64,
    readonly to: f64,
    readonly end: f64,
    readonly logLostP: f64,
    readonly logLostQ: f64,
  ) {
    this.sharpness = 1 + 1 / (width * width);
  }

  /** Whether the window keeps all outputs. */
  get isWhole(): bool {
    return this.to === Infinity;
  }
}

/** The window that keeps all outputs, but those with an infinite loss, of these log masses. */
export function wholeWindow(logLostP: f64, logLostQ: f64): Window {
  return new Window(Infinity, Infinity, -Infinity, Infinity, Infinity, logLostP, logLostQ);
}

/**
 * The window of a sampled Gaussian step.
 * @param cut Where outputs of the step plus the window's noise are cut, in their standard deviations.
 * @param from A lower edge, or −∞; with one, the masses lost are not bounded.
 */
export function sampledWindow(mu: f64, q: f64, cut: f64, width: f64, from: f64): Window {
  const stretch = Math.sqrt(1 + width * width);
  const to = cut * stretch;
  // within 1/μ behind the edge losses grow by a factor e, and large tilts need an earlier end
  const end = to + Math.max(17 * width, Math.min(4, 1.8 / mu));
  const isOpen = from === -Infinity;
  const none = isOpen ? -Infinity : 0;
  const logLostP = isOpen && cut < Infinity ? logLost(mu / stretch, 0, cut) : none;
  const logLostQ = isOpen && cut < Infinity ? logLost(mu / stretch, q, cut) : none;
  return new Window(cut, width, from, to, end, logLostP, logLostQ);
}

/** Approximate largest tilt at which the hard end of a sampled step's window does not matter to M at accuracy e^{−depth}: for plans. */
export function largestTilt(window: Window, mu: f64, q: f64, depth: f64): f64 {
  if (window.isWhole) return Infinity;
  const low = window.end - 3 * window.width;
  const away = (low - window.to) / window.width;
  const fall = (low * low - window.to * window.to) / 2 + (away * away) / 2;
  return (fall - depth - 8) / (lossAt(mu, q, window.end + 0.5) - lossAt(mu, q, window.to));
}

/** Heuristic: the least multiple of ¼ beyond which a step has a Q-mass of at most e^{logMass}, by bisection. */
export function cutFor(mu: f64, q: f64, logMass: f64): f64 {
  let low: f64 = 0;
  let high: f64 = 32;
  while (!(logLost(mu, q, high / 4) <= logMass)) {
    low = high;
    high *= 2;
  }
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (logLost(mu, q, middle / 4) <= logMass) high = middle;
    else low = middle;
  }
  return high / 4;
}
