/**
 * Smooth truncation of the outputs x of a Poisson-subsampled Gaussian step (docs/proofs/contour.md 1). The window is the weight W(x) = Φ((to −
 * x)/width) − Φ((from − x)/width), without the second term where there is no lower edge. Beyond the hard end W is 0.
 */
import { U } from '../../src/kernel/constants.js';
import { all, lane0 } from '../lane/lanes.js';
import { LOSSES, lossesAt } from '../sums/loss-mesh.js';
import { loadF64 } from '../lane/memory.js';
import { borrow, giveBack } from '../lane/scratch.js';
import { expm1Of, expOf, log1pOf, logOf } from '../functions/scalar.js';
import { logTail } from '../sums/windows.js';

/** The loss log u at an output x, u = A + B, A = 1 − q, B = qe^{μx − μ²/2}. */
export function lossAt(mu: f64, q: f64, x: f64): f64 {
  const losses = borrow(LOSSES);
  lossesAt(mu, q, all(x), losses);
  giveBack(losses);
  return loadF64(losses);
}

/** The share B/(A + B) of the second term in the likelihood ratio u = A + B at an output, as in `lossAt`. */
export function shareAt(mu: f64, q: f64, x: f64): f64 {
  const losses = borrow(LOSSES);
  lossesAt(mu, q, all(x), losses);
  giveBack(losses);
  return loadF64(losses, 32);
}

/** The log of a mass, raised by 1e-12·(1 − log), which exceeds the errors of its computation, and at most 0. */
function roundedUp(log: f64): f64 {
  return Math.min(0, log + 1e-12 * (1 - log));
}

/**
 * log of the mass beyond an output `cut`. If q = 0 it is that of P, Φ̄(cut), else that of Q, (1 − q)Φ̄(cut) + qΦ̄(cut − μ). Φ̄ is the upper normal
 * tail. Ensures: no less than that.
 */
function logLost(mu: f64, q: f64, cut: f64): f64 {
  const base = lane0(logTail(all(cut)));
  const shifted = lane0(logTail(all(cut - mu)));
  if (q === 0) return roundedUp(base);
  return roundedUp(shifted - base > 600 ? logOf(q) + shifted : base + log1pOf(q * expm1Of(shifted - base)));
}

/**
 * Relative error of masses e^{log} that `roundedUp` raises by 1e-12·(1 − log), for log ≥ −390. Smaller masses do not change 1 − mass (contour.md 8).
 */
export const LOST_DIGITS: f64 = 4e-10;

/** log(1 − e^{logLost}), the log of the mass that remains after truncation; lost masses below e^{−690} count as that. */
export function logMassLeft(logLost: f64): f64 {
  return log1pOf(-expOf(Math.max(logLost, -690)));
}

/** Bound of the error of `logMassLeft`: lost mass is off by LOST_DIGITS of itself. Ensures: no less than that error, up to e^{−690}. */
export function massLeftError(logLost: f64): f64 {
  const lost = expOf(Math.max(logLost, -690));
  return lost < 1 ? (LOST_DIGITS * lost) / (1 - lost) - 2 * U * log1pOf(-lost) : Infinity;
}

/** The window of one step, and the masses that it removes. */
export class Window {
  /** S = 1 + 1/width²: |φW(x + iy)| ≤ e^{Sy²/2}φW(x), φ the normal density (contour.md 3). */
  readonly sharpness: f64;

  /**
   * @param cut For sampled Gaussians to/√(1 + width²), the edge in standard deviations of an output plus the window's noise; for mixtures `to`.
   * @param from The lower edge, or −∞; with a lower edge the masses removed are bounded by 1 only.
   * @param to The upper edge, ∞ for a window that keeps all outputs.
   * @param end The hard end, beyond which no output is kept.
   * @param logLostP, logLostQ Ensures: logs of no less than the P-mass and the Q-mass that the window removes.
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

/** The window that keeps all outputs but those with an infinite loss. The arguments are logs of the P-mass and the Q-mass of these. */
export function wholeWindow(logLostP: f64, logLostQ: f64): Window {
  return new Window(Infinity, Infinity, -Infinity, Infinity, Infinity, logLostP, logLostQ);
}

/**
 * The window of a Poisson-subsampled Gaussian step. Its removed masses are those of outputs plus normal noise of deviation `width` beyond `to`
 * (contour.md 1), rounded up.
 * @param cut The upper edge in standard deviations √(1 + width²) of an output plus that noise.
 * @param from The lower edge, or −∞; with a lower edge the masses removed are bounded by 1 only.
 */
export function sampledWindow(mu: f64, q: f64, cut: f64, width: f64, from: f64): Window {
  const stretch = Math.sqrt(1 + width * width);
  const to = cut * stretch;
  // a small loss grows e-fold over 1/μ: with a later end, u^c at large tilts c would be largest at the end
  const end = to + Math.max(17 * width, Math.min(4, 1.8 / mu));
  const isOpen = from === -Infinity;
  const none = isOpen ? -Infinity : 0;
  const logLostP = isOpen && cut < Infinity ? logLost(mu / stretch, 0, cut) : none;
  const logLostQ = isOpen && cut < Infinity ? logLost(mu / stretch, q, cut) : none;
  return new Window(cut, width, from, to, end, logLostP, logLostQ);
}

/**
 * Heuristic: the largest tilt c at which φWu^c at the hard end is e^{−depth} of its value at the edge `to`. The fall of log φW between the two is
 * compared with c times the rise of log u.
 */
export function largestTilt(window: Window, mu: f64, q: f64, depth: f64): f64 {
  if (window.isWhole) return Infinity;
  const low = window.end - 3 * window.width;
  const away = (low - window.to) / window.width;
  const fall = (low * low - window.to * window.to) / 2 + (away * away) / 2;
  return (fall - depth - 8) / (lossAt(mu, q, window.end + 0.5) - lossAt(mu, q, window.to));
}

/** Heuristic: the least multiple of ¼ beyond which a step has a Q-mass of at most e^{logMass} (`logLost`), by bisection. */
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
