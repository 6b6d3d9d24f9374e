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

/** Nodes of a contour at most. */
export const LONGEST: number = 2 ** 17;
/** When rounding up, 1 − 1e-280 is replaced by 1. */
const FAINT = 1e-280;
/** Number of x whose sums are cached. */
const KEPT_SUMS = 512;

/** Above this many nodes the tighter, slower truncation bound is computed. */
const WORTH = 256;

/** The last node of a contour, and the omitted sums of |φ|/τ and |φ|/τ². */
interface Ending {
  readonly n: number;
  readonly first: number;
  readonly second: number;
  /** Whether the first sum is small enough for tests without a window. */
  readonly sharp: boolean;
}

/** Truncation errors of the sums with kernels |r(z)| ≤ 1/τ and 1/τ², divided by M(c). */
interface LineEnd {
  readonly first: number;
  readonly second: number;
  /** Width of the window over which thresholds of tests are averaged; 0 for a single threshold. */
  readonly window?: number;
}

/** A contour whose weights are computed. */
export interface Line {
  readonly saddle: Saddle;
  /** Width of the window over which thresholds of tests are averaged; 0 for a single threshold. */
  readonly window: number;
  /** log δ, TPR or FPR of the finite losses at x, or averaged over the window around it; `lower` may be −∞. Ensures: it lies in the bracket. */
  answer(functional: Functional, x: number): Answer;
}

export interface Answer {
  /** Bracket of the logarithm. */
  readonly lower: number;
  readonly upper: number;
  readonly budget: ErrorBudget;
}

/**
 * One vertical line through (or near) a saddle point and the answers it gives.
 *
 * δ(x) = (1/2πi) ∫_{Re z = c} M(z) e^{−(z−1)x}/(z(z−1)) dz, c > 1. FPR and TPR have kernels 1/z with e^{−zx} and
 * 1/(z−1) with e^{−(z−1)x}. By Poisson summation the trapezoidal sum of step Δ is exactly
 *   Σ_j e^{(c−a)jP} G(x + jP), P = 2π/Δ.
 * G ≥ 0 is the answer as a function of x (a = 1, or 0 for the FPR). So the sum is an upper bound of G(x). Its other terms are bounded by Chernoff: G(x) ≤ C M(c₂)
 * e^{−(c₂−a)x}, c₂ > c for j > 0. For
 * j < 0 and c₃ < c that holds while c₃ stays right of the kernel's poles. Left of them the parts of G that are
 * known are summed and subtracted, and what is left is bounded in the same way; P and Q are the masses of
 * finite losses:
 *   δ(x) = Q − E_Q[min(1, e^{x−L})], 0 < c₃ < 1, C = 1;   δ(x) = Q − Pe^x + E_P[(e^x − e^L)⁺], c₃ < 0;
 *   TPR(x) = Q − Q(L ≤ x), c₃ < 1;   FPR(x) = P − P(L ≤ x), c₃ < 0.
 *
 * Between the poles, 0 < c < 1, the integrals of δ and TPR are those minus Q (the residue at 1). Their sum of aliases is that of −G̃, G̃ = Q − δ = E_Q[min(1, e^{x−L})]
 * or Q(L ≤ x). It has relative accuracy where δ is near 1. For j > 0, G̃(x + jP) ≤ M(c₂)e^{−(c₂−1)x} while c < c₂ ≤ 1.
 * Beyond it is Q less δ or TPR, which Chernoff bounds as above. For j < 0 that bound holds with 0 ≤ c₃ < c, for Q(L ≤ x) with any c₃ < c.
 * For c₃ < 0, Q − δ(x) = Pe^x − E_P[(e^x − e^L)⁺]. The FPR has no pole at 1.
 *
 * Where |φ| does not fall to 0 (atoms), or falls slowly, sums with |r(z)| ~ 1/τ do not converge, or not soon. Then FPR and
 * TPR are those of the test that draws its threshold uniformly from a window of width h around x. r(z) gains
 * sinh(w)/w, w = (z − a)h/2, which is at most cosh((c − a)h/2)/(τh/2) in size. What the test loses to the best one of its
 * FPR is of second order in h.
 */
export class Contour implements Line {
  readonly window: number;
  private readonly known = new LruCache<number, Float64Array>(KEPT_SUMS);
  private readonly prepared = new Lazy(() => preparedLine(this.kernel, this.table, this.window));
  private readonly above: BoundingPoint;
  private readonly below: BoundingPoint;
  private readonly beforeOne: number;
  private readonly beforeZero: number;
  /** log(e^beforeOne − e^beforeZero), c > 1, in closed form: subtraction would cancel where losses are small. */
  private readonly between: number;

  /**
   * Prepares the alias bounds at the two outer tilts, and the geometric series of the known aliases, as logarithms. Alias bounds are rounded up
   * where they are used.
   */
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
    // series e^{−bP} + e^{−2bP} + … of the known parts of G and G̃ in the aliases
    this.beforeOne = logSeries(Math.abs(c - 1), period);
    this.beforeZero = logSeries(c, period);
    this.between = this.beforeOne + log(expm1(-period) / expm1(-c * period));
  }

  /** The contour of a plan; undefined where one of its laws would cost too much. */
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
   * Bracket of log δ, TPR or FPR of the finite losses at x (rates may be averaged over the window around it); lower may be −∞. By trapezoidal sums
   * less known aliases, with all errors (contour.md 1, 2). Ensures: it lies in the bracket.
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
    // between the poles the integral is minus Q − δ, or minus Q − TPR
    const isComplement = c < a;
    const { known, sizes } = this.knownAliases(functional, x, base);
    const above = this.chernoff(this.above, functional, (this.above.c - a) * x, base);
    const below = this.chernoff(this.below, functional, (this.below.c - a) * x, base);
    const value = (isComplement ? -sum : sum) - known;
    const rounding = roundOff + U * 8 * (Math.abs(sum) + sizes) + sizes * (8 * U + 1.1 * expm1(baseError));
    const errorBound = rounding + quadrature + truncation;
    const [high, low] = this.ends(functional, { value, errorBound }, { above, below });
    // a sum does not show that δ is 0: if it is not positive, or NaN, there is no bound
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
   * Upper and lower bound, over e^{base}, of the answer from a sum less its known aliases. Unknown aliases of one side only lower or only raise it.
   * Ensures: the answer is between them.
   */
  private ends(
    functional: Functional,
    { value, errorBound }: { value: number; errorBound: number },
    { above, below }: { above: number; below: number },
  ): [number, number] {
    const a = poleOf(functional);
    const isComplement = this.table.c < a;
    const c3 = this.below.c;
    const both = functional === 'delta' && c3 < 0;
    const belowKnown = isComplement ? both : c3 < a && !both;
    const aboveKnown = isComplement && this.above.c > 1;
    return [
      value + errorBound + (belowKnown ? below : 0) + (aboveKnown ? above : 0),
      value - errorBound - (aboveKnown ? 0 : above) - (belowKnown ? 0 : below),
    ];
  }

  /** log(Q − e^a) for a bracket of a, Q the mass of finite losses. Ensures: it lies in the bracket. */
  private complement({ lower, upper, budget }: Answer): Answer {
    const { logMassQ, massError } = this.table;
    const less = (value: number, side: 1 | -1): number => {
      // rounded up, the mass of finite losses is 1 where a truncated one would have few digits
      const mass = side > 0 && logMassQ > -FAINT ? 0 : Math.min(0, logMassQ + side * massError);
      if (!(value < mass)) return -Infinity;
      const rest = mass + logComplement(value - mass);
      // the remainder may underflow
      return rest + side * (MANY_ROUNDINGS * Math.abs(rest) + Number.MIN_VALUE);
    };
    return { lower: less(upper, -1), upper: less(lower, 1), budget };
  }

  private sums(line: PreparedLine, x: number): Float64Array {
    return this.known.of(x, () => sumsAt(this.kernel, line, Float64Array.of(x)));
  }

  /**
   * The sum of the known parts of G or G̃ in the aliases, over e^{base}: geometric series of both masses. `sizes` sums the moduli of its terms, for
   * the rounding error.
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
    // Qe^{beforeOne} − Pe^{x + beforeZero}, with common parts removed to avoid cancellation
    const plus = exp(logMassQ + this.between - base);
    const other = ofP * expm1(logMassQ - logMassP - x);
    const logs = Math.abs(logMassP) + Math.abs(logMassQ) + Math.abs(x);
    return { known: plus + other, sizes: plus + Math.abs(other) + ofP * logs };
  }

  /**
   * Chernoff's bound of the aliases on the tilt's side, over e^{base}.
   * @param drift (c − a)x.
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
 * A tilt that bounds the aliases on its side, with what does not depend on x. That is the distance from the contour times the period, log C for δ,
 * and 1 minus the ratio of neighbouring aliases.
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

/** log Σ_{j≥1} e^{−bjP}. */
function logSeries(b: number, period: number): number {
  return -log(expm1(Math.min(b * period, 600))) - Math.max(0, b * period - 600);
}

/** The nodes of a contour, and its truncation error. */
interface LineLayout extends LineEnd {
  readonly spacing: Spacing;
  readonly dTau: number;
  readonly n: number;
}

/**
 * Heuristic: spacing and number of nodes of a contour, with upper bounds of its truncation error; undefined if it would have more than `longest` nodes.
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
  // |φ| of a Gaussian with this variance has fallen little before this frequency
  const start = 1.5 / Math.sqrt(cumulant.variance);
  const small = level * exp(edge.delta);
  for (const dear of [false, true]) {
    const wanted = { first: level * exp(edge.rate), second: small, windowed: small * Math.sqrt(level) };
    const sums = truncationOf(kernel, laws, c, dTau, { start, depth, wanted, sharp: dear });
    const { n, first, second, sharp } = endingOf(sums, dTau, longest, wanted);
    const most = dear ? longest : Math.min(longest, WORTH);
    if (!(n <= most) || !(dear || sharp)) continue;
    // truncation loses 2·edge/h and the window h²/24·scale²: their sum is least for this h³
    const cube = (24 * second) / (exp(edge.rate) * scale);
    const window = sharp ? 0 : scale * Math.min(0.3, Math.max(1e-6, exp(log(cube) / 3)));
    return { spacing, dTau, n, first, second, window };
  }
  return undefined;
}

/**
 * The first end at which the truncation errors are small enough: of both sums if that is not much further, else of |φ|/τ² alone. Plan: the errors
 * there are charged.
 */
function endingOf(
  { from, first, second }: Truncation,
  dTau: number,
  longest: number,
  small: { first: number; second: number; windowed: number },
): Ending {
  const upTo = (enough: (i: number) => boolean): Ending => {
    // both sums decrease with the end
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

/** Heuristic: approximate log of the smallest δ, and of the smallest rate, that a contour is asked for, in units of M(c) e^{−(c−a)x}. */
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

/** log φ of a run of one law or more along a contour, with the errors of all; undefined where one of the laws would cost too much. */
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
