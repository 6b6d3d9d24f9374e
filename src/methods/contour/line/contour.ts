import type { Kernel } from '../../../kernel/kernel.js';
import { U } from '../../../numeric/constants.js';
import { logComplement, logSum } from '../../../numeric/log-arithmetic.js';
import { Lazy, LruCache } from '../../../numeric/lru-cache.js';
import { LONG_SUM, MANY_ROUNDINGS } from '../../../numeric/rounding.js';
import { exp, expm1, log } from '../../../numeric/scalar.js';
import { firstWhere } from '../../../numeric/solve.js';
import type { ErrorBudget } from '../../../run/method.js';
import {
  type ChernoffPoint,
  type CountedSpectrum,
  type LinePlan,
  logChernoff,
  type RealAxis,
  type Saddle,
  type Spacing,
} from './contour-plan.js';
import { addTables, type Functional, type LineTable, tableOf } from './line-table.js';
import { type PreparedLine, preparedLine, sumOf, sumsAt } from './prepared-line.js';
import { type Truncation, truncationOf } from './truncation.js';

/** Largest number of nodes of a contour. Only speed and width depend on it. */
export const LONGEST: number = 2 ** 17;
/** A Q-mass of finite losses above e^{−1e-280} counts as 1 in upper bounds: its logarithm may have few digits. */
const FAINT = 1e-280;
/** Number of losses x whose sums are cached. Only speed depends on it. */
const KEPT_SUMS = 512;

/** Above this many nodes the tighter bounds of |φ(τ)| = |M(c + iτ)|/M(c), which cost more, are computed. Only speed depends on it. */
const FEW_NODES = 256;

/** The number of nodes n of a contour, and bounds of the omitted (1/π)Δ·Σ|φ|/τ and (1/π)Δ·Σ|φ|/τ², Δ the spacing. */
interface Ending {
  readonly n: number;
  readonly first: number;
  readonly second: number;
  /** Whether `first` is small enough for tests with a fixed threshold. */
  readonly sharp: boolean;
}

/** Truncation errors of the sums whose kernels have |r(z)| ≤ 1/τ (`first`) and 1/τ² (`second`), divided by M(c). */
interface LineEnd {
  readonly first: number;
  readonly second: number;
  /** Width of the window over which thresholds of tests are averaged; 0 for a single threshold. */
  readonly window?: number;
}

/** A contour, and the answers that it gives at losses x. */
export interface Line {
  readonly saddle: Saddle;
  /** Width of the window over which thresholds of tests are averaged; 0 for a single threshold. */
  readonly window: number;
  /** log δ, TPR or FPR of the finite losses at x, or averaged over the window around it; `lower` may be −∞. Ensures: it lies in the bracket. */
  answer(functional: Functional, x: number): Answer;
}

export interface Answer {
  /** Bracket of the logarithm of δ, TPR or FPR. */
  readonly lower: number;
  readonly upper: number;
  readonly budget: ErrorBudget;
}

/**
 * One vertical line z = c + iτ through (or near) a saddle point, and the answers it gives (docs/proofs/contour.md 2, 10). P and Q in formulas are
 * the masses of finite losses L.
 *
 * δ(x) = (1/2πi) ∫_{Re z = c} M(z)r(z)e^{−(z−a)x} dz for c > 1, with r(z) = 1/(z(z−1)) and a = 1. The TPR has r = 1/(z−1), a = 1; the FPR r = 1/z,
 * a = 0. Let G(x) ≥ 0 be one of the three. By Poisson summation its trapezoidal sum with node spacing Δ is exactly
 *   Σ_j e^{(c−a)jP} G(x + jP), P = 2π/Δ, over all integers j.
 * The terms with j ≠ 0 are aliases, so the sum is an upper bound of G(x). Chernoff's bound G(x) ≤ C·M(c₂)e^{−(c₂−a)x} at a tilt c₂ > c bounds those
 * with j > 0. For j < 0 a tilt c₃ < c serves while it stays right of r's poles. Left of a pole a known part of G is summed and subtracted.
 * Chernoff's bound at c₃ then bounds the rest:
 *   δ(x) = Q − E_Q[min(1, e^{x−L})], 0 < c₃ < 1, C = 1;
 *   δ(x) = Q − Pe^x + E_P[(e^x − e^L)⁺], c₃ < 0;
 *   TPR(x) = Q − Q(L ≤ x), c₃ < 1;
 *   FPR(x) = P − P(L ≤ x), c₃ < 0.
 *
 * For 0 < c < 1 the integrals of δ and TPR are δ − Q and TPR − Q, written −G̃. They are accurate where δ is near 1. For j > 0, G̃(x) ≤
 * M(c₂)e^{−(c₂−1)x} if c < c₂ ≤ 1; if c₂ > 1 the known part is Q. For j < 0 that bound holds if 0 ≤ c₃ < c; for Q − δ and c₃ < 0 the known part is
 * Pe^x.
 *
 * Where |φ(τ)| = |M(c + iτ)|/M(c) falls slowly (losses with atoms), sums with |r| ~ 1/τ converge badly. Then rates are those of the test whose
 * threshold is uniform on an interval of width h around x. r gains sinh(w)/w, w = (z − a)h/2, at most cosh((c − a)h/2)/(τh/2) in size. The test
 * loses O(h²).
 */
export class Contour implements Line {
  readonly window: number;
  private readonly known = new LruCache<number, Float64Array>(KEPT_SUMS);
  private readonly prepared = new Lazy(() => preparedLine(this.kernel, this.table, this.window));
  private readonly above: BoundingPoint;
  private readonly below: BoundingPoint;
  private readonly beforeOne: number;
  private readonly beforeZero: number;
  /** log(e^beforeOne − e^beforeZero), c > 1, in closed form: a subtraction of these two series of aliases would cancel where the period is small. */
  private readonly between: number;

  /** Prepares alias bounds and the logs of geometric series of known aliases, exact but for roundings that `answer` adds. */
  constructor(
    private readonly kernel: Kernel,
    readonly saddle: Saddle,
    readonly table: LineTable,
    spacing: Spacing,
    private readonly end: LineEnd,
  ) {
    this.window = end.window ?? 0;
    const { c } = table;
    const { period, above, below } = spacing;
    this.above = pointOf(above, c, period);
    this.below = pointOf(below, c, period);
    // logs of Σ_{j≥1} e^{−jbP}, b = |c − 1| and c: aliases of the known parts Q and Pe^x
    this.beforeOne = logSeries(Math.abs(c - 1), period);
    this.beforeZero = logSeries(c, period);
    this.between = this.beforeOne + log(expm1(-period) / expm1(-c * period));
  }

  /** The contour of a plan and layout, log φ with error bounds. Undefined where a law's φ would cost too much, or M(c) is unknown. */
  static on(
    kernel: Kernel,
    laws: readonly CountedSpectrum[],
    axis: RealAxis,
    { saddle }: LinePlan,
    { spacing, dTau, n, ...end }: LineLayout,
  ): Contour | undefined {
    const c = 1 + saddle.s;
    const table = tableOn(kernel, laws, c, dTau, n);
    const { value, error } = axis.at(c);
    if (table === undefined || !(value < Infinity)) return undefined;
    const whole = tableOf(table, table, { ...table, logM: value, logMError: error });
    return new Contour(kernel, saddle, whole, spacing, end);
  }

  /**
   * Bracket of log δ, log TPR or log FPR at x over finite losses (rates averaged over the thresholds' interval); lower may be −∞. Value: the
   * trapezoidal sum less known aliases. Error: Chernoff's bounds of the other aliases, truncation, quadrature and rounding (contour.md 2, 10).
   * Ensures: it lies in the bracket.
   */
  answer(functional: Functional, x: number): Answer {
    const { table } = this;
    const { c } = table;
    const a = poleOf(functional);
    const window = functional === 'delta' ? 0 : this.window;
    const line = this.prepared.value;
    const { sum, roundOff, quadrature } = sumOf(line, functional, x, this.sums(line, x));
    const base = table.logM - (c - a) * x;
    const baseError =
      table.logMError + U * (3 * Math.abs(table.logM) + 4 * Math.abs((c - a) * x) + 2 * Math.abs(base) + 8);
    const truncation =
      functional === 'delta'
        ? this.end.second
        : window > 0
          ? (2 * this.end.second * exp((Math.abs(c - a) * window) / 2)) / window
          : this.end.first;
    // for 0 < c < 1 the integral is −(Q − δ), or −(Q − TPR)
    const isComplement = c < a;
    const { known, sizes } = this.knownAliases(functional, x, base);
    const above = this.chernoff(this.above, functional, (this.above.c - a) * x, base);
    const below = this.chernoff(this.below, functional, (this.below.c - a) * x, base);
    const value = (isComplement ? -sum : sum) - known;
    const ofKnown = 8 * U + 1.1 * expm1(baseError + table.massError);
    const rounding = roundOff + U * 8 * (Math.abs(sum) + sizes) + sizes * ofKnown;
    const errorBound = rounding + quadrature + truncation;
    const [high, low] = this.ends(functional, { value, errorBound }, { above, below });
    // a sum that is not positive, or NaN, gives no upper bound
    const upper = high > 0 && baseError < Infinity ? base + log(high) + baseError : Infinity;
    const lower = low > 0 ? base + log(low) - baseError : -Infinity;
    const size = Math.max(low, 1e-300);
    const budget = {
      aliasing: (above + below) / size,
      truncation: truncation / size,
      quadrature: quadrature / size,
      roundOff: rounding / size + baseError,
      smoothing: 0,
      nodes: table.logModulus.length,
    };
    if (isComplement) return this.complement({ lower: Math.min(lower, upper), upper, budget });
    return { lower: Math.min(lower, upper), upper, budget };
  }

  /**
   * Upper and lower bound of G (δ, TPR or FPR) or G̃ = Q − G over e^{base} = M(c)e^{−(c−a)x}. It is the sum less known aliases (`value`), with
   * errors. The unknown aliases of one side have one sign: they widen the bracket on one side only. Ensures: the answer is between them.
   */
  private ends(
    functional: Functional,
    { value, errorBound }: { value: number; errorBound: number },
    { above, below }: { above: number; below: number },
  ): [number, number] {
    const a = poleOf(functional);
    const isComplement = this.table.c < a;
    const c3 = this.below.c;
    // as in `knownAliases`
    const both = functional === 'delta' && (c3 < 0 || (c3 === 0 && !isComplement));
    const belowKnown = isComplement ? both : c3 < a && !both;
    const aboveKnown = isComplement && this.above.c > 1;
    return [
      value + errorBound + (belowKnown ? below : 0) + (aboveKnown ? above : 0),
      value - errorBound - (aboveKnown ? 0 : above) - (belowKnown ? 0 : below),
    ];
  }

  /** Bracket of log(Q − e^v) from a bracket of v, Q the mass of finite losses. Ensures: it lies in the bracket. */
  private complement({ lower, upper, budget }: Answer): Answer {
    const { logMassQ, massError } = this.table;
    // log(Q − e^value), rounded up (1) or down (−1)
    const less = (value: number, side: 1 | -1): number => {
      // in an upper bound a mass Q within 1e-280 of 1 counts as 1
      const mass = side > 0 && logMassQ > -FAINT ? 0 : Math.min(0, logMassQ + side * massError);
      if (!(value < mass)) return -Infinity;
      const rest = mass + logComplement(value - mass);
      // rest may underflow, hence MIN_VALUE
      return rest + side * (MANY_ROUNDINGS * Math.abs(rest) + Number.MIN_VALUE);
    };
    return { lower: less(upper, -1), upper: less(lower, 1), budget };
  }

  private sums(line: PreparedLine, x: number): Float64Array {
    return this.known.of(x, () => sumsAt(this.kernel, line, Float64Array.of(x)));
  }

  /**
   * The sum over aliases of the known parts of G (δ, TPR or FPR) or G̃ = Q − G, over e^{base}. It is geometric series of the masses Q and Pe^x.
   * `sizes` is the sum of the moduli of its terms, by which the caller bounds the rounding error.
   */
  private knownAliases(functional: Functional, x: number, base: number): { known: number; sizes: number } {
    const { c, logMassP, logMassQ } = this.table;
    const { above, below, beforeOne, beforeZero } = this;
    const a = poleOf(functional);
    if (c >= a && below.c >= a) return { known: 0, sizes: 0 };
    const ofP = exp(logMassP + beforeZero - base + (functional === 'delta' ? x : 0));
    const ofQ = exp(logMassQ + beforeOne - base);
    if (c < a) {
      const known = (above.c > 1 ? ofQ : 0) + (functional === 'delta' && below.c < 0 ? ofP : 0);
      return { known, sizes: known };
    }
    if (functional !== 'delta' || below.c > 0) {
      const known = a === 0 ? ofP : ofQ;
      return { known, sizes: known };
    }
    // Qe^{beforeOne} − Pe^{x + beforeZero} = Q(e^{beforeOne} − e^{beforeZero}) + (Q − Pe^x)e^{beforeZero}, without cancellation
    const plus = exp(logMassQ + this.between - base);
    const other = ofP * expm1(logMassQ - logMassP - x);
    const logs = Math.abs(logMassP) + Math.abs(logMassQ) + Math.abs(x);
    return { known: plus + other, sizes: plus + Math.abs(other) + ofP * logs };
  }

  /**
   * Chernoff's bound of the unknown aliases on one side, over e^{base}. It is the first's bound, C·M(c₂)e^{−(c₂−a)x − |c₂ − c|P}, over 1 − e^{−|c₂ −
   * c|P}. Averaged thresholds multiply it by e^{|c₂ − a|h/2}, h their interval. Ensures: rounded up.
   * @param drift (c₂ − a)x, c₂ the tilt.
   */
  private chernoff(
    { c, logM, away, constant, first }: BoundingPoint,
    functional: Functional,
    drift: number,
    base: number,
  ): number {
    const isDelta = functional === 'delta';
    const mean = isDelta ? 0 : (Math.abs(c - poleOf(functional)) * this.window) / 2;
    const own = isDelta ? constant : 0;
    const exponent = logM - drift + own + mean - base - away;
    const rounding = U * 8 * (Math.abs(logM) + Math.abs(drift) + Math.abs(base) + away);
    return (exp(exponent + rounding) / first) * (1 + LONG_SUM);
  }
}

/** The pole a of a functional's kernel: 1 of δ and power, 0 of the false positive rate. */
function poleOf(functional: Functional): 0 | 1 {
  return functional === 'falsePositive' ? 0 : 1;
}

/**
 * A tilt c₂ whose Chernoff bound bounds the aliases on its side of c. `away` is |c₂ − c|P, P the period, `constant` log C for δ, and `first` 1 −
 * e^{−|c₂ − c|P}.
 */
interface BoundingPoint extends ChernoffPoint {
  readonly away: number;
  readonly constant: number;
  readonly first: number;
}

function pointOf({ c, logM }: ChernoffPoint, line: number, period: number): BoundingPoint {
  const away = Math.abs(c - line) * period;
  return { c, logM, away, constant: logChernoff(c), first: -expm1(-away) };
}

/** log Σ_{j≥1} e^{−jbP} = −log(e^{bP} − 1), to a few roundings. */
function logSeries(b: number, period: number): number {
  return -log(expm1(Math.min(b * period, 600))) - Math.max(0, b * period - 600);
}

/** The nodes of a contour, n of them at spacing dTau, and its truncation error. */
interface LineLayout extends LineEnd {
  readonly spacing: Spacing;
  readonly dTau: number;
  readonly n: number;
}

/**
 * The node spacing 2π/P and number of nodes of a contour, for which truncation errors at both ends of its interval are below its accuracy.
 * Undefined if there would be more than `longest`. Heuristic, but for the bounds `first` and `second` of the truncation error.
 */
export function layOut(
  kernel: Kernel,
  laws: readonly CountedSpectrum[],
  plan: LinePlan,
  found: Spacing | undefined,
  longest: number,
): LineLayout | undefined {
  if (found === undefined) return undefined;
  const { saddle, logLevel } = plan;
  const level = exp(logLevel);
  const { s, scale, cumulant } = saddle;
  const c = 1 + s;
  const period = found.period * (1 + 1e-9);
  const spacing = { ...found, period };
  const dTau = (2 * 3.141592653589793) / period;
  const edge = edgesOf(plan);
  const depth = 40 - logLevel + Math.abs(log(Math.abs(s))) + Math.abs(log(c * scale));
  // a Gaussian loss of this variance has |φ| = e^{−1.1} at this frequency, so the contour ends later
  const start = 1.5 / Math.sqrt(cumulant.variance);
  const small = level * exp(edge.delta);
  for (const dear of [false, true]) {
    const wanted = { first: level * exp(edge.rate), second: small, windowed: small * Math.sqrt(level) };
    const sums = truncationOf(kernel, laws, c, dTau, { start, depth, wanted, sharp: dear });
    const { n, first, second, sharp } = endingOf(sums, dTau, longest, wanted);
    const most = dear ? longest : Math.min(longest, FEW_NODES);
    if (!(n <= most) || !(dear || sharp)) continue;
    // relative errors, h the window: 2·second/(h·e^{edge.rate}) by truncation, h²/(24·scale²) by averaging thresholds; their sum is least near this
    // h³
    const cube = (24 * second) / (exp(edge.rate) * scale);
    const window = sharp ? 0 : scale * Math.min(0.3, Math.max(1e-6, exp(log(cube) / 3)));
    return { spacing, dTau, n, first, second, window };
  }
  return undefined;
}

/**
 * Heuristic: the first end at which both truncation errors are small enough. If the one of |φ|/τ² alone needs less than half the nodes, it decides.
 * The errors are charged.
 */
function endingOf(
  { from, first, second }: Truncation,
  dTau: number,
  longest: number,
  small: { first: number; second: number; windowed: number },
): Ending {
  const upTo = (enough: (i: number) => boolean): Ending => {
    // both truncation errors fall as the end moves out
    const i = firstWhere(from.length, enough);
    return i === from.length
      ? { n: Infinity, first: Infinity, second: Infinity, sharp: false }
      : { n: Math.ceil(from[i] / dTau) + 1, first: first[i], second: second[i], sharp: false };
  };
  const sharp = upTo((i) => first[i] <= small.first && second[i] <= small.second);
  const windowed = upTo((i) => second[i] <= small.windowed);
  if (sharp.n <= Math.min(longest, 2 * windowed.n)) return { ...sharp, sharp: true };
  return windowed.n <= longest ? windowed : upTo((i) => second[i] <= small.second);
}

/**
 * Heuristic: approximate logs of the smallest δ and the smallest rate in the contour's interval of x, over M(c)e^{−(c−a)x}, a the pole. They set the
 * accuracy that its sums need, and enter no bound.
 */
function edgesOf({ saddle, ends }: LinePlan): { delta: number; rate: number } {
  const { s, cumulant } = saddle;
  let delta = Infinity;
  let rate = Infinity;
  for (const { x, logDelta, logFpr } of ends) {
    const base = cumulant.value - s * x;
    delta = Math.min(delta, logDelta - base);
    rate = Math.min(rate, logFpr + x - base, logSum(logDelta, logFpr + x) - base);
  }
  return { delta: Math.min(0, delta), rate: Math.min(0, rate) };
}

/**
 * log φ of a run at the nodes of a contour: Σ_j T_j log φ_j over laws j that occur T_j times. Undefined where a law would cost too much. Ensures:
 * error bounds are sums of the laws', with roundings.
 */
function tableOn(
  kernel: Kernel,
  laws: readonly CountedSpectrum[],
  c: number,
  dTau: number,
  n: number,
): LineTable | undefined {
  let table: LineTable | undefined;
  for (const { law, count } of laws) {
    const line = law.line(kernel, { c, dTau, n }, count);
    if (line === undefined) return undefined;
    const [logMassP, logMassQ] = [count * law.logMassP, count * law.logMassQ];
    const masses = { logMassP, logMassQ, massError: count * (law.massError ?? 0) };
    const own = tableOf(line, { c, dTau }, masses);
    table = table === undefined ? own : addTables(table, own);
  }
  return table;
}
