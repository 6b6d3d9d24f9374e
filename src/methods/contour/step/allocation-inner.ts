import { INVERSE_PI, U } from '../../../numeric/constants.js';
import { charge } from '../../../numeric/meter.js';
import { PRICES } from '../../../numeric/prices.js';
import { cosPi, exp, expm1, log, sinPi } from '../../../numeric/scalar.js';
import { powerTerms } from './power-series.js';

/**
 * One epoch in which a record is put in one of t bins, of which the first t′ are released: under Q the likelihood ratio is s = a + (1/t)Σ_{i ≤ t′} e^{Y_i},
 * a = 1 − t′/t, Y_i ~ N(−μ²/2, μ²) independent. M(z) = E s^z = (1/Γ(w)) ∫ u^{w−1} G(u) du, w = m − z,
 *   G(u) = E[s^m e^{−us}] = m! [h^m] e^{(h−u)a} (Σ_k φ_k(u) h^k/k!)^{t′},  φ_k(u) = E[(X/t)^k e^{−uX/t}].
 * Proofs of all bounds: docs/proofs/balls-and-bins.md.
 */
export interface Allocation {
  readonly mu: number;
  readonly bins: number;
  readonly visited: number;
  /** Digits given up, in logarithms; none unless given. What sums then lack is charged: width alone hangs on it. */
  readonly fewer?: Fewer;
}

/** Digits that the rule in v, the ends of v and the rule in y give up. */
export interface Fewer {
  readonly rule?: number;
  readonly ends?: number;
  readonly inner?: number;
}

/** Nodes that a ray or an inner rule may have, and the products that one ray may cost. */
export const MAX_NODES = 2 ** 15;
const MAX_WORK = 2e7;
/** Digits of the inner integrals, in logarithms: of few bins φ_0 itself is needed where it is small, and φ_k where it is far below its moment. */
export function innerDepth(law: Allocation, m: number): number {
  let most = 0;
  for (let k = 2; k <= m; k++) most = Math.max(most, logMomentOf(law, k));
  return 40 - (law.fewer?.inner ?? 0) + 44 / law.visited + most;
}

/** Terms that are added up before they join a sum. */
const CHUNK = 16;

/** Largest m of a line: series of more terms lose digits, and time. */
export const MOST_TERMS = 32;

/** m for M(c): Re w = m − c of 4 to 5 keeps nodes few, and above that for negative c none is needed. */
export function termsFor(c: number): number {
  return Math.max(0, Math.ceil(c + 4));
}

/**
 * How many steps h of v make μ², if that is a whole number: as E[X^k f(X)] = E[X^k]E f(e^{kμ²}X), φ_k(u) = E[(X/t)^k]φ_0(e^{kμ²}u), and one table of φ_0
 * serves every k; else 0.
 */
function stepsOfSquare(mu: number, h: number): number {
  const steps = (mu * mu) / h;
  return Math.abs(steps - Math.round(steps)) < 1e-9 * steps ? Math.round(steps) : 0;
}

/** Steps of v may be shortened by this to make μ² a multiple. */
const SHORTENED = 8;

/** The longest step up to h that `stepsOfSquare` likes, if it is not much shorter; else a short fraction. */
export function sharedStep(mu: number, h: number): number {
  const square = mu * mu;
  if (square >= h / SHORTENED) return square / Math.ceil(square / h);
  let scale = 1;
  while (h * scale < 8) scale *= 2;
  return Math.floor(h * scale) / scale;
}

/** The weights of the inner integral over y on the line Im y = s: complex, for k = 0 alone where that serves all or for each k, and real majorants. */
export interface InnerRule {
  readonly s: number;
  readonly h: number;
  readonly first: number;
  readonly n: number;
  readonly re: Float64Array[];
  readonly im: Float64Array[];
  readonly size: Float64Array[];
  /** Relative rounding of a sum of weights times bounded factors, at most. */
  readonly rounding: number;
  /** e^{s²/2μ²}: what the shift adds to the sizes of weights. */
  readonly growth: number;
  readonly depth: number;
}

/** log E[(X/t)^k] = μ²k(k−1)/2 − k log t. */
export function logMomentOf({ mu, bins }: Allocation, k: number): number {
  return (mu * mu * k * (k - 1)) / 2 - k * log(bins);
}

/** How far the inner line is shifted, the largest step it allows, and its depth. */
interface InnerStep {
  readonly s: number;
  readonly h: number;
  readonly depth: number;
}

export function innerStep(law: Allocation, m: number, theta: number): InnerStep {
  const { mu } = law;
  const depth = innerDepth(law, m);
  // the shift makes weights larger by e^{s²/2μ²}, and products of m of them by that power
  const s = Math.min(theta, 0.77 * mu * Math.sqrt(Math.min(1, 6 / Math.max(1, m))));
  let h = 0;
  for (const share of [0.1, 0.2, 0.35, 0.5, 0.7, 0.85, 0.97]) {
    const widest = share * (Math.PI / 2 - Math.abs(theta - s));
    for (const a of [widest, Math.min(widest, share * 12 * mu)])
      h = Math.max(h, (2 * Math.PI * a) / (depth + ((s + a) * (s + a)) / (2 * mu * mu)));
  }
  return { s, h, depth };
}

/**
 * The rule for φ_k on a ray of angle θ and so many nodes: the trapezoidal one over y, shifted to y + is, with a step that is a multiple of `finest`.
 * Undefined where the ray would cost too much.
 */
export function innerRule(
  law: Allocation,
  c: number,
  m: number,
  { theta, h: finest, n: nodes }: { readonly theta: number; readonly h: number; readonly n: number },
): InnerRule | undefined {
  const { mu, bins, visited } = law;
  const { s, h: longest, depth } = innerStep(law, m, theta);
  const square = mu * mu;
  if (finest > longest * (1 + 1e-12)) return undefined;
  const h = finest * Math.max(1, Math.floor(longest / finest));
  const reach = (Math.sqrt(2 * depth) + 0.5) * mu;
  const low = -square / 2 + (Math.min(0, c) * square) / bins - reach;
  const last = stepsOfSquare(mu, finest) > 0 ? 0 : m;
  // E[X] has its weight at +μ²/2
  const high = -square / 2 + Math.max(1, last) * square + reach;
  const first = Math.floor(low / h);
  const n = Math.ceil(high / h) + 1 - first;
  const sums = last < m ? 2 * nodes + m * stepsOfSquare(mu, finest) : nodes * (m + 2);
  if (!(n < MAX_NODES && n * sums + nodes * m * m <= MAX_WORK)) return undefined;
  // the sums at the nodes, and the power of a series at each
  charge(PRICES.nodeSum * n * sums + PRICES.series * nodes * powerTerms(m, visited));
  const unit = h / (mu * Math.sqrt(2 * Math.PI));
  const re: Float64Array[] = [];
  const im: Float64Array[] = [];
  const size: Float64Array[] = [];
  let rounding = 0;
  for (let k = 0; k <= last; k++) {
    const [a, b, d] = [new Float64Array(n), new Float64Array(n), new Float64Array(n)];
    let [sum, wrong] = [0, 0];
    for (let i = 0; i < n; i++) {
      const y = h * (first + i);
      const z = (y + square / 2) / mu;
      const exponent = -(z * z) / 2 + (s * s) / (2 * square) + k * (y - log(bins));
      const w = unit * exp(exponent);
      const turn = (k * s - (s * (y + square / 2)) / square) * INVERSE_PI;
      a[i] = w * cosPi(turn);
      b[i] = w * sinPi(turn);
      d[i] = w;
      sum += w;
      wrong += w * (14 + 3 * z * z + 4 * k * (Math.abs(y) + log(bins)) + 4 * Math.abs(turn));
    }
    re.push(a);
    im.push(b);
    size.push(d);
    if (sum > 0) rounding = Math.max(rounding, (U * wrong) / sum);
  }
  return {
    s,
    h,
    first,
    n,
    re,
    im,
    size,
    rounding: rounding + (CHUNK + n / CHUNK) * U,
    growth: exp((s * s) / (2 * square)),
    depth,
  };
}

/** φ_0 … φ_m at the nodes of a ray. */
export class Inner {
  /** T − 1 and T = exp(−e^{x − i(θ−s)}/t) on the fine mesh of x = v + y. */
  private readonly minus1: Float64Array;
  private readonly re: Float64Array;
  private readonly im: Float64Array;
  private readonly size: Float64Array;
  private readonly stride: number;
  /** φ_0 and Σ|weights||T| at u_j, and further, e^{kμ²}u_j being u_{j + k·shift}; how steeply the last falls, in logarithms. */
  private readonly shift: number;
  private readonly known: readonly Float64Array[];
  private readonly moments: Float64Array;
  /** φ_0(u_j) − 1 at the nodes of the ray. */
  private readonly rests: readonly [re: Float64Array, im: Float64Array];

  constructor(
    law: Allocation,
    private readonly rule: InnerRule,
    m: number,
    ray: { readonly theta: number; readonly h: number; readonly first: number; readonly n: number },
  ) {
    const stride = Math.round(rule.h / ray.h);
    this.stride = stride;
    this.shift = stepsOfSquare(law.mu, ray.h);
    const places = ray.n + m * this.shift;
    const room = places + stride * (rule.n - 1);
    const turn = (ray.theta - rule.s) * INVERSE_PI;
    const [cos, sin] = [cosPi(turn), sinPi(turn)];
    this.minus1 = new Float64Array(room);
    this.re = new Float64Array(room);
    this.im = new Float64Array(room);
    this.size = new Float64Array(room);
    for (let i = 0; i < room; i++) {
      const x = ray.h * (ray.first + stride * rule.first + i);
      const modulus = exp(Math.min(700, x)) / law.bins;
      const p = modulus * cos;
      // what is left out is among what the rule lacks
      if (p > rule.depth + 2) {
        this.minus1[i] = -1;
        continue;
      }
      const angle = modulus * sin * INVERSE_PI;
      const half = sinPi(angle / 2);
      const e = exp(-p);
      this.minus1[i] = expm1(-p) - 2 * e * half * half;
      this.re[i] = e * cosPi(angle);
      this.im[i] = e * sinPi(angle);
      this.size[i] = e;
    }
    this.rests = [new Float64Array(ray.n), new Float64Array(ray.n)];
    this.known = [0, 1, 2].map(() => new Float64Array(this.shift > 0 ? places : 0));
    const [re, im] = this.rests;
    const found = new Float64Array(3);
    for (let j = 0; j < Math.max(ray.n, this.known[0].length); j++) {
      if (j < ray.n) {
        this.sum(this.minus1, j, 0, found);
        [re[j], im[j]] = found;
        found[0] += 1;
      }
      if (this.shift === 0) continue;
      // nearer to 0 than to 1
      if (j >= ray.n || !(found[0] * found[0] + found[1] * found[1] >= 0.25)) this.sum(this.re, j, 0, found);
      for (const [i, one] of this.known.entries()) one[j] = found[i];
    }
    this.moments = Float64Array.from({ length: m + 1 }, (_, k) => exp(logMomentOf(law, k)));
  }

  /** φ_k(u_j): real and imaginary part, and Σ|weights||T|. */
  at(j: number, k: number, out: Float64Array): void {
    const [place, moment] = [j + k * this.shift, this.moments[k]];
    if (this.shift === 0) this.sum(this.re, j, k, out);
    else for (let i = 0; i < 3; i++) out[i] = moment * this.known[i][place];
  }

  /** What kμ² is off a multiple of the step, k ≤ m, makes of φ_k at u_j, relatively to its majorant, at most: that is log-concave in v. */
  moved(j: number, m: number, width: number, most: number): number {
    if (this.shift === 0) return 0;
    const [, , size] = this.known;
    const place = Math.min(j + m * this.shift, size.length - 2);
    const fall = size[place + 1] > 0 ? log(size[place] / size[place + 1]) / width : most;
    return 4 * U * m * this.shift * width * (1 + Math.max(0, fall));
  }

  /** φ_0(u_j) − 1. */
  rest(j: number): readonly [re: number, im: number] {
    return [this.rests[0][j], this.rests[1][j]];
  }

  /** Σ of the weights of k times T, or T − 1, at u_j, and Σ|weights||T|. The sums go by chunks, which bounds their rounding. */
  private sum(re: Float64Array, j: number, k: number, out: Float64Array): void {
    const { rule, im, size, stride } = this;
    const [a, b, d] = [rule.re[k], rule.im[k], rule.size[k]];
    let [x, y, z] = [0, 0, 0];
    for (let from = 0, at = j; from < rule.n; from += CHUNK) {
      const to = Math.min(rule.n, from + CHUNK);
      // T is 0 from here on
      if (re[at] === 0 && size[at] === 0) break;
      let [p, q, r] = [0, 0, 0];
      for (let i = from; i < to; i++, at += stride) {
        p += a[i] * re[at] - b[i] * im[at];
        q += a[i] * im[at] + b[i] * re[at];
        r += d[i] * size[at];
      }
      x += p;
      y += q;
      z += r;
    }
    out[0] = x;
    out[1] = y;
    out[2] = z;
  }
}
