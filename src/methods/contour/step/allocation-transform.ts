import type { Kernel } from '../../../kernel/kernel.js';
import type { Ray as RayNodes, RayValues } from '../../../kernel/rays.js';
import { INVERSE_PI, U } from '../../../numeric/constants.js';
import { logGamma } from '../../../numeric/log-gamma.js';
import { Lazy, LruCache } from '../../../numeric/lru-cache.js';
import { FEW_ROUNDINGS } from '../../../numeric/rounding.js';
import { cosPi, exp, expm1, log, log1p } from '../../../numeric/scalar.js';
import { type Allocation, innerRule, logMomentOf, MAX_NODES } from './allocation-inner.js';

/** The ray u = e^{v − iθ}: its nodes, and the truncation error at both ends, divided by Γ(ρ)M(c) cos(θ)^{−ρ}, ρ = m − c. */
export interface Ray extends RayNodes {
  /** The index i of the bound log G_0(e^{i/RUNGS}) that the last node reaches. */
  readonly top: number;
  readonly outside: number;
}

/** e^{wv}hG(u), τ = 0, at the nodes of a ray, over Γ(ρ)M(c) cos(θ)^{−ρ}, with majorants and error bounds. */
export type ValuedRay = Ray & RayValues;

/** A contour's tilt c, the power m > c of s in G(u) = E[s^m e^{−us}], and log M(c) or a lower bound of it. */
export interface Place {
  readonly c: number;
  readonly m: number;
  readonly logM: number;
}

/** Number of integer moments that are precomputed. */
const MOMENTS = 257;
/** Scale of the series' variable, against underflow: 8^k/k! is at least 1e-276. */
const UNIT = 8;
const LOG_UNIT = 3 * Math.LN2;
/** Values of log G_0 are computed at this many points per unit of v. */
const RUNGS = 4;
/** Number of them computed together, and their error. Only speed depends on the first. */
const BLOCK = 16;
const DAMPED_FLOOR = 1e-42;

/** log((1 − λ) cos θ). */
function logKept(m: number, cos: number): number {
  return log(m > 0 ? 0.5 * cos : cos);
}

/** log[Γ(ρ)M(c) cos(θ)^{−ρ}]. */
function scaleOf({ c, m, logM }: Place, cos: number): number {
  return logGamma(m - c, 0).re + logM - (m - c) * log(cos);
}

/** Γ(w)M(z) = ∫ u^{w−1}G(u) du on rays, w = m − z, G(u) = E[s^m e^{−us}]. */
export class AllocationTransform {
  private readonly moments = new Lazy(() => this.makeMoments());
  private readonly ladder = new LruCache<number, Float64Array>(Infinity);

  constructor(
    readonly kernel: Kernel,
    readonly law: Allocation,
  ) {}

  /** log E[s^m], m = 0 … 256, with errors of a few units in the last place; ∞ where it overflows. */
  get logMoments(): Float64Array {
    return this.moments.value;
  }

  /**
   * log E[s^m], m < MOMENTS, s the likelihood ratio of an epoch, as coefficients of a power of one bin's series. A few roundings of relative error
   * for each factor; ∞ from the first that overflows on.
   */
  private makeMoments(): Float64Array {
    const { visited, bins } = this.law;
    const factorials = new Float64Array(MOMENTS);
    for (let k = 2; k < MOMENTS; k++) factorials[k] = factorials[k - 1] + log(k);
    // the series in h/8, so that 1/k! does not underflow
    const series = factorials.map((factorial, k) => exp(logMomentOf(this.law, k) - factorial + k * LOG_UNIT));
    const power = this.kernel.seriesPower([series, series, series], visited, UNIT * (1 - visited / bins));
    const made = factorials.map((factorial, m) => {
      const moment = power[2 * MOMENTS + m];
      return moment > 0 && moment < Infinity ? log(moment) - m * LOG_UNIT + factorial : Infinity;
    });
    // behind the first that overflowed none is valid
    const first = made.indexOf(Infinity);
    return first >= 0 ? made.fill(Infinity, first) : made;
  }

  /** log G_0(e^{i/RUNGS}), G_0(u) = E[e^{−us}]: an upper bound up to roundings. */
  private rung(i: number): number {
    const block = Math.floor(i / BLOCK);
    return this.ladder.of(block, () => this.makeRungs(block))[i - BLOCK * block];
  }

  /**
   * log G_0(e^v), G_0(u) = E[e^{−us}], at one block of a grid of v. Its rule has quadrature error at most 4e^{a²/2μ² − 2πa/h}, below e^{−100}, and as
   * small a truncation error.
   */
  private makeRungs(block: number): Float64Array {
    const { mu, bins, visited } = this.law;
    const fine = Math.ceil(1 / (RUNGS * Math.min(mu / 3, 0.08)));
    const h = 1 / (RUNGS * fine);
    const reach = Math.ceil((14.5 * mu) / h);
    const n = BLOCK * fine;
    const along = { s: 0, stride: 1, first: -reach, n: 2 * reach + 1 };
    const rule = { ...along, depth: 100, last: 0, shift: 0, places: n };
    const { values } = this.kernel.innerSums(this.law, rule, { theta: 0, h, first: block * n, n }).table;
    return Float64Array.from({ length: BLOCK }, (_, i) => {
      const rest = values[i * fine];
      const own = rest > -0.5 ? log1p(rest) : log(values[2 * n + i * fine] + DAMPED_FLOOR);
      return visited * own - exp(block * (BLOCK / RUNGS) + i / RUNGS) * (1 - visited / bins);
    });
  }

  /** Upper bound of log of the sum over nodes right of a point of that ladder, in units of the scale: see `rayFor`. */
  private logRight({ c, m }: Place, cos: number, h: number, i: number): number {
    const fall = (this.rung(i) - this.rung(i - 1)) * RUNGS - c;
    if (!(fall * h < -1e-3)) return Infinity;
    const v = i / RUNGS - logKept(m, cos);
    const here = (m > 0 ? m * (log(m / (0.5 * cos)) - 1) : 0) - c * v + this.rung(i);
    return here - log(-expm1(fall * h));
  }

  /** Truncation error beyond both ends of a ray, over Γ(ρ)M(c) cos(θ)^{−ρ}: see `rayFor`. */
  outsideOf(place: Place, { theta, h, first, top }: Ray): number {
    const { c, m } = place;
    const cos = cosPi(theta * INVERSE_PI);
    const scale = scaleOf(place, cos);
    const left = (m - c) * h * first + this.logMoments[m] - log(m - c) - scale;
    return 2 * (exp(left) + exp(this.logRight(place, cos, h, top) - scale));
  }

  /**
   * The nodes of a ray, such that those left out sum to at most `outside`. Left of v₀ they sum to at most e^{ρv₀}E[s^m]/ρ. Right of the last node V,
   * G_m(x) ≤ (m/eλx)^m G_0((1−λ)x), and v ↦ log G_0(e^v) is concave (Prékopa). So the sum of e^{−cv}G_0((1−λ) cos θ e^v) there is at most its last
   * value times r/(1 − r), r its last ratio.
   */
  rayFor(place: Place, theta: number, step: number, depth: number): Ray | undefined {
    const { c, m } = place;
    const rho = m - c;
    const cos = cosPi(theta * INVERSE_PI);
    const scale = scaleOf(place, cos);
    const low = (scale - depth - 2 + log(rho) - this.logMoments[m]) / rho;
    let top = Math.ceil(RUNGS * (log((rho + 1) / cos) + logKept(m, cos)));
    const least = top;
    while (!(this.logRight(place, cos, step, top) - scale < -depth - 2)) {
      if (top > least + 400) return undefined;
      top++;
    }
    const first = Math.floor(low / step);
    const n = wholeBlocks(Math.ceil((top / RUNGS - logKept(m, cos)) / step) + 1 - first);
    if (!(n > 1 && n < MAX_NODES)) return undefined;
    return { theta, h: step, first, n, top, outside: 4 * exp(-depth - 2) };
  }

  /**
   * The integrand's values at the nodes of a ray (`rayValues`), with bounds of the errors of φ_k. Those are a fraction κ of majorants, whose floor
   * keeps the truncation error of the rule in y small beside them. The errors of φ_0, or of φ_0 − 1, are at most |u|/t. Undefined where the values
   * would cost too much.
   */
  valuesOn(place: Place, ray: Ray): ValuedRay | undefined {
    const { law, kernel } = this;
    const { c, m } = place;
    const { mu, bins, visited } = law;
    const rule = innerRule(law, c, m, ray);
    if (rule === undefined) return undefined;
    const inner = kernel.innerSums(law, rule, ray);
    let [factorial, moments] = [1, new Float64Array(m + 1)];
    for (let k = 0; k <= m; k++) {
      moments[k] = exp(logMomentOf(law, k));
      factorial *= Math.max(1, k);
    }
    const unit = log(ray.h) + log(factorial) - scaleOf(place, cosPi(ray.theta * INVERSE_PI));
    const cosine = cosPi((ray.theta - rule.s) * INVERSE_PI);
    const truncationError = 2.2 * exp(-rule.depth);
    const share = Math.max(FEW_ROUNDINGS, truncationError);
    const errors = {
      slack: ((inner.rounding + truncationError + 20 * U) * rule.growth * (1 + mu * mu)) / bins,
      longest: (2 * bins) / cosine,
      // factors T below e^{−depth−2} are set to 0: the quadrature error includes that
      most: (rule.depth + 2) / cosine,
      bulk: exp(-(mu * mu) / 2 + m * mu * mu + 5 * mu) / bins,
      truncationError,
      share,
      floor: (truncationError / share) * rule.growth,
    };
    const terms = { rho: m - c, unit, visited, moments };
    return { ...ray, ...kernel.rayValues({ ...inner, rule }, law, ray, terms, errors) };
  }
}

/** A number of nodes rounded up to whole blocks, as the kernel sums them. */
export function wholeBlocks(n: number): number {
  return 4 * Math.ceil(n / 4);
}
