/**
 * Integrals of one Poisson-subsampled Gaussian step under a window: functions that quadrature on the real axis and off it share.
 *
 * Its P-density is φ(x)W(x), φ that of N(0, 1). Its loss is y = log u, u = A + B, A = 1 − q, B = qe^{μx − μ²/2}. q is the sampling rate, and Q is (1
 * − q)N(0, 1) + qN(μ, 1) before truncation. Numbers after contour.md are sections of docs/proofs/contour.md.
 */
import { INVERSE_PI } from '../../src/kernel/constants.js';
import { hardEnd, massBeyond, NodeSpan } from './beyond.js';
import { axisMesh, even } from '../sums/loss-mesh.js';
import { mark, release, spend, take } from '../lane/room.js';
import { cosPiOf, expOf, log1pOf, logOf } from '../functions/scalar.js';
import { windowRows } from '../sums/windows.js';
import { CELL, StripBounds } from './strips.js';

/** Lower bound of cos x on [0, 1.5]: its alternating Taylor series, ended after a negative term. */
export function cosineBelow(x: f64): f64 {
  const z = x * x;
  return (1 - z * (0.5 - z * (1.0 / 24 - z * (1.0 / 720 - z * (1.0 / 40320 - z / 3628800))))) * (1 - 1e-12);
}

/**
 * log of a bound of |u(x + iy)|^c over u(x)^c, u the likelihood ratio, c ≤ 0, angle = μy. It is as |u(x + iy)| ≥ u(x) cos(angle/2) (contour.md 3b).
 * Ensures: no less than it.
 */
export function wholeGrowth(c: f64, angle: f64): f64 {
  return c * logOf(cosineBelow(angle / 2));
}

/** Lambert's W(z), z ≥ 0, with about one percent of error (S. Winitzki). */
function lambert(z: f64): f64 {
  const l = log1pOf(z);
  return l * (1 - log1pOf(l) / (2 + l));
}

/** The largest number of three binary digits up to h: its multiples have no rounding error. */
export function threeBitsBelow(h: f64): f64 {
  let scale: f64 = 1;
  while (h * scale < 4) scale *= 2;
  while (h * scale >= 8) scale /= 2;
  return Math.floor(h * scale) / scale;
}

/** One step: its mesh, and bounds of its truncation and end errors. */
export class SampledStep extends StripBounds {
  private readonly nodes: NodeSpan = new NodeSpan();

  /**
   * Heuristic: log of the growth of φ|u|^c off the axis at its maximum, u = A + Be^{iθ}, θ = μ·Im x = angle. Where B is small, log φ|u|^c is about
   * −x²/2 − κ′e^{μx} cos θ, up to a constant, κ′ = −cqe^{−μ²/2}/(1 − q). Lambert's W gives its maximum; the code's `kappa` is κ′μ².
   */
  approximateGrowth(c: f64, angle: f64): f64 {
    if (c >= 0) return 0;
    const whole = wholeGrowth(c, angle);
    if (c >= this.mildest) return whole;
    const mu = this.mu;
    // on a cell, `logStrip` bounds the loss with B's least share at one end and its growth with the largest at the other
    const cos = 1 - (1 - cosPiOf(angle * INVERSE_PI)) * expOf(mu * CELL);
    if (whole <= 1 || !(cos > 0)) return whole;
    const kappa = (-c * this.q * expOf((-mu * mu) / 2) * mu * mu) / (1 - this.q);
    const on = lambert(kappa);
    const off = lambert(kappa * cos);
    return Math.min(whole, ((on - off) * (on + off + 2)) / (2 * mu * mu));
  }

  /** The table of `axisMesh` for the n outputs h·first, h·(first + 1), …: weights, losses and their errors. */
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

  /**
   * Truncation error by `massBeyond`: the sum of φW|u|^c over the nodes beyond n nodes h·first, …, divided by e^{logNorm}. It holds for lines with
   * μ·|Im x| ≤ angle. Ensures: no less than it (contour.md 7).
   */
  beyond(h: f64, first: f64, n: f64, c: f64, angle: f64, logNorm: f64): f64 {
    spend(900);
    const nodes = this.nodes;
    nodes.first = h * first;
    nodes.last = h * (first + n - 1);
    nodes.h = h;
    nodes.angle = angle;
    return massBeyond(this.mu, this.q, this.window, c, nodes, logNorm);
  }

  /**
   * log of the bound `hardEnd` of the quadrature error at the window's hard end, −∞ without one. Ensures: no less than it for |Im x| ≤ y and every
   * |τ| ≤ tau (contour.md 14).
   */
  logAtEnd(c: f64, tau: f64, h: f64, reach: f64, y: f64): f64 {
    const w = this.window;
    if (w.isWhole) return -Infinity;
    spend(600);
    return hardEnd(this.mu, this.q, w, c, tau, h, reach, y);
  }

  /**
   * The factor `reach`: the quadrature error at the window's hard end is at most `reach` times the largest integrand there. Nodes on the axis have
   * spacing h, and the strip is |Im x| ≤ y. With fall = 2πy/h − Sy²/2, S = `sharpness`, `reach` is 2y/fall + 2h. The first term is for both vertical
   * sides of the strip, the second for outputs within a spacing of the end (contour.md 14). ∞ if there is no bound.
   */
  reachOf(h: f64, y: f64): f64 {
    const fall = (6.283185307179586 * y) / h - (this.window.sharpness * y * y) / 2;
    return fall > 0 ? (2 * y) / fall + 2 * h : Infinity;
  }
}
