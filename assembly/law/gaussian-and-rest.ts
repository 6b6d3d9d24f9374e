/**
 * The loss of a full balls-and-bins epoch of t bins is a Gaussian loss with ν = μ/√t plus an independent loss log V. So M(z) = e^{ν²z(z−1)/2} E V^z.
 * The rest V = 1 + η is truncated to |η| ≤ h, and E V^z is a power series in η. Numbers after balls-and-bins.md are sections of docs/proofs/balls-and-bins.md.
 */
import { U } from '../../src/kernel/constants.js';
import { loadF64, storeF64 } from '../lane/memory.js';
import { countCumulant, isSpent, mark, release, spend, take, takeZeros } from '../lane/room.js';
import { expOf, log1pOf, logOf } from '../functions/scalar.js';
import { Epochs, gaussianOf } from './allocation.js';
import { Bins } from './bins.js';
import { Cumulant, LogPhi } from './law.js';

/**
 * Moments E η^k are known up to this even order; a row of them has ROW bytes. 1 + η is the likelihood ratio of an epoch without its Gaussian part.
 */
const ORDERS: usize = 48;
const ROW: usize = 392;
/** Truncations |η| ≤ h are tried up to this h; each h is GROWTH times the one before. */
const LARGEST: f64 = 4;
const GROWTH: f64 = 1.1;
/** The series ends where the bound of its remainder is below this. */
const ENOUGH: f64 = 1e-19;
/** Upper bound of the relative error of a few exponentials and logarithms. */
const LONG_SUM: f64 = 1e-12;

/**
 * The series E[V^z; |η| ≤ h] = Σ_k binom(z, k) E[η^k; |η| ≤ h], V = 1 + η the likelihood ratio of an epoch without its Gaussian part. Truncated
 * moments differ from those of η by at most E[|η|^k; |η| > h] ≤ h^{k−2j}E η^{2j}, for any 2j ≥ k. With K terms, K even, the remainder is at most
 * |binom(z, K)|E η^K times `stretch` (balls-and-bins.md 10).
 */
export class CutPowers {
  /** The truncation |η| ≤ h, 1 + η the likelihood ratio of an epoch without its Gaussian part. */
  h: f64 = 0;
  /** Ensures: no less than the P-mass and the Q-mass that the truncation removes from one epoch. */
  lost: f64 = Infinity;
  /** Results of `at`: E[V^z; |η| ≤ h] − 1, V = 1 + η, its first two derivatives by z on the real axis, and its rounding error. */
  re: f64 = 0;
  im: f64 = 0;
  first: f64 = 0;
  second: f64 = 0;
  rounding: f64 = 0;
  /** Ensures: no less than the error from using moments of η that are not truncated, and from omitted terms. */
  truncation: f64 = 0;
  /**
   * Four rows over k = 0 … ORDERS: E(η/h)^k, a bound of its error, a bound of E[|η/h|^k; |η| > h], and an upper bound of E(η/h)^k for even k, ∞ for
   * odd k.
   */
  private rows: usize;
  /** The unit `scale` of η, and the address of E(η/scale)^k, k = 0 … ORDERS. Bounds of their errors follow there. */
  private scale: f64;
  private given: usize;
  /** −log(1 − ℓ), where η ≥ −ℓ. By the truncation ℓ ≤ h, and V = 1 + η ≥ e^{−μ²/2} (balls-and-bins.md 9). */
  private depth: f64 = 0;
  private mu: f64;

  /** @param at Address of the parameters of `Bins`, behind which are the scale of η and its moments. */
  constructor(at: usize) {
    for (let i = 0; i < 2; i++) countCumulant();
    this.mu = loadF64(at);
    this.scale = loadF64(at, 48);
    this.given = at + 56;
    this.rows = take(4 * (ROW >> 3));
  }

  /**
   * Truncates to |η| ≤ h at the least h tried for which the bound `lost` of the removed masses is at most e^{logMost}. False where there is none, or
   * there are no moments.
   */
  lose(logMost: f64): bool {
    if (!(this.scale > 0 && logMost > -Infinity)) return false;
    const most = expOf(Math.max(logMost, -700));
    for (let h = this.scale; h <= LARGEST; h *= GROWTH) {
      this.cut(h);
      if (this.lost <= most) return true;
    }
    return false;
  }

  /**
   * Truncates to |η| ≤ h: computes E(η/h)^k with error bounds, and `lost`, a bound of P[|η| > h] and of E[1 + η; |η| > h]. That is by Markov's
   * inequality from even moments, with their errors included.
   */
  cut(h: f64): void {
    spend(20 * <f64>ORDERS);
    this.h = h;
    const square = this.mu * this.mu;
    this.depth = (h < 1 ? Math.min(square / 2, -log1pOf(-h)) : square / 2) * (1 + 4 * U);
    let power: f64 = 1;
    for (let k: usize = 0; k <= ORDERS; k++, power *= this.scale / h) {
      const at = this.rows + (k << 3);
      const value = loadF64(this.given + (k << 3));
      const moment = value * power;
      const unsure = loadF64(this.given + ROW + (k << 3)) * power;
      const error = unsure + 4 * <f64>(k + 2) * U * Math.abs(value) * power;
      storeF64(at, moment);
      storeF64(at + ROW, error);
      // odd orders have no bound: ∞ is selected, as a product with 0 would be NaN if a moment overflows
      const size = moment + error;
      storeF64(at + 3 * ROW, (k & 1) === 0 && size >= 0 ? size : Infinity);
    }
    let least: f64 = Infinity;
    for (let at = this.rows + (ORDERS << 3); at >= this.rows; at -= 8) {
      least = Math.min(least, loadF64(at + 3 * ROW));
      storeF64(at + 2 * ROW, least);
    }
    this.lost = loadF64(this.rows + 2 * ROW) + h * loadF64(this.rows + 2 * ROW, 8);
  }

  /**
   * Upper bound of K∫₀¹(1 − x)^{K−1}(1 + xη)^{c−K}dx over −ℓ ≤ η ≤ h, K = `terms`, e^{−depth} = 1 − ℓ. Taylor's remainder of (1 + η)^z after K terms
   * is at most that times |binom(z, K)η^K|, c = Re z (balls-and-bins.md 10).
   */
  private stretch(c: f64, terms: f64): f64 {
    if (c >= terms) return expOf((c - terms) * log1pOf(this.h)) * (1 + LONG_SUM);
    // c < K: (1 + xη)^{c−K} ≤ (1 − xℓ)^{c−K}; as 1 − xℓ ≥ 1 − ℓ the bound is e^{all}, and as 1 − xℓ ≥ 1 − x it is e^{most}
    const all = this.depth * (terms - c);
    const most = c >= 1 ? logOf(terms / c) : logOf(terms) + this.depth * (1 - c);
    return expOf(Math.min(all, most)) * (1 + LONG_SUM);
  }

  /**
   * Sets E[V^z; |η| ≤ h] − 1 at z = c + iτ, with derivatives on the real axis. It is by the binomial series in η, V = 1 + η (balls-and-bins.md 10).
   * The series ends at the even K with the least bound of the truncation error. Ensures: the value is within `rounding` + `truncation`. False if no
   * such bound is finite.
   */
  at(c: f64, tau: f64): bool {
    const h = this.h;
    // binom(z, k) h^k and its derivatives on the real axis
    let x: f64 = 1;
    let y: f64 = 0;
    let x1: f64 = 0;
    let x2: f64 = 0;
    let re: f64 = 0;
    let im: f64 = 0;
    let first: f64 = 0;
    let second: f64 = 0;
    let rounding: f64 = 0;
    let truncation = loadF64(this.rows + 2 * ROW);
    let isKnown = false;
    for (let k: usize = 1; k <= ORDERS; k++) {
      const at = this.rows + (k << 3);
      const d = h / <f64>k;
      const p = (c - <f64>k + 1) * d;
      const q = tau * d;
      x2 = x2 * p + 2 * x1 * d;
      x1 = x1 * p + x * d;
      const before = x;
      x = before * p - y * q;
      y = before * q + y * p;
      const modulus = Math.sqrt(x * x + y * y);
      if ((k & 1) === 0) {
        const rest = modulus * loadF64(at + 3 * ROW) * this.stretch(c, <f64>k);
        if (!isKnown || truncation + rest < this.truncation) {
          isKnown = true;
          this.re = re;
          this.im = im;
          this.first = first;
          this.second = second;
          this.rounding = rounding;
          this.truncation = truncation + rest;
        }
        if (rest < ENOUGH) break;
      }
      truncation += modulus * loadF64(at + 2 * ROW);
      if (!(truncation < 1e3)) break;
      // E η = 0, as 1 + η is a likelihood ratio, so this term is 0
      if (k === 1) continue;
      const moment = loadF64(at);
      re += x * moment;
      im += y * moment;
      first += x1 * moment;
      second += x2 * moment;
      rounding += modulus * (loadF64(at + ROW) + 8 * <f64>(k + ORDERS) * U * Math.abs(moment));
    }
    return isKnown;
  }
}

/**
 * The law of `count` full epochs, truncated to |η| ≤ h, where 1 + η is the likelihood ratio without its Gaussian part. The truncated P and Q have
 * masses a little below 1. They are counted as 1, and the difference is added to error bounds (`Composed.loseUpTo`).
 */
export class GaussianAndRest extends Epochs {
  constructor(
    bins: Bins,
    readonly powers: CutPowers,
    count: f64,
  ) {
    super(count, gaussianOf(bins, count));
  }

  /**
   * count·(ν²c(c − 1)/2 + log E[V^c; |η| ≤ h]), with mean and variance. The first term is of the Gaussian part, the second of V = 1 + η by its
   * series. Ensures: within the error stated, of rounding and truncation.
   */
  cumulant(c: f64): Cumulant {
    const powers = this.powers;
    const gaussian = this.gaussian;
    spend(1000);
    if (gaussian === null || isSpent() || !(Math.abs(c) < Infinity) || !powers.at(c, 0))
      return this.told.forget();
    const rise = powers.re;
    const off = powers.rounding + 1.01 * powers.truncation;
    if (!(off < 0.1 * (1 + rise))) return this.told.forget();
    const rest = log1pOf(rise);
    const slope = powers.first / (1 + rise);
    const bend = powers.second / (1 + rise) - slope * slope;
    const count = this.count;
    // the masses are counted as 1, which is wrong by at most `lost`
    const error = count * ((1.2 * off) / (1 + rise) + 4 * powers.lost + 8 * U * Math.abs(rest));
    const own = gaussian.cumulant(c);
    const value = own.value + count * rest;
    const unsure = own.error + error + 2 * U * (Math.abs(own.value) + Math.abs(value));
    return this.told.set(
      value,
      unsure,
      own.mean + count * slope,
      Math.max(1e-300, own.variance + count * bend),
    );
  }

  /**
   * Adds count·log φ at the nodes of a contour: that of the Gaussian part, and log E[V^z] by the series of `CutPowers`. Rounding and truncation
   * errors of the series are added to those of `line`. False where the series at c is useless or would cost too much.
   */
  override addTo(line: LogPhi, c: f64, turn: f64): bool {
    const powers = this.powers;
    const gaussian = this.gaussian;
    if (gaussian === null || !powers.at(c, 0)) return false;
    const real = powers.re;
    const base = 1 + real;
    const relative = powers.rounding + powers.truncation;
    if (!(relative < 0.1 * base)) return false;
    const unsure = 1.3 * relative;
    spend(1000 * <f64>line.n);
    if (isSpent()) return false;
    const start = mark();
    const own = takeZeros(4 * line.room);
    const row = line.room << 3;
    for (let k: usize = 1; k < line.n; k++) {
      const at = own + (k << 3);
      // nothing but |φ| ≤ 1 is known
      if (!powers.at(c, <f64>k * line.step)) {
        storeF64(at + 2 * row, 1);
        continue;
      }
      const re = (powers.re - real) / base;
      const im = powers.im / base;
      const away = Math.sqrt(re * re + im * im);
      const error = powers.rounding + 1.2 * powers.truncation + (1 + away) * unsure;
      storeF64(at, re);
      storeF64(at + row, im);
      storeF64(at + 2 * row, error / base + 6 * U * away);
    }
    spend(40 * <f64>line.n);
    this.addLogarithms(line, own, turn);
    release(start);
    return gaussian.addTo(line, c, turn);
  }
}
