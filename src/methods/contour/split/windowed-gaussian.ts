import { subsampledLoss } from '../../../law/subsampling.js';
import { exp, expm1, log, log1p } from '../../../numeric/scalar.js';
import { cosine, cutMass } from '../step/gaussian-range.js';
import { type ShiftedSums, shiftedBound, shiftedSums } from '../step/shifted-gaussian.js';
import { decayOf } from '../step/weighted-losses.js';
import { EVERYTHING, type OutputWindow, windowAt } from './output-window.js';

const U = 2 ** -53;
const PI = 3.141592653589793;
const INVERSE_SQRT_2PI = 0.3989422804014327;
/** −log of the quadrature error aimed at, and how far out nodes lie. */
const DEPTH = 45;
const REACH = 11;
/** Outputs beyond this are cut off: larger tilts have no integrals. */
const LARGEST_OUTPUT = 40;

export interface Moments {
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
  private readonly h: number;
  private readonly x: Float64Array;
  private readonly loss: Float64Array;
  private readonly lossError: Float64Array;
  /** log φW without 1/√2π, and its error. */
  private readonly height: Float64Array;
  private readonly heightError: Float64Array;
  private readonly known = new Map<number, Moments>();

  constructor(
    readonly mu: number,
    readonly q: number,
    readonly window: OutputWindow,
  ) {
    const { from, to, width } = window;
    const a = Math.min(Math.sqrt(DEPTH / (1 + 1 / (width * width))), 3 / mu);
    this.h = (2 * PI * a) / (1.5 * DEPTH);
    const first = Math.floor(Math.max(-REACH, from - REACH * width) / this.h);
    const last = Math.ceil(Math.min(LARGEST_OUTPUT, to + 3 + REACH * width) / this.h);
    const n = Math.max(2, last - first + 1);
    this.x = Float64Array.from({ length: n }, (_, j) => this.h * (first + j));
    this.loss = this.x.map((x) => subsampledLoss(mu * x - (mu * mu) / 2, q));
    this.lossError = this.x.map((x, j) => {
      const v = q * exp(Math.min(300, mu * x - (mu * mu) / 2));
      const share = v / (1 - q + v);
      return U * (share * (3 * Math.abs(mu * x) + 2 * mu * mu + 5) + 5 * q + 6 * Math.abs(this.loss[j]));
    });
    const windows = Array.from(this.x, (x) => windowAt(window, x, 0));
    this.height = this.x.map((x, j) => windows[j].log - (x * x) / 2);
    this.heightError = this.x.map(
      (x, j) => U * (x * x + 8) + Math.min(1, windows[j].error * exp(-Math.max(windows[j].log, -700))),
    );
  }

  /** The mass at c = 0 or 1, or what a tilt makes of it; log = ∞ where the nodes do not hold it. */
  moments(c: number): Moments {
    const known = this.known.get(c);
    if (known !== undefined) return known;
    const { mu, q, window, x, loss, height, h } = this;
    const n = x.length;
    let top = -Infinity;
    for (let j = 0; j < n; j++) top = Math.max(top, c * loss[j] + height[j]);
    let mass = 0;
    let first = 0;
    let second = 0;
    let wrong = 0;
    for (let j = 0; j < n; j++) {
      const t = c * loss[j];
      const f = exp(t + height[j] - top);
      mass += f;
      first += f * loss[j];
      second += f * loss[j] * loss[j];
      wrong +=
        f *
        (U * (4 + 2 * Math.abs(t) + Math.abs(top)) + this.heightError[j] + Math.abs(c) * this.lossError[j]);
    }
    const log0 = top + log(mass * h * INVERSE_SQRT_2PI);
    const cut = cutMass(mu, q, c, [x[0], x[n - 1]], h, window, log0);
    const relative = wrong / mass + n * U + cut + this.stripError(c);
    const mean = first / mass;
    const made =
      relative < 1e-3
        ? {
            log: log0,
            error: 1.001 * relative + 4 * U * Math.abs(top),
            mean,
            variance: Math.max(0, second / mass - mean * mean),
          }
        : { log: Infinity, error: Infinity, mean: Number.NaN, variance: Number.NaN };
    if (this.known.size >= 4096) this.known.clear();
    this.known.set(c, made);
    return made;
  }

  /** Relative error of the trapezoidal rule: the least over strips |Im x| ≤ a. */
  private stripError(c: number): number {
    const { mu, h, window } = this;
    const sharp = 1 + 1 / (window.width * window.width);
    let best = 0;
    for (const share of [0.1, 0.2, 0.4, 0.6, 0.8, 0.95]) {
      const a = Math.min((share * PI) / mu, (share * 2 * PI) / (h * sharp));
      const growth = (sharp * a * a) / 2 + (c < 0 ? c * log(cosine((mu * a) / 2)) : 0);
      best = Math.min(best, growth - (2 * PI * a) / h);
    }
    return 2 * exp(best);
  }

  /** φ at k·dTau on the line through c. */
  line(c: number, dTau: number, n: number, depth: number): ShiftedSums | undefined {
    const { mu, q, window } = this;
    const { log: value, error } = this.moments(c);
    if (!(value < Infinity)) return undefined;
    return shiftedSums(mu, q, c, dTau, n, depth, { value, error }, window);
  }

  /** Upper bound of log|φ| at and beyond τ. */
  bound(c: number): (tau: number) => number {
    const { mu, q, window } = this;
    return shiftedBound(mu, q, c, this.moments(c).log, window);
  }

  /**
   * Upper bound of log|φ| between two frequencies, from cells. The second derivative of log φu^c W is at most
   * B = 1 + |c|μ²/4 + 1/w² in size (log W is concave and no more bent than the normal density it is an integral of), so it stays within Bh²/8 of its
   * chords.
   */
  within(c: number): (from: number, to: number) => number {
    const { mu, x, loss, lossError, height, h, window } = this;
    const total = this.moments(c).log;
    const bend = 1 + (Math.abs(c) * mu * mu) / 4 + 1 / (window.width * window.width);
    const unit = log(h * INVERSE_SQRT_2PI) - (bend * h * h) / 8 - total - 1e-8;
    const low: number[] = [];
    const high: number[] = [];
    const mass: number[] = [];
    for (let j = 0; j + 1 < x.length; j++) {
      const least = Math.min(c * loss[j] + height[j], c * loss[j + 1] + height[j + 1]) + unit;
      if (!(least > -45)) continue;
      low.push(loss[j] - lossError[j]);
      high.push(loss[j + 1] + lossError[j + 1]);
      mass.push(exp(least));
    }
    const cells = {
      low: Float64Array.from(low),
      high: Float64Array.from(high),
      mass: Float64Array.from(mass),
    };
    return decayOf(cells, Infinity).within;
  }

  /**
   * log of a V with |φ(τ)| ≤ V/|τ|, all the sharper bounds need to be summable. By parts V = ∫|(φu^c W/y′)′|/M, where
   * 1/y′ ≤ (1 + e^{−s}/q)/μ and the logarithm has slope at most |x| + |c|μ + μ + (|x − from| + |x − to|)/w² (to the
   * nearest edge, and 1/w within one width of it); outside |x| < 12 + |c|μ + … the integrand is below e^{−60} M unless M is there too: e^{30} covers all of it.
   */
  logVariation(c: number): number {
    const { mu, q, window } = this;
    const slope = 60 + Math.abs(c) * mu + mu + 60 / Math.min(1, window.width) ** 2;
    return 30 - log(q * mu) + 12 * mu + mu * mu + log(slope);
  }
}

/** The step as it is. */
export function unwindowed(mu: number, q: number): WindowedGaussian {
  return new WindowedGaussian(mu, q, EVERYTHING);
}

/** The output at which one step loses y. */
export function outputOf(mu: number, q: number, y: number): number {
  return (y > 30 ? y - log(q) : log1p(expm1(y) / q)) / mu + mu / 2;
}
