import { floats, rowsOf } from '../../../kernel/floats.js';
import type { Kernel } from '../../../kernel/kernel.js';
import { FUNCTIONALS, KernelTable, LOG_PHI_ROWS, MESH_ROWS } from '../../../kernel/kernel-table.js';
import { INVERSE_PI, U } from '../../../numeric/constants.js';
import { logGamma, polygamma } from '../../../numeric/log-gamma.js';
import { LruCache } from '../../../numeric/lru-cache.js';
import { atan2, cosPi, exp, expm1, log, sinPi } from '../../../numeric/scalar.js';
import { type Allocation, innerStep, MOST_TERMS, sharedStep, termsFor } from './allocation-inner.js';
import { AllocationTransform, type Place, type ValuedRay, wholeBlocks } from './allocation-transform.js';
import { gaussianDecay } from './gaussian-spectrum.js';
import {
  type Cumulant,
  type LineNodes,
  type LogPhiLine,
  NO_DECAY,
  type SpectralLaw,
  UNKNOWN,
} from './spectral-law.js';
import { logPhiRows } from './weighted-losses.js';

/** −log of the accuracy beyond that of one epoch. */
const DEPTH = 33;
const ruleDepth = ({ fewer }: Allocation): number => DEPTH - (fewer?.rule ?? 0);
const endsDepth = ({ fewer }: Allocation): number => DEPTH - (fewer?.ends ?? 0);
/** Number of values of log M, and of rays, that are cached. */
const MAX_KEPT = 512;
/** log M of one epoch above which it is only bounded, by convexity. */
const HEAVY = 25;
/** Above the relative error of logarithms of moments, and of chords through them. */
const MOMENTS_ERROR = 1e-11;
/** For noise below 1/μ the loss varies too much for quadrature along rays. */
const LARGEST_MU = 3.2;
/** Frequencies times nodes of one contour, at most. */
const MAX_WORK = 2e7;

/**
 * One epoch of balls-and-bins sampling with Gaussian noise. P and Q are exchanged against `Allocation`: the base is Q there and M(z) = E s^z.
 * Full epochs alone end a line: |M(c + iτ)| ≤ M(c)e^{−τ²μ²/2t}. Proofs: docs/proofs/balls-and-bins.md.
 *
 * Ensures: log M and log φ are within their stated errors, and |φ| below its bounds.
 */
export function allocationSpectrum(kernel: Kernel, law: Allocation): SpectralLaw {
  const known = new LruCache<string, Cumulant>(MAX_KEPT);
  const transform = new AllocationTransform(kernel, law);
  const baseFor = basesOf(transform);
  const rays: Rays = new LruCache(MAX_KEPT / 8);
  const cumulant = (c: number, count: number): Cumulant =>
    known.of(`${c}/${count}`, () => cumulantAt(transform, baseFor, c, count));
  const square = (law.mu * law.mu) / law.bins;
  return {
    logMassP: 0,
    logMassQ: 0,
    cumulant,
    line: (_kernel, nodes, count) => line({ transform, rays }, cumulant(nodes.c, 1), nodes, count),
    decay: () => (law.visited === law.bins ? gaussianDecay(square) : NO_DECAY),
  };
}

/** log of Γ(ρ)/|Γ(ρ − iτ)|. */
function logRatio(rho: number, tau: number): number {
  return logGamma(rho, 0).re - logGamma(rho, tau).re;
}

/** log[Γ(ρ) e^{−φτ} cos(φ)^{−ρ}/|Γ(ρ − iτ)|], `ratio` as above. */
function logLoss(rho: number, tau: number, phi: number, ratio: number): number {
  return ratio - phi * tau - rho * log(cosPi(phi * INVERSE_PI));
}

interface Strip {
  readonly theta: number;
  readonly half: number;
  readonly h: number;
}

/** A plan: the angle of a ray for frequencies from..to, and the spacing of v with quadrature error ≤ e^{−depth} of M(c). */
function stripFor(
  law: Allocation,
  { c, m }: { c: number; m: number },
  [from, to]: readonly [number, number],
  depth: number,
): Strip {
  const rho = m - c;
  const theta = atan2((from + to) / 2, rho);
  const room = Math.PI / 2 - theta;
  let best: Strip = { theta, half: 0, h: 0 };
  const ends = [from, to].map((tau) => ({ tau, ratio: logRatio(rho, tau) }));
  for (const share of [0.25, 0.4, 0.55, 0.7, 0.82, 0.9]) {
    const half = share * room;
    let loss = 0;
    for (const { tau, ratio } of ends)
      for (const phi of [theta - half, theta + half]) loss = Math.max(loss, logLoss(rho, tau, phi, ratio));
    const h = (2 * Math.PI * half) / (depth + loss + 1);
    if (h > best.h) best = { theta, half, h };
  }
  best = { ...best, h: Math.min(best.h, innerStep(law, m, theta).h) };
  return { ...best, h: sharedStep(law.mu, best.h) };
}

/** Quadrature error of a strip's rule at frequency τ, relative to M(c). */
function quadrature(rho: number, tau: number, { theta, half, h }: Strip): number {
  const ratio = logRatio(rho, tau);
  const sum = exp(logLoss(rho, tau, theta + half, ratio)) + exp(logLoss(rho, tau, theta - half, ratio));
  return (1.01 * sum) / expm1((2 * Math.PI * half) / h);
}

/**
 * count·log M(c) of an epoch, by the values on the base ray reweighted to c, with quadrature, truncation and rounding errors. Between whole moments,
 * by convexity, where no ray is of use. Ensures: within the error stated.
 */
function cumulantAt(
  transform: AllocationTransform,
  baseFor: (c: number) => Base | undefined,
  c: number,
  count: number,
): Cumulant {
  const m = termsFor(c);
  const { law, kernel } = transform;
  const { mu } = law;
  if (mu > LARGEST_MU) return UNKNOWN;
  if (m > MOST_TERMS || mu * mu * m * (m - 1) > 1200) return betweenMoments(transform.logMoments, c, count);
  // where the largest draws of one bin dominate M, no contour is of use, and the inner integrals are long
  const near = betweenMoments(transform.logMoments, c, count);
  if (c > 2 && near.value > HEAVY * count) return near;
  const rho = m - c;
  const base = baseFor(c);
  if (base === undefined) return UNKNOWN;
  // Σ e^{ρv}G by reweighting the values on the base ray
  const { values, strip, place, weights, middle } = base;
  const lead = place.c - c;
  const [sum, first, second, , , errorSum] = kernel.cumulantSums(weights, 0, values.n, Float64Array.of(lead));
  const [own, others] = [logGamma(rho, 0), logGamma(m - place.c, 0)];
  const one = log(sum) + lead * middle + place.logM + others.re - own.re;
  const least = leastOf(law, c);
  const outside = exp(least - one) * transform.outsideOf({ c, m, logM: least }, values);
  const relative =
    errorSum / sum +
    outside +
    quadrature(rho, 0, strip) +
    own.error +
    others.error +
    U * (8 + 2 * Math.abs(own.re) + 2 * Math.abs(others.re) + 4 * Math.abs(lead * middle));
  if (!(relative < 0.1)) return UNKNOWN;
  const { digamma, trigamma } = polygamma(rho);
  const mean = digamma - middle - first / sum;
  const variance = Math.max(1e-300, second / sum - (first / sum) ** 2 - trigamma);
  return {
    value: count * one,
    error: count * (1.1 * relative + 4 * U * Math.abs(one)),
    mean: count * mean,
    variance: count * variance,
  };
}

/** Jensen: M ≥ 1 outside [0, 1], and M(c) ≥ e^{c(c−1)μ²/2} inside. */
function leastOf({ mu }: Allocation, c: number): number {
  return c > 0 && c < 1 ? (c * (c - 1) * mu * mu) / 2 : 0;
}

/** Values on rays, cached by position. */
type Rays = LruCache<string, ValuedRay | undefined>;

/** The real ray that serves all c with the same m or, for m = 0, c in a short interval. */
interface Base {
  readonly place: Place;
  readonly strip: Strip;
  readonly values: ValuedRay;
  /** The values on the ray as exponential weights of v − middle. */
  readonly weights: KernelTable;
  readonly middle: number;
}

/** For m = 0: ratio of the ends of the intervals of c that share a ray. */
const RANGE = 1.25;

/** Finds the base ray for a tilt: one for each number m of derivatives, or for each range of negative tilts. Made once. A plan but for the values. */
function basesOf(transform: AllocationTransform): (c: number) => Base | undefined {
  const bases = new LruCache<number, Base | undefined>(MAX_KEPT);
  return (c) => {
    const m = termsFor(c);
    const range = m > 0 ? 0 : Math.floor(log(-c / 4) / log(RANGE));
    return bases.of(m > 0 ? m : -range, () => {
      const least = -4 * exp(range * log(RANGE));
      return m > 0
        ? baseBetween(transform, m, m - 5, m - 4)
        : baseBetween(transform, 0, RANGE * least, least);
    });
  };
}

/**
 * The ray of angle 0 and its values, for all tilts between `from` and `to`. Undefined where it would cost too much. Values have the errors of
 * `valuesOn`.
 */
function baseBetween(transform: AllocationTransform, m: number, from: number, to: number): Base | undefined {
  const { law } = transform;
  const places = [from, (from + to) / 2, to].map((c): Place => ({ c, m, logM: leastOf(law, c) }));
  const strips = places.map((place) => stripFor(law, place, [0, 0], ruleDepth(law)));
  const strip = strips.reduce((a, b) => (b.h < a.h ? b : a));
  const rays = places.flatMap((place) => transform.rayFor(place, 0, strip.h, endsDepth(law)) ?? []);
  if (rays.length < places.length) return undefined;
  // the smallest range that contains all rays
  const first = Math.min(...rays.map((ray) => ray.first));
  const n = wholeBlocks(Math.max(...rays.map((ray) => ray.first + ray.n)) - first);
  const top = Math.max(...rays.map((ray) => ray.top));
  const ray = { theta: 0, h: strip.h, first, n, top, outside: Infinity };
  const values = transform.valuesOn(places[1], ray);
  if (values === undefined) return undefined;
  // factors are about 1 where M has its mass: they do not underflow at steep tilts, and overflow is detected
  const middle = log(Math.max(1, m - places[1].c));
  const weights = weightsOn(values, middle, 0.51 * (to - from));
  return { place: places[1], strip, values, weights, middle };
}

/**
 * The real values on a ray as exponential weights of v − middle. In sums times e^{l(v − middle)}, |l| ≤ steepest, the last row bounds the error of
 * the first.
 */
function weightsOn({ table, h, first, n }: ValuedRay, middle: number, steepest: number): KernelTable {
  const rows = floats(MESH_ROWS * n);
  for (let j = 0; j < n; j++) {
    const [re, size, error] = [0, 4, 5].map((row) => table.values[row * n + j]);
    const v = h * (first + n - 1 - j);
    const y = v - middle;
    // a positive number may be less than its error
    rows[j] = Math.max(re, error);
    rows[n + j] = y;
    const roundings = 26 + n / 32 + 2 * steepest * (Math.abs(v) + Math.abs(y));
    const off = (re < error ? 3 : 1) * error + U * roundings * size;
    rows[4 * n + j] = rows[j] > 0 ? off / rows[j] : 0;
  }
  return new KernelTable(rows);
}

/**
 * The cumulant where no contour goes, for bounds alone (its variance marks that). log M is convex: below its chord between integer orders, and above
 * the neighbouring chords continued.
 */
function betweenMoments(logs: Float64Array, c: number, count: number): Cumulant {
  const k = Math.floor(c);
  if (!(k >= 1 && k + 2 < logs.length && logs[k + 2] < Infinity)) return UNKNOWN;
  const part = c - k;
  const above = logs[k] + part * (logs[k + 1] - logs[k]);
  const before = logs[k] + part * (logs[k] - logs[k - 1]);
  const behind = logs[k + 1] - (1 - part) * (logs[k + 2] - logs[k + 1]);
  const below = Math.min(above, Math.max(before, behind));
  const value = (count * (above + below)) / 2;
  const rounding = count * MOMENTS_ERROR * (1 + Math.abs(above) + k);
  return {
    value,
    error: (count * (above - below)) / 2 + rounding,
    mean: count * (logs[k + 1] - logs[k]),
    variance: Infinity,
  };
}

/**
 * count·log φ along a contour, ray by ray, with rounding, quadrature and truncation errors. Undefined where that would cost too much, or log M is
 * unknown. Ensures: within the errors stated.
 */
function line(
  { transform, rays }: { transform: AllocationTransform; rays: Rays },
  logM: Cumulant,
  { c, dTau, n }: LineNodes,
  count: number,
): LogPhiLine | undefined {
  if (!(logM.value < Infinity && logM.variance < Infinity)) return undefined;
  const { law, kernel } = transform;
  const m = termsFor(c);
  const rho = m - c;
  const depth = endsDepth(law) + log(count);
  const rows = floats(LOG_PHI_ROWS * n);
  const [re, im, rounding, truncation] = rowsOf(rows, LOG_PHI_ROWS);
  let work = 0;
  const blocks: { from: number; to: number; strip: Strip }[] = [];
  for (let k = 0; k < n; ) {
    const tau = k * dTau;
    const half = 0.8 * Math.sqrt(2 * rho * (1 + (tau / rho) ** 2));
    const to = Math.min(n, Math.max(k + 1, Math.floor((tau + 2 * half) / dTau)));
    const last = (to - 1) * dTau;
    blocks.push({ from: k, to, strip: stripFor(law, { c, m }, [tau, last], ruleDepth(law) + log(count)) });
    k = to;
  }
  // the last ray is the longest: if that costs too much, the others need not be computed
  for (const { from, to, strip } of blocks.reverse()) {
    const values = rays.of(`${c}/${strip.theta}/${strip.h}/${depth}`, () => {
      const place: Place = { c, m, logM: logM.value };
      const ray = transform.rayFor(place, strip.theta, strip.h, depth);
      return ray && transform.valuesOn(place, ray);
    });
    if (values === undefined) return undefined;
    work += values.n * (to - from);
    if (work > MAX_WORK) return undefined;
    const taus = Float64Array.from({ length: to - from }, (_, i) => (from + i) * dTau);
    const sums = kernel.contourSumsUniform(values.h, values.table, taus);
    for (let k = from; k < to; k++) {
      const at = taus[k - from];
      const { x, y, size, error } = valueAt(values, rho, at, sums.subarray(FUNCTIONALS * (k - from)));
      re[k] = x - 1;
      im[k] = y;
      rounding[k] = error + logM.error * Math.max(1, size);
      truncation[k] = size * values.outside + quadrature(rho, at, strip);
    }
  }
  re[0] = im[0] = rounding[0] = truncation[0] = 0;
  return logPhiRows(kernel.logarithms(rows, count, 0));
}

/**
 * φ(τ) from a ray: its sum times a factor of Γ functions. Ensures: `error` is no less than the error from rounding, and `size` than the factor's
 * modulus but for roundings.
 * @param sum The real and imaginary part of the sum of values, rotated about the last node.
 */
function valueAt(
  { h, first, n, theta, gross, errorSum, length }: ValuedRay,
  rho: number,
  tau: number,
  [a, b]: Float64Array,
): { x: number; y: number; size: number; error: number } {
  const gamma = logGamma(rho, -tau);
  const lead = logGamma(rho, 0);
  const exponent = lead.re - rho * log(cosPi(theta * INVERSE_PI)) - tau * theta - gamma.re;
  const size = exp(exponent);
  const end = h * (first + n - 1);
  const turn = (rho * theta + gamma.im + tau * end) * INVERSE_PI;
  const [cos, sin] = [cosPi(turn), -sinPi(turn)];
  const angles = 6 * Math.abs(rho * theta) + 4 * Math.abs(gamma.im) + 6 * Math.abs(tau * end) + 4 * tau;
  const roundings = 20 + 4 * Math.abs(exponent) + angles;
  // rounding errors of the sum
  const adding = (56 + n / 32) * gross + 4 * tau * h * length;
  return {
    x: size * (a * cos - b * sin),
    y: size * (a * sin + b * cos),
    size,
    error: size * (errorSum + gross * (gamma.error + lead.error + U * roundings) + U * adding),
  };
}
