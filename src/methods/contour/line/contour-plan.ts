import type { Kernel } from '../../../kernel/kernel.js';
import { logSum } from '../../../numeric/log-arithmetic.js';
import { Lazy, LruCache } from '../../../numeric/lru-cache.js';
import { charge } from '../../../numeric/meter.js';
import { ROUNDINGS } from '../../../numeric/rounding.js';
import { exp, log, log1p } from '../../../numeric/scalar.js';
import { firstBetween } from '../../../numeric/solve.js';
import { type ApproximateCumulant, type Cumulant, type SpectralLaw, UNKNOWN } from '../step/spectral-law.js';
import { type Tilt, Tilts } from './tilts.js';

export interface CountedSpectrum {
  readonly law: SpectralLaw;
  readonly count: number;
}

/** Number of values of log M cached; only speed depends on it. */
const KEPT = 4096;
/** With more than MANY laws, plans use SOME of them as representatives, chosen at the tilt STANDARD. Only speed depends on them. */
const [MANY, SOME, STANDARD] = [128, 48, 2];

/** log M of the run on the real axis, cached; ∞ where it is unknown. */
export class RealAxis {
  private readonly known = new LruCache<number, Cumulant>(KEPT);
  private readonly guessed = new LruCache<number, ApproximateCumulant>(KEPT);

  /** Tilts above 1; `down` are those below 1. */
  readonly up: Tilts = new Tilts(this, 1);
  readonly down: Tilts = new Tilts(this, -1);

  /** The laws that represent the run in plans. */
  private readonly some = new Lazy(() => someOf(this.laws));

  constructor(private readonly laws: readonly CountedSpectrum[]) {}

  at(c: number): Cumulant {
    return Number.isFinite(c) ? this.known.of(c, this.sum) : UNKNOWN;
  }

  /** Upper bound of log M(c). */
  above(c: number): number {
    const { value, error } = this.at(c);
    return value + error;
  }

  /** Approximate cumulants, to a few digits: for plans. */
  near(c: number): ApproximateCumulant {
    return Number.isFinite(c) ? this.guessed.of(c, this.guess) : UNKNOWN;
  }

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

  /** Approximate log M, mean and variance of the run at several finite tilts, in one call and uncached. Plan: enters no bracket. */
  nearAll(tilts: Float64Array): readonly ApproximateCumulant[] {
    const laws = this.some.value;
    if (laws.length === 1) return nearOf(laws[0].law, tilts, laws[0].count);
    const sums = Array.from(tilts, () => ({ value: 0, mean: 0, variance: 0 }));
    for (const { law, count } of laws) {
      // charges work that no kernel call has charged
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
 * Heuristic: representatives of many laws, each weighted by those whose log M is next to its own at one tilt. All laws if they are few, or if log M is
 * unknown there.
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

/** Approximate cumulants of a law at some tilts. */
function nearOf(law: SpectralLaw, tilts: Float64Array, count: number): readonly ApproximateCumulant[] {
  return law.near?.(tilts, count) ?? Array.from(tilts, (c) => known(law.cumulant(c, count)));
}

/** A cumulant of which nothing is known has no value. */
function known(cumulant: Cumulant): ApproximateCumulant {
  return cumulant.error < Infinity ? cumulant : { ...cumulant, value: Infinity };
}

/** The truncated laws of a run, and upper bounds of the log masses of P and Q that truncation takes. */
export interface TruncatedLaws {
  readonly laws: readonly CountedSpectrum[];
  readonly logLostP: number;
  readonly logLostQ: number;
}

/** Integrals over outputs are more accurate than the truncation by e^{−SPARE_DIGITS}. */
const SPARE_DIGITS = 6;

/** What truncation has to preserve: log of the smallest δ, and log of the fraction of it that may be lost. Also log(1 + number of steps). */
export interface CutDepth {
  readonly depth: number;
  readonly share: number;
  readonly logCount: number;
}

/**
 * log of the mass that truncation may take from each of `count` steps. Consider the tilt of a Gaussian whose tail is e^{depth}. Its tilted density at
 * the cut of mass e^{−m} is e^{−(√m − √−depth)²} of the maximum. With few steps |φ| becomes small only where that, to the power of `count`, is below
 * the share. Only speed and width depend on it.
 */
function logFewOf({ depth, share }: CutDepth, count: number): number {
  return -((Math.sqrt(-depth) + Math.sqrt(-share / count)) ** 2);
}

/** The interval of tilts at which M of all laws is known, and the largest at which contours are. */
interface TiltRange {
  readonly smallest: number;
  readonly largest: number;
  readonly steepest: number;
}

/**
 * The laws of a run, truncated where outputs are unbounded, for δ = e^{depth} to change by a share e^{share} at most (contour.md 1). With logs of the
 * masses lost, and the tilts allowed. Ensures: the logs are no less than those of the masses.
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

/** Whether δ or a test is asked: for δ truncation may take little of Q; for a test also little of P. */
export type Asked = 'delta' | 'test';

/** Whether truncation takes at most e^{spare} of the answer at a saddle point. */
export function takesLittle(
  { logLostP, logLostQ }: TruncatedLaws,
  asked: Asked,
  at: Saddle,
  spare: number,
): boolean {
  return at.logDelta + spare >= logLostQ && (asked === 'delta' || at.logFpr + spare >= logLostP);
}

/**
 * A saddle point of M(z) e^{−(z−1)ε}/(z(z−1)) on the real axis. It lies right of the pole at 1 (s > 0), or between both (−1 < s < 0); there it belongs to mass − δ. What is
 * approximated there is for guesses only.
 */
export class Saddle {
  /** The ε whose saddle point this is (if it is a loss that is asked for), and the distance over which the contour stays accurate. */
  readonly epsilon: number;
  readonly x: number;
  readonly scale: number;
  /** Approximate log δ at ε, or log(1 − δ) left of the pole; and approximate log FPR there. */
  readonly logDelta: number;
  readonly logFpr: number;

  /** The tilt minus 1, and the cumulant at the tilt. */
  readonly s: number;
  readonly cumulant: ApproximateCumulant;

  /**
   * Heuristic: approximate ε, log δ and log FPR of the saddle point at a tilt c, by a Gaussian integrand. ε = K′(c) − 1/s − 1/(1 + s), s = c − 1, K =
   * log M.
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

  /** log of Chernoff's bound of δ(x), approximately. */
  boundAt(x: number): number {
    const { s, cumulant } = this;
    return cumulant.value - s * x + logChernoff(1 + s);
  }
}

/** A tilt from which aliases on one side are bounded by Chernoff's bound. */
export interface ChernoffPoint {
  readonly c: number;
  readonly logM: number;
}

/** An end of the interval of x that a contour serves, with approximate answers there. */
export type WindowEnd = Pick<Saddle, 'x' | 'logDelta' | 'logFpr'>;

/** The plan of a contour: the saddle point of its tilt, log of the relative accuracy, and the interval of x it serves. */
export interface LinePlan {
  readonly saddle: Saddle;
  readonly logLevel: number;
  readonly ends: readonly WindowEnd[];
}

/** The period P = 2π/Δ of a contour with node spacing Δ. Two tilts bound its aliases at ε + jP, for j > 0 and j < 0. */
export interface Spacing {
  readonly period: number;
  readonly above: ChernoffPoint;
  readonly below: ChernoffPoint;
}

/** A tilt from which aliases may be bounded, and the least period at which they are then small enough. */
export interface AliasPoint {
  readonly period: number;
  readonly c: number;
}

/** Heuristic: the period at which Chernoff's bound at a tilt makes aliases small enough at both ends of a contour; undefined where M is unknown. */
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

/** The spacing with one tilt on either side; undefined where one is missing. */
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
 * log of the C with G ≤ C M(c) e^{−(c−1)x} for the G that `contour.ts` bounds on c's side. It is 0 for 0 ≤ c ≤ 1.
 * For c > 1 it has (e^L − e^x)⁺ ≤ C e^{cL − (c−1)x}; for c < 0 it has (e^x − e^L)⁺ ≤ C e^{cL − (c−1)x}.
 * With s = c − 1 (or −c), max_y (1 − e^{−y}) e^{−sy} = s^s/(1+s)^{1+s}.
 */
export function logChernoff(c: number): number {
  if (c >= 0 && c <= 1) return 0;
  const s = c > 1 ? c - 1 : -c;
  const log = log1p(s);
  return -s * log1p(1 / s) - log + ROUNDINGS * (1 + log);
}

/** Chernoff's bound of log δ(x) from M(c), c ≥ 1; ∞ where M is not known. Ensures: no less than log δ(x). */
export function chernoffAt(axis: Pick<RealAxis, 'above'>, c: number, x: number): number {
  const logM = axis.above(c);
  const exponent = logM - (c - 1) * x + logChernoff(c);
  const bound = exponent + ROUNDINGS * (1 + Math.abs(logM) + Math.abs((c - 1) * x));
  return bound < Infinity ? bound : Infinity;
}

/** Ratio of neighbouring tilts s in the search for Chernoff's bound, as a logarithm. */
const LOG_LADDER = log(1.19);
const LAST_TILT = 160;
/** Number of smaller tilts tried where M is known to a few digits only. */
const WEAKER = 6;

/**
 * Chernoff's bound of log δ(x), at the best of a geometric grid of tilts. log M(1 + s) − sx + log C is convex in s. The sign of its slope,
 * mean − x − log(1 + 1/s), leads to the minimum. A tilt at which M is unknown counts as too large. Ensures: no less than log δ(x).
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
