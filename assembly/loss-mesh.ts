/** The outputs of Poisson-subsampled Gaussian steps. */
import { vexp, vexpm1, vlog, vlog1p } from './elementary.js';
import {
  abs,
  add,
  all,
  anyTrue,
  div,
  gt,
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
import { load, store } from './memory.js';

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
    // there 1 + v would lose the digits of two positive terms
    const low = lt(v, all(-0.5));
    if (anyTrue(low)) {
      const other = mul(all(q), vexp(s));
      const sum = add(all(1 - q), other);
      loss = select(vlog(sum), loss, low);
      bend = select(sub(loss, v), bend, low);
      share = select(div(other, sum), share, low);
    }
    // beyond it u − 1 = q(e^s − 1) is not formed
    const large = gt(s, all(30));
    if (anyTrue(large)) {
      const other = mul(all(odds), vexp(neg(s)));
      const far = add(add(s, logQ), vlog1p(other));
      loss = select(far, loss, large);
      bend = select(sub(loss, vexpm1(loss)), bend, large);
      share = select(div(all(1), add(all(1), other)), share, large);
    }
    store(out, vexp(mul(all(-0.5), mul(X, X))));
    store(out + row, loss);
    store(out + 2 * row, bend);
    store(out + 3 * row, share);
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
