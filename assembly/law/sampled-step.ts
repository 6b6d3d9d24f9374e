/**
 * Integrals of one Poisson-subsampled Gaussian step under a window: what those on the real axis and off it share.
 *
 * Its P-density is φ(x)W(x). Its loss is y = log u, u = A + B, A = 1 − q, B = qe^{μx − μ²/2}. Numbers in parentheses are sections of
 * docs/proofs/contour.md.
 */
import { INVERSE_PI } from '../../src/kernel/constants.js';
import { hardEnd, massBeyond, tiltedRange } from '../beyond.js';
import { logSum } from '../bound/errors.js';
import { axisMesh, even } from '../loss-mesh.js';
import { loadF64, memory } from '../memory.js';
import { mark, release, spend, take } from '../room.js';
import { cosPiOf, expOf, log1pOf, logOf, sinPiOf } from '../scalar.js';
import { stripCells, stripSum } from '../strips.js';
import { windowRows } from '../windows.js';
import { Window } from './window.js';

const OUT: usize = memory.data(16, 16);
/** Width of the cells of outputs over which integrals along a strip's edges are bounded. */
const CELL: f64 = 0.25;
/** log of how far φu^c has fallen where the cells end. */
const FALLEN: f64 = 60;
const MOST_CELLS: f64 = 4096;

/** Lower bound of cos x on [0, 1.5]: its alternating Taylor series, ended after a negative term. */
export function cosineBelow(x: f64): f64 {
  const z = x * x;
  return (1 - z * (0.5 - z * (1.0 / 24 - z * (1.0 / 720 - z * (1.0 / 40320 - z / 3628800))))) * (1 - 1e-12);
}

/** log of the growth of |u|^c off the axis, c ≤ 0, as |u| ≥ u cos(angle/2) (3b). Ensures: no less than it. */
export function wholeGrowth(c: f64, angle: f64): f64 {
  return c * logOf(cosineBelow(angle / 2));
}

/** Lambert's W(z), z ≥ 0, with about one percent of error (S. Winitzki). */
function lambert(z: f64): f64 {
  const l = log1pOf(z);
  return l * (1 - log1pOf(l) / (2 + l));
}

/** The largest number of three binary digits up to h: multiples of it have no rounding error. */
export function threeBitsBelow(h: f64): f64 {
  let scale: f64 = 1;
  while (h * scale < 4) scale *= 2;
  while (h * scale >= 8) scale /= 2;
  return Math.floor(h * scale) / scale;
}

export class SampledStep {
  /** For tilts above this the growth of |u|^c off the axis is bounded by one factor for all outputs, below it cell by cell. */
  readonly mildest: f64;
  constructor(
    readonly mu: f64,
    readonly q: f64,
    readonly window: Window,
  ) {
    this.mildest = -Math.max(4, 3 / mu);
  }

  /**
   * Approximate growth of φ|u|^c off the axis at its maximum: for plans. Where B is small log φ|u|^c = −x²/2 − κe^{μx}cos θ, whose maximum is given
   * by Lambert's W.
   */
  approximateGrowth(c: f64, angle: f64): f64 {
    if (c >= 0) return 0;
    const whole = wholeGrowth(c, angle);
    if (c >= this.mildest) return whole;
    const mu = this.mu;
    // within a cell, the bound takes B's least share at one end and its largest at the other
    const cos = 1 - (1 - cosPiOf(angle * INVERSE_PI)) * expOf(mu * CELL);
    if (whole <= 1 || !(cos > 0)) return whole;
    const kappa = (-c * this.q * expOf((-mu * mu) / 2) * mu * mu) / (1 - this.q);
    const on = lambert(kappa);
    const off = lambert(kappa * cos);
    return Math.min(whole, ((on - off) * (on + off + 2)) / (2 * mu * mu));
  }

  /** The table of `axisMesh` for n outputs h·first, …: weights, losses and their errors. */
  mesh(h: f64, first: f64, n: usize): usize {
    spend(80 * <f64>n + 600);
    const mesh = take(8 * even(n));
    const start = mark();
    const heights = take(3 * even(n));
    windowRows(h, first, n, 0, this.window.from, this.window.to, this.window.width, heights);
    axisMesh(heights, this.mu, this.q, h, first, n, mesh);
    release(start);
    return mesh;
  }

  /** Truncation error. Ensures: no less than Σ φW|u|^c beyond n nodes h·first, …, for arguments of u up to an angle, over e^{logNorm} (7). */
  beyond(h: f64, first: f64, n: f64, c: f64, angle: f64, logNorm: f64): f64 {
    spend(900);
    const w = this.window;
    return massBeyond(
      this.mu,
      this.q,
      c,
      h * first,
      h * (first + n - 1),
      h,
      angle,
      w.from,
      w.to,
      w.width,
      w.end,
      logNorm,
    );
  }

  /** Ensures: no less than log of the quadrature error at the window's hard end, for |Im x| ≤ y and every |τ| ≤ tau (14). */
  logAtEnd(c: f64, tau: f64, h: f64, reach: f64, y: f64): f64 {
    const w = this.window;
    if (w.isWhole) return -Infinity;
    spend(600);
    return hardEnd(this.mu, this.q, c, tau, w.to, w.width, w.end, h, reach, y);
  }

  /**
   * The quadrature error at the window's hard end is at most `reach` times the largest integrand there. Nodes on the axis have spacing h, and the
   * strip is |Im x| ≤ y. It is 2y/fall for both vertical sides of the strip, and 2h for what lies within a step of the end (14). ∞ if there is no
   * bound.
   */
  reachOf(h: f64, y: f64): f64 {
    const fall = (6.283185307179586 * y) / h - (this.window.sharpness * y * y) / 2;
    return fall > 0 ? (2 * y) / fall + 2 * h : Infinity;
  }

  /** Ensures: no less than log ∫φW|u^{c + iτ}| along Im x = ±y for every |τ| ≤ tau (5). */
  logStrip(c: f64, y: f64, tau: f64): f64 {
    return this.cells(c, y, tau, this.window.from, 0);
  }

  /**
   * Ensures: no less than log ∫φW̄|u|^c along Im x = ±y, c < 0; W̄ is an upper bound of W on Im x = a. It interpolates those at both ends of the
   * tilt's grade, by convexity (5, Between tilts).
   */
  logStripBetween(c: f64, y: f64, a: f64): f64 {
    let far = this.mildest;
    while (far > c) far *= 2;
    const near = far === this.mildest ? 0 : far / 2;
    const share = (c - near) / (far - near);
    const mixed = share * this.stripWith(far, y, a) + (1 - share) * this.stripWith(near, y, a);
    const bound = mixed + 1e-12 * (1 + Math.abs(c));
    return bound < Infinity ? bound : Infinity;
  }

  /** An upper bound of log ∫φW̄|u|^c along Im x = ±y, summed over cells of outputs; a > 0 for W at Im x = a. Ensures: no less than it. */
  stripWith(c: f64, y: f64, a: f64): f64 {
    // ∫φW ≤ 1
    if (c === 0 && a === 0) return 0;
    const plain = this.logStrip(c, y, 0);
    if (a === 0 || this.window.isWhole) return plain;
    // not bounded for windows with a lower edge
    if (this.window.from > -Infinity) return Infinity;
    const w = this.window;
    const away = a / w.width;
    const level = logOf(away) - 0.9 + (away * away) / 2;
    return logSum(plain, this.cells(c, y, 0, w.to, level));
  }

  /**
   * The bound summed over cells, with e^{level − d²/2w²} as upper bound of W; d is the distance from the interval of the window. Ensures: no less
   * than log ∫φW|u|^c along Im x = ±y.
   */
  private cells(c: f64, y: f64, tau: f64, from: f64, level: f64): f64 {
    const mu = this.mu;
    const q = this.q;
    const w = this.window;
    const reach = Math.sqrt(2 * FALLEN) + 1;
    tiltedRange(mu, q, Math.min(0, c), FALLEN, reach, OUT);
    const first = Math.floor(loadF64(OUT) / CELL);
    const many = Math.ceil(Math.min(w.end, mu * Math.max(1, c) + reach) / CELL) - first;
    spend(1500 + 45 * many);
    if (!(many > 0 && many < MOST_CELLS)) return Infinity;
    const n = <usize>many;
    const start = mark();
    const losses = take(even(n + 3));
    const logs = take(2 * even(n + 3));
    stripCells(mu, q, c, CELL, first, n, from, w.to, w.width, w.end, level, losses, logs);
    const turned = take(n + 4);
    const turns = mu * y * INVERSE_PI;
    const half = sinPiOf(turns / 2);
    const dip = Math.min(1, half * half * (1 + 1e-12));
    stripSum(logs, n, c, dip, tau, mu * y, sinPiOf(turns), cosPiOf(turns), turned, OUT);
    const most = loadF64(OUT);
    const bound = most < Infinity ? most + logOf(loadF64(OUT, 8)) + loadF64(logs + ((n + 2) << 3)) : Infinity;
    release(start);
    return bound < Infinity ? bound : Infinity;
  }
}
