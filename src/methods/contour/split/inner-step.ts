import { plainLoss } from '../../../law/subsampling.js';
import { U } from '../../../numeric/constants.js';
import { logSum } from '../../../numeric/log-arithmetic.js';
import { exp, expm1, log, log1p, logDeltaGdp, logNormalCdf } from '../../../numeric/scalar.js';
import type { Functional } from '../line/line-table.js';
import type { SampledPhase } from './split-lines.js';

/** What is integrated: the inner step's F, and whether the outer law is the mixture's. */
export interface Integrand {
  readonly shifted: boolean;
  /** log F and |d log F/d d| at d = log(w + A). */
  readonly at: (d: number) => Sized;
  /** log F at a w, from above. */
  readonly atMost: (w: number) => number;
}

/** A logarithm, its slope in d, and its own rounding. */
interface Sized {
  readonly log: number;
  readonly slope: number;
  readonly error: number;
}

/** What rounding of the plain loss s moves d by, with w = qe^s = e^d − A. */
function plainError(d: number, s: number, q: number): number {
  return 8 * U * exp(-d) * (q + Math.abs(expm1(d)) + q * exp(s) * (1 + Math.abs(s)));
}

/** The inner of two steps: its F for each functional, as `TwoSteps` and docs/proofs/two-steps.md name them. */
export function integrandsOf(
  { mu, rate: q }: SampledPhase,
  mirrored: boolean,
): Readonly<Record<Functional, Integrand>> {
  const a = 1 - q;
  const side = mirrored ? 1 : -1;
  const half = mu / 2;
  /** log Φ on the side that counts. */
  const tail = (x: number): number => logNormalCdf(side * x);
  const mixed = (x: number): number => logSum(log1p(-q) + tail(x), log(q) + tail(x - mu));
  const rateOf = (shifted: boolean, logRate: (x: number) => number): Integrand => ({
    shifted,
    at: (d) => {
      const s = plainLoss(d, q);
      if (s === -Infinity) return { log: -Infinity, slope: 0, error: 0 };
      const x = s / mu + half;
      // the hazard of a Gaussian is at most 1 beyond its distance, and dw/w = e^d/w of an error of d
      const away = mirrored ? Math.max(0, mu - x) : Math.max(0, x);
      const slope = ((away + 1) / mu) * (1 + (a / q) * exp(-s));
      const error = slope * plainError(d, s, q) + (away + 1) * 3 * U * (Math.abs(s) / mu + mu);
      return { log: logRate(x), slope, error };
    },
    atMost: (w) => (w < Infinity ? logRate(log(w / q) / mu + half) + 1e-9 : 0),
  });
  const delta: Integrand = {
    shifted: true,
    at: (d) => {
      const s = plainLoss(d, q);
      if (s === -Infinity) return { log: mirrored ? -Infinity : log(q), slope: 0, error: 0 };
      const value = log(q) + (mirrored ? s + logDeltaGdp(mu, -s) : logDeltaGdp(mu, s));
      const slope = exp(d + tail(s / mu + half) - value);
      return { log: value, slope, error: slope * plainError(d, s, q) };
    },
    atMost: (w) => {
      if (!(w < Infinity)) return Infinity;
      const s = log(w / q);
      return log(q) + (mirrored ? s + logDeltaGdp(mu, -s) : logDeltaGdp(mu, s)) + 1e-9;
    },
  };
  return mirrored
    ? { delta, falsePositive: rateOf(true, mixed), power: rateOf(false, tail) }
    : { delta, falsePositive: rateOf(false, tail), power: rateOf(true, mixed) };
}
