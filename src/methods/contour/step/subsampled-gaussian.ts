import type { Kernel } from '../../../kernel/kernel.js';
import { INVERSE_SQRT_2PI, U } from '../../../numeric/constants.js';
import { Recent } from '../../../numeric/recent.js';
import { exp, log, log1p } from '../../../numeric/scalar.js';
import { CutGaussian, lostMass } from './cut-gaussian.js';
import { cosine, cutTails, narrowRange } from './gaussian-range.js';
import { KEPT, type OutputMesh, OutputMeshes, type Stretch } from './output-mesh.js';
import { powerExcess } from './power-excess.js';
import { shiftedBound, shiftedLine } from './shifted-gaussian.js';
import {
  type Cumulant,
  type CutLaw,
  type Decay,
  type LogPhiLine,
  MAX_WORK,
  type SpectralLaw,
  UNKNOWN,
} from './spectral-law.js';
import { decayOf, logPhiLine, type WeightedLosses } from './weighted-losses.js';

/** More nodes than this are refused: on the real axis, and scanned for the few that matter to a line. */
const MAX_NODES = 2 ** 13;
const MAX_SCANNED = 2 ** 16;
/** Cells lighter than e^{this} of the heaviest are left out of the bounds of |φ|. */
const LEAST_CELL = -40;
/** Parts of a law that bound |φ|: their least mass, the ratio of neighbours, and their number. Speed alone hangs on them. */
const LEAST_PART = 1e-5;
const PART_RATIO = 2;
const MOST_PARTS = 18;
/** Bounds of |φ| kept of one cut law: those of the line at hand. Speed alone hangs on it. */
const KEPT_DECAYS = 4;
/** Cut laws kept of one step. */
const MAX_CUTS = 16;
/** Losses of less noise turn too fast for panels of outputs, and smaller rates need lines too long for any: their laws are not cut. */
const LARGEST_CUT_MU = 8;
const SMALLEST_CUT_RATE = 1e-7;
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
 *
 * @param kept Meshes of outputs to keep.
 */
export function subsampledGaussianSpectrum(sigma: number, rate: number, kept = KEPT): SpectralLaw {
  const { law, mu, cutAt } = sampledGaussian(sigma, rate, kept);
  const cut: SpectralLaw['cut'] = (kernel, logMass, depth) => cutAt(kernel, cutFor(mu, rate, logMass), depth);
  return { ...law, ...(isCut(mu, rate) && { cut }) };
}

/** Bounds of |φ| for all steps near one. */
export type DecayNear = (c: number, nearby: Nearby) => Decay;

interface NearbyCut extends CutLaw {
  readonly decayNear: DecayNear;
}

/** A whole law, and the same without outputs above a cut. */
export interface SampledGaussian {
  readonly mu: number;
  readonly law: SpectralLaw;
  readonly cutAt: (kernel: Kernel, cut: number, depth: number) => NearbyCut;
  readonly decayNear: DecayNear;
}

/** Whether the law of a step is ever cut. */
export function isCut(mu: number, rate: number): boolean {
  return mu <= LARGEST_CUT_MU && rate >= SMALLEST_CUT_RATE;
}

/** The pair of `subsampledGaussianSpectrum`, to be cut at outputs that are given. */
export function sampledGaussian(sigma: number, rate: number, kept = KEPT): SampledGaussian {
  const mu = 1 / sigma;
  const pair: Pair = { mu, q: rate, meshes: new OutputMeshes(mu, rate, kept) };
  const cuts = new Recent<string, NearbyCut>(MAX_CUTS);
  return {
    mu,
    cutAt: (kernel, at, depth) =>
      cuts.of(`${kernel.name}/${at}/${depth}`, () => {
        const cut = new CutGaussian(kernel, mu, rate, at, depth);
        return { ...cutLaw(pair, cut), decayNear: (c, nearby) => cutDecay(pair, cut, c, nearby) };
      }),
    decayNear: (c, nearby) => decay(pair, c, nearby),
    law: {
      logMassP: 0,
      logMassQ: 0,
      cumulant: (c, count) => cumulant(pair, c, count),
      line: (kernel, c, dTau, n, count, first = 0) => line(kernel, pair, c, dTau, n, count, first),
      decay: (c) => decay(pair, c),
    },
  };
}

/** The least multiple of ¼ that outputs exceed with at most e^{logMass} of P and of Q. */
export function cutFor(mu: number, q: number, logMass: number): number {
  const enough = (cut: number): boolean => lostMass(mu, q, cut).logLostQ <= logMass;
  let low = 0;
  let high = 1;
  while (!enough(high)) [low, high] = [high, 2 * high];
  while (high - low > 0.25) {
    const middle = (low + high) / 2;
    if (enough(middle)) high = middle;
    else low = middle;
  }
  return high;
}

function cutLaw(pair: Pair, law: CutGaussian): CutLaw {
  const { logLostP, logLostQ } = law.lost;
  const decays = new Recent<number, Decay>(KEPT_DECAYS);
  const decay = (c: number): Decay => decays.of(c, () => cutDecay(pair, law, c));
  return {
    logLostP,
    logLostQ,
    law: {
      logMassP: log1p(-exp(logLostP)),
      logMassQ: log1p(-exp(logLostQ)),
      cumulant: (c, count) => law.cumulant(c, count),
      near: (tilts, count) => law.near(tilts, count),
      cheap: [law.leastCheap, Infinity],
      line: (kernel, c, dTau, n, count, first) => law.line(kernel, c, dTau, n, count, first),
      panels: (c, steps) => law.panels(c, steps, (from) => decay(c).beyond(from)),
      decay,
    },
  };
}

/** The largest number of three bits up to h. */
function stepBelow(h: number): number {
  let scale = 1;
  while (h * scale < 4) scale *= 2;
  while (h * scale >= 8) scale /= 2;
  return Math.floor(h * scale) / scale;
}

interface Pair {
  readonly mu: number;
  readonly q: number;
  readonly meshes: OutputMeshes;
}

/** A step h of three bits, so that multiples are exact and meshes are shared, with quadrature error ≤ e^{−depth} M(c) for |τ| ≤ tau. */
function stepFor(mu: number, c: number, tau: number, depth: number): number {
  let best = Infinity;
  const wanted = depth + 1;
  for (const share of [0.05, 0.1, 0.2, 0.4, 0.6, 0.75, 0.85, 0.92]) {
    const a = Math.min((share * Math.PI) / mu, share * 1.6 * Math.sqrt(2 * wanted));
    // −log cos x ≤ x²/2·tan(x)/x
    const half = (mu * a) / 2;
    const shrink = c < 0 ? -c * -log(cosine(half)) : 0;
    best = Math.min(best, tau * mu + (wanted + shrink) / a + a / 2);
  }
  return stepBelow((2 * Math.PI) / best);
}

/**
 * count·log M(c). Where M is moderate, M − 1 = E_P[u^c − 1 − c(u − 1)] (as E_P[u] = 1): the terms have one sign
 * and relative accuracy, so count·log M keeps its digits for any count.
 */
function cumulant({ mu, q, meshes }: Pair, c: number, count: number): Cumulant {
  const depth = 42 + log(count) + log(2 + Math.abs(c));
  const reach = Math.sqrt(2 * depth) + 1;
  const h = stepFor(mu, c, 0, depth);
  // φ and φu as well as φu^c
  const narrow = narrowRange(mu, q, c, depth + 10, reach);
  const slope = Math.min(reach, narrow.slope);
  const from = Math.min(-reach, narrow.from);
  const to = Math.max(mu + reach, narrow.to);
  const stretch = slope > 0 ? meshes.covering(h, from, to, MAX_NODES) : undefined;
  if (stretch === undefined) return UNKNOWN;
  const { mesh, begin, end } = stretch;
  const { base, loss, excess, lossError, first: origin } = mesh;
  const top = topOf(stretch, c);
  if (!(top < 30 && loss[end - 1] < 300)) return largeCumulant(stretch, c, count, depth, slope, top);
  let mass = 0;
  let first = 0;
  let second = 0;
  let sum = 0;
  let rest = 0;
  let wrong = 0;
  const size = Math.abs(c);
  for (let j = begin; j < end; j++) {
    const p = base[j];
    const v = excess[j];
    const t = c * loss[j];
    const linear = Math.abs(c * v);
    let term: number;
    let f: number;
    let inexact: number;
    if (t > 30) {
      // u^c is all of it: φu^c as one exponential neither overflows nor underflows
      const square = (h * (origin + j)) ** 2;
      f = exp(t - square / 2);
      term = f - p * (1 + c * v);
      inexact = p * 4 * U * linear + f * U * (4 + square);
    } else {
      const rise = powerExcess(c, v, loss[j]);
      f = p * (1 + c * v + rise.value);
      term = p * rise.value;
      inexact = p * rise.error;
    }
    mass += f;
    first += f * loss[j];
    second += f * loss[j] * loss[j];
    const near = linear < 0.5;
    wrong +=
      inexact +
      p * size * (near ? 1.7 * Math.abs((c - 1) * v) : 1 + v) * lossError[j] +
      f * ((near ? 0 : size * lossError[j]) + (Math.abs(t) > 0.3 ? 2 * U * Math.abs(t) : 0)) +
      8 * U * Math.abs(term);
    const next = sum + term;
    rest += Math.abs(sum) >= Math.abs(term) ? sum - next + term : term - next + sum;
    sum = next;
  }
  const unit = h * INVERSE_SQRT_2PI;
  const mean = first / mass;
  const variance = Math.max(0, second / mass - mean * mean);
  const rise = (sum + rest) * unit;
  let ends = 0;
  for (const j of [begin, end - 1]) {
    ends += exp(logMass(mesh, c, j)) + base[j] * (1 + size * (2 + excess[j]));
  }
  const lost = wrong * unit + cutTails(ends, h, slope) + exp(-depth) * (1 + size + mass * unit);
  const value = count * log1p(rise);
  const error = (count * lost * 1.001) / (1 + rise) + 6 * U * Math.abs(value);
  return { value, error, mean: count * mean, variance: count * variance };
}

/** log(φu^c √2π) at a node. */
function logMass({ h, first, loss }: OutputMesh, c: number, j: number): number {
  const x = h * (first + j);
  return c * loss[j] - (x * x) / 2;
}

/** Its largest value over a stretch. */
function topOf({ mesh, begin, end }: Stretch, c: number): number {
  let top = -Infinity;
  for (let j = begin; j < end; j++) top = Math.max(top, logMass(mesh, c, j));
  return top;
}

/** The same where M is far from 1: the logarithm of the sum. */
function largeCumulant(
  { mesh, begin, end }: Stretch,
  c: number,
  count: number,
  depth: number,
  slope: number,
  top: number,
): Cumulant {
  const { h, first: origin, loss, lossError } = mesh;
  let mass = 0;
  let first = 0;
  let second = 0;
  let wrong = 0;
  for (let j = begin; j < end; j++) {
    const square = (h * (origin + j)) ** 2;
    const f = exp(c * loss[j] - square / 2 - top);
    mass += f;
    first += f * loss[j];
    second += f * loss[j] * loss[j];
    wrong += f * (U * (6 + square + 3 * Math.abs(c * loss[j]) + Math.abs(top)) + Math.abs(c) * lossError[j]);
  }
  const unit = h * INVERSE_SQRT_2PI;
  const mean = first / mass;
  const variance = Math.max(0, second / mass - mean * mean);
  const last = end - 1;
  const ends = exp(logMass(mesh, c, begin) - top) + exp(logMass(mesh, c, last) - top);
  const relative = wrong / mass + (end - begin) * U + cutTails(ends, h, slope) / (mass * unit) + exp(-depth);
  const value = count * (top + log(mass * unit));
  const error = count * (relative + 4 * U * Math.abs(top)) + 4 * U * Math.abs(value);
  return { value, error, mean: count * mean, variance: count * variance };
}

function line(
  kernel: Kernel,
  pair: Pair,
  c: number,
  dTau: number,
  n: number,
  count: number,
  first: number,
): LogPhiLine | undefined {
  const { mu, q, meshes } = pair;
  const depth = 38 + log(count);
  const shifted = (): LogPhiLine | undefined =>
    shiftedLine(kernel, pair, c, { dTau, n, first }, count, cumulant(pair, c, 1));
  if (n > LONG) return shifted();
  const reach = Math.sqrt(2 * depth) + 1;
  const h = stepFor(mu, c, dTau * (first + n), depth);
  const { from, to, slope } = narrowRange(mu, q, c, depth + 10, reach);
  const stretch = slope > 0 ? meshes.covering(h, from, to, MAX_SCANNED) : undefined;
  if (stretch === undefined) return shifted();
  const kept = tilted(stretch, c, depth, slope);
  if (kept.loss.length * n > MAX_WORK) return shifted();
  return logPhiLine(kernel, kept, dTau, n, count, first);
}

/** The nodes that matter, with normalised weights. */
function tilted(stretch: Stretch, c: number, depth: number, slope: number): WeightedLosses {
  const { mesh, begin, end } = stretch;
  const { h, first, loss, lossError } = mesh;
  const top = topOf(stretch, c);
  const floor = top - (depth + 8);
  let from = begin;
  let to = end;
  while (from < to && logMass(mesh, c, from) < floor) from++;
  while (to > from && logMass(mesh, c, to - 1) < floor) to--;
  const room = to - from;
  const kept = {
    loss: new Float64Array(room),
    weight: new Float64Array(room),
    weightError: new Float64Array(room),
    lossError: new Float64Array(room),
  };
  let n = 0;
  let mass = 0;
  for (let j = from; j < to; j++) {
    const square = (h * (first + j)) ** 2;
    const height = c * loss[j] - square / 2;
    if (height < floor) continue;
    const f = exp(height - top);
    mass += f;
    kept.loss[n] = loss[j];
    kept.weight[n] = f;
    kept.weightError[n] =
      U * (6 + square + 3 * Math.abs(c * loss[j]) + 2 * Math.abs(top)) + Math.abs(c) * lossError[j];
    kept.lossError[n++] = lossError[j];
  }
  for (let j = 0; j < n; j++) kept.weight[j] /= mass;
  const dropped = end - begin - n;
  const ends = exp(logMass(mesh, c, begin) - top) + exp(logMass(mesh, c, end - 1) - top);
  const beyond = cutTails(ends, h, slope) / (h * INVERSE_SQRT_2PI);
  return {
    loss: kept.loss.subarray(0, n),
    weight: kept.weight.subarray(0, n),
    weightError: kept.weightError.subarray(0, n),
    lossError: kept.lossError.subarray(0, n),
    missing: (2.1 * (dropped * exp(floor - top) + beyond)) / mass + 2.1 * exp(-depth),
  };
}

/**
 * Cells from a mesh on which log density, whose second derivative is at most B = 1 + |c|μ²/4 in size, stays
 * within Bh²/8 of its chord. Variation: ∂x/∂y = (1 + (1−q)/q·e^{−s})/μ, and φu^c and φu^c e^{−s} have at most two
 * maxima each (their slopes −x + cμw(x) (−μ) cross zero at most three times), so
 * V ≤ 4/μ·(max φu^c + (1−q)/q·max φu^c e^{−s})/M.
 */
function decay(pair: Pair, c: number, nearby?: Nearby): Decay {
  const { mu, q, meshes } = pair;
  const bend = 1 + (Math.abs(c) * mu * mu) / 4;
  const reach = 10 + mu;
  const h = Math.min(stepFor(mu, c, 0, 30), stepBelow(Math.min(1 / 16, 0.5 / Math.sqrt(bend))));
  let bound: ((tau: number) => number) | undefined;
  const steep = (tau: number): number => {
    bound ??= shiftedBound(mu, q, c, cumulant(pair, c, 1).value);
    return bound(tau);
  };
  // φu^c e^{−s} peaks no further left than this: the slope of log φu^c rises by at least μ on the way
  const { from, to, slope } = narrowRange(mu, q, c, 60, reach);
  const stretch = slope > 0 ? meshes.covering(h, from - mu, to, MAX_SCANNED) : undefined;
  if (stretch === undefined)
    return { within: () => 0, beyond: () => ({ log: 0, power: 0 }), ...(nearby === undefined && { steep }) };
  // the sum over the nodes is M√2π/h within 1e-9; the loss errors are far below the width of any cell that counts
  const mass = sumOf(stretch, c) * h;
  const whole = { low: mass * (1 - 1e-9), high: mass * (1 + 1e-9) };
  const bounds = decayOn(pair, stretch, c, bend, whole, Infinity, nearby);
  return nearby ? bounds : { ...bounds, steep };
}

/** The same without outputs above a cut: nodes to its right count in the maxima only. */
function cutDecay(pair: Pair, law: CutGaussian, c: number, nearby?: Nearby): Decay {
  const { mu, q, meshes } = pair;
  const bend = 1 + (Math.abs(c) * mu * mu) / 4;
  const h = stepBelow(Math.min(1 / 16, 0.5 / Math.sqrt(bend)));
  const { from, to } = narrowRange(mu, q, c, 60, 10 + mu);
  const stretch = meshes.covering(h, from - mu, Math.min(to, law.cut), MAX_SCANNED);
  const { value, error } = law.cumulant(c, 1);
  if (stretch === undefined || !(value < Infinity))
    return { within: () => 0, beyond: () => ({ log: 0, power: 0 }) };
  const top = topOf(stretch, c);
  const unit = exp(value - top) / INVERSE_SQRT_2PI;
  const doubt = error + 1e-9;
  const around = { low: unit * (1 - doubt), high: unit * (1 + doubt) };
  const decay = decayOn(pair, stretch, c, bend, around, law.cut, nearby);
  // the path is that of the one law
  if (nearby) return decay;
  let bound: ((tau: number) => number) | undefined;
  return {
    ...decay,
    path: (tau) => {
      bound ??= law.pathBound(c) ?? (() => 0);
      return bound(tau);
    },
  };
}

/** Σ φu^c√2π over a stretch, over its largest term. */
function sumOf(stretch: Stretch, c: number): number {
  const top = topOf(stretch, c);
  let sum = 0;
  for (let j = stretch.begin; j < stretch.end; j++) {
    const height = logMass(stretch.mesh, c, j) - top;
    if (height > LEAST_CELL) sum += exp(height);
  }
  return sum;
}

/** Steps near one: how far their losses lie from its own at an output, at most, M over its own, and a bound for the variation of each. */
export interface Nearby {
  readonly moved: (x: number) => number;
  readonly most: number;
  readonly variation: number;
}

/**
 * @param whole M√2π over the largest term of the stretch, from both sides.
 * @param nearby What is to hold for all steps near this one.
 */
function decayOn(
  { mu, q }: Pair,
  stretch: Stretch,
  c: number,
  bend: number,
  whole: { low: number; high: number },
  cut = Infinity,
  nearby?: Nearby,
): Decay {
  const { mesh, begin, end } = stretch;
  const { h, first, loss, lossError } = mesh;
  const top = topOf(stretch, c);
  const room = end - begin;

  const low = new Float64Array(room);
  const high = new Float64Array(room);
  const mass = new Float64Array(room);
  /** The node at the right end of each cell. */
  const node = new Int32Array(room);
  let highest = -Infinity;
  let n = 0;
  let before = -Infinity;
  for (let j = begin; j < end; j++) {
    const height = logMass(mesh, c, j) - top;
    highest = Math.max(highest, height - mu * h * (first + j));
    const f = height < LEAST_CELL ? 0 : exp(height);
    const least = Math.min(before, f);
    before = f;
    if (!(least > 0) || h * (first + j) > cut) continue;
    const moved = nearby ? Math.max(nearby.moved(h * (first + j - 1)), nearby.moved(h * (first + j))) : 0;
    low[n] = loss[j - 1] - lossError[j - 1] - moved;
    high[n] = loss[j] + lossError[j] + moved;
    node[n] = j;
    mass[n++] = nearby ? (least * exp(-Math.abs(c) * moved)) / nearby.most : least;
  }
  // cells that overlap are made to begin and to end in order
  if (nearby) {
    for (let j = n - 2; j >= 0; j--) low[j] = Math.min(low[j], low[j + 1]);
    for (let j = 1; j < n; j++) high[j] = Math.max(high[j], high[j - 1]);
  }
  const sag = exp(-(bend * h * h) / 8);
  const unit = (h * sag * (1 - 1e-9)) / whole.high;
  for (let j = 0; j < n; j++) mass[j] *= unit;
  const peaks = 1 + ((1 - q) / q) * exp(highest + (mu * mu) / 2);
  const variation = ((4 / mu) * peaks * (1 + 1e-8)) / (sag * whole.low);
  const cells = { low: low.subarray(0, n), high: high.subarray(0, n), mass: mass.subarray(0, n) };
  if (nearby) return decayOf(cells, nearby.variation);
  // parts {x ≥ x_j} of ever less mass: the maxima of `variation`, of what lies to the right of x_j
  const parts = { mass: [] as number[], variation: [] as number[] };
  let part = 0;
  let next = LEAST_PART;
  let largest = 0;
  let steepest = 0;
  for (let j = end - 1, i = n - 1; j > begin && i >= 0 && parts.mass.length < MOST_PARTS; j--) {
    const height = logMass(mesh, c, j) - top;
    largest = Math.max(largest, exp(height));
    steepest = Math.max(steepest, exp(height - mu * h * (first + j)));
    if (node[i] !== j) continue;
    part += mass[i--];
    if (part < next) continue;
    next *= PART_RATIO;
    const before = exp(logMass(mesh, c, j - 1) - top);
    const ends =
      Math.max(largest, before) +
      ((1 - q) / q) * Math.max(steepest, before * exp(-mu * h * (first + j - 1))) * exp((mu * mu) / 2);
    parts.mass.push(part * (1 - 1e-9));
    parts.variation.push(((4 / mu) * ends * (1 + 1e-8)) / (sag * whole.low));
  }
  return decayOf(cells, variation, 0, parts);
}
