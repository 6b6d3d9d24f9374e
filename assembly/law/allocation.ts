/**
 * The law of the privacy loss of balls-and-bins epochs. Its moment generating function is M(z) = (1/Γ(w))∫u^{w−1}G(u)du, w = m − z. The integral runs
 * along rays u = e^{v−iθ}; `Bins` defines the power m and G. Numbers after balls-and-bins.md are sections of docs/proofs/balls-and-bins.md.
 */
import { INVERSE_PI, U } from '../../src/kernel/constants.js';
import { contourSumsUniform } from '../sums/contour-sums.js';
import { Ray } from '../sums/inner-sums.js';
import { digamma, trigamma } from '../functions/log-gamma.js';
import { loadF64, storeF64 } from '../lane/memory.js';
import { cumulantSums } from '../sums/mesh-sums.js';
import { RayValues } from '../sums/ray-values.js';
import { countCumulant, hasRoom, isSpent, mark, release, spend, take, takeZeros } from '../lane/room.js';
import { atan2Of, cosPiOf, expm1Of, expOf, logOf, sinPiOf } from '../functions/scalar.js';
import { Bins, MOST_TERMS, Place, termsFor, wholeBlocks } from './bins.js';
import { Gaussian } from './gaussian.js';
import { Cumulant, Law, LogPhi } from './law.js';

/** −log of the relative accuracy asked of φ(τ) = M(c + iτ)/M(c) of one epoch; for `count` epochs log(count) is added. */
const DEPTH: f64 = 33;
/** For tilts c > 2 with log M(c) of one epoch above this, log M is only bounded, by its convexity (`between`). */
const HEAVY: f64 = 25;
/** Upper bound of the error of logs of moments, and of chords through them, relative to 1 + |log| + order. */
const MOMENTS_ERROR: f64 = 1e-11;
/** Largest μ for quadrature along rays: with less noise the loss varies too much. */
const LARGEST_MU: f64 = 3.2;
/** Rays are used only where log E[X^m] = μ²m(m − 1)/2 is at most this, X the likelihood ratio of one bin. */
const LARGEST_MOMENT: f64 = 600;
/** Limit of the work for one contour: frequencies times nodes of the ray that serves them, summed over its rays. */
const MOST_WORK: f64 = 2e7;
/** For power m = 0 one ray serves an interval of negative tilts. Its lower end is RANGE times its upper end. */
const RANGE: f64 = 1.25;
/** The power m is 0 for tilts c ≤ −MILDEST. */
const MILDEST: f64 = 4;
/** Half widths of strips around the ray u = e^{v−iθ} that are tried, as shares of π/2 − θ, the largest possible. */
const SHARES: f64[] = [0.25, 0.4, 0.55, 0.7, 0.82, 0.9];

/**
 * log K(φ), K(φ) = Γ(ρ)e^{−φτ}cos(φ)^{−ρ}/|Γ(ρ − iτ)|, ρ = m − c, at the frequency τ. Along the ray at angle φ the integrand's modulus has an
 * integral of at most K(φ)M(c) (balls-and-bins.md 3).
 * @param ratio log of Γ(ρ)/|Γ(ρ − iτ)|, which relates moduli of the integrand at the frequencies 0 and τ.
 */
function logLoss(rho: f64, tau: f64, phi: f64, ratio: f64): f64 {
  return ratio - phi * tau - rho * logOf(cosPiOf(phi * INVERSE_PI));
}

/**
 * A ray u = e^{v−iθ} for a range of frequencies, the half width of a strip around it, and the spacing h of v. They are heuristic; `quadrature` bounds
 * the error for any choice.
 */
class Strip {
  /** log of Γ(ρ)/|Γ(ρ − iτ)|, ρ = m − c, at the smallest and the largest frequency τ. */
  private first: f64;
  private last: f64;
  half: f64 = 0;
  h: f64 = 0;
  readonly theta: f64;

  /**
   * Chooses θ = atan(τ/ρ) at the middle frequency τ, ρ = m − c. The spacing of v is the widest with a quadrature error of about e^{−depth} of M(c)
   * for frequencies `from` … `to`.
   */
  constructor(
    private bins: Bins,
    private place: Place,
    private from: f64,
    private to: f64,
    depth: f64,
  ) {
    countCumulant();
    const rho = place.rho;
    this.theta = atan2Of((from + to) / 2, rho);
    this.first = this.logRatio(from, rho);
    this.last = this.logRatio(to, rho);
    const room = Math.PI / 2 - this.theta;
    for (let i = 0; i < SHARES.length; i++) {
      const half = SHARES[i] * room;
      const h = (2 * Math.PI * half) / (depth + this.worst(half) + 1);
      if (!(h > this.h)) continue;
      this.h = h;
      this.half = half;
    }
    this.h = bins.sharedStep(Math.min(this.h, bins.innerSpacing(place.m, this.theta)));
  }

  /** log of Γ(ρ)/|Γ(ρ − iτ)|, which relates moduli of the integrand at the frequencies 0 and τ. */
  private logRatio(tau: f64, rho: f64): f64 {
    const gamma = this.bins.gamma;
    return tau === 0 ? 0 : gamma.at(rho, 0).re - gamma.at(rho, tau).re;
  }
  /**
   * The largest log K (`logLoss`) at the strip's two edges and at the smallest and largest frequency, but at least 0. Heuristic: it chooses the
   * spacing.
   */
  private worst(half: f64): f64 {
    const rho = this.place.rho;
    let most: f64 = 0;
    for (let side: f64 = -1; side <= 1; side += 2) {
      const phi = this.theta + side * half;
      most = Math.max(most, logLoss(rho, this.from, phi, this.first));
      most = Math.max(most, logLoss(rho, this.to, phi, this.last));
    }
    return most;
  }
  /**
   * Bound [K(θ + b) + K(θ − b)]/(e^{2πb/h} − 1), K as in `logLoss`, b the strip's half width. Ensures: no less than the error of the trapezoidal rule
   * in v at the frequency τ, relative to M(c) (balls-and-bins.md 3).
   */
  quadrature(tau: f64): f64 {
    return this.quadratureAt(tau, this.place.rho);
  }
  /** `quadrature` at the tilt c for which rho = m − c. */
  quadratureAt(tau: f64, rho: f64): f64 {
    const ratio = this.logRatio(tau, rho);
    const high = expOf(logLoss(rho, tau, this.theta + this.half, ratio));
    const low = expOf(logLoss(rho, tau, this.theta - this.half, ratio));
    return (1.01 * (high + low)) / expm1Of((2 * Math.PI * this.half) / this.h);
  }
}

/** A ray along the real axis (θ = 0). Its values serve all tilts c with the same power m or, for m = 0, an interval of tilts. */
class Base {
  /**
   * Rows for `cumulantSums`: weights at the points v − middle. The sum of weight·e^{l(v − middle)} gives M(c), l = c₀ − c, where c₀ is the ray's own
   * tilt.
   */
  weights: usize = 0;
  n: usize = 0;
  middle: f64 = 0;
  readonly place: Place;
  readonly strip: Strip;
  ray: Ray | null = null;

  /**
   * Heuristic: chooses the ray for all tilts between `from` and `to`, and computes the integrand's factor G(u) = E[s^m e^{−us}] on it. `ray` stays
   * null where that would cost too much. Errors are bounded for any ray, in `Allocation.reweighted`.
   */
  constructor(
    bins: Bins,
    readonly m: f64,
    readonly from: f64,
    to: f64,
  ) {
    for (let i = 0; i < 4; i++) countCumulant();
    const middle = 0.5 * (from + to);
    const depth = DEPTH - bins.fewerOfRule;
    const place = new Place(middle, m, bins.leastAt(middle));
    const least = new Place(from, m, bins.leastAt(from));
    const most = new Place(to, m, bins.leastAt(to));
    const low = new Strip(bins, least, 0, 0, depth);
    const high = new Strip(bins, most, 0, 0, depth);
    let strip = new Strip(bins, place, 0, 0, depth);
    if (low.h < strip.h) strip = low;
    if (high.h < strip.h) strip = high;
    this.place = place;
    this.strip = strip;
    this.lay(bins, least, most);
  }

  /**
   * Places the nodes of a ray for all tilts between those of `least` and `most`, over a heuristic range. It stores weights from the values of G(u) =
   * E[s^m e^{−us}] there, with their error bounds (`weigh`).
   */
  private lay(bins: Bins, least: Place, most: Place): void {
    const h = this.strip.h;
    const ends = DEPTH - bins.fewerAtEnds;
    const a = bins.rayFor(least, 0, h, ends);
    const b = bins.rayFor(this.place, 0, h, ends);
    const c = bins.rayFor(most, 0, h, ends);
    if (a === null || b === null || c === null) return;
    // the smallest range that contains all rays
    const first = Math.min(a.first, Math.min(b.first, c.first));
    const last = Math.max(a.first + <f64>a.n, Math.max(b.first + <f64>b.n, c.first + <f64>c.n));
    const ray = new Ray(0, h, first, <usize>wholeBlocks(last - first));
    ray.top = Math.max(a.top, Math.max(b.top, c.top));
    if (!hasRoom(8 * <f64>ray.n)) return;
    const weights = takeZeros(8 * ray.n);
    const start = mark();
    const values = bins.valuesOn(this.place, ray);
    if (values !== null) {
      // e^{l(v − middle)} is about 1 where the integrand is largest: no underflow at steep tilts, and overflow is detected
      this.middle = logOf(Math.max(1, this.place.rho));
      this.weights = weights;
      this.n = ray.n;
      this.ray = ray;
      this.weigh(values, 0.51 * (most.c - least.c));
    }
    release(start);
  }

  /**
   * Writes rows for `cumulantSums`. The first has the real parts of the values, the second v − middle, the fifth a relative error bound. The bound
   * holds for sums with factors e^{l(v − middle)}, |l| ≤ steepest; it includes errors of the values, and roundings.
   */
  private weigh(values: RayValues, steepest: f64): void {
    const n = this.n;
    const ray = values.ray;
    const row = n << 3;
    for (let j: usize = 0; j < n; j++) {
      const from = values.table + (j << 3);
      const re = loadF64(from);
      const error = loadF64(from + 5 * row);
      const v = ray.h * (ray.first + <f64>(n - 1 - j));
      const y = v - this.middle;
      // the exact value is positive, but the computed one may be below its error bound: then the bound is the weight
      const weight = Math.max(re, error);
      const roundings = 26 + <f64>n / 32 + 2 * steepest * (Math.abs(v) + Math.abs(y));
      const off = (re < error ? 3 : 1) * error + U * roundings * loadF64(from + 4 * row);
      const to = this.weights + (j << 3);
      storeF64(to, weight);
      storeF64(to + row, y);
      storeF64(to + 4 * row, weight > 0 ? off / weight : 0);
    }
  }
}

/**
 * Laws of balls-and-bins epochs. Where a Gaussian is an independent part of the loss, |M(c + iτ)|/M(c) is at most the Gaussian's (balls-and-bins.md
 * 7).
 */
export abstract class Epochs extends Law {
  /** @param gaussian The Gaussian part that bounds |M(c + iτ)|/M(c); null where there is none. */
  constructor(
    count: f64,
    protected gaussian: Gaussian | null,
  ) {
    super(count);
  }
  approximate(c: f64): Cumulant {
    return this.cumulant(c);
  }
  openDecay(_c: f64): void {}
  addDecay(taus: usize, m: usize, enough: f64, sharp: bool, out: usize): void {
    const own = this.gaussian;
    if (own !== null) own.addDecay(taus, m, enough, sharp, out);
  }
  tailLog(from: f64): f64 {
    const own = this.gaussian;
    return own === null ? 0 : own.tailLog(from);
  }
  tailPower(from: f64): f64 {
    const own = this.gaussian;
    return own === null ? 0 : own.tailPower(from);
  }
}

/**
 * The Gaussian part of the loss of `count` full epochs of t bins. With it, |M(c + iτ)| ≤ M(c)e^{−τ²μ²/2t} for each epoch (balls-and-bins.md 7). Null
 * for partial epochs, for which this is false.
 */
export function gaussianOf(bins: Bins, count: f64): Gaussian | null {
  if (bins.visited !== bins.bins) return null;
  return new Gaussian((count * bins.mu * bins.mu) / bins.bins);
}

/** The law of `count` epochs, by quadrature along rays. */
export class Allocation extends Epochs {
  private bases: Base[] = [];
  private own: Cumulant = new Cumulant(0, 0, 0, 0);
  private sums: usize;

  constructor(
    private bins: Bins,
    count: f64,
  ) {
    super(count, gaussianOf(bins, count));
    this.sums = take(8);
  }

  cumulant(c: f64): Cumulant {
    return this.told.setTimes(this.one(c), this.count);
  }

  /** Heuristic: the base ray for a tilt, made once for each power m or, for m = 0, for each interval of negative tilts. */
  private baseFor(c: f64): Base {
    const m = termsFor(c);
    let from = m - 5;
    let to = m - 4;
    if (m === 0) {
      to = -MILDEST;
      while (c < RANGE * to) to *= RANGE;
      from = RANGE * to;
    }
    for (let i = 0; i < this.bases.length; i++) {
      const known = this.bases[i];
      if (known.m === m && known.from === from) return known;
    }
    const made = new Base(this.bins, m, from, to);
    this.bases.push(made);
    return made;
  }

  /**
   * log M(c) of one epoch, from the values on the base ray, reweighted to c. The error covers quadrature, truncation and rounding. Where no ray is of
   * use, moments of whole order bound log M(c) by convexity (`between`). Ensures: log M(c) lies within the stated error.
   */
  private one(c: f64): Cumulant {
    const own = this.own;
    const bins = this.bins;
    const m = termsFor(c);
    if (bins.mu > LARGEST_MU || isSpent() || !(Math.abs(c) < Infinity)) return own.forget();
    if (m > MOST_TERMS || bins.mu * bins.mu * m * (m - 1) > 2 * LARGEST_MOMENT) return this.between(c);
    // where the largest draws of one bin dominate M, no contour is of use, and the inner integrals need many nodes
    if (c > 2 && this.between(c).value > HEAVY) return own;
    const base = this.baseFor(c);
    const ray = base.ray;
    if (ray === null) return own.forget();
    return this.reweighted(base, ray, new Place(c, m, bins.leastAt(c)));
  }

  /**
   * log M(c) of one epoch, M(c) = (h/Γ(ρ)) Σ e^{ρv}G(e^v), ρ = m − c, h the spacing of v, G(u) = E[s^m e^{−us}]. The values on the base ray of tilt
   * c₀ are multiplied by e^{(c₀−c)v}. Mean and variance follow from derivatives and are approximate. Unknown where the relative error reaches 0.1.
   * Ensures: log M is within the stated error of quadrature, truncation, Γ and rounding.
   */
  private reweighted(base: Base, ray: Ray, place: Place): Cumulant {
    const c = place.c;
    const gamma = this.bins.gamma;
    const lead = base.place.c - c;
    storeF64(this.sums, lead);
    const sums = this.sums + 16;
    spend(9.6 * <f64>base.n);
    cumulantSums(base.weights, base.n, 0, base.n, this.sums, 1, sums);
    const sum = loadF64(sums);
    const first = loadF64(sums, 8) / sum;
    const others = gamma.at(base.place.rho, 0).re;
    const unsure = gamma.error;
    const gammas = gamma.at(place.rho, 0).re;
    const known = gamma.error + unsure;
    const one = logOf(sum) + lead * base.middle + base.place.logM + others - gammas;
    const outside = expOf(place.logM - one) * this.bins.outsideOf(place, ray);
    const terms = 8 + 2 * Math.abs(gammas) + 2 * Math.abs(others) + 4 * Math.abs(lead * base.middle);
    const relative =
      loadF64(sums, 40) / sum + outside + base.strip.quadratureAt(0, place.rho) + known + U * terms;
    if (!(relative < 0.1)) return this.own.forget();
    const mean = digamma(place.rho) - base.middle - first;
    const variance = loadF64(sums, 16) / sum - first * first - trigamma(place.rho);
    const error = 1.1 * relative + 4 * U * Math.abs(one);
    return this.own.set(one, error, mean, Math.max(1e-300, variance));
  }

  /**
   * Bounds of log M(c) from moments of whole order, where no quadrature serves. log M is convex: it lies below its chord between whole orders, and
   * above the neighbouring chords continued (balls-and-bins.md 8). A variance of ∞ marks a cumulant from these bounds, and no contour is laid at its
   * tilt. Ensures: log M(c) is within `error`, half the distance of these bounds plus their rounding.
   */
  private between(c: f64): Cumulant {
    const k = Math.floor(c);
    if (!(k >= 1)) return this.own.forget();
    const bins = this.bins;
    const here = bins.logMoment(k);
    const next = bins.logMoment(k + 1);
    const after = bins.logMoment(k + 2);
    if (!(after < Infinity)) return this.own.forget();
    const part = c - k;
    const above = here + part * (next - here);
    const before = here + part * (here - bins.logMoment(k - 1));
    const behind = next - (1 - part) * (after - next);
    const below = Math.min(above, Math.max(before, behind));
    const rounding = MOMENTS_ERROR * (1 + Math.abs(above) + k);
    return this.own.set((above + below) / 2, (above - below) / 2 + rounding, next - here, Infinity);
  }

  /**
   * Adds count·log φ at the nodes of a contour, φ(τ) = M(c + iτ)/M(c) of one epoch. One ray serves each range of frequencies. The errors are of
   * rounding, quadrature and truncation. False where it would cost too much, or log M is unknown.
   */
  override addTo(line: LogPhi, c: f64, turn: f64): bool {
    const logM = this.one(c);
    if (!(logM.value < Infinity && logM.variance < Infinity)) return false;
    const start = mark();
    const own = new Line(this.bins, new Place(c, termsFor(c), logM.value), logM.error, line);
    const isDone = own.fill(this.count);
    if (isDone) this.addLogarithms(line, own.rows, turn);
    release(start);
    return isDone;
  }
}

/** φ(τ) = M(c + iτ)/M(c) of one epoch at the nodes of a contour Re z = c. */
class Line {
  /** Four rows: real and imaginary part of φ − 1 of one epoch, its rounding error, and its quadrature error. */
  readonly rows: usize;
  private sums: usize = 0;
  private work: f64 = 0;
  private strips: Strip[] = [];
  private ends: usize[] = [];

  /** @param place The contour's tilt c, with log M(c), whose error is `logMError`. */
  constructor(
    private bins: Bins,
    private place: Place,
    private logMError: f64,
    private line: LogPhi,
  ) {
    countCumulant();
    this.rows = takeZeros(4 * line.room);
  }

  /**
   * Fills the rows with φ − 1 and its errors, as accurately as `count` epochs need, one ray for each range of frequencies. The ray of the largest
   * frequencies is the longest, so it comes first. False where a ray costs too much.
   */
  fill(count: f64): bool {
    const line = this.line;
    const n = line.n;
    const rho = this.place.rho;
    const more = logOf(count);
    for (let k: usize = 0; k < n;) {
      const tau = <f64>k * line.step;
      const half = 0.8 * Math.sqrt(2 * rho * (1 + (tau / rho) * (tau / rho)));
      const to = Math.min(<f64>n, Math.max(<f64>(k + 1), Math.floor((tau + 2 * half) / line.step)));
      const last = (to - 1) * line.step;
      this.strips.push(new Strip(this.bins, this.place, tau, last, DEPTH - this.bins.fewerOfRule + more));
      this.ends.push(k);
      k = <usize>to;
    }
    this.sums = take(4 * line.room);
    let to = n;
    for (let i = this.strips.length - 1; i >= 0; i--) {
      const start = mark();
      const isDone = this.addRay(this.strips[i], this.ends[i], to, DEPTH - this.bins.fewerAtEnds + more);
      release(start);
      if (!isDone || isSpent()) return false;
      to = this.ends[i];
    }
    for (let r: usize = 0; r < 4; r++) storeF64(this.rows + ((r * line.room) << 3), 0);
    spend(40 * <f64>n);
    return true;
  }

  /**
   * φ − 1 at the nodes from … to − 1 of the contour, by the trapezoidal rule along one ray (balls-and-bins.md 2). Errors of rounding and of log M(c)
   * go to the third row, those of quadrature and truncation to the fourth (balls-and-bins.md 3, 4). False where it would cost too much.
   */
  private addRay(strip: Strip, from: usize, to: usize, depth: f64): bool {
    const line = this.line;
    const ray = this.bins.rayFor(this.place, strip.theta, strip.h, depth);
    if (ray === null) return false;
    const values = this.bins.valuesOn(this.place, ray);
    if (values === null) return false;
    const many = to - from;
    const terms = <f64>ray.n * <f64>many;
    this.work += terms;
    if (this.work > MOST_WORK) return false;
    spend(3.6 * terms);
    const taus = this.sums + ((3 * line.room) << 3);
    for (let k: usize = 0; k < many; k++) storeF64(taus + (k << 3), <f64>(from + k) * line.step);
    contourSumsUniform(ray.h, values.table, ray.n, taus, many, this.sums);
    const row = line.room << 3;
    const at = new AtNode(values, this.place.rho, this.bins);
    for (let k: usize = 0; k < many; k++) {
      const tau = loadF64(taus + (k << 3));
      const sum = this.sums + 24 * k;
      at.take(tau, loadF64(sum), loadF64(sum, 8));
      const to = this.rows + ((from + k) << 3);
      storeF64(to, at.x - 1);
      storeF64(to + row, at.y);
      storeF64(to + 2 * row, at.error + this.logMError * Math.max(1, at.size));
      storeF64(to + 3 * row, at.size * ray.outside + strip.quadrature(tau));
    }
    return true;
  }
}

/**
 * Computes φ(τ) = S·Γ(ρ)cos(θ)^{−ρ}e^{−θτ−iψ}/|Γ(ρ − iτ)| from the sum S of `RayValues` along a ray at angle θ, ρ = m − c. ψ = ρθ + arg Γ(ρ − iτ) +
 * τv, v the ray's last node, about which S is rotated.
 */
class AtNode {
  x: f64 = 0;
  y: f64 = 0;
  /** The modulus of the factor by which the sum S is multiplied. */
  size: f64 = 0;
  /** Ensures: no less than the rounding error of x + iy. */
  error: f64 = 0;
  private lead: f64;
  private leadError: f64;
  private logCos: f64;

  /**
   * @param values The integrand's values at the nodes of a ray, whose sums `take` is given.
   * @param rho The power m of the transform less the contour's abscissa c.
   */
  constructor(
    private values: RayValues,
    private rho: f64,
    private bins: Bins,
  ) {
    countCumulant();
    const lead = bins.gamma.at(rho, 0);
    this.lead = lead.re;
    this.leadError = lead.error;
    this.logCos = logOf(cosPiOf(values.ray.theta * INVERSE_PI));
  }

  /**
   * Sets φ(τ) = x + iy and its rounding error: errors of the values, of Γ and of the additions.
   * @param a, b Real and imaginary part of S = Σ value·e^{iτ(v₁ − v)}, v₁ the ray's last node.
   */
  take(tau: f64, a: f64, b: f64): void {
    const values = this.values;
    const ray = values.ray;
    const rho = this.rho;
    const gamma = this.bins.gamma.at(rho, -tau);
    const exponent = this.lead - rho * this.logCos - tau * ray.theta - gamma.re;
    const size = expOf(exponent);
    const end = ray.h * (ray.first + <f64>(ray.n - 1));
    const turn = (rho * ray.theta + gamma.im + tau * end) * INVERSE_PI;
    const cos = cosPiOf(turn);
    const sin = -sinPiOf(turn);
    const angles = 6 * Math.abs(rho * ray.theta) + 4 * Math.abs(gamma.im) + 6 * Math.abs(tau * end) + 4 * tau;
    const roundings = 20 + 4 * Math.abs(exponent) + angles;
    // rounding errors of the sum
    const adding = (56 + <f64>ray.n / 32) * values.gross + 4 * tau * ray.h * values.length;
    this.x = size * (a * cos - b * sin);
    this.y = size * (a * sin + b * cos);
    this.size = size;
    const unsure = gamma.error + this.leadError + U * roundings;
    this.error = size * (values.errorSum + values.gross * unsure + U * adding);
  }
}
