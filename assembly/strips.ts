/** Upper bounds of ∫φW|u|^c, on the real axis and on the edges of a strip around it, summed over cells of outputs. */
import { HALF_LOG_2PI } from '../src/kernel/constants.js';
import { vexp, vlog } from './elementary.js';
import { even, LOSSES, lossesAt, outputsAt } from './loss-mesh.js';
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
  requireBlock,
  select,
  sqrt,
  sub,
  WIDTH,
} from './lanes.js';
import { load, loadF64, store, storeF64 } from './memory.js';

/**
 * log upper bounds of ∫φWu^c over the n cells between outputs cell·first, …. e^{level − d²/2w²} replaces W, d the distance from the interval [from,
 * to]. n + 3 numbers go to `logs`. The last three are for outputs before the first cell, for those behind the last (up to `end`), and for roundings.
 * Behind them are the shares of B in u = A + B at the n + 1 outputs. Both rows have n + 3 numbers, rounded up to even, and so has `losses`.
 */
export function stripCells(
  mu: f64,
  q: f64,
  c: f64,
  cell: f64,
  first: f64,
  n: usize,
  from: f64,
  to: f64,
  width: f64,
  end: f64,
  level: f64,
  losses: usize,
  logs: usize,
): void {
  const room = even(n + 3);
  requireBlock(losses, room);
  requireBlock(logs, 2 * room);
  const shares = logs + (room << 3);
  for (let j: usize = 0; j <= n; j += LANES) {
    lossesAt(mu, q, outputsAt(cell, first, j));
    store(losses + (j << 3), load(LOSSES));
    store(shares + (j << 3), load(LOSSES, 32));
  }
  const square = width * width;
  const base = level - HALF_LOG_2PI;
  const falls = c < 0 ? c * mu : 0;
  const length = lane0(vlog(all(cell)));
  let x = cell * first;
  let loss = loadF64(losses);
  const start = x;
  const startLoss = loss;
  let height = heightOf(base, x, from, to, square) + c * loss;
  let slope = slopeOf(x, from, to, square);
  // before the first cell log φW is concave, and so is log φWu^c for c < 0
  const rise = slope + falls * loadF64(shares);
  const before = rise > 0 ? height - lane0(vlog(all(rise))) : Infinity;
  for (let j: usize = 0; j < n << 3; j += 8) {
    x = cell * (first + <f64>((j >> 3) + 1));
    const nextLoss = loadF64(losses + j + 8);
    const next = heightOf(base, x, from, to, square) + c * nextLoss;
    const then = slopeOf(x, from, to, square);
    // upper bound concave in x: cy is concave for c < 0, else it lies below its chord
    const chord = c < 0 ? 0 : (c * (nextLoss - loss)) / cell;
    const up = slope + falls * loadF64(shares + j) + chord;
    const down = then + falls * loadF64(shares + j + 8) + chord;
    const left = height + (up > 0 ? up * cell : 0);
    const right = next + (down < 0 ? -down * cell : 0);
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
  storeF64(last, x < end ? behind : -Infinity, 8);
  storeF64(last, 1e-9 + 1e-12 * ((c < 0 ? -c : c) + start * start + (own < 0 ? -own : own)), 16);
}

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

/**
 * Two numbers to `out`: the largest of the n + 2 logs of `stripCells`, each with its growth at an angle; and the sum of their exponentials relative
 * to that.
 * @param dip sin²(angle/2), rounded up.
 * @param turned Room for n + 4 numbers.
 */
export function stripSum(
  logs: usize,
  n: usize,
  c: f64,
  dip: f64,
  tau: f64,
  angle: f64,
  sine: f64,
  cosine: f64,
  turned: usize,
  out: usize,
): void {
  const room = even(n + 3);
  requireBlock(logs, 2 * room);
  requireBlock(turned, n + 4);
  const shares = logs + (room << 3);
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
  storeF64(out, top);
  for (let lane: usize = 0; lane < 16; lane += WIDTH) {
    let sum = all(0);
    for (let j = lane; j <= last + 8; j += 16) sum = add(sum, vexp(sub(load(turned + j), all(top))));
    join(sum, out + 8, lane);
  }
}
