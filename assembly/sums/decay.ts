/** Upper bounds of |φ(τ)| = |E e^{iτy}| from lower bounds of the masses on intervals ("cells") of losses y. u = 2⁻⁵³. */
import { U } from '../../src/kernel/constants.js';
import { vlog } from '../functions/elementary.js';
import { all, lane0, requireBlock } from '../lane/lanes.js';
import { loadF64, storeF64 } from '../lane/memory.js';

/** The largest angles X = τ(y − y′) of pairs of losses that are used, each tried for every τ. The larger ones serve large τ. */
/* @inline */ const ANGLE_1: f64 = 1.2;
/* @inline */ const ANGLE_2: f64 = 2.4;
/* @inline */ const ANGLE_3: f64 = 3.6;
/** (1 − cos X)/X² at the angles above, rounded down. As (1 − cos x)/x² decreases, 1 − cos x is at least that times x² for |x| ≤ X. */
/* @inline */ const CURVATURE_1: f64 = 0.4427;
/* @inline */ const CURVATURE_2: f64 = 0.3016;
/* @inline */ const CURVATURE_3: f64 = 0.1463;

/**
 * Lower bound of the sum of V_A over windows A of the given width of losses, one after the other. V_A = P·Σ my² − (Σ my)², P = Σ m, over the cells in
 * A with masses m. V_A is at most half of the integral ∫∫(y − y′)² over A, as y is the mean of a cell.
 *
 * Stated means are off by r, and √V_A is a seminorm: √V_A is at least that of the stated means less √(P·Σ mr²). The rounding error of V_A is at most
 * `rounding`·√P, as |Σmy| ≤ √(P·Σmy²); that of Σmr² is `within`.
 */
function spread(cells: usize, row: usize, n: i32, sums: usize, width: f64, rounding: f64, within: f64): f64 {
  const high = cells + row;
  let sum: f64 = 0;
  let stride: i32 = 1;
  for (let i: i32 = 0; i < n;) {
    // the first cell that ends beyond the window, by doubling and then bisection
    const limit = loadF64(cells + ((<usize>i) << 3)) + width;
    let inside = i;
    let outside = i + stride;
    while (outside < n && loadF64(high + ((<usize>(outside - 1)) << 3)) <= limit) {
      inside = outside;
      stride *= 2;
      outside = i + stride;
    }
    if (outside > n + 1) outside = n + 1;
    while (outside - inside > 1) {
      const middle = (inside + outside) >> 1;
      if (loadF64(high + ((<usize>(middle - 1)) << 3)) <= limit) inside = middle;
      else outside = middle;
    }
    const a = sums + ((<usize>i) << 5);
    const b = sums + ((<usize>inside) << 5);
    stride = (inside - i) >> 1;
    if (stride < 1) stride = 1;
    i = inside > i ? inside : i + 1;
    const p = loadF64(b) - loadF64(a);
    const shift = loadF64(b, 8) - loadF64(a, 8);
    const second = p * (loadF64(b, 16) - loadF64(a, 16)) - shift * shift - rounding * Math.sqrt(p);
    if (!(second > 0)) continue;
    const root = Math.sqrt(second) - Math.sqrt(p * (loadF64(b, 24) - loadF64(a, 24) + within));
    if (root > 0) sum += root * root;
  }
  return sum;
}

/**
 * Cumulative sums over the n cells, to `sums`: of masses m, of my, of my², and of mr². Here y is a cell's mean less the mean of all, r its error.
 * Their rounding errors are in `rounding` and `within` of `spread`. Returns the narrowest cell's width.
 */
function sumsBefore(cells: usize, row: usize, n: usize, sums: usize): f64 {
  let total: f64 = 0;
  let first: f64 = 0;
  let narrowest: f64 = Infinity;
  const end = cells + (n << 3);
  for (let p = cells; p < end; p += 8) {
    const mass = loadF64(p + 2 * row);
    const width = loadF64(p + row) - loadF64(p);
    total += mass;
    first += mass * loadF64(p + 3 * row);
    if (width < narrowest) narrowest = width;
  }
  const mean = total > 0 ? first / total : 0;
  let s0: f64 = 0;
  let s1: f64 = 0;
  let s2: f64 = 0;
  let s3: f64 = 0;
  storeF64(sums, 0);
  storeF64(sums, 0, 8);
  storeF64(sums, 0, 16);
  storeF64(sums, 0, 24);
  for (let p = cells; p < end; p += 8) {
    const mass = loadF64(p + 2 * row);
    const y = loadF64(p + 3 * row) - mean;
    const r = loadF64(p + 4 * row);
    sums += 32;
    s0 += mass;
    s1 += mass * y;
    s2 += mass * y * y;
    s3 += mass * r * r;
    storeF64(sums, s0);
    storeF64(sums, s1, 8);
    storeF64(sums, s2, 16);
    storeF64(sums, s3, 24);
  }
  return narrowest;
}

/**
 * Upper bounds of log|φ| on each of the m − 1 intervals between m frequencies at `tau`, to `out` (docs/proofs/contour.md 12, 13).
 *
 * 1 − |φ(τ)|² = E[1 − cos τ(y − y′)] over two independent draws y and y′, and every pair counts ≥ 0. Pairs within windows of width X/τ give ≥ (1 −
 * cos X)/X²·τ²·Σ_windows ∫∫(y − y′)². Also |φ(τ)| ≤ V/|τ| by one integration by parts, plus the tilted mass of atoms. The least is taken. Ensures: no
 * less than log|φ|.
 *
 * @param cells Five rows of `stride`, of which the first n are used: low ends and high ends of ascending intervals of losses; lower bounds of their
 * masses; means of the loss, and the error of these.
 * @param work Three numbers: an upper bound of the tilted mass of atoms; an upper bound V of the total variation of the other losses' density; and a
 * number below which no bound is looked for. Behind them room for 4n + 5.
 */
export function decayBounds(
  cells: usize,
  stride: usize,
  n: i32,
  tau: usize,
  m: usize,
  work: usize,
  out: usize,
): void {
  const atoms = loadF64(work);
  const variation = loadF64(work, 8);
  const enough = loadF64(work, 16);
  const sums = work + 32;
  requireBlock(cells, 5 * stride);
  requireBlock(sums, 4 * n + 4);
  const row = stride << 3;
  const narrowest = sumsBefore(cells, row, <usize>n, sums);
  const last = sums + ((<usize>n) << 5);
  const rounding = 8 * <f64>n * U * loadF64(last, 16);
  const within = 2 * <f64>n * U * loadF64(last, 24);
  const end = tau + ((m - 1) << 3);
  for (; tau < end; tau += 8, out += 8) {
    const from = loadF64(tau);
    const to = loadF64(tau, 8);
    const most = atoms + variation / from;
    let best = (most < 1 ? lane0(vlog(all(most))) : 0) + 1e-12;
    // V_A (`spread`) is at most P²·width²/4, which limits what windows of width X/τ can give
    const ratio = (from / to) * (from / to) * -0.25;
    for (let i = 0; i < 3; i++) {
      const angle = i === 0 ? ANGLE_1 : i === 1 ? ANGLE_2 : ANGLE_3;
      const curvature = i === 0 ? CURVATURE_1 : i === 1 ? CURVATURE_2 : CURVATURE_3;
      const width = angle / to;
      if (!(best > enough && width >= narrowest && curvature * angle * angle * ratio < best)) continue;
      // with |φ|² = 1 − x, log|φ| = ½ log(1 − x) ≤ −x/2
      const own =
        -(curvature * from * from * spread(cells, row, n, sums, width, rounding, within)) * (1 - 1e-9);
      if (own < best) best = own;
    }
    storeF64(out, best);
  }
}
