/** Chernoff bounds of the hockey-stick divergence δ by the moment generating function M (docs/proofs/contour.md 2, 10, 16). */
import { U } from '../../src/kernel/constants.js';
import { Composed } from './law.js';
import { expm1Of, log1pOf } from '../functions/scalar.js';
import { logSum } from '../sums/errors.js';

/**
 * log of Chernoff's factor C(c) = s^s/(1 + s)^{1+s}, with s = c − 1 for c > 1, and −c for c < 0. For c > 1, δ(x) ≤ C(c)M(c)e^{−(c−1)x}; for c < 0 the
 * right side bounds E_P[(e^x − e^L)⁺]. For c in [0, 1] the factor is 1. Ensures: no less than log C(c).
 */
export function logChernoff(c: f64): f64 {
  if (c >= 0 && c <= 1) return 0;
  const s = c > 1 ? c - 1 : -c;
  const log = log1pOf(s);
  return -s * log1pOf(1 / s) - log + 1e-14 * (1 + log);
}

/** Chernoff's bound of δ(x) of a truncated run, at the tilt c that is 1 + s rounded to a double. */
export class Chernoff {
  private c: f64;
  private most: f64;
  private logC: f64;
  private logLost: f64;
  constructor(run: Composed, s: f64) {
    this.c = 1 + s;
    this.most = run.cumulant(this.c).most();
    this.logC = logChernoff(this.c);
    this.logLost = run.logLostQ;
  }
  /** Ensures: no less than log δ(x), the mass lost to truncation included. */
  at(x: f64): f64 {
    // 1 + s is rounded, but c − 1 is exact
    const drift = (this.c - 1) * x;
    const bound = this.most - drift + this.logC + 8 * U * (Math.abs(this.most) + Math.abs(drift) + 8);
    if (!(bound < Infinity)) return Infinity;
    return logSum(bound, this.logLost) + 1e-14 * (1 + Math.abs(bound));
  }
}

/** Ensures: no less than log δ(x) of the run before truncation, by Chernoff's bound at the tilt 1 + s, rounded to a double. */
export function chernoffBound(run: Composed, s: f64, x: f64): f64 {
  return new Chernoff(run, s).at(x);
}

/**
 * Upper bound of log E_P[u^{−s}], s > 0, u the likelihood ratio of one sampled step. Under P, u has mean 1, variance q²(e^{μ²} − 1) and least value
 * 1 − q. Among such laws the worst has two values (contour.md 16): 1 − q with probability 1 − e^{−μ²}, else 1 + q(e^{μ²} − 1). Ensures: no less than
 * that logarithm, rounding included.
 */
export function logInverseMoment(mu: f64, q: f64, s: f64): f64 {
  const share = -expm1Of(-mu * mu);
  const low = -s * log1pOf(-q);
  const high = s * log1pOf(q * expm1Of(Math.min(600, mu * mu)));
  const up = share * expm1Of(Math.min(low, 700));
  const down = (1 - share) * expm1Of(-high);
  const rise = up + down + 32 * U * (up - down) * (1 + low + high);
  return low < 700 ? log1pOf(rise) + 4 * U * Math.abs(rise) : Infinity;
}
