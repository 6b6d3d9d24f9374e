/** The outputs of Poisson-subsampled Gaussian steps, scalar; assembly/loss-mesh.ts performs the same operations on two lanes. u = 2⁻⁵³. */
import { meshOutput } from '../kernel/kernel-table.js';
import { exp, expm1, log, log1p } from './elementary.js';

/** Beyond it u − 1 = q(e^s − 1) is not formed. */
const LARGE = 30;

/** The method of the seam, where its error bound is stated. */
export function lossMesh(mu: number, q: number, x: Float64Array, out?: Float64Array): Float64Array {
  const rows = meshOutput(x, out);
  const n = x.length;
  const half = 0.5 * (mu * mu);
  const logQ = log(q);
  const odds = (1 - q) / q;
  for (let j = 0; j < n; j++) {
    const s = mu * x[j] - half;
    const v = q * expm1(s);
    const large = s > LARGE;
    const loss = large ? s + logQ + log1p(odds * exp(-s)) : log1p(v);
    rows[j] = exp(-0.5 * (x[j] * x[j]));
    rows[n + j] = loss;
    rows[2 * n + j] = large ? loss - expm1(loss) : logarithmBend(v, loss);
    rows[3 * n + j] = large ? 1 : (v + q) / (1 + v);
  }
  return rows;
}

/**
 * log(1 + v) − v, given the logarithm. With t = v/(2 + v), log(1 + v) = 2 artanh t and v = 2t + tv, so that it is −tv + 2t³(1/3 + t²/5 + …); |t| ≤ 1/7 where
 * |v| ≤ 1/4, and the first term left out is below 1e-19 of the whole.
 */
function logarithmBend(v: number, logarithm: number): number {
  if (!(v <= 0.25 && v >= -0.25)) return logarithm - v;
  const t = v / (2 + v);
  const w = t * t;
  const series =
    1 / 3 +
    w *
      (1 / 5 +
        w * (1 / 7 + w * (1 / 9 + w * (1 / 11 + w * (1 / 13 + w * (1 / 15 + w * (1 / 17 + w / 19)))))));
  return 2 * t * (w * series) - t * v;
}
