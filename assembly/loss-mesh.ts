/** The outputs of Poisson-subsampled Gaussian steps: mirror of src/reference/loss-mesh.ts, where method and error bounds are stated. */
import { requireBlock } from './checks';
import { vexp, vexpm1, vlog, vlog1p } from './elementary';
import { abs, add, all, anyTrue, div, mul, neg, select, step, sub } from './lanes';

/** Four rows of n (even) to `out` from n outputs at x: density without its constant, loss, bend, share. */
export function lossMesh(mu: f64, q: f64, x: usize, n: usize, out: usize): void {
  requireBlock(x, n);
  requireBlock(out, 4 * n);
  const row = n << 3;
  const half = 0.5 * (mu * mu);
  const logQ = vlog(all(q));
  const odds = (1 - q) / q;
  for (let k: usize = 0; k < row; k += 16, x += 16, out += 16) {
    const X = v128.load(x);
    const s = sub(mul(all(mu), X), all(half));
    const v = mul(all(q), vexpm1(s));
    let loss = vlog1p(v);
    let bend = logarithmBend(v, loss);
    let share = div(add(v, all(q)), add(all(1), v));
    const large = f64x2.gt(s, all(30));
    if (anyTrue(large)) {
      const far = add(add(s, logQ), vlog1p(mul(all(odds), vexp(neg(s)))));
      loss = select(far, loss, large);
      bend = select(sub(loss, vexpm1(loss)), bend, large);
      share = select(all(1), share, large);
    }
    v128.store(out, vexp(mul(all(-0.5), mul(X, X))));
    v128.store(out + row, loss);
    v128.store(out + 2 * row, bend);
    v128.store(out + 3 * row, share);
  }
}

/** log(1 + v) − v. */
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
  return select(near, sub(logarithm, v), f64x2.le(abs(v), all(0.25)));
}
