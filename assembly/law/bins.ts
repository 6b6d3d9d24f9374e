/**
 * The moment generating function of one balls-and-bins epoch: a record is put in one of t bins, of which the first t′ are released. Under P, without
 * the record (Q in balls-and-bins.md), the likelihood ratio is s = a + (1/t)Σ_{i ≤ t′} X_i, a = 1 − t′/t. The X_i = e^{Y_i}, Y_i ~ N(−μ²/2, μ²), are
 * independent.
 *
 * For a whole m > Re z let w = m − z and G(u) = E[s^m e^{−us}]. Then M(z) = E s^z = (1/Γ(w)) ∫ u^{w−1} G(u) du. G is m! times the coefficient of h^m
 * in e^{(h−u)a} (Σ_k φ_k(u) h^k/k!)^{t′}. Here φ_k(u) = E[(X/t)^k e^{−uX/t}]. The integral runs along a ray u = e^{v−iθ} in v ("outer"), φ_k is an
 * integral over y ("inner"). Numbers after balls-and-bins.md are sections of docs/proofs/balls-and-bins.md.
 */
import { INVERSE_PI } from '../../src/kernel/constants.js';
import { InnerRule, InnerSums, Ray } from '../sums/inner-sums.js';
import { lane0, all } from '../lane/lanes.js';
import { LogGamma } from '../functions/log-gamma.js';
import { load, loadF64, store, storeF64 } from '../lane/memory.js';
import { RayValues } from '../sums/ray-values.js';
import { countCumulant, hasRoom, mark, release, spend, take, takeZeros } from '../lane/room.js';
import { cosPiOf, expm1Of, expOf, log1pOf, logOf } from '../functions/scalar.js';
import { COEFFICIENT, powerTerms, raise, shifted } from '../sums/series-power.js';

/** How many moments E[s^m], m = 0, 1, …, are computed at once: FEW at first, MOMENTS if a larger m is asked for. */
const FEW: usize = 48;
const MOMENTS: usize = 257;
/** Scale of the series of moments, so that its coefficients do not underflow: 8^k/k! is at least 1e-276. */
const UNIT: f64 = 8;
const LOG_UNIT: f64 = 2.0794415416798357;
/**
 * log G_0(u), G_0(u) = E e^{−us}, is tabled at RUNGS values of v = log u per unit, BLOCK of them computed together. There φ_0(u) = E e^{−uX/t} has
 * errors below DAMPED_FLOOR.
 */
const RUNGS: f64 = 4;
const BLOCK: usize = 16;
const DAMPED_FLOOR: f64 = 1e-42;
/** Length of the table of log G_0(e^v), G_0(u) = E e^{−us}. */
const LADDER: usize = 1024;
/** Index of v = 0 in the table of log G_0(e^v). */
const MIDDLE: f64 = 256;
/** Limit of the number of nodes of a ray (outer integral), and of the rule for the inner integrals φ_k. */
const MOST_NODES: f64 = 32768;
/** Limit of the number of terms of all inner sums of a ray. */
const MOST_WORK: f64 = 4e7;
/** Largest power m for a contour: longer series lose digits, and time. */
export const MOST_TERMS: f64 = 32;
/** −log of the accuracy of the inner integrals. */
const INNER_DEPTH: f64 = 40;
/** The spacing of v may be shortened by up to this factor so that μ² is a multiple of it. */
const SHORTENED: f64 = 8;
/** Upper bound of the relative rounding error of any sum of positive terms here. */
const LONG_SUM: f64 = 1e-12;

/** A contour's tilt c, the power m > c of s in G(u) = E[s^m e^{−us}], and log M(c) or a lower bound of it. rho = m − c. */
export class Place {
  readonly rho: f64;
  constructor(
    readonly c: f64,
    readonly m: f64,
    readonly logM: f64,
  ) {
    countCumulant();
    this.rho = m - c;
  }
}

/**
 * Heuristic: the power m of s in G(u) = E[s^m e^{−us}], the transform for M(c). Few nodes are needed where ρ = m − c is 4 to 5; for c ≤ −4, m = 0.
 */
export function termsFor(c: f64): f64 {
  return Math.max(0, Math.ceil(c + 4));
}

/** n rounded up to a multiple of 4, as the kernel sums in blocks of 4. */
export function wholeBlocks(n: f64): f64 {
  return 4 * Math.ceil(n / 4);
}

/** log((1 − λ) cos θ) on a ray at angle θ. In s^m e^{−us} the factor e^{−λus}, λ = ½, bounds s^m; for m = 0, λ = 0 (balls-and-bins.md 4). */
function logKept(m: f64, cos: f64): f64 {
  return logOf(m > 0 ? 0.5 * cos : cos);
}

export class Bins {
  readonly mu: f64;
  readonly bins: f64;
  readonly visited: f64;
  /**
   * Logs of factors by which less accuracy is asked: of the trapezoidal rule in v, of its truncation, and of the rule in y. Error bounds hold for any
   * factors.
   */
  readonly fewerOfRule: f64;
  readonly fewerAtEnds: f64;
  private fewerInside: f64;
  /** Tables of log E[s^m], s the likelihood ratio of an epoch, for m < FEW and m < MOMENTS, and whether each is filled. */
  private few: usize;
  private all: usize;
  private hasFew: bool = false;
  private hasAll: bool = false;
  /** Table of log G_0(e^{i/RUNGS}), NaN where not computed. */
  private ladder: usize;
  private shiftOfPath: f64 = 0;
  private depth: f64 = 0;
  readonly gamma: LogGamma = new LogGamma();

  /** @param at Address of μ, the number t of bins, the number t′ of released bins, and the three logs of lesser accuracy. */
  constructor(at: usize) {
    for (let i = 0; i < 4; i++) countCumulant();
    this.mu = loadF64(at);
    this.bins = loadF64(at, 8);
    this.visited = loadF64(at, 16);
    this.fewerOfRule = loadF64(at, 24);
    this.fewerAtEnds = loadF64(at, 32);
    this.fewerInside = loadF64(at, 40);
    this.few = take(FEW);
    this.all = take(MOMENTS);
    this.ladder = take(LADDER);
    for (let i: usize = 0; i < LADDER << 3; i += 8) storeF64(this.ladder + i, NaN);
  }

  /** log E[(X/t)^k] = μ²k(k−1)/2 − k log t, X the likelihood ratio of one of t bins. */
  logMomentOf(k: f64): f64 {
    return (this.mu * this.mu * k * (k - 1)) / 2 - k * logOf(this.bins);
  }

  /** A lower bound of log M(c), by Jensen's inequality: M(c) ≥ 1 outside of [0, 1], and M(c) ≥ e^{c(c−1)μ²/2} inside. */
  leastAt(c: f64): f64 {
    return c > 0 && c < 1 ? (c * (c - 1) * this.mu * this.mu) / 2 : 0;
  }

  /**
   * log E[s^m], s the likelihood ratio of an epoch, for m < MOMENTS, from the power series of `fillMoments`, whose terms are positive. The error is
   * below LONG_SUM; ∞ where it overflows.
   */
  logMoment(m: f64): f64 {
    if (!(m < <f64>MOMENTS)) return Infinity;
    const isFew = m < <f64>FEW;
    if (isFew && !this.hasFew) {
      this.fillMoments(FEW, this.few);
      this.hasFew = true;
    }
    if (!isFew && !this.hasAll) {
      this.fillMoments(MOMENTS, this.all);
      this.hasAll = true;
    }
    return loadF64((isFew ? this.few : this.all) + ((<usize>m) << 3));
  }

  /**
   * Fills a table with logs of the first `many` moments: E[s^m] is m! times the coefficient of h^m in e^{ha}(Σ_k E[(X/t)^k]h^k/k!)^{t′}, a = 1 −
   * t′/t. All terms are positive, so each factor adds a few roundings to the relative error.
   */
  private fillMoments(many: usize, out: usize): void {
    const start = mark();
    const m = many - 1;
    spend(3 * (powerTerms(<f64>m, this.visited) + 2 * <f64>(many * many)));
    const series = takeZeros((COEFFICIENT >> 3) * many);
    const powers = take((COEFFICIENT >> 3) * many);
    let logFactorial: f64 = 0;
    for (let k: usize = 0; k < many; k++) {
      if (k > 1) logFactorial += logOf(<f64>k);
      // a series in h/UNIT, whose coefficients do not underflow
      const log = this.logMomentOf(<f64>k) - logFactorial + <f64>k * LOG_UNIT;
      store(series + COEFFICIENT * k, all(expOf(log)), 32);
      storeF64(out + (k << 3), logFactorial - <f64>k * LOG_UNIT);
    }
    raise(series, m, this.visited, powers);
    const empty = UNIT * (1 - this.visited / this.bins);
    let isKnown = true;
    for (let k: usize = 0; k < many; k++) {
      shifted(powers, k, empty, series);
      const moment = lane0(load(series, 32));
      // after the first overflow no moment is valid
      isKnown = isKnown && moment > 0 && moment < Infinity;
      storeF64(out + (k << 3), isKnown ? logOf(moment) + loadF64(out + (k << 3)) : Infinity);
    }
    release(start);
  }

  /** log G_0(e^{i/RUNGS}), G_0(u) = E[e^{−us}], from the table; NaN outside of it. Ensures: no less than it, up to roundings. */
  private rung(i: f64): f64 {
    const place = i + MIDDLE;
    if (!(place >= 0 && place < <f64>LADDER)) return NaN;
    const at = this.ladder + ((<usize>place) << 3);
    const block = place - (place % <f64>BLOCK);
    if (isNaN(loadF64(at))) this.fillRungs(block - MIDDLE, this.ladder + ((<usize>block) << 3));
    return loadF64(at);
  }

  /**
   * log G_0(u) = t′ log φ_0(u) − (1 − t′/t)u at u = e^{i/RUNGS} for BLOCK values of i. φ_0(u) = E e^{−uX/t} is a trapezoidal sum over y of spacing h.
   * Its quadrature error is at most 4e^{b²/2μ² − 2πb/h} by a strip of half width b, below e^{−100}; the truncation error is as small
   * (balls-and-bins.md 4).
   */
  private fillRungs(from: f64, out: usize): void {
    const fine = Math.ceil(1 / (RUNGS * Math.min(this.mu / 3, 0.08)));
    const h = 1 / (RUNGS * fine);
    const reach = Math.ceil((14.5 * this.mu) / h);
    const n = BLOCK * <usize>fine;
    const rule = new InnerRule(0, 1, -reach, <usize>(2 * reach + 1), 100);
    rule.places = n;
    const start = mark();
    spend(0.5 * rule.terms(n));
    const sums = new InnerSums(this.mu, this.bins, rule, new Ray(0, h, from * fine, n));
    for (let k = 0; k < 3; k++) countCumulant();
    for (let i: usize = 0; i < BLOCK; i++) {
      const at = sums.rows + ((i * <usize>fine) << 3);
      const rest = loadF64(at);
      const own = rest > -0.5 ? log1pOf(rest) : logOf(loadF64(at + 2 * sums.row) + DAMPED_FLOOR);
      const empty = expOf((from + <f64>i) / RUNGS) * (1 - this.visited / this.bins);
      storeF64(out + (i << 3), this.visited * own - empty);
    }
    release(start);
  }

  /** log[Γ(ρ)M(c) cos(θ)^{−ρ}], ρ = m − c, to which the integral along a ray at angle θ is relative. */
  scaleOf(place: Place, cos: f64): f64 {
    return this.gamma.at(place.rho, 0).re + place.logM - place.rho * logOf(cos);
  }

  /**
   * Upper bound of the log of the sum of |u^ρ G(u)| over the nodes right of v = i/RUNGS − log((1 − λ) cos θ). Here G(u) = E[s^m e^{−us}], and λ is
   * that of `logKept`. It is a geometric series: see `rayFor`. ∞ where the terms do not decrease.
   */
  private logRight(place: Place, cos: f64, h: f64, i: f64): f64 {
    const c = place.c;
    const m = place.m;
    const here = this.rung(i);
    const fall = (here - this.rung(i - 1)) * RUNGS - c;
    if (!(fall * h < -1e-3)) return Infinity;
    const v = i / RUNGS - logKept(m, cos);
    const lead = m > 0 ? m * (logOf(m / (0.5 * cos)) - 1) : 0;
    return lead - c * v + here - logOf(-expm1Of(fall * h));
  }

  /**
   * Ensures: no less than the truncation error beyond both ends of a ray, over Γ(ρ)M(c) cos(θ)^{−ρ}. The terms left of the first node are a geometric
   * series, those right of the last are bounded by `logRight` (balls-and-bins.md 4).
   */
  outsideOf(place: Place, ray: Ray): f64 {
    const cos = cosPiOf(ray.theta * INVERSE_PI);
    const scale = this.scaleOf(place, cos);
    const rho = place.rho;
    const left = rho * ray.h * ray.first + this.logMoment(place.m) - logOf(rho) - scale;
    return 2 * (expOf(left) + expOf(this.logRight(place, cos, ray.h, ray.top) - scale));
  }

  /**
   * Heuristic: the nodes of a ray, such that those left out sum to at most `outside`, a bound. Left of v₀ they sum to at most e^{ρv₀}E[s^m]/ρ. Right
   * of the last node, with x = e^v cos θ and λ = ½, G(x) ≤ (m/eλx)^m G_0((1−λ)x). v ↦ log G_0(e^v) is concave (Prékopa). So the sum there is at most
   * its last value times r/(1 − r), r the ratio of the last two (balls-and-bins.md 4). Null where there would be too many nodes.
   */
  rayFor(place: Place, theta: f64, step: f64, depth: f64): Ray | null {
    const rho = place.rho;
    const m = place.m;
    const cos = cosPiOf(theta * INVERSE_PI);
    const scale = this.scaleOf(place, cos);
    const low = (scale - depth - 2 + logOf(rho) - this.logMoment(m)) / rho;
    let top = Math.ceil(RUNGS * (logOf((rho + 1) / cos) + logKept(m, cos)));
    const least = top;
    while (!(this.logRight(place, cos, step, top) - scale < -depth - 2)) {
      if (top > least + 400) return null;
      top += 1;
    }
    const first = Math.floor(low / step);
    const n = wholeBlocks(Math.ceil((top / RUNGS - logKept(m, cos)) / step) + 1 - first);
    if (!(n > 1 && n < MOST_NODES)) return null;
    countCumulant();
    const ray = new Ray(theta, step, first, <usize>n);
    ray.top = top;
    ray.outside = 4 * expOf(-depth - 2);
    return ray;
  }

  /**
   * Heuristic: −log of the accuracy of the inner integrals φ_k(u) = E[(X/t)^k e^{−uX/t}]. With few bins φ_0 is needed where it is small, and φ_k
   * where it is far below E[(X/t)^k].
   */
  private innerDepth(m: f64): f64 {
    let most: f64 = 0;
    for (let k: f64 = 2; k <= m; k++) most = Math.max(most, this.logMomentOf(k));
    return INNER_DEPTH - this.fewerInside + 44 / this.visited + most;
  }

  /**
   * Heuristic: the widest spacing h of the rule in y with a quadrature error of e^{−depth}, along Im y = s. It stores s and the depth. In the strip
   * |Im y − s| ≤ a the error is about e^{(s+a)²/2μ² − 2πa/h} (balls-and-bins.md 5).
   */
  innerSpacing(m: f64, theta: f64): f64 {
    const mu = this.mu;
    const depth = this.innerDepth(m);
    // the shift s multiplies the weights by e^{s²/2μ²}, and a product of m sums by e^{ms²/2μ²}
    const s = Math.min(theta, 0.77 * mu * Math.sqrt(Math.min(1, 6 / Math.max(1, m))));
    const room = Math.PI / 2 - Math.abs(theta - s);
    let h: f64 = 0;
    for (let i = 0; i < INNER_SHARES.length; i++) {
      const share = INNER_SHARES[i];
      for (let a = share * room, k = 0; k < 2; k++, a = Math.min(a, share * 12 * mu))
        h = Math.max(h, (2 * Math.PI * a) / (depth + ((s + a) * (s + a)) / (2 * mu * mu)));
    }
    this.shiftOfPath = s;
    this.depth = depth;
    return h;
  }

  /** Heuristic: the longest spacing up to h that divides μ², if it is at least h/SHORTENED; else h rounded down to a few bits. */
  sharedStep(h: f64): f64 {
    const square = this.mu * this.mu;
    if (square >= h / SHORTENED) return square / Math.ceil(square / h);
    let scale: f64 = 1;
    while (h * scale < 8) scale *= 2;
    return Math.floor(h * scale) / scale;
  }

  /**
   * k with μ² = kh if it is a whole number, up to roundings; else 0. Where it is, one table of φ_0 serves every k: as E[X^k f(X)] = E[X^k]E
   * f(e^{kμ²}X), φ_k(u) = E[(X/t)^k]φ_0(e^{kμ²}u) (balls-and-bins.md 5).
   */
  private stepsOfSquare(h: f64): f64 {
    const steps = (this.mu * this.mu) / h;
    const whole = Math.floor(steps + 0.5);
    return Math.abs(steps - whole) < 1e-9 * steps ? whole : 0;
  }

  /**
   * Heuristic: the rule for φ_k(u) = E[(X/t)^k e^{−uX/t}] at the nodes of a ray. It is trapezoidal along Im y = s, and its spacing is a multiple of
   * the ray's. Null where it would cost too much.
   */
  private innerRule(place: Place, ray: Ray): InnerRule | null {
    const m = place.m;
    const longest = this.innerSpacing(m, ray.theta);
    const s = this.shiftOfPath;
    const depth = this.depth;
    const square = this.mu * this.mu;
    if (ray.h > longest * (1 + LONG_SUM)) return null;
    const stride = Math.max(1, Math.floor(longest / ray.h));
    const h = ray.h * stride;
    const reach = (Math.sqrt(2 * depth) + 0.5) * this.mu;
    const low = -square / 2 + (Math.min(0, place.c) * square) / this.bins - reach;
    const shift = this.stepsOfSquare(ray.h);
    const last: f64 = shift > 0 ? 0 : m;
    // the integrand of E[X] is centred at +μ²/2
    const high = -square / 2 + Math.max(1, last) * square + reach;
    const first = Math.floor(low / h);
    const n = Math.ceil(high / h) + 1 - first;
    if (!(n < MOST_NODES)) return null;
    const rule = new InnerRule(s, <usize>stride, first, <usize>n, depth);
    countCumulant();
    rule.last = <usize>last;
    rule.shift = <usize>shift;
    rule.places = ray.n + (shift > 0 ? <usize>(m * shift + 1) : 0);
    rule.growth = expOf((s * s) / (2 * square));
    return rule.terms(ray.n) + <f64>ray.n * m * m <= MOST_WORK ? rule : null;
  }

  /**
   * G(u) = E[s^m e^{−us}] at the nodes of a ray, with bounds of the errors. It is m! times a coefficient of a power series in h, as above
   * (balls-and-bins.md 2, 6). Null where it would cost too much. Only the result stays in memory.
   */
  valuesOn(place: Place, ray: Ray): RayValues | null {
    const rule = this.innerRule(place, ray);
    if (rule === null) return null;
    const n = <f64>ray.n;
    const places = <f64>rule.places;
    const inner = 4 * (places + <f64>(rule.stride * rule.n) + <f64>rule.n);
    if (!hasRoom(6 * n + <f64>(5 + 3 * rule.last) * places + inner + 4096)) return null;
    spend(0.5 * rule.terms(ray.n) + 3 * n * (100 + powerTerms(place.m, this.visited)));
    for (let i = 0; i < 4; i++) countCumulant();
    const values = new RayValues(ray, place.rho, <usize>place.m);
    const start = mark();
    const moments = take(<usize>place.m + 2);
    let factorial: f64 = 1;
    for (let k: usize = 0; k <= <usize>place.m; k++) {
      storeF64(moments + (k << 3), expOf(this.logMomentOf(<f64>k)));
      factorial *= <f64>Math.max(1, <f64>k);
    }
    values.unit = logOf(ray.h) + logOf(factorial) - this.scaleOf(place, cosPiOf(ray.theta * INVERSE_PI));
    values.fill(this.visited, new InnerSums(this.mu, this.bins, rule, ray), moments);
    release(start);
    return values;
  }
}

/** Half widths of strips around Im y = s that are tried, as shares of the largest possible one. */
const INNER_SHARES: f64[] = [0.1, 0.2, 0.35, 0.5, 0.7, 0.85, 0.97];
