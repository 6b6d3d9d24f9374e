import { U } from '../numeric/constants.js';
import { exp, expm1, log, log1p } from '../numeric/scalar.js';

/**
 * A mixture Σ w_i N(a_i, 1), a_i ≥ 0 ascending. Its likelihood ratio to N(0, 1) at the output x is u(x) = Σ w_i e^{s_i}, s_i = a_i x − a_i²/2.
 * The exact weights sum to 1. Stored weights have relative errors of at most 4U, and stored shifts of at most 2U, U the unit roundoff.
 */
export interface Side {
  readonly shift: Float64Array;
  readonly weight: Float64Array;
}

/** N(0, 1) itself. */
export const NOTHING: Side = { shift: Float64Array.of(0), weight: Float64Array.of(1) };

/** The largest shift of a component, exactly. */
export function furthest({ shift }: Side): number {
  return shift[shift.length - 1];
}

/** The smallest shift of a component, exactly; it is 0 for a Poisson sample. */
export function nearest({ shift }: Side): number {
  return shift[0];
}

/** (1 − rate)·N(0, 1) + rate·N(shift, 1). */
export function sideOf(shift: number, rate: number): Side {
  return sampledSide({ shift: Float64Array.of(shift), weight: Float64Array.of(1) }, rate);
}

/** (1 − rate)·N(0, 1) + rate·(the mixture), a Poisson sample of it. Relative errors: U, the unit roundoff, for each weight, or 2U for the first. */
export function sampledSide({ shift, weight }: Side, rate: number): Side {
  if (rate === 1) return { shift, weight };
  if (shift[0] > 0)
    return {
      shift: Float64Array.of(0, ...shift),
      weight: Float64Array.of(1 - rate, ...weight.map((w) => w * rate)),
    };
  const thinned = weight.map((w) => w * rate);
  thinned[0] += 1 - rate;
  return { shift, weight: thinned };
}

/** The likelihood ratio u at one output. */
interface SideValue {
  /** log u, and a bound on its absolute error. */
  readonly log: number;
  readonly error: number;
  /** u − 1 (∞ where it overflows), and a bound of its absolute error. */
  readonly excess: number;
  readonly excessError: number;
  /** d log u/dx, with an error of about 1e-13. */
  readonly slope: number;
}

const AT_NOTHING: SideValue = { log: 0, error: 0, excess: 0, excessError: 0, slope: 0 };

/** If an exponent s_i of the likelihood ratio u of `Side` is larger, log u is computed by log-sum-exp. Correctness of the error bounds depends on it. */
const LARGE = 30;
/** If the likelihood ratio u of `Side` is smaller, log u is computed by log-sum-exp, as the terms of u may underflow. */
const SMALLEST = 1e-290;

/**
 * log u, u − 1 = Σ w_i expm1(s_i) and the slope Σ w_i a_i e^{s_i}/u of log u at x. Here s_i = a_i(x − a_i/2). Error bounds come from Σ w_i|expm1(s_i)| and
 * from the rounding of exponents. Ensures: log u and u − 1 are within `error` and `excessError` of the exact values.
 */
export function sideAt(side: Side, x: number): SideValue {
  const { shift, weight } = side;
  const n = shift.length;
  if (n === 1 && shift[0] === 0) return AT_NOTHING;
  let top = 0;
  for (let i = 0; i < n; i++) top = Math.max(top, shift[i] * (x - shift[i] / 2));
  if (top > LARGE) return largeAt(side, x, top);
  let excess = 0;
  let gross = 0;
  let sum = 0;
  let slope = 0;
  let moved = 0;
  for (let i = 0; i < n; i++) {
    const a = shift[i];
    const s = a * (x - a / 2);
    const rise = weight[i] * expm1(s);
    // for s < −½, 1 + expm1(s) would cancel
    const e = s < -0.5 ? weight[i] * exp(s) : weight[i] + rise;
    excess += rise;
    gross += Math.abs(rise);
    sum += e;
    slope += e * a;
    moved += e * (Math.abs(a * x) + a * a);
  }
  // terms may have underflowed
  if (sum < SMALLEST) return largeAt(side, x, Math.max(...shift.map((a) => a * (x - a / 2))));
  const u = excess < -0.5 ? sum : 1 + excess;
  const value = excess < -0.5 ? log(sum) : log1p(excess);
  const excessError = U * ((12 + n) * gross + 5 * moved);
  // a sum of positive terms keeps its relative accuracy
  const relative = Math.min(excessError / u, U * (12 + n + (5 * moved) / u));
  return {
    log: value,
    error: relative * 1.01 + 4 * U * Math.abs(value),
    excess,
    excessError,
    slope: slope / u,
  };
}

/**
 * log u = top + log Σ w_i e^{s_i − top}, `top` the largest exponent, and from it u − 1. Ensures: log u and u − 1 are within `error` and `excessError` of
 * the exact values.
 */
function largeAt({ shift, weight }: Side, x: number, top: number): SideValue {
  let sum = 0;
  let slope = 0;
  let moved = 0;
  for (let i = 0; i < shift.length; i++) {
    const a = shift[i];
    const e = weight[i] * exp(a * (x - a / 2) - top);
    sum += e;
    slope += e * a;
    moved += e * (Math.abs(a * x) + a * a);
  }
  const value = top + log(sum);
  const error = U * (12 + shift.length + (5 * moved) / sum + 4 * Math.abs(value) + 4 * top);
  const excess = value < 700 ? expm1(value) : Infinity;
  const excessError = Math.max(SMALLEST, (excess + 1) * (error + 4 * U));
  return { log: value, error, excess, excessError, slope: slope / sum };
}
