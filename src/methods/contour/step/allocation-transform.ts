import { INVERSE_PI, INVERSE_SQRT_2PI, U } from '../../../numeric/constants.js';
import { logGamma } from '../../../numeric/log-gamma.js';
import { Once, Recent } from '../../../numeric/recent.js';
import { atan2, cosPi, exp, expm1, log, log1p, logModulus1p, sinPi } from '../../../numeric/scalar.js';
import {
  type Allocation,
  Inner,
  type InnerRule,
  innerDepth,
  innerRule,
  logMomentOf,
  MAX_NODES,
} from './allocation-inner.js';
import { power, raise } from './power-series.js';

/** The ray u = e^{v − iθ}: its nodes, and what is left out at either end, over Γ(ρ)M(c) cos(θ)^{−ρ}. */
interface Ray {
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
/** What the variable of their series is multiplied by: 8^k/k! is at least 1e-276. */
const UNIT = 8;
const LOG_UNIT = 3 * Math.LN2;

/** What belongs to a law, made once. */
interface Known {
  readonly moments: Once<Float64Array>;
  readonly damping: Once<Damping>;
  /** log G_0 at the rungs. */
  readonly ladder: Recent<number, number>;
}

const known = new WeakMap<Allocation, Known>();

function knownOf(law: Allocation): Known {
  const made = known.get(law) ?? {
    moments: new Once(() => momentsOf(law)),
    damping: new Once(() => dampingOf(law)),
    ladder: new Recent(Infinity),
  };
  known.set(law, made);
  return made;
}

/** log E[s^m], m = 0 … 256, to a few units in the last place of each; ∞ where it overflows. */
export function logMoments(law: Allocation): Float64Array {
  return knownOf(law).moments.value;
}

function momentsOf(law: Allocation): Float64Array {
  const { visited, bins } = law;
  const factorials = new Float64Array(MOMENTS);
  for (let k = 2; k < MOMENTS; k++) factorials[k] = factorials[k - 1] + log(k);
  // of h/8, so that 1/k! stays a normal number
  const series = Float64Array.from({ length: MOMENTS }, (_, k) =>
    exp(logMomentOf(law, k) - factorials[k] + k * LOG_UNIT),
  );
  series[0] = 0;
  const b = [0, 1, 2].map(() => new Float64Array(MOMENTS));
  raise([series, new Float64Array(MOMENTS), series], visited, b);
  const made = factorials.map((factorial, m) => {
    let sum = 0;
    for (let j = 0, factor = 1; j <= m; j++) {
      sum += factor * b[2][m - j];
      factor *= (UNIT * (1 - visited / bins)) / (j + 1);
      if (factor === 0) break;
    }
    return sum > 0 && sum < Infinity ? log(sum) - m * LOG_UNIT + factorial : Infinity;
  });
  // beyond the first that overflowed none is right
  const first = made.indexOf(Infinity);
  if (first >= 0) made.fill(Infinity, first);
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
interface Damping {
  readonly at: Float64Array;
  readonly weight: Float64Array;
}

function dampingOf(law: Allocation): Damping {
  const { mu, bins } = law;
  const h = Math.min(mu / 3, 0.08);
  const reach = Math.ceil((14.5 * mu) / h);
  const at = Float64Array.from(
    { length: 2 * reach + 1 },
    (_, i) => exp(h * (i - reach) - (mu * mu) / 2) / bins,
  );
  const weight = at.map((_, i) => (h / mu) * INVERSE_SQRT_2PI * exp(-(((h * (i - reach)) / mu) ** 2) / 2));
  return { at, weight };
}

/** log G_0(x), x > 0: E[e^{−xs}], from above but for roundings. */
function logDamped(law: Allocation, x: number): number {
  const { bins, visited } = law;
  const { at, weight } = knownOf(law).damping.value;
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

/** log G_0(e^{i/RUNGS}), kept. */
function rung(law: Allocation, i: number): number {
  return knownOf(law).ladder.of(i, () => logDamped(law, exp(i / RUNGS)));
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
  // a floor under the majorant: what is lacking is this share of it
  const share = Math.max(1e-15, lacking);
  const floor = lacking / share;
  const bulk = exp(-(mu * mu) / 2 + m * mu * mu + 5 * mu) / bins;
  const moments = Float64Array.from(
    { length: m + 1 },
    (_, k) => floor * rule.growth * exp(logMomentOf(law, k)),
  );
  const [re, im, sizes, errors] = [0, 1, 2, 3].map(() => new Float64Array(ray.n));
  const near = { rule, lacking, cosine, most, law };
  const series = [0, 1, 2].map(() => new Float64Array(m + 1));
  let [gross, wrong] = [0, 0];
  const room = [0, 1, 2].map(() => new Float64Array(m + 1));
  for (let j = 0; j < ray.n; j++) {
    const v = ray.h * (ray.first + j);
    const size = exp(v);
    const { x, y, logSize, doubt: wrongAt } = startAt(inner, j, size, near);
    const angle = atan2(y, x);
    const modulus = Math.sqrt(x * x + y * y);
    const doubt = (visited * (wrongAt * 1.01)) / modulus;
    const kappa =
      rule.rounding +
      6 * U * (Math.min(most, size * bulk) + 1e-6 * most) +
      2 * share +
      inner.moved(j, m, ray.h, most);
    seriesAt(inner, j, { x, y, modulus }, moments, series);
    const g = power(series, visited, empty, room);
    const logs = unit + rho * v + visited * logSize - size * cosPi(ray.theta * INVERSE_PI) * empty;
    const factor = exp(logs);
    const turn = visited * angle + size * sinPi(ray.theta * INVERSE_PI) * empty;
    const [cos, sin] = [cosPi(turn * INVERSE_PI), sinPi(turn * INVERSE_PI)];
    re[j] = factor * (g.re * cos - g.im * sin);
    im[j] = factor * (g.re * sin + g.im * cos);
    const own = factor * g.most;
    gross += own;
    const terms = (m + Math.min(m, visited)) * (kappa + 4 * (m + 8) * U);
    const parts = 3 * Math.abs(rho * v) + 4 * Math.abs(visited * logSize) + 4 * Math.abs(turn);
    const rounding = U * (20 + parts + 2 * Math.abs(unit));
    sizes[j] = own;
    errors[j] = own * Math.min(2, terms + doubt * 1.1 + rounding + 4 * U * size * empty);
    wrong += errors[j];
  }
  return { ...ray, re, im, gross, wrong, sizes, errors };
}

/** What φ_0 at a node hangs on beside it. */
interface Near {
  readonly law: Allocation;
  readonly rule: InnerRule;
  readonly lacking: number;
  readonly cosine: number;
  readonly most: number;
}

/** φ_0 at a node of size e^v, log|φ_0|, and what φ_0 is off by. */
function startAt(
  inner: Inner,
  j: number,
  size: number,
  { law: { bins, mu }, rule, lacking, cosine, most }: Near,
): { x: number; y: number; logSize: number; doubt: number } {
  const [rest, y] = inner.rest(j);
  const x = 1 + rest;
  if (!(x * x + y * y < 0.25)) {
    const spread = (rule.rounding + lacking + 20 * U) * rule.growth * (1 + mu * mu);
    const doubt = spread * Math.min(size / bins, 2 / cosine);
    return { x, y, logSize: logModulus1p(rest, y), doubt };
  }
  const found = new Float64Array(3);
  inner.at(j, 0, found);
  const [re, im, gross] = found;
  return {
    x: re,
    y: im,
    logSize: 0.5 * log(re * re + im * im),
    doubt: (rule.rounding + 6 * U * most) * gross + 2 * lacking,
  };
}

/** φ_k/(k! φ_0) and a majorant of it, k = 1 … m. */
function seriesAt(
  inner: Inner,
  j: number,
  { x, y, modulus }: { x: number; y: number; modulus: number },
  moments: Float64Array,
  [re, im, majorant]: Float64Array[],
): void {
  const found = new Float64Array(3);
  for (let k = 1, factorial = 1; k < moments.length; k++) {
    factorial *= k;
    inner.at(j, k, found);
    const norm = 1 / (modulus * modulus * factorial);
    re[k] = (found[0] * x + found[1] * y) * norm;
    im[k] = (found[1] * x - found[0] * y) * norm;
    majorant[k] = (found[2] + moments[k]) / (modulus * factorial);
  }
}
