import type { Kernel } from '../../../kernel/kernel.js';
import { INVERSE_SQRT_2PI, U } from '../../../numeric/constants.js';
import { Recent } from '../../../numeric/recent.js';
import { exp, log } from '../../../numeric/scalar.js';
import { CutGaussian } from './cut-gaussian.js';
import { wholeDecay } from './gaussian-decay.js';
import { cutTails, narrowRange, stepFor } from './gaussian-range.js';
import { logMassLeft, lostMass } from './lost-mass.js';
import {
  KEPT,
  logMass,
  MAX_SCANNED,
  OutputMeshes,
  type SampledPair,
  type Stretch,
  topOf,
} from './output-mesh.js';
import { powerExcess } from './power-excess.js';
import { shiftedLine } from './shifted-gaussian.js';
import { ShiftedOutputs } from './shifted-mesh.js';
import {
  type Cumulant,
  type CutLaw,
  type Decay,
  type LineNodes,
  type LogPhiLine,
  MAX_WORK,
  type SpectralLaw,
  UNKNOWN,
} from './spectral-law.js';
import { TiltedMoments } from './tilted-moments.js';
import { logPhiLine, type WeightedLosses } from './weighted-losses.js';

/** More nodes than this are refused on the real axis. */
const MAX_NODES = 2 ** 13;
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
  const mu = 1 / sigma;
  const meshes = new OutputMeshes(mu, rate, kept);
  const pair: SampledPair = { mu, q: rate, meshes, shifted: new ShiftedOutputs(mu, rate) };
  const cuts = new Recent<string, CutLaw>(MAX_CUTS);
  const cut: SpectralLaw['cut'] = (kernel, logMass, depth) => {
    const at = cutFor(mu, rate, logMass);
    return cuts.of(`${kernel.name}/${at}/${depth}`, () =>
      cutLaw(new CutGaussian(kernel, { mu, q: rate }, at, depth)),
    );
  };
  return {
    logMassP: 0,
    logMassQ: 0,
    cumulant: (c, count) => cumulant(pair, c, count),
    line: (kernel, nodes, count) => line(kernel, pair, nodes, count),
    decay: (c) => wholeDecay(pair, c, (at) => cumulant(pair, at, 1).value),
    ...(isCut(mu, rate) && { cut }),
  };
}

/** Whether the law of a step is ever cut. */
export function isCut(mu: number, rate: number): boolean {
  return mu <= LARGEST_CUT_MU && rate >= SMALLEST_CUT_RATE;
}

/** The least multiple of ¼ that outputs exceed with at most e^{logMass} of P and of Q. */
export function cutFor(mu: number, q: number, logMass: number): number {
  const enough = (cut: number): boolean => lostMass(mu, q, cut).logLostQ <= logMass;
  let low = 0;
  // where most lie
  let high = 8;
  while (!enough(high)) [low, high] = [high, 2 * high];
  while (high - low > 0.25) {
    const middle = (low + high) / 2;
    if (enough(middle)) high = middle;
    else low = middle;
  }
  return high;
}

function cutLaw(law: CutGaussian): CutLaw {
  const { logLostP, logLostQ } = law.lost;
  const decays = new Recent<number, Decay>(KEPT_DECAYS);
  return {
    logLostP,
    logLostQ,
    law: {
      logMassP: logMassLeft(logLostP),
      logMassQ: logMassLeft(logLostQ),
      cumulant: (c, count) => law.cumulant(c, count),
      near: (tilts, count) => law.near(tilts, count),
      above: (c, count) => law.above(c, count),
      cheap: [law.leastCheap, Infinity],
      line: (kernel, nodes, count) => law.line(kernel, nodes, count),
      decay: (c) => decays.of(c, () => law.decay(c)),
    },
  };
}

/**
 * count·log M(c). Where M is moderate, M − 1 = E_P[u^c − 1 − c(u − 1)] (as E_P[u] = 1): the terms have one sign
 * and relative accuracy, so count·log M keeps its digits for any count.
 */
function cumulant({ mu, q, meshes }: SampledPair, c: number, count: number): Cumulant {
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
  if (!(top < 30 && loss[end - 1] < 300)) return largeCumulant(stretch, c, count, { depth, slope, top });
  const moments = new TiltedMoments();
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
    const near = linear < 0.5;
    const wrong =
      inexact +
      p * size * (near ? 1.7 * Math.abs((c - 1) * v) : 1 + v) * lossError[j] +
      f * ((near ? 0 : size * lossError[j]) + (Math.abs(t) > 0.3 ? 2 * U * Math.abs(t) : 0)) +
      8 * U * Math.abs(term);
    moments.add(f, loss[j], wrong);
    moments.addTerm(term);
  }
  const { mass, wrong } = moments;
  const unit = h * INVERSE_SQRT_2PI;
  let ends = 0;
  for (const j of [begin, end - 1]) {
    ends += exp(logMass(mesh, c, j)) + base[j] * (1 + size * (2 + excess[j]));
  }
  const lost = wrong * unit + cutTails(ends, h, slope) + exp(-depth) * (1 + size + mass * unit);
  return moments.fromRise(count, unit, lost);
}

/** The same where M is far from 1: the logarithm of the sum. */
function largeCumulant(
  { mesh, begin, end }: Stretch,
  c: number,
  count: number,
  { depth, slope, top }: { depth: number; slope: number; top: number },
): Cumulant {
  const { h, first: origin, loss, lossError } = mesh;
  const moments = new TiltedMoments();
  for (let j = begin; j < end; j++) {
    const square = (h * (origin + j)) ** 2;
    const f = exp(c * loss[j] - square / 2 - top);
    const rounding =
      U * (6 + square + 3 * Math.abs(c * loss[j]) + Math.abs(top)) + Math.abs(c) * lossError[j];
    moments.add(f, loss[j], f * rounding);
  }
  const { mass, wrong } = moments;
  const unit = h * INVERSE_SQRT_2PI;
  const last = end - 1;
  const ends = exp(logMass(mesh, c, begin) - top) + exp(logMass(mesh, c, last) - top);
  const relative = wrong / mass + (end - begin) * U + cutTails(ends, h, slope) / (mass * unit) + exp(-depth);
  return moments.fromMass(count, unit, top, relative);
}

function line(kernel: Kernel, pair: SampledPair, at: LineNodes, count: number): LogPhiLine | undefined {
  const { c, dTau, n, first = 0 } = at;
  const { mu, q, meshes } = pair;
  const depth = 38 + log(count);
  const shifted = (): LogPhiLine | undefined =>
    shiftedLine(kernel, pair.shifted, at, count, cumulant(pair, c, 1));
  if (n > LONG) return shifted();
  const reach = Math.sqrt(2 * depth) + 1;
  const h = stepFor(mu, c, dTau * (first + n), depth);
  const { from, to, slope } = narrowRange(mu, q, c, depth + 10, reach);
  const stretch = slope > 0 ? meshes.covering(h, from, to, MAX_SCANNED) : undefined;
  if (stretch === undefined) return shifted();
  const kept = tilted(stretch, c, depth, slope);
  if (kept.loss.length * n > MAX_WORK) return shifted();
  return logPhiLine(kernel, kept, at, count);
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
