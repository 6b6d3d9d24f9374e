import type { Kernel } from '../../../kernel/kernel.js';
import { INVERSE_SQRT_2PI, U } from '../../../numeric/constants.js';
import { tick } from '../../../numeric/meter.js';
import { PRICES } from '../../../numeric/prices.js';
import { Recent } from '../../../numeric/recent.js';
import { exp, expm1, log, log1p } from '../../../numeric/scalar.js';
import { cutMass, endMass } from '../step/gaussian-range.js';
import { bigShare, gainOf } from '../step/off-axis.js';
import type { OutputWindow } from '../step/output-window.js';
import type { PathSums } from '../step/path-sums.js';
import { shiftedBound, shiftedSums } from '../step/shifted-gaussian.js';
import { type ShiftedMesh, ShiftedOutputs, type TurnedLosses } from '../step/shifted-mesh.js';

/** −log of the quadrature error aimed at, and how far out nodes lie. */
const DEPTH = 45;
const REACH = 11;
/** Outputs beyond this are cut off: larger tilts have no integrals. */
const LARGEST_OUTPUT = 40;
/** How far out `logVariation` looks, the slope it wants there, and the doubt of a logarithm that it leaves room for. */
const FURTHEST = 400;
const MARGIN = 1e-3;
const DOUBT = 1e-6;

/** Room for the terms of one sum. */
let scratch = new Float64Array(0);

/** Tilts whose moments are kept; only speed hangs on it. */
const KEPT = 4096;

interface Moments {
  /** log ∫ φu^c W, and a bound on its error. */
  readonly log: number;
  readonly error: number;
  /** Of the loss under the tilted law: guides. */
  readonly mean: number;
  readonly variance: number;
}

/**
 * One step of a Poisson-subsampled Gaussian (`subsampled-gaussian.ts`) whose outputs fall into a window: the sub-probability law with
 * P-density φ(x)W(x) and loss log u(x). Integrals are trapezoidal sums as there, with e^{y²/2w²} for the window off the real axis.
 */
export class WindowedGaussian {
  readonly mu: number;
  readonly q: number;
  private readonly h: number;
  /** The nodes on the real axis, and the relative error of φW there. */
  private readonly first: number;
  private readonly nodes: ShiftedMesh;
  private readonly heightError: Float64Array;
  private readonly known = new Recent<number, Moments>(KEPT);
  private readonly shifted: ShiftedOutputs;

  constructor(
    private readonly kernel: Kernel,
    losses: TurnedLosses,
    readonly window: OutputWindow,
  ) {
    const { mu, q } = losses;
    const { from, to, width } = window;
    this.mu = mu;
    this.q = q;
    this.shifted = new ShiftedOutputs(losses, window);
    const a = Math.min(Math.sqrt(DEPTH / (1 + 1 / (width * width))), 3 / mu);
    this.h = (2 * Math.PI * a) / (1.5 * DEPTH);
    this.first = Math.floor(Math.max(-REACH, from - REACH * width) / this.h);
    const reach = Math.ceil(Math.min(LARGEST_OUTPUT, to + 3 + REACH * width) / this.h);
    const last = Math.min(reach, Math.floor(this.shifted.end / this.h));
    this.nodes = this.nodesFrom(this.first, Math.max(last, this.first + 1));
    const { x, blur } = this.nodes;
    this.heightError = blur.map((own, j) => U * (x[j] * x[j] + 8) + own);
  }

  private nodesFrom(first: number, last: number): ShiftedMesh {
    tick(PRICES.shifted * (last - first + 1));
    return this.shifted.on({ a: 0, h: this.h, bounding: false }, first, last);
  }

  /** The mass at c = 0 or 1, or what a tilt makes of it; log = ∞ where the nodes do not hold it. */
  moments(c: number): Moments {
    return this.known.of(c, this.sum);
  }

  private readonly sum = (c: number): Moments => {
    const { window, heightError, h } = this;
    const { x, loss, lossError, height } = this.nodes;
    const n = x.length;
    if (scratch.length < n) scratch = new Float64Array(2 * n);
    const terms = scratch.subarray(0, n);
    let top = -Infinity;
    for (let j = 0; j < n; j++) {
      terms[j] = c * loss[j] + height[j];
      top = Math.max(top, terms[j]);
    }
    for (let j = 0; j < n; j++) terms[j] -= top;
    this.kernel.exp(terms, terms);
    let mass = 0;
    let first = 0;
    let second = 0;
    let wrong = 0;
    for (let j = 0; j < n; j++) {
      const f = terms[j];
      mass += f;
      first += f * loss[j];
      second += f * loss[j] * loss[j];
      wrong +=
        f *
        (U * (4 + 2 * Math.abs(c * loss[j]) + Math.abs(top)) + heightError[j] + Math.abs(c) * lossError[j]);
    }
    const log0 = top + log(mass * h * INVERSE_SQRT_2PI);
    const cut = cutMass(this, c, { first: x[0], last: x[n - 1], h }, window, log0);
    const relative = wrong / mass + n * U + cut + this.stripError(c, log0);
    const mean = first / mass;
    return relative < 1e-3
      ? {
          log: log0,
          error: 1.001 * relative + 4 * U * Math.abs(top),
          mean,
          variance: Math.max(0, second / mass - mean * mean),
        }
      : { log: Infinity, error: Infinity, mean: Number.NaN, variance: Number.NaN };
  };

  /** Relative error of the trapezoidal rule: the least over strips |Im x| ≤ a, whose legs lie at a window's hard end. */
  private stripError(c: number, log0: number): number {
    const { mu, h, window } = this;
    const sharp = 1 + 1 / (window.width * window.width);
    const leg = endMass(this, c, { h, reach: 2.5 * h }, window, log0);
    const { end } = this.shifted;
    let best = Infinity;
    for (const share of [0.1, 0.2, 0.4, 0.6, 0.8, 0.95]) {
      const a = Math.min((share * Math.PI) / mu, (share * 2 * Math.PI) / (h * sharp));
      const [inside, behind] = [end, end + h].map((last) => gainOf(this, c, mu * a, -Infinity, last));
      const strip = 2 * exp((sharp * a * a) / 2 + inside - (2 * Math.PI * a) / h);
      best = Math.min(best, strip + leg * exp(behind));
    }
    return best;
  }

  /** φ at k·dTau on the line through c. */
  line(c: number, dTau: number, n: number, depth: number): PathSums | undefined {
    const { log: value, error } = this.moments(c);
    if (!(value < Infinity)) return undefined;
    return shiftedSums(this.kernel, this.shifted, { c, logM: { value, error } }, { dTau, n }, depth);
  }

  /** Upper bound of log|φ| at and beyond τ. */
  bound(c: number): (tau: number) => number {
    return shiftedBound(this.kernel, this.shifted, { c, logM: this.moments(c).log });
  }

  /** A bound of |(log φu^c W)″|: y″ = μ²w(1 − w), w = B/(A + B), rises with the output to μ²/4 where w is ½. */
  private bend(c: number): number {
    const { mu, q, window, shifted } = this;
    const big = Math.min(0.5, 1.000001 * bigShare(mu, q, shifted.end));
    return 1 + Math.abs(c) * mu * mu * big * (1 - big) + 1 / (window.width * window.width);
  }

  /**
   * log of a V with |φ(τ)| ≤ V/|τ|. By parts, V = ∫|g′|/M(c) for g = φu^c W/y′, 1/y′ = (1 + (1 − q)e^{−s}/q)/μ, which vanishes at
   * both ends. log g bends by at most B, `bend` at c + 1 (log 1/y′ bends like log u). So between two nodes
   * it exceeds the larger of its values there by at most Bh²/8, and its slope differs from the chord's by at most Bh: there g varies by
   * at most e^{Bh²/8} max g (|Δ log g| + Bh²). Cells are added at either end until g is monotone beyond, and varies by its last value.
   */
  logVariation(c: number): number {
    const { mu, q, window, h, first } = this;
    const { x, loss, height } = this.nodes;
    const mass = this.moments(c).log;
    if (!(mass < Infinity)) return Infinity;
    const bend = h * h * this.bend(c + 1);
    const weight = (at: number): number => q * exp(Math.min(700, mu * at - (mu * mu) / 2));
    const logG = (at: number, own: number, passed: number): number =>
      c * own + passed + log1p((1 - q) / weight(at)) - log(mu);
    const rises = (at: number): boolean =>
      logSlope(window, at, 1) - at - mu - Math.max(0, -1 - c) * mu * Math.min(1, weight(at) / (1 - q)) >
      MARGIN;
    const falls = (at: number): boolean => logSlope(window, at, -1) + at - Math.max(-1, c) * mu > MARGIN;
    let doubt = this.heightError.reduce((a, b) => Math.max(a, b));
    const beyond = (j: number): number => {
      const node = this.nodesFrom(j, j);
      doubt = Math.max(doubt, node.blur[0]);
      return logG(node.x[0], node.loss[0], node.height[0]);
    };
    const values = Array.from(x, (at, j) => logG(at, loss[j], height[j]));
    const before: number[] = [];
    for (let j = first - 1; !rises(h * (j + 1)); j--) {
      if (h * j < -FURTHEST) return Infinity;
      before.push(beyond(j));
    }
    const { end } = this.shifted;
    for (let j = first + x.length; h * (j - 1) < end && !falls(h * (j - 1)); j++) {
      if (h * j > FURTHEST) return Infinity;
      values.push(beyond(j));
    }
    values.unshift(...before.reverse());
    if (!(doubt < DOUBT)) return Infinity;
    const top = values.reduce((a, b) => Math.max(a, b));
    // g falls from its last value, or ends between the last two
    const behind = Math.max(...values.slice(-2)) + (end < Infinity ? bend / 8 : 0);
    let sum = exp(values[0] - top) + exp(behind - top);
    for (let j = 0; j + 1 < values.length; j++) {
      const [low, high] = [Math.min(values[j], values[j + 1]), Math.max(values[j], values[j + 1])];
      sum += exp(high - top + bend / 8) * (high - low + bend + 4 * DOUBT);
    }
    return top + log(sum * INVERSE_SQRT_2PI) - mass + 4 * DOUBT;
  }
}

/** The output at which one step loses y. */
export function outputOf(mu: number, q: number, y: number): number {
  return (y > 30 ? y - log(q) : log1p(expm1(y) / q)) / mu + mu / 2;
}

/**
 * A lower bound of the slope of log W at and before x (side 1), or of minus the slope at and behind it (side −1). log W is concave, so its slope
 * falls; at x it is the mean of (o − x)/w² over the window's outputs o, weighed by the normal density around x: with d the distance of x to the nearer
 * edge outside, at least d/w²; on the nearer half of the inside at least 0; else the far edge, t ≥ w away, takes no more than e^{−t²/2w²}/(w√2π) of W ≥ .68.
 */
function logSlope({ from, to, width }: OutputWindow, x: number, side: 1 | -1): number {
  const [near, far] = side > 0 ? [from - x, to - x] : [x - to, x - from];
  if (near >= 0) return near / (width * width);
  if (far >= -near) return 0;
  return far >= width ? (-0.6 * exp(-((far / width) ** 2) / 2)) / width : -Infinity;
}
