import { INVERSE_PI, INVERSE_SQRT_2PI, U } from '../../../numeric/constants.js';
import { logGamma } from '../../../numeric/log-gamma.js';
import { atan2, cosPi, exp, expm1, log, log1p, logModulus1p, sinPi } from '../../../numeric/scalar.js';

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
}

/** Nodes that a ray or an inner rule may have, and the products that one ray may cost. */
const MAX_NODES = 2 ** 15;
const MAX_WORK = 2e7;
/** Digits of the inner integrals, in logarithms: of few bins φ_0 itself is needed where it is small, and φ_k where it is far below its moment. */
function innerDepth(law: Allocation, m: number): number {
  let most = 0;
  for (let k = 2; k <= m; k++) most = Math.max(most, logMomentOf(law, k));
  return 40 + 44 / law.visited + most;
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
interface InnerRule {
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
function logMomentOf({ mu, bins }: Allocation, k: number): number {
  return (mu * mu * k * (k - 1)) / 2 - k * log(bins);
}

/** How far the inner line is shifted, the largest step it allows, and its depth. */
export interface InnerStep {
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
function innerRule(
  law: Allocation,
  c: number,
  m: number,
  { theta, h: finest, n: nodes }: Omit<Ray, 'outside' | 'top' | 'first'>,
): InnerRule | undefined {
  const { mu, bins } = law;
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
class Inner {
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
  /** φ_0(u_j) − 1 where that is the smaller, two numbers a node; NaN elsewhere. */
  private readonly rests: Float64Array;

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
    this.known = [0, 1, 2].map(() => new Float64Array(this.shift > 0 ? places : 0));
    this.rests = new Float64Array(this.shift > 0 ? 2 * ray.n : 0).fill(NaN);
    const found = new Float64Array(5);
    for (let j = 0; j < this.known[0].length; j++) {
      if (j < ray.n && this.nearOne(j, found)) this.rests.set([found[3], found[4]], 2 * j);
      else this.sum(j, 0, found);
      for (const [i, one] of this.known.entries()) one[j] = found[i];
    }
    this.moments = Float64Array.from({ length: m + 1 }, (_, k) => exp(logMomentOf(law, k)));
  }

  /** φ_k(u_j): real and imaginary part, and Σ|weights||T|. */
  at(j: number, k: number, out: Float64Array): void {
    if (this.shift === 0) {
      this.sum(j, k, out);
      return;
    }
    const [place, moment] = [j + k * this.shift, this.moments[k]];
    for (let i = 0; i < 3; i++) out[i] = moment * this.known[i][place];
  }

  /** What kμ² is off a multiple of the step, k ≤ m, makes of φ_k at u_j, relatively to its majorant, at most: that is log-concave in v. */
  moved(j: number, m: number, width: number, most: number): number {
    if (this.shift === 0) return 0;
    const [, , size] = this.known;
    const place = Math.min(j + m * this.shift, size.length - 2);
    const fall = size[place + 1] > 0 ? log(size[place] / size[place + 1]) / width : most;
    return 4 * U * m * this.shift * width * (1 + Math.max(0, fall));
  }

  /** The sums for φ_k(u_j) by the weights of k. They go by chunks, which bounds their rounding. */
  private sum(j: number, k: number, out: Float64Array): void {
    const { rule, re, im, size, stride } = this;
    const [a, b, d] = [rule.re[k], rule.im[k], rule.size[k]];
    let [x, y, z] = [0, 0, 0];
    for (let from = 0, at = j; from < rule.n; from += CHUNK) {
      const to = Math.min(rule.n, from + CHUNK);
      if (size[at] === 0) break;
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

  /** φ_0(u_j) − 1. */
  rest(j: number, out: Float64Array): void {
    if (this.shift > 0 && !Number.isNaN(this.rests[2 * j])) {
      out[0] = this.rests[2 * j];
      out[1] = this.rests[2 * j + 1];
    } else if (this.shift > 0) {
      out[0] = this.known[0][j] - 1;
      out[1] = this.known[1][j];
    } else {
      this.nearOne(j, out);
      out[0] = out[3];
      out[1] = out[4];
    }
  }

  /** Into 0 to 2 what `sum` finds for k = 0, into 3 and 4 φ_0(u_j) − 1; whether φ_0 is nearer to 1 than to 0. */
  private nearOne(j: number, out: Float64Array): boolean {
    const { rule, minus1, im, size, stride } = this;
    const [a, b, d] = [rule.re[0], rule.im[0], rule.size[0]];
    let [x, y, z] = [0, 0, 0];
    for (let from = 0, at = j; from < rule.n; from += CHUNK) {
      const to = Math.min(rule.n, from + CHUNK);
      let [p, q, r] = [0, 0, 0];
      for (let i = from; i < to; i++, at += stride) {
        p += a[i] * minus1[at] - b[i] * im[at];
        q += a[i] * im[at] + b[i] * minus1[at];
        r += d[i] * size[at];
      }
      x += p;
      y += q;
      z += r;
    }
    out[0] = 1 + x;
    out[1] = y;
    out[2] = z;
    out[3] = x;
    out[4] = y;
    return (1 + x) * (1 + x) + y * y >= 0.25;
  }
}

/** The ray u = e^{v − iθ}: its nodes, and what is left out at either end, over Γ(ρ)M(c) cos(θ)^{−ρ}. */
export interface Ray {
  readonly theta: number;
  readonly h: number;
  readonly first: number;
  readonly n: number;
  /** The rung of G_0's ladder that the last node is at or beyond. */
  readonly top: number;
  readonly outside: number;
}

/** The place of a line: c, m, and log M(c) or a lower bound of it. */
export interface Place {
  readonly c: number;
  readonly m: number;
  readonly logM: number;
}

/** Whole moments known beforehand. */
const MOMENTS = 257;
const moments = new WeakMap<Allocation, Float64Array>();

/** log E[s^m], m = 0 … 256, to a few units in the last place of each; ∞ where it overflows. */
export function logMoments(law: Allocation): Float64Array {
  const known = moments.get(law);
  if (known !== undefined) return known;
  const { visited, bins } = law;
  const factorials = new Float64Array(MOMENTS);
  for (let k = 2; k < MOMENTS; k++) factorials[k] = factorials[k - 1] + log(k);
  const series = Float64Array.from({ length: MOMENTS }, (_, k) => exp(logMomentOf(law, k) - factorials[k]));
  series[0] = 0;
  const b = [0, 1, 2].map(() => new Float64Array(MOMENTS));
  b[0][0] = b[2][0] = 1;
  const zero = new Float64Array(MOMENTS);
  if (MOMENTS <= visited + 2) miller(series, zero, series, visited, b);
  else for (let i = 0; i < visited; i++) multiply(series, zero, series, b);
  const made = factorials.map((factorial, m) => {
    let sum = 0;
    for (let j = 0, factor = 1; j <= m; j++) {
      sum += factor * b[2][m - j];
      factor *= (1 - visited / bins) / (j + 1);
      if (factor === 0) break;
    }
    return sum > 0 && sum < Infinity ? log(sum) + factorial : Infinity;
  });
  // beyond the first that overflowed none is right
  const first = made.indexOf(Infinity);
  if (first >= 0) made.fill(Infinity, first);
  moments.set(law, made);
  return made;
}

function factorialOf(m: number): number {
  let product = 1;
  for (let k = 2; k <= m; k++) product *= k;
  return product;
}

/** What `logDamped` may lack: its rule errs by at most 2e^{a²/2μ² − 2πa/h} (docs), below e^{−100}, and so does what lies beyond its reach. */
const DAMPED_FLOOR = 1e-42;

/** Nodes and weights of E over one e^Y/t. */
const damping = new WeakMap<Allocation, { readonly at: Float64Array; readonly weight: Float64Array }>();

function dampingOf(law: Allocation): { readonly at: Float64Array; readonly weight: Float64Array } {
  const known = damping.get(law);
  if (known !== undefined) return known;
  const { mu, bins } = law;
  const h = Math.min(mu / 3, 0.08);
  const reach = Math.ceil((14.5 * mu) / h);
  const at = Float64Array.from(
    { length: 2 * reach + 1 },
    (_, i) => exp(h * (i - reach) - (mu * mu) / 2) / bins,
  );
  const weight = at.map((_, i) => (h / mu) * INVERSE_SQRT_2PI * exp(-(((h * (i - reach)) / mu) ** 2) / 2));
  damping.set(law, { at, weight });
  return { at, weight };
}

/** log G_0(x), x > 0: E[e^{−xs}], from above but for roundings. */
function logDamped(law: Allocation, x: number): number {
  const { bins, visited } = law;
  const { at, weight } = dampingOf(law);
  let [sum, rest] = [0, 0];
  for (let i = 0; i < at.length; i++) {
    const e = x * at[i];
    // terms below the floor
    if (e > 100) {
      rest -= weight[i];
      continue;
    }
    const fall = expm1(-e);
    rest += weight[i] * fall;
    sum += weight[i] * (fall < -0.5 ? exp(-e) : 1 + fall);
  }
  const own = rest > -0.5 ? log1p(rest) : log(sum + DAMPED_FLOOR);
  return visited * own - x * (1 - visited / bins);
}

/** Rungs of the ladder of arguments of G_0, a unit of v. */
const RUNGS = 4;
const ladders = new WeakMap<Allocation, Map<number, number>>();

/** log G_0(e^{i/RUNGS}), kept. */
function rung(law: Allocation, i: number): number {
  let ladder = ladders.get(law);
  if (ladder === undefined) {
    ladder = new Map();
    ladders.set(law, ladder);
  }
  let value = ladder.get(i);
  if (value === undefined) {
    value = logDamped(law, exp(i / RUNGS));
    ladder.set(i, value);
  }
  return value;
}

/** log[Γ(ρ)M(c) cos(θ)^{−ρ}]. */
function scaleOf({ c, m, logM }: Place, cos: number): number {
  return logGamma(m - c, 0).re + logM - (m - c) * log(cos);
}

/** log((1 − λ) cos θ). */
function logKept(m: number, cos: number): number {
  return log(m > 0 ? 0.5 * cos : cos);
}

/** log of what the nodes right of a rung sum to at most, in units of the scale: see `rayFor`. */
function logRight(law: Allocation, { c, m }: Place, cos: number, h: number, i: number): number {
  const fall = (rung(law, i) - rung(law, i - 1)) * RUNGS - c;
  if (!(fall * h < -1e-3)) return Infinity;
  const v = i / RUNGS - logKept(m, cos);
  const here = (m > 0 ? m * (log(m / (0.5 * cos)) - 1) : 0) - c * v + rung(law, i);
  return here - log(-expm1(fall * h));
}

/** What lies beyond the ends of a ray, over Γ(ρ)M(c) cos(θ)^{−ρ}: see `rayFor`. */
export function outsideOf(law: Allocation, place: Place, { theta, h, first, top }: Ray): number {
  const { c, m } = place;
  const cos = cosPi(theta * INVERSE_PI);
  const scale = scaleOf(place, cos);
  const left = (m - c) * h * first + logMoments(law)[m] - log(m - c) - scale;
  return 2 * (exp(left) + exp(logRight(law, place, cos, h, top) - scale));
}

/**
 * The nodes of a ray. Left of v₀ they sum to at most e^{ρv₀}E[s^m]/ρ. Right of the last, V, G_m(x) ≤ (m/eλx)^m G_0((1−λ)x) and v ↦ log G_0(e^v) is
 * concave (Prékopa), so the sum of e^{−cv}G_0((1−λ) cos θ e^v) there is at most its last value times r/(1 − r), r its last ratio.
 */
export function rayFor(
  law: Allocation,
  place: Place,
  theta: number,
  step: number,
  depth: number,
): Ray | undefined {
  const { c, m } = place;
  const rho = m - c;
  const cos = cosPi(theta * INVERSE_PI);
  const scale = scaleOf(place, cos);
  const low = (scale - depth - 2 + log(rho) - logMoments(law)[m]) / rho;
  let top = Math.ceil(RUNGS * (log((rho + 1) / cos) + logKept(m, cos)));
  const least = top;
  while (!(logRight(law, place, cos, step, top) - scale < -depth - 2)) {
    if (top > least + 400) return undefined;
    top++;
  }
  const first = Math.floor(low / step);
  const n = Math.ceil((top / RUNGS - logKept(m, cos)) / step) + 1 - first;
  if (!(n > 1 && n < MAX_NODES)) return undefined;
  return { theta, h: step, first, n, top, outside: 4 * exp(-depth - 2) };
}

/** e^{ρv}hG(u) at the nodes of a ray, over Γ(ρ)M(c) cos(θ)^{−ρ}; the sum of moduli of a majorant, and of the errors. */
export interface RayValues extends Ray {
  readonly re: Float64Array;
  readonly im: Float64Array;
  readonly gross: number;
  readonly wrong: number;
  /** Both sums' terms. */
  readonly sizes: Float64Array;
  readonly errors: Float64Array;
}

export function valuesOn(law: Allocation, place: Place, ray: Ray): RayValues | undefined {
  const { c, m, logM } = place;
  const { bins, visited, mu } = law;
  const rule = innerRule(law, c, m, ray);
  if (rule === undefined) return undefined;
  const inner = new Inner(law, rule, m, ray);
  const rho = m - c;
  const scale = logGamma(rho, 0).re + logM - rho * log(cosPi(ray.theta * INVERSE_PI));
  const unit = log(ray.h) + log(factorialOf(m)) - scale;
  const empty = 1 - visited / bins;
  const cosine = cosPi((ray.theta - rule.s) * INVERSE_PI);
  const depth = innerDepth(law, m);
  const lacking = 2.2 * exp(-depth);
  // factors T below e^{−depth−2} are among what the quadrature lacks
  const most = (depth + 2) / cosine;
  // a floor under the majorant, which keeps what is lacking within 1e-15 of it
  const floor = 1e15 * lacking;
  const bulk = exp(-(mu * mu) / 2 + m * mu * mu + 5 * mu) / bins;
  const moments = Float64Array.from(
    { length: m + 1 },
    (_, k) => floor * rule.growth * exp(logMomentOf(law, k)),
  );
  const re = new Float64Array(ray.n);
  const im = new Float64Array(ray.n);
  const found = new Float64Array(5);
  const [seriesRe, seriesIm, majorant] = [0, 1, 2].map(() => new Float64Array(m + 1));
  let [gross, wrong] = [0, 0];
  const [sizes, errors] = [new Float64Array(ray.n), new Float64Array(ray.n)];
  const room = [0, 1, 2].map(() => new Float64Array(m + 1));
  for (let j = 0; j < ray.n; j++) {
    const v = ray.h * (ray.first + j);
    const size = exp(v);
    inner.rest(j, found);
    let [x, y] = [1 + found[0], found[1]];
    let [logSize, angle] = [0, 0];
    const spread = (rule.rounding + lacking + 20 * U) * rule.growth * (1 + mu * mu);
    let doubt = spread * Math.min(size / bins, 2 / cosine);
    if (x * x + y * y < 0.25) {
      inner.at(j, 0, found);
      [x, y] = [found[0], found[1]];
      logSize = 0.5 * log(x * x + y * y);
      doubt = (rule.rounding + 6 * U * most) * found[2] + 2 * lacking;
    } else logSize = logModulus1p(found[0], found[1]);
    angle = atan2(y, x);
    const modulus = Math.sqrt(x * x + y * y);
    doubt = (visited * (doubt * 1.01)) / modulus;
    const kappa =
      rule.rounding +
      6 * U * (Math.min(most, size * bulk) + 1e-6 * most) +
      2e-15 +
      inner.moved(j, m, ray.h, most);
    for (let k = 1, factorial = 1; k <= m; k++) {
      factorial *= k;
      inner.at(j, k, found);
      // φ_k/φ_0
      const norm = 1 / (modulus * modulus * factorial);
      seriesRe[k] = (found[0] * x + found[1] * y) * norm;
      seriesIm[k] = (found[1] * x - found[0] * y) * norm;
      majorant[k] = (found[2] + moments[k]) / (modulus * factorial);
    }
    const g = power([seriesRe, seriesIm, majorant], visited, empty, room);
    const logs = unit + rho * v + visited * logSize - size * cosPi(ray.theta * INVERSE_PI) * empty;
    const factor = exp(logs);
    const turn = visited * angle + size * sinPi(ray.theta * INVERSE_PI) * empty;
    const [cos, sin] = [cosPi(turn * INVERSE_PI), sinPi(turn * INVERSE_PI)];
    re[j] = factor * (g.re * cos - g.im * sin);
    im[j] = factor * (g.re * sin + g.im * cos);
    const own = factor * g.most;
    gross += own;
    const terms = (m + Math.min(m, visited)) * (kappa + 4 * (m + 8) * U);
    const rounding =
      U *
      (20 +
        3 * Math.abs(rho * v) +
        4 * Math.abs(visited * logSize) +
        4 * Math.abs(turn) +
        2 * Math.abs(unit));
    sizes[j] = own;
    errors[j] = own * Math.min(2, terms + doubt * 1.1 + rounding + 4 * U * size * empty);
    wrong += errors[j];
  }
  return { ...ray, re, im, gross, wrong, sizes, errors };
}

/** The m-th coefficient of e^{ah}(1 + Σ r_k h^k)^n, and of the same with |r_k| replaced by a majorant. */
function power(
  [re, im, majorant]: Float64Array[],
  n: number,
  a: number,
  b: Float64Array[],
): { re: number; im: number; most: number } {
  const m = re.length - 1;
  for (const one of b) one.fill(0);
  b[0][0] = b[2][0] = 1;
  if (m <= n + 1) miller(re, im, majorant, n, b);
  else for (let i = 0; i < n; i++) multiply(re, im, majorant, b);
  let [x, y, z] = [0, 0, 0];
  for (let j = 0, factor = 1; j <= m; j++) {
    x += factor * b[0][m - j];
    y += factor * b[1][m - j];
    z += factor * b[2][m - j];
    factor *= a / (j + 1);
    if (factor === 0) break;
  }
  return { re: x, im: y, most: z };
}

/** Miller's recurrence b_i = (1/i) Σ ((n+1)k − i) r_k b_{i−k}: all factors ≥ 0 for i ≤ n + 1. */
function miller(
  re: Float64Array,
  im: Float64Array,
  majorant: Float64Array,
  n: number,
  [x, y, z]: Float64Array[],
): void {
  for (let i = 1; i < re.length; i++) {
    let [p, q, r] = [0, 0, 0];
    for (let k = 1; k <= i; k++) {
      const factor = (n + 1) * k - i;
      p += factor * (re[k] * x[i - k] - im[k] * y[i - k]);
      q += factor * (re[k] * y[i - k] + im[k] * x[i - k]);
      r += factor * majorant[k] * z[i - k];
    }
    x[i] = p / i;
    y[i] = q / i;
    z[i] = r / i;
  }
}

/** One factor 1 + Σ r_k h^k more. */
function multiply(
  re: Float64Array,
  im: Float64Array,
  majorant: Float64Array,
  [x, y, z]: Float64Array[],
): void {
  for (let i = re.length - 1; i > 0; i--) {
    for (let k = 1; k <= i; k++) {
      x[i] += re[k] * x[i - k] - im[k] * y[i - k];
      y[i] += re[k] * y[i - k] + im[k] * x[i - k];
      z[i] += majorant[k] * z[i - k];
    }
  }
}
