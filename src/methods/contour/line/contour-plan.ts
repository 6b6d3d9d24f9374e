import type { Kernel } from '../../../kernel/kernel.js';
import { logSum } from '../../../numeric/log-arithmetic.js';
import { Lazy, LruCache } from '../../../numeric/lru-cache.js';
import { charge } from '../../../numeric/meter.js';
import { ROUNDINGS } from '../../../numeric/rounding.js';
import { exp, log, log1p } from '../../../numeric/scalar.js';
import { firstBetween } from '../../../numeric/solve.js';
import { type ApproximateCumulant, type Cumulant, type SpectralLaw, UNKNOWN } from '../step/spectral-law.js';
import { type Tilt, Tilts } from './tilts.js';

/** A law of one step, through its moment generating function, and how often the step occurs in the run. */
export interface CountedSpectrum {
  readonly law: SpectralLaw;
  readonly count: number;
}

/** Number of values of log M cached; only speed depends on it. */
const KEPT = 4096;
/**
 * Where a run has more than MANY distinct laws, about SOME of them represent it in the choice of contours. They are chosen by log M at the tilt
 * STANDARD. Only speed depends on them.
 */
const [MANY, SOME, STANDARD] = [128, 48, 2];

/** The cumulant generating function log M(c) of the run's loss at real tilts c, M(c) = E_P[e^{cL}], cached; ∞ where it is unknown. */
export class RealAxis {
  private readonly known = new LruCache<number, Cumulant>(KEPT);
  private readonly guessed = new LruCache<number, ApproximateCumulant>(KEPT);

  /** Tilts among which contours are chosen, in steps from 1 upwards; `down` has those from 1 downwards. */
  readonly up: Tilts = new Tilts(this, 1);
  readonly down: Tilts = new Tilts(this, -1);

  /** The laws that represent the run in heuristics (`someOf`). */
  private readonly some = new Lazy(() => someOf(this.laws));

  constructor(private readonly laws: readonly CountedSpectrum[]) {}

  /**
   * log M(c) = Σ_j T_j log M_j(c), over laws j that occur T_j times, with mean and variance of the tilted loss. Ensures: `value` is within `error`.
   */
  at(c: number): Cumulant {
    return Number.isFinite(c) ? this.known.of(c, this.sum) : UNKNOWN;
  }

  /** Upper bound of log M(c). Ensures: no less than it. */
  above(c: number): number {
    const { value, error } = this.at(c);
    return value + error;
  }

  /** Heuristic: log M, mean and variance at a tilt to a few digits, for the choice of contours. They enter no bound. */
  near(c: number): ApproximateCumulant {
    return Number.isFinite(c) ? this.guessed.of(c, this.guess) : UNKNOWN;
  }

  /** The sum of the laws' cumulants at c. Ensures: `error` bounds their errors and the roundings of the sum. */
  private readonly sum = (c: number): Cumulant => {
    let value = 0;
    let error = 0;
    let mean = 0;
    let variance = 0;
    for (const { law, count } of this.laws) {
      const one = law.cumulant(c, count);
      value += one.value;
      error += one.error + 2 ** -53 * Math.abs(value);
      mean += one.mean;
      variance += one.variance;
    }
    return { value: error < Infinity ? value : Infinity, error, mean, variance };
  };

  private readonly guess = (c: number): ApproximateCumulant => this.nearAll(Float64Array.of(c))[0];

  /**
   * Heuristic: log M, mean and variance of the run at several finite tilts, to a few digits: sums over the representative laws. Uncached. They only
   * choose tilts; they enter no bound.
   */
  nearAll(tilts: Float64Array): readonly ApproximateCumulant[] {
    const laws = this.some.value;
    if (laws.length === 1) return nearOf(laws[0].law, tilts, laws[0].count);
    const sums = Array.from(tilts, () => ({ value: 0, mean: 0, variance: 0 }));
    for (const { law, count } of laws) {
      // charges the work counted since the last charge, and stops here if the allowance is spent
      charge(0);
      const each = nearOf(law, tilts, count);
      for (const [i, one] of each.entries()) {
        sums[i].value += one.value;
        sums[i].mean += one.mean;
        sums[i].variance += one.variance;
      }
    }
    return sums;
  }
}

/**
 * Heuristic: representatives of many laws, ordered by log M(STANDARD) and taken at equal strides. Each is weighted by Σ log M of its stride.
 * Returns all laws if they are few, or if log M is unknown for one. It only chooses tilts; it enters no bound.
 */
function someOf(laws: readonly CountedSpectrum[]): readonly CountedSpectrum[] {
  if (laws.length <= MANY) return laws;
  const at = Float64Array.of(STANDARD);
  const sized = laws.map((each) => ({ ...each, value: nearOf(each.law, at, each.count)[0].value }));
  if (!sized.every(({ value }) => value > 0 && value < Infinity)) return laws;
  sized.sort((a, b) => a.value / a.count - b.value / b.count);
  const stride = Math.ceil(laws.length / SOME);
  return Array.from({ length: Math.ceil(laws.length / stride) }, (_, i) => {
    const group = sized.slice(i * stride, (i + 1) * stride);
    const { law, count, value } = group[group.length >> 1];
    const all = group.reduce((sum, each) => sum + each.value, 0);
    return { law, count: (count * all) / value };
  });
}

/** Heuristic: approximate cumulants of a law at some tilts, by exact ones where the law has no cheaper way. They enter no bound. */
function nearOf(law: SpectralLaw, tilts: Float64Array, count: number): readonly ApproximateCumulant[] {
  return law.near?.(tilts, count) ?? Array.from(tilts, (c) => known(law.cumulant(c, count)));
}

/** The cumulant, with value ∞ where its error is unbounded. */
function known(cumulant: Cumulant): ApproximateCumulant {
  return cumulant.error < Infinity ? cumulant : { ...cumulant, value: Infinity };
}

/** The truncated laws of a run, and upper bounds of the log of the masses of P and of Q that the truncation removes. */
export interface TruncatedLaws {
  readonly laws: readonly CountedSpectrum[];
  readonly logLostP: number;
  readonly logLostQ: number;
}

/** The relative quadrature error aimed at is e^{−SPARE_DIGITS} times the truncation error. Only speed and width depend on it. */
const SPARE_DIGITS = 6;

/**
 * The depth of a truncation. `depth` is the log of the smallest δ to preserve, `share` the log of the fraction of it that may be lost. `logCount`
 * is log(1 + number of steps).
 */
export interface CutDepth {
  readonly depth: number;
  readonly share: number;
  readonly logCount: number;
}

/**
 * Heuristic: log of the mass that truncation may remove from each of `count` steps. Consider the exponentially tilted Gaussian whose tail is
 * e^{depth}. At the cut that removes mass e^{−m}, its density is e^{−(√m − √−depth)²} of the maximum. The result −m makes that factor, to the power
 * of `count`, the share. Only speed and width depend on it.
 */
function logFewOf({ depth, share }: CutDepth, count: number): number {
  return -((Math.sqrt(-depth) + Math.sqrt(-share / count)) ** 2);
}

/** The interval of tilts at which M of all truncated laws is known, and the largest tilt at which contours are computed. */
interface TiltRange {
  readonly smallest: number;
  readonly largest: number;
  readonly steepest: number;
}

/**
 * The laws of a run, truncated where outputs are unbounded, so that δ = e^{depth} changes by a fraction e^{share} at most (contour.md 1). The
 * masses that truncation removes add up over all steps (union bound). Ensures: `logLostP` and `logLostQ` are no less than the logs of those masses.
 */
export function cutLaws(
  kernel: Kernel,
  laws: readonly CountedSpectrum[],
  at: CutDepth,
  width: number,
): TruncatedLaws & TiltRange {
  const logMass = at.depth + at.share - at.logCount;
  const digits = SPARE_DIGITS - at.share + at.logCount;
  let logLostP = -Infinity;
  let logLostQ = -Infinity;
  let [largest, steepest, smallest] = [Infinity, Infinity, -Infinity];
  const cut = laws.map(({ law, count }) => {
    const one = law.cut?.(kernel, logMass, digits, Math.min(logMass, logFewOf(at, count)), width);
    if (one === undefined) return { law, count };
    logLostP = logSum(logLostP, log(count) + one.logLostP);
    logLostQ = logSum(logLostQ, log(count) + one.logLostQ);
    largest = Math.min(largest, one.largest ?? Infinity);
    steepest = Math.min(steepest, one.steepest ?? Infinity);
    smallest = Math.max(smallest, one.smallest ?? -Infinity);
    return { law: one.law, count };
  });
  return { laws: cut, logLostP, logLostQ, largest, steepest, smallest };
}

/** Whether δ or a test is asked. For δ the truncation may remove little mass of Q; for a test, little of P as well. */
export type Asked = 'delta' | 'test';

/**
 * Heuristic: whether truncation removes at most a fraction e^{spare} of δ, and for tests of the FPR, at a saddle point. It only chooses a
 * truncation; it enters no bound.
 */
export function takesLittle(
  { logLostP, logLostQ }: TruncatedLaws,
  asked: Asked,
  at: Saddle,
  spare: number,
): boolean {
  return at.logDelta + spare >= logLostQ && (asked === 'delta' || at.logFpr + spare >= logLostP);
}

/**
 * A saddle point of M(z)e^{−(z−1)ε}/(z(z−1)), the integrand of δ(ε), on the real axis. Let s = z − 1. The saddle point lies right of the pole at 1 (s
 * > 0) or between the poles 0 and 1 (−1 < s < 0). In the latter case the integral is δ(ε) minus the Q-mass. Its approximations only choose contours;
 * they enter no bound.
 */
export class Saddle {
  /** The ε whose saddle point this is; `x` is max(0, ε). Along the contour the integrand is about a Gaussian in τ of standard deviation 1/scale. */
  readonly epsilon: number;
  readonly x: number;
  readonly scale: number;
  /** Approximations at ε of log δ, or of log(1 − δ) left of the pole at 1, and of log FPR. */
  readonly logDelta: number;
  readonly logFpr: number;

  /** s = c − 1 for the tilt c, and the approximate cumulants at c. */
  readonly s: number;
  readonly cumulant: ApproximateCumulant;

  /**
   * Heuristic: ε, log δ and log FPR of the saddle point at a tilt c. With K = log M and s = c − 1, ε = K′(c) − 1/s − 1/(1 + s). log δ is Laplace's
   * approximation there: the integrand as a Gaussian along the contour. It enters no bound.
   */
  constructor(readonly tilt: Tilt) {
    const s = tilt.c - 1;
    const cumulant = tilt.guess;
    this.s = s;
    this.cumulant = cumulant;
    const epsilon = cumulant.mean - 1 / s - 1 / (1 + s);
    const size = Math.abs(s);
    this.epsilon = epsilon;
    this.x = Math.max(0, epsilon);
    this.scale = Math.sqrt(cumulant.variance + 1 / (s * s) + 1 / ((1 + s) * (1 + s)));
    this.logDelta = cumulant.value - s * epsilon - log(size * (1 + s)) - log(2.5066282746310002 * this.scale);
    this.logFpr = this.logDelta - epsilon + log(size);
  }

  /** Approximate log of Chernoff's bound of δ(x) at this tilt. It enters no bound. */
  boundAt(x: number): number {
    const { s, cumulant } = this;
    return cumulant.value - s * x + logChernoff(1 + s);
  }
}

/** A tilt c, and an upper bound of log M(c): Chernoff's bound at c bounds the aliases of a contour on one side. */
export interface ChernoffPoint {
  readonly c: number;
  readonly logM: number;
}

/** An end of the interval of losses x that a contour serves, with approximate log δ and log FPR there. */
export type WindowEnd = Pick<Saddle, 'x' | 'logDelta' | 'logFpr'>;

/** The plan of a contour: its saddle point, the log of its relative accuracy, and the ends of the interval of x it serves. */
export interface LinePlan {
  readonly saddle: Saddle;
  readonly logLevel: number;
  readonly ends: readonly WindowEnd[];
}

/**
 * The period P = 2π/Δ of a contour with node spacing Δ. Its trapezoidal sum adds aliases: the answers at losses x + jP. The tilt of `above` bounds
 * those with j > 0, the tilt of `below` those with j < 0.
 */
export interface Spacing {
  readonly period: number;
  readonly above: ChernoffPoint;
  readonly below: ChernoffPoint;
}

/** A tilt c whose Chernoff bound may bound aliases, and the least period at which that bound is small enough. */
export interface AliasPoint {
  readonly period: number;
  readonly c: number;
}

/**
 * Heuristic: the least period P at which Chernoff's bound at the tilt c shows the first alias below e^{logLevel − 3}δ(x), at both ends x. The bound's
 * logarithm is log C + log M(c) − (c − 1)x − |c − c₀|P. C is that of `logChernoff`, c₀ the contour's tilt. Undefined where M is unknown. The aliases
 * at that period are bounded later.
 */
export function aliasPoint({ saddle, logLevel, ends }: LinePlan, { c, guess }: Tilt): AliasPoint | undefined {
  const logM = guess.value;
  if (!(logM < Infinity)) return undefined;
  const away = Math.abs(c - 1 - saddle.s);
  const depth = 3 - logLevel;
  const constant = logChernoff(c);
  let period = 0;
  for (const { x, logDelta } of ends)
    period = Math.max(period, (logM - (c - 1) * x + constant - logDelta + depth) / away);
  return { period, c };
}

/**
 * The spacing with the larger of both tilts' periods; undefined where one tilt is missing. Ensures: `logM` of each tilt is no less than log M
 * there.
 */
export function spacingOf(
  axis: RealAxis,
  above: AliasPoint | undefined,
  below: AliasPoint | undefined,
): Spacing | undefined {
  if (above === undefined || below === undefined) return undefined;
  const period = Math.max(above.period, below.period);
  if (!(period > 0 && period < Infinity)) return undefined;
  const [up, down] = [above, below].map(({ c }): ChernoffPoint => ({ c, logM: axis.above(c) }));
  return { period, above: up, below: down };
}

/**
 * log C of Chernoff's bound C·M(c)e^{−(c−1)x} at the tilt c, x a loss. For c > 1 it bounds δ(x): (e^L − e^x)⁺ ≤ C e^{cL − (c−1)x}. For c < 0 it
 * bounds E_P[(e^x − e^L)⁺], with the same right-hand side. For 0 ≤ c ≤ 1, log C = 0: min(e^L, e^x) ≤ e^{cL − (c−1)x}. With s = c − 1 (or −c), C =
 * max_y (1 − e^{−y})e^{−sy} = s^s/(1+s)^{1+s}. Ensures: rounded up.
 */
export function logChernoff(c: number): number {
  if (c >= 0 && c <= 1) return 0;
  const s = c > 1 ? c - 1 : -c;
  const log = log1p(s);
  return -s * log1p(1 / s) - log + ROUNDINGS * (1 + log);
}

/**
 * Chernoff's bound log C + log M(c) − (c − 1)x of log δ(x), c ≥ 1, log C as in `logChernoff`; ∞ where M is unknown. Ensures: no less than log δ(x).
 */
export function chernoffAt(axis: Pick<RealAxis, 'above'>, c: number, x: number): number {
  const logM = axis.above(c);
  const exponent = logM - (c - 1) * x + logChernoff(c);
  const bound = exponent + ROUNDINGS * (1 + Math.abs(logM) + Math.abs((c - 1) * x));
  return bound < Infinity ? bound : Infinity;
}

/** The search for the best Chernoff bound tries tilts 1 + s, s = 1.19^k, |k| ≤ LAST_TILT. Only speed and width depend on them. */
const LOG_LADDER = log(1.19);
const LAST_TILT = 160;
/** Number of smaller tilts tried where the best tilt gives no certified bound. Only width depends on it. */
const WEAKER = 6;

/**
 * Chernoff's bound of log δ(x), at the best of a geometric grid of tilts 1 + s. log M(1 + s) − sx + log C is convex in s, log C as in `logChernoff`.
 * Its slope is mean − x − log(1 + 1/s), where mean is that of the tilted loss. The grid is bisected for the slope's change of sign; a tilt at which M
 * is unknown counts as too large. Ensures: no less than log δ(x).
 */
export function boundOnLadder(axis: RealAxis, x: number): number {
  const tilt = (k: number): number => exp(LOG_LADDER * k);
  const high = firstBetween(-LAST_TILT, LAST_TILT, (k) => {
    const s = tilt(k);
    const { value, mean } = axis.near(1 + s);
    return !(value < Infinity && mean - log1p(1 / s) < x);
  });
  const at = (c: number): number => chernoffAt(axis, c, x);
  let bound = Math.min(at(1), at(1 + tilt(high)));
  for (let i = 0; i < WEAKER; i++) {
    const weaker = at(1 + tilt(high - 1 - i * i));
    bound = Math.min(bound, weaker);
    if (weaker < Infinity) break;
  }
  return bound;
}
