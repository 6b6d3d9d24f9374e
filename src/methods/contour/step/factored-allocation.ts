import type { Kernel } from '../../../kernel/kernel.js';
import { U } from '../../../numeric/constants.js';
import { LONG_SUM, up } from '../../../numeric/rounding.js';
import { exp, log, log1p } from '../../../numeric/scalar.js';
import { addTables, tableOf } from '../line/line-table.js';
import type { Allocation } from './allocation-inner.js';
import { type CentralMoments, centralMoments, ORDERS } from './allocation-moments.js';
import { gaussianSpectrum } from './gaussian-spectrum.js';
import { type Cumulant, type LineNodes, type LogPhiLine, type SpectralLaw, UNKNOWN } from './spectral-law.js';
import type { TruncatedLaw } from './spectrum-of.js';
import { logarithms } from './weighted-losses.js';

/** Largest μ, and largest |η|, for which the series is tried. */
const LARGEST_MU = 1.5;
const LARGEST_ETA = 4;
/** Relative size of the remainder at which the series ends. */
const ENOUGH = 1e-19;

/**
 * A full epoch as the sum of a Gaussian loss with ν = μ/√t and an independent log V, V = 1 + η. M(z) = e^{ν²z(z−1)/2} E V^z, truncated to |η| ≤ h.
 * Undefined where no h ≤ 4 loses as little as asked. Proofs: docs/proofs/balls-and-bins.md, points 9 and 10.
 *
 * Ensures: log M and log φ of the truncated law are within their stated errors, and |φ| below its bounds.
 *
 * @param lost What the truncation may take from either measure.
 * @returns The law, and h as its reach.
 */
export function factoredAllocation(
  law: Allocation,
  lost: number,
): (TruncatedLaw & { readonly reach: number }) | undefined {
  const { mu, bins, visited } = law;
  if (visited !== bins || bins < 2 || !(mu <= LARGEST_MU)) return undefined;
  const moments = centralMoments(law);
  for (let h = moments.scale; h <= LARGEST_ETA; h *= 1.1) {
    const cut = new CutPowers(moments, h, mu);
    if (cut.lost <= lost) return { law: lawOf(cut, mu / Math.sqrt(bins)), lost: cut.lost, reach: h };
  }
  return undefined;
}

/** E[V^z; |η| ≤ h] − 1: real and imaginary part, derivatives by z on the real axis, and error bounds. */
interface Rise {
  readonly re: number;
  readonly im: number;
  /** First and second derivative, for real z. */
  readonly first: number;
  readonly second: number;
  readonly rounding: number;
  /** Bound of the errors from truncated moments and from omitted terms. */
  readonly truncation: number;
}

/**
 * E[V^z; |η| ≤ h] = Σ_k binom(z, k) E[η^k; |η| ≤ h]. The truncated moments are those of η up to E[|η|^k; |η| > h] ≤ h^{k−2j}E η^{2j}, any 2j ≥ k. K
 * terms, K even, have a truncation error of at most |binom(z, K)|E η^K times `stretch`.
 */
class CutPowers {
  readonly lost: number;
  /** E(η/h)^k; bounds of its error, and of the part beyond h; for even k, of all of it. */
  private readonly moment = new Float64Array(ORDERS + 1);
  private readonly error = new Float64Array(ORDERS + 1);
  private readonly beyond = new Float64Array(ORDERS + 1);
  private readonly whole = new Float64Array(ORDERS + 1);
  /** −log(1 − ℓ), where η ≥ −ℓ: R ≥ 1, so V ≥ 1/E R. */
  private readonly depth: number;

  /**
   * Prepares the moments of η/h with their errors, bounds of E[|η/h|^k; |η| > h], and the mass `lost` by the truncation at h, by Markov's inequality.
   */
  constructor(
    { scale, value, error }: CentralMoments,
    private readonly h: number,
    mu: number,
  ) {
    this.depth = (h < 1 ? Math.min((mu * mu) / 2, -log1p(-h)) : (mu * mu) / 2) * (1 + 4 * U);
    for (let k = 0, power = 1; k <= ORDERS; k++, power *= scale / h) {
      this.moment[k] = value[k] * power;
      this.error[k] = error[k] * power + 4 * (k + 2) * U * Math.abs(value[k]) * power;
      // ∞ · 0 would be NaN where a moment overflows
      const size = this.moment[k] + this.error[k];
      this.whole[k] = k % 2 === 0 && size >= 0 ? size : Infinity;
    }
    for (let k = ORDERS, least = Infinity; k >= 0; k--) {
      least = Math.min(least, this.whole[k]);
      this.beyond[k] = least;
    }
    this.lost = this.beyond[0] + h * this.beyond[1];
  }

  /**
   * Bound of K∫₀¹(1 − x)^{K−1}(1 + xη)^{c−K}dx over −ℓ ≤ η ≤ h. The remainder of (1 + η)^z after K terms is at most that times |binom(z, K)η^K|.
   */
  private stretch(c: number, terms: number): number {
    if (c >= terms) return up(exp((c - terms) * log1p(this.h)), LONG_SUM);
    // (1 − xℓ)^{−p} ≤ (1 − x)^{−p}, for p = 0 and p as large as may be
    const all = this.depth * (terms - c);
    const most = c >= 1 ? log(terms / c) : log(terms) + this.depth * (1 - c);
    return up(exp(Math.min(all, most)), LONG_SUM);
  }

  /**
   * E[(1 + η)^z; |η| ≤ h] − 1 at z = c + iτ, with derivatives on the real axis, by its binomial series (balls-and-bins.md 10). Ended where rounding
   * and truncation error are least; undefined if the series is useless.
   */
  at(c: number, tau: number): Rise | undefined {
    const { h, moment, error, beyond, whole } = this;
    // binom(z, k) h^k and its derivatives on the real axis
    let [x, y, x1, x2] = [1, 0, 0, 0];
    let [re, im, first, second] = [0, 0, 0, 0];
    let rounding = 0;
    let truncation = beyond[0];
    let best: Rise | undefined;
    for (let k = 1; k <= ORDERS; k++) {
      const [p, q] = [((c - k + 1) * h) / k, (tau * h) / k];
      const d = h / k;
      [x2, x1] = [x2 * p + 2 * x1 * d, x1 * p + x * d];
      [x, y] = [x * p - y * q, x * q + y * p];
      const modulus = Math.sqrt(x * x + y * y);
      if (k % 2 === 0) {
        const rest = modulus * whole[k] * this.stretch(c, k);
        if (best === undefined || truncation + rest < best.truncation)
          best = { re, im, first, second, rounding, truncation: truncation + rest };
        if (rest < ENOUGH) break;
      }
      truncation += modulus * beyond[k];
      if (!(truncation < 1e3)) break;
      // E η = 0 exactly: no term
      if (k === 1) continue;
      re += x * moment[k];
      im += y * moment[k];
      first += x1 * moment[k];
      second += x2 * moment[k];
      rounding += modulus * (error[k] + 8 * (k + ORDERS) * U * Math.abs(moment[k]));
    }
    return best;
  }
}

/** The law of a Gaussian loss with ν plus the independent truncated log V: sums of log M and of log φ, with both errors. */
function lawOf(cut: CutPowers, nu: number): SpectralLaw {
  const gaussian = gaussianSpectrum(nu);
  return {
    logMassP: 0,
    logMassQ: 0,
    cumulant: (c, count) => {
      const [own, rest] = [gaussian.cumulant(c, count), restAt(cut, c, count)];
      return {
        value: own.value + rest.value,
        error: own.error + rest.error + U * Math.abs(own.value + rest.value),
        mean: own.mean + rest.mean,
        variance: Math.max(1e-300, own.variance + rest.variance),
      };
    },
    line: (kernel, nodes, count) => {
      const rest = restLine(kernel, cut, nodes, count);
      const [own, other] = [gaussian.line(kernel, nodes, count), rest].map(
        (line) => line && tableOf(line, nodes),
      );
      return own && other && addTables(own, other);
    },
    // the mean of the logarithms is independent of the rest, so its Gaussian bounds |φ|
    decay: () => gaussian.decay(0),
  };
}

/** count·log E[V^c; |η| ≤ h], mean and variance, by the series in η. Ensures: within the error stated. */
function restAt(cut: CutPowers, c: number, count: number): Cumulant {
  const rise = cut.at(c, 0);
  if (rise === undefined) return UNKNOWN;
  const { re, first, second } = rise;
  const errorBound = rise.rounding + 1.01 * rise.truncation;
  if (!(errorBound < 0.1 * (1 + re))) return UNKNOWN;
  const one = log1p(re);
  const [slope, bend] = [first / (1 + re), second / (1 + re)];
  return {
    value: count * one,
    // the masses, taken as 1, have an error of `lost`
    error: count * ((1.2 * errorBound) / (1 + re) + 4 * cut.lost + 8 * U * Math.abs(one)),
    mean: count * slope,
    variance: count * (bend - slope * slope),
  };
}

/** count·log φ of the truncated log V along a contour, by its power series, with rounding and truncation errors. */
function restLine(
  kernel: Kernel,
  cut: CutPowers,
  { c, dTau, n }: LineNodes,
  count: number,
): LogPhiLine | undefined {
  const real = cut.at(c, 0);
  if (real === undefined || !(real.rounding + real.truncation < 0.1 * (1 + real.re))) return undefined;
  const [re, im, roundings] = [new Float64Array(n), new Float64Array(n), new Float64Array(n)];
  const base = 1 + real.re;
  const unsure = 1.3 * (real.rounding + real.truncation);
  for (let k = 1; k < n; k++) {
    const rise = cut.at(c, k * dTau);
    // only |φ| ≤ 1 is known
    if (rise === undefined) {
      roundings[k] = 1;
      continue;
    }
    re[k] = (rise.re - real.re) / base;
    im[k] = rise.im / base;
    const away = Math.sqrt(re[k] * re[k] + im[k] * im[k]);
    roundings[k] = (rise.rounding + 1.2 * rise.truncation + (1 + away) * unsure) / base + 6 * U * away;
  }
  return logarithms(kernel, { re, im, rounding: roundings, truncation: 0 }, count);
}
