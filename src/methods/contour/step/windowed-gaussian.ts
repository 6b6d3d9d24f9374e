import type { Kernel } from '../../../kernel/kernel.js';
import { CUMULANT_SUMS, MESH_ROWS } from '../../../kernel/kernel-table.js';
import type { WeightedLaw } from '../../../kernel/loops.js';
import { subsampledLoss } from '../../../law/subsampling.js';
import { INVERSE_SQRT_2PI, U } from '../../../numeric/constants.js';
import { Lazy, LruCache } from '../../../numeric/lru-cache.js';
import { exp, log, log1p } from '../../../numeric/scalar.js';
import { type AxisMesh, AxisOutputs, type Placed } from './axis-outputs.js';
import { logVariation } from './density-variation.js';
import { lostMass } from './lost-mass.js';
import { Moduli } from './moduli.js';
import type { SampledStep } from './off-axis.js';
import { EVERYTHING, type OutputWindow, stretchOf } from './output-window.js';
import type { PathSums } from './path-sums.js';
import type { SampledSteps } from './sampled-losses.js';
import { bestPath, boundTerms, furthestPath, shiftedSums } from './shifted-gaussian.js';
import { ShiftedOutputs } from './shifted-mesh.js';
import {
  type ApproximateCumulant,
  type Decay,
  type FarBounds,
  type LineNodes,
  type LogPhiLine,
  MAX_WORK,
  NO_DECAY,
  UNKNOWN,
} from './spectral-law.js';
import { CellDecay, logarithms, logPhiRows } from './weighted-losses.js';

/** −log of the quadrature error aimed at, and outputs of laws without an end that are looked at, where nothing is said. Larger tilts have no integrals. */
const DEPTH = 45;
const LARGEST_OUTPUT = 40;
/** −log of the quadrature error for the few digits that plans ask for. Speed alone hangs on it. */
const NEAR_DEPTH = 14;
/** M − 1 is summed by itself where no exponent of a term exceeds this, and M lies between these; log M elsewhere. */
const HIGHEST = 300;
const LEAST_MASS = 1e-3;
const MOST_MASS = 1e13;
/** Where a mass to a few digits is enough, no less than this. */
const FAINTEST = 1e-250;
/** What a window takes is known to this relative error. M − 1 is not summed by itself where it takes more, or where this error is no worse than that of log M. */
const LOST_DIGITS = 4e-10;
const MOST_LOST = 1e-8;
const AS_WELL = 1e-14;
/** Hard ends so many widths behind the edge take e^{−this²/2} of what the window does. */
const FAR_END = 7;
/** Halvings of the step of outputs for lines on the axis, which keep more digits than those off it; more of them where a step is composed so often. Speed and width hang on them. */
const FINER = 2;
const FINEST = 4;
const MANY = 1e5;
/** A term of the kernel's sums has a relative error of so many roundings and one in so many outputs. */
const ADDING = 32;
/** Longer lines are summed off the real axis. */
const LONG = 2 ** 10;
/** Digits, in logarithms, that M is to have where aliases are bounded. Only speed and width hang on it. */
const ROUGH = 8;
/** How deep the hard end of a window is to lie below what a tilt sees of the edge, beside its depth; outputs before the end that count with it, in widths, and behind it. Speed alone hangs on them. */
const END_SPARE = 8;
const BEFORE_END = 3;
const BEHIND_END = 0.5;

/** Tilts whose moments are kept; only speed hangs on it. */
const KEPT = 4096;

export interface Moments {
  /** log ∫ φu^c W, and a bound on its error. */
  readonly log: number;
  readonly error: number;
  /** Of the loss under the tilted law: guides. */
  readonly mean: number;
  readonly variance: number;
}

const NOT_KNOWN: Moments = { log: Infinity, error: Infinity, mean: Number.NaN, variance: Number.NaN };

/**
 * About the largest tilt at which a window's hard end is nothing to M, good to e^{−depth}; ∞ without an end. e^{−depth} is no less than what lies at the window's edge.
 *
 * @param depth Where lines are asked for, that of the integrals.
 */
export function largestTilt(
  { mu, q }: SampledStep,
  { to, width, end = Infinity }: OutputWindow,
  depth = ROUGH,
): number {
  if (end === Infinity) return Infinity;
  const lossAt = (x: number): number => subsampledLoss(mu * x - (mu * mu) / 2, q);
  const low = end - BEFORE_END * width;
  const fall = (low * low - to * to) / 2 + ((low - to) / width) ** 2 / 2;
  return (fall - depth - END_SPARE) / (lossAt(end + BEHIND_END) - lossAt(to));
}

/** What a window takes of P and of Q; all where it has a lower edge, or ends near by. */
function takenBy(
  { mu, q }: SampledStep,
  { from, to, width, end = Infinity }: OutputWindow,
): { p: number; q: number } {
  if (from > -Infinity || end < to + FAR_END * width) return { p: 1, q: 1 };
  if (to === Infinity) return { p: 0, q: 0 };
  const stretch = stretchOf(width);
  const { logLostP, logLostQ } = lostMass(mu / stretch, q, to / stretch);
  return { p: exp(logLostP), q: exp(logLostQ) };
}

/** Sampled Gaussian steps under one window, whose sums have their outputs in common. */
export class WindowedSteps {
  readonly axis: AxisOutputs;
  /** Fewer outputs, for plans. */
  readonly rough: AxisOutputs;
  readonly shifted: readonly ShiftedOutputs[];

  /** @param depth Integrals are good to about e^{−depth}. @param furthest Outputs of windows without an end reach no further. */
  constructor(
    readonly all: SampledSteps,
    readonly window: OutputWindow = EVERYTHING,
    readonly depth = DEPTH,
    furthest = LARGEST_OUTPUT,
  ) {
    this.shifted = all.steps.map((_, k) => new ShiftedOutputs(all, window, k));
    this.axis = new AxisOutputs(all, window, this.shifted, { depth, furthest, forPlans: false });
    this.rough = new AxisOutputs(all, window, this.shifted, { depth: NEAR_DEPTH, furthest, forPlans: true });
  }
}

/**
 * One Poisson-subsampled Gaussian step whose outputs fall into a window. It is the sub-probability law with P-density φ(x)W(x), φ that of N(0, 1). Its loss is
 * y = log u(x), u = A + B, A = 1 − q, B = qe^{μx − μ²/2}. Integrals are trapezoidal sums, on the real axis and off it (docs/proofs/contour.md).
 */
export class WindowedGaussian {
  readonly kernel: Kernel;
  readonly window: OutputWindow;
  readonly mu: number;
  readonly q: number;
  /** About the largest tilt at which M is known to a few digits where the window has an end. */
  private readonly largest: number;
  private readonly known: LruCache<number, Moments>;
  private readonly axis: AxisOutputs;
  private readonly rough: AxisOutputs;
  private readonly shifted: ShiftedOutputs;
  private readonly depth: number;
  private readonly lost: { readonly p: number; readonly q: number };

  /** @param k The place of the step among those under the window. */
  constructor(
    { all, window, depth, axis, rough, shifted }: WindowedSteps,
    private readonly k = 0,
  ) {
    const { mu, q } = all.steps[k];
    this.kernel = all.kernel;
    this.mu = mu;
    this.q = q;
    this.window = window;
    this.depth = depth;
    this.axis = axis;
    this.rough = rough;
    this.shifted = shifted[k];
    this.largest = largestTilt(this, window);
    this.known = new LruCache(all.kept(KEPT));
    this.lost = takenBy(this, window);
  }

  /** The mass at c = 0 or 1, or what a tilt makes of it; log = ∞ where it is not known. */
  moments(c: number): Moments {
    return this.known.of(c, this.sum);
  }

  private readonly sum = (c: number): Moments => {
    const placed = this.axis.for(c);
    if (placed === undefined) return NOT_KNOWN;
    const summed = this.excess(placed, c) ?? this.logarithm(placed, c);
    const mass = c === 0 ? this.mass(this.lost.p) : c === 1 ? this.mass(this.lost.q) : NOT_KNOWN;
    return mass.error < summed.error ? { ...summed, ...mass } : summed;
  };

  /** log of what a window leaves of P or of Q, of which it takes so much. */
  private mass(lost: number): Pick<Moments, 'log' | 'error'> {
    const value = log1p(-lost);
    return { log: value, error: lost < 1 ? (LOST_DIGITS * lost) / (1 - lost) - 2 * U * value : Infinity };
  }

  /** Whether exponentials of tilted losses are doubles. */
  private isModerate({ loss, isNormal }: AxisMesh, c: number): boolean {
    return isNormal && Math.max(c * loss[loss.length - 1], c * loss[0]) < HIGHEST;
  }

  /** Whether the window takes little, so that M − 1 may be summed by itself. */
  private get takesLittle(): boolean {
    return Math.max(this.lost.p, this.lost.q) < MOST_LOST;
  }

  private sums({ table }: AxisMesh, tilts: Float64Array): Float64Array {
    return this.kernel.cumulantSums(table, 0, table.values.length / MESH_ROWS, tilts);
  }

  /** M − 1 of what the nodes say of it. */
  private rise(excess: number, c: number): number {
    const { p, q } = this.lost;
    return excess - p - c * (q - p);
  }

  /**
   * M − 1 = ∫ φW(u^c − 1 − c(u − 1)) − λ_P − c(λ_Q − λ_P) where M is moderate. Its error is relative to itself. λ is what the window takes of P and of Q.
   *
   * An error d of a loss moves u^c − 1 − c(u − 1) by c(u^c − u)d, at most |c||c − 1||y| max(u^c, u)|d|. Roundings of y and cy alone move it by at most c²y²
   * max(u^c, 1)·4u. Both are below 1.5|c| max(1, |c − 1|)·(u^c + max(u, 1))|y|·(error of y), which counts 12u|y| itself.
   */
  private excess(placed: Placed, c: number): Moments | undefined {
    const mesh = placed.meshes[this.k];
    if (!this.takesLittle || !this.isModerate(mesh, c)) return undefined;
    const sums = this.sums(mesh, Float64Array.of(c));
    const mass = sums[0];
    if (!(mass < MOST_MASS && mass > LEAST_MASS)) return undefined;
    const size = Math.abs(c);
    const { p, q } = this.lost;
    const rise = this.rise(sums[3], c);
    const taken = LOST_DIGITS * (p * (1 + size) + q * size);
    // then the logarithm of the sum says more
    if (taken > AS_WELL * (1 + rise)) return undefined;
    // the relative errors of the weights are at least 24u each
    const rounding = sums[4] * (1 + (50 + mesh.n / 32) / 24);
    const moved = 1.5 * size * Math.max(1, Math.abs(c - 1)) * (sums[5] + mesh.shift);
    const errorBound =
      (rounding + moved) * 1.001 +
      this.axis.leftOut(this.k, mesh, c, 0) +
      (1 + size) * mesh.ends +
      mass * this.axis.ruleError(this.k, placed, c, log(mass)) +
      (1 + 2 * size) * placed.plain +
      taken;
    if (!(errorBound < 1e-3 * (1 + rise))) return undefined;
    const mean = sums[1] / mass;
    const variance = Math.max(0, sums[2] / mass - mean * mean);
    const value = log1p(rise);
    return { log: value, error: (1.002 * errorBound) / (1 + rise) + 6 * U * Math.abs(value), mean, variance };
  }

  /** log M from the logarithms of all terms. */
  private logarithm(placed: Placed, c: number): Moments {
    const mesh = placed.meshes[this.k];
    const { sums } = this.kernel.tiltedLaw(mesh.table, c);
    const top = sums[0];
    const mass = sums[1];
    const value = top + log(mass * mesh.h * INVERSE_SQRT_2PI);
    const left = this.axis.leftOut(this.k, mesh, c, value);
    const rule = this.axis.ruleError(this.k, placed, c, value);
    const relative = sums[4] / mass + (ADDING + mesh.n / ADDING) * U + left + rule;
    if (!(relative < 1e-3)) return NOT_KNOWN;
    const mean = sums[2] / mass;
    const variance = Math.max(0, sums[3] / mass - mean * mean);
    return { log: value, error: 1.002 * relative + 4 * U * Math.abs(top), mean, variance };
  }

  /** log M, mean and variance at tilts in order, so many times each, to a few digits: for plans. */
  near(tilts: Float64Array, count: number): ApproximateCumulant[] {
    const guesses: ApproximateCumulant[] = [];
    for (let from = 0; from < tilts.length; ) {
      const placed = tilts[from] <= this.largest ? this.rough.for(tilts[from]) : undefined;
      let to = from + 1;
      if (placed !== undefined)
        while (
          to < tilts.length &&
          tilts[to] > placed.low &&
          tilts[to] <= Math.min(placed.high, this.largest)
        )
          to++;
      const some = tilts.subarray(from, to);
      this.guess(placed?.meshes[this.k], some, count, guesses);
      from = to;
    }
    return guesses;
  }

  /** Approximate cumulants at tilts that have outputs in common, added to what is there. */
  private guess(
    mesh: AxisMesh | undefined,
    tilts: Float64Array,
    count: number,
    guesses: ApproximateCumulant[],
  ): void {
    const ends = [tilts[0], tilts[tilts.length - 1]];
    const sums =
      mesh !== undefined && this.isModerate(mesh, ends[0]) && this.isModerate(mesh, ends[1])
        ? this.sums(mesh, tilts)
        : undefined;
    const { takesLittle } = this;
    for (let i = 0; i < tilts.length; i++) {
      const c = tilts[i];
      const at = CUMULANT_SUMS * i;
      const mass = sums === undefined ? 0 : sums[at];
      if (sums !== undefined && mass > FAINTEST && mass < MOST_MASS) {
        const mean = sums[at + 1] / mass;
        const variance = sums[at + 2] / mass - mean * mean;
        if (variance > 0) {
          const value = takesLittle && mass > LEAST_MASS ? log1p(this.rise(sums[at + 3], c)) : log(mass);
          guesses.push({ value: count * value, mean: count * mean, variance: count * variance });
          continue;
        }
      }
      const { log: value, mean, variance } = c > this.largest ? NOT_KNOWN : this.moments(c);
      const known = { value: count * value, mean: count * mean, variance: count * variance };
      guesses.push(value < Infinity ? known : UNKNOWN);
    }
  }

  /** count·log φ on a line; undefined where that takes too many nodes. */
  logPhi({ c, dTau, n }: LineNodes, count: number): LogPhiLine | undefined {
    const { kernel } = this;
    const halvings = count > MANY ? FINEST : FINER;
    const law = n > LONG ? undefined : this.weighted(c, dTau * n, halvings);
    if (law !== undefined && law.loss.length * n <= MAX_WORK)
      return logPhiRows(kernel.logPhi(law, { dTau, n }, count));
    const sums = this.line(c, dTau, n, this.depth);
    return sums && logarithms(kernel, sums, count);
  }

  /** The tilted law as weighted losses, good for |τ| ≤ tau. */
  private weighted(c: number, tau: number, halvings: number): WeightedLaw | undefined {
    const placed = this.axis.for(c);
    const { log: value } = this.moments(c);
    if (placed === undefined || !(value < Infinity)) return undefined;
    const found = this.axis.forLine(this.k, placed, c, value, { tau, halvings });
    if (found === undefined) return undefined;
    const { loss, n, table } = found.mesh;
    const { weight, sums } = this.kernel.tiltedLaw(table, c);
    return {
      loss,
      weight: weight.subarray(0, n),
      mass: sums[1],
      massError: sums[4],
      size: sums[5],
      sizeError: sums[6],
      shift: sums[7],
      adding: n * U,
      missing: 2.1 * found.error,
    };
  }

  /** φ at k·dTau on the line through c, off the axis. */
  line(c: number, dTau: number, n: number, depth: number): PathSums | undefined {
    const { log: value, error } = this.moments(c);
    if (!(value < Infinity)) return undefined;
    return shiftedSums(this.shifted, { c, logM: { value, error } }, { dTau, n }, depth);
  }

  /** Bounds of |φ| by cells of the tilted law and by the variation of its density, and off the axis. */
  decay(c: number): Decay {
    const placed = this.axis.for(c);
    const moments = this.moments(c);
    if (placed === undefined || !(moments.log < Infinity)) return NO_DECAY;
    const mesh = placed.meshes[this.k];
    const { table, n } = this.kernel.tiltedCells(mesh.table, this, mesh, c, moments);
    const bound = new Lazy(() => this.bound(c));
    const density = { atoms: 0, variation: exp(this.logVariation(c)) };
    return new CellDecay(table, n, density, (taus) => bound.value(taus));
  }

  /** Upper bounds of log|φ|, off the axis. */
  bound(c: number): FarBounds {
    const { log: value, variance } = this.moments(c);
    if (!(value < Infinity)) return (taus) => new Float64Array(taus.length);
    return bestPath(this.furthest, Math.sqrt(variance), (a) => {
      const terms = this.boundTerms(c, a);
      return terms && new Moduli(this.kernel, terms.table, terms.truncationError);
    });
  }

  /** How far off the axis the furthest path of bounds lies. */
  get furthest(): number {
    return furthestPath(this.shifted);
  }

  /** Terms of a bound of |φ| along Im x = a, whose sum is good to about e^{−depth}; undefined where there is none. */
  boundTerms(c: number, a: number, depth?: number): ReturnType<typeof boundTerms> {
    const { log: value, error } = this.moments(c);
    return value < Infinity ? boundTerms(this.shifted, { c, logM: value - error }, a, depth) : undefined;
  }

  /** log of a V with |φ(τ)| ≤ V/|τ|. */
  logVariation(c: number): number {
    const placed = this.axis.for(c);
    const { log: value, error } = this.moments(c);
    if (placed === undefined || !(value < Infinity)) return Infinity;
    return logVariation(this.shifted, placed.meshes[this.k], c, value - error);
  }
}
