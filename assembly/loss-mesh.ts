/** The outputs of Poisson-subsampled Gaussian steps. u = 2⁻⁵³. */
import { vexp, vexpm1, vlog, vlog1p } from './elementary.js';
import {
  abs,
  add,
  all,
  anyTrue,
  div,
  gt,
  keep,
  lane0,
  le,
  lt,
  mul,
  neg,
  requireBlock,
  select,
  step,
  sub,
  WIDTH,
} from './lanes.js';
import { INVERSE_SQRT_2PI, U } from '../src/kernel/constants.js';
import { load, loadF64, store } from './memory.js';

/** Four rows of n (even) to `out` from n outputs at x: density without its constant, loss, bend, share. */
export function lossMesh(mu: f64, q: f64, x: usize, n: usize, out: usize): void {
  requireBlock(x, n);
  requireBlock(out, 4 * n);
  const row = n << 3;
  const half = 0.5 * (mu * mu);
  const logQ = vlog(all(q));
  const odds = (1 - q) / q;
  for (let k: usize = 0; k < row; k += WIDTH, x += WIDTH, out += WIDTH) {
    const X = load(x);
    const s = sub(mul(all(mu), X), all(half));
    const v = mul(all(q), vexpm1(s));
    let loss = vlog1p(v);
    let bend = logarithmBend(v, loss);
    let share = div(add(v, all(q)), add(all(1), v));
    // beyond it u − 1 = q(e^s − 1) is not formed
    const large = gt(s, all(30));
    if (anyTrue(large)) {
      const far = add(add(s, logQ), vlog1p(mul(all(odds), vexp(neg(s)))));
      loss = select(far, loss, large);
      bend = select(sub(loss, vexpm1(loss)), bend, large);
      share = select(all(1), share, large);
    }
    store(out, vexp(mul(all(-0.5), mul(X, X))));
    store(out + row, loss);
    store(out + 2 * row, bend);
    store(out + 3 * row, share);
  }
}

/**
 * Nine rows to `out` from m panels of outputs, pairs of a left end and half a length at `panels`, under a rule of `size` (even) numbers on [0, 1]: three rows at
 * `rule`, nodes, what they lack to 1, weights. The rows, of which sums take the first five: weight of the rule over √2π times e^{−x²/2}; loss and bend as in `lossMesh`; the
 * relative error of the first; |loss| times its error; output x; the weight over √2π; error of the loss; log of the least |A + Be^{iθ}|/u at the angle θ whose half has the sine
 * √dip, rounded down. Nodes of a rule are good to 3u of the nearer end's distance, weights to 16u: x is off by at most u(|x| + 4·half).
 */
export function panelMesh(
  mu: f64,
  q: f64,
  panels: usize,
  m: usize,
  rule: usize,
  size: usize,
  dip: f64,
  out: usize,
): void {
  requireBlock(panels, 2 * m);
  requireBlock(rule, 3 * size);
  requireBlock(out, 9 * m * size);
  const side = size << 3;
  const row = m * side;
  const last = panels + (m << 4);
  for (let at = out + 5 * row, panel = panels; panel < last; panel += 16) {
    const left = loadF64(panel);
    const length = 2 * loadF64(panel, 8);
    for (let i: usize = 0; i < side; i += WIDTH, at += WIDTH) {
      const low = load(rule + i);
      const near = add(all(left), mul(all(length), low));
      const far = sub(all(left + length), mul(all(length), load(rule + side + i)));
      store(at, select(near, far, lt(low, all(0.5))));
      store(at + row, mul(mul(all(length), load(rule + 2 * side + i)), all(INVERSE_SQRT_2PI)));
    }
  }
  lossMesh(mu, q, out + 5 * row, m * size, out);
  const half = all(0.5 * (mu * mu));
  const logRate = abs(vlog(all(q)));
  const logOdds = lane0(sub(vlog1p(all(-q)), vlog(all(q))));
  for (let at = out, panel = panels; panel < last; panel += 16) {
    const reach = 4 * loadF64(panel, 8);
    for (let i: usize = 0; i < side; i += WIDTH, at += WIDTH) {
      const x = load(at + 5 * row);
      const share = load(at + 3 * row);
      const moved = mul(all(mu), x);
      const s = sub(moved, half);
      const loss = abs(load(at + row));
      // of s: its own roundings, and what the place of the node is off; and the kernel's own
      const place = add(add(mul(all(4), abs(moved)), all(2 * mu * mu)), all(mu * reach));
      const rounding = keep(mul(all(4), add(abs(s), logRate)), gt(s, all(30)));
      const error = mul(all(U), add(add(mul(share, place), rounding), mul(all(12), loss)));
      // |A + Be^{iθ}|² = u²(1 − 4w(1 − w) sin²(θ/2)), w(1 − w) = t/(1 + t)² with t = A/B or B/A
      const t = vexp(neg(abs(sub(s, all(logOdds)))));
      const whole = add(all(1), t);
      const lacking = vlog1p(div(mul(all(-4 * dip), t), mul(whole, whole)));
      store(at, mul(load(at + 6 * row), load(at)));
      store(at + 3 * row, mul(all(U), add(add(all(24), mul(mul(all(2), x), x)), mul(all(reach), abs(x)))));
      store(at + 4 * row, mul(loss, error));
      store(at + 7 * row, error);
      store(at + 8 * row, sub(mul(all(0.5 * (1 + 1e-12)), lacking), all(4 * U)));
    }
  }
}

/**
 * log(1 + v) − v, given the logarithm. With t = v/(2 + v), log(1 + v) = 2 artanh t and v = 2t + tv, so that it is −tv + 2t³(1/3 + t²/5 + …); |t| ≤ 1/7 where
 * |v| ≤ 1/4, and the first term left out is below 1e-19 of the whole.
 */
function logarithmBend(v: v128, logarithm: v128): v128 {
  const t = div(v, add(all(2), v));
  const w = mul(t, t);
  let series = add(all(1.0 / 17), div(w, all(19)));
  series = step(1.0 / 15, w, series);
  series = step(1.0 / 13, w, series);
  series = step(1.0 / 11, w, series);
  series = step(1.0 / 9, w, series);
  series = step(1.0 / 7, w, series);
  series = step(1.0 / 5, w, series);
  series = step(1.0 / 3, w, series);
  const near = sub(mul(mul(all(2), t), mul(w, series)), mul(t, v));
  return select(near, sub(logarithm, v), le(abs(v), all(0.25)));
}
