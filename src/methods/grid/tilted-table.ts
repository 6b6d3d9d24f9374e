import type { CyclicPart, Kernel } from '../../kernel/kernel.js';
import type { LatticeMeasure } from '../../law/loss-law.js';
import { U } from '../../numeric/constants.js';
import { logSum } from '../../numeric/log-arithmetic.js';
import { charge } from '../../numeric/meter.js';
import { PRICES } from '../../numeric/prices.js';
import { MANY_ROUNDINGS, ROUNDINGS } from '../../numeric/rounding.js';
import { exp, expm1, log, log1p } from '../../numeric/scalar.js';

/** The lattice measure of one distinct step of a run, and how often the step is taken. */
export interface CountedMeasure {
  readonly measure: LatticeMeasure;
  readonly count: number;
}

/**
 * log of the probability of the composed tilted law that the table may leave out on either side. Only speed and width depend on it: the error is
 * charged.
 */
const LOG_OUTSIDE = -41.5;

/**
 * A composition on a lattice: entry j has the loss step·(first + j + offset), 0 ≤ offset < 1. Masses are those under the tilt `theta`, divided by
 * e^{logScale} = M(theta). `relative` bounds their relative error; `deltaError` and `tailError` are absolute errors of the suffix sums in `scan`,
 * for δ and FPR.
 */
interface Made {
  readonly step: number;
  readonly first: number;
  readonly offset: number;
  readonly theta: number;
  readonly logScale: number;
  readonly relative: number;
  readonly deltaError: number;
  readonly tailError: number;
  readonly infinity: number;
  readonly scan: { readonly delta: Float64Array; readonly tail: Float64Array };
}

/**
 * A run composed on a lattice under one exponential tilt θ. The tilted law p̃(x) = p(x)e^{θx}/M(θ) has its bulk at the losses a question needs. The
 * FFT's rounding error is absolute under p̃, so it is a relative error of δ there, however small δ is. One table answers every ε near the tilted
 * mean.
 *
 * Error of a tilted value v: |v − exact| ≤ v·relative + absolute. `absolute` holds FFT rounding, aliasing (wrap-around) and the mass outside of the
 * table. `relative` holds the rounding of the tilt, of suffix sums and of log M.
 */
export class TiltedTable {
  private constructor(private readonly made: Made) {}

  /** The table of these measures with all finite masses multiplied by e^{logShare}, and another mass at loss +∞. */
  scaled(logShare: number, infinity: number): TiltedTable {
    const { made } = this;
    return new TiltedTable({ ...made, logScale: made.logScale + logShare, infinity });
  }

  get bytes(): number {
    return 8 * (this.made.scan.delta.length + this.made.scan.tail.length);
  }

  /**
   * Tilts the measures of all steps, composes them by cyclic FFT, and takes suffix sums for δ and FPR. Ensures: the errors that the table states
   * bound FFT rounding, wrap-around and mass outside.
   * @param logOutside log of the composed probability that the table may leave out on either side.
   * @returns the number of lattice points that the composition needs, if that is more than `maxLength`.
   */
  static compose(
    kernel: Kernel,
    parts: readonly CountedMeasure[],
    theta: number,
    maxLength: number,
    logOutside = LOG_OUTSIDE,
  ): TiltedTable | number {
    const { supports, every, whole, offset } = spacingOf(parts);
    const step = parts[0].measure.step * every;
    const tilted = parts.map((part, i) =>
      tiltPart(kernel, part, spaced(part.measure, supports[i], every), theta),
    );
    let mean = 0;
    for (const t of tilted) mean += t.count * t.mean;
    const far = { tilted, step, mean, logOutside };
    const right = escapeDistance(kernel, far, 1);
    const left = escapeDistance(kernel, far, -1);
    const points = Math.ceil((right + left) / step) + 4;
    if (!(points <= maxLength)) return points;
    let length = 16;
    while (length < points) length *= 2;
    charge(PRICES.moved * (parts.length + 2) * length);
    const spare = Math.floor((length - points) / 2);
    const first = Math.floor((mean - left) / step - offset) - 1 - spare;
    const { composed, perEntryError } = kernel.composeCyclic(tilted.map((t) => fold(t, length)));
    const window = unrolled(composed, first - whole);
    const scan = kernel.suffixScan(window, theta, step);

    let logScale = 0;
    let scaleSize = 0;
    let relative = 8 * length * U;
    for (const t of tilted) {
      logScale += t.count * t.shift;
      scaleSize += t.count * Math.abs(t.shift);
      relative += t.count * t.relative;
    }
    relative = expm1(relative + 4 * U * (parts.length + 2) * scaleSize);
    // four times: on each side once for the mass that wraps around, and once for rounding in `fold`
    const outside = 4 * exp(logOutside);
    const h = step;
    // errors of the entries enter δ with the weights e^{−θs}(1 − e^{−s}) and the FPR with e^{−(1+θ)s}, s their lattice distances
    const decay = -expm1(-(1 + theta) * h);
    const deltaWeights = theta > 0 ? Math.min(length, -expm1(-h) / (-expm1(-theta * h) * decay)) : length;
    return new TiltedTable({
      step,
      first,
      offset,
      theta,
      logScale,
      relative,
      deltaError: 1.01 * (perEntryError * deltaWeights + outside),
      tailError: 1.01 * (perEntryError * Math.min(length, 1 / decay) + outside),
      infinity: infinityOf(parts),
      scan,
    });
  }

  private lossAt(j: number): number {
    return (this.made.first + j + this.made.offset) * this.made.step;
  }

  /** The index of the first lattice point at or above ε; −1 if ε is outside of the table. */
  private cell(epsilon: number): number {
    const j = Math.ceil(epsilon / this.made.step - this.made.offset) - this.made.first;
    return j > 0 && j < this.made.scan.delta.length ? j : -1;
  }

  /**
   * δ(ε)e^{θε}/M(θ) for ε = x_j − gap, gap ≥ 0 below lattice point x_j. It is e^{−θ·gap}(D_j + (1 − e^{−gap})T_j), D and T the suffix sums of
   * `suffixScan` for δ and FPR. Callers add its roundings and `deltaError`.
   */
  private tiltedDelta(epsilon: number, j: number): number {
    const gap = this.lossAt(j) - epsilon;
    return exp(-this.made.theta * gap) * (this.made.scan.delta[j] - expm1(-gap) * this.made.scan.tail[j]);
  }

  /**
   * log(v·e^{logScale − theta·x}): the log of a tilted value v without the tilt. Rounded up (sign 1) or down (−1) by the relative error and the
   * rounding of exponents.
   */
  private untilt(v: number, x: number, theta: number, sign: 1 | -1): number {
    if (!(v > 0)) return -Infinity;
    const logV = log(v);
    const exponent = theta * x;
    const rounding = 8 * U * (Math.abs(this.made.logScale) + Math.abs(exponent) + Math.abs(logV) + 1);
    return logV + (this.made.logScale - exponent) + sign * (this.made.relative + rounding);
  }

  /**
   * Upper bound of log δ(ε), if the measures have at least the run's δ. Left of the table it is 0; right of it, its value at the last entry.
   * Ensures: no less than log δ(ε).
   */
  upperLogDelta(epsilon: number): number {
    return Math.min(0, logSum(this.finiteLogDelta(epsilon), this.logInfinity));
  }

  /** Ensures: no less than the log of the part of δ(ε) that finite losses give. */
  finiteLogDelta(epsilon: number): number {
    const at = Math.min(epsilon, this.lossAt(this.made.scan.delta.length - 1));
    const j = this.cell(at);
    if (j < 0) return 0;
    return this.untilt(this.tiltedDelta(at, j) * (1 + 16 * U) + this.made.deltaError, at, this.made.theta, 1);
  }

  get logInfinity(): number {
    return this.made.infinity > 0 ? Math.min(0, log(this.made.infinity) + this.infinitySlack) : -Infinity;
  }

  private get infinitySlack(): number {
    return 2 * ROUNDINGS * (1 - log(this.made.infinity));
  }

  /**
   * Lower bound of log δ(ε), if the measures have at most the run's δ. Left of the table it is the value at its first cell; right of it, the log of
   * the mass at +∞. Ensures: no more than log δ(ε).
   */
  lowerLogDelta(epsilon: number): number {
    const at = Math.max(epsilon, this.lossAt(1));
    const j = this.cell(at);
    if (j < 0) return this.plusInfinity(-Infinity);
    const finite = this.untilt(
      this.tiltedDelta(at, j) * (1 - 16 * U) - this.made.deltaError,
      at,
      this.made.theta,
      -1,
    );
    return this.plusInfinity(finite);
  }

  /** log of a lower bound with the mass at +∞ added. Ensures: rounded down. */
  private plusInfinity(logLower: number): number {
    return this.made.infinity > 0 ? logSum(logLower, log(this.made.infinity) - this.infinitySlack) : logLower;
  }

  /**
   * The test that rejects where L ≥ x, x the first lattice point at or above ω. The measures must have at most the run's δ, so that the run has it
   * too. Ensures: log FPR rounded up, log TPR down.
   */
  corner(omega: number): { logFpr: number; logTpr: number } {
    const j = this.cell(omega);
    if (j < 0) return { logFpr: 0, logTpr: this.plusInfinity(-Infinity) };
    const x = this.lossAt(j);
    // TPR = Pr_Q[L ≥ x_j] = δ(x_j) + e^{x_j}·Pr_P[L ≥ x_j], FPR = Pr_P[L ≥ x_j]
    const fpr = this.untilt(this.made.scan.tail[j] + this.made.tailError, x, 1 + this.made.theta, 1);
    const tpr = this.untilt(
      this.made.scan.delta[j] + this.made.scan.tail[j] - this.made.deltaError - this.made.tailError,
      x,
      this.made.theta,
      -1,
    );
    return { logFpr: Math.min(0, fpr), logTpr: Math.min(0, this.plusInfinity(tpr)) };
  }
}

/** The composed mass at loss +∞, 1 − ∏(1 − m_j)^count over the steps' masses m_j, which may be rounded up above 1. Error: a few roundings. */
export function infinityOf(parts: readonly CountedMeasure[]): number {
  return -expm1(
    parts.reduce((sum, { measure, count }) => sum + count * log1p(-Math.min(1, measure.infinity)), 0),
  );
}

/** The lattice points first + stride·k, k ≥ 0, at which a measure may have mass; stride 0 for one point. */
interface Support {
  readonly first: number;
  readonly stride: number;
}

/** The support of a measure's masses, its stride their largest common one. Exact. */
function supportOf({ first, mass }: LatticeMeasure): Support {
  let from = 0;
  while (from < mass.length - 1 && mass[from] === 0) from++;
  let stride = 0;
  for (let i = from + 1; i < mass.length && stride !== 1; i++)
    if (mass[i] !== 0) stride = divisor(stride, i - from);
  return { first: stride === 1 ? first : first + from, stride };
}

function divisor(a: number, b: number): number {
  return b === 0 ? a : divisor(b, a % b);
}

/**
 * The coarser lattice that a composition lies on. Discrete noise may have losses at odd multiples of a step only, say; then sums of losses lie on
 * every `every`-th point. Number the points of each support in units of `every`, the first as ⌊first/every⌋. Losses whose numbers sum to k compose to
 * the loss at index `every`·(k + whole + offset). `every` is a power of two, so no spacing is rounded. Exact.
 */
export function spacingOf(parts: readonly CountedMeasure[]) {
  const supports = parts.map(({ measure }) => supportOf(measure));
  const common = supports.reduce((sum, { stride }) => divisor(sum, stride), 0);
  let every = 1;
  while (common > 0 && common % (2 * every) === 0) every *= 2;
  const rests = supports.reduce((sum, { first }, i) => sum + parts[i].count * modulo(first, every), 0);
  return { supports, every, whole: Math.floor(rests / every), offset: modulo(rests, every) / every };
}

function modulo(x: number, n: number): number {
  return ((x % n) + n) % n;
}

/** A measure at the points of its support. Mass k is at the loss step·(first + k), index `at` + `stride`·k of the composition's lattice. */
interface SpacedMeasure {
  readonly step: number;
  readonly first: number;
  readonly mass: Float64Array;
  readonly at: number;
  readonly stride: number;
}

/** The masses at the points of the support alone. Exact. */
function spaced({ step, first, mass }: LatticeMeasure, support: Support, every: number): SpacedMeasure {
  // the quotient first/stride has to be a double without rounding; whole numbers and halves are
  const stride = Number.isInteger((2 * support.first) / support.stride) ? support.stride : every;
  const at = Math.floor(support.first / every);
  if (support.stride === 0) {
    return { step, first: support.first, mass: Float64Array.of(mass[support.first - first]), at, stride: 1 };
  }
  const from = support.first - first;
  const packed = new Float64Array(Math.ceil((mass.length - from) / stride));
  for (let k = 0; k < packed.length; k++) packed[k] = mass[from + stride * k];
  return { step: step * stride, first: support.first / stride, mass: packed, at, stride: stride / every };
}

/**
 * A tilted measure with its count: `shift` is log M(θ), mean and variance those of the tilted loss. `relative` bounds the relative error of masses.
 */
interface TiltedPart extends SpacedMeasure {
  readonly count: number;
  readonly shift: number;
  readonly mean: number;
  readonly variance: number;
  readonly relative: number;
}

/**
 * A measure under exponential tilting by θ: each mass p(x) becomes p(x)e^{θx}/M(θ), M(θ) = Σ p(x)e^{θx}. Mean and variance of the tilted loss are
 * approximate: they only choose the table's interval. Ensures: the relative error of masses is at most `relative`.
 */
function tiltPart(kernel: Kernel, part: CountedMeasure, measure: SpacedMeasure, theta: number): TiltedPart {
  const { step, first, at, stride } = measure;
  charge(PRICES.moved * measure.mass.length);
  const shift = kernel.logMgf(measure.mass, first, step, theta);
  const mass = kernel.tilt(measure.mass, first, step, theta, shift);
  let total = 0;
  let moment = 0;
  for (let i = 0; i < mass.length; i++) {
    total += mass[i];
    moment += mass[i] * i;
  }
  const centre = moment / total;
  let square = 0;
  for (let i = 0; i < mass.length; i++) square += mass[i] * (i - centre) * (i - centre);
  const reach = theta * step * Math.max(Math.abs(first), Math.abs(first + mass.length));
  return {
    step,
    first,
    mass,
    at,
    stride,
    count: part.count,
    shift,
    mean: step * (first + centre),
    variance: (square / total) * step * step,
    relative: 2 * U * (4 + (step === part.measure.step ? 2 : 3) * reach + Math.abs(shift)),
  };
}

/** The tilted measures, spacing and mean of their composition, and the log of the probability that the table may leave out on either side. */
interface TiltedRun {
  readonly tilted: readonly TiltedPart[];
  readonly step: number;
  readonly mean: number;
  readonly logOutside: number;
}

/**
 * A distance d from the mean, right (side 1) or left (−1), beyond which the composed tilted law X has at most the probability e^{logOutside}.
 * Chernoff: Pr[X − mean ≥ d] ≤ e^{Σ_j T_j log E[e^{s(X_j − mean_j)}] − sd}, at the best of a few s. Ensures: rounded up.
 */
function escapeDistance(kernel: Kernel, { tilted, step, mean, logOutside }: TiltedRun, side: 1 | -1): number {
  let variance = 0;
  for (const t of tilted) variance += t.count * t.variance;
  const unit = 1 / Math.sqrt(Math.max(variance, step * step));
  // the distance by Chernoff's bound at s = side·c·unit, rounded up
  const distanceAt = (c: number): number => {
    const s = side * c * unit;
    let cumulant = -s * mean;
    let size = Math.abs(s * mean);
    for (const t of tilted) {
      const k = t.count * kernel.logMgf(t.mass, t.first, t.step, s);
      cumulant += k;
      size += Math.abs(k);
    }
    return (cumulant + MANY_ROUNDINGS * (1 + size) - logOutside) / (c * unit);
  };
  // the distance is quasi-convex in c; with rare large losses its minimum is far below c = 1
  let best = distanceAt(1);
  for (const factor of [1.5, 1 / 1.5]) {
    const start = best;
    for (let c = factor; c <= 16 && c >= 1e-4; c *= factor) {
      const distance = distanceAt(c);
      if (!(distance < best)) break;
      best = distance;
    }
    if (best < start) break;
  }
  return best;
}

/**
 * Puts the masses of a measure on `length` cyclic points; indices beyond the end wrap around. Where masses add, they lie `length` points or more
 * apart, so one of them is outside of the table. The rounding error of their sum is at most the smaller mass. Over all steps these masses are at
 * most e^{logOutside} on either side, by Chernoff's bound. `compose` adds that to `outside`.
 */
function fold({ mass, at, stride, count }: TiltedPart, length: number): CyclicPart {
  const pmf = new Float64Array(length);
  let to = modulo(at, length);
  for (let i = 0; i < mass.length; i++) {
    pmf[to] += mass[i];
    to += stride;
    if (to >= length) to %= length;
  }
  return { pmf, count };
}

/** The cyclic sequence, rotated to begin at lattice index `first`. Exact. */
function unrolled(cyclic: Float64Array, first: number): Float64Array {
  const n = cyclic.length;
  const at = modulo(first, n);
  const out = new Float64Array(n);
  out.set(cyclic.subarray(at));
  out.set(cyclic.subarray(0, at), n - at);
  return out;
}
