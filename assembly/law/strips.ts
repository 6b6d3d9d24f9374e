/**
 * Upper bounds of ∫φW|u|^c for a Poisson-subsampled Gaussian step, summed over cells of outputs. They hold on the real axis and on the edges Im x =
 * ±y of a strip around it. φ is the normal density and W the window. u = A + B is the likelihood ratio, A = 1 − q, B = qe^{μx − μ²/2}. Numbers after
 * contour.md are sections of docs/proofs/contour.md.
 */
import { HALF_LOG_2PI, INVERSE_PI } from '../../src/kernel/constants.js';
import { tiltedRange } from './beyond.js';
import { logSum } from '../sums/errors.js';
import { vexp, vlog } from '../functions/elementary.js';
import { even, LOSSES, lossesAt, outputsAt } from '../sums/loss-mesh.js';
import {
  add,
  all,
  div,
  gt,
  join,
  lane0,
  LANES,
  mul,
  pmax,
  pmin,
  select,
  sqrt,
  sub,
  WIDTH,
} from '../lane/lanes.js';
import { load, loadF64, store, storeF64 } from '../lane/memory.js';
import { borrow, giveBack } from '../lane/scratch.js';
import { mark, release, spend, take } from '../lane/room.js';
import { cosPiOf, logOf, sinPiOf } from '../functions/scalar.js';
import { Window } from './window.js';

/** Width of the cells of outputs over which integrals along a strip's edges are bounded. */
export const CELL: f64 = 0.25;
/** The cells end about where φu^c, φ the normal density and u the likelihood ratio, is e^{−FALLEN} of its peak. */
const FALLEN: f64 = 60;
const MOST_CELLS: f64 = 4096;

/**
 * log φW̄ at x, φ the normal density, W̄ = e^{−d²/2w²} at a distance d from [from, to].
 * @param base The log of constant factors.
 * @param square w², w the width of the window's edges.
 */
/* @inline */ function heightOf(base: f64, x: f64, from: f64, to: f64, square: f64): f64 {
  const out = x < from ? from - x : x > to ? x - to : 0;
  return base - (x * x) / 2 - (out > 0 ? (out * out) / (2 * square) : 0);
}

/** Derivative of `heightOf`. */
/* @inline */ function slopeOf(x: f64, from: f64, to: f64, square: f64): f64 {
  return (x < from ? from - x : x > to ? to - x : 0) / square - x;
}

/**
 * Upper bound of log(|A + Be^{iθ}|^c/u^c), u = A + B, where the share of B in u lies in [low, high]; 0 for c ≥ 0. θ is μ·Im x. Let w = 4·share·(1 −
 * share) at the share nearest to ½, and r = (1 − w sin²(θ/2))^{1/4}. The log is at most 2|c|(−log r) ≤ |c|(1/r − r) (contour.md 3b).
 * @param dip sin²(θ/2).
 */
function gainOf(low: v128, high: v128, c: f64, dip: f64): v128 {
  if (c >= 0) return all(0);
  const nearest = pmin(high, pmax(low, all(0.5)));
  const w = pmin(all(1), mul(mul(all(4), nearest), sub(all(1), nearest)));
  const root = sqrt(sqrt(sub(all(1), mul(w, all(dip)))));
  return mul(mul(all(-c), sub(div(all(1), root), root)), all(1 + 1e-12));
}

/** Upper bound of τ·arg(A + Be^{iθ}) for a given share of B in A + B. The argument is at most its tangent, and at most θ (contour.md 3d). */
function turnOf(share: v128, tau: f64, angle: f64, sine: f64, cosine: f64): v128 {
  if (!(tau > 0)) return all(0);
  const real = add(sub(all(1), share), mul(share, all(cosine)));
  const tangent = mul(div(mul(share, all(sine)), real), all(1 + 1e-12));
  return mul(all(tau), select(pmin(all(angle), tangent), all(angle), gt(real, all(0))));
}

/** Bounds of ∫φW|u^z| for one step, φ the normal density, W its window, u the likelihood ratio. */
export class StripBounds {
  /**
   * For tilts c above this, one factor cos(θ/2)^c, θ = μ·Im x, bounds the growth of |u|^c off the axis at all outputs. Below, it is bounded cell by
   * cell.
   */
  readonly mildest: f64;
  constructor(
    readonly mu: f64,
    readonly q: f64,
    readonly window: Window,
  ) {
    this.mildest = -Math.max(4, 3 / mu);
  }

  /** log of a bound of ∫φW|u^{c+iτ}| along Im x = ±y, summed over cells. Ensures: no less than it for every |τ| ≤ tau (contour.md 5). */
  logStrip(c: f64, y: f64, tau: f64): f64 {
    return this.cells(c, y, tau, this.window.from, 0);
  }

  /**
   * log of a bound of ∫φW̄|u|^c along Im x = ±y, c < 0, where W̄ bounds |W| on Im x = a. It interpolates the bounds at both ends of an interval of
   * tilts that contains c, as the integral's log is convex in c (contour.md 5). Ensures: no less than the log of the integral.
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

  /**
   * log of a bound of ∫φW̄|u|^c along Im x = ±y, summed over cells. For a > 0, W̄ = W + (a/w√2π)e^{(a² − d²)/2w²}, d the distance from the upper
   * edge. It is at least |W| on Im x = a (contour.md 11). Ensures: no less than it.
   */
  stripWith(c: f64, y: f64, a: f64): f64 {
    // log ∫φW ≤ 0
    if (c === 0 && a === 0) return 0;
    const plain = this.logStrip(c, y, 0);
    if (a === 0 || this.window.isWhole) return plain;
    // only the upper edge's term is summed here
    if (this.window.from > -Infinity) return Infinity;
    const w = this.window;
    const away = a / w.width;
    const level = logOf(away) - 0.9 + (away * away) / 2;
    return logSum(plain, this.cells(c, y, 0, w.to, level));
  }

  /**
   * log of a bound of ∫φW̄|u^{c+iτ}| along Im x = ±y, W̄ = e^{level − d²/2w²}, d the distance from [from, upper edge]. Cells cover the range of
   * outputs, exponential decay bounds what lies outside (contour.md 5). Ensures: no less than it.
   */
  private cells(c: f64, y: f64, tau: f64, from: f64, level: f64): f64 {
    const mu = this.mu;
    const reach = Math.sqrt(2 * FALLEN) + 1;
    const start = mark();
    const range = take(2);
    tiltedRange(mu, this.q, Math.min(0, c), FALLEN, reach, range);
    const first = Math.floor(loadF64(range) / CELL);
    release(start);
    const many = Math.ceil(Math.min(this.window.end, mu * Math.max(1, c) + reach) / CELL) - first;
    spend(1500 + 45 * many);
    if (!(many > 0 && many < MOST_CELLS)) return Infinity;
    const n = <usize>many;
    const logs = take(2 * even(n + 3));
    this.boundCells(c, first, n, from, level, logs);
    const bound = this.sumOf(logs, n, c, y, tau) + loadF64(logs + ((n + 2) << 3));
    release(start);
    return bound < Infinity ? bound : Infinity;
  }

  /**
   * Logs of bounds of ∫φW̄u^c on the real axis over the n cells between the outputs CELL·first, …, with the W̄ of `cells`. n + 3 numbers go to
   * `logs`. The last three are for outputs before the first cell, for those behind the last (up to the hard end), and a rounding error. Behind them
   * are the shares of B in u = A + B at the n + 1 outputs. Both rows have n + 3 numbers, rounded up to even.
   */
  private boundCells(c: f64, first: f64, n: usize, from: f64, level: f64, logs: usize): void {
    const mu = this.mu;
    const w = this.window;
    const to = w.to;
    const square = w.width * w.width;
    const losses = take(even(n + 3));
    const shares = logs + (even(n + 3) << 3);
    const both = borrow(LOSSES);
    for (let j: usize = 0; j <= n; j += LANES) {
      lossesAt(mu, this.q, outputsAt(CELL, first, j), both);
      store(losses + (j << 3), load(both));
      store(shares + (j << 3), load(both, 32));
    }
    giveBack(both);
    const base = level - HALF_LOG_2PI;
    const falls = c < 0 ? c * mu : 0;
    const length = lane0(vlog(all(CELL)));
    let x = CELL * first;
    let loss = loadF64(losses);
    const start = x;
    const startLoss = loss;
    let height = heightOf(base, x, from, to, square) + c * loss;
    let slope = slopeOf(x, from, to, square);
    // before the first cell log φW is concave, and so is log φWu^c for c < 0
    const rise = slope + falls * loadF64(shares);
    const before = rise > 0 ? height - lane0(vlog(all(rise))) : Infinity;
    for (let j: usize = 0; j < n << 3; j += 8) {
      x = CELL * (first + <f64>((j >> 3) + 1));
      const nextLoss = loadF64(losses + j + 8);
      const next = heightOf(base, x, from, to, square) + c * nextLoss;
      const then = slopeOf(x, from, to, square);
      // log φW̄ is below its tangents at both ends, and so is cy for c < 0; for c > 0, cy is below its chord
      const chord = c < 0 ? 0 : (c * (nextLoss - loss)) / CELL;
      const up = slope + falls * loadF64(shares + j) + chord;
      const down = then + falls * loadF64(shares + j + 8) + chord;
      const left = height + (up > 0 ? up * CELL : 0);
      const right = next + (down < 0 ? -down * CELL : 0);
      let most = left < right ? left : right;
      if (most < height) most = height;
      if (most < next) most = next;
      storeF64(logs + j, most + length);
      height = next;
      slope = then;
      loss = nextLoss;
    }
    const last = logs + (n << 3);
    const fall = -slope - (c > 0 ? c * mu : 0);
    const behind = fall > 0 ? height - lane0(vlog(all(fall))) : Infinity;
    const own = c * startLoss;
    storeF64(last, before);
    storeF64(last, x < w.end ? behind : -Infinity, 8);
    storeF64(last, 1e-9 + 1e-12 * ((c < 0 ? -c : c) + start * start + (own < 0 ? -own : own)), 16);
  }

  /**
   * log of the sum of the n + 2 bounds of `boundCells`, each times its growth at the strip's edges Im x = ±y. Ensures: with the rounding error of
   * `boundCells`, no less than the log of the integral there.
   */
  private sumOf(logs: usize, n: usize, c: f64, y: f64, tau: f64): f64 {
    const angle = this.mu * y;
    const turns = angle * INVERSE_PI;
    const sine = sinPiOf(turns);
    const cosine = cosPiOf(turns);
    const half = sinPiOf(turns / 2);
    const dip = Math.min(1, half * half * (1 + 1e-12));
    const shares = logs + (even(n + 3) << 3);
    const turned = take(n + 6);
    const out = turned + ((n + 4) << 3);
    for (let j: usize = 0; j < n << 3; j += WIDTH) {
      const low = load(shares + j);
      const high = load(shares + j + 8);
      const gain = gainOf(low, high, c, dip);
      store(turned + j, add(add(load(logs + j), gain), turnOf(high, tau, angle, sine, cosine)));
    }
    const last = n << 3;
    const first = all(loadF64(shares));
    const before = add(gainOf(all(0), first, c, dip), turnOf(first, tau, angle, sine, cosine));
    storeF64(turned + last, loadF64(logs + last) + lane0(before));
    // |u| increases with the output for angles up to π/2
    const end = all(loadF64(shares + last));
    const steep = angle >= 0.5 * Math.PI ? all(1) : end;
    const behind = add(gainOf(end, steep, c, dip), turnOf(all(1), tau, angle, sine, cosine));
    storeF64(turned + last, loadF64(logs + last, 8) + lane0(behind), 8);
    storeF64(turned + last, -Infinity, 16);
    let top: f64 = -Infinity;
    for (let j: usize = 0; j <= last + 8; j += 8) {
      const own = loadF64(turned + j);
      if (!(own <= top)) top = own;
    }
    for (let lane: usize = 0; lane < 16; lane += WIDTH) {
      let sum = all(0);
      for (let j = lane; j <= last + 8; j += 16) sum = add(sum, vexp(sub(load(turned + j), all(top))));
      join(sum, out, lane);
    }
    return top < Infinity ? top + logOf(loadF64(out)) : Infinity;
  }
}
