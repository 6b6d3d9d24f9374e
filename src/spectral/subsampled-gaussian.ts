import type { Kernel } from '../kernel.js';
import { subsampledLoss } from '../law/subsampling.js';
import { exp, expm1, log, log1p } from '../scalar.js';
import { cosine, cutTails, narrowRange, type Range } from './gaussian-range.js';
import { powerExcess } from './power-excess.js';
import { shiftedBound, shiftedLine } from './shifted-gaussian.js';
import { type Cumulant, type Decay, type LogPhiLine, MAX_WORK, type SpectralLaw } from './spectral-law.js';
import { decayOf, logPhiLine, type WeightedLosses } from './weighted-losses.js';

const U = 2 ** -53;
const PI = 3.141592653589793;
const INVERSE_SQRT_2PI = 0.3989422804014327;
/** More nodes than this are refused: on the real axis, and scanned for the few that matter to a line. */
const MAX_NODES = 2 ** 13;
const MAX_SCANNED = 2 ** 16;
/** Lines with more frequencies are summed off the real axis. */
const LONG = 2 ** 10;

/**
 * The Poisson-subsampled Gaussian pair P = N(0, σ²), Q = (1−q)P + qN(1, σ²), in x = o/σ and μ = 1/σ: loss
 * y(x) = log u, u = 1 − q + q e^{s}, s = μx − μ²/2, and M(z) = ∫ φ(x) u^z dx.
 *
 * Quadrature. The integrand is analytic in |Im x| < π/μ (u = 0 at Im s = π). On Im x = a it is at most
 * e^{a²/2 + |τ|μa} φ(x) u(x)^c for c ≥ 0 (|u| ≤ u(Re x), |arg u| ≤ μa) and cos(μa/2)^c times that for c < 0
 * (|A + Be^{iθ}| ≥ (A + B) cos(θ/2)), so the trapezoidal rule of step h errs by at most
 *   2 M(c) e^{a²/2 + |τ|μa − 2πa/h}/(1 − e^{−2πa/h})   (Trefethen & Weideman 2014, thm 5.1).
 *
 * Tails. d/dx log(φu^c) = −x + cμw with w ∈ [0, 1], so beyond max(0, cμ) + X the integrand falls, and below
 * min(0, cμ) − X it rises, at least like e^{X|x|}: what is cut is a geometric sum.
 */
export function subsampledGaussianSpectrum(sigma: number, rate: number): SpectralLaw {
  const mu = 1 / sigma;
  return {
    logMassP: 0,
    logMassQ: 0,
    cumulant: (c, count) => cumulant(mu, rate, c, count),
    line: (kernel, c, dTau, n, count) => line(kernel, mu, rate, c, dTau, n, count),
    decay: (c) => decay(mu, rate, c),
  };
}

/** A step h, few bits long so that multiples are exact, with quadrature error ≤ e^{−depth} M(c) for |τ| ≤ tau. */
function stepFor(mu: number, c: number, tau: number, depth: number): number {
  let best = Infinity;
  const wanted = depth + 1;
  for (const share of [0.05, 0.1, 0.2, 0.4, 0.6, 0.75, 0.85, 0.92]) {
    const a = Math.min((share * PI) / mu, share * 1.6 * Math.sqrt(2 * wanted));
    // −log cos x ≤ x²/2·tan(x)/x
    const half = (mu * a) / 2;
    const shrink = c < 0 ? -c * -log(cosine(half)) : 0;
    best = Math.min(best, tau * mu + (wanted + shrink) / a + a / 2);
  }
  let h = (2 * PI) / best;
  let scale = 1;
  while (h * scale < 128) scale *= 2;
  while (h * scale >= 256) scale /= 2;
  h = Math.floor(h * scale) / scale;
  return h;
}

interface Nodes {
  readonly x: Float64Array;
  /** y(x), u − 1 (∞ where it overflows), log(φ u^c √2π), and the absolute error of y. */
  readonly loss: Float64Array;
  readonly excess: Float64Array;
  readonly logMass: Float64Array;
  readonly lossError: Float64Array;
  readonly top: number;
}

function nodesOn(
  mu: number,
  q: number,
  c: number,
  h: number,
  range: Range,
  limit: number,
): Nodes | undefined {
  const first = Math.floor(range.from / h);
  const last = Math.ceil(range.to / h);
  const n = last - first + 1;
  if (!(n <= limit)) return undefined;
  const x = new Float64Array(n);
  const loss = new Float64Array(n);
  const excess = new Float64Array(n);
  const logMass = new Float64Array(n);
  const lossError = new Float64Array(n);
  let top = -Infinity;
  for (let j = 0; j < n; j++) {
    x[j] = h * (first + j);
    const s = mu * x[j] - (mu * mu) / 2;
    const v = s > 30 ? Infinity : q * expm1(s);
    const y = s > 30 ? subsampledLoss(s, q) : log1p(v);
    loss[j] = y;
    excess[j] = s > 30 ? expm1(y) : v;
    logMass[j] = c * y - (x[j] * x[j]) / 2;
    const share = s > 30 ? 1 : (v + q) / (1 + v);
    const rounding = s > 30 ? 2 * Math.abs(s) : 5 * (Math.abs(v) / (1 + v));
    lossError[j] = U * (share * (3 * Math.abs(mu * x[j]) + 2 * mu * mu) + rounding + 2 * Math.abs(y));
    if (logMass[j] > top) top = logMass[j];
  }
  return { x, loss, excess, logMass, lossError, top };
}

const UNKNOWN: Cumulant = { value: Infinity, error: Infinity, mean: NaN, variance: NaN };

/**
 * count·log M(c). Where M is moderate, M − 1 = E_P[u^c − 1 − c(u − 1)] (as E_P[u] = 1): the terms have one sign
 * and relative accuracy, so count·log M keeps its digits for any count.
 */
function cumulant(mu: number, q: number, c: number, count: number): Cumulant {
  const depth = 42 + log(count) + log(2 + Math.abs(c));
  const reach = Math.sqrt(2 * depth) + 1;
  const h = stepFor(mu, c, 0, depth);
  // φ and φu as well as φu^c
  const narrow = narrowRange(mu, q, c, depth + 10, reach);
  const range = {
    from: Math.min(-reach, narrow.from),
    to: Math.max(mu + reach, narrow.to),
    slope: Math.min(reach, narrow.slope),
  };
  const nodes = range.slope > 0 ? nodesOn(mu, q, c, h, range, MAX_NODES) : undefined;
  if (nodes === undefined) return UNKNOWN;
  const { x, loss, excess, logMass, lossError, top } = nodes;
  const n = x.length;
  const unit = h * INVERSE_SQRT_2PI;
  const small = top < 30 && loss[n - 1] < 300;
  let mass = 0;
  let first = 0;
  let second = 0;
  let sum = 0;
  let rest = 0;
  let wrong = 0;
  for (let j = 0; j < n; j++) {
    const f = exp(logMass[j] - (small ? 0 : top));
    mass += f;
    first += f * loss[j];
    second += f * loss[j] * loss[j];
    const argument = (x[j] * x[j]) / 2;
    if (!small) {
      wrong +=
        f * (U * (6 + 2 * argument + 3 * Math.abs(c * loss[j]) + Math.abs(top)) + Math.abs(c) * lossError[j]);
      continue;
    }
    const p = exp(-argument);
    const v = excess[j];
    const rise = c * loss[j] > 30 ? undefined : powerExcess(c, v, loss[j]);
    const t = Math.abs(c * loss[j]);
    // where u^c is all of it, φu^c as one exponential neither overflows nor underflows
    const term = rise === undefined ? f - p * (1 + c * v) : p * rise.value;
    wrong +=
      p *
        ((rise === undefined ? 4 * U * Math.abs(c * v) : rise.error) +
          Math.abs(c) * (Math.abs(c * v) < 0.5 ? 1.7 * Math.abs((c - 1) * v) : 1 + v) * lossError[j]) +
      f * (Math.abs(c) * lossError[j] * (Math.abs(c * v) < 0.5 ? 0 : 1) + (t > 0.3 ? 2 * U * t : 0)) +
      (rise === undefined ? f * U * (4 + 2 * argument) : 0) +
      8 * U * Math.abs(term);
    const next = sum + term;
    rest += Math.abs(sum) >= Math.abs(term) ? sum - next + term : term - next + sum;
    sum = next;
  }
  const mean = first / mass;
  const variance = Math.max(0, second / mass - mean * mean);
  const shared = { mean: count * mean, variance: count * variance };
  if (!small) {
    const ends = exp(logMass[0] - top) + exp(logMass[n - 1] - top);
    const relative = wrong / mass + n * U + cutTails(ends, h, range.slope) / (mass * unit) + exp(-depth);
    const value = count * (top + log(mass * unit));
    return { value, error: count * (relative + 4 * U * Math.abs(top)) + 4 * U * Math.abs(value), ...shared };
  }
  const rise = (sum + rest) * unit;
  let ends = 0;
  for (const j of [0, n - 1]) {
    ends += exp(logMass[j]) + exp((-x[j] * x[j]) / 2) * (1 + Math.abs(c) * (2 + excess[j]));
  }
  const lost = wrong * unit + cutTails(ends, h, range.slope) + exp(-depth) * (1 + Math.abs(c) + mass * unit);
  const value = count * log1p(rise);
  return { value, error: (count * lost * 1.001) / (1 + rise) + 6 * U * Math.abs(value), ...shared };
}

function line(
  kernel: Kernel,
  mu: number,
  q: number,
  c: number,
  dTau: number,
  n: number,
  count: number,
): LogPhiLine | undefined {
  const depth = 38 + log(count);
  const shifted = (): LogPhiLine | undefined => shiftedLine(mu, q, c, dTau, n, count, cumulant(mu, q, c, 1));
  if (n > LONG) return shifted();
  const reach = Math.sqrt(2 * depth) + 1;
  const h = stepFor(mu, c, dTau * n, depth);
  const range = narrowRange(mu, q, c, depth + 10, reach);
  if (!(range.slope > 0)) return shifted();
  const nodes = nodesOn(mu, q, c, h, range, MAX_SCANNED);
  if (nodes === undefined) return shifted();
  const kept = tilted(nodes, c, depth, h, range.slope);
  if (kept.loss.length * n > MAX_WORK) return shifted();
  return logPhiLine(kernel, kept, dTau, n, count);
}

/** The nodes that matter, with normalised weights. */
function tilted(nodes: Nodes, c: number, depth: number, h: number, slope: number): WeightedLosses {
  const { x, loss, logMass, lossError, top } = nodes;
  const n = x.length;
  const floor = -(depth + 8);
  const kept = {
    loss: [] as number[],
    weight: [] as number[],
    weightError: [] as number[],
    lossError: [] as number[],
  };
  let mass = 0;
  let dropped = 0;
  for (let j = 0; j < n; j++) {
    const f = exp(logMass[j] - top);
    if (logMass[j] - top < floor) {
      dropped += f;
      continue;
    }
    mass += f;
    kept.loss.push(loss[j]);
    kept.weight.push(f);
    kept.weightError.push(
      U * (6 + x[j] * x[j] + 3 * Math.abs(c * loss[j]) + 2 * Math.abs(top)) + Math.abs(c) * lossError[j],
    );
    kept.lossError.push(lossError[j]);
  }
  const ends = exp(logMass[0] - top) + exp(logMass[n - 1] - top);
  const beyond = cutTails(ends, h, slope) / (h * INVERSE_SQRT_2PI);
  return {
    loss: Float64Array.from(kept.loss),
    weight: Float64Array.from(kept.weight, (f) => f / mass),
    weightError: Float64Array.from(kept.weightError),
    lossError: Float64Array.from(kept.lossError),
    missing: (2.1 * (dropped + beyond)) / mass + 2.1 * exp(-depth),
  };
}

/**
 * Cells from a mesh on which log density, whose second derivative is at most B = 1 + |c|μ²/4 in size, stays
 * within Bh²/8 of its chord. Variation: ∂x/∂y = (1 + (1−q)/q·e^{−s})/μ, and φu^c and φu^c e^{−s} have at most two
 * maxima each (their slopes −x + cμw(x) (−μ) cross zero at most three times), so
 * V ≤ 4/μ·(max φu^c + (1−q)/q·max φu^c e^{−s})/M.
 */
function decay(mu: number, q: number, c: number): Decay {
  const bend = 1 + (Math.abs(c) * mu * mu) / 4;
  const reach = 10 + mu;
  const h = Math.min(stepFor(mu, c, 0, 30), 1 / 16, 0.5 / Math.sqrt(bend));
  let bound: ((tau: number) => number) | undefined;
  const steep = (tau: number): number => {
    bound ??= shiftedBound(mu, q, c, cumulant(mu, q, c, 1).value);
    return bound(tau);
  };
  // φu^c e^{−s} peaks no further left than this: the slope of log φu^c rises by at least μ on the way
  const { from, to, slope } = narrowRange(mu, q, c, 60, reach);
  const range = { from: from - mu, to, slope };
  const nodes = slope > 0 ? nodesOn(mu, q, c, h, range, MAX_SCANNED) : undefined;
  if (nodes === undefined) return { within: () => 0, beyond: () => ({ log: 0, power: 0 }), steep };
  const { x, loss, logMass, lossError, top } = nodes;
  const n = x.length;
  let sum = 0;
  let highest = 0;
  for (let j = 0; j < n; j++) {
    const f = exp(logMass[j] - top);
    sum += f;
    highest = Math.max(highest, exp(logMass[j] - top - (mu * x[j] - (mu * mu) / 2)));
  }
  const sag = exp(-(bend * h * h) / 8);
  // the sum is M/h within 1e-9; the loss errors are far below the width of any cell that counts
  const unit = (sag * (1 - 1e-8)) / sum;
  const low: number[] = [];
  const high: number[] = [];
  const mass: number[] = [];
  for (let j = 0; j + 1 < n; j++) {
    const least = Math.min(logMass[j], logMass[j + 1]) - top;
    if (least < -45) continue;
    low.push(loss[j] - lossError[j]);
    high.push(loss[j + 1] + lossError[j + 1]);
    mass.push(exp(least) * unit);
  }
  const peaks = 1 + ((1 - q) / q) * highest;
  const variation = ((4 / mu) * peaks * (1 + 1e-8)) / (sag * sum * h);
  const bounds = decayOf(
    { low: Float64Array.from(low), high: Float64Array.from(high), mass: Float64Array.from(mass) },
    variation,
  );
  return { ...bounds, steep };
}
