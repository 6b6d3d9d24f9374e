/**
 * Upper bounds of ∫φW|u|^c of a Poisson-subsampled Gaussian step, summed over cells of outputs. They hold on the real axis and on the edges of a strip
 * around it. Numbers in parentheses are sections of docs/proofs/contour.md.
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
import { mark, release, spend, take } from '../lane/room.js';
import { cosPiOf, logOf, sinPiOf } from '../functions/scalar.js';
import { Window } from './window.js';

/** Width of the cells of outputs over which integrals along a strip's edges are bounded. */
export const CELL: f64 = 0.25;
/** log of how far φu^c has fallen where the cells end. */
const FALLEN: f64 = 60;
const MOST_CELLS: f64 = 4096;

/** log of φW̄ at x, up to a constant. */
/* @inline */ function heightOf(base: f64, x: f64, from: f64, to: f64, square: f64): f64 {
  const out = x < from ? from - x : x > to ? x - to : 0;
  return base - (x * x) / 2 - (out > 0 ? (out * out) / (2 * square) : 0);
}

/** Derivative of `heightOf`. */
/* @inline */ function slopeOf(x: f64, from: f64, to: f64, square: f64): f64 {
  return (x < from ? from - x : x > to ? to - x : 0) / square - x;
}

/**
 * Upper bound of log(|A + Be^{iθ}|^c/u^c), c < 0, where the share of B lies in [low, high], by −log r ≤ (1/r − r)/2. w = 4·share·(1 − share) has its
 * maximum at ½.
 */
function gainOf(low: v128, high: v128, c: f64, dip: f64): v128 {
  if (c >= 0) return all(0);
  const nearest = pmin(high, pmax(low, all(0.5)));
  const w = pmin(all(1), mul(mul(all(4), nearest), sub(all(1), nearest)));
  const root = sqrt(sqrt(sub(all(1), mul(w, all(dip)))));
  return mul(mul(all(-c), sub(div(all(1), root), root)), all(1 + 1e-12));
}

/** Upper bound of τ·arg(A + Be^{iθ}) for a given share of B, by atan t ≤ t. */
function turnOf(share: v128, tau: f64, angle: f64, sine: f64, cosine: f64): v128 {
  if (!(tau > 0)) return all(0);
  const real = add(sub(all(1), share), mul(share, all(cosine)));
  const tangent = mul(div(mul(share, all(sine)), real), all(1 + 1e-12));
  return mul(all(tau), select(pmin(all(angle), tangent), all(angle), gt(real, all(0))));
}

export class StripBounds {
  /** For tilts above this the growth of |u|^c off the axis is bounded by one factor for all outputs, below it cell by cell. */
  readonly mildest: f64;
  constructor(
    readonly mu: f64,
    readonly q: f64,
    readonly window: Window,
  ) {
    this.mildest = -Math.max(4, 3 / mu);
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
   * log upper bounds of ∫φWu^c over the n cells between outputs CELL·first, …. e^{level − d²/2w²} replaces W, d the distance from the interval from
   * `from` to the window's upper edge. n + 3 numbers go to `logs`. The last three are for outputs before the first cell, for those behind the last (up
   * to the hard end), and for roundings. Behind them are the shares of B in u = A + B at the n + 1 outputs. Both rows have n + 3 numbers, rounded up
   * to even.
   */
  private boundCells(c: f64, first: f64, n: usize, from: f64, level: f64, logs: usize): void {
    const mu = this.mu;
    const w = this.window;
    const to = w.to;
    const square = w.width * w.width;
    const losses = take(even(n + 3));
    const shares = logs + (even(n + 3) << 3);
    for (let j: usize = 0; j <= n; j += LANES) {
      lossesAt(mu, this.q, outputsAt(CELL, first, j));
      store(losses + (j << 3), load(LOSSES));
      store(shares + (j << 3), load(LOSSES, 32));
    }
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
      // upper bound concave in x: cy is concave for c < 0, else it lies below its chord
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

  /** Log-sum-exp of the n + 2 numbers of `boundCells`, each with its growth at the strip's edges Im x = ±y. */
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
